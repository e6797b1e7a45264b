"""A machine of weir as a platform of SimGrid: the same links, and for each pair of nodes the same route (`weir convert`)."""

import subprocess
from pathlib import Path
from xml.etree import ElementTree

HEAD = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'


def platform_of(weir: Path, experiment: Path) -> ElementTree.Element:
    """The platform of a machine, with a host for each node."""
    platform = experiment.with_suffix(".xml")
    command = [str(weir), "convert", str(experiment), str(platform)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return ElementTree.parse(platform).getroot()


def write_platform(
    path: Path,
    platform: ElementTree.Element,
    pairs: list[tuple[int, int]],
    placement: list[int],
    faster: float = 1.0,
) -> None:
    """A host `r0`, `r1`, ... for each rank, and a route for each of these pairs of ranks. Links are so much faster."""
    hosts = [host.get("id") for host in platform.iter("host")]
    routes = {(route.get("src"), route.get("dst")): route for route in platform.iter("route")}
    zone = ElementTree.Element("zone", id="all", routing="Full")
    for rank in range(len(placement)):
        ElementTree.SubElement(zone, "host", id=f"r{rank}", speed="1Gf")
    for link in platform.iter("link"):
        bandwidth = float(link.attrib["bandwidth"].removesuffix("Bps")) * faster
        ElementTree.SubElement(zone, "link", {**link.attrib, "bandwidth": f"{bandwidth!r}Bps"})
    for a, b in sorted(pairs):
        route = routes[hosts[placement[a]], hosts[placement[b]]]
        ends = {"src": f"r{a}", "dst": f"r{b}", "symmetrical": "NO"}
        ElementTree.SubElement(zone, "route", ends).extend(route)
    whole = ElementTree.Element("platform", version="4.1")
    whole.append(zone)
    path.write_text(HEAD + ElementTree.tostring(whole, encoding="unicode"), encoding="utf-8")


def write_cluster(path: Path, nodes: int, topology: str) -> None:
    """A machine that SimGrid builds itself, with links of 1 GB/s without latency."""
    names = f'id="all" prefix="r" radical="0-{nodes - 1}" suffix="" speed="1Gf" bw="1GBps" lat="0s"'
    text = f'{HEAD}<platform version="4.1">\n<cluster {names} {topology}/>\n</platform>\n'
    path.write_text(text, encoding="utf-8")
