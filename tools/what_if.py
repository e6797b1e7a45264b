#!/usr/bin/env python3
"""Compares what `weir why FOLDER` predicts of changes with runs that have them.

Seven workloads on 64 ranks, in order on a torus (flow engine) and a fat tree (packet engine), and at random on both, where messages meet: each with
the two causes that take longest, and the class of links, the link and the rank's work that take longest. One has a rank that works longer than the
others, one a cable of a tenth of the speed. Prints a table; the error is predicted over taken. Of collectives it has the best other algorithm, which
nothing predicts.
"""

import argparse
import itertools
import json
import subprocess
import tempfile
from pathlib import Path

from measure import aligned, machine, markdown

MACHINES = {
    "torus": """[topology]
kind = "torus"
shape = [4, 4, 4]
bandwidth = "10 GB/s"
latency = "200 ns"
""",
    "fat tree": """[topology]
kind = "fat-tree"
radix = 8
bandwidth = "10 GB/s"
latency = "200 ns"
""",
}
NODE = """[node]
send_overhead = "400 ns"
receive_overhead = "400 ns"
"""
COLLECTIVE = """[workload]
kind = "collective"
operation = "{}"
algorithm = "{}"
message_size = "{}"
ranks = 64
"""
WORKLOADS = {
    "all-reduce, 1 kB": COLLECTIVE.format("allreduce", "recursive-doubling", "1 kB"),
    "all-reduce ring, 256 kB": COLLECTIVE.format("allreduce", "ring", "256 kB"),
    "broadcast, 100 kB": COLLECTIVE.format("bcast", "binomial", "100 kB"),
    "all-to-all, 128 kB": COLLECTIVE.format("alltoall", "pairwise", "128 kB"),
    "all-gather, 1280 kB": COLLECTIVE.format("allgather", "ring", "1280 kB"),
}
#: A cable between routers that each machine has, ten times as slow as the others.
SLOW = {
    "torus": "[[faults]]\ncable = 'router (1,0,0) - router (2,0,0)'\nspeed = 0.1\n",
    "fat tree": "[[faults]]\ncable = 'leaf 0 - middle 0'\nspeed = 0.1\n",
}
WITH_PROFILE = "straggler, 20 steps"
WITH_SLOW_CABLE = "slow cable, 64 kB"
WORDS = ("workload", "ranks", "machine", "engine", "less of", "of the run", "predicted", "run again", "error")


def profile() -> str:
    """Twenty steps of 50 us of work, of rank 21 of 70 us, and an all-reduce of 1 kB."""
    lines = ["weir-profile 1", "ranks 64"]
    for _ in range(20):
        for rank in range(64):
            lines += [f"{rank} compute {70 if rank == 21 else 50} us", f"{rank} allreduce 1 kB element 8"]
    return "\n".join([*lines, *(f"{rank} end" for rank in range(64)), ""])


def workload(name: str, machine: str, folder: Path) -> str:
    """The experiment's keys for a workload."""
    if name == WITH_PROFILE:
        file = folder / "straggler.profile"
        file.write_text(profile(), encoding="utf-8")
        return f"[workload]\nkind = 'profile'\nfile = '{file}'\n"
    if name == WITH_SLOW_CABLE:
        return COLLECTIVE.format("alltoall", "pairwise", "64 kB") + SLOW[machine]
    return WORKLOADS[name]


def explained(weir: str, folder: Path, text: str, less: float) -> dict:
    """The answer for an experiment."""
    experiment = folder / "experiment.toml"
    experiment.write_text(text, encoding="utf-8")
    out = str(folder / "results")
    subprocess.run([weir, "run", "-q", str(experiment), "--out", out], check=True, stdout=subprocess.DEVNULL)
    command = [weir, "why", out, "--check", "--json", "--less", str(less)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def rows(weir: str, less: float) -> list[list[str]]:
    """A row for each case."""
    found = []
    engines = {"flow": "torus", "packet": "fat tree"}
    cases = itertools.product([*WORKLOADS, WITH_PROFILE, WITH_SLOW_CABLE], ("linear", "random"), engines.items())
    for name, mapping, (engine, where) in cases:
        with tempfile.TemporaryDirectory() as folder:
            text = (
                f'title = "x"\n[output]\ncauses = true\n[engine]\nkind = "{engine}"\n[mapping]\nkind = "{mapping}"\n'
                f"{MACHINES[where]}{NODE}{workload(name, where, Path(folder))}"
            )
            answer = explained(weir, Path(folder), text, less)
        whole = answer["simulated_ps"]
        # What larger buffers change, which are tried for less waiting for credits, nothing predicts.
        tried = [remedy for remedy in answer["what_if"] if remedy["again_ps"] and remedy.get("cause") != "credits"]
        for kind, most in {"cause": 2, "class": 1, "link": 1, "work_of_rank": 1, "call": 1}.items():
            for remedy in [remedy for remedy in tried if kind in remedy][:most]:
                share, gain = remedy["time_ps"] / whole, 1 - remedy["again_ps"] / whole
                what = f"rank {remedy[kind]}" if kind == "work_of_rank" else str(remedy[kind])
                if kind == "call":
                    shown = [f"{100 * share:.1f} %", "", f"{100 * gain:.1f} %", ""]
                    found.append([name, mapping, where, engine, f"{what}: {remedy['algorithm']}", *shown])
                    continue
                figures = (share, 1 - remedy["at_best_ps"] / whole, gain, remedy["at_best_ps"] / remedy["again_ps"] - 1)
                found.append([name, mapping, where, engine, what, *(f"{100 * figure:.1f} %" for figure in figures)])
    return found


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weir", required=True, help="the command")
    parser.add_argument("--less", type=float, default=10, help="per cent by which each cause takes less")
    parser.add_argument("--markdown", action="store_true")
    given = parser.parse_args()
    table = [list(WORDS), *rows(given.weir, given.less)]
    print(*machine(), sep="\n", end="\n\n")
    print((markdown if given.markdown else aligned)(table, WORDS[:5]))


if __name__ == "__main__":
    main()
