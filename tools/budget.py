#!/usr/bin/env python3
"""Compares what `weir run --dry-run` says a run takes with what it takes, for twenty experiments of all engines.

Prints a table. The status is 1 if a time is off by more than
a factor of 1.5.
docs/reference/benchmarks.md says what the columns mean and shows a table.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from measure import MIB, ROOT, aligned, machine, markdown, seconds_text

FACTOR = 1.5
WORDS = ("experiment", "engine", "messages", "expected", "taken", "ratio", "done", "MiB expected", "MiB taken")


@dataclass
class Case:
    """An experiment: a file, or none where the settings say all; and what is changed in it."""

    name: str
    file: str
    settings: str = ""


FAT_TREE, TORUS, RING, RING_SIZES, INCAST, SYMMETRIC = (
    f"benches/flow/{name}.toml"
    for name in (
        "fat-tree-all-to-all",
        "torus-all-to-all",
        "random-ring",
        "random-ring-sizes",
        "incast",
        "symmetric-all-to-all",
    )
)
UNIFORM, BRUCK, PACING = (
    "benches/packet/torus-uniform.toml",
    "benches/packet/bruck.toml",
    "papers/004-pacing/small.toml",
)

CASES = [
    Case("all-to-all, 4,096 ranks", "", "workload.kind=all-to-all workload.ranks=4096 workload.message_size=1kB"),
    Case(
        "halo, 32,768 ranks",
        "",
        "workload.kind=halo workload.ranks=32768 workload.grid=[32,32,32] workload.message_size=1kB workload.messages=100",
    ),
    Case("fat tree 3,456, random", FAT_TREE, "topology.radix=24"),
    Case("fat tree 3,456, regular", FAT_TREE, "topology.radix=24 mapping.kind=linear"),
    Case("fat tree 3,456, single-pass", FAT_TREE, "topology.radix=24 engine.sharing=single-pass"),
    Case("fat tree 250, iterative", FAT_TREE, "topology.radix=10 engine.sharing=iterative"),
    Case("torus 40 x 40", TORUS, "topology.shape=[40,40]"),
    Case("torus 64 x 64, pairwise", TORUS, "topology.shape=[64,64] workload.algorithm=pairwise workload.messages=1"),
    Case("random ring, 65,536 nodes", RING, "workload.messages=100"),
    Case("random sizes, 65,536 nodes", RING_SIZES, "workload.messages=40"),
    Case("incast, 432 nodes", INCAST, "workload.messages=20000"),
    Case("one node for all, 2,048 x 2,048", SYMMETRIC, "topology.shape=[2048,2048]"),
    Case(
        "sweep, 65,536 nodes",
        "papers/002-parallel-mfs/random-ring.toml",
        "topology.radix=64 workload.messages=100 engine.method=sweep",
    ),
    Case("uniform, load 0.3, 8 x 8 x 8", UNIFORM, "workload.duration=1200us"),
    Case("uniform, load 0.9, 8 x 8 x 8", UNIFORM, "workload.duration=600us workload.offered_load=0.9"),
    Case("uniform, 32 x 32 x 16", UNIFORM, "topology.shape=[32,32,16] workload.duration=20us"),
    Case("Bruck, 1,024 nodes", BRUCK, "topology.shape=[16,16,4]"),
    Case("NICAM, 40 nodes", PACING, "workload.message_size=4608KiB"),
    Case("NICAM, 40,960 nodes, paced", "papers/004-pacing/large.toml", "node.packet_gap=16"),
    Case(
        "all-to-all, fat tree 432",
        "examples/fat-tree.toml",
        "engine.kind=packet topology.radix=12 workload.kind=all-to-all workload.message_size=128KiB",
    ),
]


def weir_run(weir: Path, case: Case, *options: str) -> tuple[dict, float]:
    """The JSON object that a run prints, and the seconds it took on the clock on the wall."""
    words = [word for setting in case.settings.split() for word in ("--set", setting)]
    start = time.monotonic()
    with tempfile.NamedTemporaryFile(suffix=".toml") as empty:
        command = [str(weir), "run", "--quiet", "--json", *options, case.file or empty.name, *words]
        ended = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(ended.stdout), time.monotonic() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weir", type=Path, default=ROOT / "target" / "release" / "weir", help="the weir command")
    parser.add_argument("--case", metavar="WORD", default="", help="the experiments whose name contains the word")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    options = parser.parse_args()
    rows, outside = [list(WORDS)], 0
    for case in (case for case in CASES if options.case in case.name):
        budget, _ = weir_run(options.weir, case, "--dry-run")
        summary, taken = weir_run(options.weir, case)
        if budget["messages"] not in (None, summary["messages"]):
            raise RuntimeError(f"{case.name}: {budget['messages']} messages expected, {summary['messages']} sent")
        ratio = budget["wall_s"] / taken
        outside += max(ratio, 1 / ratio) > FACTOR
        rows.append(
            [
                case.name,
                summary["engine"],
                f"{summary['messages']:,}",
                seconds_text(budget["wall_s"]),
                seconds_text(taken),
                f"{ratio:.2f}",
                f"{100 * budget['done']:.1f} %",
                f"{budget['memory_bytes'] / MIB:.0f}",
                f"{summary['peak_memory_bytes'] / MIB:.0f}",
            ]
        )
        print(f"  {case.name}: {ratio:.2f}", file=sys.stderr, flush=True)
    print("\n".join(machine()) + "\n")
    print((markdown if options.markdown else aligned)(rows, ("experiment", "engine")))
    print(f"\n{len(rows) - 1 - outside} of {len(rows) - 1} within a factor of {FACTOR}")
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())
