"""Own values and what they are compared with: who says it, what it should be, and whether it is."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from papers.numbers import plain, shown

#: Who says what a value should be, in the order of what that proves, and what the values of a kind are called together.
KINDS = {
    "published": "published numbers",
    "claimed": "published in words (an order, a trend, a bound)",
    "outside model": "numbers of an outside model",
    "formula": "formulas",
    "own second way": "own values had in a second way",
}
#: Kinds of which a value that is not met is not reproduced; one of the others that is not met is an error.
OF_THE_PAPER = ("published", "claimed")

#: What is exact but for rounding to picoseconds, as a part of the target.
EXACT = 1e-9
#: A value that depends on the computer is what the paper states, within this part.
NEAR = 0.1
#: Why a difference of two times is no value.
NOT_MEASURABLE = "The rounds took no longer with than without: this is less than what the time of the work varies by."

Verdict = Literal["yes", "not reproduced", "no", "not judged"]


@dataclass(frozen=True)
class Target:
    """What a value should be: a number with a tolerance, one between two, or one on a side of a bound."""

    shape: Literal["value", "between", "about", "below", "above"]
    numbers: tuple[float, ...]
    #: How far off a single number a value may be, as a part of it; `None` if it is shown beside it and not judged.
    part: float | None = None
    #: Whether the tolerance is only for rounding.
    is_exact: bool = False

    def admits(self, own: float) -> bool | None:
        """Whether the value is as it should be; `None` if that is not judged."""
        first, last = self.numbers[0], self.numbers[-1]
        if self.shape == "value":
            return None if self.part is None else abs(own - first) <= self.part * abs(first)
        admitted = {"between": first <= own <= last, "about": None, "below": own < first, "above": own > first}
        return admitted[self.shape]

    def text(self, in_full: bool = False) -> str:
        """The target in a table; `in_full` as a CSV has it."""
        numbers = [(plain if in_full else shown)(number) for number in self.numbers]
        gap = "" if in_full else " "
        sign = {"below": "<" + gap, "above": ">" + gap}.get(self.shape, "")
        return sign + f"{gap}..{gap}".join(numbers)

    def to_json(self) -> Any:
        """The target as JSON has it."""
        if self.shape == "value":
            return self.numbers[0]
        names = [self.shape] if self.shape in ("below", "above") else ["at_least", "at_most"]
        return dict(zip(names, self.numbers, strict=True))


def exactly(value: float) -> Target:
    """This number, but for rounding."""
    return Target("value", (float(value),), EXACT, is_exact=True)


def near(value: float, part: float) -> Target:
    """This number, or off it by at most that part of it."""
    return Target("value", (value,), part)


def beside(value: float) -> Target:
    """This number, beside which the value is shown and not judged."""
    return Target("value", (value,))


def between(least: float, most: float) -> Target:
    """A number not outside these two."""
    return Target("between", (least, most))


def about(least: float, most: float) -> Target:
    """A number between these two, shown and not judged."""
    return Target("about", (least, most))


def below(value: float) -> Target:
    """A number less than this; not this itself."""
    return Target("below", (value,))


def above(value: float) -> Target:
    """A number more than this; not this itself."""
    return Target("above", (value,))


@dataclass(frozen=True)
class Row:
    """One own value, and what it is compared with."""

    #: The point it belongs to: `54`; or `all`.
    x: str
    what: str
    #: The unit; empty for ratios and counts.
    unit: str
    #: The own value; `None` if it was not measured, and then `why` says why.
    own: float | None
    kind: str = ""
    #: What it is compared with; `None` for values that only complete the picture.
    target: Target | None = None
    source: str = ""
    #: Why a published value is not reproduced, or is not near where it is not judged, or why there is no own value.
    why: str | None = None

    def _against(self, kind: str, target: Target, source: str) -> "Row":
        if kind in OF_THE_PAPER:
            assert source.startswith("paper 00"), f"{source} names no paper"
        return dataclasses.replace(self, kind=kind, target=target, source=source)

    def published(self, target: Target, source: str) -> "Row":
        """Compares it with a number that the paper prints at that place."""
        assert target.shape not in ("below", "above"), "a bound is no number: it is claimed"
        return self._against("published", target, source)

    def claimed(self, target: Target, source: str) -> "Row":
        """Compares it with what the paper says in words at that place."""
        return self._against("claimed", target, source)

    def outside_model(self, target: Target, source: str) -> "Row":
        """Compares it with what another program says."""
        return self._against("outside model", target, source)

    def formula(self, target: Target, source: str) -> "Row":
        """Compares it with a closed form."""
        return self._against("formula", target, source)

    def second_way(self, target: Target, source: str) -> "Row":
        """Compares it with what weir gives in another way."""
        return self._against("own second way", target, source)

    def explained(self, why: str) -> "Row":
        """Puts on record why the value is not what the paper states, if it is not."""
        return dataclasses.replace(self, why=why) if self.verdict == "not reproduced" else self

    def declared(self, why: str) -> "Row":
        """Puts on record why a value that depends on the computer, so is not judged, is not what is stated."""
        if self.verdict != "not judged" or self.own is None or self.target is None:
            return self
        if self.target.shape == "about":
            is_off = not self.target.numbers[0] <= self.own <= self.target.numbers[1]
        else:
            is_off = abs(self.difference or 0.0) > NEAR
        return dataclasses.replace(self, why=why) if is_off else self

    @property
    def verdict(self) -> Verdict:
        """Whether the value is as it should be."""
        admitted = None if self.own is None or self.target is None else self.target.admits(self.own)
        if admitted is None:
            return "not judged"
        if admitted:
            return "yes"
        return "not reproduced" if self.kind in OF_THE_PAPER else "no"

    @property
    def is_unexplained(self) -> bool:
        """Whether a value disagrees with another way to it, or is not what the paper states, without a reason."""
        return self.verdict == "no" or (self.verdict == "not reproduced" and self.why is None)

    @property
    def difference(self) -> float | None:
        """How far the value is from a single number, as a part of that."""
        if self.own is None or self.target is None or self.target.shape != "value" or self.target.numbers[0] == 0:
            return None
        return self.own / self.target.numbers[0] - 1.0

    @property
    def absence(self) -> str:
        """Stands in place of the own value if there is none."""
        return "not measurable" if self.why == NOT_MEASURABLE else "not run"

    def to_json(self) -> dict[str, Any]:
        """The row as an object."""
        found: dict[str, Any] = {"x": self.x, "what": self.what, "unit": self.unit, "own": self.own}
        if self.target is not None:
            found |= {"kind": self.kind, "target": self.target.to_json(), "source": self.source}
            found["tolerance"] = self.target.part
        return found | {"difference": self.difference, "verdict": self.verdict, "why": self.why}


def row(x: object, what: str, unit: str, own: float) -> Row:
    """A value that is compared with nothing."""
    return Row(str(x), what, unit, float(own))


def missing(x: object, what: str, unit: str, why: str) -> Row:
    """A value that could not be measured, and why."""
    return Row(str(x), what, unit, None, why=why)


@dataclass(frozen=True)
class Series:
    """Points of a plot that belong together, in the order in which they are joined."""

    name: str
    #: How they are drawn: own values as a line with points, published ones as points only, a formula as a thin line.
    kind: Literal["own", "published", "formula"]
    points: list[tuple[float, float]]


@dataclass(frozen=True)
class Plot:
    """Series over one x; an axis is a label and a scale: linear, span, log, or the names of its values."""

    #: The name of its file, without the ending.
    name: str
    title: str
    x: tuple[str, str | list[str]]
    y: tuple[str, str]
    series: list[Series]

    def to_json(self) -> dict[str, Any]:
        """The plot as an object."""
        series = [dataclasses.asdict(one) for one in self.series]
        return {"name": self.name, "title": self.title, "x": self.x[0], "y": self.y[0], "series": series}


@dataclass(frozen=True)
class Comparison:
    """What an item has found."""

    #: What the first column is: `nodes`.
    x: str
    rows: list[Row]
    plots: list[Plot]
    #: What a reader should know of the values, in full sentences.
    notes: list[str]
    paper: str = ""
    item: str = ""
    title: str = ""

    @property
    def unexplained(self) -> list[Row]:
        """The rows that are wrong without a reason on record."""
        return [row for row in self.rows if row.is_unexplained]

    @property
    def all_notes(self) -> list[str]:
        """The notes, and behind them the reasons of the rows that have one: each reason once, with what it explains."""
        reasons: dict[tuple[str, str], list[str]] = {}
        for row in self.rows:
            if row.why is None:
                continue
            if row.own is not None:
                what = "Not as published" if row.verdict == "not judged" else "Not reproduced"
            else:
                what = "Not measurable" if row.why == NOT_MEASURABLE else "Not run"
            name = row.what if row.x == "all" else f"{row.what} ({row.x} {self.x})"
            reasons.setdefault((what, row.why), []).append(name)
        given = [f"{what}: {'; '.join(names)}. {why}" for (what, why), names in reasons.items()]
        return self.notes + given

    def to_json(self) -> dict[str, Any]:
        """One object: names and values as in the table, and the series of the plots."""
        return {
            "paper": self.paper,
            "item": self.item,
            "title": self.title,
            "as_recorded": not self.unexplained,
            "x": self.x,
            "rows": [row.to_json() for row in self.rows],
            "plots": [plot.to_json() for plot in self.plots],
            "notes": self.all_notes,
        }
