"""What has to be said before run times are compared: other work, runs without an end, engines that disagree."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from weir.comparing.differences import is_left_out

#: Run times that differ by no more than this part are the same: the engines round differently.
SAME = 1e-6
#: Tables of an experiment without which two are the same case, whatever the engine.
NOT_OF_CASE = ("engine", "packet", "limits")


@dataclass(frozen=True)
class Case:
    """A machine with its mapping and a workload, as both engines have run it: run times by engine, picoseconds."""

    #: The names of its runs by engine.
    names: dict[str, list[str]]
    times: dict[str, list[int]]


@dataclass(frozen=True)
class Disagreement:
    """Two cases of the same workload, of which one is faster by flow and the other one by packet."""

    #: The names of the runs: that which the flow engine has as the faster one, and the other one.
    by_flow: tuple[str, str]
    #: The same by packet: it is the other case that is faster.
    by_packet: tuple[str, str]
    #: How much faster, as a part of the slower one's time.
    flow_gain: float
    packet_gain: float
    #: Whether the fastest of all cases is another one, too, not just the order of these two.
    winner: bool


def disagreements(runs: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Disagreement]:
    """All pairs of cases on whose order flow and packet disagree, those with another winner first.

    `runs` are names and summaries. Runs that have not finished do not count. Of a case that an engine has run several
    times, as with other buffers, all run times must agree on the order.
    """
    found: list[Disagreement] = []
    for cases in _by_workload(runs):
        best = {engine: min(cases, key=lambda case: min(case.times[engine])) for engine in ("flow", "packet")}
        for one, other in combinations(cases, 2):
            for fast, slow in ((one, other), (other, one)):
                if _faster(fast, slow, "flow") and _faster(slow, fast, "packet"):
                    winner = best["flow"] is fast and best["packet"] is slow
                    found.append(_disagreement(fast, slow, winner))
    return sorted(found, key=lambda one: not one.winner)


def _by_workload(runs: Sequence[tuple[str, Mapping[str, Any]]]) -> list[list[Case]]:
    """The cases that both engines have run to their end, those with one workload together."""
    workloads: dict[str, dict[str, Case]] = {}
    for name, summary in runs:
        engine, experiment = summary.get("engine"), summary.get("experiment")
        if engine not in ("flow", "packet") or summary.get("outcome") != "finished" or not experiment:
            continue
        cases = workloads.setdefault(_text(experiment.get("workload")), {})
        case = cases.setdefault(_text(_plain(experiment, NOT_OF_CASE)), Case({}, {}))
        case.names.setdefault(engine, []).append(name)
        case.times.setdefault(engine, []).append(int(summary["simulated_ps"]))
    both = [[case for case in cases.values() if len(case.times) == 2] for cases in workloads.values()]
    return [cases for cases in both if len(cases) > 1]


def _faster(one: Case, other: Case, engine: str) -> bool:
    return max(one.times[engine]) < min(other.times[engine]) * (1 - SAME)


def _disagreement(fast: Case, slow: Case, winner: bool) -> Disagreement:
    """`fast` is the faster one by flow."""

    def first(case: Case, engine: str) -> str:
        return case.names[engine][0]

    def gain(one: Case, other: Case, engine: str) -> float:
        return 1 - min(one.times[engine]) / min(other.times[engine])

    return Disagreement(
        by_flow=(first(fast, "flow"), first(slow, "flow")),
        by_packet=(first(slow, "packet"), first(fast, "packet")),
        flow_gain=gain(fast, slow, "flow"),
        packet_gain=gain(slow, fast, "packet"),
        winner=winner,
    )


def other_workloads(experiments: Sequence[Mapping[str, Any]]) -> bool:
    """Whether not all of them do the same work."""
    return len({_text(experiment.get("workload")) for experiment in experiments}) > 1


def _plain(experiment: Mapping[str, Any], without: Sequence[str]) -> dict[str, Any]:
    return {key: value for key, value in experiment.items() if key not in without and not is_left_out(key)}


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
