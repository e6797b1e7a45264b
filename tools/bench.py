#!/usr/bin/env python3
"""Measures the flow engine, beside SimGrid where a program for it is given, and prints one table.

Every measurement is a process of its own, one at a time: `weir run` of an experiment in benches/flow. Seconds are CPU
seconds, user and system: of weir those of the whole process, from reading the file to printing the summary; of SimGrid
those of the simulation alone, without setting up its platform. So the ratios favour SimGrid a little. Memory is the
largest of the process.

docs/reference/benchmarks.md says what the columns mean and shows a table.
"""

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "benches" / "flow"
MIB = 2**20

QUICK, PLAIN, FULL = range(3)  # how much is run: a level has everything of the levels before it
ONCE = 10  # CPU seconds from which on one run is enough

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


@dataclass
class Measured:
    """What a process has used, and what it has printed."""

    seconds: float
    mib: float
    result: dict


def run(command: list[str]) -> tuple[dict, float]:
    """Runs a command that prints one JSON object; returns it with the CPU seconds of the process."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    output = process.stdout.read()
    process.stdout.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"exit status {process.returncode}: {' '.join(command)}")
    return json.loads(output), used.ru_utime + used.ru_stime


def run_weir(weir: Path, case: Case) -> Measured:
    settings = [word for setting in case.settings.split() for word in ("--set", setting)]
    summary, seconds = run([str(weir), "run", "--quiet", "--json", str(FOLDER / f"{case.file}.toml"), *settings])
    # Not ru_maxrss: Linux lets a process inherit that of the one which started it, here 14 MiB of Python.
    return Measured(seconds, summary["peak_memory_bytes"] / MIB, summary)


def run_weir_often(weir: Path, case: Case, runs: int) -> tuple[Measured, int]:
    """The run with the median of the seconds, and how many runs there were."""
    measured = [run_weir(weir, case)]
    while len(measured) < runs and measured[0].seconds < ONCE:
        measured.append(run_weir(weir, case))
    digests = {one.result["digest"] for one in measured}
    if len(digests) > 1:
        raise RuntimeError(f"{case.name}: runs of the same experiment differ")
    median = statistics.median_low(one.seconds for one in measured)
    return next(one for one in measured if one.seconds == median), len(measured)


def run_simgrid(program: Path, case: SimGrid) -> Measured:
    """The faster one of the solver settings."""
    tried = []
    for optim in case.optim:
        result, _ = run([str(program), *case.args.split(), *SIMGRID_MODEL, f"--cfg=network/optim:{optim}"])
        tried.append(Measured(result["cpu_s"], result["peak_memory_bytes"] / MIB, result))
    return min(tried, key=lambda one: one.seconds)


def seconds_text(seconds: float) -> str:
    """Three digits."""
    return f"{seconds:.3f}" if seconds < 1 else f"{seconds:.2f}" if seconds < 100 else f"{seconds:.0f}"


def verdict(case: Case, weir: Measured) -> str:
    if case.target is None:
        return ""
    if case.stretch.met(weir.seconds, weir.mib):
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


def is_number(column: str) -> bool:
    return column not in ("case", "target", "stretch goal", "met")


def aligned(table: list[list[str]]) -> str:
    widths = [max(len(cells[i]) for cells in table) for i in range(len(table[0]))]
    lines = []
    for cells in table:
        padded = (
            cell.rjust(width) if is_number(column) else cell.ljust(width)
            for column, cell, width in zip(table[0], cells, widths)
        )
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def markdown(table: list[list[str]]) -> str:
    rule = ["---:" if is_number(column) else "---" for column in table[0]]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [table[0], rule, *table[1:]])


def command_output(command: list[str]) -> str:
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def commit() -> str:
    try:
        known = command_output(["git", "rev-parse", "--short", "HEAD"])
        changed = command_output(["git", "status", "--porcelain", "--untracked-files=no"])
    except FileNotFoundError:
        return "unknown"
    return (known or "unknown") + (" with changes" if changed else "")


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def machine() -> list[str]:
    """The facts without which no number means anything."""
    load = os.getloadavg()[0]
    return [
        f"machine: {processor()}, {os.cpu_count()} cores, load {load:.1f} at the end",
        f"commit:  {commit()}",
        f"date:    {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}",
    ]


def chosen(word: str | None, level: int) -> list[Case]:
    if word is not None:
        return [case for case in CASES if word in case.name]
    return [case for case in CASES if case.level <= level]


def measure(weir: Path, simgrid: Path | None, case: Case, runs: int, level: int) -> tuple[list[str], str]:
    """A row of the table, and the version of SimGrid if that was measured."""
    ours, count = run_weir_often(weir, case, runs)
    theirs, version = None, ""
    if simgrid and case.simgrid and case.simgrid.level <= level:
        theirs = run_simgrid(simgrid, case.simgrid)
        version = theirs.result["version"]
    return row(case, ours, count, theirs), version


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weir", type=Path, default=ROOT / "target" / "release" / "weir", help="the weir command")
    parser.add_argument("--simgrid", type=Path, help="the program of benches/simgrid, compiled")
    how_much = parser.add_mutually_exclusive_group()
    how_much.add_argument("--quick", action="store_true", help="one run of each case of a few seconds")
    how_much.add_argument("--plain", action="store_true", help="what takes about three minutes (the default)")
    how_much.add_argument("--full", action="store_true", help="also what takes minutes")
    parser.add_argument("--runs", type=int, default=3, help="the median of so many (3); cases above 10 s run once")
    parser.add_argument("--case", metavar="WORD", help="the cases whose name contains the word, however long they take")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    options = parser.parse_args()
    level = QUICK if options.quick else FULL if options.full else PLAIN
    cases = chosen(options.case, level)
    if not cases:
        print(f"no case has \"{options.case}\" in its name; there are:", file=sys.stderr)
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
    print(markdown(table) if options.markdown else aligned(table))
    print()
    print("\n".join(machine()))
    if version:
        print(f"SimGrid: {version}")
    elif simgrid is None:
        print("SimGrid: not there; install libsimgrid-dev (make setup-bench) to have its columns")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
