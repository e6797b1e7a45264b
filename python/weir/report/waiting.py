"""Where ranks wait: the functions of a program in which its ranks spend most time standing still."""

from dataclasses import dataclass

from weir import _weir
from weir.report import units
from weir.results import Results, reading

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
    files = results.files("calls", ["name", "start_ps", "end_ps", "waited_ps"])
    keys = ("calls", "over", "time", "waited", "longest")
    sums = reading(_weir.table_of_calls, files)
    found = {name: dict(zip(keys, values, strict=True)) for name, values in sums.items()}
    names = sorted(found, key=lambda name: (-found[name]["waited"], -found[name]["time"], name))
    of_all = results.summary.get("simulated_ps", 0) * results.summary.get("ranks", 0)
    rows = [_row(name, found[name], of_all) for name in names if found[name]["waited"] or _open(found[name])]
    return rows[:MOST]


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
