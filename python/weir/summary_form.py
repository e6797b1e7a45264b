"""What a summary looks like: which of its fields are read here, and of what kind each has to be."""

import math
from collections.abc import Callable, Iterator
from typing import Any

from weir import _weir

#: Larger numbers stand for nothing that a run can count.
MOST = 1e30
#: What the time of ranks goes into.
CAUSES = tuple(_weir.CAUSES)
#: How a run ends.
OUTCOMES = ("finished", "deadlock", "aborted", "limit")


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= MOST if isinstance(value, int) else math.isfinite(value) and abs(value) <= MOST


def _is_whole(value: object) -> bool:
    return _is_number(value) and isinstance(value, int) and value >= 0


_PATH = "causes.critical_path"
_BY_CAUSE = ("causes.total_ps", f"{_PATH}.causes_ps", f"{_PATH}.at_best_ps")
#: What the critical path consists of beside causes and calls.
_PARTS = tuple(f"{_PATH}.{part}" for part in ("phases", "work", "classes", "narrowest"))

#: By what is expected: whether a value is that, and the paths of fields; `[]` stands for every item of a list. None has
#: to be there.
FORMS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "a text": (
        lambda value: isinstance(value, str),
        "weir_version run title engine digest shipped[] tables[] warnings[] busiest_link.name assumed[].key"
        f" assumed[].why {_PATH}.calls[].call {_PATH}.phases[].phase {_PATH}.classes[].class {_PATH}.narrowest[].name"
        " causes.phases[].phase experiment.engine.kind experiment.engine.sharing experiment.workload.kind"
        " explanation.limit explanation.why explanation.channels[].link explanation.channels[].waits_for_link"
        " explanation.waiting[].call",
    ),
    "a whole number, 0 or more": (
        _is_whole,
        "nodes routers links ranks messages bytes simulated_ps peak_memory_bytes faults.failed_links faults.slow_links"
        f" causes.compute.mean_ps causes.compute.max_ps causes.compute.max_rank {_PATH}.rank {_PATH}.messages"
        f" {_PATH}.links {_PATH}.ranks_passed {_PATH}.calls[].time_ps {_PATH}.last_ranks[] {_PATH}.phases[].time_ps"
        f" {_PATH}.work[].time_ps {_PATH}.work[].rank {_PATH}.narrowest[].time_ps {_PATH}.narrowest[].link"
        f" {_PATH}.classes[].latency_ps {_PATH}.classes[].bytes_ps explanation.channels[].virtual_channel"
        " explanation.channels[].packets explanation.channels[].waits_for_virtual_channel "
        + " ".join(f"{part}.{cause}" for part in _BY_CAUSE for cause in CAUSES),
    ),
    "a number": (
        _is_number,
        "simulated_s wall_s max_link_utilization mean_link_utilization offered_load accepted_load latency_mean_s"
        " effective_bandwidth busiest_link.utilization tie_sensitivity.spread skeleton.charged_s",
    ),
    "true or false": (lambda value: isinstance(value, bool), "saturated tie_sensitivity.sensitive"),
    "an object": (
        lambda value: isinstance(value, dict),
        f"busiest_link faults tie_sensitivity causes causes.compute {_PATH} {_PATH}.calls[] causes.phases[] assumed[]"
        " skeleton experiment experiment.engine experiment.workload experiment.output explanation"
        " explanation.channels[] explanation.waiting[] explanation.waiting[].details "
        + " ".join([*_BY_CAUSE, *(f"{part}[]" for part in _PARTS)]),
    ),
    "a list": (
        lambda value: isinstance(value, list),
        f"shipped tables warnings assumed {_PATH}.calls {_PATH}.last_ranks causes.phases explanation.channels"
        " explanation.cycle explanation.waiting " + " ".join(_PARTS),
    ),
    # Of a deadlock: a number, or a word for several.
    "a rank": (
        lambda value: value is None or isinstance(value, str) or _is_whole(value),
        "explanation.rank explanation.cycle[] explanation.waiting[].rank explanation.waiting[].peer",
    ),
    f"one of {', '.join(OUTCOMES)}": (lambda value: isinstance(value, str) and value in OUTCOMES, "outcome"),
}
#: What is expected, by field.
FIELDS = {field: expected for expected, (_, fields) in FORMS.items() for field in fields.split()}
#: Fields that may be null.
OR_NOTHING = ("latency_mean_s", "effective_bandwidth", "peak_memory_bytes")

#: What has to be there where the object is that it belongs to.
NEEDED = {
    "assumed[]": ("key", "value", "why"),
    "causes": ("total_ps", "critical_path", "compute"),
    "causes.critical_path": ("causes_ps", "messages", "links", "calls", "last_ranks"),
    "causes.critical_path.calls[]": ("call", "time_ps"),
    "causes.compute": ("mean_ps", "max_ps", "max_rank"),
    "busiest_link": ("name", "utilization"),
    "faults": ("failed_links", "slow_links"),
    "tie_sensitivity": ("spread",),
    "explanation.channels[]": ("link", "virtual_channel", "packets", "waits_for_link", "waits_for_virtual_channel"),
    "explanation.waiting[]": ("rank", "call"),
}


def mistake(summary: dict[str, Any]) -> str | None:
    """What is wrong with the first field of a summary that is not as it has to be."""
    for path, form, value in _fields("", "", summary):
        expected = FIELDS.get(form)
        if expected and not FORMS[expected][0](value) and not (value is None and form in OR_NOTHING):
            return f"{path} must be {expected}, not {_shown(value)}"
        for key in NEEDED.get(form, ()):
            if key not in value:
                return f"{path} has no {key}"
    if "offered_load" in summary and "accepted_load" not in summary:
        return "there is an offered_load, and no accepted_load"
    return None


def _fields(path: str, form: str, value: Any) -> Iterator[tuple[str, str, Any]]:
    """Every field that is looked at, objects before what is in them."""
    if form:
        yield path, form, value
    if isinstance(value, dict):
        for key, item in value.items():
            below = f"{form}.{key}" if form else key
            if below in FIELDS:
                yield from _fields(f"{path}.{key}" if path else key, below, item)
    elif isinstance(value, list) and f"{form}[]" in FIELDS:
        for place, item in enumerate(value):
            yield from _fields(f"{path}[{place}]", f"{form}[]", item)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
