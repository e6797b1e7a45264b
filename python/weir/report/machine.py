"""The drawing of the machine: what `machine.js` needs to draw places and links and to colour them over time."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from weir.report import classes, groups, layout, series, units
from weir.report.columns import floats, numbers
from weir.report.packing import Blobs
from weir.report.texts import Words, words
from weir.results import Results

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Colours distinguish so many values; 0 is nothing at all.
LEVELS = 63
#: More lines than these would hide each other, and take too long: the busiest of each picture are drawn.
MOST_LINES = 20_000
#: Links whose numbers are in the page as they are in the tables; of more there are only the levels of colour.
MOST_EXACT = 1 << 16
#: Values of links in all pictures that are in the page besides the levels of colour.
MOST_EXACT_VALUES = 1 << 18


@dataclass(frozen=True)
class Links:
    """The links of a machine, as columns."""

    name: list[str]
    begin: Ints
    end: Ints
    kind: list[str]
    capacity: Floats
    wires: Floats
    columns: dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Drawing:
    """What the page has of the machine."""

    #: For `machine.js`.
    payload: dict[str, Any]
    #: Whether links around the machine are drawn as stubs.
    around: bool
    #: The series that the slider goes through.
    series: series.Series | None


def read_links(results: Results) -> Links:
    """The table of links; numbers that an engine does not give are NaN."""
    table = results.table("links")
    names = ["bytes", "utilization", "max_share", "packets", "busy_ps", "waited_ps", "max_queue"]
    columns = {name: floats(table[name]) for name in names}
    # A link of a node with several interfaces has a wire for each, whose busy times are added up.
    wires = floats(table["wires"]) if "wires" in table.column_names else np.ones(table.num_rows)
    return Links(
        name=table["name"].to_pylist(),
        begin=numbers(table["from"]).astype(np.int64),
        end=numbers(table["to"]).astype(np.int64),
        kind=table["kind"].to_pylist(),
        capacity=floats(table["capacity"]),
        wires=wires,
        columns=columns,
    )


def so_far(links: Links, found: series.Series) -> Links:
    """The links of a run that has not come to its end, with what they carried in the intervals that it has left."""
    utilization = found.mean("utilization")
    carried = utilization * links.capacity * found.lengths.sum() * 1e-12
    return replace(links, columns=links.columns | {"utilization": utilization, "bytes": carried})


def draw(results: Results, links: Links, blobs: Blobs) -> Drawing:
    """Lays out the machine of a run and packs its values, those of the whole run and those of each picture in time."""
    places = results.table("places")
    names = places["name"].to_pylist()
    node = np.array(places["kind"].to_pylist()) == "node"
    level = numbers(places["level"]).astype(np.int64)
    coordinates = places["coordinates"].to_pylist()
    grid = any(coordinates)
    found_groups = None if grid else groups.find(names, node, level, links.begin, links.end)
    plan = layout.lay_out(places, links.begin, links.end, found_groups)
    positions = plan.positions
    shown_links = np.flatnonzero((positions[links.begin] != positions[links.end]).any(axis=1))
    # A node at the place of its router is not drawn; its links count for the dot of the router.
    home = np.arange(len(node))
    beside = (positions[links.begin] == positions[links.end]).all(axis=1) & node[links.begin]
    hidden = np.zeros(len(node), bool)
    hidden[links.begin[beside]] = True
    home[links.begin[beside]] = links.end[beside]
    shown = np.flatnonzero(~hidden)
    dot = (np.cumsum(~hidden) - 1)[home]
    wiring = classes.Wiring(links.kind, links.begin, links.end, coordinates, level, found_groups, links.capacity)

    found = series.read(results, links.capacity, links.wires, len(shown_links) + len(shown))
    packed = _Packed(blobs, dot[links.begin], dot[links.end], shown_links, len(shown))
    payload: dict[str, Any] = {
        "unit": plan.unit,
        "dimensions": plan.dimensions,
        "layered": plan.layered,
        "places": len(shown),
        "links": len(shown_links),
        "most_lines": MOST_LINES,
        "positions": blobs.integers(positions[shown].T.ravel()),
        "nodes": blobs.small(node[shown].astype(np.uint8)),
        "around": blobs.small(plan.around[shown_links].astype(np.uint8)),
        "number": blobs.integers(shown_links),
        "quantities": _quantities(results, links, found, packed),
        "starts": found.starts.tolist() if found else [],
        "finish": found.end if found else 0,
        "grouped": found_groups is not None,
        "groups": [_texts(name) for name in found_groups.names] if found_groups else [],
        "group": blobs.integers(found_groups.of[shown]) if found_groups else None,
        "levels": _levels(positions, level) if not grid and level.max(initial=0) > 1 else [],
        **_register(links, names, node, dot, shown, classes.classify(wiring), blobs),
    }
    return Drawing(payload, bool(plan.around[shown_links].any()), found)


def _register(
    links: Links,
    names: list[str],
    node: npt.NDArray[np.bool_],
    dot: Ints,
    shown: Ints,
    kinds: classes.Classes,
    blobs: Blobs,
) -> dict[str, Any]:
    """All places and links, also those that are not drawn: what is searched, and listed when it is found."""
    derived = [f"{names[one]} -> {names[two]}" for one, two in zip(links.begin, links.end, strict=True)]
    few = len(links.name) <= MOST_EXACT
    columns = {"utilization": "utilization", "bytes": "bytes", "waited_ps": "waited", "max_queue": "queue"}
    exact = {new: links.columns[old] for old, new in columns.items() if few and not np.isnan(links.columns[old]).all()}
    used = np.nan_to_num(links.columns["utilization"])
    sizes = np.bincount(kinds.of, minlength=len(kinds.names))
    means = np.bincount(kinds.of, used, len(kinds.names)) / np.maximum(1, sizes)
    rows = zip(kinds.names, sizes.tolist(), means.tolist(), strict=True)
    return {
        "names": blobs.text("\n".join(names)),
        "node_count": int(node.sum()),
        "dot": blobs.integers(dot),
        "shown": blobs.integers(shown),
        "from": blobs.integers(links.begin),
        "to": blobs.integers(links.end),
        "link_names": None if derived == links.name else blobs.text("\n".join(links.name)),
        "class": blobs.small(kinds.of.astype(np.uint8)),
        "classes": [{"name": _texts(name), "links": size, "mean": mean} for name, size, mean in rows],
        "columns": {name: blobs.floats(values) for name, values in exact.items()},
    }


def _levels(positions: Ints, level: Ints) -> list[dict[str, Any]]:
    """What stands beside each level of a fat tree, and where."""
    names = [words("level_nodes"), *(words("level_stage", number=one) for one in range(1, int(level.max()) + 1))]
    left = int(positions[:, 0].min())
    heights = [int(positions[level == one, 1][0]) for one in range(len(names))]
    return [{"x": left, "y": y, "name": _texts(name)} for name, y in zip(names, heights, strict=True)]


def _texts(name: Words) -> list[str]:
    return [name.en, name.ja]


@dataclass(frozen=True)
class _Packed:
    """Packs values of links as levels of colour: of those that are drawn, and of each dot the largest at it."""

    blobs: Blobs
    begin: Ints
    end: Ints
    drawn: Ints
    dots: int

    def pack(self, values: Floats, top: float) -> list[int]:
        share = np.clip(values / top, 0, 1) if top > 0 else np.zeros(len(values))
        level = np.where(values > 0, np.maximum(1, np.round(share * LEVELS)), 0).astype(np.uint8)
        dots = np.zeros(self.dots, np.uint8)
        np.maximum.at(dots, self.begin, level)
        np.maximum.at(dots, self.end, level)
        return [self.blobs.small(level[self.drawn]), self.blobs.small(dots)]


def _quantities(results: Results, links: Links, found: series.Series | None, packed: _Packed) -> list[dict[str, Any]]:
    """What colours can stand for, each with a scale for the whole run and one for all pictures."""
    length = float(results.summary.get("simulated_ps") or 0)
    whole = {"utilization": np.nan_to_num(links.columns["utilization"])}
    busy = np.nan_to_num(links.columns["busy_ps"])
    if busy.any() and length:
        whole["busy"] = busy / (_measured(results, length) * links.wires)
    if found:
        # What is not counted over the whole run: buffers, and links if the run has not come to its end.
        whole |= {key: found.mean(key) for key in found.values if key == "buffers" or not results.complete}
    quantities = []
    exact = len(links.name) * len(found.starts) <= MOST_EXACT_VALUES if found else False
    for key, values in whole.items():
        frames = found.values.get(key) if found else None
        pictures = list(frames) if frames is not None else []
        # A packet counts as a whole where it enters: parts of a short interval may seem to be larger than one.
        most = np.inf if key == "buffers" else 1.0
        top = min(most, max((float(one.max(initial=0)) for one in pictures), default=0.0))
        whole_top = min(most, float(values.max(initial=0)))
        quantities.append(
            {
                "key": key,
                "percent": key != "buffers",
                "top": top,
                "whole_top": whole_top,
                "whole": packed.pack(values, whole_top),
                "frames": [packed.pack(one, top) for one in pictures],
                # Of all links, as 32-bit numbers; `null` if these are too many.
                "exact": [packed.blobs.floats(one.astype("<f4")) for one in pictures] if exact else None,
                "exact_whole": packed.blobs.floats(values) if len(values) <= MOST_EXACT else None,
            }
        )
    return quantities


def measured(results: Results, found: series.Series | None) -> float:
    """Picoseconds in which links have carried what is known of them; 0 if nothing is."""
    if not results.complete:
        return float(found.lengths.sum()) if found else 0.0
    length = float(results.summary.get("simulated_ps") or 0)
    return _measured(results, length) if length else 0.0


def _measured(results: Results, length: float) -> float:
    """Picoseconds that counters of links cover: without the warm-up of synthetic traffic."""
    workload = results.summary.get("experiment", {}).get("workload", {})
    warmup = units.picoseconds(workload.get("warmup", "")) or 0
    return max(1.0, length - warmup)
