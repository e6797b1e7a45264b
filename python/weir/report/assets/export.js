// Figures as files: PNG, SVG and CSV, made in the page, without a network.

/** How the machine is saved, once it is drawn. */
const saving = {};

function download(name, content, kind) {
  const link = document.createElement("a");
  link.href = typeof content === "string" && content.startsWith("data:") ? content : URL.createObjectURL(new Blob([content], { type: kind }));
  link.download = name;
  link.click();
}

/** A context that writes down as SVG what is drawn onto it; what machine.js needs of one. */
class SvgContext {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.parts = [];
    this.path = this.strokeStyle = this.fillStyle = this.font = "";
    this.globalAlpha = this.lineWidth = 1;
  }
  setTransform() {}
  clearRect() {}
  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${this.at(x, y)}`; }
  lineTo(x, y) { this.path += `L${this.at(x, y)}`; }
  rect(x, y, width, height) { this.path += `M${this.at(x, y)}h${width.toFixed(2)}v${height.toFixed(2)}h${(-width).toFixed(2)}z`; }
  /** Whole circles. */
  arc(x, y, r) { this.path += `M${this.at(x + r, y)}A${r} ${r} 0 1 0 ${this.at(x - r, y)}A${r} ${r} 0 1 0 ${this.at(x + r, y)}`; }
  at(x, y) { return `${x.toFixed(2)} ${y.toFixed(2)}`; }
  stroke() { if (this.path) this.parts.push(`<path d="${this.path}" fill="none" stroke="${this.strokeStyle.trim()}" stroke-width="${this.lineWidth}" opacity="${this.globalAlpha}"/>`); }
  fill() { if (this.path) this.parts.push(`<path d="${this.path}" fill="${this.fillStyle.trim()}" opacity="${this.globalAlpha}"/>`); }
  fillText(words, x, y) { this.parts.push(`<text x="${x}" y="${y}" font-size="11" font-family="sans-serif" fill="${this.fillStyle.trim()}">${escaped(words)}</text>`); }
  strokeText(words, x, y) { this.parts.push(`<text x="${x}" y="${y}" font-size="11" font-family="sans-serif" fill="none" stroke="${this.strokeStyle.trim()}" stroke-width="${this.lineWidth}">${escaped(words)}</text>`); }
  inside() { return this.parts.join("\n"); }
}

function escaped(words) {
  return String(words).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function svg(width, height, inside) {
  const paper = getComputedStyle(root).getPropertyValue("--paper").trim();
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${paper}"/>${inside}</svg>`;
}

/** A picture of an SVG, in twice its size. */
async function rastered(source, width, height) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
  return canvas.toDataURL("image/png");
}

function csv(rows) {
  const field = (value) => (/[",\n]/.test(String(value ?? "")) ? `"${String(value).replaceAll('"', '""')}"` : String(value ?? ""));
  return rows.map((row) => row.map(field).join(",") + "\n").join("");
}

/** The machine as it is on the screen; as data all links with the quantity shown, over the whole run and in each picture. */
async function saveMachine(form, model, machine, register, quantity) {
  if (form === "csv") {
    const chosen = quantity();
    const whole = chosen.exact_whole === null ? null : await floats(chosen.exact_whole, 8);
    const frames = chosen.exact === null ? [] : await Promise.all(chosen.exact.map((blob) => floats(blob, 4)));
    const head = ["link", "name", "class", ...(whole ? [chosen.key] : []), ...frames.map((_, at) => `${chosen.key} from ${model.starts[at]} ps`)];
    const row = (_, link) => [link, register.nameOf(link), model.classes[register.kinds[link]].name[0], ...(whole ? [whole[link]] : []), ...frames.map((one) => one[link])];
    return csv([head, ...Array.from(register.from, row)]);
  }
  const [source, ...size] = drawnMachine(machine, legendOfMachine(model, machine, quantity()));
  return form === "svg" ? source : rastered(source, ...size);
}

/** The two bars of causes with their legend. */
function drawnCauses() {
  const bars = [...document.querySelectorAll("#causes .bar")];
  const language = root.dataset.language;
  const ink = getComputedStyle(root).getPropertyValue("--ink").trim();
  const words = (x, y, what) => `<text x="${x}" y="${y}" font-size="13" font-family="sans-serif" fill="${ink}">${escaped(what)}</text>`;
  const color = (rect) => getComputedStyle(rect).fill;
  const stack = bars.map((bar, row) => words(10, 28 + 40 * row, bar.querySelector(".of").innerText) + [...bar.querySelectorAll("rect")].map((rect) => {
    const [x, width] = ["x", "width"].map((name) => 7.6 * parseFloat(rect.getAttribute(name)));
    return `<rect x="${130 + x}" y="${10 + 40 * row}" width="${width}" height="26" fill="${color(rect)}"/>`;
  }).join(""));
  const legend = [...bars[0].querySelectorAll("rect")].map((rect, row) => `<rect x="130" y="${96 + 22 * row}" width="12" height="12" fill="${color(rect)}"/>${words(150, 107 + 22 * row, bars.map((bar) => bar.querySelectorAll("rect")[row].dataset[language]).map((words, at) => (at ? words.slice(words.indexOf(": ") + 2) : words)).join(" · "))}`);
  return [900, 106 + 22 * legend.length, stack.join("") + legend.join("")];
}

/** The rows of a table of the page. */
function tabled(table) {
  return csv([...table.rows].filter((row) => !row.classList.contains("routes")).map((row) => [...row.cells].flatMap((cell) => [cell.innerText.trim(), ...Array(cell.colSpan - 1).fill("")])));
}

/** The traces of a chart: a row for each point; of heat maps one for each cell. */
function charted(key) {
  const { data } = dress(key, figures.get(key));
  const rows = data.flatMap((trace) => trace.type === "heatmap"
    ? trace.z.flatMap((line, row) => line.map((value, column) => [trace.y[row], trace.x[column], value]))
    : Array.from(trace.x, (x, at) => [trace.name, x, trace.y[at]]));
  return csv([[data[0].type === "heatmap" ? "row" : "series", "x", "value"], ...rows]);
}

async function saved(key, form) {
  if (saving[key]) return saving[key](form);
  if (form === "csv") {
    const table = document.querySelector(`[data-table="${key}"]`);
    return table ? tabled(table) : charted(key);
  }
  if (key === "causes") {
    const [width, height, inside] = drawnCauses();
    const source = svg(width, height, inside);
    return form === "svg" ? source : rastered(source, width, height);
  }
  const { data, layout } = dress(key, figures.get(key));
  const size = key === "matrix" ? { width: 680, height: 580 } : { width: 1000, height: 520 };
  const url = await Plotly.toImage({ data, layout }, { format: form, scale: form === "png" ? 2 : 1, ...size });
  return form === "png" ? url : decodeURIComponent(url.slice(url.indexOf(",") + 1));
}

const KINDS = { csv: "text/csv", svg: "image/svg+xml", png: "image/png" };
document.addEventListener("click", async (event) => {
  /** @type {HTMLElement} */
  const button = /** @type {Element} */ (event.target).closest("[data-save]");
  if (!button) return;
  const [key, form] = button.dataset.save.split(".");
  const name = document.title.replace(/ · weir$/, "").replace(/[^\p{L}\p{N}]+/gu, "-");
  download(`${name}-${key}.${form}`, await saved(key, form), KINDS[form]);
});

/** What a part of the bars of causes stands for, where the pointer is. */
for (const rect of document.querySelectorAll(".stack rect")) {
  const hint = $("hint");
  rect.addEventListener("pointermove", (event) => {
    hint.hidden = false;
    hint.textContent = rect.dataset[root.dataset.language];
    hint.style.left = `${Math.min(event.clientX + 12, innerWidth - 240)}px`;
    hint.style.top = `${event.clientY + 14}px`;
  });
  rect.addEventListener("pointerleave", () => (hint.hidden = true));
}
