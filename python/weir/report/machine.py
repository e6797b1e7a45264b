"""The drawing of the machine: what `machine.js` needs to draw places and links and to color them over time."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from weir._weir import Levels
from weir.report import classes, groups, layout, series, units
from weir.report.packing import Blobs
from weir.report.texts import Words, words
from weir.results import Results

#: Colors distinguish so many values; 0 is nothing at all.
LEVELS = 63
#: More lines than these would hide each other, and take too long: the busiest of each picture are drawn.
MOST_LINES = 20_000
#: Links whose numbers are in the page as they are in the tables; of more there are only the levels of color.
MOST_EXACT = 1 << 16
#: Values of links in all pictures that are in the page besides the levels of color.
MOST_EXACT_VALUES = 1 << 18


@dataclass(frozen=True)
class Links:
    """The links of a machine, as columns."""

    name: Sequence[str]
    begin: Sequence[int]
    end: Sequence[int]
    kind: Sequence[str]
    capacity: Sequence[float]
    wires: Sequence[float]
    #: NaN where there is no number.
    columns: dict[str, list[float]]


@dataclass(frozen=True)
class Drawing:
    """What the page has of the machine."""

    #: For `machine.js`.
    payload: dict[str, Any]
    #: Whether links around the machine are drawn as stubs.
    around: bool
    #: The series that the slider goes through.
    series: series.Series | None
    #: The class of each link.
    classes: classes.Classes


def read_links(results: Results) -> Links:
    """The table of links; numbers that an engine does not give are NaN."""
    table = results.columns("links")
    names = ["bytes", "utilization", "max_share", "packets", "busy_ps", "waited_ps", "max_queue"]
    columns = {name: [math.nan if one is None else float(one) for one in table[name]] for name in names}
    return Links(
        name=table["name"],
        begin=table["from"],
        end=table["to"],
        kind=table["kind"],
        capacity=table["capacity"],
        # A link of a node with several interfaces has a wire for each, whose busy times are added up.
        wires=table.get("wires", [1] * len(table["name"])),
        columns=columns,
    )


def so_far(links: Links, found: series.Series) -> Links:
    """The links of a run that has not ended, with what they carried in the intervals that it has left."""
    utilization = found.mean("utilization")
    time = sum(found.lengths) * 1e-12
    carried = [used * most * time for used, most in zip(utilization, links.capacity, strict=True)]
    return replace(links, columns=links.columns | {"utilization": utilization, "bytes": carried})


def draw(results: Results, links: Links, blobs: Blobs) -> Drawing:
    """Lays out the machine of a run and packs its values, those of the whole run and those of each picture in time."""
    places = results.columns("places", ["name", "kind", "level", "coordinates"])
    names, level, coordinates = places["name"], places["level"], places["coordinates"]
    node = [kind == "node" for kind in places["kind"]]
    grid = any(coordinates)
    found_groups = None if grid else groups.find(names, node, level, links.begin, links.end)
    plan = layout.lay_out(layout.Places(coordinates, level, node), links.begin, links.end, found_groups)
    positions = plan.positions
    ends = list(zip(links.begin, links.end, strict=True))
    shown_links = [link for link, (one, other) in enumerate(ends) if positions[one] != positions[other]]
    # A node at the place of its router is not drawn, and its links count for the dot of the router; so do groups.
    home = {one: other for one, other in ends if node[one] > node[other] and positions[one] == positions[other]}
    if found_groups and found_groups.whole:
        first: dict[int, int] = {}
        for place, group in enumerate(found_groups.of):
            if not node[place]:
                first.setdefault(group, place)
        home = {place: first[group] for place, group in enumerate(found_groups.of) if place != first[group]}
    shown = [place for place in range(len(node)) if place not in home]
    number = {place: at for at, place in enumerate(shown)}
    dot = [number[home.get(place, place)] for place in range(len(node))]
    wiring = classes.Wiring(links.kind, links.begin, links.end, coordinates, level, found_groups, links.capacity)

    kinds = classes.classify(wiring)
    found = series.read(results, links.capacity, links.wires, len(shown_links) + len(shown))
    begin, end = ([dot[one] for one in side] for side in (links.begin, links.end))
    levels = Levels(begin, end, shown_links, len(shown), LEVELS)
    payload: dict[str, Any] = {
        "unit": plan.unit,
        "dimensions": plan.dimensions,
        "layered": plan.layered,
        "places": len(shown),
        "links": len(shown_links),
        "most_lines": MOST_LINES,
        "positions": blobs.integers([positions[place][axis] for axis in range(3) for place in shown]),
        "nodes": blobs.small(node[place] for place in shown),
        "around": blobs.small(plan.around[link] for link in shown_links),
        "number": blobs.integers(shown_links),
        "quantities": _quantities(results, links, found, levels, blobs),
        "starts": found.starts if found else [],
        "finish": found.end if found else 0,
        "grouped": found_groups is not None,
        "whole_groups": found_groups is not None and found_groups.whole,
        "groups": [_texts(name) for name in found_groups.names] if found_groups else [],
        "group": blobs.integers([found_groups.of[place] for place in shown]) if found_groups else None,
        "levels": _levels(positions, level) if not grid and max(level, default=0) > 1 else [],
        **_register(links, names, node, dot, shown, kinds, blobs),
    }
    return Drawing(payload, any(plan.around[link] for link in shown_links), found, kinds)


def _register(
    links: Links,
    names: list[str],
    node: list[bool],
    dot: list[int],
    shown: list[int],
    kinds: classes.Classes,
    blobs: Blobs,
) -> dict[str, Any]:
    """All places and links, also those that are not drawn: what is searched, and listed when it is found."""
    derived = [f"{names[one]} -> {names[two]}" for one, two in zip(links.begin, links.end, strict=True)]
    few = len(links.name) <= MOST_EXACT
    columns = {"utilization": "utilization", "bytes": "bytes", "waited_ps": "waited", "max_queue": "queue"}
    exact = {new: links.columns[old] for old, new in columns.items() if few and not unknown(links.columns[old])}
    sizes, used = [0] * len(kinds.names), [0.0] * len(kinds.names)
    for kind, utilization in zip(kinds.of, known(links.columns["utilization"]), strict=True):
        sizes[kind] += 1
        used[kind] += utilization
    means = [one / max(1, size) for one, size in zip(used, sizes, strict=True)]
    rows = zip(kinds.names, sizes, means, strict=True)
    return {
        "names": blobs.text("\n".join(names)),
        "node_count": sum(node),
        "dot": blobs.integers(dot),
        "shown": blobs.integers(shown),
        "from": blobs.integers(links.begin),
        "to": blobs.integers(links.end),
        "link_names": None if derived == list(links.name) else blobs.text("\n".join(links.name)),
        "class": blobs.small(kinds.of),
        "classes": [{"name": _texts(name), "links": size, "mean": mean} for name, size, mean in rows],
        "columns": {name: blobs.floats(values) for name, values in exact.items()},
    }


def known(values: list[float]) -> list[float]:
    """Numbers; 0 where there is none."""
    return [0.0 if math.isnan(one) else one for one in values]


def unknown(values: list[float]) -> bool:
    """Whether there is no number."""
    return all(map(math.isnan, values))


def _levels(positions: list[layout.Position], level: list[int]) -> list[dict[str, Any]]:
    """What stands beside each level of a fat tree, and where."""
    names = [words("level_nodes"), *(words("level_stage", number=one) for one in range(1, max(level) + 1))]
    left = min(x for x, _, _ in positions)
    heights = [positions[level.index(one)][1] for one in range(len(names))]
    return [{"x": left, "y": y, "name": _texts(name)} for name, y in zip(names, heights, strict=True)]


def _texts(name: Words) -> list[str]:
    return [name.en, name.ja]


def _quantities(
    results: Results, links: Links, found: series.Series | None, levels: Levels, blobs: Blobs
) -> list[dict[str, Any]]:
    """What colors can stand for, each with a scale for the whole run and one for all pictures."""
    length = float(results.summary.get("simulated_ps") or 0)
    whole = {"utilization": known(links.columns["utilization"])}
    busy = known(links.columns["busy_ps"])
    if any(busy) and length:
        time = _measured(results, length)
        whole["busy"] = [one / (time * wires) for one, wires in zip(busy, links.wires, strict=True)]
    if found:
        # What is not counted over the whole run: buffers, and links if the run has not ended.
        whole |= {key: found.mean(key) for key in found.quantities if key == "buffers" or not results.complete}
    quantities = []
    exact = len(links.name) * len(found.starts) <= MOST_EXACT_VALUES if found else False
    for key, values in whole.items():
        sampled = found if found and key in found.quantities else None
        pictures = range(len(sampled.starts)) if sampled else []
        # A packet counts as a whole where it enters: parts of a short interval may seem to be larger than one.
        most = math.inf if key == "buffers" else 1.0
        top = min(most, sampled.largest(key)) if sampled else 0.0
        whole_top = min(most, max(values, default=0.0))
        quantities.append(
            {
                "key": key,
                "percent": key != "buffers",
                "top": top,
                "whole_top": whole_top,
                "whole": [blobs.raw(one) for one in levels.of(values, whole_top)],
                "frames": [
                    [blobs.raw(one) for one in levels.of_picture(sampled, key, picture, top)]
                    for picture in pictures
                    if sampled
                ],
                # Of all links, as 32-bit numbers; `null` if these are too many.
                "exact": [blobs.planes(sampled.packed(key, one), 4) for one in pictures if sampled] if exact else None,
                "exact_whole": blobs.floats(values) if len(values) <= MOST_EXACT else None,
            }
        )
    return quantities


def measured(results: Results, found: series.Series | None) -> float:
    """Picoseconds in which links have carried what is known of them; 0 if nothing is."""
    if not results.complete:
        return sum(found.lengths) if found else 0.0
    length = float(results.summary.get("simulated_ps") or 0)
    return _measured(results, length) if length else 0.0


def _measured(results: Results, length: float) -> float:
    """Picoseconds that counters of links cover: without the warm-up of synthetic traffic."""
    workload = results.summary.get("experiment", {}).get("workload", {})
    warmup = units.picoseconds(workload.get("warmup", "")) or 0
    return max(1.0, length - warmup)
