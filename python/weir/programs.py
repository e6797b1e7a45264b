"""Runs by the command `weir`, in a process of its own: those of MPI programs.

```text
 this process --- starts --->  weir run --json    stdout: the summary; stderr: what the program prints, shown
              '-- starts --->  /bin/sh            only waits
```

On Ctrl-C the second one shows whether the signal went to all processes of the group, as from a terminal. Then the
command has had it, and is not sent another, which would end the run at once.
"""

import contextlib
import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from weir import command
from weir.errors import ProgramError
from weir.experiment import Input

#: Seconds between two looks at a run.
LOOK = 0.1
#: Seconds within which a signal has come to all processes of a group.
ALL_HAVE = 0.05
#: Exit status of the command when SIGINT has ended a run.
INTERRUPTED = 128 + signal.SIGINT

#: Commands that run for this process.
_under_way: "set[Command]" = set()


class Command:
    """A run of the command that is under way."""

    def __init__(self, words: list[str]) -> None:
        """Starts it."""
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True)
        # Ends when this process does, whose pipe it reads. Needs no PATH, which may have no tool at all.
        waits, nowhere = ["/bin/sh", "-c", "read line"], subprocess.DEVNULL
        self.beside = subprocess.Popen(waits, stdin=pipe, stdout=nowhere, stderr=nowhere)
        self.is_ended = False
        self.is_interrupted = False
        self.said: deque[str] = deque(maxlen=100)
        self.printed: list[str] = []
        self.threads = [threading.Thread(target=one, daemon=True) for one in (self._show, self._keep)]
        for thread in self.threads:
            thread.start()

    @property
    def prints(self) -> bool:
        """Whether more may come on its standard output."""
        return self.threads[1].is_alive()

    def end(self) -> None:
        """Has it end and keep its results, if it has not had the signal for that; a second call changes nothing."""
        if self.is_ended:
            return
        self.is_ended = True
        time.sleep(ALL_HAVE)
        if self.beside.poll() is None:
            self.process.send_signal(signal.SIGINT)

    def waited(self) -> int:
        """Its exit status, when it has ended; it ends at once if this is interrupted."""
        try:
            return self.process.wait()
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise

    def close(self) -> None:
        """Ends what is left of it."""
        self.beside.kill()
        self.beside.wait()
        if self.beside.stdin:
            self.beside.stdin.close()
        for thread in self.threads:
            thread.join()

    def _show(self) -> None:
        """Shows what it says, line by line, and keeps the last of it."""
        for line in self.process.stderr or []:
            sys.stderr.write(line)
            self.said.append(line)

    def _keep(self) -> None:
        self.printed += self.process.stdout or []


def interrupt() -> None:
    """Ends all commands that run for this process, as Ctrl-C does."""
    for one in list(_under_way):
        one.is_interrupted = True
        one.end()


def run(given: Input, progress: Callable[..., object] | None) -> str:
    """The summary of a run by the command; its exit status says only how the program ended.

    `progress` takes the fields of `weir.Progress`, ten times a second if there is something new.
    """
    with tempfile.TemporaryDirectory(prefix="weir-") as scratch:
        file = Path(scratch) / "progress.json"
        words = [command.path(), "run", "--json", *given.arguments(Path(scratch))]
        one = None
        try:
            with _signals_later():
                one = Command([*words, "--progress", str(file)] if progress else words)
                _under_way.add(one)
            state = ""
            while one.prints:
                one.threads[1].join(LOOK)
                if progress:
                    state = _say_progress(file, state, progress)
            status = one.waited()
        except BaseException:
            if one:
                one.end()
                one.waited()
            raise
        finally:
            if one:
                _under_way.discard(one)
                one.close()
    printed, said = "".join(one.printed), "".join(one.said)
    # The signal of a terminal may have come to the command alone, before this thread is asked to end it.
    if one.is_interrupted or (status == INTERRUPTED and printed and json.loads(printed)["outcome"] == "limit"):
        raise KeyboardInterrupt
    if not printed.strip():
        raise ProgramError(said[said.find("error: ") :].strip() or f"weir run ended with status {status}")
    return printed


@contextlib.contextmanager
def _signals_later() -> Iterator[None]:
    """Ctrl-C that comes here takes effect at the end: a command that has begun is known by then, and can be ended."""
    if threading.current_thread() is not threading.main_thread():
        # Signals come to the main thread.
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
    if came:
        signal.raise_signal(signal.SIGINT)


def _say_progress(file: Path, last: str, progress: Callable[..., object]) -> str:
    """Calls `progress` if the command has written another state than the last one; the state."""
    try:
        state = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return last
    if state != last:
        found = json.loads(state)
        progress(*(found[name] for name in ("simulated_s", "messages", "bytes", "stage")))
    return state
