"""Where ranks wait: the functions of a program in which its ranks spend most time standing still."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from weir.report import units
from weir.results import Results

#: Rows of the table.
MOST = 10


@dataclass(frozen=True)
class WaitRow:
    """A row of the table."""

    name: str
    calls: str
    time: str
    waited: str
    #: Of the time of all ranks together; empty if no time has passed.
    share: str
    longest: str
    #: Calls that were not over when the run ended.
    open: int


def waiting(results: Results) -> list[WaitRow]:
    """The functions in which ranks waited longest, all calls together: those in which they waited at all, or still do.
    Empty if calls were not recorded.

    A piece of the table is in memory at a time. Raises what reading `results` raises.
    """
    if not results.has("calls"):
        return []
    found: dict[str, dict[str, int]] = {}
    for batch in results.batches("calls", ["name", "start_ps", "end_ps", "waited_ps"]):
        for row in _sums(batch):
            known = found.setdefault(row["name"], {"calls": 0, "over": 0, "time": 0, "waited": 0, "longest": 0})
            for key in ("calls", "over", "time", "waited"):
                known[key] += row[key] or 0
            known["longest"] = max(known["longest"], row["longest"] or 0)
    names = sorted(found, key=lambda name: (-found[name]["waited"], -found[name]["time"], name))
    of_all = results.summary.get("simulated_ps", 0) * results.summary.get("ranks", 0)
    rows = [_row(name, found[name], of_all) for name in names if found[name]["waited"] or _open(found[name])]
    return rows[:MOST]


def _sums(batch: pa.RecordBatch) -> list[dict[str, Any]]:
    """What the calls in a piece of the table come to, by name."""
    time = pc.subtract(batch["end_ps"], batch["start_ps"])
    table = pa.table({"name": batch["name"], "time": time, "waited": batch["waited_ps"]})
    sums = table.group_by("name").aggregate(
        [([], "count_all"), ("time", "count"), ("time", "sum"), ("waited", "sum"), ("waited", "max")]
    )
    names = {"count_all": "calls", "time_count": "over", "time_sum": "time"}
    names |= {"waited_sum": "waited", "waited_max": "longest", "name": "name"}
    rows: list[dict[str, Any]] = sums.rename_columns([names[name] for name in sums.column_names]).to_pylist()
    return rows


def _open(sums: dict[str, int]) -> int:
    return sums["calls"] - sums["over"]


def _row(name: str, sums: dict[str, int], of_all: int) -> WaitRow:
    return WaitRow(
        name=name,
        calls=units.number(sums["calls"]),
        time=units.time(sums["time"]),
        waited=units.time(sums["waited"]),
        share=units.percent(sums["waited"] / of_all) if of_all else "",
        longest=units.time(sums["longest"]),
        open=_open(sums),
    )
