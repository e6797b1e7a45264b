"""The parts that benches of `weir record` share: commands that must succeed, the options, and two ranks of an MPI on this computer."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(command: list[str]) -> str:
    """Returns the text that a command prints; ends the script where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}: {' '.join(command)}\n{done.stderr}")
    return done.stdout


def two_ranks(mpi: str) -> list[str]:
    """Returns the words before a program that runs it on two ranks; `mpi` is the folder of the MPI, with a slash behind it."""
    launch = [f"{mpi}mpirun", "-n", "2"]
    if os.geteuid() == 0 and "Open MPI" in run([launch[0], "--version"]):
        launch.insert(1, "--allow-run-as-root")
    return launch


def options_of(description: str | None) -> argparse.ArgumentParser:
    """Returns a parser of the options that all have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--weir", type=Path, default=ROOT / "target" / "release" / "weir")
    parser.add_argument(
        "--mpi", default="", help="the folder with mpicc and mpirun, with a slash behind it; those of PATH otherwise"
    )
    return parser
