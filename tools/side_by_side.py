#!/usr/bin/env python3
"""Runs MPI programs on a fat tree and on a torus of 128 nodes and shows the two predictions side by side.

Programs from outside this project come first: examples of MPICH and Open MPI, unchanged. Then a ring of this
project's, with short and with long messages. The machines are examples/fat-tree.toml and examples/torus.toml.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOREIGN = ROOT / "target" / "mpi-examples"
RANKS = 128
MACHINES = {"fat tree": "examples/fat-tree.toml", "torus": "examples/torus.toml"}


@dataclass
class Job:
    """A program and how it is run."""

    title: str
    source: Path
    args: list[str] = field(default_factory=list)
    settings: list[str] = field(default_factory=list)
    quote: str = ""  # lines of its output with this text in them are shown


JOBS = [
    Job("cpi.c of MPICH: pi by numerical integration", FOREIGN / "mpich" / "cpi.c", quote="pi is"),
    Job(
        "connectivity_c.c of Open MPI: every pair of ranks exchanges a message",
        FOREIGN / "openmpi" / "connectivity_c.c",
        quote="PASSED",
    ),
    Job("examples/ring.c: messages of 1 B around a ring", ROOT / "examples" / "ring.c", ["1"], quote="ranks"),
    Job(
        "examples/ring.c: messages of 64 KiB around a ring (eager limit 64 KiB: no send waits for its receive)",
        ROOT / "examples" / "ring.c",
        ["65536"],
        ["node.eager_limit=64 KiB"],
        quote="ranks",
    ),
]


def with_unit(value: float, units: list[str], step: float) -> str:
    """A number with the unit in which it is at least 1, to four digits."""
    for unit in units[:-1]:
        if abs(value) < step:
            return f"{value:.4g} {unit}"
        value /= step
    return f"{value:.4g} {units[-1]}"


def time(seconds: float) -> str:
    return with_unit(seconds * 1e9, ["ns", "us", "ms", "s"], 1000) if seconds else "0 s"


def size(count: float) -> str:
    return with_unit(count, ["B", "kB", "MB", "GB", "TB"], 1000)


def percent(fraction: float) -> str:
    return f"{100 * fraction:.3g} %"


def flows(count: int) -> str:
    return "one flow" if count == 1 else f"up to {count} flows"


def rows(summary: dict) -> list[tuple[str, str]]:
    """The facts of one run, in the order in which they are shown."""
    link = summary.get("busiest_link")
    share = f"{percent(link['utilization'])} of its capacity, {flows(link['max_share'])} at a time" if link else "-"
    memory = summary["peak_memory_bytes"]
    return [
        ("simulated time", time(summary["simulated_s"])),
        ("messages", f"{summary['messages']:,}"),
        ("bytes", size(summary["bytes"])),
        ("busiest link", link["name"] if link else "none"),
        ("  its share", share),
        ("mean link utilization", percent(summary["mean_link_utilization"])),
        ("wall-clock time", time(summary["wall_s"])),
        ("memory", size(memory) if memory else "unknown"),
        ("digest", summary["digest"]),
    ]


def print_table(summaries: dict[str, dict]) -> None:
    columns = [rows(summary) for summary in summaries.values()]
    table = [["", *summaries]]
    table += [[column[0][0], *(value for _, value in column)] for column in zip(*columns, strict=True)]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    for row in table:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def verdict(summaries: dict[str, dict]) -> str:
    """Which machine is faster, by what factor, and where it is busiest."""
    (fast, slow) = sorted(summaries, key=lambda name: summaries[name]["simulated_ps"])
    factor = summaries[slow]["simulated_ps"] / max(summaries[fast]["simulated_ps"], 1)
    link = summaries[fast].get("busiest_link")
    where = "none of its links is used"
    if link:
        where = f"its busiest link, {link['name']}, carries {percent(link['utilization'])} of what it could"
    if factor < 1.005:
        return f"The {fast} and the {slow} are equally fast; of the {fast}, {where}."
    return f"The {fast} is {factor:.2f} times as fast as the {slow}; {where}."


def run_job(job: Job, weir: Path, scratch: Path) -> bool:
    """Compiles and runs one job on all machines, prints the comparison, and returns whether all went well."""
    program = scratch / job.source.stem
    compiled = subprocess.run([weir, "cc", "-O2", job.source, "-o", program, "-lm"], check=False)
    if compiled.returncode != 0:
        print(f"{job.source} does not compile", file=sys.stderr)
        return False
    print(f"\n{job.title}, {RANKS} ranks", flush=True)
    summaries = {}
    for name, machine in MACHINES.items():
        settings = [word for setting in job.settings for word in ("--set", setting)]
        command: list[str | Path] = [
            weir,
            "mpirun",
            "-n",
            str(RANKS),
            "--machine",
            ROOT / machine,
            "--json",
            *settings,
            program,
            *job.args,
        ]
        # With --json the summary has standard output for itself, and what the program prints is on standard error.
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(done.stderr, file=sys.stderr)
            print(f"{job.source.name} on the {name} ended with exit status {done.returncode}", file=sys.stderr)
            return False
        summaries[name] = json.loads(done.stdout)
        for line in done.stderr.splitlines():
            if job.quote in line:
                print(f"  it prints on the {name}: {line}")
    print_table(summaries)
    print(f"  {verdict(summaries)}", flush=True)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weir", type=Path, default=ROOT / "target" / "release" / "weir", help="the weir command")
    weir = parser.parse_args().weir.absolute()
    went_well = True
    with tempfile.TemporaryDirectory(prefix="weir-run-") as scratch:
        for job in JOBS:
            if not job.source.exists():
                print(f"\n{job.title}: left out, {job.source.relative_to(ROOT)} is not there (make setup)")
                continue
            went_well = run_job(job, weir, Path(scratch)) and went_well
    return 0 if went_well else 1


if __name__ == "__main__":
    sys.exit(main())
