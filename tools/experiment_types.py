"""Writes `python/weir/keys.py`: the tables and keys of experiments as classes, of the schema that `weir schema` prints.

`target/python/bin/python tools/experiment_types.py`; a test compares the file with what it would write.
"""

import json
import keyword
import re
from pathlib import Path
from typing import Any

from weir import quantities

FILE = Path(__file__).parents[1] / "python/weir/keys.py"

HEAD = '''"""The tables and keys of experiments, from `weir schema`: `tools/experiment_types.py` writes this file."""

# fmt: off

from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal, Protocol, SupportsFloat, SupportsIndex, TypeAlias, TypedDict, TypeVar

from weir.patterns import Pattern


class Array(Protocol):
    """An array of numpy, or whatever else becomes a list."""

    def tolist(self) -> Any:
        """Its items as a list."""


Item = TypeVar("Item")
Many: TypeAlias = Sequence[Item] | Array

#: A text with a unit, such as `"100 ns"`, or a number of seconds.
Time: TypeAlias = str | SupportsFloat
#: A text with a unit, such as `"20 kB"`, or a number of bytes.
Data: TypeAlias = str | SupportsFloat
#: A text with a unit, such as `"10 GB/s"`, or a number of bytes per second.
Rate: TypeAlias = str | SupportsFloat
#: A text with a unit, such as `"2.2 GHz"`, or a number of hertz.
Frequency: TypeAlias = str | SupportsFloat
Name: TypeAlias = str | PathLike[str]
'''
UNITS = {"s": "Time", "B": "Data", "B/s": "Rate", "Hz": "Frequency"}
KINDS = {"string": "str", "integer": "SupportsIndex", "number": "SupportsFloat", "boolean": "bool"}
#: What Python takes in a table besides the keys of files.
BESIDE = {"Topology": {"graph": ("dict[str, Any]", "A graph as node-link data, in place of a file.")}}
#: What may stand for a table.
INSTEAD = {"Workload": " | Pattern"}


def kinds(form: dict[str, Any]) -> list[str]:
    """The types that a value of a form may have, each once."""
    if "anyOf" in form:
        return list(dict.fromkeys(kind for one in form["anyOf"] for kind in kinds(one)))
    if "x-unit" in form:
        return [UNITS[form["x-unit"]]]
    if "enum" in form:
        return [f"Literal[{', '.join(map(json.dumps, form['enum']))}]"]
    if form.get("type") == "array":
        return [f"Many[{' | '.join(kinds(form['items']))}]"]
    if form.get("type") == "object":
        others = form.get("additionalProperties")
        return [f"dict[str, {' | '.join(kinds(others)) if others else 'Any'}]"]
    if form.get("type") == "string" and "minLength" in form:
        return ["Name"]
    types = form["type"] if isinstance(form["type"], list) else [form["type"]]
    return [KINDS[one] for one in types]


def about(form: dict[str, Any]) -> list[str]:
    """The meaning of a key as docstring, without the marks of Markdown; that of its first form if it has several."""
    while "description" not in form and "anyOf" in form:
        form = form["anyOf"][0]
    plain = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", form.get("description", ""))
    return [f'    """{plain}"""'] if plain else []


def written(name: str, table: dict[str, Any], classes: list[str], known: dict[str, str]) -> str:
    """Adds the class of a table behind those of the tables in it, unless `known` has one of the same keys; its name."""
    keys = json.dumps(table["properties"])
    if keys in known:
        return known[keys]
    known[keys] = name
    lines, pairs = [], {}
    for key, form in table["properties"].items():
        inner = form.get("items", form) if form.get("type") == "array" else form
        if "properties" in inner:
            own = "".join(part.capitalize() for part in key.split("_"))
            if inner is not form:
                own = own.removesuffix("es") if own.endswith("sses") else own.removesuffix("s")
            found = written(own if name == "Experiment" else name + own, inner, classes, known)
            kind = f"Sequence[{found}]" if inner is not form else found + INSTEAD.get(found, "")
        else:
            kind = " | ".join(kinds(form))
        lines += [f"    {key}: {kind}", *about(form)]
        pairs[key] = kind
    for key, (kind, meaning) in BESIDE.get(name, {}).items():
        lines += [f"    {key}: {kind}", f'    """{meaning}"""']
    if any(map(keyword.iskeyword, pairs)):
        fields = "".join(f"    {json.dumps(key)}: {kind},\n" for key, kind in pairs.items())
        classes.append(f'{name} = TypedDict("{name}", {{\n{fields}}}, total=False)\n')
        return name
    title = "An experiment" if name == "Experiment" else f"Keys of an experiment: {name}"
    classes.append(f'class {name}(TypedDict, total=False):\n    """{title}."""\n\n' + "\n".join(lines) + "\n")
    return name


def text() -> str:
    """The text of the file."""
    classes: list[str] = []
    written("Experiment", quantities.schema(), classes, {})
    return "\n\n".join([HEAD, *classes])


if __name__ == "__main__":
    FILE.write_text(text())
