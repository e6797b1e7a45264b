"""What a summary looks like: which of its fields are read here, and of what kind each has to be."""

import math
from collections.abc import Callable, Iterator
from typing import Any

from weir import _weir

#: A check: what was expected, if a value is something else.
Check = Callable[[Any], str | None]

#: Larger numbers stand for nothing that a run can count.
MOST = 1e30


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= MOST if isinstance(value, int) else math.isfinite(value) and abs(value) <= MOST


def _text(value: object) -> str | None:
    return None if isinstance(value, str) else "a text"


def _whole(value: object) -> str | None:
    return None if _is_number(value) and isinstance(value, int) and value >= 0 else "a whole number, 0 or more"


def _number(value: object) -> str | None:
    return None if _is_number(value) else "a number"


def _truth(value: object) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def _object(value: object) -> str | None:
    return None if isinstance(value, dict) else "an object"


def _list(value: object) -> str | None:
    return None if isinstance(value, list) else "a list"


def _outcome(value: object) -> str | None:
    known = ("finished", "deadlock", "aborted", "limit")
    return None if isinstance(value, str) and value in known else f"one of {', '.join(known)}"


def _rank(value: object) -> str | None:
    """A rank of a deadlock: a number, or a word for several."""
    return None if _whole(value) is None or isinstance(value, str) or value is None else "a rank"


def _or_nothing(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


#: What the time of ranks goes into.
CAUSES = tuple(_weir.CAUSES)
#: What the critical path consists of beside causes and calls.
_PARTS = ("phases", "work", "classes", "narrowest")
_BY_CAUSE = ("causes.total_ps", "causes.critical_path.causes_ps", "causes.critical_path.at_best_ps")

#: Fields by their path; `[]` stands for every item of a list. None of them has to be there.
FIELDS: dict[str, Check] = {
    **dict.fromkeys(("weir_version", "run", "title", "engine", "digest"), _text),
    **dict.fromkeys(("nodes", "routers", "links", "ranks", "messages", "bytes", "simulated_ps"), _whole),
    **dict.fromkeys(("simulated_s", "wall_s", "max_link_utilization", "mean_link_utilization"), _number),
    **dict.fromkeys(("offered_load", "accepted_load"), _number),
    **dict.fromkeys(("latency_mean_s", "effective_bandwidth"), _or_nothing(_number)),
    "outcome": _outcome,
    "peak_memory_bytes": _or_nothing(_whole),
    "saturated": _truth,
    "shipped": _list,
    "shipped[]": _text,
    "tables": _list,
    "tables[]": _text,
    "warnings": _list,
    "warnings[]": _text,
    "busiest_link": _object,
    "busiest_link.name": _text,
    "busiest_link.utilization": _number,
    "faults": _object,
    **dict.fromkeys(("faults.failed_links", "faults.slow_links"), _whole),
    "tie_sensitivity": _object,
    "tie_sensitivity.sensitive": _truth,
    "tie_sensitivity.spread": _number,
    **dict.fromkeys(("causes", "causes.total_ps", "causes.compute", "causes.critical_path"), _object),
    **dict.fromkeys((f"causes.compute.{key}" for key in ("mean_ps", "max_ps", "max_rank")), _whole),
    **dict.fromkeys((f"causes.critical_path.{key}" for key in ("rank", "messages", "links", "ranks_passed")), _whole),
    **dict.fromkeys((f"causes.critical_path.{key}" for key in ("causes_ps", "at_best_ps")), _object),
    **dict.fromkeys((f"{part}.{cause}" for part in _BY_CAUSE for cause in CAUSES), _whole),
    **dict.fromkeys(("causes.critical_path.calls", "causes.critical_path.last_ranks"), _list),
    "causes.critical_path.calls[]": _object,
    "causes.critical_path.calls[].call": _text,
    "causes.critical_path.calls[].time_ps": _whole,
    "causes.critical_path.last_ranks[]": _whole,
    **dict.fromkeys(("causes.phases", *(f"causes.critical_path.{part}" for part in _PARTS)), _list),
    **dict.fromkeys(("causes.phases[]", *(f"causes.critical_path.{part}[]" for part in _PARTS)), _object),
    **dict.fromkeys(("causes.phases[].phase", "causes.critical_path.phases[].phase"), _text),
    **dict.fromkeys(("causes.critical_path.classes[].class", "causes.critical_path.narrowest[].name"), _text),
    **dict.fromkeys((f"causes.critical_path.{part}[].time_ps" for part in ("phases", "work", "narrowest")), _whole),
    **dict.fromkeys((f"causes.critical_path.classes[].{key}" for key in ("latency_ps", "bytes_ps")), _whole),
    **dict.fromkeys(("causes.critical_path.work[].rank", "causes.critical_path.narrowest[].link"), _whole),
    "assumed": _list,
    "assumed[]": _object,
    **dict.fromkeys(("assumed[].key", "assumed[].why"), _text),
    "skeleton": _object,
    "skeleton.charged_s": _number,
    **dict.fromkeys(("experiment", "experiment.engine", "experiment.workload", "experiment.output"), _object),
    **dict.fromkeys(("experiment.engine.kind", "experiment.engine.sharing", "experiment.workload.kind"), _text),
    "explanation": _object,
    "explanation.rank": _rank,
    **dict.fromkeys(("explanation.limit", "explanation.why"), _text),
    **dict.fromkeys(("explanation.channels", "explanation.cycle", "explanation.waiting"), _list),
    "explanation.channels[]": _object,
    **dict.fromkeys(("explanation.channels[].link", "explanation.channels[].waits_for_link"), _text),
    **dict.fromkeys(
        (f"explanation.channels[].{key}" for key in ("virtual_channel", "packets", "waits_for_virtual_channel")),
        _whole,
    ),
    "explanation.cycle[]": _rank,
    "explanation.waiting[]": _object,
    "explanation.waiting[].rank": _rank,
    "explanation.waiting[].call": _text,
    "explanation.waiting[].peer": _rank,
    "explanation.waiting[].details": _object,
}

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
        expected = FIELDS[form](value) if form in FIELDS else None
        if expected:
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
