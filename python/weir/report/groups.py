"""Groups of a machine: pods of a fat tree, groups of a graph such as a dragonfly."""

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weir.report.texts import Words, same, words

Ints = npt.NDArray[np.int64]

#: Routers of larger graphs are not compared with each other.
MOST_ROUTERS = 5_000
#: Two routers are of one group if they have this part of their neighbours in common. In a dragonfly with twice as many
#: routers in a group as global links at a router, as is balanced, it is a half; along a row of a HyperX a third.
ALIKE = 0.4


@dataclass(frozen=True)
class Groups:
    """The group of each place."""

    names: list[Words]
    #: By place: the number of its group; -1 for those of none.
    of: Ints


def find(names: list[str], node: npt.NDArray[np.bool_], level: Ints, begin: Ints, end: Ints) -> Groups | None:
    """The groups of a machine without coordinates; `None` if it has none."""
    stages = int(level.max(initial=0))
    if stages > 2:
        below = level < stages
        return _of_pieces(_pieces(len(node), begin, end, below[begin] & below[end]), ~node & below, "group_pod")
    if stages > 1:
        return None
    routers = np.flatnonzero(~node)
    inner = np.flatnonzero(~node[begin] & ~node[end])
    if not 6 <= len(routers) <= MOST_ROUTERS or not len(inner):
        return None
    found = _by_name([names[one] for one in routers], routers, begin[inner], end[inner], len(node))
    if found is None:
        found = _by_neighbours(routers, begin[inner], end[inner], len(node))
    return None if found is None else _with_nodes(found, node, begin, end)


def _by_name(names: list[str], routers: Ints, begin: Ints, end: Ints, places: int) -> Groups | None:
    """Groups as names of routers say them, as `g3r1` or `group 3, router 1`: what stands before the last number. They
    count only if many links of such groups stay within.
    """
    parts = [re.fullmatch(r"(.*\d)(\D+)\d+", name) for name in names]
    if not all(parts):
        return None
    prefixes = [part[1] for part in parts if part]
    kinds, of = np.unique(np.array(prefixes), return_inverse=True)
    if not 2 <= len(kinds) <= len(routers) // 2:
        return None
    group = np.full(places, -1)
    group[routers] = of
    if (group[begin] == group[end]).mean() < 0.4:
        return None
    # In the order of the routers, not of the alphabet.
    order = sorted(range(len(kinds)), key=lambda kind: int(np.argmax(of == kind)))
    place = np.argsort(order)
    group[routers] = place[of]
    return Groups([same(re.sub(r"^(router|switch) ", "", str(kinds[kind]))) for kind in order], group)


def _by_neighbours(routers: Ints, begin: Ints, end: Ints, places: int) -> Groups | None:
    """Groups of routers that have many neighbours in common."""
    near: dict[int, set[int]] = {int(one): {int(one)} for one in routers}
    for one, other in zip(begin.tolist(), end.tolist(), strict=True):
        near[one].add(other)
        near[other].add(one)
    alike = np.array(
        [
            len(near[one] & near[other]) >= ALIKE * len(near[one] | near[other])
            for one, other in zip(begin.tolist(), end.tolist(), strict=True)
        ]
    )
    return _of_pieces(_pieces(places, begin, end, alike), np.isin(np.arange(places), routers), "group_number")


def _pieces(places: int, begin: Ints, end: Ints, kept: npt.NDArray[np.bool_]) -> Ints:
    """What hangs together by the links that are kept: of each place the least number of a place that it reaches."""
    least = np.arange(places)
    one, other = begin[kept], end[kept]
    while True:
        found = least.copy()
        np.minimum.at(found, one, least[other])
        np.minimum.at(found, other, least[one])
        found = found[found]
        if np.array_equal(found, least):
            return least
        least = found


def _of_pieces(piece: Ints, grouped: npt.NDArray[np.bool_], name: str) -> Groups | None:
    """Pieces as groups: at least two, each with at least two of the places that have to be in one."""
    heads, size = np.unique(piece[grouped], return_counts=True)
    if len(heads) < 2 or size.min() < 2:
        return None
    where = np.searchsorted(heads, piece).clip(0, len(heads) - 1)
    of = np.where(heads[where] == piece, where, -1)
    return Groups([words(name, number=number) for number in range(len(heads))], of)


def _with_nodes(found: Groups, node: npt.NDArray[np.bool_], begin: Ints, end: Ints) -> Groups:
    """Nodes are in the group of their router."""
    of = found.of.copy()
    out = node[begin] & ~node[end]
    of[begin[out]] = of[end[out]]
    return Groups(found.names, of)
