"""What the time of a run went into: the critical path and the time of all ranks, by cause."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from weir import _weir
from weir.report import units
from weir.report.texts import Words, words

#: What the time of ranks goes into.
CAUSES = tuple(_weir.CAUSES)


@dataclass(frozen=True)
class Part:
    """A part of a bar."""

    time: str
    #: Of the whole bar.
    share: str
    #: Where it begins and how long it is, in per cent of the bar.
    begin: float
    length: float


@dataclass(frozen=True)
class CauseRow:
    """A cause: its parts of both bars, and what less of it would bring."""

    cause: str
    name: Words
    path: Part
    total: Part
    #: An estimate of what the run would take with less of it on the path, from the summary; empty if not known.
    at_best: str
    #: How much less that is, as a part of the run.
    saved: str


@dataclass(frozen=True)
class CausesTable:
    """What the page says of causes."""

    rows: list[CauseRow]
    #: Sentences below the table.
    notes: list[Words]
    #: Whether the summary says what less of a cause would bring.
    has_best: bool


def table(summary: Mapping[str, Any]) -> CausesTable | None:
    """The causes of a summary, those in which no time went left out; `None` if they were not recorded, or no time has
    passed.
    """
    found = summary.get("causes")
    if not found:
        return None
    path, total = found["critical_path"], found["total_ps"]
    sums = [sum(times.get(cause, 0) for cause in CAUSES) for times in (path["causes_ps"], total)]
    if not sums[0]:
        return None
    best = path.get("at_best_ps", {})
    rows: list[CauseRow] = []
    begins = [0.0, 0.0]
    for cause in CAUSES:
        times = [path["causes_ps"].get(cause, 0), total.get(cause, 0)]
        if not any(times):
            continue
        parts = []
        for bar, time in enumerate(times):
            share = time / sums[bar] if sums[bar] else 0.0
            parts.append(Part(units.time(time), units.percent(share), 100 * begins[bar], 100 * share))
            begins[bar] += share
        known = best.get(cause) if times[0] else None
        rows.append(
            CauseRow(
                cause=cause,
                name=words(f"cause_{cause}"),
                path=parts[0],
                total=parts[1],
                at_best=units.time(known) if known is not None else "",
                saved=units.percent(1 - known / sums[0]) if known is not None else "",
            )
        )
    return CausesTable(rows, _notes(found) + _waiting(summary.get("jobs", ())), bool(best))


def _notes(found: Mapping[str, Any]) -> list[Words]:
    path = found["critical_path"]
    counts = {name: units.number(path[name]) for name in ("messages", "links")}
    last = ", ".join(str(rank) for rank in path["last_ranks"])
    notes = [words("path_follows", ranks=last, **counts)]
    whole = sum(call["time_ps"] for call in path["calls"])
    calls = [f"{call['call']} {units.percent(call['time_ps'] / whole)}" for call in path["calls"] if call["time_ps"]]
    if calls:
        both = ", ".join(calls)
        # What the summary calls the time outside of calls.
        notes.append(words("path_calls", calls=Words(both, re.sub(r"\bothers\b", "その他", both))))
    notes += _parts(path, whole)
    return notes


#: The most jobs of which the page says for whom they waited.
MOST_JOBS = 20


def _waiting(jobs: Iterable[Mapping[str, Any]]) -> list[Words]:
    """For which other jobs each one waited, and where most: of many, those that waited longest."""
    notes: list[Words] = []
    waiting = [job for job in jobs if (job.get("waited_for") or {}).get("links")]
    longest = sorted(waiting, key=lambda job: -job["waited_for"]["others_ps"])[:MOST_JOBS]
    for job in sorted(longest, key=waiting.index):
        waited = job["waited_for"]
        at = waited["links"][0]
        others = [row for row in at["jobs"] if row["job"] != job["name"]]
        behind = ", ".join(f"{row['job']} {units.percent(row['share'])}" for row in others[:3])
        times = {"time": units.time(waited["others_ps"]), "there": units.time(at["others_ps"])}
        notes.append(words("job_waited", job=job["name"], link=at["name"], jobs=behind, **times))
    return notes


#: Lists of the path beside causes and calls: the text, the list, who a row is of, and its time.
_PARTS = (
    ("path_sites", "sites", "site", "time_ps"),
    ("path_phases", "phases", "phase", "time_ps"),
    ("path_work", "work", "rank", "time_ps"),
    ("path_latency", "classes", "class", "latency_ps"),
    ("path_bytes", "classes", "class", "bytes_ps"),
    ("path_narrowest", "narrowest", "name", "time_ps"),
)


def _parts(path: Mapping[str, Any], whole: int) -> list[Words]:
    """By phase, rank that works, class of links, link: the three that take most, from a thousandth of the run on."""
    notes = []
    for text, rows, name, time in _PARTS:
        shares = sorted(((row[time] / whole, row[name]) for row in path.get(rows, ())), key=lambda row: -row[0])
        shown = [f"{of} {units.percent(share)}" for share, of in shares[:3] if share >= 1e-3]
        if shown:
            notes.append(words(text, parts=", ".join(shown)))
    return notes
