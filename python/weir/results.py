"""Reads a results folder: what `weir run --out DIR` leaves.

```text
 summary.json         places, links, latencies, pairs (.parquet)
      |               series/links, series/buffers, packets, messages, calls (folders of parts)
      v                                      |
 Results.summary       Results.columns(name), Results.table(name), Results.dataset(name)
```

`columns` needs no other package; what gives tables of Arrow or data frames needs `weir-sim[tables]`.

Tables are read when they are asked for, not before. Those that are streamed come in parts; all complete parts are read,
in the order in which they were written.
"""

import json
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from weir import _weir, arguments
from weir.errors import DamagedFile, IncompleteResults, MissingTable, NewerSchema, NotResults
from weir.extras import needed
from weir.summary import Summary, TableName
from weir.summary_form import mistake

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.dataset import Dataset

    from weir.plotting import Plots

Found = TypeVar("Found")

#: The versions of summary and tables that this package reads.
SUMMARY_SCHEMA = 2
TABLE_SCHEMA = 1

#: Every table that a run can leave, with what has it recorded.
RECORDED_BY: dict[str, str] = dict(_weir.TABLES)


class Results:
    """One results folder, checked. See `open`."""

    def __init__(self, path: Path, summary: Summary) -> None:
        """Takes what `open` has found."""
        self.path = path
        #: The fields of `summary.json`; of a run that has not ended those that are known when it begins.
        self.summary = summary

    @property
    def complete(self) -> bool:
        """Whether the run has come to its end, however that was."""
        return "outcome" in self.summary

    def __repr__(self) -> str:
        """The folder and its tables."""
        return f"<weir.Results {self.path}: {', '.join(self.tables) or 'no tables'}>"

    @cached_property
    def tables(self) -> list[str]:
        """Names of the tables in the folder, in the order of `RECORDED_BY`."""
        return [name for name in RECORDED_BY if self._files(name)]

    @property
    def plot(self) -> "Plots":
        """The figures of the report, each alone: `results.plot.machine()`."""
        from weir.plotting import Plots

        return Plots(self)

    def has(self, name: TableName | str) -> bool:
        """Whether the folder has this table."""
        return name in self.tables

    def columns(self, name: TableName | str, columns: list[str] | None = None) -> dict[str, list[Any]]:
        """The columns of a table as lists, or some of them; `None` where a row has no value.

        Raises `MissingTable` if the run has not recorded it, `DamagedFile` if a part cannot be read.
        """
        files = self._readable(name, columns)
        names = columns if columns is not None else reading(_weir.table_form, files[0])[0]
        return dict(zip(names, reading(_weir.table_columns, files, names), strict=True))

    def table(self, name: TableName | str, columns: list[str] | None = None) -> "pa.Table":
        """A whole table as Arrow table, or some of its columns; `.to_pandas()` makes it a data frame.

        Raises what `columns` raises, and `MissingPackage` without pyarrow.
        """
        pa, pq = (needed(module, "Results.table") for module in ("pyarrow", "pyarrow.parquet"))
        found = []
        for file in self._readable(name, columns):
            try:
                found.append(pq.ParquetFile(file).read(columns))
            except (OSError, pa.ArrowException) as error:
                raise _damaged_file(file, str(error)) from error
        return pa.concat_tables(found)

    def batches(self, name: TableName | str, columns: list[str] | None = None) -> "Iterator[pa.RecordBatch]":
        """The rows of a table a piece at a time, in order: for tables that are larger than the memory.

        Raises what `table` raises.
        """
        pa, pq = (needed(module, "Results.batches") for module in ("pyarrow", "pyarrow.parquet"))
        for file in self._readable(name, columns):
            try:
                yield from pq.ParquetFile(file).iter_batches(batch_size=1 << 17, columns=columns)
            except (OSError, pa.ArrowException) as error:
                raise _damaged_file(file, str(error)) from error

    def dataset(self, name: TableName | str) -> "Dataset":
        """A table as Arrow dataset, of which nothing but the form has been read.

        Raises what `table` raises.
        """
        # It takes pandas with it, if that is there, and a quarter of a second.
        dataset = needed("pyarrow.dataset", "Results.dataset")
        return dataset.dataset([str(file) for file in self._readable(name)], format="parquet")

    def metadata(self, name: TableName | str) -> dict[str, str]:
        """What the first file of a table says about it, as in `weir.ranks_per_block`."""
        _, notes = reading(_weir.table_form, self._readable(name)[0])
        return {key: value for key, value in notes.items() if key.startswith("weir.")}

    def pandas(self, name: TableName | str, columns: list[str] | None = None) -> Any:
        """A whole table as pandas data frame; pandas must be installed."""
        needed("pandas", "Results.pandas")
        return self.table(name, columns).to_pandas()

    def _readable(self, name: str, columns: list[str] | None = None) -> list[Path]:
        """The files of a table that is there, is of this run, in a form that is known, and has these columns."""
        files = self._files(name)
        if not files:
            if name not in RECORDED_BY:
                known = ", ".join(RECORDED_BY)
                raise MissingTable(self.path, f"there is no table named {name!r}", f"tables are: {known}")
            hint = f"run the experiment again; what has it recorded: {RECORDED_BY[name]}"
            raise MissingTable(self.path, f"the run has not recorded the table {name!r}", hint)
        names, notes = reading(_weir.table_form, files[0])
        _check_schema(files[0], notes)
        self._check_run(files)
        if lacking := [column for column in columns or [] if column not in names]:
            hint = f"columns are: {', '.join(names)}"
            raise MissingTable(self.path, f"the table {name!r} has no column {lacking[0]!r}", hint)
        return files

    def _files(self, name: str) -> list[Path]:
        """The complete files of a table, in order; parts have five digits and more."""
        whole = self.path / f"{name}.parquet"
        if whole.is_file():
            return [whole]
        parts = [part for part in (self.path / name).glob("*.parquet") if part.stem.isdigit()]
        return sorted(parts, key=lambda part: int(part.stem))

    def _check_run(self, files: list[Path]) -> None:
        """Refuses tables of another run than the summary is of, if that says which."""
        run = self.summary.get("run")
        for file in files if isinstance(run, str) else []:
            _, notes = reading(_weir.table_form, file)
            if notes.get("weir.run", "") != run:
                problem = "belongs to another run than summary.json"
                raise DamagedFile(file, problem, "delete it if it is left over, or run the experiment again")

    def files(self, name: str, columns: list[str]) -> list[Path]:
        """The files of a table, in order, which has these columns: for what reads them itself.

        Raises what `columns` raises.
        """
        return self._readable(name, columns)


def open(path: str | Path, *, allow_incomplete: bool = False) -> Results:  # noqa: A001
    """Opens a results folder and checks its summary; tables are looked at when they are asked for.

    With `allow_incomplete` also the folder of a run that was killed, or still runs: its summary has what is known when
    a run begins (`begun.json`), its tables have all parts that are complete.

    Raises `NotResults`, `IncompleteResults`, `NewerSchema` or `DamagedFile`; `ArgumentError` for what is no path.
    """
    folder = Path(arguments.path("path", path))
    how = "name a folder that `weir run EXPERIMENT --out DIR` has written"
    if not folder.exists():
        raise NotResults(folder, "there is no such folder", how)
    if not folder.is_dir():
        raise NotResults(folder, "is a file; a results folder was expected", how)
    summary_file = folder / "summary.json"
    if not summary_file.exists():
        begun = folder / "begun.json"
        results = Results(folder, _summary(begun) if begun.exists() else {})
        if not results.tables and not begun.exists():
            raise NotResults(folder, "is not a results folder: it has no summary.json and no tables", how)
        if allow_incomplete:
            return results
        hint = "wait for the run, or run it again; allow_incomplete=True reads what there is, weir report draws it"
        raise IncompleteResults(folder, "has no summary.json: the run has not ended", hint)
    results = Results(folder, _summary(summary_file))
    named = results.summary.get("tables", [])
    lost = [name for name in named if name in RECORDED_BY and not results.has(name)]
    if lost and not allow_incomplete:
        problem = f"is incomplete: summary.json names tables that are not there: {', '.join(lost)}"
        raise IncompleteResults(folder, problem, "copy the whole folder, with its subfolders, or run it again")
    return results


def _summary(file: Path) -> Summary:
    again = "run the experiment again: weir writes the file whole or not at all"
    try:
        text = file.read_bytes()
        summary = json.loads(text.decode())
    except UnicodeDecodeError as error:
        line = 1 + text.count(b"\n", 0, error.start)
        raise DamagedFile(file, f"cannot be read: line {line} is not UTF-8", again) from error
    except (OSError, ValueError, RecursionError) as error:
        raise DamagedFile(file, f"cannot be read: {error}; the summary of a run was expected", again) from error
    version = summary.get("schema_version") if isinstance(summary, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or not 0 < version < 10**6:
        problem = "has no schema_version; the summary of a run was expected"
        raise DamagedFile(file, problem, again)
    if version > SUMMARY_SCHEMA:
        problem = f"has schema_version {version}; this package knows {SUMMARY_SCHEMA} and before"
        raise NewerSchema(file, problem, "install the Python package of the weir that wrote it: pip install .")
    wrong = mistake(summary)
    if wrong:
        raise DamagedFile(file, f"is not the summary of a run: {wrong}", again)
    return cast(Summary, summary)


def _check_schema(file: Path, notes: dict[str, str]) -> None:
    text = notes.get("weir.schema", "")
    if not text.isdigit():
        problem = "is Parquet, but not a table of weir: weir.schema is missing in its metadata"
        raise DamagedFile(file, problem, "run the experiment again")
    if int(text) > TABLE_SCHEMA:
        problem = f"has weir.schema {text}; this package knows {TABLE_SCHEMA} and before"
        raise NewerSchema(file, problem, "install the Python package of the weir that wrote it: pip install .")


def reading(read: Callable[..., Found], *arguments: Any) -> Found:
    """What the extension module reads of tables."""
    try:
        return read(*arguments)
    except ValueError as error:
        file, reason = error.args
        raise _damaged_file(Path(file), reason) from error


def _damaged_file(file: Path, reason: str) -> DamagedFile:
    problem = f"cannot be read: {(reason.splitlines() or ['?'])[0]}; a Parquet file was expected"
    return DamagedFile(file, problem, "remove it, if later parts are not needed, or run the experiment again")
