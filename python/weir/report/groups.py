"""Groups of a machine: pods of a fat tree, groups of a dragonfly, groups of a graph, networks that share the nodes."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from weir.report.texts import Words, same, words

#: Routers of larger graphs are not compared with each other.
MOST_ROUTERS = 5_000
#: Two routers are of one group if they have this part of their neighbors in common. In a dragonfly with twice as many
#: routers in a group as global links at a router, as is balanced, it is a half; along a row of a HyperX a third.
ALIKE = 0.4

#: Groups of machines with more routers are drawn as a whole.
MOST_ROUTERS_APART = 1_000

#: Links by the places at their ends.
Pairs = list[tuple[int, int]]


@dataclass(frozen=True)
class Groups:
    """The group of each place."""

    names: list[Words]
    #: By place: the number of its group; -1 for those of none.
    of: list[int]
    #: Whether each is drawn as one dot: none of its routers is to be made out among so many.
    whole: bool = False
    #: Whether they are networks that share the nodes: then each is a class of links.
    networks: bool = False


def find(
    names: Sequence[str], node: Sequence[bool], level: Sequence[int], begin: Sequence[int], end: Sequence[int]
) -> Groups | None:
    """The groups of a machine without coordinates; `None` if it has none."""
    links = list(zip(begin, end, strict=True))
    stages = max(level, default=0)
    if stages > 2:
        kept = [(one, other) for one, other in links if level[one] < stages and level[other] < stages]
        grouped = [not of_node and own < stages for of_node, own in zip(node, level, strict=True)]
        return _of_pieces(_pieces(len(node), kept), grouped, "group_pod")
    if stages > 1:
        return None
    routers = [place for place, of_node in enumerate(node) if not of_node]
    inner = [(one, other) for one, other in links if not node[one] and not node[other]]
    said = _as_said(names, routers, len(node))
    if said is not None:
        return _with_nodes(said, node, links)
    if not 6 <= len(routers) <= MOST_ROUTERS or not inner:
        return None
    found = _by_name(names, routers, inner, len(node)) or _by_neighbors(routers, inner, len(node))
    return None if found is None else _with_nodes(found, node, links)


def _as_said(names: Sequence[str], routers: list[int], places: int) -> Groups | None:
    """The groups of a dragonfly, whose routers are called `router 3 of group 5`, or networks: `leaf 2 of network 1`."""
    parts = [re.fullmatch(r".* of (group|network) (\d+)", names[router]) for router in routers]
    numbers = [int(part[2]) for part in parts if part]
    if len(numbers) < len(routers) or max(numbers, default=0) == 0:
        return None
    networks = all(part and part[1] == "network" for part in parts)
    group = [-1] * places
    for router, number in zip(routers, numbers, strict=True):
        group[router] = number
    name = "network_number" if networks else "group_number"
    names_of = [words(name, number=number) for number in range(max(numbers) + 1)]
    return Groups(names_of, group, len(routers) > MOST_ROUTERS_APART, networks)


def _by_name(names: Sequence[str], routers: list[int], inner: Pairs, places: int) -> Groups | None:
    """Groups as names of routers say them, as `g3r1` or `group 3, router 1`: what stands before the last number. They
    count only if many links of such groups stay within.
    """
    parts = [re.fullmatch(r"(.*\d)(\D+)\d+", names[router]) for router in routers]
    prefixes = [part[1] for part in parts if part]
    # In the order of the routers, not of the alphabet.
    kinds = {kind: number for number, kind in enumerate(dict.fromkeys(prefixes))}
    if len(prefixes) < len(routers) or not 2 <= len(kinds) <= len(routers) // 2:
        return None
    group = [-1] * places
    for router, prefix in zip(routers, prefixes, strict=True):
        group[router] = kinds[prefix]
    if sum(group[one] == group[other] for one, other in inner) / len(inner) < 0.4:
        return None
    return Groups([same(re.sub(r"^(router|switch) ", "", kind)) for kind in kinds], group)


def _by_neighbors(routers: list[int], inner: Pairs, places: int) -> Groups | None:
    """Groups of routers that have many neighbors in common."""
    near: dict[int, set[int]] = {one: {one} for one in routers}
    for one, other in inner:
        near[one].add(other)
        near[other].add(one)
    alike = [
        (one, other) for one, other in inner if len(near[one] & near[other]) >= ALIKE * len(near[one] | near[other])
    ]
    return _of_pieces(_pieces(places, alike), [place in near for place in range(places)], "group_number")


def _pieces(places: int, kept: Pairs) -> list[int]:
    """What hangs together by the links that are kept: of each place the least number of a place that it reaches."""
    least = list(range(places))

    def head(place: int) -> int:
        while least[place] != place:
            least[place] = least[least[place]]
            place = least[place]
        return place

    for pair in kept:
        one, other = sorted(map(head, pair))
        least[other] = one
    return [head(place) for place in range(places)]


def _of_pieces(piece: list[int], grouped: list[bool], name: str) -> Groups | None:
    """Pieces as groups: at least two, each with at least two of the places that have to be in one."""
    size = Counter(one for one, wanted in zip(piece, grouped, strict=True) if wanted)
    if len(size) < 2 or min(size.values()) < 2:
        return None
    number = {head: place for place, head in enumerate(sorted(size))}
    return Groups([words(name, number=one) for one in range(len(number))], [number.get(one, -1) for one in piece])


def _with_nodes(found: Groups, node: Sequence[bool], links: Pairs) -> Groups:
    """Nodes are in the group of their router."""
    of = found.of.copy()
    for one, other in links:
        if node[one] and not node[other]:
            of[one] = of[other]
    return Groups(found.names, of, found.whole, found.networks)
