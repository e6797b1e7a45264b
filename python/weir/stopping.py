"""How the points of a sweep are ended, wherever they run.

```text
 sweep: Ctrl-C --> Stop.ask --> this process: its runs
                           '--> a file: processes of this computer look for it ten times a second
                           '--> Dask: its workers are asked, on any computer
 a point: within(stop) --> its process is interrupted, as by Ctrl-C: what it has reached is in its results folder
```
"""

import asyncio
import atexit
import os
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from weir import running

#: Seconds between two looks for the file.
LOOK = 0.1
#: Seconds that points have to end, before the sweep goes on without them.
TIMEOUT = 0.7

#: Sweeps whose points are to end in this process, and when that came to be known or, later, one of them ended.
_asked: dict[str, float] = {}
#: How many points of each sweep run in this process.
_running: dict[str, int] = {}
_lock = threading.Lock()


class Stop(NamedTuple):
    """How a point finds out that it is to end. It goes with the point to where that runs."""

    #: The sweep.
    sweep: str
    #: A file that is there when the points are to end; `None` where nothing but this process and Dask has them.
    file: str | None

    @classmethod
    def of(cls, executor: Executor) -> "Stop":
        """For the points that an executor runs."""
        sweep = uuid.uuid4().hex
        if isinstance(executor, ThreadPoolExecutor) or _client(executor):
            return cls(sweep, None)
        folder = tempfile.TemporaryDirectory(prefix="weir-sweep-")
        # Points that have been handed over begin after the sweep has ended: they have to find the file.
        atexit.register(folder.cleanup)
        return cls(sweep, str(Path(folder.name) / "stop"))

    def ask(self, executor: Executor) -> None:
        """Has all points of the sweep end."""
        end_points(self.sweep)
        if self.file:
            with suppress(OSError):
                Path(self.file).touch()
        if client := _client(executor):
            # Workers that do not answer must not hold up who has pressed Ctrl-C.
            asking = threading.Thread(target=client.run, args=(end_points_of_worker, self.sweep), daemon=True)
            asking.start()
            asking.join(TIMEOUT)

    def is_asked(self) -> bool:
        """Whether this process knows that the points are to end."""
        if self.file and self.sweep not in _asked and os.path.exists(self.file):
            end_points(self.sweep)
        return self.sweep in _asked

    def others_since(self, began: float) -> bool:
        """Whether points of another sweep have been ending in this process since then, which ends all its runs."""
        with _lock:
            return any(sweep != self.sweep and (at >= began or sweep in _running) for sweep, at in _asked.items())


def end_points(sweep: str) -> None:
    """Ends the points of a sweep that run in this process."""
    with _lock:
        _asked.setdefault(sweep, time.monotonic())
        runs = _running.get(sweep, 0)
    if runs:
        running.interrupt()


async def end_points_of_worker(sweep: str) -> None:
    """The same in a worker of Dask, which waits until they have ended."""
    end_points(sweep)
    until = time.monotonic() + TIMEOUT
    while _running.get(sweep) and time.monotonic() < until:
        await asyncio.sleep(0.02)


@contextmanager
def within(stop: Stop) -> Iterator[None]:
    """While a point runs: it ends when that is asked for."""
    ended = threading.Event()
    with _lock:
        _running[stop.sweep] = _running.get(stop.sweep, 0) + 1
    threading.Thread(target=_watch, args=(stop, ended), daemon=True).start()
    try:
        yield
    finally:
        ended.set()
        with _lock:
            _running[stop.sweep] -= 1
            if not _running[stop.sweep]:
                del _running[stop.sweep]
            if stop.sweep in _asked:
                _asked[stop.sweep] = time.monotonic()


def _watch(stop: Stop, ended: threading.Event) -> None:
    while not ended.wait(LOOK):
        if stop.is_asked():
            # Again and again: a run that was about to begin was not there to be interrupted.
            running.interrupt()


def _client(executor: Executor) -> Any:
    """The client of an executor of Dask; `None` of others."""
    ours = type(executor).__module__.partition(".")[0] == "distributed"
    return getattr(executor, "_client", None) if ours else None
