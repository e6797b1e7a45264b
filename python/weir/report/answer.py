"""The first screen of a report: the answer, what it rests on, and its limits."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from weir.report import units
from weir.report.texts import TEXTS, Words, same, words
from weir.summary import Summary

#: Facts that stand below the title, and those of the simulator itself, which stand at the foot of the page.
SETTING, OWN = ("engine", "machine", "faults", "ranks"), ("wall", "memory", "digest")
#: Most lines of what waits in a deadlock.
MOST_WAITING = 12


@dataclass(frozen=True)
class Fact:
    """A name and its value."""

    name: Words
    value: Words


@dataclass(frozen=True)
class Assumed:
    """A default that nobody has said."""

    key: str
    value: str
    why: str


@dataclass(frozen=True)
class Answer:
    """What the first screen says."""

    outcome: Words
    time: Words
    bound: Words | None
    #: Where and how it ran, what came of it, and what it cost the simulator.
    setting: list[Fact]
    facts: list[Fact]
    own: list[Fact]
    limits: list[Words]
    why: list[Words] = field(default_factory=list)
    assumed: list[Assumed] = field(default_factory=list)
    verdict: list[Words] = field(default_factory=list)


def answer(summary: Summary, bound_ps: int | None, intervals_per_picture: int, pictures: int, seen: int = 0) -> Answer:
    """Puts together what a summary says; one without an outcome is that of a run which has not ended: its
    samples go to the instant `seen`, in picoseconds.
    """
    outcome = summary.get("outcome", "incomplete")
    simulated = summary.get("simulated_ps")
    bound = _bound(simulated, bound_ps) if outcome == "finished" and simulated and bound_ps else None
    limits = _limits(summary)
    if intervals_per_picture > 1:
        limits.append(words("limit_frames", frames=pictures, per=intervals_per_picture))
    time = units.time(simulated if simulated is not None else seen) if simulated is not None or seen else "?"
    facts, why, assumed = _facts(summary), _why(summary), _assumed(summary)
    setting, own = ([fact for fact in facts if fact.name.key in names] for names in (SETTING, OWN))
    facts = [fact for fact in facts if fact.name.key not in SETTING + OWN]
    # As the run has said it: in one language.
    verdict = [same(finding["sentence"]) for finding in summary.get("verdict", [])]
    return Answer(words(outcome), same(time), bound, setting, facts, own, limits, why, assumed, verdict)


def _bound(simulated: int, bound: int) -> Words:
    """How much longer the run is than it has to be, in four digits; never less than the bound."""
    ratio = units.ratio(simulated / bound)
    if simulated <= bound or ratio == "1":
        return words("bound_met", bound=units.time(bound))
    return words("bound_of", ratio=ratio, bound=units.time(bound))


def _facts(summary: Summary) -> list[Fact]:
    """Numbers of the summary, in the order of the page; those that it does not have are left out."""
    facts: list[Fact] = []

    def add(name: str, value: Words | str | None) -> None:
        if value is not None:
            facts.append(Fact(words(name), value if isinstance(value, Words) else same(value)))

    if not summary:
        return facts
    engine = summary.get("engine", "")
    add("engine", words(engine) if engine in TEXTS else engine)
    fields: Mapping[str, Any] = summary
    counts = {name: units.number(fields.get(name, 0)) for name in ("nodes", "routers", "links")}
    add("machine", words("nodes_routers", **counts) if summary.get("links") else words("nodes_only", **counts))
    faults = summary.get("faults")
    if faults:
        counts = {name: units.number(fields["faults"][f"{name}_links"]) for name in ("failed", "slow")}
        add("faults", words("failed_links", **counts))
    if "band_s" in summary:
        low, high = (units.time(round(1e12 * end)) for end in summary["band_s"])
        add("band", words("band_of", low=low, high=high, keys=units.number(len(summary["band_by_key_s"]))))
    add("ranks", words("ranks_of", count=units.number(summary.get("ranks", 0))))
    if "outcome" in summary:
        add("messages", units.number(summary.get("messages", 0)))
        add("data", units.data(summary.get("bytes", 0)))
    effective = summary.get("effective_bandwidth")
    add("effective_bandwidth", units.rate(effective) if effective else None)
    busiest = summary.get("busiest_link")
    if busiest:
        values = {"utilization": units.percent(busiest["utilization"]), "link": busiest["name"]}
        add("busiest", words("busiest_link", **values))
        add("mean_utilization", units.percent(summary.get("mean_link_utilization", 0)))
    latency = summary.get("latency_mean_s")
    add("latency_mean", units.time(latency * 1e12) if latency is not None else None)
    if "offered_load" in summary:
        loads = {name: units.load(fields[f"{name}_load"]) for name in ("offered", "accepted")}
        add("load", words("loads", **loads))
    if "wall_s" in summary:
        add("wall", units.time(summary["wall_s"] * 1e12))
    memory = summary.get("peak_memory_bytes")
    add("memory", units.data(memory) if memory else None)
    add("digest", summary.get("digest"))
    return facts


def _assumed(summary: Summary) -> list[Assumed]:
    """The defaults on which the answer hangs, as the run has said them: in one language."""
    rows = summary.get("assumed", [])
    return [Assumed(row["key"], str(row["value"]), row["why"]) for row in rows]


def _limits(summary: Summary) -> list[Words]:
    """What limits the validity of the answer, the most important first."""
    limits: list[Words] = []
    if "outcome" not in summary:
        limits.append(words("limit_incomplete"))
    experiment = summary.get("experiment", {})
    outcome = summary.get("outcome")
    if outcome == "limit":
        which = str(summary.get("explanation", {}).get("limit", "limits"))
        limits.append(words("limit_limit", which=which))
    elif outcome in ("deadlock", "aborted"):
        limits.append(words(f"limit_{outcome}"))
    if summary.get("saturated"):
        limits.append(words("limit_saturated"))
    # As the run has said them: in one language.
    limits.extend(same(warning) for warning in summary.get("warnings", []))
    engine = summary.get("engine")
    if engine in ("ideal", "flow", "packet"):
        limits.append(words(f"limit_{engine}"))
    sharing = experiment.get("engine", {}).get("sharing") if engine == "flow" else None
    if sharing in ("single-pass", "iterative", "iterative-literal"):
        limits.append(words(f"limit_{sharing.replace('-', '_')}"))
    workload = experiment.get("workload", {})
    if workload.get("kind") == "synthetic":
        warmup = units.picoseconds(workload.get("warmup", 0)) or 0
        limits.append(words("limit_warmup", warmup=units.time(warmup)) if warmup else words("limit_no_warmup"))
    if summary.get("units") == "none":
        limits.append(words("limit_units"))
    ties = summary.get("tie_sensitivity")
    if ties and ties.get("sensitive"):
        limits.append(words("limit_ties", spread=units.percent(ties["spread"])))
    if workload.get("kind") == "program" and workload.get("compute", "none") in ("none", 0):
        limits.append(_compute(summary))
    return limits


def _compute(summary: Summary) -> Words:
    """What of the program's own work counts: only what the program charges itself, if it does."""
    if "outcome" not in summary:
        return words("limit_compute_unknown")
    charged = summary.get("skeleton", {}).get("charged_s", 0)
    return words("limit_compute_charged", time=units.time(charged * 1e12)) if charged else words("limit_compute")


def _why(summary: Summary) -> list[Words]:
    """The explanation of an outcome other than finished, a line at a time."""
    explanation = summary.get("explanation", {})
    lines: list[Words] = []
    if "why" in explanation:
        lines.append(words("aborted_by", rank=explanation.get("rank", "?"), why=explanation["why"]))
    channels = explanation.get("channels", [])
    if channels:
        lines.append(words("circle_channels"))
        for channel in channels[:MOST_WAITING]:
            values = {"link": channel["link"], "vc": channel["virtual_channel"], "packets": channel["packets"]}
            values |= {"next": channel["waits_for_link"], "next_vc": channel["waits_for_virtual_channel"]}
            lines.append(words("waits_channel", **values))
        lines += _more(len(channels))
    circle = explanation.get("cycle", [])
    if circle:
        ranks = " → ".join(str(rank) for rank in [*circle[:MOST_WAITING], "…"][: len(circle)] + circle[:1])
        lines.append(words("circle_ranks", ranks=ranks))
    waiting = explanation.get("waiting", [])
    if waiting:
        lines.append(words("waiting_ranks", count=units.number(len(waiting))))
        for one in waiting[:MOST_WAITING]:
            details = ", ".join(f"{key} {value}" for key, value in one.get("details", {}).items())
            values = {"rank": one["rank"], "call": one["call"], "peer": _peer(one.get("peer"))}
            lines.append(words("waits_rank", details=f" ({details})" if details else "", **values))
        lines += _more(len(waiting))
    return lines


def _more(count: int) -> list[Words]:
    left = count - MOST_WAITING
    return [words("and_more", count=units.number(left))] if left > 0 else []


def _peer(peer: object) -> Words:
    if peer == "any":
        return words("any_rank")
    if peer == "several":
        return words("several_ranks")
    return words("a_rank", rank=peer)
