// The legend of a machine that is saved as a picture: what colors stand for, from which value to which.

const LEGEND = { line: 22, room: 12, bar: 160, font: 13 };

/** Measures texts; nothing is drawn on it. */
const measuring = document.createElement("canvas").getContext("2d");

/** The width of a text as it is drawn. */
function widthOf(words) {
  measuring.font = `${LEGEND.font}px sans-serif`;
  return measuring.measureText(words).width;
}

/** Pieces of a legend in as many rows as they need: `[width, markup]` each. Returns height and markup of all. */
function inRows(pieces, width) {
  let [x, row] = [LEGEND.room, 0];
  const placed = pieces.map(([wide, markup]) => {
    if (x > LEGEND.room && x + wide > width - LEGEND.room) [x, row] = [LEGEND.room, row + 1];
    const at = x;
    x += wide + 1.5 * LEGEND.room;
    return `<g transform="translate(${at.toFixed(1)} ${row * LEGEND.line})">${markup}</g>`;
  });
  return [(row + 1) * LEGEND.line + LEGEND.room, placed.join("")];
}

function written(words, x = 0) {
  const ink = getComputedStyle(root).getPropertyValue("--ink").trim();
  return `<text x="${x.toFixed(1)}" y="15" font-size="${LEGEND.font}" font-family="sans-serif" fill="${ink}">${escaped(words)}</text>`;
}

/** A text alone. */
function ofText(words) {
  return [widthOf(words), written(words)];
}

/** The scale of colors, from 0 to a value. */
function ofScale(top) {
  const stops = scaleStops();
  const zero = widthOf("0") + 6;
  const gradient = stops.map((color, at) => `<stop offset="${at / (stops.length - 1)}" stop-color="${color}"/>`).join("");
  const bar = `<linearGradient id="scale-of-colors">${gradient}</linearGradient><rect x="${zero}" y="4" width="${LEGEND.bar}" height="13" fill="url(#scale-of-colors)"/>`;
  return [zero + LEGEND.bar + 6 + widthOf(top), written("0") + bar + written(top, zero + LEGEND.bar + 6)];
}

/** A color and what has it. */
function ofSwatch(color, words) {
  return [18 + widthOf(words), `<rect y="4" width="12" height="12" fill="${color}"/>${written(words, 18)}`];
}

/** What the colors of a drawing stand for, as it is on the screen: the classes of links, or a quantity at an interval. */
function legendOfMachine(model, machine, quantity) {
  const language = root.dataset.language;
  const shown = (id) => $(id)?.selectedOptions[0]?.dataset[language] ?? "";
  const interval = $("interval")?.textContent ?? "";
  if (!machine.byClass) return [ofText([shown("quantity"), interval].filter(Boolean).join(", ")), ofScale($("top").textContent)];
  return model.classes.map((one, place) => ofSwatch(colorOf(place), one.name[language === "ja" ? 1 : 0]));
}

/** The drawing of a machine as it is on the screen, as the inside of an SVG of its size. */
function insideOf(machine) {
  const drawn = new SvgContext(...machine.size);
  machine.draw(drawn, 1);
  // The picture and the canvas share places on the screen.
  machine.redraw();
  return drawn.inside();
}

/** The same with its legend below, as SVG; with its width and height. */
function drawnMachine(machine, legend) {
  const [width, high] = machine.size;
  const [below, rows] = inRows(legend, width);
  const clipped = `<svg width="${width}" height="${high}">${insideOf(machine)}</svg>`;
  return [svg(width, high + below, `${clipped}<g transform="translate(0 ${high + 4})">${rows}</g>`), width, high + below];
}
