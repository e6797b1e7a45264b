#!/usr/bin/env python3
"""Measures what it costs to keep results, and prints one table.

Uniform traffic at a load of 0.3 on a torus of 16 x 16 x 16 nodes: without a folder, with a folder (summary, places,
links, latencies), and with samples of every link, buffer and latency each microsecond. Each is run several times in turn,
so that whatever else the computer does hits all alike; the least CPU time of each counts, which with one thread is its
time on the wall where nothing else runs. With `--before` another build of weir
runs in turn too, without a folder: what not keeping anything costs.

docs/reference/benchmarks.md shows a table.
"""

import argparse
import shutil
import tempfile
from pathlib import Path

from measure import ROOT, run

EXPERIMENT = ROOT / "benches" / "packet" / "torus-uniform.toml"
SETTINGS = ["topology.shape=[16,16,16]", "workload.offered_load=0.3", "workload.warmup=0 us"]
SAMPLED = "output.sample_interval=1 us"


def run_once(weir: Path, settings: list[str], folder: Path | None) -> tuple[dict, float]:
    """The summary of a run, and its CPU seconds."""
    words = [word for setting in settings for word in ("--set", setting)]
    command = [str(weir), "run", "--quiet", "--json", str(EXPERIMENT), *words]
    if folder:
        command += ["--out", str(folder)]
    return run(command)


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--weir", type=Path, default=ROOT / "target" / "release" / "weir")
    options.add_argument("--before", type=Path, help="another build of weir, to compare with")
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--duration", default="100 us", help="simulated time")
    options.add_argument("--threads", type=int, default=1)
    chosen = options.parse_args()
    settings = [*SETTINGS, f"workload.duration={chosen.duration}", f"engine.threads={chosen.threads}"]
    scratch = Path(tempfile.mkdtemp(prefix="weir-bench-record-"))
    cases = {
        "nothing": (chosen.weir, settings, None),
        "summary and tables of the whole run": (chosen.weir, settings, scratch / "whole"),
        "every link, buffer and latency each us": (chosen.weir, [*settings, SAMPLED], scratch / "series"),
    }
    if chosen.before:
        cases = {"nothing, the build before": (chosen.before, settings, None), **cases}
    least: dict[str, float] = {}
    hops = {}
    try:
        for _ in range(chosen.runs):
            for name, (weir, words, folder) in cases.items():
                summary, seconds = run_once(weir, words, folder)
                least[name] = min(seconds, least.get(name, seconds))
                hops[name] = summary["packet_hops"]
        base = least["nothing"]
        print("| kept | CPU s | of nothing kept | M hops/s | MB written |")
        print("|---|--:|--:|--:|--:|")
        for name, (_, _, folder) in cases.items():
            written = f"{size(folder) / 1e6:.1f}" if folder else "0"
            part = least[name] / base
            print(f"| {name} | {least[name]:.2f} | {part:.3f} | {hops[name] / least[name] / 1e6:.2f} | {written} |")
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
