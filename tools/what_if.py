#!/usr/bin/env python3
"""Compares what `weir explain FOLDER` predicts of changes with runs that have them.

Five workloads on 64 ranks, in order on a torus (flow engine) and a fat tree (packet engine), and at random on both, where messages meet: each with
the two causes that take longest and the class of links that takes longest. Prints a table; the error is predicted over taken.
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
WORDS = ("workload", "ranks", "machine", "engine", "less of", "of the run", "predicted", "run again", "error")


def explained(weir: str, folder: Path, text: str, less: float) -> dict:
    """The answer for an experiment."""
    experiment = folder / "experiment.toml"
    experiment.write_text(text, encoding="utf-8")
    out = str(folder / "results")
    subprocess.run([weir, "run", "-q", str(experiment), "--out", out], check=True, stdout=subprocess.DEVNULL)
    command = [weir, "explain", out, "--check", "--json", "--less", str(less)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def rows(weir: str, less: float) -> list[list[str]]:
    """A row for each case."""
    found = []
    engines = {"flow": "torus", "packet": "fat tree"}
    cases = itertools.product(WORKLOADS.items(), ("linear", "random"), engines.items())
    for (workload, experiment), mapping, (engine, name) in cases:
        text = (
            f'title = "x"\n[output]\ncauses = true\n[engine]\nkind = "{engine}"\n[mapping]\nkind = "{mapping}"\n'
            f"{MACHINES[name]}{NODE}{experiment}"
        )
        with tempfile.TemporaryDirectory() as folder:
            answer = explained(weir, Path(folder), text, less)
        whole = answer["simulated_ps"]
        tried = [remedy for remedy in answer["what_if"] if remedy["again_ps"]]
        causes = [remedy for remedy in tried if "cause" in remedy][:2]
        classes = [remedy for remedy in tried if "class" in remedy][:1]
        for remedy in causes + classes:
            best, again = remedy["at_best_ps"], remedy["again_ps"]
            figures = (remedy["time_ps"] / whole, 1 - best / whole, 1 - again / whole, best / again - 1)
            shown = [f"{100 * figure:.1f} %" for figure in figures]
            what = remedy.get("cause") or remedy["class"]
            found.append([workload, mapping, name, engine, what, *shown])
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
