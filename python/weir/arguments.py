"""Arguments of functions: one of a wrong type is refused by its name, before anything is done."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from weir.errors import ArgumentError


def wrong(name: str, expected: str, value: Any) -> ArgumentError:
    """The error of an argument that has another type than expected."""
    return ArgumentError(f"{name}: must be {expected}, not {type(value).__name__}")


def path(name: str, value: Any) -> str:
    """A path as text."""
    found = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if isinstance(found, str):
        return found
    raise wrong(name, "a path", value)


def keys(name: str, value: Any) -> dict[str, Any]:
    """Keys with their values; none where there is nothing."""
    if value is None or isinstance(value, Mapping):
        return dict(value or {})
    raise wrong(name, 'a dictionary such as {"engine.kind": "packet"}', value)


def names(name: str, value: Any, example: str) -> list[str]:
    """A list of texts, such as the example."""
    found = items(name, value, f"a list of texts such as {example}")
    for one in found:
        if not isinstance(one, str):
            raise wrong(f"an item of {name}", "a text", one)
    return found


def items(name: str, value: Any, expected: str) -> list[Any]:
    """A list of anything."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise wrong(name, expected, value)
    return list(value)


def function(name: str, value: Any) -> None:
    """A function, or nothing."""
    if value is not None and not callable(value):
        raise wrong(name, "a function", value)
