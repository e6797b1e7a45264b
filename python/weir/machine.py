"""Networks as the table `[topology]` of an experiment, and as graphs of networkx."""

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weir.experiment import Experiment, prepared


def torus(shape: Sequence[int], bandwidth: str, latency: str, **keys: Any) -> dict[str, Any]:
    """A torus, with a router for each node. `keys` are further keys of its table."""
    return {"kind": "torus", "shape": list(shape), "bandwidth": bandwidth, "latency": latency, **keys}


def mesh(shape: Sequence[int], bandwidth: str, latency: str, **keys: Any) -> dict[str, Any]:
    """A mesh: a torus without the links that close its rings."""
    return {**torus(shape, bandwidth, latency, **keys), "kind": "mesh"}


def fat_tree(radix: int, bandwidth: str, latency: str, **keys: Any) -> dict[str, Any]:
    """A fat tree of switches with `radix` ports."""
    return {"kind": "fat-tree", "radix": radix, "bandwidth": bandwidth, "latency": latency, **keys}


def planes(nodes: int, bandwidths: Sequence[str], latency: str, **keys: Any) -> dict[str, Any]:
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
    return {"kind": "graph", "graph": found, **keys}


def from_networkx(graph: Any, bandwidth: str | None = None, latency: str | None = None, **keys: Any) -> dict[str, Any]:
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
    given = {"bandwidth": bandwidth, "latency": latency}
    return {"kind": "graph", "graph": found, **{key: one for key, one in given.items() if one is not None}, **keys}


def to_networkx(machine: Experiment, set: dict[str, Any] | None = None, unset: Sequence[str] = ()) -> Any:  # noqa: A002
    """The machine of an experiment, of a machine file, or a table of this module, as directed graph of networkx.

    Vertices have the names and kinds, edges `bandwidth` in bytes per second and `latency` in seconds.

    Raises `ExperimentError` with all mistakes of the machine.
    """
    from weir import _weir
    from weir.extras import needed

    networkx = needed("networkx", "weir.machine.to_networkx")

    if isinstance(machine, dict) and "topology" not in machine and "kind" in machine:
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
