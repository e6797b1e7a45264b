"""The items, and how their points are run: by the command weir, a process for each."""

import csv
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import tomllib

ROOT = Path(__file__).resolve().parents[2]
PAPERS = ROOT / "papers"

#: A short run is repeated up to so many times for its median, but not when all of them take longer than so many
#: seconds.
MOST_REPETITIONS, REPEAT_WITHIN_S = 5, 1.0
#: Points that take less, in seconds, are not worth a line.
SILENT_S = 0.5

Summary = dict[str, Any]


class Failed(Exception):
    """Why an item has no result."""


@dataclass(frozen=True)
class Item:
    """A figure or a table of a paper, as `papers/items.toml` has it."""

    paper: str
    name: str
    title: str
    takes: list[str]
    studies: list[str] = field(default_factory=list)
    shows: list[str] = field(default_factory=list)
    timed: bool = False
    #: Whether sizes of messages can be chosen.
    sizes: bool = False


ITEMS = [Item(**item) for item in tomllib.loads((PAPERS / "items.toml").read_text())["item"]]


class Point(NamedTuple):
    """An experiment with some of its keys set."""

    experiment: Path
    sets: tuple[str, ...]
    #: Keys and values that distinguish it from others; lists are tuples.
    keys: dict[str, Any]

    @property
    def name(self) -> str:
        """What people call it, as `weir sweep` does."""
        return ", ".join(f"{key}={_written(value)}" for key, value in self.keys.items())

    @property
    def words(self) -> list[str]:
        """The experiment and its keys for a command line."""
        keys = [f"{key}={_written(value)}" for key, value in self.keys.items() if key != "label"]
        return [str(self.experiment), *(word for sets in (*self.sets, *keys) for word in ("--set", sets))]

    def with_keys(self, **keys: Any) -> "Point":
        """The same with other keys, in which two underscores stand for a dot."""
        return self._replace(keys=self.keys | {key.replace("__", "."): value for key, value in keys.items()})


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def overlaid(study: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """A study in which another one replaces keys, of its tables those that it has."""
    both = {key: {**study.get(key, {}), **value} for key, value in other.items() if isinstance(value, dict)}
    return {**study, **other, **both}


class Runs:
    """Summaries of points, in their order."""

    def __init__(self, points: Sequence[Point], summaries: list[Summary]) -> None:
        """Takes as many of the one as of the other."""
        self.points, self.summaries = points, summaries

    def by(self, *keys: str) -> dict[Any, Summary]:
        """The summaries by the values of these keys, in the order of the points: a value, or a tuple of several."""
        found = [tuple(point.keys.get(key) for key in keys) for point in self.points]
        return dict(zip((of if len(of) > 1 else of[0] for of in found), self.summaries, strict=True))


@dataclass(frozen=True)
class Campaign:
    """How the points of an item are run."""

    item: Item
    weir: str
    #: `short`, `full`, or `few` for tests: an item is run with `parts` of its studies then.
    extent: str = "short"
    #: Sizes of messages in KiB instead of the item's own.
    sizes: list[int] = field(default_factory=list)
    #: Points at a time; `None`: one if the item reports run times, otherwise one for each processor.
    threads: int | None = None
    #: What replaces parts of the studies, by their number.
    parts: dict[int, dict[str, Any]] = field(default_factory=dict)
    #: Called when a point is done: its name, how many are done of how many, and the seconds it took.
    watch: Callable[[str, int, int, float], object] = lambda *_: None

    def points(self, study: int = 0) -> list[Point]:
        """The points of a study of the item."""
        path = PAPERS / self.item.studies[study]
        file = tomllib.loads(path.read_text())
        keys = overlaid(file["study"], file.get("full", {})) if self.extent == "full" else file["study"]
        keys = overlaid(keys, self.parts.get(study, {}))
        grid = dict(keys.get("grid", {}))
        if self.sizes:
            grid["workload.message_size"] = [f"{size} KiB" for size in self.sizes]
        blocks = [[{key: value} for value in values] for key, values in grid.items()]
        blocks = [*blocks, keys["points"]] if "points" in keys else blocks
        points = []
        for rows in itertools.product(*blocks):
            values = {
                key: tuple(value) if isinstance(value, list) else value for row in rows for key, value in row.items()
            }
            points.append(Point((path.parent / keys["experiment"]).resolve(), tuple(keys.get("set", ())), values))
        return points

    def published(self, study: int = 0) -> dict[tuple[str, str], float]:
        """The numbers that the paper prints of points of a study, by name of the point and field of the summary."""
        path = (PAPERS / self.item.studies[study]).with_suffix(".published.csv")
        with path.open(newline="") as file:
            return {(row["point"], row["field"]): float(row["published"]) for row in csv.DictReader(file)}

    def study(self, study: int = 0, timed: bool = False, alone: bool = False) -> Runs:
        """Runs all points of a study of the item."""
        points = self.points(study)
        return Runs(points, self.run(points, timed, alone))

    def run(self, points: Sequence[Point], timed: bool = False, alone: bool = False) -> list[Summary]:
        """Runs points; the results are in their order.

        With `timed` a short run is repeated for its median, with `alone` nothing runs beside a point.
        """
        done = itertools.count(1)

        def one(point: Point) -> Summary:
            begun = time.monotonic()
            summaries = [self._run(point)]
            while timed and self.extent != "few" and len(summaries) < MOST_REPETITIONS:
                if time.monotonic() - begun + summaries[0]["wall_s"] >= REPEAT_WITHIN_S:
                    break
                summaries.append(self._run(point))
            summaries.sort(key=lambda summary: summary["wall_s"])
            self.watch(point.name, next(done), len(points), time.monotonic() - begun)
            return summaries[len(summaries) // 2]

        own = 1 if self.item.timed else len(os.sched_getaffinity(0))
        with ThreadPoolExecutor(1 if alone else self.threads or own) as executor:
            futures = [executor.submit(one, point) for point in points]
            try:
                return [future.result() for future in futures]
            except BaseException:
                executor.shutdown(cancel_futures=True)
                raise

    def _run(self, point: Point) -> Summary:
        done = self.command(["run", "--json", "--quiet", *point.words], point.name)
        summary: Summary = json.loads(done)
        # Rounded as the engines round it, not as the summary does: tables have it in full.
        return summary | {"simulated_s": summary["simulated_ps"] * 1e-12}

    def command(self, words: Sequence[str], name: str, given: str | None = None) -> str:
        """What the command prints with these words, which may read something, and must end well."""
        done = subprocess.run([self.weir, *words], input=given, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{name}: {done.stderr.strip() or f'weir ended with {done.returncode}'}")
        return done.stdout

    def cores(self) -> int:
        """How many processors a run may use."""
        return len(os.sched_getaffinity(0))


def series(found: dict[Any, float]) -> list[tuple[float, float]]:
    """Numbers over numbers, for a plot."""
    return [(float(x), float(y)) for x, y in found.items()]


def over(points: Iterable[float]) -> list[tuple[float, float]]:
    """Numbers over their places: 0, 1, 2."""
    return [(float(place), float(value)) for place, value in enumerate(points)]


def weir_version() -> str:
    """The version of the project."""
    version: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    return version


def say(text: str) -> None:
    """A line on standard error."""
    print(text, file=sys.stderr, flush=True)
