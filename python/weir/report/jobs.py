"""The table of jobs that share a machine: their times, beside those that they have alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weir.report import units

#: Rows of the table.
MOST = 100


@dataclass(frozen=True)
class JobRow:
    """A row of the table. Texts are empty where nothing is known."""

    job: str
    ranks: str
    nodes: str
    start: str
    #: How long it waited for its nodes, of a job of `[job_list]`.
    wait: str
    time: str
    #: True if its ranks have all come to their end, or are not to.
    over: bool
    messages: str
    bytes: str
    #: Its time while the others are idle, or, of a job of `[job_list]`, the messages that come then.
    alone: str
    slowdown: str
    #: How long its messages waited at links for those of other jobs.
    others: str


@dataclass(frozen=True)
class JobsTable:
    """The first jobs of a run, and how many there are."""

    rows: list[JobRow]
    count: int

    def has(self, column: str) -> bool:
        """Whether a row has anything in this column."""
        return any(getattr(row, column) for row in self.rows)

    def more(self) -> int:
        """The number of jobs that are not among the rows."""
        return self.count - len(self.rows)


def table(jobs: Sequence[Mapping[str, Any]]) -> JobsTable:
    """The jobs of a summary in their order; empty where the run is that of one workload."""
    return JobsTable([_row(job) for job in jobs[:MOST]], len(jobs))


def _row(job: Mapping[str, Any]) -> JobRow:
    waited = job.get("waited_for")
    alone = units.number(job["alone_messages"]) if "alone_messages" in job else _time(job, "alone_ps")
    return JobRow(
        job=job["name"],
        ranks=units.number(job["ranks"]),
        nodes=units.number(job["nodes"]),
        start=units.time(job["start_ps"]),
        wait=_time(job, "wait_ps"),
        time=units.time(job["time_ps"]),
        over=job["over"] or job.get("endless", False),
        messages=units.number(job["messages"]),
        bytes=units.data(job["bytes"]),
        alone=alone,
        slowdown=units.ratio(job["slowdown"]) if "slowdown" in job else "",
        others=units.time(waited["others_ps"]) if waited else "",
    )


def _time(job: Mapping[str, Any], key: str) -> str:
    return units.time(job[key]) if key in job else ""
