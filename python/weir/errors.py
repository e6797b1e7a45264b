"""What can be wrong: with an experiment, a run, or a results folder.

Messages are those of the command `weir`, with arguments of Python in place of its options.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from weir.sweeping import Sweep


#: An option that sets a key: whole in quotes, or a value in quotes or brackets, or up to what ends a word.
_SET = re.compile(r"""--set (['"])?([\w.]+)=(?(1)(.*?)\1|("[^"]*"|\[[^]]*\]|[^\s,;)]+))""")
#: Others, and what they are in Python.
_OPTIONS = [
    (re.compile(r"--unset ([\w.]*[\w])(?![\w=])"), r'unset=["\1"]'),
    (re.compile(r"--out FOLDER\b"), 'out="FOLDER"'),
    (re.compile(r"--(set|unset)\b"), r"\1"),
]
#: Values that stand for themselves in Python.
_PLAIN = re.compile(r"""["'\[{]|[-+]?[\d.]+(e[-+]?\d+)?$""")


def in_python(text: str) -> str:
    """A text of the command for those who wrote Python: `set={"key": value}` for `--set key=value`."""

    def written(found: "re.Match[str]") -> str:
        value = found[3] or found[4]
        value = {"true": "True", "false": "False"}.get(value, value if _PLAIN.match(value) else f'"{value}"')
        return f'set={{"{found[2]}": {value}}}'

    text = _SET.sub(written, text)
    for option, argument in _OPTIONS:
        text = option.sub(argument, text)
    return text


class WeirError(Exception):
    """Anything that weir refuses or cannot do."""

    def __init__(self, *parts: Any, **names: Any) -> None:
        """Takes the texts of the command."""
        super().__init__(*(in_python(part) if isinstance(part, str) else part for part in parts), **names)


class Problem(NamedTuple):
    """One mistake in an experiment."""

    #: The file it is in, or `set` or `unset` for what these say.
    file: str
    #: The line, from 1; `None` where there is none to name.
    line: int | None
    #: The key with its table: `topology.bandwidth`; empty for a problem of the file as a whole.
    key: str
    #: The value as written; empty for a missing key or a whole table.
    value: str
    #: What is wrong, and what was expected.
    what: str
    #: What to do about it.
    hint: str | None


class ArgumentError(WeirError, TypeError):
    """An argument has a type that it cannot have: the message says its name and what was expected."""


class ExperimentError(WeirError):
    """An experiment that cannot be run: `problems` are all its mistakes, the message has them with their hints."""

    def __init__(self, text: str, problems: list[tuple[str, int | None, str, str, str, str | None]]) -> None:
        """Keeps the mistakes."""
        super().__init__(text, problems)
        self.problems = [
            Problem(*(in_python(part) if isinstance(part, str) else part for part in problem))  # type: ignore[arg-type]
            for problem in problems
        ]

    def __str__(self) -> str:
        """All mistakes, one a line, then the hints."""
        return str(self.args[0])


class MissingPackage(WeirError, ImportError):
    """Another package that is needed for this is not installed: the hint is the extra of weir-sim that brings it."""


class RunError(WeirError):
    """A run without a result."""


class DeadlockError(RunError):
    """Nothing is left to happen, and requests wait for others: the backend goes on when these are made."""


class ProgramError(RunError):
    """The MPI program cannot be loaded or run."""


class OptionsError(RunError):
    """The options make no sense for this experiment."""


class OutputError(RunError):
    """A file cannot be written."""


class BudgetError(RunError):
    """There is not enough memory, or it would take longer than allowed."""


class ProcessError(RunError):
    """The process of the run was lost."""


class InternalError(RunError):
    """A mistake of weir itself."""


class CommandNotFound(WeirError):
    """The command `weir` is needed and not there."""


class SweepInterrupted(KeyboardInterrupt):
    """Ctrl-C has ended a sweep: `sweep` has the rows of points that had come to their end, and `interrupted` ones."""

    def __init__(self, sweep: "Sweep", ended: int) -> None:
        """Keeps the rows."""
        super().__init__(f"{ended} of {len(sweep)} points had come to their end; the attribute sweep has them")
        self.sweep = sweep


class ExperimentWarning(UserWarning):
    """A warning about an experiment: it may not say what was meant."""


class ResultsError(WeirError):
    """A results folder that cannot be read.

    `path` is the folder or file that is wrong, `problem` says what is, `hint` what to do about it.
    """

    def __init__(self, path: Path, problem: str, hint: str) -> None:
        """Keeps the three parts; the message has all of them."""
        super().__init__(path, problem, hint)
        self.path: Path = path
        self.problem: str = self.args[1]
        self.hint: str = self.args[2]

    def __str__(self) -> str:
        """Path, problem and hint."""
        return f"{self.path}: {self.problem}\n\nhint: {self.hint}"


class NotResults(ResultsError):
    """There is no such folder, or it has nothing in it that a run leaves."""


class IncompleteResults(ResultsError):
    """The run has not ended: there are tables, but no summary, or a table of the summary is missing."""


class NewerSchema(ResultsError):
    """Written by a later weir, in a form that this package does not know."""


class DamagedFile(ResultsError):
    """A file that is not what its name says: cut off, or written by something else."""


class MissingTable(ResultsError):
    """The run did not record this table."""
