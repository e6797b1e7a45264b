"""Quantities as numbers: the SI base unit of a key, by the schema of experiments, and values in it."""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from weir import _weir

#: Units of the fields of a summary that sweeps have.
FIELDS = {"simulated_s": "s", "wall_s": "s", "bytes": "B"}


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of experiments; forms of quantities name their unit as `x-unit`."""
    return dict(json.loads(_weir.schema()))


@cache
def unit_of(key: str) -> str | None:
    """The SI base unit of a key, as in `topology.bandwidth`: `s`, `B`, `B/s` or `Hz`; `None` if it has none."""
    form = schema()
    for name in key.split("."):
        form = form.get("items", {}) if name.isdigit() else form.get("properties", {}).get(name, {})
    return next(iter(_units(form)), None)


def _units(form: dict[str, Any]) -> set[str]:
    """The units of a form of values, and of those that it is made of."""
    parts = [*form.get("anyOf", ()), form.get("items", {})]
    return {form["x-unit"]} if "x-unit" in form else set().union(*map(_units, parts)) if any(parts) else set()


def in_si(value: Any, unit: str) -> Any:
    """A value of a key as number of its unit; a list of them for a list; bytes are whole.

    Raises `ValueError` for what is no quantity of this unit, such as a name in its place.
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, str):
        number = _weir.in_si(value, unit)
        if number is None:
            raise ValueError(value)
        return number
    if isinstance(value, Sequence):
        return [in_si(one, unit) for one in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(value)
    return round(value) if unit == "B" else float(value)


def as_numbers(key: str, values: list[Any]) -> list[Any] | None:
    """The values of a key with a unit as numbers, `None` for `None`; `None` if there is one that is no quantity."""
    unit = unit_of(key)
    if unit is None:
        return None
    try:
        return [None if value is None else in_si(value, unit) for value in values]
    except ValueError:
        return None
