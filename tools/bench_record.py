#!/usr/bin/env python3
"""Measures what it costs to keep results, and prints one table.

Uniform traffic at a load of 0.3 on a torus of 16 x 16 x 16 nodes: without a folder, with a folder (summary, places,
links, latencies), with samples of every link each microsecond, and with samples of every link, buffer and latency. Each is
run several times in turn, so that whatever else the computer does hits all alike. A ratio is that of the medians, to
`nothing` of the same turns; both of the clock on the wall, which is what a user waits, and of CPU time, in which threads
that write while the run goes on are counted too. With `--before` another build of weir runs in turn, without a folder:
what not keeping anything costs; and with one, if it is asked for with `--before-keeps`.

docs/reference/benchmarks.md shows a table.
"""

import argparse
import shutil
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from measure import ROOT, machine, run

EXPERIMENT = ROOT / "benches" / "packet" / "torus-uniform.toml"
SETTINGS = ["topology.shape=[16,16,16]", "workload.offered_load=0.3", "workload.warmup=0 us"]
SAMPLED = "output.sample_interval=1 us"
LINKS = 'output.series=["links"]'
NOTHING = "nothing"


@dataclass
class Case:
    """What is run, and what was measured of it."""

    weir: Path
    settings: list[str]
    folder: Path | None
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    hops: int = 0

    def run_once(self) -> None:
        words = [word for setting in self.settings for word in ("--set", setting)]
        command = [str(self.weir), "run", "--quiet", "--json", str(EXPERIMENT), *words]
        if self.folder:
            # Removing what the run before has left is no part of a run.
            shutil.rmtree(self.folder, ignore_errors=True)
            command += ["--out", str(self.folder)]
        began = time.monotonic()
        summary, seconds = run(command)
        self.wall.append(time.monotonic() - began)
        self.cpu.append(seconds)
        self.hops = summary["packet_hops"]


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--weir", type=Path, default=ROOT / "target" / "release" / "weir")
    options.add_argument("--before", type=Path, help="another build of weir, to compare with")
    options.add_argument("--before-keeps", action="store_true", help="run that build also with samples of everything")
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--duration", default="100 us", help="simulated time")
    options.add_argument("--threads", type=int, default=1)
    chosen = options.parse_args()
    settings = [*SETTINGS, f"workload.duration={chosen.duration}", f"engine.threads={chosen.threads}"]
    scratch = Path(tempfile.mkdtemp(prefix="weir-bench-record-"))
    cases = {
        NOTHING: Case(chosen.weir, settings, None),
        "summary and tables of the whole run": Case(chosen.weir, settings, scratch / "whole"),
        "every link each us": Case(chosen.weir, [*settings, SAMPLED, LINKS], scratch / "links"),
        "every link, buffer and latency each us": Case(chosen.weir, [*settings, SAMPLED], scratch / "series"),
    }
    if chosen.before:
        cases["nothing, the build before"] = Case(chosen.before, settings, None)
        if chosen.before_keeps:
            folder = scratch / "before"
            cases["every link, buffer and latency, the build before"] = Case(
                chosen.before, [*settings, SAMPLED], folder
            )
    try:
        for _ in range(chosen.runs):
            for case in cases.values():
                case.run_once()
        base = cases[NOTHING]
        print("| kept | wall s | of nothing kept | CPU s | of nothing kept | M hops/s | MB written |")
        print("|---|--:|--:|--:|--:|--:|--:|")
        for name, case in cases.items():
            written = f"{size(case.folder) / 1e6:.1f}" if case.folder else "0"
            wall, cpu = statistics.median(case.wall), statistics.median(case.cpu)
            parts = [wall / statistics.median(base.wall), cpu / statistics.median(base.cpu)]
            cells = [name, f"{wall:.2f}", f"{parts[0]:.3f}", f"{cpu:.2f}", f"{parts[1]:.3f}"]
            print("| " + " | ".join([*cells, f"{case.hops / cpu / 1e6:.2f}", written]) + " |")
        print("\n" + "\n".join(machine()))
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
