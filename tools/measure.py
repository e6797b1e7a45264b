"""What the scripts of `make bench` share: runs of a process, facts about the computer, tables, options."""

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MIB = 2**20

QUICK, PLAIN, FULL = range(3)  # how much is run: a level has everything of the levels before it
ONCE = 10  # CPU seconds from which on one run is enough


@dataclass
class Measured:
    """What a process has used, and what it has printed."""

    seconds: float
    mib: float
    result: dict


def run(command: list[str]) -> tuple[dict, float]:
    """Runs a command that prints one JSON object; returns it with the CPU seconds of the process."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert process.stdout is not None
    output = process.stdout.read()
    process.stdout.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"exit status {process.returncode}: {' '.join(command)}")
    return json.loads(output), used.ru_utime + used.ru_stime


def run_weir(weir: Path, experiment: Path, settings: list[str]) -> Measured:
    """Runs an experiment with these settings, `key=value`."""
    words = [word for setting in settings for word in ("--set", setting)]
    summary, seconds = run([str(weir), "run", "--quiet", "--json", str(experiment), *words])
    # Not ru_maxrss: Linux lets a process inherit that of the one which started it, here 14 MiB of Python.
    return Measured(seconds, summary["peak_memory_bytes"] / MIB, summary)


def run_often(name: str, once: Callable[[], Measured], runs: int) -> tuple[Measured, int]:
    """The run with the median of the seconds, and how many runs there were."""
    measured = [once()]
    while len(measured) < runs and measured[0].seconds < ONCE:
        measured.append(once())
    digests = {one.result["digest"] for one in measured}
    if len(digests) > 1:
        raise RuntimeError(f"{name}: runs of the same experiment differ")
    median = statistics.median_low(one.seconds for one in measured)
    return next(one for one in measured if one.seconds == median), len(measured)


def seconds_text(seconds: float) -> str:
    """Three digits."""
    return f"{seconds:.3f}" if seconds < 1 else f"{seconds:.2f}" if seconds < 100 else f"{seconds:.0f}"


def aligned(table: list[list[str]], words: tuple[str, ...]) -> str:
    """Columns of words are on the left, columns of numbers on the right."""
    widths = [max(len(cells[i]) for cells in table) for i in range(len(table[0]))]
    lines = []
    for cells in table:
        padded = (
            cell.ljust(width) if column in words else cell.rjust(width)
            for column, cell, width in zip(table[0], cells, widths, strict=True)
        )
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def markdown(table: list[list[str]], words: tuple[str, ...]) -> str:
    """The same as Markdown."""
    rule = ["---" if column in words else "---:" for column in table[0]]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [table[0], rule, *table[1:]])


def command_output(command: list[str]) -> str:
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def commit() -> str:
    try:
        known = command_output(["git", "rev-parse", "--short", "HEAD"])
        changed = command_output(["git", "status", "--porcelain", "--untracked-files=no"])
    except FileNotFoundError:
        return "unknown"
    return (known or "unknown") + (" with changes" if changed else "")


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def machine() -> list[str]:
    """The facts without which no number means anything."""
    load = os.getloadavg()[0]
    return [
        f"machine: {processor()}, {os.cpu_count()} cores, load {load:.1f} at the end",
        f"commit:  {commit()}",
        f"date:    {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}",
    ]


def options_of(description: str) -> argparse.ArgumentParser:
    """The options that all have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--weir", type=Path, default=ROOT / "target" / "release" / "weir", help="the weir command")
    how_much = parser.add_mutually_exclusive_group()
    how_much.add_argument("--quick", action="store_true", help="one run of each case of a few seconds")
    how_much.add_argument("--plain", action="store_true", help="what takes about three minutes (the default)")
    how_much.add_argument("--full", action="store_true", help="also what takes minutes")
    parser.add_argument("--runs", type=int, default=3, help="the median of so many (3); cases above 10 s run once")
    parser.add_argument("--case", metavar="WORD", help="the cases whose name contains the word, however long they take")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    return parser


def level_of(options: argparse.Namespace) -> int:
    """How much is to be run."""
    return QUICK if options.quick else FULL if options.full else PLAIN
