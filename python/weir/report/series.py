"""Tables of links over time, brought into so few pictures that a page can hold them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from weir import _weir
from weir._weir import Series
from weir.report import units
from weir.results import Results, reading

__all__ = ["Series", "read"]

#: Most pictures of a page, and most values of them together.
FRAMES = 240
CELLS = 1 << 23


def read(results: Results, capacity: Sequence[float], wires: Sequence[float], drawn: int) -> Series | None:
    """The series of a run on links of these capacities (bytes/s) and numbers of wires; `drawn` values a picture are
    kept in the page. `None` if none was recorded, or none is left.

    Its quantities are `utilization`, `busy` and `buffers`: mean packets in the input buffers behind each link, all
    virtual channels together.
    """
    if not results.has("series/links"):
        return None
    grid = _grid(results, max(2, min(FRAMES, CELLS // max(1, drawn))))
    if grid is None:
        return None
    links = results.files("series/links", ["start_ps", "link", "bytes", "busy_ps"])
    has_buffers = results.has("series/buffers")
    buffers = results.files("series/buffers", ["start_ps", "link", "mean_packets"]) if has_buffers else []
    return reading(Series.read, grid, links, buffers, capacity, wires)


def _starts(results: Results, table: str) -> list[int]:
    """When the intervals of a table begin."""
    return reading(_weir.table_values, results.files(table, ["start_ps"]), "start_ps")


@dataclass(frozen=True)
class _Grid:
    """Pictures in time: equal stretches, but for the first, of which the warm-up is no part, and the last."""

    first: int
    step: int
    interval: int
    begin: int
    end: int
    count: int


def _grid(results: Results, most: int) -> _Grid | None:
    """At most so many pictures, each of a whole number of intervals; `None` if a run that was killed has left none."""
    seen = _starts(results, "series/links")
    if not results.complete and results.has("series/buffers"):
        # Tables of a run that was killed end one here, one there: pictures go as far as all of them.
        until = max(_starts(results, "series/buffers"), default=-1)
        seen = [start for start in seen if start <= until]
        if not seen:
            return None
    experiment = results.summary.get("experiment", {})
    said = units.picoseconds(experiment.get("output", {}).get("sample_interval", ""))
    steps = [after - before for before, after in zip(seen, seen[1:], strict=False)]
    interval = max(1, said or (math.gcd(*steps) if steps else max(seen, default=1)))
    begin = units.picoseconds(experiment.get("workload", {}).get("warmup", "")) or 0
    last = max(seen, default=0)
    end = max(int(results.summary.get("simulated_ps") or last + interval), last + 1)
    first = begin // interval * interval
    count = -(-(end - first) // interval)
    group = -(-count // most)
    return _Grid(first, group * interval, interval, begin, end, -(-count // group))
