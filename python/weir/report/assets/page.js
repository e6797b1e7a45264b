// The page of a run: draws the machine first and the charts after it, and listens to slider and switches.

/** The drawing of the machine, once it is made. */
let machine = null;

async function showMachine(model) {
  const canvas = $("machine");
  const arrays = await unpackedMachine(model);
  machine = new Machine(canvas, { ...model, ...arrays });
  const state = { quantity: 0, picture: -1, timer: 0 };
  const quantity = () => model.quantities[state.quantity];
  const words = (value) => (quantity().percent ? percent : rounded)(value);
  const slider = $("time");
  const valueOf = ({ dot, link }) => words(((link === undefined ? state.dots[dot] : state.links[link]) / LEVELS) * state.top);

  const show = async () => {
    const chosen = quantity();
    const pair = state.picture < 0 ? chosen.whole : chosen.frames[state.picture];
    const top = state.picture < 0 ? chosen.whole_top : chosen.top;
    const [links, dots] = await levels(pair);
    if (chosen !== quantity()) return;
    const end = endOfScale(chosen, top);
    machine.setLevels(rescaled(links, top, end), rescaled(dots, top, end));
    Object.assign(state, { links, dots, top });
    $("top").textContent = words(end);
    $("range").parentElement.hidden = !chosen.percent;
    root.dataset.picture = String(state.picture);
    if (!slider) return;
    $("whole").setAttribute("aria-pressed", state.picture < 0);
    const [from, to] = [model.starts[state.picture] ?? model.starts[0], state.picture < 0 ? model.finish : model.starts[state.picture + 1] ?? model.finish];
    const unit = inUnit(0, model.finish)[1];
    $("interval").textContent = `${inUnit(from, model.finish)[0]} – ${inUnit(to, model.finish)[0]} ${unit}`;
    markTime(state.picture < 0 ? null : [from, to], model.finish);
  };
  const play = (on) => {
    clearInterval(state.timer);
    $("play").classList.toggle("playing", on);
    state.timer = on ? setInterval(() => go((state.picture + 1) % model.starts.length), Math.max(60, Math.min(400, 8000 / model.starts.length))) : 0;
  };
  const go = (picture) => {
    state.picture = picture;
    if (picture >= 0) slider.value = picture;
    return show();
  };
  if (slider) {
    slider.addEventListener("input", () => (play(false), go(Number(slider.value))));
    // From the whole run to the picture where the slider stands: its value does not change then.
    for (const touched of ["pointerup", "keyup"]) slider.addEventListener(touched, (event) => state.picture < 0 && event.key !== "Tab" && go(Number(slider.value)));
    $("play").addEventListener("click", () => play(!$("play").classList.contains("playing")));
    $("whole").addEventListener("click", () => (play(false), go(-1)));
  }
  $("quantity").addEventListener("change", (event) => {
    if (event.target.value === "class") return;
    state.quantity = Number(event.target.value);
    show();
  });
  $("range").addEventListener("change", show);
  $("view")?.addEventListener("change", (event) => machine.setView(event.target.value));
  $("reset").addEventListener("click", () => (machine.resetView(), machine.redraw()));
  canvas.addEventListener("pointermove", (event) => {
    const bounds = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top];
    const found = event.buttons ? null : machine.pick(x, y);
    showTip($("tip"), found ? `${machine.nameOf(found)}: ${valueOf(found)}` : "", [x, y]);
  });
  canvas.addEventListener("pointerleave", () => ($("tip").hidden = true));
  const index = new Map();
  arrays.number.forEach((link, drawn) => index.set(link, drawn));
  const drawn = (links) => links.map((link) => index.get(link)).filter((link) => link !== undefined);
  rows((link, routes) => machine.mark(drawn(link), drawn(routes)));
  const ranks = model.rank_node === null ? null : await integers(model.rank_node);
  const register = { ...arrays, ranks, drawn };
  listenToSearch(model, machine, register);
  listenToClasses(model, machine);
  saving.machine = (form) => saveMachine(form, model, machine, register, quantity);
  await show();
  machine.draw();
  // As `weir demo` opens it.
  if (slider && "play" in root.dataset && !matchMedia("(prefers-reduced-motion: reduce)").matches) play(true);
}

/** Rows of the table of links: one at a time is open and marked in the drawing. */
function rows(mark) {
  const all = [...document.querySelectorAll("tr.link")];
  const open = (row) => {
    for (const one of all) {
      one.querySelector(".pick").setAttribute("aria-pressed", one === row);
      const routes = one.parentElement.querySelector(".routes");
      if (routes) routes.hidden = one !== row;
    }
    mark(row ? [Number(row.dataset.link)] : [], row ? JSON.parse(row.dataset.routes).flat() : []);
  };
  for (const row of all) row.addEventListener("click", () => open(row.querySelector(".pick").getAttribute("aria-pressed") === "true" ? null : row));
}

/** Marks the stretch of time that the drawing shows. */
function markTime(stretch, finish) {
  const figure = figures.get("time");
  if (!figure) return;
  const [scaled] = [(time) => Number(inUnit(time, finish)[0])];
  const shade = { type: "rect", yref: "paper", y0: 0, y1: 1, line: { width: 0 }, fillcolor: "#8886" };
  figure.layout.shapes = stretch ? [{ ...shade, x0: scaled(stretch[0]), x1: scaled(stretch[1]) }] : [];
  // Before it is drawn the shapes are part of what is drawn.
  if ($("chart-time").layout) Plotly.relayout("chart-time", { shapes: figure.layout.shapes });
}

$("language").addEventListener("click", () => {
  translate(root.dataset.language === "ja" ? "en" : "ja");
  dressAll();
});
dark.addEventListener("change", dressAll);
translate(root.dataset.language);

(async () => {
  if (payload.machine) await showMachine(payload.machine);
  else rows(() => {});
  root.dataset.machineMs = String(Math.round(performance.now()));
  // The machine is on the screen before the charts are looked at.
  await new Promise((done) => setTimeout(done, 30));
  await showCharts();
  root.dataset.readyMs = String(Math.round(performance.now()));
})();
