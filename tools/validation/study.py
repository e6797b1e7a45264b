"""Reads study files: measured times, a machine, which rows calibrate it, and what is to be reached.

`docs/reference/validation.md` lists the keys.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import tomllib

SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


class Mistake(Exception):
    """What is wrong with the input, in one or more sentences."""


def text(value: Any) -> str:
    """A text that is not empty."""
    if isinstance(value, str) and value.strip():
        return value
    raise Mistake("must be a text in quotes that is not empty")


def texts(value: Any) -> list[str]:
    """A list of texts."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return value
    raise Mistake("must be a list of texts")


def number(value: Any) -> float:
    """A number."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise Mistake("must be a number")


def part(value: Any) -> float:
    """A number from 0 to 1."""
    if 0.0 <= number(value) <= 1.0:
        return float(value)
    raise Mistake("must be from 0 to 1\n\nhint: 0.05 stands for 5 %")


def factor(value: Any) -> float:
    """A number above 1."""
    if number(value) > 1.0:
        return float(value)
    raise Mistake("must be above 1\n\nhint: it is the factor that a value may differ by")


def size(value: Any) -> int:
    """Bytes."""
    found = re.fullmatch(r"\s*(\d+)\s*([a-zA-Z]+)\s*", value) if isinstance(value, str) else None
    if found and found[2] in SIZES:
        return int(found[1]) * SIZES[found[2]]
    raise Mistake('must be a size in quotes, with its unit\n\nhint: write "128 KiB"')


def one_of(*names: str) -> Callable[[Any], str]:
    """One of some names."""

    def read(value: Any) -> str:
        if value in names:
            return str(value)
        raise Mistake(f"is not known\n\nhint: it is one of {', '.join(names)}")

    return read


def pairs(value: Any) -> dict[str, str]:
    """A table of texts."""
    if isinstance(value, dict) and all(isinstance(one, str) for one in value.values()):
        return value
    raise Mistake("must be a table of texts")


#: A key has its kind and its default; a key without one is required. Tables have a form of their own.
Form = Mapping[str, Any]
ROWS: Form = {"jobs": (texts, []), "collectives": (texts, []), "from": (size, 0), "to": (size, None)}
SHARE: Form = {"within": (part,), "at_least": (part,)}
GOALS: Mapping[str, Form] = {"median": {"at_most": (part,)}, "rows-within": SHARE, "best-within": SHARE}
TARGET: Form = {"name": (text,), "goal": (one_of(*GOALS),), **ROWS}
STUDY: Form = {
    "title": (text,),
    "source": (text,),
    "about": (text, ""),
    "data": (text,),
    "machine": (text,),
    "notes": (text, None),
    "algorithm_prefix": (text, ""),
    "set": (texts, []),
    "large_from": (size, 128 << 10),
    "ablations_to": (size, None),
    "calibration": {
        **ROWS,
        "keys": (texts, []),
        "loss": (one_of("square", "huber", "soft-l1", "cauchy"), "square"),
        "within": (factor, 100.0),
    },
    "published": (pairs, {}),
    "fallback": ({"within": (part,), "share": (part,)}, None),
    "times": [{**ROWS, "column": (text,), "reason": (text,)}],
    "chosen": [{**ROWS, "algorithms": (texts, []), "keys": (texts,)}],
    "left_out": [{**ROWS, "algorithm": (text,), "reason": (text,)}],
    "library": [{**ROWS, "algorithm": (text,)}],
    "target": [TARGET],
    "ablation": [{"name": (text,), "set": (texts, [])}],
}


def load(path: Path) -> dict[str, Any]:
    """Reads a study file; its `name` is that of the file, and the files that it names stand beside it.

    Raises `Mistake` with everything that is wrong with it.
    """
    try:
        content = path.read_text(encoding="utf-8")
    except OSError as error:
        hint = "a name stands for validation/NAME.toml in the current folder"
        raise Mistake(f"{path}: {error.strerror}\n\nhint: {hint}") from error
    study = read(path.name, content)
    files = {key: study[key] and path.parent / study[key] for key in ("data", "machine", "notes")}
    return {**study, **files, "name": path.stem}


def read(file: str, content: str) -> dict[str, Any]:
    """Reads the text of a study file."""
    try:
        table = tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        raise Mistake(f"{file}: cannot be read: {error}") from error
    mistakes: list[str] = []
    study = _table(table, STUDY, file + ": ", mistakes)
    if mistakes:
        raise Mistake("\n".join(mistakes))
    return study


def _table(table: Any, form: Form, place: str, mistakes: list[str]) -> dict[str, Any]:
    """The values of a table, with defaults; mistakes begin with the place."""
    found: dict[str, Any] = {}
    if form is TARGET and table.get("goal") in GOALS:
        form = {**form, **GOALS[table["goal"]]}
    elif form is TARGET:
        form = {**form, **{key: (number, None) for goal in GOALS.values() for key in goal}}
    mistakes += [
        f"{place}{key}: is no key here\n\nhint: there are {', '.join(form)}" for key in table if key not in form
    ]
    for key, kind in form.items():
        if isinstance(kind, list):
            rows = table.get(key, [])
            if not isinstance(rows, list):
                mistakes.append(f"{place}{key}: must be a list of tables\n\nhint: write [[{key}]]")
                rows = []
            numbered = enumerate(rows, start=1)
            found[key] = [_table(row, kind[0], f"{place}[[{key}]] number {at}, ", mistakes) for at, row in numbered]
            continue
        inner, *default = (kind,) if isinstance(kind, Mapping) else kind
        if key not in table:
            found[key] = default[0] if default else None
            if not default:
                mistakes.append(f"{place}{key}: is missing")
        elif isinstance(inner, Mapping):
            found[key] = _table(table[key], inner, f"{place}[{key}] ", mistakes)
        else:
            try:
                found[key] = inner(table[key])
            except Mistake as mistake:
                mistakes.append(f"{place}{key} = {table[key]!r}: {mistake}")
    return found


def same(name: str, other: str) -> bool:
    """Whether two names are the same but for hyphens and underscores."""
    return name.replace("_", "-") == other.replace("_", "-")


def among(names: list[str], name: str) -> bool:
    """Whether a name is in a list; an empty list stands for all names."""
    return not names or any(same(known, name) for known in names)
