"""Checks that an object is a summary, by its JSON Schema, `summary.schema.json`."""

import json
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

#: Larger numbers stand for nothing that a run can count.
MOST = 1e30


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= MOST if isinstance(value, int) else math.isfinite(value) and abs(value) <= MOST


def _is_whole(value: object) -> bool:
    return _is_number(value) and isinstance(value, int) and value >= 0


#: By type of the schema: whether a value is of it, and what a message calls it.
TYPES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "string": (lambda value: isinstance(value, str), "a text"),
    "integer": (_is_whole, "a whole number, 0 or more"),
    "number": (_is_number, "a number"),
    "boolean": (lambda value: isinstance(value, bool), "true or false"),
    "object": (lambda value: isinstance(value, dict), "an object"),
    "array": (lambda value: isinstance(value, list), "a list"),
    "null": (lambda value: value is None, "nothing"),
}


@cache
def schema() -> dict[str, Any]:
    """The schema of a whole summary, as in the package."""
    return dict(json.loads(Path(__file__).with_name("summary.schema.json").read_text()))


def mistake(summary: dict[str, Any]) -> str | None:
    """What is wrong with the first field of a summary that is not as it has to be.

    Fields that the schema does not know are passed over, and the summary itself may have only some: `begun.json` has
    few.
    """
    return _wrong("", {**schema(), "required": ()}, summary)


def _wrong(path: str, form: dict[str, Any], value: Any) -> str | None:
    form = referred(form)
    if problem := _of_another_kind(form, value):
        return f"{path} must be {problem}, not {_shown(value)}"
    if isinstance(value, dict):
        with_others = form.get("dependentRequired", {}).items()
        needed = [*form.get("required", ()), *(key for of, keys in with_others if of in value for key in keys)]
        lacking = [key for key in needed if key not in value]
        if lacking:
            return f"{path or 'it'} has no {lacking[0]}"
        known, others = form.get("properties", {}), form.get("additionalProperties") or {}
        parts = [(f"{path}.{key}" if path else key, known.get(key, others), item) for key, item in value.items()]
    elif isinstance(value, list):
        parts = [(f"{path}[{place}]", form.get("items", {}), item) for place, item in enumerate(value)]
    else:
        parts = []
    return next(filter(None, (_wrong(*part) for part in parts)), None)


def referred(form: dict[str, Any]) -> dict[str, Any]:
    """The form that another one refers to, or itself."""
    while "$ref" in form:
        found = schema()
        for name in form["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        form = found
    return form


def _of_another_kind(form: dict[str, Any], value: Any) -> str | None:
    """What a value had to be, if it is something else."""
    if "enum" in form:
        return None if value in form["enum"] else f"one of {', '.join(form['enum'])}"
    types = form.get("type", [])
    types = [types] if isinstance(types, str) else types
    if not types or any(TYPES[kind][0](value) for kind in types):
        return None
    return " or ".join(TYPES[kind][1] for kind in types if kind != "null")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
