"""Kinds of links by what they do in their machine: links of nodes, dimensions of a grid, stages of a fat tree, links
within and between groups of a graph.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from weir.report import units
from weir.report.groups import Groups
from weir.report.texts import Words, same, words

#: More classes than these would have colors that look alike.
MOST = 8
#: What the axes of a grid are called.
AXES = "xyzabc"


@dataclass(frozen=True)
class Wiring:
    """What is known of the links of a machine, and of the places that they join."""

    kinds: Sequence[str]
    #: By link: the places from which and to which it leads.
    begin: Sequence[int]
    end: Sequence[int]
    #: By place; empty where it has none.
    coordinates: Sequence[Sequence[int]]
    level: Sequence[int]
    groups: Groups | None
    capacity: Sequence[float]


@dataclass(frozen=True)
class Classes:
    """The class of each link."""

    names: list[Words]
    #: By link: the place of its class in `names`.
    of: list[int]


def classify(wiring: Wiring) -> Classes:
    """The classes of links; those without a link are left out."""
    own, names = _between_routers(wiring)
    if len(names) > MOST - 2:
        own, names = [0] * len(own), [words("kind_network")]
    ends = {"injection": len(names), "ejection": len(names) + 1}
    number = [
        one if kind == "network" else ends.get(kind, len(names) + 1)
        for one, kind in zip(own, wiring.kinds, strict=True)
    ]
    names = [*names, words("kind_injection"), words("kind_ejection")]
    place = {one: at for at, one in enumerate(sorted(set(number)))}
    return Classes([names[one] for one in place], [place[one] for one in number])


def _between_routers(wiring: Wiring) -> tuple[list[int], list[Words]]:
    """The class of each link between routers, and what classes are called."""
    coordinates, level = wiring.coordinates, wiring.level
    links = list(zip(wiring.begin, wiring.end, strict=True))
    inner = [number for number, kind in enumerate(wiring.kinds) if kind == "network"]
    dimensions = max((len(one) for one in coordinates), default=0)
    if dimensions > 1 and all(len(coordinates[end]) == dimensions for link in inner for end in links[link]):
        axes = [_axis_of(coordinates[one], coordinates[other]) for one, other in links]
        return axes, [words("class_dimension", axis=_axis(one)) for one in range(dimensions)]
    stages = max(level, default=0)
    if stages > 1:
        low = [min(level[one], level[other]) if abs(level[one] - level[other]) == 1 else 1 for one, other in links]
        names = [words("class_stages", low=one, high=one + 1) for one in range(1, stages)]
        return [min(max(one - 1, 0), max(0, stages - 2)) for one in low], names
    if wiring.groups is not None:
        of = wiring.groups.of
        if wiring.groups.networks:
            return [of[end] for _, end in links], wiring.groups.names
        return [int(of[one] != of[other]) for one, other in links], [words("class_local"), words("class_global")]
    speeds = sorted({wiring.capacity[link] for link in inner})
    if 1 < len(speeds) <= MOST - 2:
        numbers = [min(bisect_left(speeds, one), len(speeds) - 1) for one in wiring.capacity]
        return numbers, [same(units.rate(one)) for one in speeds]
    return [0] * len(links), [words("kind_network")]


def _axis_of(one: Sequence[int], other: Sequence[int]) -> int:
    """The first axis along which two places differ; 0 where they do not."""
    return next((axis for axis, both in enumerate(zip(one, other, strict=False)) if both[0] != both[1]), 0)


def _axis(number: int) -> str:
    return AXES[number] if number < len(AXES) else str(number)
