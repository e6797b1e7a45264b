#!/usr/bin/env python3
"""Measures the packet engine, with one thread and with two, and prints one table.

Every measurement is a process of its own, one at a time: `weir run` of an experiment in benches/packet. A packet-hop is one
packet through one router and its output link, ejection included; its rate is by seconds on the wall, so nothing else should
run on the computer. Memory is the largest of the process.

docs/reference/benchmarks.md says what the columns mean and shows a table.
"""

import sys
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from measure import (
    FULL,
    PLAIN,
    QUICK,
    ROOT,
    Measured,
    aligned,
    level_of,
    machine,
    markdown,
    options_of,
    run_often,
    run_weir,
    seconds_text,
)

FOLDER = ROOT / "benches" / "packet"
WORDS = ("case", "target", "stretch goal", "met")
MEGA = 1e6


@dataclass
class Goal:
    """What a case should reach; what is not said is not asked for."""

    mega_hops_per_s: float | None = None
    seconds: float | None = None
    mib: float | None = None
    bytes_per_node: float | None = None

    def met(self, weir: Measured) -> bool:
        summary = weir.result
        return (
            (self.mega_hops_per_s is None or summary["packet_hops_per_s"] >= self.mega_hops_per_s * MEGA)
            and (self.seconds is None or summary["wall_s"] <= self.seconds)
            and (self.mib is None or weir.mib <= self.mib)
            and (self.bytes_per_node is None or bytes_per_node(weir) <= self.bytes_per_node)
        )

    def __str__(self) -> str:
        parts = [
            (self.mega_hops_per_s, "M hops/s"),
            (self.seconds, "s"),
            (self.mib, "MiB"),
            (self.bytes_per_node, "B/node"),
        ]
        return ", ".join(f"{value:g} {unit}" for value, unit in parts if value is not None)


@dataclass
class Case:
    """Rows of the table: one for each number of threads."""

    name: str
    file: str
    settings: str = ""
    # By number of threads.
    target: dict[int, Goal] = field(default_factory=dict)
    stretch: dict[int, Goal] = field(default_factory=dict)
    level: int = QUICK


UNIFORM, BRUCK = "torus-uniform", "bruck"
LARGE = "topology.shape=[64,32,32]"


def uniform(load: float, duration_us: int, shape: str = "") -> str:
    """Settings of benches/packet/torus-uniform.toml; the network is full after some 40 hops of 246 ns."""
    settings = f"workload.offered_load={load} workload.warmup=10us workload.duration={duration_us}us"
    return f"topology.shape=[{shape}] {settings}" if shape else settings


CASES = [
    Case(
        "8 x 8 x 8, load 0.3",
        UNIFORM,
        uniform(0.3, 1500),
        {1: Goal(12), 2: Goal(20)},
        {1: Goal(18)},
    ),
    Case(
        "16 x 16 x 16, load 0.15",
        UNIFORM,
        uniform(0.15, 200, "16,16,16"),
        {1: Goal(11), 2: Goal(19)},
        {1: Goal(15)},
    ),
    Case(
        "64 x 32 x 32, load 0.0375",
        UNIFORM,
        uniform(0.0375, 30, "64,32,32"),
        {1: Goal(8), 2: Goal(14)},
        {1: Goal(12)},
    ),
    # Uniform traffic of load x puts x k / 8 on each link of a ring of k: 0.5 is what the bisection can carry.
    Case(
        "16 x 16 x 16, load 0.45 (0.9 of the bisection)",
        UNIFORM,
        uniform(0.45, 80, "16,16,16"),
        {1: Goal(9), 2: Goal(15)},
    ),
    Case("64 x 32 x 32, load 0.001", UNIFORM, uniform(0.001, 500, "64,32,32"), {1: Goal(5)}, level=PLAIN),
    Case("64 x 32 x 32, load 0.0001", UNIFORM, uniform(0.0001, 2000, "64,32,32"), {1: Goal(5)}, level=PLAIN),
    # So few packets that all of the memory is that of an idle machine.
    Case(
        "64 x 32 x 32, memory when idle",
        UNIFORM,
        uniform(0.0001, 1, "64,32,32"),
        {1: Goal(bytes_per_node=5000)},
    ),
    Case(
        "Bruck, 4,096 nodes, 1,024 B",
        BRUCK,
        "",
        {2: Goal(seconds=180)},
        level=FULL,
    ),
    Case(
        "Bruck, 65,536 nodes, 4 B",
        BRUCK,
        f"{LARGE} workload.message_size=4B",
        {2: Goal(seconds=600, mib=4096)},
        {2: Goal(seconds=300, mib=4096)},
        level=FULL,
    ),
]

THREADS = (1, 2)

COLUMNS = [
    "case",
    "threads",
    "runs",
    "packet-hops",
    "wall s",
    "M hops/s",
    "CPU s",
    "windows",
    "accepted",
    "MiB",
    "B/node",
    "target",
    "stretch goal",
    "met",
]


def bytes_per_node(weir: Measured) -> float:
    return weir.result["peak_memory_bytes"] / weir.result["nodes"]


def verdict(target: Goal | None, stretch: Goal | None, weir: Measured) -> str:
    if stretch and stretch.met(weir):
        return "stretch"
    if target is None:
        return ""
    return "target" if target.met(weir) else "MISSED"


def row(case: Case, threads: int, weir: Measured, runs: int) -> list[str]:
    summary = weir.result
    target, stretch = case.target.get(threads), case.stretch.get(threads)
    accepted = summary.get("accepted_load")
    return [
        case.name,
        str(threads),
        str(runs),
        f"{summary['packet_hops']:,}",
        seconds_text(summary["wall_s"]),
        f"{summary['packet_hops_per_s'] / MEGA:.1f}",
        seconds_text(weir.seconds),
        f"{summary['windows']:,}",
        "" if accepted is None else f"{accepted:.4g}",
        f"{weir.mib:,.0f}",
        f"{bytes_per_node(weir):,.0f}",
        str(target or ""),
        str(stretch or ""),
        verdict(target, stretch, weir),
    ]


def chosen(word: str | None, level: int) -> list[Case]:
    if word is not None:
        return [case for case in CASES if word in case.name]
    return [case for case in CASES if case.level <= level]


def measure(weir: Path, case: Case, runs: int) -> list[list[str]]:
    """The rows of a case. All numbers of threads give the same digest."""
    rows, digests = [], set()
    for threads in THREADS:
        settings = [*case.settings.split(), f"engine.threads={threads}"]
        ours, count = run_often(case.name, partial(run_weir, weir, FOLDER / f"{case.file}.toml", settings), runs)
        digests.add(ours.result["digest"])
        rows.append(row(case, threads, ours, count))
    if len(digests) > 1:
        raise RuntimeError(f"{case.name}: the result depends on the number of threads")
    return rows


def main() -> int:
    options = options_of(__doc__.splitlines()[0]).parse_args()
    cases = chosen(options.case, level_of(options))
    if not cases:
        print(f'no case has "{options.case}" in its name; there are:', file=sys.stderr)
        print("\n".join(f"  {case.name}" for case in CASES), file=sys.stderr)
        return 2
    runs = 1 if options.quick else max(options.runs, 1)
    rows, failed = [], False
    for number, case in enumerate(cases, 1):
        print(f"[{number}/{len(cases)}] {case.name}", file=sys.stderr, flush=True)
        try:
            rows += measure(options.weir.absolute(), case, runs)
        except (RuntimeError, OSError) as error:
            print(f"error: {error}", file=sys.stderr)
            rows.append([case.name, "failed"] + [""] * (len(COLUMNS) - 2))
            failed = True
    table = [COLUMNS, *rows]
    print(markdown(table, WORDS) if options.markdown else aligned(table, WORDS))
    print()
    print("\n".join(machine()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
