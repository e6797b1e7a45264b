"""Tables of links over time, brought into so few pictures that a page can hold them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weir.report import units
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


def read(results: Results, capacity: Floats, drawn: int) -> Series | None:
    """The series of a run on links of these capacities (bytes/s); `drawn` values a picture are kept in the page. `None`
    if none was recorded.
    """
    if not results.has("series/links"):
        return None
    interval, first, last = _interval(results)
    end = int(results.summary.get("simulated_ps") or last + interval)
    end = max(end, last + 1)
    count = -(-(end - first) // interval)
    most = max(2, min(FRAMES, CELLS // max(1, drawn)))
    group = -(-count // most)
    step = group * interval
    frames = -(-count // group)
    links = len(capacity)
    sums = {"bytes": np.zeros(frames * links), "busy_ps": np.zeros(frames * links)}
    for batch in results.batches("series/links", ["start_ps", "link", "bytes", "busy_ps"]):
        cell = (batch["start_ps"].to_numpy().astype(np.int64) - first) // step * links + batch["link"].to_numpy()
        for name, total in sums.items():
            column = batch[name].fill_null(0).to_numpy(zero_copy_only=False).astype(float)
            np.add.at(total, cell, column)
    starts = first + step * np.arange(frames)
    lengths = np.diff(np.append(starts, end)).astype(float)[:, None]
    values = {"utilization": sums["bytes"].reshape(frames, links) / (capacity * lengths * 1e-12)}
    if sums["busy_ps"].any():
        values["busy"] = sums["busy_ps"].reshape(frames, links) / lengths
    if results.has("series/buffers"):
        values["buffers"] = _buffers(results, starts, step, interval, links)
    return Series(starts, end, int(group), values)


def _buffers(results: Results, starts: Ints, step: int, interval: int, links: int) -> Floats:
    """Mean packets in the input buffers behind each link, all virtual channels together."""
    total = np.zeros(len(starts) * links)
    for batch in results.batches("series/buffers", ["start_ps", "link", "mean_packets"]):
        frame = (batch["start_ps"].to_numpy().astype(np.int64) - int(starts[0])) // step
        frame = np.clip(frame, 0, len(starts) - 1)
        np.add.at(total, frame * links + batch["link"].to_numpy(), batch["mean_packets"].to_numpy())
    return total.reshape(len(starts), links) * interval / step


def _interval(results: Results) -> tuple[int, int, int]:
    """Length of a recorded interval, and the beginnings of the first and the last, in picoseconds."""
    seen = np.array([], np.int64)
    for batch in results.batches("series/links", ["start_ps"]):
        seen = np.union1d(seen, np.unique(batch["start_ps"].to_numpy().astype(np.int64)))
    output = results.summary.get("experiment", {}).get("output", {})
    said = units.picoseconds(output.get("sample_interval", ""))
    told = int(np.gcd.reduce(np.diff(seen))) if len(seen) > 1 else int(seen.max(initial=1))
    interval = said or told
    first = int(seen.min(initial=0))
    warmup = first if _has_warmup(results) else 0
    return max(1, interval), warmup, int(seen.max(initial=0))


def _has_warmup(results: Results) -> bool:
    return "warmup" in results.summary.get("experiment", {}).get("workload", {})
