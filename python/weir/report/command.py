"""Questions that only the command `weir` answers: lower bounds, and the routes over given links."""

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.command import find
from weir.report.texts import Words, same, words
from weir.results import Results
from weir.summary import Summary

#: Seconds after which a question is given up.
TIMEOUT = 120
#: Of larger machines the page has no routes from any node to any other: they grow with the square.
MOST_NODES = 128
#: Of more ranks the page does not say where they are.
MOST_RANKS = 1 << 16


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
    columns = results.columns("pairs", ["from", "to", "bytes"]).values()
    rows = sorted(zip(*columns, strict=True), key=lambda row: (-row[2], row))
    with tempfile.TemporaryDirectory() as scratch:
        pairs = Path(scratch) / "pairs"
        pairs.write_text("".join(f"{one} {other} {size}\n" for one, other, size in rows), encoding="utf-8")
        over = ",".join(map(str, links))
        options = ["--pairs", str(pairs), "--over", over, "--ranks", str(results.summary.get("ranks", 0))]
        answer = _ask(results.summary, [command, "routes", "--json"], options)
    if answer is None or answer.returncode != 0:
        lines = answer.stderr.strip().splitlines() if answer else []
        return Routes({}, words("routes_failed", why=same(lines[0] if lines else f"more than {TIMEOUT} s")))
    found = [json.loads(line) for line in answer.stdout.splitlines()]
    return Routes({one["link"]: one for one in found})


def nodes_of_ranks(results: Results) -> list[int] | None:
    """The node of each rank; `None` if there are too many, or only the command knows and is not there."""
    summary = results.summary
    ranks = int(summary.get("ranks") or 0)
    if not 0 < ranks <= MOST_RANKS:
        return None
    if not summary.get("experiment", {}).get("mapping"):
        return list(range(ranks)) if ranks <= int(summary.get("nodes") or 0) else None
    found = _routes_of(summary, [(rank, rank) for rank in range(ranks)], ranks)
    return [one["from_node"] for one in found] if found else None


def routes_of_nodes(results: Results) -> list[list[int]] | None:
    """The links of the route of every pair of nodes, that from node a to node b at place a n + b; `None` if there are
    too many nodes, or the command is not there. Nodes that cannot reach each other have an empty one.
    """
    nodes = int(results.summary.get("nodes") or 0)
    if not 1 < nodes <= MOST_NODES:
        return None
    experiment = {key: value for key, value in results.summary.get("experiment", {}).items() if key != "mapping"}
    pairs = [(one, other) for one in range(nodes) for other in range(nodes)]
    found = _routes_of({"experiment": experiment}, pairs, nodes)
    return [one["links"] or [] for one in found] if found else None


def _routes_of(summary: Summary, pairs: list[tuple[int, int]], ranks: int) -> list[dict[str, Any]] | None:
    command = find()
    if not command:
        return None
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "pairs"
        file.write_text("".join(f"{one} {other}\n" for one, other in pairs), encoding="utf-8")
        answer = _ask(summary, [command, "routes", "--json"], ["--pairs", str(file), "--ranks", str(ranks)])
    if answer is None or answer.returncode != 0:
        return None
    found = [json.loads(line) for line in answer.stdout.splitlines()]
    return found if len(found) == len(pairs) else None


def _ask(summary: Summary, command: list[str], options: list[str]) -> subprocess.CompletedProcess[str] | None:
    """Runs the command on the experiment of a summary; `None` if it takes too long or does not start."""
    with tempfile.TemporaryDirectory() as scratch:
        experiment = Path(scratch) / "experiment.json"
        experiment.write_text(json.dumps(summary.get("experiment", {})), encoding="utf-8")
        try:
            return subprocess.run(
                [*command, str(experiment), *options], capture_output=True, text=True, timeout=TIMEOUT, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
