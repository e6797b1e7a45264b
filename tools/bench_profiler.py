#!/usr/bin/env python3
"""What `weir record` adds to a call of MPI: benches/mpi/calls.c on two ranks of this computer, in turns with and without it.

Of each part the shortest and the median block of a run count, and of these the median over the runs. The two ranks need a processor
each: where others compute, too, the shortest blocks are the better measure.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(command: list[str]) -> dict[str, list[float]]:
    """The numbers that the program prints, by the name of the part."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}: {' '.join(command)}\n{done.stderr}")
    lines = (line.split() for line in done.stdout.splitlines())
    return {name: [float(shortest), float(median)] for name, shortest, median in lines}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weir", type=Path, default=ROOT / "target" / "release" / "weir")
    parser.add_argument(
        "--mpi", default="", help="the folder with mpicc and mpirun, with a slash behind it; those of PATH otherwise"
    )
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--blocks", default="500")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        program = f"{scratch}/calls"
        subprocess.run([f"{options.mpi}mpicc", "-O2", str(ROOT / "benches/mpi/calls.c"), "-o", program], check=True)
        launch = [f"{options.mpi}mpirun", "-n", "2", program, options.blocks]
        if (
            os.geteuid() == 0
            and "Open MPI"
            in subprocess.run([launch[0], "--version"], capture_output=True, text=True, check=False).stdout
        ):
            launch.insert(1, "--allow-run-as-root")
        plain, recorded = [], []
        for _ in range(options.runs):
            plain.append(run(launch))
            recorded.append(run([str(options.weir), "record", "-o", f"{scratch}/calls.parquet", "--", *launch]))
        print(f"{'':10}  {'plain':>18}  {'recorded':>18}  {'added':>18}   ns a call: shortest, median block")
        for part in plain[0]:
            rows = [
                [statistics.median(of[part][place] for of in runs) for place in (0, 1)] for runs in (plain, recorded)
            ]
            rows.append([with_it - without for without, with_it in zip(*rows, strict=True)])
            print(f"{part:10}" + "".join(f"  {shortest:8.1f}, {median:8.1f}" for shortest, median in rows))


if __name__ == "__main__":
    main()
