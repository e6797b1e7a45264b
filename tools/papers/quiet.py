"""What other processes of the computer use meanwhile: run times are those of a quiet computer, or none."""

import os
import time
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

#: What others may use of the processors without being noticed in a run time: this much, and so much more for each
#: processor.
FREE, FREE_OF_EACH = 0.1, 0.01
#: The system counts in hundredths of a second: shorter times say little.
LEAST = 100
#: Seconds for which is looked before something is run.
LOOK_S = 1.5


@dataclass(frozen=True)
class Used:
    """The part of the processors that other processes have used, as if so many were theirs alone."""

    processors: float
    #: How many there are for this process.
    of: int

    @property
    def is_much(self) -> bool:
        """Whether it is so much that runs take longer by it."""
        return self.processors > FREE + FREE_OF_EACH * self.of

    def __str__(self) -> str:
        """The part in words."""
        return f"{self.processors:.2f} of the {self.of} processors"


@dataclass(frozen=True)
class Ticks:
    """The clock of the system: what the processors of this process have done, in hundredths of a second of each."""

    all: int
    #: Without waiting for work.
    busy: int
    #: For this process and those that it has started and that have ended.
    own: int
    processors: int

    @classmethod
    def read(cls, system: str, process: str, allowed: Container[int]) -> "Ticks":
        """From /proc/stat and /proc/self/stat, of the processors that are allowed."""
        # user, nice, system, idle, iowait, irq, softirq, steal; guests are counted in the first two.
        lines = [line.split() for line in system.splitlines() if line.startswith("cpu") and line[3:4].isdigit()]
        numbers = [list(map(int, words[1:9])) for words in lines if int(words[0][3:]) in allowed]
        busy = sum(sum(of) - of[3] - of[4] for of in numbers)
        # The name of the program may have spaces: user, system, and the same of children that have ended.
        own = sum(map(int, process.rpartition(")")[2].split()[11:15]))
        return cls(sum(map(sum, numbers)), busy, own, len(numbers))

    @classmethod
    def now(cls) -> "Ticks":
        """The clock now."""
        return cls.read(Path("/proc/stat").read_text(), Path("/proc/self/stat").read_text(), os.sched_getaffinity(0))

    def used_until(self, now: "Ticks") -> Used | None:
        """The part of others since; `None` if that was less than a second ago."""
        every = now.all - self.all
        busy = max(now.busy - self.busy - (now.own - self.own), 0)
        return Used(busy * now.processors / every, now.processors) if every >= LEAST * now.processors else None


def look() -> Used | None:
    """Looks for a moment in which this process does nothing."""
    begun = Ticks.now()
    time.sleep(LOOK_S)
    return begun.used_until(Ticks.now())
