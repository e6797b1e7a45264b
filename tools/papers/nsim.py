"""Paper 003: "NSIM: Communication Simulator for Next Generation Extreme-scale Interconnection Networks"."""

import math
from itertools import pairwise

from papers.numbers import total
from papers.running import Campaign, Summary
from papers.values import Comparison, Plot, Row, Series, below, beside, exactly, row

#: HPC Challenge sends messages of 2 MB to both neighbors in a ring of random order, takes the time per message of the
#: slowest process, and the geometric mean of that over several rings; its result is the size over this time. Here
#: messages go one way round: the ring the other way round is as random.
MESSAGE_BYTES = 2e6
#: Nodes at a switch: half of its 36 ports.
AT_ONE_SWITCH = 18
#: Within a switch: 1 ms for 2 MB at 2 GB/s, two cables of 200 ns, routing, allocations and switch of 170 ns.
WITHIN_SWITCH_S = 1e-3 + 570e-9

#: Blocks of figure 5 in bytes, and the largest packet of table 3.
BLOCKS = [4, 1024]
MTU = 256


def figure_4(campaign: Campaign) -> Comparison:
    """Throughput of the random ring of HPC Challenge over the number of nodes, on the machine of table 2."""
    of_size: dict[int, list[float]] = {}
    for (nodes, _), summary in campaign.study().by("workload.ranks", "workload.seed").items():
        of_size.setdefault(nodes, []).append(MESSAGE_BYTES / summary["simulated_s"] / 1e9)
    means = {nodes: geometric_mean(all) for nodes, all in of_size.items()}
    rings = len(next(iter(of_size.values())))
    rows = []
    for nodes, found in of_size.items():
        one = row(nodes, "throughput per process, geometric mean", "GB/s", means[nodes])
        within = "within a switch no link is shared: 1 ms and 570 ns"
        expected = exactly(MESSAGE_BYTES / WITHIN_SWITCH_S / 1e9)
        rows.append(one.formula(expected, within) if nodes <= AT_ONE_SWITCH else one)
        rows.append(row(nodes, "throughput per process, slowest ring", "GB/s", min(found)))
        rows.append(row(nodes, "throughput per process, fastest ring", "GB/s", max(found)))
    for before, nodes in pairwise(of_size):
        # Not judged: the rings of two sizes are different ones.
        rows.append(row(nodes, f"throughput, over that with {before} nodes", "", means[nodes] / means[before]))
    first, *_, last = means.values()
    falls = "paper 003, section 6.2: throughput falls with the number of nodes"
    rows.append(row("all", "throughput, most nodes / fewest", "", last / first).claimed(below(1), falls))
    notes = [
        "The paper has no numbers in its text: the throughput falls as on the machine, and is always above it.",
        "Two stages of 36-port switches, 18 nodes at each, one process on each of the first nodes. How many nodes and "
        "processes the machine had is not stated.",
        f"{rings} rings of each size, one message of 2 MB each; HPC Challenge has 30 rings. No MPI overhead.",
    ]
    if campaign.extent != "full":
        notes.append(f"Left out without --full: 512 and 648 nodes, and all but {rings} rings of each size.")
    lines = {"packet engine": means}
    for name, value in [("slowest ring", min), ("fastest ring", max)]:
        lines[name] = {nodes: value(found) for nodes, found in of_size.items()}
    plot = Plot(
        "003-figure-4",
        "Paper 003, figure 4: random ring of HPC Challenge, 2 MB, InfiniBand",
        ("nodes", "log"),
        ("throughput per process [GB/s]", "linear"),
        [
            Series(name, "own" if name == "packet engine" else "formula", [(float(x), y) for x, y in line.items()])
            for name, line in lines.items()
        ],
    )
    return Comparison("nodes", rows, [plot], notes)


def geometric_mean(numbers: list[float]) -> float:
    """The geometric mean of one number at least."""
    return math.exp(total(map(math.log, numbers)) / len(numbers))


def figure_5(campaign: Campaign) -> Comparison:
    """Wall-clock time and memory of Bruck's all-to-all on the tori of table 3, over the number of nodes."""
    runs = []
    #: By field of the summary and size of blocks: nodes and what NSIM took on eight cores, "just under" 7 and 1.5
    #: hours.
    stated: dict[tuple[str, int], dict[int, float]] = {}
    for study, block in enumerate(BLOCKS):
        known = campaign.published(study)
        for (point, field), value in known.items():
            stated.setdefault((field, block), {})[math.prod(map(int, point.partition("[")[2][:-1].split(",")))] = value
        found = campaign.study(study, alone=True).by("topology.shape")
        runs += [(math.prod(shape), block, shape, summary) for shape, summary in found.items()]
    runs.sort(key=lambda run: run[:2])
    rows = [one for run in runs for one in _bruck(*run, stated)]
    notes = [
        "Packets and packet-hops are judged: they follow from the algorithm. One packet-hop is one router and its "
        "output link, that to the node included.",
        "Run times and memory depend on the computer: they are shown, not judged. The paper ran on eight cores of two "
        "Xeon E5440 and took virtual memory; here it is the largest resident memory of the run, which is a process of "
        "its own.",
        f"Runs are single ones, one at a time, on up to {max(summary['threads'] for *_, summary in runs)} threads.",
    ]
    if campaign.extent != "full":
        notes.append("Left out without --full: more than 8192 nodes with 4 B, and than 512 with 1024 B.")

    def plot(name: str, title: str, label: str, field: str, unit: float) -> Plot:
        lines = []
        for kind, who in [("own", "packet engine"), ("published", "published")]:
            for block in BLOCKS:
                of_block = {nodes: summary.get(field) for nodes, size, _, summary in runs if size == block}
                points = of_block if kind == "own" else stated.get((field, block), {})
                found = [(float(nodes), value / unit) for nodes, value in points.items() if value is not None]
                if found or kind == "own":
                    lines.append(Series(f"{who}, {block} B", "own" if kind == "own" else "published", found))
        return Plot(f"003-figure-5-{name}", f"Paper 003, figure 5: {title}", ("nodes", "log"), (label, "log"), lines)

    plots = [
        plot("time", "what Bruck's all-to-all costs", "wall-clock time [s]", "wall_s", 1.0),
        plot("memory", "how much memory Bruck's all-to-all needs", "memory [MB]", "peak_memory_bytes", 1e6),
    ]
    return Comparison("nodes", rows, plots, notes)


def _bruck(
    nodes: int, block: int, shape: tuple[int, ...], summary: Summary, stated: dict[tuple[str, int], dict[int, float]]
) -> list[Row]:
    """The rows of one run."""
    packets, hops = bruck_counts(shape, block)
    section = "paper 003, section 6.3"

    def one(what: str, unit: str, own: float) -> Row:
        return row(nodes, f"{what}, {block} B", unit, own)

    def published(of: Row, field: str, unit: float) -> Row:
        value = stated.get((field, block), {}).get(nodes)
        return of if value is None else of.published(beside(value / unit), section)

    speed = one("packet-hops per second", "", summary["packet_hops"] / summary["wall_s"])
    if seconds := stated.get(("wall_s", block), {}).get(nodes):
        eight = "our count of packet-hops in the published time of NSIM on eight cores"
        speed = speed.published(beside(hops / seconds), f"{section}: {eight}")
    rows = [
        one("packets", "", summary["packets"]).formula(exactly(packets), "counted from the algorithm"),
        one("packet-hops", "", summary["packet_hops"]).formula(exactly(hops), "counted from the algorithm"),
        one("simulated time", "ms", summary["simulated_ps"] / 1e12 * 1e3),
        published(one("wall-clock time", "s", summary["wall_s"]), "wall_s", 1.0),
        speed,
    ]
    if memory := summary.get("peak_memory_bytes"):
        rows.append(published(one("memory", "MB", memory / 1e6), "peak_memory_bytes", 1e6))
    return rows


def bruck_counts(shape: tuple[int, ...], block: int) -> tuple[int, int]:
    """Packets of Bruck's all-to-all on a torus, and how many routers they pass: counted from the algorithm.

    There are as many ranks as nodes, a power of two, in order on the nodes. In step k every rank sends the blocks with
    bit k set in their number, half of all, to the rank 2^k further. Dimension order takes the shorter way around each
    ring.
    """
    nodes = math.prod(shape)
    steps = nodes.bit_length() - 1
    assert nodes == 1 << steps, "only then half of the blocks have each bit"
    per_message = -(-nodes // 2 * block // MTU)
    routers = sum(1 + distance(shape, rank, (rank + (1 << k)) % nodes) for k in range(steps) for rank in range(nodes))
    return steps * nodes * per_message, routers * per_message


def distance(shape: tuple[int, ...], here: int, there: int) -> int:
    """Links between the routers of two nodes; node = x + X (y + Y z)."""
    links = 0
    for size in shape:
        apart = abs(here % size - there % size)
        links += min(apart, size - apart)
        here, there = here // size, there // size
    return links
