"""Several runs side by side: what differs in their experiments, and what came of it."""

import html
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from weir import arguments, results
from weir.comparing import verdicts
from weir.comparing.differences import Difference, differences
from weir.comparing.texts import words
from weir.extras import needed
from weir.plotting import machine, picture
from weir.report import command, units
from weir.report.packing import Blobs
from weir.report.page import Language
from weir.report.parts import write_whole
from weir.report.texts import Words, same
from weir.results import Results
from weir.summary import Summary

if TYPE_CHECKING:
    import pyarrow as pa

    from weir.running import Result

#: A results folder, by its path or opened, or a run that has left one.
Source: TypeAlias = Union[str, os.PathLike[str], Results, "Result"]


@dataclass(frozen=True)
class Run:
    """One of the runs that are compared."""

    #: The name of its folder, with as much of the path as makes it different from the others.
    name: str
    results: Results
    #: Simulated picoseconds than which it cannot be faster; `None` where that is not known.
    bound: int | None

    @property
    def summary(self) -> Summary:
        """The fields of its summary."""
        return self.results.summary

    @property
    def experiment(self) -> dict[str, Any]:
        """Its experiment with every default filled in."""
        found: dict[str, Any] = self.summary.get("experiment", {})
        return found

    @property
    def outcome(self) -> str:
        """How it ended; `incomplete` if it has not."""
        return str(self.summary.get("outcome", "incomplete"))

    @property
    def time(self) -> int | None:
        """Its simulated time in picoseconds, if it has finished."""
        return int(self.summary["simulated_ps"]) if self.outcome == "finished" else None


class Comparison:
    """Two or more runs side by side, measured by the first. See `compare`."""

    def __init__(self, runs: list[Run]) -> None:
        """Takes what `compare` has opened."""
        self.runs = runs

    @property
    def names(self) -> list[str]:
        """What the runs are called, in their order."""
        return [run.name for run in self.runs]

    @cached_property
    def differences(self) -> list[Difference]:
        """The keys of which not all experiments have the same value."""
        return differences([run.experiment for run in self.runs])

    @cached_property
    def disagreements(self) -> list[verdicts.Disagreement]:
        """Pairs of machines or mappings of which flow and packet say that another one is faster."""
        return verdicts.disagreements([(run.name, run.summary) for run in self.runs])

    @cached_property
    def notes(self) -> list[Words]:
        """What has to be said before run times are compared, in both languages."""
        found = [_disagreement(one) for one in self.disagreements]
        if verdicts.other_workloads([run.experiment for run in self.runs]):
            found.append(words("other_workloads"))
        for run in self.runs:
            if run.outcome != "finished":
                found.append(words("not_finished", run=same(run.name), outcome=words(run.outcome)))
        return found

    @property
    def warnings(self) -> list[str]:
        """The same in English."""
        return [note.en for note in self.notes]

    def speedup(self, run: Run) -> float | None:
        """How many times as fast a run is as the first; `None` unless both have finished."""
        first = self.runs[0].time
        return first / run.time if first is not None and run.time else None

    def table(self) -> "pa.Table":
        """A row for each run: `run`, the keys that differ, and what came of them.

        A key with values of several types, or with lists, is text in JSON.
        """
        pa = needed("pyarrow", "Comparison.table")
        columns = {"run": pa.array(self.names)}
        for one in self.differences:
            columns[one.key] = pa.array(_of_one_kind(one.values))
        rows = [self._row(run) for run in self.runs]
        for name in rows[0]:
            columns[name] = pa.array([row[name] for row in rows])
        for cause in self.causes:
            shares = [_critical(run.summary).get(cause) for run in self.runs]
            columns[f"path_{cause}_s"] = pa.array([None if one is None else one / 1e12 for one in shares], pa.float64())
        return pa.table(columns)

    def to_pandas(self) -> Any:
        """`table` as pandas data frame; pandas must be installed."""
        needed("pandas", "Comparison.to_pandas")
        return self.table().to_pandas()

    def to_polars(self) -> Any:
        """`table` as polars data frame; polars must be installed."""
        polars = needed("polars", "Comparison.to_polars")
        return polars.from_arrow(self.table())

    @cached_property
    def causes(self) -> list[str]:
        """Causes on the critical path of any run, in the order of the summary."""
        return list(dict.fromkeys(cause for run in self.runs for cause, time in _critical(run.summary).items() if time))

    def write(self, path: str | Path, language: Language = Language.ENGLISH, *, figure: str | None = None) -> Path:
        """Writes the page, whole or not at all; or one of its figures as `.svg`, `.png` or `.pdf`.

        Figures are `machines`, `over_time`, `latencies` and `paths` (critical paths), as far as the runs have recorded
        what they draw; matplotlib draws them, as those of `Results.plot`.

        Raises what reading the results raises, `ValueError` for a name that ends otherwise and for a figure that is not
        there, `MissingPackage`, and `OSError` if the file cannot be written.
        """
        from weir.comparing import page

        target = Path(arguments.path("path", path))
        if figure is None and target.suffix not in picture.FORMS:
            return write_whole(target, self.html(language))
        blobs = Blobs()
        machines, charts = page.figures(self, blobs)
        drawn: dict[str, list[Any]] = {"machines": machines} if any(machines) else {}
        for chart in charts:
            if chart.figure:
                drawn.setdefault({"time": "over_time", "paths": "paths"}.get(chart.key, "latencies"), []).append(chart)
        known = ", ".join(drawn) or "none"
        if figure not in drawn:
            problem = f"{target}: this comparison has no figure {figure!r}" if figure else f"{target}: of which figure?"
            raise ValueError(f"{problem}\n\nhint: figure= is one of those that it has: {known}")
        if target.suffix not in picture.FORMS:
            ending = target.suffix or "a file without an ending"
            problem = f"{target}: a figure is written as .svg, .png or .pdf, not as {ending}"
            raise ValueError(f"{problem}\n\nhint: without figure= the whole page is written")
        look = picture.Look(target.suffix[1:], japanese=language is Language.JAPANESE)
        if figure == "machines":
            named = [(name, one) for name, one in zip(self.names, machines, strict=True) if one]
            return write_whole(target, machine.of_machines(named, blobs.texts, None, look))
        return write_whole(target, picture.of_charts(drawn[figure], look))

    def html(self, language: Language = Language.ENGLISH) -> str:
        """The page as text: one file, which opens without a network."""
        from weir.comparing import page

        return page.render(self, language)

    def __repr__(self) -> str:
        """Runs and their times in one line; `str` and `print` have a line for each, and the warnings."""
        return f"<weir.Comparison of {', '.join(f'{run.name} ({_time(run)})' for run in self.runs)}>"

    def __str__(self) -> str:
        """Runs and their times in a few lines, and the warnings."""
        width = max(len(name) for name in self.names)
        return "\n".join([f"{run.name:{width}}  {_time(run)}" for run in self.runs] + self.warnings)

    def _repr_html_(self) -> str:
        """The table and the warnings, for notebooks; `write` makes the whole page."""
        from weir.comparing import rows

        head = "".join(f"<th>{html.escape(name)}</th>" for name in ["", *self.names])
        body = "".join(
            f"<tr><th>{html.escape(row.name.en)}</th>"
            + "".join(f"<td>{html.escape(cell.en)}</td>" for cell in row.cells)
            + "</tr>"
            for row in rows.all_rows(self)
        )
        notes = "".join(f"<p><b>{html.escape(text)}</b></p>" for text in self.warnings)
        return f'{notes}<table class="weir-comparison"><tr>{head}</tr>{body}</table>'

    def _row(self, run: Run) -> dict[str, Any]:
        summary = run.summary
        busiest = summary.get("busiest_link") or {}
        return {
            "outcome": run.outcome,
            "engine": summary.get("engine"),
            "simulated_s": summary.get("simulated_s"),
            "speedup": self.speedup(run),
            "lower_bound_s": None if run.bound is None else run.bound / 1e12,
            "messages": summary.get("messages"),
            "bytes": summary.get("bytes"),
            "busiest_link": busiest.get("name"),
            "max_link_utilization": summary.get("max_link_utilization"),
            "mean_link_utilization": summary.get("mean_link_utilization"),
            "folder": str(run.results.path),
        }


def compare(sources: Iterable[Source], *, allow_incomplete: bool = False) -> Comparison:
    """Opens two or more results folders to look at them side by side; the others are measured by the first.

    A run that has not finished is taken: its outcome stands in its place. With `allow_incomplete` also the folder of
    one that was killed, or has lost tables.

    Raises `ValueError` for fewer than two, and what `weir.open` raises.
    """
    if isinstance(sources, str | os.PathLike | Results):
        raise ValueError("one run cannot be compared\n\nhint: weir.compare([one, other]) takes a list")
    opened = [_opened(source, allow_incomplete) for source in arguments.items("sources", sources, "a list of runs")]
    if len(opened) < 2:
        many = "one results folder" if opened else "no results folder"
        raise ValueError(f"{many} cannot be compared\n\nhint: name two or more that weir run --out DIR has written")
    names = names_of([one.path for one in opened])
    runs = [Run(name, one, command.bound(one)) for name, one in zip(names, opened, strict=True)]
    return Comparison(runs)


def names_of(folders: list[Path]) -> list[str]:
    """The shortest ends of paths that are different; a folder that comes twice has a number."""
    parts = [folder.resolve().parts for folder in folders]
    names = ["/".join(one[-1:]) for one in parts]
    for length in range(2, max(len(one) for one in parts) + 1):
        if len(set(names)) == len(names):
            break
        names = [
            "/".join(one[-length:]).replace("//", "/") if names.count(name) > 1 else name
            for one, name in zip(parts, names, strict=True)
        ]
    return [
        name if names.count(name) == 1 else f"{name} ({names[:place].count(name) + 1})"
        for place, name in enumerate(names)
    ]


def _opened(source: Source, allow_incomplete: bool) -> Results:
    if isinstance(source, Results):
        return source
    if isinstance(source, str | os.PathLike):
        return results.open(Path(source), allow_incomplete=allow_incomplete)
    if not hasattr(source, "open"):
        raise arguments.wrong("an item of sources", "a path or what weir.run or weir.open returns", source)
    return source.open()


def _disagreement(one: verdicts.Disagreement) -> Words:
    return words(
        "other_winner" if one.winner else "other_order",
        flow_fast=same(one.by_flow[0]),
        flow_slow=same(one.by_flow[1]),
        flow_gain=units.percent(one.flow_gain),
        packet_fast=same(one.by_packet[0]),
        packet_slow=same(one.by_packet[1]),
        packet_gain=units.percent(one.packet_gain),
    )


def _critical(summary: Summary) -> dict[str, int]:
    found: dict[str, int] = summary.get("causes", {}).get("critical_path", {}).get("causes_ps", {})
    return found


def _time(run: Run) -> str:
    return units.time(run.time) if run.time is not None else run.outcome


def _of_one_kind(values: list[Any]) -> list[Any]:
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) > 1 or kinds & {list, dict}:
        return [None if value is None else json.dumps(value, ensure_ascii=False) for value in values]
    return values
