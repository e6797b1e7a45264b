"""What a validation has found, as tables for people."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from validation.measured import Row
from validation.predictions import Validation, is_ablated

#: A loss up to this is near the best.
NEAR = 1.1
NUMBERS = ["rows", "median error", "nine of ten within", "within 10 %", "within 20 %"]
#: Units of times and rates, by which a value is divided.
UNITS = {
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12},
    "rate": {"TB/s": 1e12, "GB/s": 1e9, "MB/s": 1e6, "kB/s": 1e3, "B/s": 1.0},
}


class Table(NamedTuple):
    """A table; it is left out where it has no rows."""

    title: str
    #: How it is to be read, in sentences; may be empty.
    text: str
    head: list[str]
    rows: list[list[str]]


def percent(part: float) -> str:
    """A part of one, in per cent."""
    digits = 0 if 100.0 * part >= 1000.0 else 3 if 0.0 < 100.0 * part < 0.1 else 1
    return f"{100.0 * part:.{digits}f} %"


def sized(count: int) -> str:
    """Bytes with a unit: 1024 is 1 KiB."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= unit and count % unit == 0:
            return f"{count // unit} {name}"
    return f"{count} B"


def share(some: int, of: int) -> str:
    """A part of a number, in whole per cent."""
    return f"{100.0 * some / of:.0f} %" if of else ""


def shown(value: float, kind: str | None) -> str:
    """A value with the unit that suits it, four digits of it."""
    value = float(f"{value:.3e}")
    units = UNITS.get(kind or "", {"": 1.0})
    unit, factor = next(((unit, by) for unit, by in units.items() if value >= by), list(units.items())[-1])
    return f"{float(f'{value / factor:.5e}'):.15g} {unit}".strip()


def quantity(value: Any) -> tuple[float, str | None]:
    """A value of the machine file as a number, and whether it is a time, a rate or neither."""
    if not isinstance(value, str):
        return float(value), None
    number, _, unit = value.strip().partition(" ")
    kind = next((kind for kind, units in UNITS.items() if unit in units), None)
    by = UNITS[kind][unit] if kind else 1.0
    # Times are whole picoseconds.
    return (round(float(number) * by * 1e12) * 1e-12 if kind == "time" else float(number) * by), kind


class Tally(NamedTuple):
    """Errors of rows, in numbers."""

    rows: int
    #: The least errors that half of the rows and nine of ten are within.
    median: float
    ninth: float
    #: How many are within 10 % and 20 %.
    within_10: int
    within_20: int

    @property
    def fields(self) -> list[str]:
        """The fields of `NUMBERS`."""
        shares = [share(count, self.rows) for count in (self.within_10, self.within_20)]
        return [str(self.rows), percent(self.median), percent(self.ninth), *shares]


def within(errors: Iterable[float], limit: float) -> int:
    """How many errors are not above the limit."""
    return sum(error <= limit for error in errors)


def tally(errors: Iterable[float]) -> Tally | None:
    """The numbers of some errors; `None` where there are none."""
    sorted_errors = sorted(errors)
    if not sorted_errors:
        return None
    count = len(sorted_errors)
    median, ninth = (sorted_errors[min(max(math.ceil(count * part), 1), count) - 1] for part in (0.5, 0.9))
    return Tally(count, median, ninth, within(sorted_errors, 0.1), within(sorted_errors, 0.2))


def middle(numbers: Iterable[float]) -> float | None:
    """The middle of some numbers, the lower one of two; `None` where there are none."""
    found = sorted(numbers)
    return found[(len(found) - 1) // 2] if found else None


class Choice(NamedTuple):
    """A job, a collective and a size, of which at least two algorithms were measured and predicted."""

    job: str
    collective: str
    bytes: int
    algorithms: int
    #: The algorithms whose predicted and whose measured times are the least.
    called_best: str
    best: str
    #: The measured time of the first over that of the second: 1 if it was found.
    loss: float


def choices(rows: Iterable[Row]) -> list[Choice]:
    """All choices of the rows that count, in the order of jobs, collectives and sizes."""
    cases: dict[tuple[str, str, int], list[Row]] = defaultdict(list)
    for row in rows:
        if row.counts:
            cases[row.job, row.operation, row.bytes].append(row)
    found = []
    for place, of in sorted(cases.items()):
        if len(of) > 1:
            # Of an algorithm that was measured as the library and as others have it, the faster one.
            called = min(of, key=lambda row: (row.predicted, row.seconds))
            best = min(of, key=lambda row: row.seconds)
            names = (called.algorithm or "", best.algorithm or "")
            found.append(Choice(*place, len(of), *names, called.seconds / best.seconds))
    return found


class Reached(NamedTuple):
    """What has become of a target."""

    target: dict[str, Any]
    #: How many rows, or choices of an algorithm, it is about.
    of: int
    #: The median error, or the share; `None` where there is nothing.
    value: float | None

    @property
    def is_met(self) -> bool:
        """Whether the target is reached."""
        if self.value is None:
            return False
        is_median = self.target["goal"] == "median"
        return bool(self.value <= self.target["at_most"] if is_median else self.value >= self.target["at_least"])


def reached(found: Validation) -> list[Reached]:
    """All targets. Rows that calibrate are in none of those about errors."""
    return [_reach(found, target) for target in found.study["target"]]


def _reach(found: Validation, target: dict[str, Any]) -> Reached:
    rows = [row for row in found.rows if row.counts and row.is_of(target)]
    errors = [row.error for row in rows if row.is_judged]
    if target["goal"] == "median":
        errors_of = tally(errors)
        return Reached(target, len(errors), errors_of.median if errors_of else None)
    limit = target["within"]
    if target["goal"] == "best-within":
        errors, limit = [choice.loss for choice in choices(rows)], 1.0 + limit
    return Reached(target, len(errors), within(errors, limit) / len(errors) if errors else None)


def by_usual_times(found: Validation) -> Validation:
    """The same with the time of each row that the table of measured times has for all."""
    rows = [row if row.usual is None else replace(row, seconds=row.usual, usual=None) for row in found.rows]
    return replace(found, rows=rows)


def targets(found: Validation) -> Table:
    """What is to be reached and what is; where some rows are judged by other times, also what is by the usual ones."""
    rows = []
    has_others = any(row.usual is not None for row in found.rows)
    usual = reached(by_usual_times(found)) if has_others else []
    for at, one in enumerate(reached(found)):
        target, goal = one.target, one.target["goal"]
        shares = [percent(target[key]) if target.get(key) is not None else "" for key in ("within", "at_least")]
        words = {
            "median": f"median error at most {percent(target.get('at_most') or 0.0)}",
            "rows-within": f"{shares[1]} of the rows within {shares[0]}",
            "best-within": f"the best, or within {shares[0]} of it, in {shares[1]}",
        }
        verdict = "nothing to judge" if one.value is None else "met" if one.is_met else "missed"
        beside = [_share_of(usual[at].value)] if has_others else []
        rows.append([target["name"], str(one.of), words[goal], _share_of(one.value), *beside, verdict])
    head = ["target", "of", "goal", "reached", *(["by medians alone"] if has_others else []), "verdict"]
    return Table("Targets", "", head, rows)


def _share_of(value: float | None) -> str:
    return "" if value is None else percent(value)


def times(found: Validation) -> Table:
    """Rows that are judged by another time than the usual one, and why."""
    rows = []
    for of in found.study["times"]:
        column = of["column"]
        count = sum(row.usual is not None and row.column == column and row.is_of(of) for row in found.rows)
        rows.append([str(count), column.rpartition("_")[0], of["reason"]])
    return Table("Rows that are judged by another time than the median", "", ["rows", "time", "reason"], rows)


def counted(found: Validation, job: str | None = None, collective: str | None = None, start: int = 0) -> list[Row]:
    """The rows that count, of a job, of a collective, from a size on."""
    return [
        row
        for row in found.rows
        if row.counts and job in (None, row.job) and collective in (None, row.operation) and row.bytes >= start
    ]


def jobs_of(found: Validation) -> list[str]:
    """The jobs of the rows that were predicted, in the order of their letters."""
    return sorted({row.job for row in found.rows})


def collectives_of(found: Validation) -> list[str]:
    """Their collectives."""
    return sorted({row.operation for row in found.rows})


def sizes_of(found: Validation) -> list[tuple[str, int]]:
    """Classes of sizes, with the least of each."""
    large = found.study["large_from"]
    return [("all", 0), (f"from {sized(large)}", large)]


def jobs(found: Validation) -> Table:
    """Errors of each job, all sizes and large ones."""
    rows = []
    for job in jobs_of(found):
        for name, start in sizes_of(found):
            by_role: dict[tuple[bool, str], list[float]] = defaultdict(list)
            for row in counted(found, job, None, start):
                by_role[row.is_judged, row.role].append(row.error)
            for (_, role), errors in sorted(by_role.items()):
                rows.append([job, name, role, *_fields(errors)])
    text = "Rows that count; an error is |predicted / measured - 1|."
    return Table("By job", text, ["job", "sizes", "rows are", *NUMBERS], rows)


def _fields(errors: Iterable[float]) -> list[str]:
    of = tally(errors)
    return of.fields if of else [""] * len(NUMBERS)


def collectives(found: Validation) -> Table:
    """Errors of each collective in each job."""
    rows = []
    for job in jobs_of(found):
        for collective in collectives_of(found):
            for name, start in sizes_of(found):
                of = tally(row.error for row in counted(found, job, collective, start))
                if of:
                    rows.append([job, collective, name, *of.fields])
    return Table("By collective", "", ["job", "collective", "sizes", *NUMBERS], rows)


def algorithms(found: Validation) -> Table:
    """Errors of each algorithm in each job."""
    large = found.study["large_from"]
    text = "The ratio is the median of predicted over measured times: below 1, weir is too fast."
    head = [
        "job",
        "collective",
        "algorithm",
        "rows",
        "median error",
        "within 20 %",
        "ratio",
        f"ratio from {sized(large)} on",
    ]
    rows = []
    for job in jobs_of(found):
        for collective in collectives_of(found):
            by_name: dict[str, list[Row]] = defaultdict(list)
            for row in counted(found, job, collective):
                by_name[row.algorithm or ""].append(row)
            for name, of in sorted(by_name.items()):
                count, median, _, _, within_20 = tally(row.error for row in of) or Tally(0, 0.0, 0.0, 0, 0)
                ratios = [middle(row.ratio for row in of if row.bytes >= start) for start in (0, large)]
                texts = ["" if ratio is None else f"{ratio:.3f}" for ratio in ratios]
                rows.append([job, collective, name, str(count), percent(median), share(within_20, count), *texts])
    return Table("By algorithm", text, head, rows)


def best(found: Validation) -> Table:
    """How often the algorithm that weir calls best is the measured best."""
    text = (
        "Of the algorithms that count, for each collective and size: how much longer the one that weir calls best "
        "takes than the measured best."
    )
    rows = []
    for job in jobs_of(found):
        for collective in collectives_of(found):
            losses = [choice.loss for choice in choices(counted(found, job, collective))]
            if losses:
                hits, near = within(losses, 1.0), within(losses, NEAR)
                numbers = (len(losses), hits, near - hits, len(losses) - near)
                rows.append([job, collective, *map(str, numbers), percent(max(losses) - 1.0)])
    head = ["job", "collective", "sizes", "found", "within 10 %", "missed", "worst loss"]
    return Table("Best algorithm", text, head, rows)


def missed(found: Validation) -> Table:
    """Where the algorithm that weir calls best takes more than a tenth longer."""
    rows = [
        [one.job, one.collective, sized(one.bytes), one.called_best, one.best, percent(one.loss - 1.0)]
        for one in choices(found.rows)
        if one.loss > NEAR
    ]
    head = ["job", "collective", "bytes", "weir calls best", "measured best", "takes longer by"]
    return Table("Best algorithms missed", "", head, rows)


def ablations(found: Validation) -> Table:
    """Errors without parts of the model, of rows that were not fitted to."""
    most = found.study["ablations_to"]
    text = (
        "The same predictions without a part of the model, its other values as they are. Rows that nothing was fitted "
        f"to{'' if most is None else f', up to {sized(most)}'}."
    )
    whole: dict[int, float | None] = {
        at: row.predicted for at, row in enumerate(found.rows) if is_ablated(found.study, row)
    }
    rows = []
    parts = {"nothing": whole, **found.without} if found.without else {}
    for name, seconds in parts.items():
        for sizes, start in sizes_of(found):
            known = [(found.rows[at], time) for at, time in seconds.items() if time is not None]
            errors = [abs(time / row.seconds - 1.0) for row, time in known if row.bytes >= start]
            rows.append([name, sizes, *_fields(errors)])
    return Table("What each part contributes", text, ["without", "sizes", *NUMBERS], rows)


def values(found: Validation) -> Table:
    """The values of the machine file, what was published, and what a fit finds."""
    published = found.study["published"]
    fitted = {one["key"]: one for one in found.fit["parameters"]} if found.fit else {}
    rows = []
    for key, value in found.values.items():
        start, kind = quantity(value)
        one = fitted.get(key)
        texts = [shown(one["value"], kind), _interval(one, kind)] if one else ["", ""]
        rows.append([key, shown(start, kind), *texts, published.get(key, "")])
    rows += [[key, "", "", "", value] for key, value in published.items() if key not in found.values]
    text = f"Rows that calibrate: {sum(row.calibrates for row in found.rows)}."
    if found.fit:
        spreads = [found.fit["errors"][name][part] for name in ("first", "fitted") for part in ("median", "ninth")]
        first, ninth, fitted_half, fitted_ninth = map(percent, spreads)
        text += (
            f" With the values of the machine file half of them are within {first} and nine of ten within {ninth}; "
            f"with the fitted ones {fitted_half} and {fitted_ninth} (factors, less 1)."
        )
    return Table("Values", text, ["key", "machine file", "fitted", "95 % interval", "published"], rows)


def _interval(one: dict[str, Any], kind: str | None) -> str:
    """The interval of a fitted value, or why there is none."""
    low, high = one["low"], one["high"]
    interval = "nothing is known of it"
    if low is not None and high / one["value"] < 1e6:
        interval = f"{shown(low, kind)} to {shown(high, kind)}"
    words = {
        "determined": interval,
        "no-effect": "not determined: no row depends on it",
        "at-lower-bound": "not determined: the rows would have less",
        "at-upper-bound": "not determined: the rows would have more",
        "undetermined": f"not determined: {interval}",
    }[one["verdict"]]
    element = one["key"].rpartition(".")[2]
    place = f"element {element}, " if element.isdigit() else ""
    others = ", ".join(other["key"] for other in one["correlated"])
    return place + words + (f"; depends on {others}" if others else "")


def left_out(found: Validation) -> Table:
    """Rows that are in no number, by the reason."""
    own = sum(not row.counts for row in found.rows)
    rows = [[str(own), "the library's own choice: shown, not counted"]] if own else []
    rows += [[str(len(lines)), reason] for reason, lines in sorted(found.left_out.items())]
    return Table("Left out", "", ["rows", "reason"], rows)
