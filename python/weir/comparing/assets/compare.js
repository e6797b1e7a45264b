// The page of a comparison: machines on one scale of colours, and one slider for all of them.

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

/** Levels of the scale of one run as those of the scale of all. */
function rescaled(levels, own, common) {
  const table = Uint8Array.from({ length: LEVELS + 1 }, (_, level) => (level ? Math.max(1, Math.round((level * own) / common)) : 0));
  return levels.map((level) => table[level]);
}

const machines = models.map(() => null);
async function makeMachine(model, number) {
  if (!model) return;
  const packed = [model.positions, model.number, model.dot, model.shown, model.from, model.to];
  const [positions, drawn, dot, shown, from, to] = await Promise.all(packed.map(integers));
  const [nodes, around, kinds] = await Promise.all([model.nodes, model.around, model.class].map(unpacked));
  const names = (await text(model.names)).split("\n");
  const group = model.group === null ? [] : await integers(model.group);
  const [begin, end, kind] = [drawn.map((link) => dot[from[link]]), drawn.map((link) => dot[to[link]]), drawn.map((link) => kinds[link])];
  const arrays = { positions, begin, end, number: drawn, nodes, around, names, shown, group, kind };
  machines[number] = new Machine($(`machine-${number}`), { ...model, ...arrays });
}

const percent = (value) => `${Number((100 * value).toPrecision(3))} %`;

async function show() {
  const whole = state.stop < 0;
  const [top, wholeTop] = [topOf("top"), topOf("whole_top")];
  const ofPercent = models.find((model) => model && quantityOf(model))?.quantities.find((one) => one.key === state.quantity).percent;
  const shown = whole ? wholeTop : top;
  if ($("top")) $("top").textContent = ofPercent ? percent(shown) : String(Number(shown.toPrecision(3)));
  const unit = inUnit(0, longest)[1];
  const time = (value) => `${inUnit(value, longest)[0]} ${unit}`;
  await Promise.all(models.map(async (model, number) => {
    if (!model) return;
    const machine = machines[number];
    const quantity = quantityOf(model);
    const picture = pictureOf(model);
    const nothing = () => machine.setLevels(new Uint8Array(model.links), new Uint8Array(model.places));
    const caption = $(`now-${number}`);
    if (!quantity) return nothing(), (caption.textContent = word("no_quantity"));
    if (picture === null) return nothing(), (caption.textContent = word("ended").replace("{time}", time(model.finish)));
    const own = picture < 0 ? quantity.whole_top : quantity.top;
    const pair = picture < 0 ? quantity.whole : quantity.frames[picture];
    const asked = state.stop;
    const [links, dots] = pair ? await levels(pair) : [new Uint8Array(model.links), new Uint8Array(model.places)];
    if (asked !== state.stop || quantity !== quantityOf(model)) return;
    const common = picture < 0 ? wholeTop : top;
    machine.setLevels(rescaled(links, own, common || 1), rescaled(dots, own, common || 1));
    if (picture >= 0) caption.textContent = `${time(model.starts[picture])} – ${time(model.starts[picture + 1] ?? model.finish)}`;
    else caption.textContent = whole ? word("whole_run") : `${word("whole_run")} (${word("no_pictures")})`;
  }));
  root.dataset.stop = state.stop;
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
  $("quantity")?.addEventListener("change", (event) => ((state.quantity = event.target.value), show()));
  $("reset").addEventListener("click", () => machines.forEach((one) => one && (one.resetView(), one.redraw())));
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

function setLanguage(language) {
  root.dataset.language = root.lang = language;
  for (const option of document.querySelectorAll("option")) option.textContent = option.dataset[language];
}

function colourNames() {
  const colours = COLOURS[dark.matches ? "dark" : "light"];
  for (const dot of document.querySelectorAll("i[data-colour]")) dot.style.background = colours[dot.dataset.colour % colours.length];
}

$("language").addEventListener("click", () => {
  setLanguage(japanese() ? "en" : "ja");
  show();
  dressAll();
});
dark.addEventListener("change", () => (colourNames(), dressAll()));
setLanguage(root.dataset.language);
colourNames();

(async () => {
  await Promise.all(models.map(makeMachine));
  listenToControls();
  if (models.some(Boolean)) await show();
  root.dataset.machineMs = Math.round(performance.now());
  // The machines are on the screen before the charts are looked at.
  await new Promise((done) => setTimeout(done, 30));
  await showCharts();
  root.dataset.readyMs = Math.round(performance.now());
})();
