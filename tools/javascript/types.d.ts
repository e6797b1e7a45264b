// What the scripts of pages find beside them: Plotly's script, and what not every browser has.

declare const Plotly: {
  react(place: string, data: object[], layout: object, config: object): Promise<void>;
  relayout(place: string, change: object): void;
  toImage(figure: object, options: object): Promise<string>;
};

interface Uint8ArrayConstructor {
  fromBase64?(text: string): Uint8Array<ArrayBuffer>;
}

// The pages are written beside their scripts, so a selector finds what the script expects of it.
interface ParentNode {
  querySelector(selectors: string): any;
  querySelectorAll(selectors: string): NodeListOf<any>;
}
