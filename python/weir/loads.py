"""Latency and accepted load over the load that is offered: the study of `weir sweep --load`."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsFloat

from weir import arguments, command
from weir.errors import RunError
from weir.experiment import ExperimentLike, as_option, file_of, prepared
from weir.extras import needed
from weir.quantities import unit_of

if TYPE_CHECKING:
    import pyarrow as pa

#: Columns of a point, behind `pattern` and `rule`.
COLUMNS = [
    "load",
    "offered_load",
    "accepted_load",
    "latency_mean_s",
    "latency_p99_s",
    "hops",
    "saturated",
    "outcome",
]


class LoadStudy(Sequence[dict[str, Any]]):
    """The points of a load study: curve by curve, and in each from the least load to the greatest."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        """Takes what the command has printed."""
        #: What saturation is: `accepted_part`, `latency_factor`, and how far the search goes, `within`.
        self.saturation: dict[str, float] = dict(found["saturation"])
        #: A row for each pattern and rule: `zero_load_latency_s`; `carried_load`, the greatest load that the network
        #: carries, and `not_carried_load`, the least that it does not, `None` where there is none;
        #: `accepted_at_most_load`, what it accepts of the greatest load.
        self.curves: list[dict[str, Any]] = [
            {name: value for name, value in curve.items() if name != "points"} for curve in found["curves"]
        ]
        self.rows: list[dict[str, Any]] = [
            {"pattern": curve["pattern"], "rule": curve["rule"], **{name: point.get(name) for name in COLUMNS}}
            for curve in found["curves"]
            for point in curve["points"]
        ]

    def best(self, pattern: str) -> list[str]:
        """The rules with which the network carries most of a pattern: several, if the search cannot tell them apart.

        Raises `ValueError` for a pattern that the study does not have.
        """
        curves = [curve for curve in self.curves if curve["pattern"] == pattern]
        if not curves:
            known = ", ".join(dict.fromkeys(curve["pattern"] for curve in self.curves))
            raise ValueError(f"pattern = {pattern!r}: the study has {known}")
        most = max(curve["carried_load"] or 0.0 for curve in curves)
        bounds = [curve["not_carried_load"] for curve in curves]
        alike = [bound is None or bound > most for bound in bounds]
        return [curve["rule"] for curve, is_alike in zip(curves, alike, strict=True) if is_alike]

    @property
    def table(self) -> "pa.Table":
        """The points as Arrow table."""
        pa = needed("pyarrow", "LoadStudy.table")
        return pa.table({name: [row[name] for row in self.rows] for name in ["pattern", "rule", *COLUMNS]})

    def to_pandas(self) -> Any:
        """The points as pandas data frame; pandas must be installed."""
        needed("pandas", "LoadStudy.to_pandas")
        return self.table.to_pandas()

    def __getitem__(self, place: Any) -> Any:
        """A point, or some."""
        return self.rows[place]

    def __len__(self) -> int:
        """How many points there are."""
        return len(self.rows)

    def __repr__(self) -> str:
        """How many curves, and of how many points."""
        return f"<weir.LoadStudy of {len(self.curves)} curves, {len(self.rows)} points>"


def load_study(
    experiment: ExperimentLike,
    *,
    patterns: Sequence[str] = (),
    rules: Sequence[str] = (),
    loads: Iterable[float] = (),
    set: Mapping[str, Any] | None = None,  # noqa: A002
    unset: Sequence[str] = (),
    threads: int | None = None,
    out: str | os.PathLike[str] | None = None,
) -> LoadStudy:
    """Runs synthetic traffic from light loads to all that nodes can send, for each pattern and each rule of
    `topology.routing`, and searches for the load at which the network saturates.

    `patterns` are those of synthetic traffic, with keys that belong to them behind colons, as in
    `"router-shift:shift=4"`; without them, and without `rules`, that of the experiment. `loads` are tried in place of
    0.02 and each tenth up to 1. `threads` is how many points run at a time. `out` is a folder for the points, a table
    and a picture; a study that was ended goes on when it is begun again with it. The command `weir` runs the study.

    Raises `RunError` with what the command says where something is wrong, `CommandNotFound`, `KeyboardInterrupt`.
    """
    file, tables = _parts(experiment)
    given = {key: _with_units(key, value) for key, value in {**tables, **arguments.keys("set", set)}.items()}
    words = ["sweep", "--load", "--json", "--quiet"]
    for name, listed, example in (("patterns", patterns, '["uniform"]'), ("rules", rules, '["minimal"]')):
        names = arguments.names(name, listed, example)
        words += [f"--{name}", ",".join(names)] if names else []
    values = "; ".join(_load(load) for load in arguments.items("loads", loads, "a list of numbers"))
    words += ["--vary", f"workload.offered_load={values}"] if values else []
    words += ["--threads", str(threads)] if threads is not None else []
    words += ["--out", arguments.path("out", out)] if out is not None else []
    with tempfile.TemporaryDirectory(prefix="weir-") as scratch:
        if file is None:
            file = str(Path(scratch) / "experiment.toml")
            Path(file).touch()
        with prepared(file, set=given, unset=unset) as one:
            overrides = [word for override in one.overrides for word in as_option(override)]
            ended = subprocess.run(
                [command.path(), *words, *overrides, file], capture_output=True, text=True, check=False
            )
    if ended.returncode < 0 or ended.returncode == 130:
        raise KeyboardInterrupt
    if not ended.stdout.strip():
        raise RunError(ended.stderr.removeprefix("error: ").strip())
    return LoadStudy(json.loads(ended.stdout))


def _parts(experiment: ExperimentLike) -> tuple[str | None, dict[str, Any]]:
    """The file of an experiment; or its keys, whose paths stay relative to the current folder."""
    if isinstance(experiment, Mapping):
        return None, _keys("", experiment)
    if isinstance(experiment, str) and "\n" in experiment:
        toml = needed("tomllib" if sys.version_info >= (3, 11) else "tomli", "load_study of a text")
        return None, _keys("", toml.loads(experiment))
    return file_of(experiment), {}


def _load(load: Any) -> str:
    if isinstance(load, SupportsFloat):
        return repr(float(load))
    raise arguments.wrong("an item of loads", "a number", load)


def _keys(table: str, tables: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of tables and what is in them, each with the names of its tables before it."""
    found: dict[str, Any] = {}
    for name, value in tables.items():
        key = f"{table}.{name}" if table else str(name)
        found |= _keys(key, value) if isinstance(value, Mapping) and "graph" not in value else {key: value}
    return found


def _with_units(key: str, value: Any) -> Any:
    """A value with numbers as texts that have the unit of their key: files have no bare numbers for quantities."""
    if isinstance(value, Mapping):
        return {name: _with_units(f"{key}.{name}" if key else name, one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_with_units(key, one) for one in value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    unit = unit_of(key) if is_number else None
    return f"{value!r} {unit}" if unit else value
