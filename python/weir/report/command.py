"""Questions that only the command `weir` answers: lower bounds, and the routes over given links."""

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from weir.command import find
from weir.report.columns import numbers
from weir.report.texts import Words, same, words
from weir.results import Results

#: Seconds after which a question is given up.
PATIENCE = 120


@dataclass(frozen=True)
class Routes:
    """The pairs of ranks whose routes cross each of some links; or why they are not known."""

    by_link: dict[int, dict[str, Any]]
    why_not: Words | None = None


def bound(results: Results) -> int | None:
    """The largest lower bound of the simulated time in picoseconds; `None` where there is none: for programs, and where
    nothing leaves its node.
    """
    summary = results.summary
    if not results.complete:
        return None
    workload = summary.get("experiment", {}).get("workload", {}).get("kind")
    command = find()
    if not command or workload in (None, "program", "synthetic") or summary.get("engine") == "ideal":
        return None
    answer = _ask(summary, [command, "bound", "--json"], [])
    try:
        best = json.loads(answer.stdout)["best_ps"] if answer and answer.returncode == 0 else None
    except (ValueError, KeyError):
        return None
    return int(best) if best else None


def routes(results: Results, links: list[int]) -> Routes:
    """The routes over these links, of the pairs of ranks that the run has recorded."""
    if not results.has("pairs"):
        return Routes({}, words("would_record", setting="output.pairs = true"))
    block = int(results.metadata("pairs").get("weir.ranks_per_block", "1"))
    if block > 1:
        return Routes({}, words("routes_coarse", ranks=block))
    command = find()
    if not command:
        return Routes({}, words("routes_no_command"))
    table = results.table("pairs", ["from", "to", "bytes"])
    table = table.take(pc.sort_indices(table, [("bytes", "descending"), ("from", "ascending"), ("to", "ascending")]))
    with tempfile.TemporaryDirectory() as scratch:
        pairs = Path(scratch) / "pairs"
        rows = np.stack([numbers(table[name]) for name in ("from", "to", "bytes")], axis=1)
        np.savetxt(pairs, rows, fmt="%d")
        over = ",".join(map(str, links))
        options = ["--pairs", str(pairs), "--over", over, "--ranks", str(results.summary.get("ranks", 0))]
        answer = _ask(results.summary, [command, "routes", "--json"], options)
    if answer is None or answer.returncode != 0:
        lines = answer.stderr.strip().splitlines() if answer else []
        return Routes({}, words("routes_failed", why=same(lines[0] if lines else f"more than {PATIENCE} s")))
    found = [json.loads(line) for line in answer.stdout.splitlines()]
    return Routes({one["link"]: one for one in found})


def _ask(summary: dict[str, Any], command: list[str], options: list[str]) -> subprocess.CompletedProcess[str] | None:
    """Runs the command on the experiment of a summary; `None` if it takes too long or does not start."""
    with tempfile.TemporaryDirectory() as scratch:
        experiment = Path(scratch) / "experiment.json"
        experiment.write_text(json.dumps(summary.get("experiment", {})), encoding="utf-8")
        try:
            return subprocess.run(
                [*command, str(experiment), *options], capture_output=True, text=True, timeout=PATIENCE, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
