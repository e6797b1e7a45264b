"""Machines of `make compare`: experiments of weir as text, and the graphs and routes that some of them need."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Machine:
    """A machine, and files that belong to it."""

    name: str
    nodes: int
    text: str
    files: dict[str, str] = field(default_factory=dict)

    def write(self, folder: Path, more: str = "") -> Path:
        """An experiment on this machine; returns its file."""
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        path = folder / "experiment.toml"
        path.write_text(self.text + more, encoding="utf-8")
        return path


def grid(kind: str, shape: list[int], more: str = 'bandwidth = "1 GB/s"\n') -> Machine:
    """A torus, a mesh, a hypercrossbar or a Tofu."""
    nodes = 12 if kind == "tofu" else 1
    for size in shape:
        nodes *= size
    name = f"{kind} {' x '.join(str(size) for size in shape)}"
    return Machine(name, nodes, f'[topology]\nkind = "{kind}"\nshape = {shape}\n{more}')


def fat_tree(radix: int, taper: float) -> Machine:
    """A fat tree of three stages; the taper is that of its leaves."""
    text = f'[topology]\nkind = "fat-tree"\nradix = {radix}\ntaper = {taper}\nbandwidth = "1 GB/s"\n'
    nodes = radix**3 // 4
    return Machine(f"fat tree of {nodes} nodes" + ("" if taper == 1 else f", taper {taper}"), nodes, text)


def star(nodes: int, bandwidth: str, latency: str) -> Machine:
    """One router with so many nodes. The latency is that of one of the two links."""
    rows = [f"n{node},hub,node,router" for node in range(nodes)]
    text = f'[topology]\nkind = "graph"\nfile = "star.csv"\nbandwidth = "{bandwidth}"\nlatency = "{latency}"\n'
    return Machine(
        f"one switch, {nodes} nodes",
        nodes,
        text,
        {"star.csv": "\n".join(["source,target,source_kind,target_kind", *rows])},
    )


def random_graph(routers: int, cables: int, seed: int) -> Machine:
    """A connected graph of routers with a node each, whose cables have bandwidths of 1 to 10 GB/s."""
    draw = random.Random(seed)
    pairs = {(draw.randrange(router), router) for router in range(1, routers)}
    while len(pairs) < cables:
        one, other = sorted(draw.sample(range(routers), 2))
        pairs.add((one, other))
    rows = [f"r{a},r{b},{draw.randint(100, 1000) / 100} GB/s" for a, b in sorted(pairs)]
    text = '[topology]\nkind = "graph"\nfile = "random.csv"\nbandwidth = "1 GB/s"\n[node]\nnic_bandwidth = "4 GB/s"\n'
    files = {"random.csv": "\n".join(["source,target,bandwidth", *rows])}
    return Machine(f"random graph, {routers} routers, 1 to 10 GB/s", routers, text, files)


def routed(name: str, routers: int, each: int, cables: list[tuple[int, int]], route: Callable) -> Machine:
    """Routers with so many nodes each, and the routers of the route from one to another."""
    nodes = routers * each
    rows = ["source,target,source_kind,target_kind"]
    rows += [f"n{node},r{node // each},node,router" for node in range(nodes)]
    rows += [f"r{a},r{b},router,router" for a, b in cables]
    routes = ["source,destination,via"]
    for source in range(nodes):
        for target in range(nodes):
            if target != source:
                via = ",".join(f"r{router}" for router in route(source // each, target // each))
                routes.append(f"n{source},n{target},{via}")
    text = '[topology]\nkind = "graph"\nfile = "graph.csv"\nroutes = "graph.routes"\nbandwidth = "1 GB/s"\n'
    files = {"graph.csv": "\n".join(rows), "graph.routes": "\n".join(routes)}
    return Machine(name, nodes, text, files)


def without_repeats(routers: list[int]) -> list[int]:
    return [router for place, router in enumerate(routers) if place == 0 or router != routers[place - 1]]


def dragonfly(h: int) -> Machine:
    """A balanced dragonfly of `h` global links a router, `2 h` routers a group, in palm tree arrangement; minimal routes."""
    each = 2 * h
    groups = each * h + 1
    cables, ends = [], {}
    for group in range(groups):
        for router in range(each):
            here = group * each + router
            cables += [(here, group * each + other) for other in range(router + 1, each)]
            for port in range(h):
                far = (group + 1 + (each - 1 - router) * h + (h - 1 - port)) % groups
                there = far * each + each - 1 - router
                ends[group, far] = [here, there]
                if here < there:
                    cables.append((here, there))

    def route(source: int, target: int) -> list[int]:
        between = ends[source // each, target // each] if source // each != target // each else []
        return without_repeats([source, *between, target])

    return routed(f"dragonfly of {each * groups * h} nodes", each * groups, h, cables, route)


def hyperx() -> Machine:
    """Four by four routers, each with a cable to all others of its row and of its column, and four nodes; rows first."""
    pairs = [(a, b) for a in range(16) for b in range(a + 1, 16) if a // 4 == b // 4 or a % 4 == b % 4]
    return routed(
        "HyperX 4 x 4, 64 nodes",
        16,
        4,
        pairs,
        lambda source, target: without_repeats([source, source // 4 * 4 + target % 4, target]),
    )
