#!/usr/bin/env python3
"""Measures MPI programs under `weir mpirun`, beside SimGrid's SMPI if it is there, and prints one table.

Every measurement is a process of its own, one at a time. What one step costs is the difference of a run with many and one
with a single step, over the steps; so starting does not count. Seconds are those of the process on the CPU. Programs are in
benches/mpi; both simulators run the same sources on a torus with the same links.

docs/reference/benchmarks.md says what the columns mean and shows a table.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
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
)

FOLDER = ROOT / "benches" / "mpi"
WORDS = ("case", "engine", "target", "stretch goal", "met")
TIMEOUT = 300  # seconds after which SMPI is stopped
RATES = ("--cfg=smpi/simulate-computation:no", "--cfg=smpi/display-timing:no", "--log=root.thres:critical")


@dataclass
class Goal:
    """What a case should reach; what is not said is not asked for."""

    seconds: float  # of a step, or of the run if it has none
    mib: float | None = None

    def met(self, weir: Measured) -> bool:
        return weir.seconds <= self.seconds and (self.mib is None or weir.mib <= self.mib)

    def __str__(self) -> str:
        memory = "" if self.mib is None else f", {self.mib:g} MiB"
        return unit(self.seconds) + memory


@dataclass
class Case:
    """One row."""

    name: str
    program: str
    ranks: int
    args: list[str]
    # How many steps, if it is a step that counts; the program's last argument then.
    steps: int | None = None
    # How many sends with their receives a step has.
    parts: int = 1
    shape: str | None = None  # on the flow engine; without one on the ideal engine
    target: Goal | None = None
    stretch: Goal | None = None
    smpi_steps: int | None = None  # fewer, where SMPI is slow; 0 where it cannot run
    level: int = QUICK


MICRO = 1e-6
CASES = [
    Case("send and receive", "pair", 2, [], 1_000_000, 2, None, Goal(0.4 * MICRO), Goal(0.2 * MICRO), 0),
    Case("send and receive", "pair", 2, [], 500_000, 2, "16,8,8", Goal(1 * MICRO), Goal(0.5 * MICRO), 50_000),
    Case("Allreduce of 8 B", "collective", 1024, ["allreduce"], 21, 1, "16,8,8", Goal(5e-3), Goal(2e-3), 3),
    Case("Alltoall of 8 B", "collective", 1024, ["alltoall"], 3, 1, "16,8,8", Goal(0.4), Goal(0.2), 2),
    Case("token ring", "token", 8192, [], None, 1, None, Goal(0.2, 150), Goal(0.1, 150), 0),
    Case("token ring", "token", 8192, [], None, 1, "32,16,16", smpi_steps=1, level=PLAIN),
    Case(
        "halo and Allreduce",
        "halo",
        163_840,
        [],
        None,
        1,
        "64,64,40",
        Goal(15, 2500),
        Goal(5, 2500),
        0,
        PLAIN,
    ),
    Case("token ring", "token", 1_000_000, [], None, 1, None, Goal(3600, 16384), Goal(3600, 8192), 0, FULL),
]

COLUMNS = [
    "case",
    "engine",
    "ranks",
    "runs",
    "CPU time",
    "MiB",
    "target",
    "stretch goal",
    "met",
    "SMPI",
    "SMPI MiB",
    "ratio",
]


def unit(seconds: float) -> str:
    """With a unit in which it is readable."""
    for factor, name in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {name}"
    return f"{seconds * 1e9:.3g} ns"


def per_step(case: Case, steps: int, once: Callable[[list[str]], Measured]) -> Measured:
    """What `once(arguments)` takes: for a step where there are steps, else in all."""
    if case.steps is None:
        return once(case.args)
    many, one = once([*case.args, str(steps)]), once([*case.args, "1"])
    return Measured((many.seconds - one.seconds) / (steps - 1) / case.parts, many.mib, many.result)


class Weir:
    """Programs built by `weir cc`."""

    def __init__(self, weir: Path, folder: Path) -> None:
        self.weir, self.folder = weir, folder

    def measure(self, case: Case) -> Measured:
        program = self.folder / f"{case.program}.weir"
        if not program.exists():
            subprocess.run(
                [self.weir, "cc", "-O2", FOLDER / f"{case.program}.c", "-o", program], check=True, cwd=self.folder
            )
        where = []
        if case.shape is not None:
            where = ["--machine", str(FOLDER / "torus.toml"), "--set", f"topology.shape=[{case.shape}]"]

        def once(args: list[str]) -> Measured:
            command = [
                str(self.weir),
                "mpirun",
                "--json",
                "--quiet",
                "-n",
                str(case.ranks),
                *where,
                str(program),
                *args,
            ]
            summary, seconds = run(command)
            return Measured(seconds, summary["peak_memory_bytes"] / MIB, summary)

        return per_step(case, case.steps or 1, once)


class Smpi:
    """Programs built by smpicc, on a torus of SimGrid's with the same links."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def measure(self, case: Case) -> Measured | None:
        if case.shape is None or not case.smpi_steps:
            return None
        program = self.folder / f"{case.program}.smpi"
        if not program.exists():
            subprocess.run(["smpicc", "-O2", FOLDER / f"{case.program}.c", "-o", program], check=True, cwd=self.folder)
        platform, hosts = self.folder / "torus.xml", self.folder / "hosts"
        count = 1
        for size in case.shape.split(","):
            count *= int(size)
        platform.write_text(
            '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
            f'<platform version="4.1"><cluster id="torus" prefix="n" radical="0-{count - 1}" suffix="" speed="1Gf"'
            f' bw="8GBps" lat="100ns" topology="TORUS" topo_parameters="{case.shape}"/></platform>\n',
            encoding="utf-8",
        )
        hosts.write_text("".join(f"n{host}\n" for host in range(case.ranks)), encoding="utf-8")

        def once(args: list[str]) -> Measured:
            command = ["smpirun", "-np", str(case.ranks), "-platform", str(platform), "-hostfile", str(hosts), *RATES]
            return self.timed([*command, str(program), *args])

        try:
            return per_step(case, case.smpi_steps, once)
        except subprocess.TimeoutExpired:
            return None

    def timed(self, command: list[str]) -> Measured:
        """`smpirun` is a shell script: the CPU seconds and the memory are those of its children."""
        before = os.times()
        process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        peak, end = 0, time.monotonic() + TIMEOUT
        while process.poll() is None:
            peak = max(peak, largest_below(process.pid))
            if time.monotonic() > end:
                process.kill()
                raise subprocess.TimeoutExpired(command, TIMEOUT)
            time.sleep(0.02)
        if process.returncode != 0:
            raise RuntimeError(f"exit status {process.returncode}: {' '.join(command)}")
        after = os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        return Measured(used, peak / MIB, {})


def largest_below(pid: int) -> int:
    """The largest memory of a process below this one, in bytes; 0 if there is none any more."""
    largest, todo = 0, [pid]
    while todo:
        one = todo.pop()
        try:
            todo += [int(child) for child in Path(f"/proc/{one}/task/{one}/children").read_text().split()]
            status = Path(f"/proc/{one}/status").read_text()
        except (OSError, ValueError):
            continue
        sizes = [int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")]
        largest = max([largest, *sizes])
    return largest


def row(case: Case, weir: Measured, runs: int, smpi: Measured | None) -> list[str]:
    met = ""
    if case.stretch and case.stretch.met(weir):
        met = "stretch"
    elif case.target:
        met = "target" if case.target.met(weir) else "MISSED"
    return [
        case.name,
        "ideal" if case.shape is None else "flow",
        f"{case.ranks:,}",
        str(runs),
        unit(weir.seconds),
        f"{weir.mib:,.0f}",
        str(case.target or ""),
        str(case.stretch or ""),
        met,
        unit(smpi.seconds) if smpi else "",
        f"{smpi.mib:,.0f}" if smpi else "",
        f"{smpi.seconds / weir.seconds:,.0f}" if smpi else "",
    ]


def main() -> int:
    options = options_of(__doc__.splitlines()[0]).parse_args()
    level = level_of(options)
    cases = [case for case in CASES if (options.case in case.name if options.case else case.level <= level)]
    if not cases:
        print(f'no case has "{options.case}" in its name', file=sys.stderr)
        return 2
    runs = 1 if options.quick else max(options.runs, 1)
    rows, failed = [], False
    with tempfile.TemporaryDirectory() as folder:
        weir = Weir(options.weir.absolute(), Path(folder))
        smpi = Smpi(Path(folder)) if shutil.which("smpirun") else None
        for number, case in enumerate(cases, 1):
            print(f"[{number}/{len(cases)}] {case.name}, {case.ranks} ranks", file=sys.stderr, flush=True)
            try:
                ours, count = run_often(case.name, partial(weir.measure, case), runs)
                rows.append(row(case, ours, count, smpi.measure(case) if smpi else None))
            except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
                print(f"error: {error}", file=sys.stderr)
                rows.append([case.name, "failed"] + [""] * (len(COLUMNS) - 2))
                failed = True
    table = [COLUMNS, *rows]
    print(markdown(table, WORDS) if options.markdown else aligned(table, WORDS))
    print("\n".join(machine()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
