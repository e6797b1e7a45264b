// The page of a comparison: machines on one scale of colors, and one slider for all of them.

const models = payload.machines;
const state = { quantity: payload.quantities[0], mode: "instant", stop: -1, timer: 0 };
const longest = Math.max(0, ...models.map((model) => model?.finish ?? 0));
const japanese = () => root.dataset.language === "ja";
const word = (key) => payload.words[key][japanese() ? 1 : 0];

/** Where the slider stops: every instant, or every part of a run, at which a picture of some run begins. */
function stopsOf(mode) {
  const all = new Set();
  for (const model of models) for (const start of model?.starts ?? []) all.add(mode === "instant" ? start : start / model.finish);
  return [...all].sort((one, other) => one - other);
}
const stops = { instant: stopsOf("instant"), share: stopsOf("share") };

/** The picture of a run at a stop: -1 for the whole run, null after its end. */
function pictureOf(model) {
  if (state.stop < 0 || !model.starts.length) return -1;
  const stop = stops[state.mode][state.stop];
  const place = (start) => (state.mode === "instant" ? start : start / model.finish);
  if (stop >= place(model.finish)) return null;
  let found = 0;
  while (found + 1 < model.starts.length && place(model.starts[found + 1]) <= stop) found++;
  return found;
}

const quantityOf = (model) => model.quantities.find((one) => one.key === state.quantity);
const topOf = (name) => Math.max(0, ...models.map((model) => (model && quantityOf(model)?.[name]) || 0));

const machines = models.map(() => null);
/** Of each machine: its arrays, and what is shown of it, before it is brought to the scale of all. */
const registers = models.map(() => null);
const own = models.map(() => null);
async function makeMachine(model, number) {
  if (!model) return;
  registers[number] = await unpackedMachine(model);
  machines[number] = new Machine($(`machine-${number}`), { ...model, ...registers[number] });
  listenToPointer(machines[number], number);
}

/** Whether two runs have the same machine: places and links of the same names at the same places, so that their numbers mean the same. */
function isSame(one, other) {
  const packed = (model) => [model.names, model.link_names, model.from, model.to, model.number, model.positions].map((blob) => (blob === null ? "" : $(`blob-${blob}`).textContent));
  return packed(one).every((blob, at) => blob === packed(other)[at]);
}
const same = models.map((one) => models.map((other) => Boolean(one && other && (one === other || isSame(one, other)))));

/** What a dot or link of a run has, as words: as much as `show` has drawn. */
function valueOf(number, { dot, link }) {
  const shown = own[number];
  if (!shown) return word("no_quantity");
  const level = link === undefined ? shown.dots[dot] : shown.links[link];
  return wordsOf((level / LEVELS) * shown.top);
}

const wordsOf = (value) => (models.some((model) => model && quantityOf(model)?.percent) ? percent : rounded)(value);

/** Shows what is under the pointer of one machine, at the same link or dot of all that are the same machine. */
function showTips(number, found) {
  machines.forEach((machine, other) => {
    const shown = found && machine && same[number][other] && machine.lines;
    showTip($(`tip-${other}`), shown ? `${machine.nameOf(found)}: ${valueOf(other, found)}` : "", shown ? machine.placeOf(found) : []);
  });
}

function listenToPointer(machine, number) {
  const { canvas } = machine;
  canvas.addEventListener("pointermove", (event) => {
    const bounds = canvas.getBoundingClientRect();
    showTips(number, event.buttons ? null : machine.pick(event.clientX - bounds.left, event.clientY - bounds.top));
  });
  canvas.addEventListener("pointerleave", () => showTips(number, null));
  machine.moved = () => $("together").checked && machines.forEach((other) => other && other !== machine && other.follow(machine));
}

async function show() {
  const whole = state.stop < 0;
  const [top, wholeTop] = [topOf("top"), topOf("whole_top")];
  const chosen = models.map((model) => model && quantityOf(model)).find(Boolean);
  const shown = endOfScale(chosen, whole ? wholeTop : top);
  $("range").parentElement.hidden = !chosen?.percent;
  if ($("top")) $("top").textContent = wordsOf(shown);
  const unit = inUnit(0, longest)[1];
  const time = (value) => `${inUnit(value, longest)[0]} ${unit}`;
  await Promise.all(models.map(async (model, number) => {
    if (!model) return;
    const machine = machines[number];
    const quantity = quantityOf(model);
    const picture = pictureOf(model);
    const nothing = () => ((own[number] = null), machine.setLevels(new Uint8Array(model.links), new Uint8Array(model.places)));
    const caption = $(`now-${number}`);
    if (!quantity) return nothing(), (caption.textContent = word("no_quantity"));
    if (picture === null) return nothing(), (caption.textContent = word("ended").replace("{time}", time(model.finish)));
    const highest = picture < 0 ? quantity.whole_top : quantity.top;
    const pair = picture < 0 ? quantity.whole : quantity.frames[picture];
    const asked = state.stop;
    const [links, dots] = pair ? await levels(pair) : [new Uint8Array(model.links), new Uint8Array(model.places)];
    if (asked !== state.stop || quantity !== quantityOf(model)) return;
    const common = endOfScale(quantity, picture < 0 ? wholeTop : top);
    own[number] = { links, dots, top: highest };
    machine.setLevels(rescaled(links, highest, common), rescaled(dots, highest, common));
    if (picture >= 0) caption.textContent = `${time(model.starts[picture])} – ${time(model.starts[picture + 1] ?? model.finish)}`;
    else caption.textContent = whole ? word("whole_run") : `${word("whole_run")} (${word("no_pictures")})`;
  }));
  root.dataset.stop = String(state.stop);
  if (!$("time")) return;
  $("whole").setAttribute("aria-pressed", whole);
  const stop = stops[state.mode][state.stop];
  $("instant").textContent = whole ? "" : state.mode === "instant" ? time(stop) : percent(stop);
  mark(whole || state.mode === "share" ? null : stop);
}

/** Marks the instant in the chart over time. */
function mark(instant) {
  const figure = figures.get("time");
  if (!figure) return;
  const at = instant === null ? null : Number(inUnit(instant, longest)[0]);
  const line = { type: "line", yref: "paper", y0: 0, y1: 1, x0: at, x1: at, line: { width: 1.5, color: "#888" } };
  figure.layout.shapes = at === null ? [] : [line];
  // Before it is drawn the shapes are part of what is drawn.
  if ($("chart-time").layout) Plotly.relayout("chart-time", { shapes: figure.layout.shapes });
}

function listenToControls() {
  $("range").addEventListener("change", show);
  $("quantity")?.addEventListener("change", (event) => ((state.quantity = event.target.value), show()));
  $("reset").addEventListener("click", () => machines.forEach((one) => one && (one.resetView(), one.redraw())));
  $("together").addEventListener("change", () => $("together").checked && machines.find(Boolean)?.moved());
  const slider = $("time");
  if (!slider) return;
  const go = (stop) => {
    state.stop = stop;
    if (stop >= 0) slider.value = stop;
    return show();
  };
  const play = (on) => {
    clearInterval(state.timer);
    $("play").classList.toggle("playing", on);
    const count = stops[state.mode].length;
    state.timer = on ? setInterval(() => go((state.stop + 1) % count), Math.max(60, Math.min(400, 8000 / count))) : 0;
  };
  const fit = () => (slider.max = stops[state.mode].length - 1);
  fit();
  slider.addEventListener("input", () => (play(false), go(Number(slider.value))));
  // From the whole run to the picture where the slider stands: its value does not change then.
  for (const touched of ["pointerup", "keyup"]) slider.addEventListener(touched, (event) => state.stop < 0 && event.key !== "Tab" && go(Number(slider.value)));
  $("play").addEventListener("click", () => play(!$("play").classList.contains("playing")));
  $("whole").addEventListener("click", () => (play(false), go(-1)));
  $("coupled").addEventListener("change", (event) => {
    const before = state.stop < 0 ? -1 : stops[state.mode][state.stop] / (state.mode === "instant" ? longest : 1);
    state.mode = event.target.value;
    fit();
    const place = before * (state.mode === "instant" ? longest : 1);
    go(before < 0 ? -1 : Math.max(0, stops[state.mode].findLastIndex((stop) => stop <= place)));
  });
}

/** All machines side by side, as on the page, with the scale they have in common; as data all links of all runs. */
saving.machines = async (form) => {
  const drawn = machines.map((machine, number) => [machine, number]).filter(([machine]) => machine);
  if (form === "csv") return csv((await Promise.all(drawn.map(([machine, number]) => rowsOfRun(machine, number)))).flatMap((rows, at) => (at ? rows.slice(1) : rows)));
  const columns = drawn.length === 4 ? 2 : Math.min(3, drawn.length);
  const [caption, gap] = [30, 16];
  const width = Math.max(...drawn.map(([machine]) => machine.size[0])) + gap;
  const height = Math.max(...drawn.map(([machine]) => machine.size[1])) + caption + gap;
  const parts = drawn.map(([machine, number], at) => {
    const name = [payload.names[number], $(`now-${number}`).textContent].filter(Boolean).join(": ");
    const place = `translate(${(at % columns) * width} ${Math.floor(at / columns) * height})`;
    return `<g transform="${place}"><g transform="translate(${LEGEND.room} 4)">${written(name)}</g><svg y="${caption}" width="${machine.size[0]}" height="${machine.size[1]}">${insideOf(machine)}</svg></g>`;
  });
  const shown = $("quantity")?.selectedOptions[0]?.dataset[root.dataset.language] ?? "";
  const rows = Math.ceil(drawn.length / columns);
  const [below, legend] = inRows([ofText(shown), ofScale($("top").textContent)], columns * width);
  const size = [columns * width - gap, rows * height + below];
  const source = svg(...size, `${parts.join("")}<g transform="translate(0 ${rows * height})">${legend}</g>`);
  return form === "svg" ? source : rastered(source, ...size);
};

/** The links of a run as rows, with the quantity shown over the whole run. */
async function rowsOfRun(machine, number) {
  const [model, register] = [models[number], registers[number]];
  const quantity = quantityOf(model);
  const whole = quantity && quantity.exact_whole !== null ? await floats(quantity.exact_whole, 8) : null;
  const row = (_, link) => [payload.names[number], link, register.nameOf(link), model.classes[register.kinds[link]].name[0], whole ? whole[link] : ""];
  return [["run", "link", "name", "class", state.quantity], ...Array.from(register.from, row)];
}

function colourNames() {
  for (const dot of document.querySelectorAll("i[data-color]")) dot.style.background = colorOf(dot.dataset.color);
}

$("language").addEventListener("click", () => {
  translate(japanese() ? "en" : "ja");
  show();
  dressAll();
});
dark.addEventListener("change", () => (colourNames(), dressAll()));
translate(root.dataset.language);
colourNames();

(async () => {
  await Promise.all(models.map(makeMachine));
  listenToControls();
  if (models.some(Boolean)) await show();
  root.dataset.machineMs = String(Math.round(performance.now()));
  // The machines are on the screen before the charts are looked at.
  await new Promise((done) => setTimeout(done, 30));
  await showCharts();
  root.dataset.readyMs = String(Math.round(performance.now()));
})();
