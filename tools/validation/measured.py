"""Measured times: the rows of a table, and those that are left out."""

import csv
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

import tomllib

from validation.study import Mistake, among
from weir import _weir
from weir.errors import ExperimentError
from weir.experiment import Input

#: Columns with a time, and their unit in seconds.
TIMES = {"median_ns": 1e-9, "median_us": 1e-6, "time_ns": 1e-9, "time_us": 1e-6, "time_ms": 1e-3, "time_s": 1.0}


@dataclass
class Row:
    """One measured time, and the predicted one."""

    #: Its line in the file, from 1.
    line: int
    #: The key of the collective.
    operation: str
    #: Where it ran, in a few words: `4x4x4`, `32 nodes`.
    job: str
    #: `None` for what the library chose by itself: shown, and in no number.
    algorithm: str | None
    #: The whole vector of a rank.
    bytes: int
    #: The measured time that it is judged by, above 0.
    seconds: float
    #: Keys of the experiment that are set for this row, as `key=value`.
    set: list[str] = field(default_factory=list)
    #: The predicted time, in seconds.
    predicted: float = 0.0
    #: Whether the values of the machine file were fitted to it.
    calibrates: bool = False
    #: Other keys that were chosen by it; none if it is a prediction.
    chosen: list[str] = field(default_factory=list)
    #: The column of the time that it is judged by, and the median or what else the table has for all rows; `None`: the same.
    column: str = "median_ns"
    usual: float | None = None

    @property
    def name(self) -> str:
        """In words: `allreduce ring, 4096 B, workload.ranks=8`."""
        algorithm = f" {self.algorithm}" if self.algorithm else ""
        return ", ".join([f"{self.operation}{algorithm}, {self.bytes} B", *self.set])

    @property
    def time_is(self) -> str:
        """What the measured time is among those of the repetitions: `median`, `p10`."""
        return self.column.rpartition("_")[0]

    @property
    def ratio(self) -> float:
        """Predicted over measured."""
        return self.predicted / self.seconds

    @property
    def error(self) -> float:
        """|predicted / measured - 1|."""
        return abs(self.ratio - 1.0)

    @property
    def counts(self) -> bool:
        """Whether the algorithm is known."""
        return self.algorithm is not None

    @property
    def is_judged(self) -> bool:
        """Whether it is a prediction: the algorithm is known, and nothing was fitted to the row."""
        return self.counts and not self.calibrates and not self.chosen

    @property
    def role(self) -> str:
        """What the row is to the machine file, in words."""
        if self.calibrates:
            return "fitted to"
        return f"chosen by: {', '.join(self.chosen)}" if self.chosen else "predicted"

    def is_of(self, rows: dict[str, Any]) -> bool:
        """Whether it is one of the rows that a table of the study names."""
        within = rows["from"] <= self.bytes and (rows["to"] is None or self.bytes <= rows["to"])
        return within and among(rows["jobs"], self.job) and among(rows["collectives"], self.operation)

    def given(self, study: dict[str, Any], sets: list[str]) -> Input:
        """The experiment of the row, with these keys beside those of the study."""
        lines = ["[workload]", 'kind = "collective"', f'operation = "{self.operation}"']
        if self.operation != "barrier":
            lines.append(f'message_size = "{self.bytes} B"')
        # Stronger than what the machine's table says, which a workload of its own would have to agree with.
        algorithm = [f"collectives.{self.operation}={self.algorithm}"] if self.algorithm else []
        return Input(
            file=None,
            text=("row.toml", "\n".join(lines) + "\n"),
            overrides=[*study["set"], *sets, *algorithm, *self.set],
            out=None,
            machine=str(study["machine"]),
        )


#: Lines of rows that are in no number, by the reason.
LeftOut = dict[str, list[int]]


def read(study: dict[str, Any]) -> tuple[list[Row], LeftOut]:
    """The rows of a study that weir can predict, in the order of the file.

    Raises `Mistake` where the table is wrong.
    """
    rows: list[Row] = []
    left_out: LeftOut = defaultdict(list)
    try:
        with open(study["data"], encoding="utf-8-sig", newline="") as file:
            table = csv.DictReader(file)
            for record in table:
                row = _timed(study, _row(study, table.line_num, record), record)
                reason = _unknown(study, row, record["algorithm"])
                if reason:
                    left_out[reason].append(row.line)
                else:
                    rows.append(row)
    except OSError as error:
        raise Mistake(f"{study['data']}: {error.strerror}") from error
    except (KeyError, ValueError, TypeError) as error:
        raise Mistake(f"{study['data']}: the table cannot be read: {error!r}") from error
    for at, reason in [*_excluded(study, rows), *_refused(study, rows)]:
        left_out[reason].append(rows[at].line)
    gone = {line for lines in left_out.values() for line in lines}
    return [row for row in rows if row.line not in gone], left_out


def _row(study: dict[str, Any], line: int, record: dict[str, str]) -> Row:
    (time,) = set(TIMES) & set(record)
    sides = record.get("job_shape", "")
    on_each = int(record.get("ranks_per_node") or 1)
    nodes = int(record.get("nodes") or 0)
    for side in sides.split("x") if sides else []:
        nodes = (nodes or 1) * int(side)
    ranks = int(record.get("ranks") or nodes * on_each)
    job = sides or (f"{nodes} nodes" if nodes else f"{ranks} ranks" if ranks else "the machine")
    sets = [f"{_job_key(study)}=[{sides.replace('x', ',')}]"] if sides else []
    if record.get("ranks_per_node"):
        sets.append(f"mapping.ranks_per_node={on_each}")
    sets += [f"{key}={value}" for key, value in record.items() if "." in key and value]
    if ranks and not record.get("workload.ranks"):
        sets.append(f"workload.ranks={ranks}")
    algorithm = record["algorithm"].removeprefix(study["algorithm_prefix"]).replace("_", "-")
    return Row(
        line=line,
        operation=record["collective"],
        job=", ".join(filter(None, [job, record.get("place"), f"{on_each} ranks on each" if on_each > 1 else ""])),
        algorithm=None if algorithm in ("", "default") else algorithm,
        bytes=int(record["bytes"]),
        seconds=float(record[time]) * TIMES[time],
        set=sets,
        column=time,
    )


def _timed(study: dict[str, Any], row: Row, record: dict[str, str]) -> Row:
    """The row with the time of the first table of the study that names it."""
    of_row = next((times for times in study["times"] if row.is_of(times)), None)
    if of_row is None:
        return row
    column = of_row["column"]
    unit = TIMES.get(f"time_{column.rpartition('_')[2]}")
    if unit is None or not record.get(column):
        raise Mistake(
            f"{study['data']}: [[times]] column = {column!r}: line {row.line} has no such time\n\nhint: it is a column such "
            "as p10_ns or min_us"
        )
    return replace(row, seconds=float(record[column]) * unit, usual=row.seconds, column=column)


def machine(study: dict[str, Any]) -> dict[str, Any]:
    """The tables of the machine file."""
    try:
        return tomllib.loads(study["machine"].read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise Mistake(f"{study['machine']}: {getattr(error, 'strerror', error)}") from error


def _job_key(study: dict[str, Any]) -> str:
    """The key that takes the sides of a job: where the machine folds jobs the job, else the machine's own shape."""
    if "job_key" not in study:
        folded = machine(study).get("mapping", {}).get("kind") == "folded"
        study["job_key"] = "mapping.job" if folded else "topology.shape"
    return str(study["job_key"])


def _unknown(study: dict[str, Any], row: Row, written: str) -> str | None:
    """Why weir has no such algorithm, or no such collective."""
    if row.bytes == 0 and row.operation != "barrier":
        return f"{row.operation} of 0 bytes"
    if not written.startswith(study["algorithm_prefix"]):
        return f"the algorithm does not begin with {study['algorithm_prefix']}"
    known: dict[Any, str | None] = study.setdefault("known", {})
    pair = (row.operation, row.algorithm)
    if pair not in known:
        known[pair] = None
        try:
            _weir.check(row.given(study, []))
        except ExperimentError as error:
            for problem in error.problems:
                if problem.key == f"collectives.{row.operation}":
                    name = f"{row.operation} has no algorithm {row.algorithm}"
                    is_list = problem.what.startswith("must be one of")
                    known[pair] = name if is_list else f"{row.operation} {row.algorithm} {problem.what}"
                elif problem.key == "workload.operation":
                    known[pair] = f"weir has no benchmark of {row.operation}"
    return known[pair]


def _excluded(study: dict[str, Any], rows: list[Row]) -> list[tuple[int, str]]:
    """Rows of algorithms that the study leaves out, by their places, with the reasons."""
    found = []
    for at, row in enumerate(rows):
        for excluded in study["left_out"]:
            if row.algorithm == excluded["algorithm"] and row.is_of(excluded):
                found.append((at, f"{row.operation} {row.algorithm}: {excluded['reason']}"))
                break
    return found


def _refused(study: dict[str, Any], rows: list[Row]) -> list[tuple[int, str]]:
    """Rows of algorithms that the library refused: it took its own choice, so their times show nothing of them.

    The data do not say which. An algorithm of a job (a collective on nodes of one shape) counts as refused if at a
    share of its sizes or more its time is nearly that of the library's own choice. Where the library is known to
    choose this very algorithm by itself, equal times are as they should be, and these sizes are not looked at. A
    refused algorithm is left out in this job, at all sizes: where its times differ from the library's own choice, that
    may have been made by other means (a barrier in hardware).

    Two algorithms may come near to each other at a size by chance, and do at those at which both only wait for the
    links. So a single size decides nothing.
    """
    rule = study["fallback"]
    if rule is None:
        return []
    excluded = {at for at, _ in _excluded(study, rows)}
    kept = [(at, row) for at, row in enumerate(rows) if at not in excluded]
    own: dict[Any, float] = {}
    for _, row in kept:
        if row.algorithm is None:
            own.setdefault((row.job, row.operation, row.bytes), row.seconds)
    cases: dict[Any, list[tuple[int, Row]]] = defaultdict(list)
    for at, row in kept:
        if row.algorithm is not None:
            cases[row.job, row.operation, row.algorithm].append((at, row))
    found = []
    for (job, operation, algorithm), of_case in cases.items():
        known = [choice for choice in study["library"] if choice["algorithm"] == algorithm]
        near = []
        for _, row in of_case:
            chosen = own.get((job, operation, row.bytes))
            if chosen is not None and not any(row.is_of(choice) for choice in known):
                near.append(abs(row.seconds / chosen - 1.0) <= rule["within"])
        # Half of two sizes is one, which decides nothing.
        if sum(near) > 1 and sum(near) >= rule["share"] * len(near):
            reason = f"{operation} {algorithm} on {job}: the library took its own choice instead"
            found += [(at, reason) for at, _ in of_case]
    return found
