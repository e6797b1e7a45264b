#!/usr/bin/env python3
"""Measures the flow engine, beside SimGrid where a program for it is given, and prints one table.

Every measurement is a process of its own, one at a time: `weir run` of an experiment in benches/flow. Seconds are CPU
seconds, user and system: of weir those of the whole process, from reading the file to printing the summary; of SimGrid
those of the simulation alone, without setting up its platform. So the ratios favor SimGrid a little. Memory is the
largest of the process.

docs/reference/benchmarks.md says what the columns mean and shows a table.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from measure import (
    FULL,
    MIB,
    PLAIN,
    QUICK,
    ROOT,
    Measured,
    aligned,
    level_of,
    machine,
    markdown,
    options_of,
    run,
    run_often,
    run_weir,
    seconds_text,
)

FOLDER = ROOT / "benches" / "flow"
WORDS = ("case", "target", "stretch goal", "met")

# No TCP, no cross traffic: what remains is max-min fair sharing, as in weir.
SIMGRID_MODEL = ["--cfg=network/model:CM02", "--cfg=network/crosstraffic:0", "--log=root.thres:warning"]


@dataclass
class Goal:
    """What a case may cost."""

    seconds: float
    mib: float | None = None

    def met(self, seconds: float, mib: float) -> bool:
        return seconds <= self.seconds and (self.mib is None or mib <= self.mib)

    def __str__(self) -> str:
        memory = f", {self.mib:g} MiB" if self.mib else ""
        return f"{self.seconds:g} s{memory}"


@dataclass
class SimGrid:
    """The same case for benches/simgrid: arguments, and the solver settings to try; the faster one counts.

    Where both take long, only the one that was found faster is tried.
    """

    args: str
    optim: tuple[str, ...] = ("Lazy", "Full")
    level: int = PLAIN


@dataclass
class Case:
    """A row of the table."""

    name: str
    file: str
    settings: str = ""
    target: Goal | None = None
    stretch: Goal | None = None
    simgrid: SimGrid | None = None
    level: int = QUICK


FAT_TREE, TORUS, RING = "fat-tree-all-to-all", "torus-all-to-all", "random-ring"

# "ft 1,024" is the fat tree of 1,024 nodes.
CASES = [
    Case("ft 432 random simple-spread", FAT_TREE, "topology.radix=12", simgrid=SimGrid("ft:6 simple-spread random")),
    Case("ft 1,024 random simple-spread", FAT_TREE, "", Goal(1.0), Goal(0.6)),
    Case(
        "ft 1,024 random pairwise",
        FAT_TREE,
        "workload.algorithm=pairwise",
        Goal(1.0),
        Goal(0.6),
        SimGrid("ft:8 pairwise random", ("Lazy",), FULL),
    ),
    Case("ft 3,456 random simple-spread", FAT_TREE, "topology.radix=24", Goal(15), Goal(9), level=FULL),
    Case(
        "ft 3,456 random simple-spread single-pass",
        FAT_TREE,
        "topology.radix=24 engine.sharing=single-pass",
        Goal(6),
        Goal(4),
        level=FULL,
    ),
    Case(
        "ft 1,024 regular simple-spread",
        FAT_TREE,
        "mapping.kind=linear",
        Goal(0.12),
        Goal(0.05),
        SimGrid("ft:8 simple-spread linear"),
    ),
    *(
        Case(
            f"torus 16 x 16 {algorithm}",
            TORUS,
            f"workload.algorithm={algorithm}",
            Goal(0.16),
            Goal(0.09),
            SimGrid(f"torus:16 {algorithm} linear", level=QUICK),
        )
        for algorithm in ("simple-spread", "simple-spread-2d", "pairwise")
    ),
    Case("random ring, 8,192 nodes", RING, "topology.radix=32", simgrid=SimGrid("ft:16 ring:10 linear")),
    # Without SimGrid: version 3.32 has not ended after ten minutes.
    Case("random ring, 65,536 nodes", RING, "", Goal(0.5, 80), Goal(0.25, 40)),
    Case("random ring, 1,024,000 nodes", RING, "topology.radix=160", Goal(8, 900), Goal(4.5, 500), level=PLAIN),
    Case(
        "random ring, random sizes, 1,024,000 nodes",
        "random-ring-sizes",
        "topology.radix=160",
        Goal(40),
        Goal(20),
        level=PLAIN,
    ),
    *(
        Case(f"incast, random sizes, {nodes} nodes", "incast", f"topology.radix={radix}")
        for nodes, radix in (("432", 12), ("1,024", 16), ("3,456", 24))
    ),
    *(
        Case(f"incast, one message each, {nodes} nodes", "incast", f"topology.radix={radix} workload.messages=1")
        for nodes, radix in (("3,456", 24), ("65,536", 64))
    ),
    Case("symmetric simple-spread-2d, 16 x 16", "symmetric-all-to-all", "topology.shape=[16,16]"),
    Case("symmetric simple-spread-2d, 1,024 x 1,024", "symmetric-all-to-all", "", Goal(10), Goal(1)),
]


def run_simgrid(program: Path, case: SimGrid) -> Measured:
    """The faster one of the solver settings."""
    tried = []
    for optim in case.optim:
        result, _ = run([str(program), *case.args.split(), *SIMGRID_MODEL, f"--cfg=network/optim:{optim}"])
        tried.append(Measured(result["cpu_s"], result["peak_memory_bytes"] / MIB, result))
    return min(tried, key=lambda one: one.seconds)


def verdict(case: Case, weir: Measured) -> str:
    if case.target is None:
        return ""
    if case.stretch is not None and case.stretch.met(weir.seconds, weir.mib):
        return "stretch"
    return "target" if case.target.met(weir.seconds, weir.mib) else "MISSED"


COLUMNS = ["case", "messages", "runs", "CPU s", "ns/msg", "it/msg", "MiB", "target", "stretch goal", "met"]
SIMGRID_COLUMNS = ["SimGrid s", "SimGrid MiB", "ratio"]


def row(case: Case, weir: Measured, runs: int, simgrid: Measured | None) -> list[str]:
    messages = weir.result["messages"]
    cells = [
        case.name,
        f"{messages:,}",
        str(runs),
        seconds_text(weir.seconds),
        f"{weir.seconds * 1e9 / messages:,.0f}",
        f"{weir.result['solver_iterations'] / messages:.2f}",
        f"{weir.mib:.0f}",
        str(case.target or ""),
        str(case.stretch or ""),
        verdict(case, weir),
    ]
    if simgrid is None:
        return [*cells, "", "", ""]
    if simgrid.result["messages"] != messages:
        raise RuntimeError(f"{case.name}: SimGrid was given {simgrid.result['messages']} messages, weir {messages}")
    return [*cells, seconds_text(simgrid.seconds), f"{simgrid.mib:.0f}", f"{simgrid.seconds / weir.seconds:.0f}"]


def chosen(word: str | None, level: int) -> list[Case]:
    if word is not None:
        return [case for case in CASES if word in case.name]
    return [case for case in CASES if case.level <= level]


def measure(weir: Path, simgrid: Path | None, case: Case, runs: int, level: int) -> tuple[list[str], str]:
    """A row of the table, and the version of SimGrid if that was measured."""
    experiment = FOLDER / f"{case.file}.toml"
    ours, count = run_often(case.name, lambda: run_weir(weir, experiment, case.settings.split()), runs)
    theirs, version = None, ""
    if simgrid and case.simgrid and case.simgrid.level <= level:
        theirs = run_simgrid(simgrid, case.simgrid)
        version = theirs.result["version"]
    return row(case, ours, count, theirs), version


def main() -> int:
    parser = options_of(__doc__.splitlines()[0])
    parser.add_argument("--simgrid", type=Path, help="the program of benches/simgrid, compiled")
    options = parser.parse_args()
    level = level_of(options)
    cases = chosen(options.case, level)
    if not cases:
        print(f'no case has "{options.case}" in its name; there are:', file=sys.stderr)
        print("\n".join(f"  {case.name}" for case in CASES), file=sys.stderr)
        return 2
    runs = 1 if options.quick else max(options.runs, 1)
    simgrid = options.simgrid and options.simgrid.absolute()
    rows, version, failed = [], "", False
    for number, case in enumerate(cases, 1):
        print(f"[{number}/{len(cases)}] {case.name}", file=sys.stderr, flush=True)
        try:
            cells, seen = measure(options.weir.absolute(), simgrid, case, runs, level)
            version = seen or version
        except (RuntimeError, OSError) as error:
            print(f"error: {error}", file=sys.stderr)
            cells = [case.name, "failed"] + [""] * (len(COLUMNS + SIMGRID_COLUMNS) - 2)
            failed = True
        rows.append(cells)
    columns = COLUMNS + (SIMGRID_COLUMNS if version else [])
    table = [columns] + [cells[: len(columns)] for cells in rows]
    print(markdown(table, WORDS) if options.markdown else aligned(table, WORDS))
    print()
    print("\n".join(machine()))
    if version:
        print(f"SimGrid: {version}")
    elif simgrid is None:
        print("SimGrid: not there; install libsimgrid-dev (make setup-bench) to have its columns")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
