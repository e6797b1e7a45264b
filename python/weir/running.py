"""Runs experiments: in this process, MPI programs by the command."""

import html
import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from weir import arguments, programs
from weir.errors import ExperimentWarning, OptionsError, in_python
from weir.experiment import ExperimentLike, prepared
from weir.keys import Experiment
from weir.summary import Summary, SummaryFields

try:
    from weir import _weir
except ImportError as error:
    text = f"the simulator is missing ({error})\n\nhint: pip install weir-sim; in its source folder make python"
    raise ImportError(text) from error

if TYPE_CHECKING:
    from weir.results import Results


class Progress(NamedTuple):
    """How far a run is."""

    #: Simulated seconds.
    simulated_s: float
    #: Messages that have arrived, and their bytes.
    messages: int
    bytes: int
    #: What is being prepared, as long as the run has not begun.
    stage: str | None


class Result(SummaryFields, Mapping[str, Any]):
    """What a run comes to: the fields of `summary.json`, as items and as attributes.

    A deadlock or a limit is a result, too: `outcome` says which, `finished` whether it is neither.
    """

    def __init__(self, summary: Summary, folder: Path | None) -> None:
        """Takes the fields, and the results folder if there is one."""
        self.summary = summary
        self._fields: Mapping[str, Any] = summary
        #: The results folder; `None` if none was asked for.
        self.folder = folder

    @property
    def finished(self) -> bool:
        """Whether all ranks came to their end."""
        return bool(self.summary["outcome"] == "finished")

    def open(self) -> "Results":
        """The results folder, to read its tables.

        Raises `OptionsError` if the run had none.
        """
        from weir import results

        if self.folder is None:
            raise OptionsError('the run has left no folder\n\nhint: weir.run(..., out="results/first")')
        return results.open(self.folder)

    def __getitem__(self, name: str) -> Any:
        """A field of the summary."""
        return self._fields[name]

    if not TYPE_CHECKING:
        # Editors and mypy know the fields by name, and others as mistakes.

        def __getattr__(self, name: str) -> Any:
            """A field of the summary."""
            if name in self.__dict__.get("summary", {}):
                return self._fields[name]
            raise AttributeError(
                f"a result has no field {name!r}; fields are: {', '.join(self.__dict__.get('summary', {}))}"
            )

    def __iter__(self) -> Iterator[str]:
        """The names of the fields."""
        return iter(self.summary)

    def __len__(self) -> int:
        """How many fields there are."""
        return len(self.summary)

    def __dir__(self) -> list[str]:
        """Fields are completed, too."""
        return sorted([*super().__dir__(), *self.summary])

    def _rows(self) -> list[tuple[str, str]]:
        known = self.summary
        busiest = known.get("busiest_link") or {}
        rows = [
            ("experiment", f"{known['title']} ({known['engine']})"),
            ("outcome", known["outcome"]),
            ("machine", f"{known['nodes']:,} nodes, {known['routers']:,} routers, {known['links']:,} links"),
            ("ranks", f"{known['ranks']:,}"),
            ("simulated time", f"{known['simulated_s']:.6g} s"),
            ("messages", f"{known['messages']:,}"),
            ("bytes", f"{known['bytes']:,}"),
        ]
        if busiest:
            rows.append(("busiest link", f"{busiest['name']}, {100 * busiest['utilization']:.1f} % utilized"))
        return rows

    def _sentences(self) -> list[str]:
        return [finding["sentence"] for finding in self.summary.get("verdict", [])]

    def __repr__(self) -> str:
        """Outcome, time and the first sentence of the verdict, in one line; `str` and `print` have all of it."""
        from weir.report import units

        said = f"{self.summary['outcome']} after {units.time(self.summary['simulated_ps'])}"
        names = [self.summary["title"], said, *self._sentences()[:1]]
        return f"<weir.Result {': '.join(filter(None, names))}>"

    def __str__(self) -> str:
        """The verdict, and the answer in a few lines."""
        rows = self._rows()
        width = max(len(name) for name, _ in rows)
        return "\n".join([*self._sentences(), *(f"{name:{width}}  {value}" for name, value in rows)])

    def _repr_html_(self) -> str:
        """The verdict, and the answer as a table, for notebooks."""
        verdict = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in self._sentences())
        rows = "".join(f"<tr><th>{name}</th><td>{html.escape(str(value))}</td></tr>" for name, value in self._rows())
        return f'{verdict}<table class="weir-result">{rows}</table>'


def check(
    experiment: ExperimentLike,
    *,
    set: Mapping[str, Any] | None = None,  # noqa: A002
    unset: Sequence[str] = (),
) -> Experiment:
    """The experiment with every default filled in; runs nothing.

    Raises `ExperimentError` with all mistakes at once.
    """
    with prepared(experiment, set=set, unset=unset) as given:
        resolved, _ = _weir.check(given)
    found: Experiment = json.loads(resolved)
    return found


def run(
    experiment: ExperimentLike,
    *,
    set: Mapping[str, Any] | None = None,  # noqa: A002
    unset: Sequence[str] = (),
    out: str | os.PathLike[str] | None = None,
    engine: str | None = None,
    threads: int | None = None,
    machine: str | os.PathLike[str] | None = None,
    band: bool = False,
    progress: Callable[[Progress], object] | None = None,
) -> Result:
    """Runs an experiment: a path, the text of a file (of more than one line), or a dictionary of its tables.

    `set` sets keys, as in `{"topology.shape": [8, 8]}`; `unset` takes back keys or whole tables that the experiment or
    its machine file says, as in `["node.injection_limit"]`; `out` is the results folder; `engine` the engine
    (`engine.kind`: `flow`, `packet` or `ideal`); `threads` the most threads (`engine.threads`); `machine` a machine
    file or the name of one that ships with weir; with `band` the result has `band_s`, between which times it lies by
    the intervals of calibrated keys (`output.band`); `progress` is called ten times a second, if there is something
    new. Paths in a text or a dictionary are relative to the current folder.
    Other threads of Python go on meanwhile. Ctrl-C ends the run as a limit does: its results are written, then
    `KeyboardInterrupt` is raised.

    An MPI program runs in a process of its own, by the command `weir`; what it prints goes to standard error.

    Raises `ArgumentError` for an argument of a wrong type, `ExperimentError` with all mistakes of the experiment, a
    `RunError` where there is no result, `CommandNotFound`; `ValueError` where `engine` or `threads` say something else
    than `set`.
    """
    arguments.function("progress", progress)
    if band:
        set = {**arguments.keys("set", set), "output.band": True}  # noqa: A001
    with prepared(experiment, set=set, unset=unset, out=out, engine=engine, threads=threads, machine=machine) as given:
        shown = None if progress is None else lambda *state: progress(Progress(*state))
        text = _weir.run(given, shown)
        if text is None:
            text = programs.run(given, shown)
    summary: Summary = json.loads(text)
    for warning in summary.get("warnings") or []:
        warnings.warn(in_python(warning), ExperimentWarning, stacklevel=2)
    folder = summary["experiment"]["output"].get("dir")
    return Result(summary, Path(folder) if folder else None)


def interrupt() -> None:
    """Ends all runs of this process that are under way, as Ctrl-C does, in whatever thread of Python."""
    _weir.interrupt_runs()
    programs.interrupt()
