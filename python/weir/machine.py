"""Networks as the table `[topology]` of an experiment, and as graphs of networkx; machines that ship with weir.

Bandwidths and latencies are texts with a unit, or numbers of bytes per second and of seconds; where a kind has several,
a list of them, too.
"""

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, SupportsIndex, TypeAlias, cast

from weir import _weir
from weir.experiment import ExperimentLike, prepared
from weir.keys import Experiment as ExperimentTables
from weir.keys import Many, Rate, Time, Topology

#: A quantity, or one for each dimension or stage.
OneOrMany: TypeAlias = Rate | Time | Many[Rate | Time]


def torus(shape: Many[SupportsIndex], bandwidth: OneOrMany, latency: OneOrMany, **keys: Any) -> Topology:
    """A torus, with a router for each node. `keys` are further keys of its table."""
    return _topology("torus", keys, shape=shape, bandwidth=bandwidth, latency=latency)


def mesh(shape: Many[SupportsIndex], bandwidth: OneOrMany, latency: OneOrMany, **keys: Any) -> Topology:
    """A mesh: a torus without the links that close its rings."""
    return _topology("mesh", keys, shape=shape, bandwidth=bandwidth, latency=latency)


def hypercrossbar(shape: Many[SupportsIndex], bandwidth: OneOrMany, latency: OneOrMany, **keys: Any) -> Topology:
    """A hypercrossbar: a router for each node, and a crossbar for each line of routers."""
    return _topology("hypercrossbar", keys, shape=shape, bandwidth=bandwidth, latency=latency)


def tofu(shape: Many[SupportsIndex], bandwidth: OneOrMany, latency: OneOrMany, **keys: Any) -> Topology:
    """A Tofu, as of Fugaku: `shape` are the groups of 12 nodes along x, y and z."""
    return _topology("tofu", keys, shape=shape, bandwidth=bandwidth, latency=latency)


def fat_tree(radix: int | None, bandwidth: OneOrMany, latency: OneOrMany, **keys: Any) -> Topology:
    """A fat tree of switches with `radix` ports; `None` where `stages=` lists the ports of each stage."""
    return _topology("fat-tree", keys, radix=radix, bandwidth=bandwidth, latency=latency)


def dragonfly(
    nodes_per_router: SupportsIndex,
    routers_per_group: SupportsIndex,
    global_links: SupportsIndex,
    bandwidth: OneOrMany,
    latency: OneOrMany,
    **keys: Any,
) -> Topology:
    """A dragonfly: groups of routers with `global_links` cables each to other groups; `groups=` is how many there are.

    Two bandwidths or latencies are those of cables within groups and of those between them.
    """
    sizes = {"nodes_per_router": nodes_per_router, "routers_per_group": routers_per_group, "global_links": global_links}
    return _topology("dragonfly", keys, **sizes, bandwidth=bandwidth, latency=latency)


def dragonfly_plus(
    nodes_per_leaf: SupportsIndex,
    leaves: SupportsIndex,
    spines: SupportsIndex,
    global_links: SupportsIndex,
    bandwidth: OneOrMany,
    latency: OneOrMany,
    **keys: Any,
) -> Topology:
    """A dragonfly whose groups have leaves and spines, each spine with `global_links` cables to other groups."""
    sizes = {"nodes_per_leaf": nodes_per_leaf, "leaves": leaves, "spines": spines, "global_links": global_links}
    return _topology("dragonfly-plus", keys, **sizes, bandwidth=bandwidth, latency=latency)


def hyperx(
    shape: Many[SupportsIndex], nodes_per_router: SupportsIndex, bandwidth: OneOrMany, latency: OneOrMany, **keys: Any
) -> Topology:
    """A HyperX: routers on a grid, each joined to each along every dimension."""
    sizes = {"shape": shape, "nodes_per_router": nodes_per_router}
    return _topology("hyperx", keys, **sizes, bandwidth=bandwidth, latency=latency)


def full_mesh(
    routers: SupportsIndex, nodes_per_router: SupportsIndex, bandwidth: Rate, latency: Time, **keys: Any
) -> Topology:
    """A full mesh: routers of which each is joined to each."""
    sizes = {"routers": routers, "nodes_per_router": nodes_per_router}
    return _topology("full-mesh", keys, **sizes, bandwidth=bandwidth, latency=latency)


def slim_fly(
    q: SupportsIndex, nodes_per_router: SupportsIndex, bandwidth: OneOrMany, latency: OneOrMany, **keys: Any
) -> Topology:
    """A Slim Fly of a prime power `q`: 2 q^2 routers, of which any two are joined or have a common neighbor."""
    return _topology("slim-fly", keys, q=q, nodes_per_router=nodes_per_router, bandwidth=bandwidth, latency=latency)


def polar_fly(
    q: SupportsIndex, nodes_per_router: SupportsIndex, bandwidth: Rate, latency: Time, **keys: Any
) -> Topology:
    """A PolarFly of a prime power `q`: q^2 + q + 1 routers, of which any two are joined or have a common neighbor."""
    return _topology("polar-fly", keys, q=q, nodes_per_router=nodes_per_router, bandwidth=bandwidth, latency=latency)


def rails(*networks: Topology, **keys: Any) -> Topology:
    """Several networks that share the nodes, each a table of this module: interface v of a node is in network v.

    `domain=`, `stride=`, `nic_bandwidth=` and `link_latency=` are further keys of such a table.
    """
    return _topology("rails", keys, networks=list(networks))


def graph(
    file: str | os.PathLike[str], bandwidth: Rate | None = None, latency: Time | None = None, **keys: Any
) -> Topology:
    """The network of a graph file (GraphML, node-link JSON, CSV); the arguments stand for cables without."""
    return _topology("graph", keys, file=file, bandwidth=bandwidth, latency=latency)


def named(name: str) -> ExperimentTables:
    """The tables of a machine that ships with weir, such as `fugaku`: network, nodes, mapping and what else it has. An
    experiment there is `{**weir.machine.named("fugaku"), "workload": ...}`.

    Raises `ValueError` for another name; it has all names.
    """
    found: ExperimentTables = json.loads(_weir.machine(name))
    return found


def _topology(kind: str, further: dict[str, Any], **keys: Any) -> Topology:
    given = {"kind": kind, **{key: value for key, value in keys.items() if value is not None}, **further}
    return cast(Topology, given)


def planes(nodes: int, bandwidths: Sequence[Rate], latency: Time, **keys: Any) -> Topology:
    """Nodes `n0`, `n1`, ... of which each has a cable to the switch of each plane, `s0`, `s1`, ...

    The cables of a plane have its bandwidth. Each cable is an interface of its node, and `node.choose` says which of
    them a message takes.
    """
    vertices = [{"id": f"n{node}", "kind": "node"} for node in range(nodes)]
    vertices += [{"id": f"s{plane}", "kind": "router"} for plane in range(len(bandwidths))]
    edges = [
        {"source": f"n{node}", "target": f"s{plane}", "bandwidth": bandwidth, "latency": latency}
        for plane, bandwidth in enumerate(bandwidths)
        for node in range(nodes)
    ]
    found = {"directed": False, "multigraph": True, "graph": {}, "nodes": vertices, "links": edges}
    return _topology("graph", keys, graph=found)


def from_networkx(graph: Any, bandwidth: Rate | None = None, latency: Time | None = None, **keys: Any) -> Topology:
    """Any network: a vertex is a router with a node, or what its attribute `kind` says (`both`, `router`, `node`).

    An edge is a cable, an edge of a directed graph one link; its attributes `bandwidth` and `latency` are texts with
    a unit, or numbers of bytes per second and of seconds. The arguments stand for edges without. A vertex of the kind
    `node` may have several edges, to one router or to different ones: each is an interface. Vertices and links
    are numbered in the order of their names.
    """
    nodes = [{"id": str(vertex), **_known(data, ["kind"])} for vertex, data in graph.nodes(data=True)]
    edges = [
        {"source": str(one), "target": str(two), **_known(data, ["bandwidth", "latency"])}
        for one, two, data in graph.edges(data=True)
    ]
    found = {"directed": graph.is_directed(), "multigraph": True, "graph": {}, "nodes": nodes, "links": edges}
    return _topology("graph", keys, graph=found, bandwidth=bandwidth, latency=latency)


def to_networkx(machine: ExperimentLike, set: dict[str, Any] | None = None, unset: Sequence[str] = ()) -> Any:  # noqa: A002
    """The machine of an experiment, of a machine file, or a table of this module, as directed graph of networkx.

    Vertices have the names and kinds, edges `bandwidth` in bytes per second and `latency` in seconds.

    Raises `ExperimentError` with all mistakes of the machine.
    """
    from weir.extras import needed

    networkx = needed("networkx", "weir.machine.to_networkx")

    if isinstance(machine, Mapping) and "topology" not in machine and "kind" in machine:
        machine = {"topology": machine}
    with prepared(machine, set=set, unset=unset) as given, tempfile.TemporaryDirectory(prefix="weir-") as scratch:
        file = Path(scratch) / "machine.json"
        _weir.write_graph(given, os.fspath(file))
        found = json.loads(file.read_text(encoding="utf-8"))
    graph = networkx.MultiDiGraph()
    graph.add_nodes_from((node.pop("id"), node) for node in found["nodes"])
    edges = found.get("links", found.get("edges", []))
    graph.add_edges_from((edge.pop("source"), edge.pop("target"), edge) for edge in edges)
    return graph


def _known(data: dict[str, Any], names: list[str]) -> dict[str, Any]:
    return {name: data[name] for name in names if data.get(name) is not None}
