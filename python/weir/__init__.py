"""The interconnect simulator weir in Python: runs, sweeps, results as tables, pages.

>>> import weir
>>> result = weir.run("ring.toml", set={"engine.kind": "packet"}, out="results/first")   # doctest: +SKIP
>>> result.simulated_s                                                                   # doctest: +SKIP
>>> result.open().table("links").to_pandas()                                             # doctest: +SKIP

`weir.running` runs experiments, `weir.sweeping` and `weir.loads` many of them, `weir.patterns` makes messages and
`weir.machine` networks, `weir.results` reads what runs leave, `weir.report` draws it, `weir.compare` puts runs side by
side. `weir.Backend` is the network of another simulator.
"""

import importlib
from typing import TYPE_CHECKING, Any

from weir.errors import (
    ArgumentError,
    BudgetError,
    CommandNotFound,
    DamagedFile,
    DeadlockError,
    ExperimentError,
    ExperimentWarning,
    IncompleteResults,
    InternalError,
    MissingPackage,
    MissingTable,
    NewerSchema,
    NotResults,
    OptionsError,
    OutputError,
    Problem,
    ProcessError,
    ProgramError,
    ResultsError,
    RunError,
    SweepInterrupted,
    WeirError,
)

if TYPE_CHECKING:
    from weir import machine, report
    from weir.backend import Backend
    from weir.comparing import Comparison, compare
    from weir.keys import Experiment
    from weir.loads import LoadStudy, load_study
    from weir.patterns import Pattern
    from weir.results import Results, open
    from weir.running import Progress, Result, check, run
    from weir.summary import Summary
    from weir.sweeping import Sweep, sweep

__all__ = [
    "ArgumentError",
    "Backend",
    "BudgetError",
    "CommandNotFound",
    "Comparison",
    "DamagedFile",
    "DeadlockError",
    "Experiment",
    "ExperimentError",
    "ExperimentWarning",
    "IncompleteResults",
    "InternalError",
    "LoadStudy",
    "MissingPackage",
    "MissingTable",
    "NewerSchema",
    "NotResults",
    "OptionsError",
    "OutputError",
    "Pattern",
    "Problem",
    "ProcessError",
    "ProgramError",
    "Progress",
    "Result",
    "Results",
    "ResultsError",
    "RunError",
    "Summary",
    "Sweep",
    "SweepInterrupted",
    "WeirError",
    "check",
    "compare",
    "load_study",
    "machine",
    "open",
    "report",
    "run",
    "sweep",
]
__version__ = "0.1.0"

#: Where the rest is, which is imported when it is asked for, so that the command and a run wait for none of it. What of
#: it needs other packages imports them later still: `weir.extras`.
_HOMES = {
    "Backend": "weir.backend",
    "Comparison": "weir.comparing",
    "Experiment": "weir.keys",
    "LoadStudy": "weir.loads",
    "Pattern": "weir.patterns",
    "Progress": "weir.running",
    "Result": "weir.running",
    "Results": "weir.results",
    "Summary": "weir.summary",
    "Sweep": "weir.sweeping",
    "check": "weir.running",
    "compare": "weir.comparing",
    "load_study": "weir.loads",
    "open": "weir.results",
    "run": "weir.running",
    "sweep": "weir.sweeping",
}


def __getattr__(name: str) -> Any:
    """Imports what is asked for the first time."""
    if name in ("machine", "report"):
        return importlib.import_module(f"weir.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'weir' has no attribute {name!r}")
    found = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """All there is, imported or not."""
    return sorted([*globals(), *__all__])
