"""An experiment from Python: a file, a text, or a dictionary, with what is set in it, as the simulator takes it."""

import json
import math
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from weir import arguments
from weir.errors import ArgumentError
from weir.keys import Experiment
from weir.patterns import Pattern

#: A path, the text of a file in TOML (it has more than one line), or its tables.
ExperimentLike: TypeAlias = str | os.PathLike[str] | Experiment | Mapping[str, Any]


@dataclass(frozen=True)
class Input:
    """What `weir._weir` takes. See `crates/python/src/run.rs`."""

    file: str | None
    text: tuple[str, str] | None
    overrides: list[str]
    out: str | None
    machine: str | None = None
    collectives: str | None = None
    #: Whether the text has numbers in SI base units; those of `overrides` always are.
    si_numbers: bool = False

    def arguments(self, folder: Path) -> list[str]:
        """The same for the command `weir run`; a text is written into the folder."""
        file = self.file
        if self.text:
            name, text = self.text
            file = str(folder / name)
            Path(file).write_text(text, encoding="utf-8")
        words = [str(file), "--si-numbers", "everywhere" if self.si_numbers else "overrides"]
        words += [word for override in self.overrides for word in as_option(override)]
        words += ["--machine", self.machine] if self.machine else []
        return words + (["--out", self.out] if self.out else [])


@contextmanager
def prepared(
    experiment: ExperimentLike,
    *,
    set: Mapping[str, Any] | None = None,  # noqa: A002
    unset: Sequence[str] = (),
    out: str | os.PathLike[str] | None = None,
    engine: str | None = None,
    threads: int | None = None,
    machine: str | os.PathLike[str] | None = None,
) -> Iterator[Input]:
    """An experiment for as long as its patterns and graphs are in files of their own.

    Raises `ArgumentError` for what is no experiment, has a value that no key can have, or has another type;
    `ValueError` where `engine` or `threads` and `set` differ.
    """
    if isinstance(machine, Mapping):
        what = 'a table of weir.machine is the "topology" of an experiment; machine is a file or a name'
        raise ArgumentError(what)
    with ExitStack() as scratch:
        files = _Files(scratch)
        given = arguments.keys("set", set)
        for name, key, value in (("engine", "engine.kind", engine), ("threads", "engine.threads", threads)):
            if value is None:
                continue
            if given.setdefault(key, value) != value:
                raise ValueError(f"{name}={value!r} and set={{{key!r}: {given[key]!r}}} say different things")
        overrides = [f"-{key}" for key in _keys(unset)]
        overrides += [f"{key}={_toml(key, files.placed(key, value))}" for key, value in given.items()]
        file, text = _read(experiment, files)
        yield Input(
            file=file,
            text=text,
            overrides=overrides,
            out=None if out is None else arguments.path("out", out),
            machine=None if machine is None else arguments.path("machine", machine),
            collectives=os.environ.get("WEIR_COLLECTIVES"),
            si_numbers=isinstance(experiment, Mapping),
        )


def _keys(unset: Sequence[str]) -> list[str]:
    return [key.strip() for key in arguments.names("unset", unset, '["node.injection_limit"]')]


def as_option(override: str) -> tuple[str, str]:
    """An override as the command line has it."""
    taken_back = override.startswith("-") and "=" not in override
    return ("--unset", override[1:]) if taken_back else ("--set", override)


def _read(experiment: ExperimentLike, files: "_Files") -> tuple[str | None, tuple[str, str] | None]:
    if isinstance(experiment, Mapping):
        tables = _plain("", files.placed("", experiment))
        return None, ("experiment.json", json.dumps(tables, ensure_ascii=False))
    if isinstance(experiment, str) and "\n" in experiment:
        return None, ("experiment.toml", experiment)
    return file_of(experiment), None


def file_of(experiment: Any) -> str:
    """The path of an experiment that is neither a text nor a dictionary."""
    if isinstance(experiment, str | os.PathLike):
        return arguments.path("experiment", experiment)
    raise arguments.wrong("experiment", "a path, the text of a file or a dictionary of its tables", experiment)


class _Files:
    """Puts patterns and graphs into files, and their keys where they stood."""

    def __init__(self, scratch: ExitStack) -> None:
        self.scratch = scratch
        #: Made when the first file needs it.
        self.folder: str | None = None
        self.count = 0

    def placed(self, key: str, value: Any) -> Any:
        """A value in which tables stand for patterns and graphs."""
        if isinstance(value, Pattern):
            return {"kind": "pattern-file", "file": str(value.write(self._name(".parquet")))}
        if isinstance(value, Mapping):
            known = {name: self.placed(f"{key}.{name}" if key else str(name), one) for name, one in value.items()}
            graph = known.pop("graph", None) if known.get("kind") == "graph" else None
            if graph is not None:
                file = self._name(".json")
                file.write_text(json.dumps(_plain(f"{key}.graph", graph)), encoding="utf-8")
                known["file"] = str(file)
            return known
        return value

    def _name(self, ending: str) -> Path:
        if self.folder is None:
            self.folder = self.scratch.enter_context(tempfile.TemporaryDirectory(prefix="weir-"))
        self.count += 1
        return Path(self.folder) / f"{self.count}{ending}"


def _plain(key: str, value: Any) -> Any:
    """A value as JSON has it; numbers of numpy are numbers, paths are texts."""
    if isinstance(value, Mapping):
        return {str(name): _plain(f"{key}.{name}" if key else str(name), one) for name, one in value.items()}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain(key, one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ArgumentError(f"{key} = {value}: a finite number was expected")
    if isinstance(value, str | bool | int | float):
        return value
    hint = "leave the key out for its default" if value is None else "write texts, numbers, lists or dictionaries"
    raise ArgumentError(f"{key or 'experiment'}: {type(value).__name__} is no value of a key; {hint}")


def _toml(key: str, value: Any) -> str:
    """A value as `--set` reads it: TOML on one line. Texts are in quotes, so that they stay texts."""
    return _written(_plain(key, value))


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {_written(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    # A float of JSON such as 1e-05 is one of TOML, and so is a text, but for the letter that TOML has no name for.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
