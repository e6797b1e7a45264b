#!/usr/bin/env python3
"""Compares the packet engine with the flow engine for messages that meet no other, by bandwidth and latency of links.

Every node of one leaf of a tree of two stages sends to its counterpart below the other leaf, each over a spine of its own: three
routers, four links. A message has 10 MB, or ten times what a link carries in the time there and back, whichever is more. What is
printed is the time by packet over the time by flow, and how far the worst is from 1.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from measure import ROOT, aligned, markdown, run_weir

GBIT_PER_S = [10, 25, 100, 200, 400, 800]
LATENCIES_NS = [100, 300, 1_000, 5_000, 20_000]
EXPERIMENT = """[topology]
kind = "fat-tree"
stages = [4, 2]
bandwidth = "{gbit} Gb/s"
latency = "{latency} ns"

[workload]
kind = "permutation"
permutation = "shift"
distance = 2
message_size = "{size} B"
"""


def ratio(weir: Path, folder: Path, gbit: int, latency: int, settings: list[str]) -> float:
    """The time by packet over the time by flow."""
    size = max(10_000_000, 10 * gbit * 2 * latency // 8)
    experiment = folder / "alone.toml"
    experiment.write_text(EXPERIMENT.format(gbit=gbit, latency=latency, size=size), encoding="utf-8")
    flow, packet = (
        run_weir(weir, experiment, [f"engine.kind={kind}", *more]).result["simulated_ps"]
        for kind, more in (("flow", []), ("packet", settings))
    )
    return packet / flow


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weir", type=Path, default=ROOT / "target" / "release" / "weir", help="the weir command")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="of the runs by packet")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    options = parser.parse_args()
    rows, worst = [["packet / flow", *(f"{latency / 1000:g} us" for latency in LATENCIES_NS)]], 0.0
    with tempfile.TemporaryDirectory() as folder:
        for gbit in GBIT_PER_S:
            ratios = [ratio(options.weir, Path(folder), gbit, latency, options.set) for latency in LATENCIES_NS]
            rows.append([f"{gbit} Gb/s", *(f"{one:.4f}" if one < 2 else f"{one:.1f}" for one in ratios)])
            worst = max(worst, *(abs(one - 1) for one in ratios))
    words = ("packet / flow",)
    print(markdown(rows, words) if options.markdown else aligned(rows, words))
    print(f"\nat most {100 * worst:.2g} % apart")
    return 0


if __name__ == "__main__":
    sys.exit(main())
