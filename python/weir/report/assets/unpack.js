// What all pages share: their data, and how packed arrays are unpacked. See packing.py.

const root = document.documentElement;
const payload = JSON.parse(document.getElementById("payload").textContent);
/** @type {(id: string) => any} An element of whatever kind the page has by this name. */
const $ = (id) => document.getElementById(id);

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** The bytes of a packed array. */
async function unpacked(number) {
  const stream = new Blob([fromBase64($(`blob-${number}`).textContent.trim())]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function text(number) {
  return new TextDecoder().decode(await unpacked(number));
}

/** Integers from planes of the bytes of their differences. */
async function integers(number) {
  const planes = await unpacked(number);
  const count = planes.length / 4;
  const values = new Int32Array(count);
  for (let i = 0, value = 0; i < count; i++) {
    value = (value + (planes[i] | (planes[count + i] << 8) | (planes[2 * count + i] << 16) | (planes[3 * count + i] << 24))) | 0;
    values[i] = value;
  }
  return values;
}

/** Floating-point numbers of 4 or 8 bytes from planes of their bytes. */
async function floats(number, size) {
  const planes = await unpacked(number);
  const count = planes.length / size;
  const bytes = new Uint8Array(planes.length);
  for (let i = 0; i < count; i++) for (let plane = 0; plane < size; plane++) bytes[i * size + plane] = planes[plane * count + i];
  return size === 4 ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer);
}

/** A time in picoseconds, in the unit of another time. */
function inUnit(time, of) {
  /** @type {[number, string][]} */
  const units = [[1e12, "s"], [1e9, "ms"], [1e6, "us"], [1e3, "ns"]];
  const [scale, unit] = units.find(([scale]) => of >= scale) || [1, "ps"];
  return [String(Number((time / scale).toPrecision(5))), unit];
}

const kept = new Map();
/** Levels of links and dots of one picture, unpacked once. */
async function levels(pair) {
  if (!kept.has(pair)) kept.set(pair, Promise.all(pair.map(unpacked)));
  return kept.get(pair);
}

/** The arrays of a machine, unpacked: of places and links, and of those that are drawn. See `draw` in machine.py. */
async function unpackedMachine(model) {
  const packed = [model.positions, model.number, model.dot, model.shown, model.from, model.to];
  const [positions, number, dot, shown, from, to] = await Promise.all(packed.map(integers));
  const [nodes, around, kinds] = await Promise.all([model.nodes, model.around, model.class].map(unpacked));
  const names = (await text(model.names)).split("\n");
  const group = model.group === null ? [] : await integers(model.group);
  const linkNames = model.link_names === null ? null : (await text(model.link_names)).split("\n");
  const nameOf = (link) => (linkNames ? linkNames[link] : `${names[from[link]]} -> ${names[to[link]]}`);
  const [begin, end, kind] = [number.map((link) => dot[from[link]]), number.map((link) => dot[to[link]]), number.map((link) => kinds[link])];
  return { positions, number, dot, shown, from, to, nodes, around, kinds, names, group, nameOf, begin, end, kind };
}

/** A part as a percentage, a number with three digits, or hardly any. */
const percent = (value) => (value > 0 && value < 1e-4 ? "< 0.01 %" : `${Number((100 * value).toPrecision(3))} %`);
const rounded = (value) => String(Number(value.toPrecision(3)));

/** Shows a text beside a point of an element, which has the tip; no text, no tip. */
function showTip(tip, words, [x, y]) {
  tip.hidden = !words;
  tip.textContent = words;
  if (!words) return;
  const room = tip.offsetParent.clientWidth - tip.offsetWidth;
  tip.style.left = `${Math.max(0, Math.min(x + 14, room))}px`;
  tip.style.top = `${y + 14}px`;
}

/** Shows a page in a language: options, and what attributes hold; the rest is there in both. */
function translate(language) {
  root.dataset.language = root.lang = language;
  for (const option of document.querySelectorAll("option")) option.textContent = option.dataset[language];
  const shown = language === "ja" ? "Ja" : "En";
  for (const one of document.querySelectorAll("[data-label-en]")) one.setAttribute("aria-label", one.dataset[`label${shown}`]);
  for (const one of document.querySelectorAll("[data-placeholder-en]")) one.placeholder = one.dataset[`placeholder${shown}`];
  dispatchEvent(new Event("language"));
}
