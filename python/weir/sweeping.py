"""Runs an experiment for many values of its keys, by any executor."""

import html
import itertools
import json
import math
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from functools import cached_property
from typing import TYPE_CHECKING, Any

from weir import arguments, quantities, running
from weir.errors import RunError, SweepInterrupted
from weir.experiment import ExperimentLike
from weir.extras import needed
from weir.quantities import unit_of
from weir.stopping import LOOK, TIMEOUT, Stop, end_points, within

if TYPE_CHECKING:
    import pyarrow as pa

    from weir.plotting import Plot

#: Fields of the summary that every row has, behind the keys.
FIELDS = [
    "outcome",
    "simulated_s",
    "messages",
    "bytes",
    "max_link_utilization",
    "mean_link_utilization",
    "wall_s",
    "digest",
    "verdict",
]

#: The outcome of a point that Ctrl-C has ended, or that did not begin.
INTERRUPTED = "interrupted"


class Sweep(Sequence[dict[str, Any]]):
    """The points of a sweep in the order in which they were given: keys, then `FIELDS`, then `error`."""

    def __init__(self, rows: list[dict[str, Any]], keys: list[str]) -> None:
        """Takes the rows, which all have the same columns."""
        self.rows = rows
        #: The keys that differ between points.
        self.keys = keys

    def best(self, field: str = "simulated_s") -> dict[str, Any]:
        """The finished point with the least value of a field, of equal ones the first.

        Raises `RunError` if none has finished.
        """
        finished = [row for row in self.rows if row["outcome"] == "finished"]
        if not finished:
            raise RunError("no point has finished\n\nhint: the columns outcome and error say why")
        return min(finished, key=lambda row: row[field])

    @cached_property
    def units(self) -> dict[str, str]:
        """The units of the columns that are quantities: `s`, `B`, `B/s` or `Hz`."""
        of_keys = {key: str(unit_of(key)) for key in self.keys if self._quantities(key)}
        return {**of_keys, **quantities.FIELDS}

    @property
    def table(self) -> "pa.Table":
        """The points as Arrow table. A key that is a quantity is a number in the SI base unit that the metadata of its
        field say (`unit`), however it was written. A key with values of several types, or with tables, is text in JSON.
        """
        pa = needed("pyarrow", "Sweep.table")
        columns, fields = [], []
        for name in [*self.keys, *FIELDS, "error"]:
            values = self.numbers(name)
            try:
                columns.append(pa.array(values))
            except (pa.ArrowInvalid, pa.ArrowTypeError):
                columns.append(pa.array([json.dumps(value, default=str) for value in values]))
            unit = {"unit": self.units[name]} if name in self.units else None
            fields.append(pa.field(name, columns[-1].type, metadata=unit))
        return pa.table(columns, pa.schema(fields))

    def numbers(self, name: str) -> list[Any]:
        """The values of a column, a row each: quantities as numbers in the unit of `units`, others as they are."""
        plain = [row[name].tolist() if hasattr(row[name], "tolist") else row[name] for row in self.rows]
        return self._quantities(name) or plain

    def _quantities(self, key: str) -> list[Any] | None:
        """The values of a key as numbers of its unit; `None` if they are no quantities."""
        return quantities.as_numbers(key, [row[key] for row in self.rows]) if key in self.keys else None

    def plot(self, field: str = "simulated_s") -> "Plot":
        """A field of the points over the keys, as figure: a line over the key with most numbers, one for each value of
        the others; a heat map of two keys with many numbers. Axes are logarithmic where values are geometric. Points
        that have not finished are left out.

        A notebook shows it; `write` makes a page or a picture of it, see `Results.plot`. Raises `ValueError` for a
        field without numbers, and for more than 8 lines.
        """
        from weir.plotting import sweep

        return sweep.plot(self, field)

    def to_pandas(self) -> Any:
        """The points as pandas data frame; pandas must be installed."""
        needed("pandas", "Sweep.to_pandas")
        return self.table.to_pandas()

    def to_polars(self) -> Any:
        """The points as polars data frame; polars must be installed."""
        polars = needed("polars", "Sweep.to_polars")
        return polars.from_arrow(self.table)

    def to_xarray(self) -> Any:
        """The points as dataset of xarray, which must be installed: a dimension for each key, in the order of `keys`,
        and a variable for each of `FIELDS` and `error`. Coordinates of quantities are numbers; the attribute `units` of
        coordinates and variables says in which unit. Lists and tables are text in JSON.

        Raises `ValueError` if the points are not all combinations of the values of their keys.
        """
        xarray = needed("xarray", "Sweep.to_xarray")
        values = {key: self.numbers(key) for key in self.keys}
        places = {key: [_hashable(one) for one in column] for key, column in values.items()}
        ticks = {key: list(dict.fromkeys(column)) for key, column in places.items()}
        shape = tuple(len(column) for column in ticks.values())
        at = list(zip(*([ticks[key].index(one) for one in column] for key, column in places.items()), strict=True))
        if len(set(at)) != len(at) or len(at) != math.prod(shape):
            hint = "to_pandas() has a row for each; a grid is all combinations, once: {key: [values], ...}"
            raise ValueError(f"{len(at)} points are no grid of {' x '.join(map(str, shape))}\n\nhint: {hint}")
        numpy = needed("numpy", "Sweep.to_xarray")
        variables = {}
        for name in [*FIELDS, "error"]:
            column = [row[name] for row in self.rows]
            is_number = all(one is None or isinstance(one, int | float) for one in column) and name != "error"
            grid = numpy.full(shape, numpy.nan if is_number else None, float if is_number else object)
            for place, one in zip(at, column, strict=True):
                grid[place] = math.nan if is_number and one is None else one
            variables[name] = (tuple(self.keys), grid, self._attributes(name))
        coordinates = {key: (key, column, self._attributes(key)) for key, column in ticks.items()}
        return xarray.Dataset(variables, coordinates)

    def _attributes(self, name: str) -> dict[str, str]:
        return {"units": self.units[name]} if name in self.units else {}

    def __getitem__(self, place: Any) -> Any:
        """A point, or some."""
        return self.rows[place]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The points."""
        return iter(self.rows)

    def __len__(self) -> int:
        """How many points there are."""
        return len(self.rows)

    def __repr__(self) -> str:
        """How many points, of which keys."""
        return f"<weir.Sweep of {len(self.rows)} points: {', '.join(self.keys)}>"

    def _repr_html_(self) -> str:
        """The points as a table, for notebooks."""
        names = [*self.keys, "outcome", "simulated_s", "max_link_utilization", "verdict"]
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_shown(row[name]))}</td>" for name in names) + "</tr>"
            for row in self.rows
        )
        return f'<table class="weir-sweep"><tr>{head}</tr>{body}</table>'


def _hashable(value: Any) -> Any:
    """A value as a coordinate: numbers and names as they are, all else as text in JSON."""
    return (
        json.dumps(value, default=str)
        if isinstance(value, Mapping | Sequence) and not isinstance(value, str)
        else value
    )


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def sweep(
    experiment: ExperimentLike,
    points: Mapping[str, Iterable[Any]] | Sequence[Mapping[str, Any]],
    *,
    set: Mapping[str, Any] | None = None,  # noqa: A002
    unset: Sequence[str] = (),
    executor: Executor | None = None,
) -> Sweep:
    """Runs an experiment for all combinations of values of some keys, or for each of a list of dictionaries of keys.

    Ctrl-C ends the points that run, in this process, in others and on workers of Dask, and raises `SweepInterrupted`,
    a `KeyboardInterrupt` that has the rows so far. All points are checked before the first one runs. `executor` is
    any of `concurrent.futures`, or one like it, such as `dask.distributed.Client(...).get_executor()`; whatever runs
    elsewhere must find the files that the experiment names. Without one, a thread for each processor. Rows have the
    order of the points, whatever the executor does.

    Raises `ExperimentError` for the first point with mistakes, `ValueError` for no points. A point without a result
    has the outcome `failed`, and says why in `error`.
    """
    given = _listed(points)
    keys = list(dict.fromkeys(key for point in given for key in point))
    if not given or not keys:
        raise ValueError('no points: write {"key": [values]}, or a list of {"key": value}')
    fixed = arguments.keys("set", set)
    together = [{**fixed, **point} for point in given]
    for point in together:
        running.check(experiment, set=point, unset=unset)
    if executor is None:
        with ThreadPoolExecutor(os.cpu_count()) as own:
            ended, all_ran = _carried_out(own, experiment, (together, unset))
    else:
        ended, all_ran = _carried_out(executor, experiment, (together, unset))
    rows = [{**{key: point.get(key) for key in keys}, **row} for point, row in zip(given, ended, strict=True)]
    found = Sweep(rows, keys)
    if not all_ran:
        raise SweepInterrupted(found, sum(row["outcome"] != INTERRUPTED for row in rows))
    return found


def _listed(points: Mapping[str, Iterable[Any]] | Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    if not isinstance(points, Mapping):
        listed = arguments.items(
            "points", points, 'a dictionary {"key": [values]} or a list of dictionaries {"key": value}'
        )
        return [arguments.keys("an item of points", point) for point in listed]
    for key, values in points.items():
        if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
            raise ValueError(f"{key} = {values!r}: a list of values was expected")
    return [dict(zip(points, values, strict=True)) for values in itertools.product(*points.values())]


def _carried_out(
    executor: Executor, experiment: ExperimentLike, given: tuple[list[dict[str, Any]], Sequence[str]]
) -> tuple[list[dict[str, Any]], bool]:
    """The rows of all points, which have keys to be taken back, and whether none of them was interrupted."""
    points, unset = given
    futures: list[Future[dict[str, Any]]] = []
    stop = Stop.of(executor)
    try:
        futures += [executor.submit(run_point, experiment, point, stop, unset) for point in points]
        return [future.result() for future in futures], True
    except BaseException as error:
        under_way = [future for future in futures if not future.cancel()]
        if not isinstance(error, KeyboardInterrupt):
            raise
        stop.ask(executor)
        wait(under_way, TIMEOUT)
    left = [_so_far(future) for future in futures]
    return left + [_without(INTERRUPTED)] * (len(points) - len(left)), False


def _so_far(future: "Future[dict[str, Any]]") -> dict[str, Any]:
    """The row of a point, if it has one."""
    ended = future.done() and not future.cancelled() and not future.exception()
    return future.result() if ended else _without(INTERRUPTED)


def _without(outcome: str, error: str | None = None) -> dict[str, Any]:
    """The row of a point that has no result."""
    return {**dict.fromkeys(FIELDS), "outcome": outcome, "error": error}


def run_point(
    experiment: ExperimentLike, point: dict[str, Any], stop: Stop | None = None, unset: Sequence[str] = ()
) -> dict[str, Any]:
    """Runs one point, where the executor has it run: `FIELDS` and `error`."""
    stop = stop or Stop("", None)
    with within(stop):
        while not stop.is_asked():
            began = time.monotonic()
            try:
                result = running.run(experiment, set=point, unset=unset)
                row = {field: result.get(field) for field in FIELDS}
                # The first sentence says what held the point up.
                return {**row, "verdict": result.verdict[0]["sentence"] if result.verdict else None, "error": None}
            except RunError as error:
                return _without("failed", str(error))
            except KeyboardInterrupt:
                # All runs of a process are interrupted together. Of a sweep that goes on, the point runs again.
                if not stop.is_asked() and not stop.others_since(began):
                    # The sweep ends by this, and may come to know it later: until then no other point begins here.
                    if stop.sweep:
                        end_points(stop.sweep)
                    raise
                time.sleep(LOOK)
    return _without(INTERRUPTED)
