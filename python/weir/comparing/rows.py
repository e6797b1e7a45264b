"""The table of a comparison: keys that differ, then what came of the runs; a column for each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weir.comparing.differences import Difference, shown
from weir.comparing.texts import cause as cause_words
from weir.comparing.texts import words
from weir.report import units
from weir.report.texts import Words, same

if TYPE_CHECKING:
    from weir.comparing.comparison import Comparison, Run

#: Most keys that the page lists; `Comparison.table` has all.
MOST_KEYS = 40
NONE = same("-")


@dataclass(frozen=True)
class Row:
    """A name, and a cell for each run."""

    name: Words
    cells: list[Words]
    #: Whether it is a key of the experiment.
    key: bool = False


def of_keys(comparison: "Comparison") -> list[Row]:
    """The keys that differ."""
    rows = [_of_key(one) for one in comparison.differences[:MOST_KEYS]]
    more = len(comparison.differences) - MOST_KEYS
    if more > 0:
        rows.append(Row(words("more_differences", count=more), [NONE] * len(comparison.runs)))
    return rows


def of_results(comparison: "Comparison") -> list[Row]:
    """What came of the runs; a row that no run has is left out."""
    rows: list[Row] = []

    def add(name: Words, cell: Callable[["Run"], Words | str | None]) -> None:
        found = [cell(run) for run in comparison.runs]
        if any(one is not None for one in found):
            rows.append(
                Row(name, [NONE if one is None else one if isinstance(one, Words) else same(one) for one in found])
            )

    def ratio(run: "Run") -> str | None:
        found = comparison.speedup(run)
        return None if found is None else units.ratio(found)

    add(words("outcome"), lambda run: words(run.outcome))
    add(words("simulated"), lambda run: None if run.time is None else units.time(run.time))
    add(words("speedup"), ratio)
    add(words("verdict"), _verdict)
    add(words("bound"), _bound)
    add(words("busiest"), _busiest)
    add(words("mean_utilization"), lambda run: _percent(run.summary.get("mean_link_utilization")))
    add(words("messages"), lambda run: _number(run.summary.get("messages")))
    add(words("data"), lambda run: _data(run.summary.get("bytes")))
    for cause in comparison.causes:
        add(words("critical", cause=cause_words(cause)), lambda run, cause=cause: _of_path(run, cause))  # type: ignore[misc]
    return rows


def all_rows(comparison: "Comparison") -> list[Row]:
    """Keys, then results."""
    return of_keys(comparison) + of_results(comparison)


def _of_key(one: Difference) -> Row:
    if one.is_table:
        cells = [NONE if value is None else words("of_table", count=value) for value in one.values]
        return Row(same(f"[{one.key}]"), cells, True)
    return Row(same(one.key), [same(shown(value)) for value in one.values], True)


def _bound(run: "Run") -> Words | None:
    if run.bound is None:
        return None
    bound = units.time(run.bound)
    return same(bound) if run.time is None else words("of_bound", bound=bound, ratio=units.ratio(run.time / run.bound))


def _verdict(run: "Run") -> str | None:
    """The first sentence of the verdict, as the run has said it."""
    verdict = run.summary.get("verdict")
    return verdict[0]["sentence"] if verdict else None


def _busiest(run: "Run") -> Words | None:
    link = run.summary.get("busiest_link")
    values = {"utilization": units.percent(link["utilization"]), "link": link["name"]} if link else {}
    return words("busiest_link", **values) if link else None


def _of_path(run: "Run", cause: str) -> str | None:
    time = run.summary.get("causes", {}).get("critical_path", {}).get("causes_ps", {}).get(cause)
    return None if time is None else str(units.time(time))


def _percent(part: float | None) -> str | None:
    return None if part is None else units.percent(part)


def _number(count: float | None) -> str | None:
    return None if count is None else units.number(count)


def _data(count: float | None) -> str | None:
    return None if count is None else units.data(count)
