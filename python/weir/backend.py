"""weir as the network of another simulator, which steps it."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from weir import _weir
from weir.experiment import ExperimentLike, prepared


class Backend(_weir.Backend):
    """The network of another simulator: its ranks send, receive and wait, and it steps the time.

    `experiment`, `set`, `unset`, `engine` and `machine` are those of `weir.run`; `experiment` may be a machine file or
    a machine of another tool as well. The workload of the experiment is left out, but for `workload.ranks`: without it
    there are as many ranks as the machine has room for. Times are whole picoseconds.

    `send(rank, to, bytes, *, tag=0, then=None)`, `receive(rank, bytes, *, source=None, tag=None, then=None)` and
    `schedule(rank, delay_ps, *, then=None)` make requests now. `run(until_ps=None)` lets time pass and calls `then` of
    each request that is complete with a `Completion`; `next(until_ps=None)` returns the next completion, or `None`.
    `now_ps` is the time, `ranks` the number of ranks. `finish()` ends the run, writes its results folder if there is an
    `output.dir`, and returns its summary. It belongs to the thread that has made it.

    Raises `ExperimentError` for what is wrong with the experiment, `ValueError` for an argument that cannot be,
    `DeadlockError` where nothing is left to happen and requests are open, `RunError` when the run has ended.
    """

    def __new__(
        cls,
        experiment: ExperimentLike = {},  # noqa: B006
        *,
        set: Mapping[str, Any] | None = None,  # noqa: A002
        unset: Sequence[str] = (),
        engine: str | None = None,
        machine: str | os.PathLike[str] | None = None,
    ) -> "Backend":
        """Reads the experiment."""
        with prepared(experiment, set=set, unset=unset, engine=engine, machine=machine) as given:
            return super().__new__(cls, given)

    def finish(self) -> dict[str, Any]:
        """Ends the run where it is, and returns its summary: the object of `summary.json`.

        With `set={"output.dir": FOLDER}` its results are in that folder then, as those of `weir.run`. All further calls
        raise `RunError`, but this one.
        """
        summary: dict[str, Any] = json.loads(self._finish())
        return summary
