"""What can be wrong with a results folder. Each error names the path, what was expected there, and a way out."""

from pathlib import Path


class ResultsError(Exception):
    """A results folder that cannot be read.

    `path` is the folder or file that is wrong, `problem` says what is, `hint` what to do about it.
    """

    def __init__(self, path: Path, problem: str, hint: str) -> None:
        """Keeps the three parts; the message has all of them."""
        super().__init__(f"{path}: {problem}\n\nhint: {hint}")
        self.path = path
        self.problem = problem
        self.hint = hint


class NotResults(ResultsError):
    """There is no such folder, or it has nothing in it that a run leaves."""


class IncompleteResults(ResultsError):
    """The run has not come to its end: there are tables, but no summary, or a table of the summary is missing."""


class NewerSchema(ResultsError):
    """Written by a later weir, in a form that this package does not know."""


class DamagedFile(ResultsError):
    """A file that is not what its name says: cut off, or written by something else."""


class MissingTable(ResultsError):
    """The run did not record this table."""
