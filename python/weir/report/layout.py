"""Where the places of a machine are drawn: grids by coordinates, fat trees by level, dragonflies by group, graphs by
distance.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from weir import _weir
from weir.report.groups import Groups

#: Length of one step of a grid.
UNIT = 100
#: Longest ring that is drawn as a ring.
RING = 400

#: Three axes, in whole numbers; on a plane y grows downwards, as on a screen.
Position = tuple[int, int, int]
Point = tuple[float, float]


@dataclass(frozen=True)
class Places:
    """What is known of the places of a machine: columns of their table."""

    #: Empty where a place has none.
    coordinates: Sequence[Sequence[int]]
    level: Sequence[int]
    #: Whether it is a node.
    node: Sequence[bool]


@dataclass(frozen=True)
class Layout:
    """Positions of all places, and what is needed to draw them well."""

    positions: list[Position]
    #: About how far neighbors are from each other.
    unit: int
    #: 2 or 3: how many axes matter.
    dimensions: int
    #: Whether equal coordinates of the third axis make a layer of a grid.
    layered: bool
    #: For each link, whether it goes around the machine, as half of those at the rim of a torus do.
    around: list[bool]


def lay_out(places: Places, begin: Sequence[int], end: Sequence[int], groups: Groups | None = None) -> Layout:
    """Finds the positions of all places of a machine with these links; groups are drawn apart."""
    links = list(zip(begin, end, strict=True))
    dimensions = max((len(one) for one in places.coordinates), default=0)
    if dimensions:
        return _grid(places.coordinates, dimensions, links)
    if max(places.level, default=0) > 1:
        return Layout(_levels(places.level, groups), UNIT, 2, False, [False] * len(links))
    return Layout(_graph(places.node, links, groups), UNIT, 2, False, [False] * len(links))


def _grid(coordinates: Sequence[Sequence[int]], dimensions: int, links: list[tuple[int, int]]) -> Layout:
    """Grids: the first three coordinates, with the others as a small grid within each point."""
    known = [len(one) == dimensions for one in coordinates]
    nowhere = [0] * max(dimensions, 3)
    table = [
        [*one, 0, 0][: max(dimensions, 3)] if there else nowhere for one, there in zip(coordinates, known, strict=True)
    ]
    count = max(point[0] for point in table) + 1
    if dimensions == 1 and 2 < count <= RING:
        ring = [_on_ring(point[0], count) for point in table]
        return Layout(_between(ring, known, links), UNIT, 2, False, [False] * len(links))
    lined = _joins_lines(table, known, links)
    around = [
        not lined
        and known[one]
        and known[other]
        and any(abs(a - b) > 1 for a, b in zip(table[one], table[other], strict=True))
        for one, other in links
    ]
    scale = max(max(point[3:6]) for point in table) + 2 if dimensions > 3 else 1
    deep = any(point[2] * scale + sum(point[5:6]) > 0 for point in table)
    down = 1 if deep else -1
    positions = []
    for point in table:
        x, y, z = (
            UNIT * (first * scale + sum(inner))
            for first, inner in zip(point[:3], (point[3:4], point[4:5], point[5:6]), strict=True)
        )
        positions.append((x, down * y, z))
    if lined:
        positions = _bent(positions)
    flat = _between(positions, known, links)
    return Layout(flat, UNIT, 3 if deep else 2, deep and dimensions == 3, around)


def _joins_lines(table: list[list[int]], known: list[bool], links: list[tuple[int, int]]) -> bool:
    """Whether links lead further along a line than to its next place or around it, as they do in a HyperX."""
    sizes = [max(axis) + 1 for axis in zip(*table, strict=True)]
    inner = ((table[one], table[other]) for one, other in links if known[one] and known[other])
    return any(1 < abs(a - b) < size - 1 for one, other in inner for a, b, size in zip(one, other, sizes, strict=True))


def _bent(positions: list[Position]) -> list[Position]:
    """A grid whose lines are arcs, all alike: on straight ones short links would hide those between distant places."""
    rows = list(zip(*positions, strict=True))
    middles = [(max(axis) + min(axis)) / 2 for axis in rows]
    halves = [max(UNIT, (max(axis) - min(axis)) / 2) for axis in rows]

    def off(point: Position, axes: tuple[int, int]) -> float:
        parts = (((point[axis] - middles[axis]) / halves[axis]) ** 2 * min(halves[axis], 3 * UNIT) for axis in axes)
        return 0.22 * sum(parts)

    return [(round(one[0] + off(one, (1, 2))), round(one[1] + off(one, (0, 2))), one[2]) for one in positions]


def _on_ring(number: int, count: int) -> Position:
    angle = 2 * math.pi * number / count
    radius = UNIT * count / (2 * math.pi)
    return round(radius * math.sin(angle)), round(-radius * math.cos(angle)), 0


def _between(positions: list[Position], known: list[bool], links: list[tuple[int, int]]) -> list[Position]:
    """Places without coordinates of their own: where their only neighbor is, or in the middle of several, a little
    aside, since a crossbar in the middle of its line would hide the routers there. Those that have no neighbor with a
    position wait for the next round.
    """
    positions, known = positions.copy(), known.copy()
    aside = [0.35 * UNIT if max(axis) > min(axis) else 0.0 for axis in zip(*positions, strict=True)]
    while not all(known):
        near: dict[int, list[Position]] = {}
        for one, other in links:
            for place, neighbor in ((one, other), (other, one)):
                if not known[place] and known[neighbor]:
                    near.setdefault(place, []).append(positions[neighbor])
        if not near:
            break
        for place, points in near.items():
            positions[place] = _middle(points, aside)
            known[place] = True
    return positions


def _middle(points: list[Position], aside: list[float]) -> Position:
    axes = list(zip(*points, strict=True))
    middle = [sum(axis) / len(points) for axis in axes]
    squares = [sum(value**2 for value in axis) / len(points) for axis in axes]
    if max(square - mean**2 for square, mean in zip(squares, middle, strict=True)) > 0.5:
        middle = [mean + more for mean, more in zip(middle, aside, strict=True)]
    x, y, z = map(round, middle)
    return x, y, z


def _levels(level: Sequence[int], groups: Groups | None) -> list[Position]:
    """Fat trees: nodes at the bottom, each stage above; places of a level in their order, evenly spread, but for gaps
    between groups.
    """
    members: list[list[int]] = [[] for _ in range(max(level) + 1)]
    for place, own in enumerate(level):
        members[own].append(place)
    gaps = len(groups.names) - 1 if groups else 0
    inner = UNIT * max(map(len, members))
    gap = max(UNIT, inner // (6 * gaps)) if gaps else 0
    width = inner + gaps * gap
    height = max(UNIT, width // (2 * max(1, len(members) - 1)))
    positions: list[Position] = [(0, 0, 0)] * len(level)
    for number, of_level in enumerate(members):
        apart = groups is not None and bool(of_level) and all(groups.of[place] >= 0 for place in of_level)
        step = (inner if apart else width) / max(1, len(of_level))
        for at, place in enumerate(of_level):
            beyond = groups.of[place] * gap if groups and apart else 0
            positions[place] = round((at + 0.5) * step + beyond), -number * height, 0
    return positions


def _graph(node: Sequence[bool], links: list[tuple[int, int]], groups: Groups | None) -> list[Position]:
    """Graphs: routers by their groups or else by their distances, nodes around their router."""
    routers = [place for place, of_node in enumerate(node) if not of_node]
    home = {one: other for one, other in links if node[one] and not node[other]}
    if groups and groups.whole:
        centers = _in_groups(list(range(len(groups.names))), [0.0] * len(groups.names), len(groups.names))
        return [(round(centers[one][0]), round(centers[one][1]), 0) for one in groups.of]
    if groups:
        # Routers with nodes are outside, spines inside.
        with_nodes = set(home.values())
        of = [groups.of[router] for router in routers]
        outer = Counter(one for router, one in zip(routers, of, strict=True) if router in with_nodes)
        turned = [-(outer[number] - 1) / 2 for number in range(len(groups.names))]
        flat = _in_groups(of, turned, len(groups.names))
    else:
        number = {router: at for at, router in enumerate(routers)}
        inner = [(number[one], number[other]) for one, other in links if not node[one] and not node[other]]
        spread = _weir.spread(len(routers), [one for one, _ in inner], [other for _, other in inner])
        flat = [(UNIT * x, UNIT * y) for x, y in spread]
    points: list[Point] = [(0.0, 0.0)] * len(node)
    for router, point in zip(routers, flat, strict=True):
        points[router] = point
    sizes, seen = Counter(home.values()), Counter[int]()
    for place in sorted(home):
        router = home[place]
        angle = 2 * math.pi * (seen[router] / sizes[router] + 0.125)
        seen[router] += 1
        x, y = points[router]
        points[place] = x + 0.36 * UNIT * math.cos(angle), y + 0.36 * UNIT * math.sin(angle)
    return [(round(x), round(y), 0) for x, y in points]


def _in_groups(group: list[int], turned: list[float], count: int) -> list[Point]:
    """Groups on a circle, the routers of each on a circle of their own, of which the first is so many places before the
    outermost; routers of no group in the middle.
    """
    size = Counter(group)
    radius = [UNIT * max(0.9, 1.3 * size[number] / (2 * math.pi)) for number in range(count)]
    # Circles beside each other, with a gap between them.
    wide = [2 * one + 1.6 * UNIT for one in radius]
    whole = sum(wide)
    ring = max(whole / (2 * math.pi), max(wide) * 0.8)
    before = [0.0, *accumulate(wide)]
    seen = Counter[int]()
    points: list[Point] = []
    for number in group:
        if number < 0:
            points.append((0.0, 0.0))
            continue
        at = 2 * math.pi * (before[number] + wide[number] / 2) / whole
        angle = 2 * math.pi * (seen[number] + turned[number]) / size[number] + at
        seen[number] += 1
        x = ring * math.sin(at) + radius[number] * math.sin(angle)
        points.append((x, -ring * math.cos(at) - radius[number] * math.cos(angle)))
    return points
