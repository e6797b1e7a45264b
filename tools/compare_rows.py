"""What the parts of `make compare` share: rows with their verdicts, what processes use, and where things are."""

import os
import re
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bench_mpi import largest_below
from measure import MIB

#: Prints the name of the case that runs next.
Report = Callable[[str], None]

TIMEOUT = 300  # seconds after which a process is stopped
AGREES, MISSES, NOT_JUDGED = "agrees", "**misses**", "not judged"


@dataclass
class Used:
    """What a process has printed, and what it has used. Seconds are those on the CPU, of its children too."""

    output: str
    errors: str
    seconds: float
    mib: float


@dataclass
class Row:
    """Something that both simulators say."""

    case: str
    what: str
    weir: str
    other: str
    # How far they are apart, and how far they may be; without the latter nothing is judged.
    apart: float
    allowed: float | None
    # The note below the table that says why they must agree, or why they need not.
    note: str
    unit: str = ""

    def verdict(self) -> str:
        if self.allowed is None:
            return NOT_JUDGED
        return AGREES if self.apart <= self.allowed else MISSES

    def cells(self) -> list[str]:
        allowed = "" if self.allowed is None else difference(self.allowed, self.unit)
        apart = difference(self.apart, self.unit)
        return [self.case, self.what, self.weir, self.other, apart, allowed, self.verdict(), self.note]


@dataclass
class Cost:
    """What the same case took both."""

    case: str
    weir: Used
    other: Used

    def cells(self) -> list[str]:
        seconds = self.other.seconds / max(self.weir.seconds, 1e-3)
        memory = self.other.mib / self.weir.mib
        return [
            self.case,
            f"{self.weir.seconds:.3g}",
            f"{self.other.seconds:.3g}",
            ratio(seconds),
            f"{self.weir.mib:.0f}",
            f"{self.other.mib:.0f}",
            ratio(memory),
        ]


@dataclass
class Part:
    """The comparison with one simulator."""

    title: str
    other: str  # name of the column
    version: str
    how: str  # what was made alike, in a paragraph
    notes: dict[str, str]
    rows: list[Row] = field(default_factory=list)
    costs: list[Cost] = field(default_factory=list)


@dataclass
class Places:
    """The commands, and a folder for what they write."""

    weir: Path
    caminos: Path | None
    replay: Path | None  # benches/simgrid/replay.cpp, compiled
    folder: Path


def ratio(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def difference(value: float, unit: str) -> str:
    """A part, or so many of a unit."""
    if unit:
        return f"{value:.2f} {unit}"
    return "0" if value == 0 else f"{value:.0e}" if value < 1e-3 else f"{100 * value:.2f} %"


def part_of(found: float, expected: float) -> float:
    """How far two numbers are apart, as a part of the second."""
    if found == expected:
        return 0.0
    return abs(found - expected) / abs(expected) if expected else float("inf")


def seconds_of(value: float) -> str:
    """Simulated seconds, with a unit in which they are readable, and nine digits."""
    for factor, name in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
        if value >= factor:
            return f"{value / factor:.9g} {name}"
    return f"{value * 1e9:.9g} ns"


def run(command: list, folder: Path) -> Used:
    """Runs a command to its end; its memory is the largest that any of its processes has had."""
    output = folder / "stdout"
    words = [str(word) for word in command]
    with output.open("w") as file, (folder / "stderr").open("w") as errors:
        process = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=file, stderr=errors)
        peak, end, used = 0, time.monotonic() + TIMEOUT, None
        while used is None:
            time.sleep(0.005)
            peak = max(peak, largest_below(process.pid))
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid != 0:
                process.returncode, used = os.waitstatus_to_exitcode(status), usage
            elif time.monotonic() > end:
                process.kill()
    if process.returncode != 0:
        last = (folder / "stderr").read_text().strip().splitlines()[-1:]
        raise RuntimeError(f"exit status {process.returncode}: {' '.join(words)}: {''.join(last)}")
    text = output.read_text()
    # Not ru_maxrss: Linux lets a process inherit that of the one which started it. Some are done before they are looked at.
    said = re.search(r'"peak_memory_bytes": ?(\d+)', text)
    return Used(
        text, (folder / "stderr").read_text(), used.ru_utime + used.ru_stime, int(said[1]) / MIB if said else peak / MIB
    )
