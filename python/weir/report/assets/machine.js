"use strict";
// The drawing of the machine on a canvas: places as dots, links as lines, colored by how much they are used.
// Positions come from layout.py, values of each picture from machine.py as levels 0 to 63 of one scale.

const LEVELS = 63;
const dark = window.matchMedia("(prefers-color-scheme: dark)");

/** A color of the palette, for this screen. */
const paint = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
/** The colors of runs, of lines of charts, and of classes of links. */
const colorOf = (place) => paint(`run-${place % 9}`);
/** The colors of the scale, from nothing to all. */
const scaleStops = () => Array.from({ length: 6 }, (_, at) => paint(`scale-${at}`));

/** The colors of all levels, from those of the scale. */
function palette(stops) {
  const parts = stops.map((stop) => [1, 3, 5].map((at) => parseInt(stop.slice(at, at + 2), 16)));
  return Array.from({ length: LEVELS + 1 }, (_, level) => {
    const place = (level / LEVELS) * (parts.length - 1);
    const low = Math.min(Math.floor(place), parts.length - 2);
    const mixed = parts[low].map((from, part) => Math.round(from + (parts[low + 1][part] - from) * (place - low)));
    return `rgb(${mixed.join(",")})`;
  });
}

class Machine {
  /** Takes the payload of machine.py with all arrays unpacked. */
  constructor(canvas, model) {
    this.canvas = canvas;
    this.model = model;
    this.links = this.dots = this.lines = null;
    this.marked = this.routes = this.ringed = [];
    this.byClass = false;
    /** Called with what is clicked, and when the view has been moved. */
    this.clicked = this.moved = null;
    this.context = canvas.getContext("2d");
    this.view = model.dimensions === 3 ? "space" : "plane";
    this.screen = [new Float32Array(model.places), new Float32Array(model.places)];
    this.order = new Int32Array(model.links);
    this.resetView();
    this.listen();
  }

  /** Shows these levels of links and of dots. */
  setLevels(links, dots) {
    this.links = links;
    this.dots = dots;
    this.most = Math.max(...[links, dots].map((levels) => levels.reduce((most, level) => Math.max(most, level), 0)));
    this.lines = this.busiest();
    this.dotOrder = byLevel(dots, new Int32Array(dots.length));
    this.redraw();
  }

  setView(view) {
    this.view = view;
    this.resetView();
    this.redraw();
  }

  /** Colors links by their class, or by how much they are used. */
  setByClass(on) {
    this.byClass = on;
    this.redraw();
  }

  /** Marks links, the links of routes over them, and dots; links as indices of drawn links. */
  mark(marked, routes, ringed = []) {
    this.marked = marked;
    this.routes = routes;
    this.ringed = ringed;
    this.redraw();
  }

  resetView() {
    this.yaw = 0.42;
    this.pitch = 0.36;
    this.zoom = 1;
    this.shift = [0, 0];
    const width = this.canvas.clientWidth || 800;
    const box = this.box();
    const wanted = (width * (box[3] - box[1] || 1)) / (box[2] - box[0] || 1);
    // So high that machine, slider and chart over time are on the screen together, unless the page says how high.
    this.size = [width, Math.max(260, Math.min(620, wanted + 60, this.model.highest ?? window.innerHeight - 440))];
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(this.size[1] * ratio);
    this.canvas.style.height = `${this.size[1]}px`;
    const room = 26;
    this.fit = Math.min((width - 2 * room) / (box[2] - box[0] || 1), (this.size[1] - 2 * room) / (box[3] - box[1] || 1));
    this.middle = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
  }

  /** Brings all places onto a plane, in their own unit; returns x and y of each. */
  flatten() {
    const { places, positions, unit } = this.model;
    const [xs, ys] = this.screen;
    if (this.view === "plane") {
      for (let i = 0; i < places; i++) (xs[i] = positions[i]), (ys[i] = positions[places + i]);
      return;
    }
    let high = [0, 0, 0];
    for (let axis = 0; axis < 3; axis++) for (let i = 0; i < places; i++) high[axis] = Math.max(high[axis], positions[axis * places + i]);
    if (this.view === "layers") {
      this.labels = [];
      // Rows of layers are far enough from each other for a label.
      const down = 1.1 * high[1] + 2.5 * unit;
      const across = Math.ceil(Math.sqrt(((high[2] / unit + 1) * (high[1] + 2 * unit) * 1.6) / (high[0] + 2 * unit)));
      for (let i = 0; i < places; i++) {
        const layer = Math.round(positions[2 * places + i] / unit);
        xs[i] = positions[i] + (layer % across) * (high[0] + 2.5 * unit);
        ys[i] = high[1] - positions[places + i] + Math.floor(layer / across) * down;
        this.labels[layer] ??= [(layer % across) * (high[0] + 2.5 * unit), Math.floor(layer / across) * down - 0.55 * unit];
      }
      return;
    }
    const [sinYaw, cosYaw, sinPitch, cosPitch] = [Math.sin(this.yaw), Math.cos(this.yaw), Math.sin(this.pitch), Math.cos(this.pitch)];
    for (let i = 0; i < places; i++) {
      const [x, y, z] = [positions[i] - high[0] / 2, positions[places + i] - high[1] / 2, positions[2 * places + i] - high[2] / 2];
      xs[i] = x * cosYaw - y * sinYaw;
      ys[i] = -(z * cosPitch + (x * sinYaw + y * cosYaw) * sinPitch);
    }
  }

  box() {
    this.flatten();
    const [xs, ys] = this.screen;
    const box = [Infinity, Infinity, -Infinity, -Infinity];
    for (let i = 0; i < xs.length; i++) {
      box[0] = Math.min(box[0], xs[i]);
      box[1] = Math.min(box[1], ys[i]);
      box[2] = Math.max(box[2], xs[i]);
      box[3] = Math.max(box[3], ys[i]);
    }
    // Stubs reach out of the grid by not quite half a step.
    const rim = this.model.around.includes(1) ? this.model.unit / 2 : 0;
    return [box[0] - rim, box[1] - rim, box[2] + rim, box[3] + rim];
  }

  /** The links to draw, quiet ones first, busy ones on top. */
  busiest() {
    const all = byLevel(this.links, this.order);
    const most = this.model.most_lines;
    if (all.length <= most) return all;
    const cut = this.links[all[all.length - most]];
    const above = all.filter((link) => this.links[link] > cut);
    if (cut === 0) return above;
    // Of equally busy links every so-and-so-many-th.
    const equal = all.filter((link) => this.links[link] === cut);
    const step = equal.length / (most - above.length);
    const some = Int32Array.from({ length: most - above.length }, (_, i) => equal[Math.floor(i * step)]);
    const lines = new Int32Array(some.length + above.length);
    lines.set(some);
    lines.set(above, some.length);
    return lines;
  }

  redraw() {
    if (this.due) return;
    this.due = requestAnimationFrame(() => {
      this.due = 0;
      if (this.links) this.draw();
    });
  }

  /** Draws onto the canvas, or onto another context of the same size, as of a picture that is saved. */
  draw(context = this.context, ratio = window.devicePixelRatio || 1) {
    const { model } = this;
    this.flatten();
    const [xs, ys] = this.screen;
    const scale = (this.scale = this.fit * this.zoom);
    const [left, top] = [this.size[0] / 2 + this.shift[0] - this.middle[0] * scale, this.size[1] / 2 + this.shift[1] - this.middle[1] * scale];
    for (let i = 0; i < xs.length; i++) (xs[i] = left + xs[i] * scale), (ys[i] = top + ys[i] * scale);
    const colors = palette(scaleStops());
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.size[0], this.size[1]);
    const step = model.unit * scale;
    const faded = this.marked.length || this.routes.length ? 0.3 : 1;
    // In space what is quiet is see-through, so that it does not hide what is busy behind it.
    const clear = (level) => (this.view === "space" && this.most ? 0.15 + 0.85 * (level / this.most) : 1);
    const names = this.outlines(context, step, top, scale);
    context.lineWidth = Math.max(0.7, Math.min(5, step * 0.07));
    context.lineCap = "butt";
    const kinds = this.byClass ? model.classes.map((_, place) => colorOf(place)) : [null];
    kinds.forEach((color, kind) => this.eachLevel(this.lines, this.links, (level, chosen) => {
      context.globalAlpha = faded * clear(level);
      context.strokeStyle = color ?? colors[level];
      context.beginPath();
      for (const link of chosen) if (!color || model.kind[link] === kind) this.trace(link, step, context);
      context.stroke();
    }));
    const least = model.places < 1000 ? 3 : 1;
    const radius = Math.max(least, Math.min(10, step * 0.2));
    const nodeRadius = Math.max(0.7, radius * 0.62);
    this.eachLevel(this.dotOrder, this.dots, (level, chosen) => {
      context.globalAlpha = faded * clear(level);
      context.fillStyle = colors[level];
      context.beginPath();
      for (const place of chosen) {
        const [x, y, r] = [xs[place], ys[place], model.nodes[place] ? nodeRadius : radius];
        if (x < -r || y < -r || x > this.size[0] + r || y > this.size[1] + r) continue;
        if (r < 2.5) context.rect(x - r, y - r, 2 * r, 2 * r);
        else context.moveTo(x + r, y), context.arc(x, y, r, 0, 2 * Math.PI);
      }
      context.fill();
    });
    context.globalAlpha = 1;
    const style = getComputedStyle(document.documentElement);
    if (this.view === "layers") this.labels.forEach(([x, y], layer) => names.push([`z = ${layer}`, left + x * scale, top + y * scale - 2]));
    // Names stand over lines, on paper.
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = style.getPropertyValue("--quiet");
    context.strokeStyle = style.getPropertyValue("--paper");
    context.lineWidth = 3;
    for (const [words, x, y] of names) context.strokeText(words, x, y), context.fillText(words, x, y);
    context.strokeStyle = style.getPropertyValue("--accent");
    const highlight = (links, width) => {
      context.lineWidth = width;
      context.beginPath();
      for (const link of links) this.trace(link, step, context);
      context.stroke();
    };
    highlight(this.routes, 1.6);
    highlight(this.marked, 5);
    context.lineWidth = 2.5;
    context.beginPath();
    for (const place of this.ringed) context.moveTo(xs[place] + radius + 5, ys[place]), context.arc(xs[place], ys[place], radius + 5, 0, 2 * Math.PI);
    context.stroke();
  }

  /** Outlines of groups. Returns their names and those of levels, each with its place. */
  outlines(context, step, top, scale) {
    const { groups, group, levels } = this.model;
    const style = getComputedStyle(document.documentElement);
    const language = document.documentElement.dataset.language === "ja" ? 1 : 0;
    const [xs, ys] = this.screen;
    context.strokeStyle = style.getPropertyValue("--line");
    context.lineWidth = 1;
    const names = this.view === "plane" ? levels.map((level) => [level.name[language], 4, top + level.y * scale + 4]) : [];
    if (!groups.length) return names;
    const boxes = groups.map(() => [Infinity, Infinity, -Infinity, -Infinity]);
    for (let i = 0; i < xs.length; i++) {
      const box = boxes[group[i]];
      if (!box) continue;
      box[0] = Math.min(box[0], xs[i]), box[1] = Math.min(box[1], ys[i]);
      box[2] = Math.max(box[2], xs[i]), box[3] = Math.max(box[3], ys[i]);
    }
    const room = step * 0.3;
    boxes.forEach(([x0, y0, x1, y1], number) => {
      if (x0 > x1) return;
      context.beginPath();
      context.rect(x0 - room, y0 - room, x1 - x0 + 2 * room, y1 - y0 + 2 * room);
      context.stroke();
      const name = groups[number][language];
      // Names only where they have room.
      if (x1 - x0 + 2 * room > 6 * name.length) names.push([name, x0 - room + 2, y0 - room - 3]);
    });
    return names;
  }

  /** Calls with each level and its members, in the order given, which is by level. */
  eachLevel(order, levels, act) {
    for (let first = 0; first < order.length; ) {
      const level = levels[order[first]];
      let last = first;
      while (last < order.length && levels[order[last]] === level) last++;
      act(level, order.subarray(first, last));
      first = last;
    }
  }

  /** Adds a link to the path: on the right of its direction, or as two stubs where it goes around the machine. */
  trace(link, step, context) {
    const { begin, end, around } = this.model;
    const [xs, ys] = this.screen;
    const [from, to] = [begin[link], end[link]];
    let [dx, dy] = [xs[to] - xs[from], ys[to] - ys[from]];
    if (this.view === "layers" && Math.abs(this.depth(from) - this.depth(to)) > 0) return;
    const length = Math.hypot(dx, dy) || 1;
    const aside = Math.max(0.6, Math.min(4, step * 0.06));
    const [ox, oy] = [(-dy / length) * aside, (dx / length) * aside];
    if (around[link]) {
      const reach = (0.45 * step) / length;
      (dx *= -reach), (dy *= -reach);
      context.moveTo(xs[from] - ox, ys[from] - oy), context.lineTo(xs[from] + dx - ox, ys[from] + dy - oy);
      context.moveTo(xs[to] - dx - ox, ys[to] - dy - oy), context.lineTo(xs[to] - ox, ys[to] - oy);
    } else {
      context.moveTo(xs[from] + ox, ys[from] + oy), context.lineTo(xs[to] + ox, ys[to] + oy);
    }
  }

  depth(place) {
    return this.model.positions[2 * this.model.places + place];
  }

  /** The dot or link at a point of the canvas, as `{ dot }` or `{ link }` of those drawn; `null` where there is none. */
  pick(x, y) {
    const { places, begin, end, around } = this.model;
    const [xs, ys] = this.screen;
    let [best, found] = [9, -1];
    for (let i = 0; i < places; i++) {
      const away = Math.hypot(xs[i] - x, ys[i] - y);
      if (away < best) [best, found] = [away, i];
    }
    if (found >= 0) return { dot: found };
    best = 5;
    for (const link of this.lines) {
      if (around[link]) continue;
      const [ax, ay] = [xs[begin[link]], ys[begin[link]]];
      const [dx, dy] = [xs[end[link]] - ax, ys[end[link]] - ay];
      const part = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
      // On the right of the link only: the left is that of the way back.
      const side = dx * (y - ay) - dy * (x - ax);
      const away = Math.hypot(ax + part * dx - x, ay + part * dy - y);
      if (side >= 0 && away < best) [best, found] = [away, link];
    }
    return found < 0 ? null : { link: found };
  }

  /** What a dot or link is called. */
  nameOf({ dot, link }) {
    const { names, begin, end, shown, whole_groups, groups, group } = this.model;
    const language = document.documentElement.dataset.language === "ja" ? 1 : 0;
    const name = (one) => (whole_groups ? groups[group[one]][language] : names[shown[one]]);
    return dot === undefined ? `${name(begin[link])} → ${name(end[link])}` : name(dot);
  }

  /** Where a dot or the middle of a link is on the canvas. */
  placeOf({ dot, link }) {
    const [xs, ys] = this.screen;
    if (dot !== undefined) return [xs[dot], ys[dot]];
    const [from, to] = [this.model.begin[link], this.model.end[link]];
    return [(xs[from] + xs[to]) / 2, (ys[from] + ys[to]) / 2];
  }

  /** Takes the view of another machine: the same turn, the same part of the canvas. */
  follow(other) {
    if (other.view !== this.view) return;
    const shift = other.shift.map((by, axis) => (by * this.size[axis]) / other.size[axis]);
    this.yaw = other.yaw;
    this.pitch = other.pitch;
    this.zoom = other.zoom;
    this.shift = shift;
    this.redraw();
  }

  /** Dragging turns or moves, the wheel zooms, so do the keys. */
  listen() {
    const { canvas } = this;
    let [held, begin] = [null, null];
    canvas.addEventListener("pointerdown", (event) => {
      held = begin = [event.clientX, event.clientY];
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", (event) => {
      // Held still it is a click, a hand that shakes a little included.
      const bounds = canvas.getBoundingClientRect();
      const still = held && Math.hypot(event.clientX - begin[0], event.clientY - begin[1]) < 4;
      if (still && this.clicked) this.clicked(this.pick(event.clientX - bounds.left, event.clientY - bounds.top));
      held = null;
    });
    canvas.addEventListener("pointercancel", () => (held = null));
    canvas.addEventListener("pointermove", (event) => {
      if (!held) return;
      this.move(event.clientX - held[0], event.clientY - held[1], event.shiftKey);
      held = [event.clientX, event.clientY];
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const bounds = canvas.getBoundingClientRect();
      this.magnify(Math.exp(-event.deltaY * 0.0015), event.clientX - bounds.left, event.clientY - bounds.top);
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const moves = { ArrowLeft: [30, 0], ArrowRight: [-30, 0], ArrowUp: [0, 30], ArrowDown: [0, -30] };
      if (moves[event.key]) this.move(...moves[event.key], event.shiftKey), event.preventDefault();
      else if (event.key === "+" || event.key === "-") this.magnify(event.key === "+" ? 1.25 : 0.8, this.size[0] / 2, this.size[1] / 2);
    });
    window.addEventListener("resize", () => (this.resetView(), this.redraw()));
    dark.addEventListener("change", () => this.redraw());
  }

  move(dx, dy, shifting) {
    if (this.view === "space" && !shifting) {
      this.yaw -= dx * 0.006;
      this.pitch = Math.max(-1.57, Math.min(1.57, this.pitch + dy * 0.006));
    } else {
      this.shift = [this.shift[0] + dx, this.shift[1] + dy];
    }
    this.moved?.();
    this.redraw();
  }

  magnify(factor, x, y) {
    const zoom = Math.max(0.3, Math.min(200, this.zoom * factor));
    const grown = zoom / this.zoom;
    const center = [this.size[0] / 2, this.size[1] / 2];
    this.shift = [x, y].map((at, axis) => at - center[axis] - (at - center[axis] - this.shift[axis]) * grown);
    this.zoom = zoom;
    this.moved?.();
    this.redraw();
  }
}

/** Levels of one scale as those of another one; what is above 0 stays so. */
function rescaled(levels, top, other) {
  const table = Uint8Array.from({ length: LEVELS + 1 }, (_, level) => (level ? Math.max(1, Math.round((level * top) / (other || 1))) : 0));
  return levels.map((level) => table[level]);
}

/** Where the scale of colors ends: at all, unless it is that of the values shown, the largest of which is given. */
function endOfScale(quantity, largest) {
  return quantity?.percent && /** @type {HTMLSelectElement} */ (document.getElementById("range")).value === "whole" ? 1 : largest;
}

/** Indices sorted by level, into the given array. */
function byLevel(levels, into) {
  const next = new Int32Array(LEVELS + 2);
  for (const level of levels) next[level + 1]++;
  for (let level = 0; level <= LEVELS; level++) next[level + 1] += next[level];
  for (let i = 0; i < levels.length; i++) into[next[levels[i]]++] = i;
  return into;
}
