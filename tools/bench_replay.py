#!/usr/bin/env python3
"""How well `weir record` and `weir replay` predict programs on the computer that they were recorded on: two ranks that share its memory.

The machine file is fitted to benches/mpi/messages.c. Each program runs in turns alone, which gives its time between MPI_Init and MPI_Finalize, and
recorded; of both the median counts, and of the table of messages that of all turns. The ranks need a processor each, and no one else may compute.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parent.parent
NAS = ROOT / "target" / "programs" / "nas" / "examples" / "smpi" / "NAS"
#: Says which headers of SimGrid they need.
CATALOGUE = ROOT / "crates" / "cli" / "tests" / "cli" / "real_programs" / "catalogue.toml"
TESTS = ROOT / "tests" / "mpi"

#: The name of a program, what it is compiled of, and its arguments.
PROGRAMS = [
    ("NAS EP, class S", [NAS / "ep.c", NAS / "nas_common.c"], ["2", "S"]),
    ("NAS IS, class S", [NAS / "is.c", NAS / "nas_common.c"], ["2", "S"]),
    ("heat equation, 500 steps of 64 x 512 cells", [ROOT / "benches" / "mpi" / "heat.c"], []),
    ("game of life (`tests/mpi`)", [TESTS / "game_of_life.c"], []),
    ("sample sort (`tests/mpi`)", [TESTS / "sample_sort.c"], []),
    ("transpose (`tests/mpi`)", [TESTS / "transpose.c"], []),
    ("conjugate gradient (`tests/mpi`)", [TESTS / "conjugate_gradient.c"], []),
    ("ring, 20,000 times 8 B", [ROOT / "examples" / "ring.c"], ["8", "20000"]),
    ("ring, 10,000 times 1 kB", [ROOT / "examples" / "ring.c"], ["1000", "10000"]),
]

MACHINE = """
[topology]
kind = "fat-tree"
stages = [2]
bandwidth = "10 GB/s"
latency = "1 us"

[node]
send_overhead = "60 ns"
receive_overhead = "60 ns"
overhead_limits = ["512 B"]
local_send_overhead = ["60 ns", "150 ns"]
local_receive_overhead = ["60 ns", "150 ns"]
local_bandwidth = "10 GB/s"
eager_limit = "{limit} B"
local_rendezvous_overhead = "2 us"

[engine]
kind = "flow"
"""

FITTED = [
    *(f"local_{side}_overhead.{size}" for side in ("send", "receive") for size in (0, 1)),
    "local_bandwidth",
    "local_rendezvous_overhead",
]


def run(command: list[str], **more: str) -> str:
    """What a command prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | more)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}: {' '.join(command)}\n{done.stderr}")
    return done.stdout


def table(turns: list[str]) -> str:
    """The rows of `messages.c`, each with the median of its times."""
    lines = [[line.rpartition(",") for line in turn.splitlines()] for turn in turns]
    head, *rows = zip(*lines, strict=True)
    medians = [(row[0][0], statistics.median(float(time) for _, _, time in row)) for row in rows]
    return "\n".join(["".join(head[0]), *(f"{row},{time}" for row, time in medians), ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weir", type=Path, default=ROOT / "target" / "release" / "weir")
    parser.add_argument(
        "--mpi", default="", help="the folder with mpicc and mpirun, with a slash behind it; those of PATH otherwise"
    )
    parser.add_argument(
        "--eager-limit", type=int, default=4000, help="the bytes up to which this MPI sends without asking"
    )
    parser.add_argument("--turns", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        for header, text in next(
            one for one in tomllib.loads(CATALOGUE.read_text())["package"] if one["name"] == "nas"
        )["headers"].items():
            (scratch / header).parent.mkdir(exist_ok=True)
            (scratch / header).write_text(text)

        def compiled(name: str, sources: list[Path], *flags: str) -> str:
            built = scratch / name
            command = [
                f"{options.mpi}mpicc",
                "-O2",
                *flags,
                f"-I{TESTS}",
                f"-I{scratch}",
                *map(str, sources),
                "-o",
                str(built),
                "-lm",
            ]
            run(command)
            return str(built)

        launch = [f"{options.mpi}mpirun", "-n", "2"]
        if os.geteuid() == 0 and "Open MPI" in run([launch[0], "--version"]):
            launch.insert(1, "--allow-run-as-root")
        span, times = compiled("span.so", [ROOT / "benches/mpi/span.c"], "-shared", "-fPIC"), scratch / "span"
        messages = compiled("messages", [ROOT / "benches/mpi/messages.c"])
        programs = [
            (name, [compiled(f"program-{number}", sources), *arguments])
            for number, (name, sources, arguments) in enumerate(PROGRAMS)
        ]
        measured = []
        for turn in range(options.turns):
            measured.append(run([*launch, messages]))
            for number, (_, program) in enumerate(programs):
                # `env` sets it for the ranks, and not for the launcher.
                alone = ["env", f"LD_PRELOAD={span}", f"SPAN={times}-{number}"]
                run([*launch, *alone, *program])
                profile = scratch / f"{number}-{turn}.parquet"
                run([str(options.weir), "record", "-o", str(profile), "--", *launch, *program])
        rows, machine, fitted = scratch / "rows.csv", scratch / "machine.toml", scratch / "fitted.toml"
        rows.write_text(table(measured))
        machine.write_text(MACHINE.format(limit=options.eager_limit))
        keys = ",".join(f"node.{key}" for key in FITTED)
        print(run([str(options.weir), "calibrate", str(rows), str(machine), "--fit", keys, "--out", str(fitted)]))
        print("| program | events | measured | replayed | difference |\n|---|--:|--:|--:|--:|")
        for number, (name, _) in enumerate(programs):
            alone = statistics.median(map(float, Path(f"{times}-{number}").read_text().split()))
            replays = []
            for turn in range(options.turns):
                replay = [
                    str(options.weir),
                    "replay",
                    str(scratch / f"{number}-{turn}.parquet"),
                    "--machine",
                    str(fitted),
                ]
                found = json.loads(run([*replay, "--set", "mapping.ranks_per_node=2", "--json"]))
                replays.append(found["simulated_ps"] / 1e12)
            replayed = statistics.median(replays)
            print(
                f"| {name} | {found['events']:,} | {alone * 1e3:.3f} ms | {replayed * 1e3:.3f} ms | {replayed / alone - 1:+.0%} |"
            )


if __name__ == "__main__":
    main()
