"""Kinds of links by what they do in their machine: links of nodes, dimensions of a grid, stages of a fat tree, links
within and between groups of a graph.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weir.report import units
from weir.report.groups import Groups
from weir.report.texts import Words, same, words

Ints = npt.NDArray[np.int64]

#: More classes than these would have colours that look alike.
MOST = 8
#: What the axes of a grid are called.
AXES = "xyzabc"


@dataclass(frozen=True)
class Wiring:
    """What is known of the links of a machine, and of the places that they join."""

    kinds: list[str]
    #: By link: the places from which and to which it leads.
    begin: Ints
    end: Ints
    #: By place; empty where it has none.
    coordinates: list[list[int]]
    level: Ints
    groups: Groups | None
    capacity: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Classes:
    """The class of each link."""

    names: list[Words]
    #: By link: the place of its class in `names`.
    of: Ints


def classify(wiring: Wiring) -> Classes:
    """The classes of links; those without a link are left out."""
    kind = np.array(wiring.kinds)
    own, names = _between_routers(wiring, kind == "network")
    if len(names) > MOST - 2:
        own, names = np.zeros(len(kind), np.int64), [words("kind_network")]
    number = np.where(kind == "network", own, np.where(kind == "injection", len(names), len(names) + 1))
    names = [*names, words("kind_injection"), words("kind_ejection")]
    used, of = np.unique(number, return_inverse=True)
    return Classes([names[one] for one in used], of.astype(np.int64))


def _between_routers(wiring: Wiring, inner: npt.NDArray[np.bool_]) -> tuple[Ints, list[Words]]:
    """The class of each link between routers, and what classes are called."""
    begin, end, coordinates, level = wiring.begin, wiring.end, wiring.coordinates, wiring.level
    dimensions = max((len(one) for one in coordinates), default=0)
    known = np.array([len(one) == dimensions for one in coordinates], bool)
    if dimensions > 1 and known[begin[inner]].all() and known[end[inner]].all():
        table = np.zeros((len(coordinates), dimensions), np.int64)
        table[known] = [one for one in coordinates if len(one) == dimensions]
        axis = (table[begin] != table[end]).argmax(axis=1)
        return axis, [words("class_dimension", axis=_axis(one)) for one in range(dimensions)]
    if level.max(initial=0) > 1:
        low, high = np.minimum(level[begin], level[end]), np.maximum(level[begin], level[end])
        stages = int(level.max())
        names = [words("class_stages", low=one, high=one + 1) for one in range(1, stages)]
        return np.where(high == low + 1, low - 1, 0).clip(0, max(0, stages - 2)), names
    if wiring.groups is not None:
        apart = wiring.groups.of[begin] != wiring.groups.of[end]
        return apart.astype(np.int64), [words("class_local"), words("class_global")]
    speeds = np.unique(wiring.capacity[inner])
    if 1 < len(speeds) <= MOST - 2:
        of = np.searchsorted(speeds, wiring.capacity).clip(0, len(speeds) - 1)
        return of, [same(units.rate(one)) for one in speeds]
    return np.zeros(len(begin), np.int64), [words("kind_network")]


def _axis(number: int) -> str:
    return AXES[number] if number < len(AXES) else str(number)
