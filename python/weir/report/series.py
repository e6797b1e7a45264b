"""Tables of links over time, brought into so few pictures that a page can hold them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from weir.report import units
from weir.report.columns import numbers
from weir.results import Results

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Most pictures of a page, and most values of them together.
FRAMES = 240
CELLS = 1 << 23


@dataclass(frozen=True)
class Series:
    """Values of all links in equal stretches of simulated time."""

    #: Picoseconds at which each picture begins, and at which the last one ends.
    starts: Ints
    end: int
    #: Recorded intervals in a picture.
    intervals: int
    #: By quantity: [picture, link].
    values: dict[str, Floats]

    @property
    def lengths(self) -> Floats:
        """Picoseconds of each picture."""
        return np.diff(np.append(self.starts, self.end)).astype(float)

    def mean(self, quantity: str) -> Floats:
        """By link: the mean of a quantity over all pictures."""
        lengths = self.lengths[:, None]
        mean: Floats = (self.values[quantity] * lengths).sum(0) / lengths.sum()
        return mean


def read(results: Results, capacity: Floats, wires: Floats, drawn: int) -> Series | None:
    """The series of a run on links of these capacities (bytes/s) and numbers of wires; `drawn` values a picture are
    kept in the page. `None` if none was recorded, or none is left.
    """
    if not results.has("series/links"):
        return None
    grid = _grid(results, max(2, min(FRAMES, CELLS // max(1, drawn))))
    if grid is None:
        return None
    count, links = len(grid.starts), len(capacity)
    sums = {"bytes": np.zeros(count * links), "busy_ps": np.zeros(count * links)}
    for batch in results.batches("series/links", ["start_ps", "link", "bytes", "busy_ps"]):
        frame = grid.frame(numbers(batch["start_ps"]))
        chosen = frame >= 0
        cell = (frame * links + numbers(batch["link"]))[chosen]
        for name, total in sums.items():
            column = numbers(batch[name]).astype(float)
            np.add.at(total, cell, column[chosen])
    lengths = grid.lengths[:, None]
    values = {"utilization": sums["bytes"].reshape(count, links) / (capacity * lengths * 1e-12)}
    if sums["busy_ps"].any():
        values["busy"] = sums["busy_ps"].reshape(count, links) / (lengths * wires)
    if results.has("series/buffers"):
        values["buffers"] = _buffers(results, grid, links)
    return Series(grid.starts, grid.end, grid.step // grid.interval, values)


def _starts(results: Results, table: str) -> Ints:
    """When the intervals of a table begin."""
    seen = np.array([], np.int64)
    for batch in results.batches(table, ["start_ps"]):
        seen = np.union1d(seen, np.unique(numbers(batch["start_ps"]).astype(np.int64)))
    return seen


@dataclass(frozen=True)
class _Grid:
    """Pictures in time: equal stretches, but for the first, of which the warm-up is no part, and the last."""

    first: int
    step: int
    interval: int
    begin: int
    end: int
    count: int

    @property
    def starts(self) -> Ints:
        return np.maximum(self.first + self.step * np.arange(self.count), self.begin)

    @property
    def lengths(self) -> Floats:
        return np.diff(np.append(self.starts, self.end)).astype(float)

    def frame(self, start: npt.NDArray[Any]) -> Ints:
        """The picture of each interval; -1 for those of the warm-up, and those after the end."""
        frame: Ints = (start.astype(np.int64) - self.first) // self.step
        return np.where(start < self.end, np.clip(frame, -1, self.count - 1), -1)

    def length(self, start: npt.NDArray[Any]) -> Ints:
        """How much of an interval belongs to its picture."""
        begin = start.astype(np.int64)
        inside: Ints = np.minimum(begin + self.interval, self.end) - np.maximum(begin, self.begin)
        return np.maximum(inside, 0)


def _grid(results: Results, most: int) -> _Grid | None:
    """At most so many pictures, each of a whole number of intervals; `None` if a run that was killed has left none."""
    seen = _starts(results, "series/links")
    if not results.complete and results.has("series/buffers"):
        # Tables of a run that was killed end one here, one there: pictures go as far as all of them.
        seen = seen[seen <= _starts(results, "series/buffers").max(initial=-1)]
        if len(seen) == 0:
            return None
    experiment = results.summary.get("experiment", {})
    said = units.picoseconds(experiment.get("output", {}).get("sample_interval", ""))
    found = int(np.gcd.reduce(np.diff(seen))) if len(seen) > 1 else int(seen.max(initial=1))
    interval = max(1, said or found)
    begin = units.picoseconds(experiment.get("workload", {}).get("warmup", "")) or 0
    last = int(seen.max(initial=0))
    end = max(int(results.summary.get("simulated_ps") or last + interval), last + 1)
    first = begin // interval * interval
    count = -(-(end - first) // interval)
    group = -(-count // most)
    return _Grid(first, group * interval, interval, begin, end, -(-count // group))


def _buffers(results: Results, grid: _Grid, links: int) -> Floats:
    """Mean packets in the input buffers behind each link, all virtual channels together."""
    total = np.zeros(len(grid.starts) * links)
    for batch in results.batches("series/buffers", ["start_ps", "link", "mean_packets"]):
        start = numbers(batch["start_ps"])
        frame = grid.frame(start)
        chosen = frame >= 0
        weighed = numbers(batch["mean_packets"]) * grid.length(start)
        np.add.at(total, (frame * links + numbers(batch["link"]))[chosen], weighed[chosen])
    return total.reshape(len(grid.starts), links) / grid.lengths[:, None]
