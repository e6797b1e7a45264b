"use strict";
/** @type {(id: string) => any} An element of whatever kind the page has by this name. */
const at = (id) => document.getElementById(id);
const whole = number => Math.round(number).toLocaleString("en");
const BYTES = ["B", "kB", "MB", "GB", "TB", "PB"];
function bytes(number) {
  let unit = 0;
  while (number >= 1000 && unit + 1 < BYTES.length) { number /= 1000; unit += 1; }
  return `${unit ? number.toPrecision(3) : number} ${BYTES[unit]}`;
}
function time(seconds) {
  if (seconds < 100) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
function simulated(seconds) {
  /** @type {[number, string][]} */
  const units = [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]];
  const [scale, unit] = units.find(([scale]) => seconds >= scale) ?? [1e-12, "ps"];
  return `${Number((seconds / scale).toPrecision(3))} ${unit}`;
}
// Red, green, blue and opacity of each per cent on the scale of the palette; a map has thirty thousand pixels.
const scale = (() => {
  const style = getComputedStyle(document.documentElement);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [101, 1];
  const pen = canvas.getContext("2d"), gradient = pen.createLinearGradient(0.5, 0, 100.5, 0);
  for (let at = 0; at <= 5; at += 1) gradient.addColorStop(at / 5, style.getPropertyValue(`--scale-${at}`).trim());
  pen.fillStyle = gradient;
  pen.fillRect(0, 0, 101, 1);
  return pen.getImageData(0, 0, 101, 1).data;
})();
const palette = new Uint32Array(scale.buffer);
const color = percent => `rgb(${scale.subarray(4 * percent, 4 * percent + 3).join(",")})`;

function drawCourse(moments) {
  const [wall, simulated] = moments[moments.length - 1];
  const point = moment => `${100 * moment[0] / (wall || 1)},${99 - 98 * moment[1] / (simulated || 1)}`;
  document.querySelector("#course polyline").setAttribute("points", [[0, 0], ...moments].map(point).join(" "));
}
// Columns that are here already are not sent again, but for the last of them.
let columns = [], merged = 0;
function drawHeat(heat) {
  const map = at("map");
  columns = [...columns.slice(0, heat.first), ...heat.columns];
  merged = heat.merged;
  if (!columns.length) return;
  [map.width, map.height] = [columns.length, columns[0].length];
  const pen = map.getContext("2d");
  const image = pen.createImageData(map.width, map.height);
  const pixels = new Uint32Array(image.data.buffer);
  columns.forEach((column, x) => column.forEach((percent, y) => pixels[y * columns.length + x] = palette[percent]));
  pen.putImageData(image, 0, 0);
  const rows = heat.links_per_row > 1 ? `each row the busiest of ${heat.links_per_row} links` : "each row a link";
  at("heat-said").textContent = `From left to right the first ${simulated(heat.end)} of simulated time; ${rows}, by number from the top (${whole(heat.links)} links)`;
  at("busiest").replaceChildren(...heat.busiest.map(({ link, percent }) => {
    const row = document.createElement("tr");
    for (const text of [link, `${percent.toFixed(1)} %`]) row.insertCell().textContent = text;
    return row;
  }));
  at("heat").hidden = false;
}
function drawMachine(machine) {
  const { width, height, percent } = machine, plan = at("plan"), pen = plan.getContext("2d");
  // Squares of whole pixels with a line between them, so that edges are sharp.
  const side = Math.max(3, Math.min(32, Math.floor(900 / width)));
  [plan.width, plan.height] = [width * side, height * side];
  percent.forEach((busy, place) => {
    if (busy === null) return;
    pen.fillStyle = color(busy);
    pen.fillRect(place % width * side, Math.floor(place / width) * side, side - 1, side - 1);
  });
  at("plan-said").textContent = "Each square is a router, as busy as the busiest link that leaves it; x to the right, y down, further dimensions as planes beside and below";
  at("machine").hidden = false;
}
// As the command says them.
const inWords = cause => cause === "open" ? "not known yet" : cause.replace("start_up", "start-up").replaceAll("_", " ");
function element(kind, name, ...inside) {
  const made = document.createElement(kind);
  made.className = name;
  made.append(...inside);
  return made;
}
function drawCauses({ known }, ended) {
  if (!known?.length) {
    at("causes-said").textContent = "Not known before the end of a run on several processes";
    return;
  }
  const all = known.reduce((sum, [, time]) => sum + time, 0);
  const share = time => `${(100 * time / all).toFixed(1)} %`;
  at("causes").replaceChildren(...known.map(([cause, time]) => {
    const part = element("span", cause);
    part.style.width = `${100 * time / all}%`;
    part.title = `${inWords(cause)}: ${share(time)}`;
    return part;
  }));
  at("causes-names").replaceChildren(...known.map(([cause, time]) => element("li", "", element("i", cause), `${inWords(cause)} ${share(time)}`)));
  at("causes").setAttribute("aria-label", known.map(([cause, time]) => `${inWords(cause)} ${share(time)}`).join(", "));
  at("causes-said").textContent = ended ? "Causes of the whole run; weir why has the critical path" : "Up to the clock of each rank; not known yet is the time of ranks that wait or have ended";
  at("causes").hidden = at("causes-names").hidden = false;
}
function show(state) {
  const [wall, , messages, sent] = state.now;
  document.title = `${state.title} – weir`;
  at("title").textContent = state.title;
  at("engine").textContent = `engine ${state.engine}` + (state.stage && !state.ended ? `; ${state.stage}` : "");
  at("simulated").textContent = state.simulated;
  at("messages").textContent = state.total ? `${whole(messages)} of ${whole(state.total)}` : whole(messages);
  at("bytes").textContent = bytes(sent);
  at("wall").textContent = time(state.wall);
  const rate = wall > 0 ? messages / wall : 0;
  at("rate").textContent = whole(rate);
  if (state.total) {
    at("done").hidden = false;
    [at("done").max, at("done").value] = [state.total, messages];
    if (rate > 0) at("left").textContent = state.ended ? "0 s" : `about ${time((state.total - messages) / rate)}`;
  }
  const moments = [...state.moments, state.now];
  drawCourse(moments);
  at("course-said").textContent = `up to ${state.simulated} after ${time(wall)}`;
  if (state.causes) drawCauses(state.causes, state.ended);
  if (state.heat) drawHeat(state.heat);
  if (state.heat?.machine) drawMachine(state.heat.machine);
  if (state.stopping) at("stop").disabled = true;
  if (state.ended) {
    at("verdict").replaceChildren(...state.ended.verdict.map(sentence => element("p", "", sentence)));
    at("verdict").hidden = false;
    at("stop").disabled = true;
    at("ended").hidden = false;
    at("ended").textContent = state.ended.outcome + (state.ended.folder ? `\nresults: ${state.ended.folder} (weir report draws them)` : "");
  }
}
at("stop").addEventListener("click", () => {
  at("stop").disabled = true;
  fetch("stop", { method: "POST" }).catch(() => at("stop").disabled = false);
});
// A request may be lost; a run is away when none of several comes through.
let lost = 0;
async function follow() {
  try {
    const state = await (await fetch(`state?${merged},${columns.length}`)).json();
    lost = 0;
    show(state);
    if (state.ended) return;
  } catch {
    lost += 1;
    if (lost < 4) return setTimeout(follow, 300);
    at("ended").hidden = false;
    at("ended").textContent = "The run cannot be reached: it has ended, or its computer is away";
    at("stop").disabled = true;
    return;
  }
  return setTimeout(follow, 500);
}
follow();
