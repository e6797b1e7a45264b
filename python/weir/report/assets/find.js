// Search, routes, and the switch between colors by use and by class.

/** The number of a place or link that a text names: what it is, where it is drawn, its links. `null` if there is none. */
function look(model, register, wanted) {
  const { names, from, to, nameOf } = register;
  const said = wanted.trim().toLowerCase();
  if (!said) return null;
  const ofPlaces = (places) => ({ places, links: Array.from(from.keys()).filter((link) => places.includes(from[link]) || places.includes(to[link])) });
  const rank = said.match(/^(?:rank|ランク)\s*(\d+)$/);
  if (rank) {
    const node = register.ranks ? register.ranks[Number(rank[1])] : undefined;
    return node === undefined ? null : { title: `rank ${rank[1]}: ${names[node]}`, ...ofPlaces([node]) };
  }
  const link = said.match(/^(?:link|リンク)\s*(\d+)$/);
  if (link) return Number(link[1]) < from.length ? ofLink(Number(link[1])) : null;
  function ofLink(number) {
    return { title: nameOf(number), places: [from[number], to[number]], links: [number] };
  }
  const numbered = said.match(/^(?:(node|router|ノード|ルータ)\s*)?(\d+)$/);
  const place = [said, `node ${said}`, `router ${said}`].map((name) => names.findIndex((one) => one.toLowerCase() === name)).find((one) => one >= 0) ?? byNumber();
  /** A node or router by its number, as in a graph, where vertices have names of their own. */
  function byNumber() {
    const router = numbered && /^r|^ル/.test(numbered[1] ?? "");
    const place = numbered ? Number(numbered[2]) + (router ? model.node_count : 0) : -1;
    return place >= 0 && place < (router ? names.length : model.node_count) ? place : undefined;
  }
  if (place !== undefined) return { title: names[place], ...ofPlaces([place]) };
  const named = said.includes("->") ? from.findIndex((_, number) => nameOf(number).toLowerCase() === said) : -1;
  return named < 0 ? null : ofLink(named);
}

/** The route from one node to another, as `look` finds things; nodes are the first places. */
async function routed(model, register, first, last) {
  register.routes ??= Promise.all([model.route_lengths, model.route_links].map(integers));
  const [lengths, links] = await register.routes;
  const at = first * model.node_count + last;
  const begin = lengths.subarray(0, at).reduce((sum, length) => sum + length, 0);
  const title = `${register.names[first]} → ${register.names[last]}`;
  return { title, places: [first, last], links: Array.from(links.subarray(begin, begin + lengths[at])) };
}

function listenToSearch(model, machine, register) {
  const { dot, from, to, names, kinds, nameOf, drawn, number } = register;
  let shown = null;
  const show = async (found) => {
    shown = found;
    const section = $("found");
    section.hidden = !found;
    for (const row of document.querySelectorAll("tr.link")) row.classList.toggle("hit", Boolean(found) && found.links.includes(Number(row.dataset.link)));
    if (!found) return machine.mark([], []);
    machine.mark(drawn(found.links), [], [...new Set(found.places.map((place) => dot[place]))]);
    const columns = Object.fromEntries(await Promise.all(Object.entries(model.columns).map(async ([name, blob]) => [name, await floats(blob, 8)])));
    if (found !== shown) return;
    $("found-title").textContent = found.title;
    const body = section.querySelector("tbody");
    body.replaceChildren();
    const cell = (row, words, number) => Object.assign(row.insertCell(), { textContent: words, className: number ? "n" : "" });
    for (const link of found.links.slice(0, 64)) {
      const row = body.insertRow();
      cell(row, nameOf(link));
      cell(row, model.classes[kinds[link]].name[root.dataset.language === "ja" ? 1 : 0]);
      cell(row, columns.utilization ? `${Number((100 * columns.utilization[link]).toPrecision(4))} %` : "", true);
      cell(row, columns.bytes ? inBytes(columns.bytes[link]) : "", true);
    }
  };
  /** Shows what was asked for, or that there is no such thing. */
  const answer = (found, asked = true) => {
    $("nothing").hidden = Boolean(found) || !asked;
    return show(found);
  };
  $("search").addEventListener("submit", (event) => {
    event.preventDefault();
    answer(look(model, register, $("wanted").value), Boolean($("wanted").value.trim()));
  });
  $("wanted").addEventListener("search", () => $("wanted").value || answer(null, false));
  $("route")?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [first, last] = ["route-from", "route-to"].map((id) => look(model, register, $(id).value)?.places[0]);
    const known = [first, last].every((place) => place !== undefined && place < model.node_count);
    answer(known ? await routed(model, register, first, last) : null);
  });
  // A click shows the links of a dot or line; a click on another node after that of a node, the route between them.
  let first = -1;
  machine.clicked = async (found) => {
    if (!found || found.link !== undefined) {
      first = -1;
      if ($("route")) $("route-from").value = $("route-to").value = "";
      const link = found && number[found.link];
      return answer(found && { title: nameOf(link), places: [from[link], to[link]], links: [link] }, false);
    }
    const places = Array.from(dot.keys()).filter((place) => dot[place] === found.dot);
    const node = places.find((place) => place < model.node_count) ?? -1;
    if ($("route") && first >= 0 && node >= 0 && node !== first) {
      const route = await routed(model, register, first, node);
      $("route-to").value = names[node];
      return (first = -1), answer(route);
    }
    if ($("route")) [$("route-from").value, $("route-to").value] = [names[node] ?? "", ""];
    first = node;
    const links = Array.from(from.keys()).filter((link) => places.includes(from[link]) || places.includes(to[link]));
    return answer({ title: machine.nameOf(found), places, links });
  };
  addEventListener("language", () => shown && show(shown));
}

/** An amount of data; 1 kB is 1000 B. */
function inBytes(count) {
  /** @type {[number, string][]} */
  const units = [[1e15, "PB"], [1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]];
  const [scale, unit] = units.find(([scale]) => count >= scale) || [1, "B"];
  return `${Number((count / scale).toPrecision(4))} ${unit}`;
}

function listenToClasses(model, machine) {
  const legend = $("classes");
  const fill = () => legend.replaceChildren(...model.classes.map((one, place) => {
    const item = document.createElement("span");
    const swatch = document.createElement("i");
    swatch.style.background = colorOf(place);
    item.append(swatch, `${one.name[root.dataset.language === "ja" ? 1 : 0]} (${one.links}, ${Number((100 * one.mean).toPrecision(3))} %)`);
    return item;
  }));
  $("quantity").addEventListener("change", (event) => {
    const on = event.target.value === "class";
    machine.setByClass(on);
    fill();
    legend.hidden = !on;
    document.querySelector(".scale").hidden = on;
  });
  addEventListener("language", () => (fill(), machine.redraw()));
  dark.addEventListener("change", fill);
}
