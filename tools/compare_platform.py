"""A machine of weir as a platform of SimGrid: the same links, and for each pair of nodes the same route."""

import json
import subprocess
from pathlib import Path

HEAD = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">\n'


def routes_of(weir: Path, experiment: Path, nodes: int) -> dict[tuple[int, int], list[dict]]:
    """The links of the routes of all pairs of different nodes."""
    routes = {}
    for node in range(nodes):
        command = [str(weir), "routes", "--json", str(experiment), str(node)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
        for line in done.stdout.splitlines():
            route = json.loads(line)
            if route["links"]:
                routes[route["from"]["node"], route["to"]["node"]] = route["links"]
    return routes


def write_platform(
    path: Path,
    routes: dict[tuple[int, int], list[dict]],
    pairs: list[tuple[int, int]],
    placement: list[int],
    faster: float = 1.0,
) -> None:
    """A host `r0`, `r1`, ... for each rank, and a route for each of these pairs of ranks. Links are so much faster."""
    routes = {(a, b): routes[placement[a], placement[b]] for a, b in pairs}
    links = {link["link"]: link for route in routes.values() for link in route}
    lines = [f'<host id="r{rank}" speed="1Gf"/>' for rank in range(len(placement))]
    for number, link in sorted(links.items()):
        bandwidth = link["bandwidth_bytes_per_s"] * faster
        lines.append(f'<link id="l{number}" bandwidth="{bandwidth!r}Bps" latency="{link["latency_s"]!r}s"/>')
    for (a, b), route in sorted(routes.items()):
        through = "".join(f'<link_ctn id="l{link["link"]}"/>' for link in route)
        lines.append(f'<route src="r{a}" dst="r{b}" symmetrical="NO">{through}</route>')
    path.write_text(
        HEAD + '<zone id="all" routing="Full">\n' + "\n".join(lines) + "\n</zone></platform>\n", encoding="utf-8"
    )


def write_cluster(path: Path, nodes: int, topology: str) -> None:
    """A machine that SimGrid builds itself, with links of 1 GB/s without latency."""
    names = f'id="all" prefix="r" radical="0-{nodes - 1}" suffix="" speed="1Gf" bw="1GBps" lat="0s"'
    path.write_text(f"{HEAD}<cluster {names} {topology}/>\n</platform>\n", encoding="utf-8")
