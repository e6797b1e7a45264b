"""Where the places of a machine are drawn: grids by coordinates, fat trees by level, graphs by distance."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from weir.report.columns import numbers
from weir.report.groups import Groups

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Length of one step of a grid.
UNIT = 100
#: Longest ring that is drawn as a ring.
RING = 400


@dataclass(frozen=True)
class Layout:
    """Positions of all places, and what is needed to draw them well."""

    #: Whole numbers, [place, axis], three axes; on a plane y grows downwards, as on a screen.
    positions: Ints
    #: About how far neighbours are from each other.
    unit: int
    #: 2 or 3: how many axes matter.
    dimensions: int
    #: Whether equal coordinates of the third axis make a layer of a grid.
    layered: bool
    #: For each link, whether it goes around the machine, as half of those at the rim of a torus do.
    around: npt.NDArray[np.bool_]


def lay_out(places: pa.Table, begin: Ints, end: Ints, groups: Groups | None = None) -> Layout:
    """Finds the positions of all places of a machine with these links; groups are drawn apart."""
    coordinates = places["coordinates"].to_pylist()
    level = numbers(places["level"]).astype(np.int64)
    dimensions = max((len(one) for one in coordinates), default=0)
    if dimensions:
        return _grid(coordinates, dimensions, begin, end)
    if level.max(initial=0) > 1:
        return _levels(level, groups, _nowhere(begin))
    return _graph(places, begin, end, groups)


def _grid(coordinates: list[list[int]], dimensions: int, begin: Ints, end: Ints) -> Layout:
    """Grids: the first three coordinates, with the others as a small grid within each point."""
    known = np.array([len(one) == dimensions for one in coordinates])
    table = np.zeros((len(coordinates), max(dimensions, 3)), np.int64)
    table[known, :dimensions] = [one for one in coordinates if len(one) == dimensions]
    if dimensions == 1 and 2 < table[:, 0].max() + 1 <= RING:
        positions, unit = _ring(table[:, 0]), UNIT
        return Layout(_between(positions, known, begin, end), unit, 2, False, _nowhere(begin))
    steps = np.abs(table[begin] - table[end]).max(axis=1)
    around = known[begin] & known[end] & (steps > 1)
    inner = table[:, 3:6]
    scale = inner.max() + 2 if inner.size else 1
    positions = table[:, :3] * scale
    positions[:, : inner.shape[1]] += inner
    deep = bool(positions[:, 2].max() > 0)
    if not deep:
        positions[:, 1] *= -1
    positions = _between(positions * UNIT, known, begin, end)
    return Layout(positions, UNIT, 3 if deep else 2, deep and dimensions == 3, around)


def _nowhere(begin: Ints) -> npt.NDArray[np.bool_]:
    return np.zeros(len(begin), bool)


def _ring(number: Ints) -> Ints:
    count = int(number.max()) + 1
    angle = 2 * np.pi * number / count
    radius = UNIT * count / (2 * np.pi)
    return np.stack([radius * np.sin(angle), -radius * np.cos(angle), 0 * angle], axis=1).round().astype(np.int64)


def _between(positions: Ints, known: npt.NDArray[np.bool_], begin: Ints, end: Ints) -> Ints:
    """Places without coordinates of their own: where their only neighbour is, or in the middle of several, a little
    aside, since a crossbar in the middle of its line would hide the routers there. Those that have no neighbour with a
    position wait for the next round.
    """
    aside = np.where(np.ptp(positions, axis=0) > 0, 0.35 * UNIT, 0)
    known = known.copy()
    while not known.all():
        count = np.zeros(len(positions))
        total, squares = np.zeros(positions.shape), np.zeros(positions.shape)
        for one, other in ((begin, end), (end, begin)):
            chosen = ~known[one] & known[other]
            np.add.at(total, one[chosen], positions[other[chosen]])
            np.add.at(squares, one[chosen], positions[other[chosen]].astype(float) ** 2)
            np.add.at(count, one[chosen], 1)
        found = count > 0
        if not found.any():
            break
        each = np.maximum(count, 1)[:, None]
        spread = (squares / each - (total / each) ** 2).max(axis=1) > 0.5
        middle = total / each + np.where(spread[:, None], aside, 0)
        positions = np.where(found[:, None], middle.round().astype(np.int64), positions)
        known |= found
    return positions


def _levels(level: Ints, groups: Groups | None, around: npt.NDArray[np.bool_]) -> Layout:
    """Fat trees: nodes at the bottom, each stage above; places of a level in their order, evenly spread, but for gaps
    between groups.
    """
    counts = np.bincount(level)
    gaps = len(groups.names) - 1 if groups else 0
    inner = UNIT * int(counts.max())
    gap = max(UNIT, inner // (6 * gaps)) if gaps else 0
    width = inner + gaps * gap
    height = max(UNIT, width // (2 * max(1, len(counts) - 1)))
    positions = np.zeros((len(level), 3), np.int64)
    for number, count in enumerate(counts):
        members = np.flatnonzero(level == number)
        own = groups.of[members] if groups else np.full(count, -1)
        apart = bool(len(own)) and bool((own >= 0).all())
        step = (inner if apart else width) / max(1, count)
        positions[members, 0] = ((np.arange(count) + 0.5) * step + (own * gap if apart else 0)).round()
        positions[members, 1] = -number * height
    return Layout(positions, UNIT, 2, False, around)


def _graph(places: pa.Table, begin: Ints, end: Ints, groups: Groups | None) -> Layout:
    """Graphs: routers by their groups or else by their distances, nodes around their router."""
    node = np.array(places["kind"].to_pylist()) == "node"
    routers = np.flatnonzero(~node)
    inner = np.flatnonzero(~node[begin] & ~node[end])
    index = np.cumsum(~node) - 1
    if groups:
        flat = _in_groups(groups.of[routers], len(groups.names))
    else:
        flat = _by_distance(len(routers), index[begin[inner]], index[end[inner]])
    positions = np.zeros((len(node), 3))
    positions[routers, :2] = flat
    home = np.full(len(node), -1)
    out = node[begin] & ~node[end]
    home[begin[out]] = end[out]
    members = np.flatnonzero(node & (home >= 0))
    order = members[np.argsort(home[members], kind="stable")]
    _, first, size = np.unique(home[order], return_index=True, return_counts=True)
    turn = np.arange(len(order)) - np.repeat(first, size)
    angle = 2 * np.pi * (turn / np.repeat(size, size) + 0.125)
    away = np.stack([np.cos(angle), np.sin(angle)], axis=1) * 0.36 * UNIT
    positions[order, :2] = positions[home[order], :2] + away
    return Layout(positions.round().astype(np.int64), UNIT, 2, False, _nowhere(begin))


def _in_groups(group: Ints, count: int) -> Floats:
    """Groups on a circle, the routers of each on a circle of their own; routers of no group in the middle."""
    size = np.bincount(group[group >= 0], minlength=count)
    radius = np.maximum(0.9, 1.3 * size / (2 * np.pi)) * UNIT
    # Circles beside each other, with a gap between them.
    wide = 2 * radius + 1.6 * UNIT
    ring = max(float(wide.sum()) / (2 * np.pi), float(wide.max()) * 0.8)
    middle = 2 * np.pi * (np.cumsum(wide) - wide / 2) / wide.sum()
    turn = np.zeros(len(group))
    for number in range(count):
        members = np.flatnonzero(group == number)
        turn[members] = np.arange(len(members)) / max(1, len(members))
    at = middle[group]
    angle = 2 * np.pi * turn + at
    centre = np.stack([np.sin(at), -np.cos(at)], axis=1) * ring
    around = np.stack([np.sin(angle), -np.cos(angle)], axis=1) * radius[group][:, None]
    return np.where((group >= 0)[:, None], centre + around, 0.0)


def _by_distance(count: int, begin: Ints, end: Ints) -> Floats:
    """Two axes of all routers: distances to a few pivots, as far apart as possible, in the two directions in which they
    differ most (Brandes and Pich, "Eigensolver methods for progressive multidimensional scaling of large data", 2006).
    Small graphs are then relaxed by springs.
    """
    if count < 2:
        return np.zeros((count, 2))
    order = np.argsort(begin, kind="stable")
    target, offset = end[order], np.searchsorted(begin[order], np.arange(count + 1))
    distance: list[Floats] = []
    pivot = 0
    for _ in range(min(40, count)):
        distance.append(_distances(pivot, count, target, offset))
        pivot = int(np.min(distance, axis=0).argmax())
    squares = np.array(distance).T ** 2
    centred = squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean()
    _, _, axes = np.linalg.svd(centred.T @ centred)
    flat: Floats = centred @ axes[:2].T
    flat = flat / np.maximum(np.abs(flat).max(0), 1e-9)
    rng = np.random.default_rng(1)
    flat = flat * np.sqrt(count) / 2 + rng.normal(0, 0.05, flat.shape)
    if count <= 900:
        flat = _springs(flat, begin, end)
    flat *= UNIT * (1.6 if count <= 900 else 1.0)
    return flat


def _distances(start: int, count: int, target: Ints, offset: Ints) -> Floats:
    """Links from one router to every other; one more than the longest where there is no way."""
    found = np.full(count, -1.0)
    found[start] = 0
    front, steps = np.array([start]), 0
    while len(front):
        steps += 1
        lengths = offset[front + 1] - offset[front]
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        reached = np.unique(target[np.repeat(offset[front], lengths) + within])
        front = reached[found[reached] < 0]
        found[front] = steps
    found[found < 0] = steps
    return found


def _springs(flat: Floats, begin: Ints, end: Ints) -> Floats:
    """Neighbours attract, all repel (Fruchterman and Reingold, 1991), with steps that become shorter."""
    for step in np.linspace(0.5, 0.02, 80):
        apart = flat[:, None, :] - flat[None, :, :]
        square = (apart**2).sum(2) + 0.01
        push = (apart / square[:, :, None]).sum(1)
        pull = flat[end] - flat[begin]
        pull = pull * np.sqrt((pull**2).sum(1, keepdims=True))
        np.add.at(push, begin, pull / 2)
        np.add.at(push, end, -pull / 2)
        length = np.sqrt((push**2).sum(1, keepdims=True)) + 1e-9
        flat = flat + push / length * np.minimum(length, step)
    return flat
