// A figure in a frame of a notebook, or as a page of its own.

const framed = window.parent !== window;
// In a frame the drawing does not follow the height of the window, which follows what is in it.
if (payload.machine) payload.machine.highest = framed ? 420 : Math.max(420, window.innerHeight - 300);

new ResizeObserver(() => {
  // Frames of other origin cannot be made higher; they have a bar to scroll.
  const frame = /** @type {HTMLElement} */ (window.frameElement);
  if (frame && root.scrollHeight > frame.clientHeight) frame.style.height = `${root.scrollHeight}px`;
}).observe(document.body);
