#!/usr/bin/env python3
"""Measures what it costs to keep account of causes (`output.causes`), and prints one table.

Every measurement is a process of its own, one at a time. Each case runs without causes and with them in turn, several times, so that
whatever else the computer does hits both alike. Seconds are the medians, and the ratio is the median of those of the pairs.

docs/reference/benchmarks.md says what the columns mean and shows a table.
"""

import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from measure import ROOT, aligned, machine, markdown, options_of, run, seconds_text

BENCHES = ROOT / "benches"
WORDS = ("case", "engine")


@dataclass
class Case:
    """One row: an experiment with settings, or a program of so many ranks with arguments."""

    name: str
    engine: str
    what: str
    words: tuple[str, ...] = ()
    ranks: int = 0

    def command(self, weir: Path, folder: Path, *options: str) -> list[str]:
        """What runs it."""
        plain = ["--quiet", "--json", *options]
        if not self.ranks:
            settings = [word for setting in (f"engine.kind={self.engine}", *self.words) for word in ("--set", setting)]
            return [str(weir), "run", *plain, str(BENCHES / f"{self.what}.toml"), *settings]
        program = folder / self.what
        if not program.exists():
            source = BENCHES / "mpi" / f"{self.what}.c"
            subprocess.run([weir, "cc", "-O2", source, "-o", program], check=True, cwd=folder)
        where = ["--machine", str(BENCHES / "mpi" / "torus.toml"), "--set", "topology.shape=[16,16]"]
        engine = ["--engine", self.engine]
        return [str(weir), "mpirun", *plain, "-n", str(self.ranks), *where, *engine, str(program), *self.words]


TORUS, FAT_TREE = "causes/torus", "flow/fat-tree-all-to-all"
PAIRWISE, RANDOM = ("workload.operation=alltoall", "workload.algorithm=pairwise"), "mapping.kind=random"

CASES = [
    Case("ring all-reduce of 1 MB", "ideal", TORUS),
    Case("ring all-reduce of 1 MB", "flow", TORUS),
    Case("ring all-reduce of 256 kB", "packet", TORUS, ("workload.message_size=256 kB",)),
    Case("pairwise all-to-all of 1 kB each", "flow", TORUS, (*PAIRWISE, "workload.message_size=256 kB")),
    Case("same, ranks at random", "flow", TORUS, (*PAIRWISE, "workload.message_size=256 kB", RANDOM)),
    Case("pairwise all-to-all of 1 kB each", "packet", TORUS, (*PAIRWISE, "workload.message_size=256 kB")),
    Case("same of 16 kB, ranks at random", "packet", TORUS, (*PAIRWISE, "workload.message_size=4096 kB", RANDOM)),
    Case("all-to-all, fat tree, at random", "flow", FAT_TREE, ("topology.radix=12",)),
    Case("all-to-all, torus, shared links", "flow", "flow/torus-all-to-all"),
    Case("Bruck's all-to-all, 512 nodes", "packet", "packet/bruck", ("topology.shape=[8,8,8]",)),
    Case("MPI program: all-to-all of 8 B", "ideal", "collective", ("alltoall", "4"), 256),
    Case("MPI program: all-reduce of 8 B", "flow", "collective", ("allreduce", "200"), 256),
]
COLUMNS = ["case", "engine", "ranks", "messages", "CPU s", "with causes", "ratio", "ns/msg", "more"]


def measure(case: Case, weir: Path, folder: Path, runs: int) -> list[str]:
    """A row of the table."""
    off, on = [], []
    for _ in range(runs):
        summary, seconds = run(case.command(weir, folder))
        off.append(seconds)
        kept, seconds = run(case.command(weir, folder, "--set", "output.causes=true"))
        on.append(seconds)
        if kept["digest"] != summary["digest"]:
            raise RuntimeError(f"{case.name}: causes change what happens")
    messages = summary["messages"] + summary["control_messages"]
    without, more = statistics.median(off), statistics.median(b - a for a, b in zip(off, on, strict=True))
    return [
        case.name,
        case.engine,
        f"{summary['ranks']:,}",
        f"{messages:,}",
        seconds_text(without),
        seconds_text(statistics.median(on)),
        f"{statistics.median(b / a for a, b in zip(off, on, strict=True)):.2f}",
        f"{without * 1e9 / messages:,.0f}",
        f"{more * 1e9 / messages:,.0f}",
    ]


def main() -> int:
    options = options_of(__doc__.splitlines()[0]).parse_args()
    cases = [case for case in CASES if options.case is None or options.case in case.name]
    if not cases:
        print(f'no case has "{options.case}" in its name', file=sys.stderr)
        return 2
    rows = [COLUMNS]
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(cases, 1):
            print(f"[{number}/{len(cases)}] {case.name}, {case.engine}", file=sys.stderr, flush=True)
            rows.append(measure(case, options.weir.absolute(), Path(folder), 1 if options.quick else options.runs))
    print(markdown(rows, WORDS) if options.markdown else aligned(rows, WORDS))
    print()
    print("\n".join(machine()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
