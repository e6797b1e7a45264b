#!/usr/bin/env python3
"""Runs the same cases under weir and under other simulators, and prints what both say.

Where theory says that they must agree, a row is judged, with the tolerance that the theory gives; where it does not, both
answers stand beside each other with the reason. The exit status is 1 if a judged row misses, or a case cannot be run.

Needs SimGrid and CAMINOS (`make setup-bench`) and the Python package weir (`make python`). With --write it also writes
docs/reference/comparison.md, which shows what comes out.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import compare_curves
import compare_flow
import compare_mpi
from compare_page import page, terminal
from compare_published import published
from compare_rows import MISSES, Part, Places
from measure import ROOT, machine

PARTS = {"flow": compare_flow.compare, "mpi": compare_mpi.compare, "curves": compare_curves.compare}
PAGE = ROOT / "docs" / "reference" / "comparison.md"


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weir", type=Path, default=ROOT / "target" / "release" / "weir", help="the weir command")
    parser.add_argument(
        "--replay", type=Path, default=ROOT / "target" / "release" / "simgrid_replay", help="S4U program"
    )
    parser.add_argument(
        "--caminos", type=Path, default=ROOT / "target" / "caminos" / "bin" / "caminos", help="the caminos command"
    )
    parser.add_argument("--quick", action="store_true", help="fewer cases: two minutes")
    parser.add_argument("--part", choices=PARTS, help="one part alone")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    chosen = parser.parse_args()
    if chosen.write and (chosen.part or chosen.quick):
        parser.error("--write needs all cases: neither --part nor --quick")
    return chosen


def facts() -> list[str]:
    """The facts without which no number means anything; the commit as git describes it."""
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    described = done.stdout.strip() or "unknown"
    return [line if not line.startswith("commit:") else f"commit:  {described}" for line in machine()]


def main() -> int:
    chosen = options()
    begun = time.monotonic()

    def report(case: str) -> None:
        print(f"{time.monotonic() - begun:4.0f} s  {case}", file=sys.stderr, flush=True)

    parts: list[Part] = []
    failed = False
    for name, compare in PARTS.items():
        if chosen.part not in (None, name):
            continue
        with tempfile.TemporaryDirectory(prefix="weir-compare-") as folder:
            commands = (chosen.weir.absolute(), chosen.caminos.absolute(), chosen.replay.absolute())
            try:
                parts.append(compare(Places(*commands, Path(folder)), chosen.quick, report))
            except (OSError, RuntimeError, LookupError, subprocess.CalledProcessError) as error:
                print(f"error: {name}: {error} (make setup-bench installs the other simulators)", file=sys.stderr)
                failed = True
    with tempfile.TemporaryDirectory(prefix="weir-compare-") as folder:
        known = published(Places(chosen.weir.absolute(), None, None, Path(folder)))
    took = f"duration: {time.monotonic() - begun:.0f} s" + (" (--quick)" if chosen.quick else "")
    print(terminal(parts, known))
    print("\n".join([*facts(), took]))
    if chosen.write and not failed:
        PAGE.write_text(page(parts, [*facts(), took], known), encoding="utf-8")
    misses = sum(row.verdict() == MISSES for part in parts for row in part.rows)
    if misses:
        print(f"{misses} judged rows miss", file=sys.stderr)
    return 1 if misses or failed else 0


if __name__ == "__main__":
    sys.exit(main())
