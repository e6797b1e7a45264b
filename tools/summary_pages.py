"""Writes what follows from the schema of summaries: the typed class of Python, and the tables of docs/reference/summary.md.

`target/python/bin/python tools/summary_pages.py` writes both; a test compares them with what it would write.
"""

import json
import keyword
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from weir import _weir, summary_form

ROOT = Path(__file__).parents[1]
CLASS = ROOT / "python/weir/summary.py"
PAGE = ROOT / "docs/reference/summary.md"

PYTHON = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
WORDS = {"string": "text", "number": "float", "boolean": "true or false", "array": "list"}


def resolved(form: dict[str, Any]) -> dict[str, Any]:
    """A form, or the one that it refers to; its own description comes first."""
    return {**summary_form.referred(form), **{key: value for key, value in form.items() if key != "$ref"}}


class Classes:
    """The classes that the objects of the schema become, by name, each after those of its fields."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def kind(self, form: dict[str, Any]) -> str:
        """The type of Python of a field; objects that have a title become classes of that name."""
        form = summary_form.referred(form)
        if "enum" in form or "const" in form:
            values = [json.dumps(value) for value in form.get("enum", [form.get("const")])]
            # A list that is too long for a line has a line for each value.
            listed = "".join(f"\n        {value}," for value in values)
            return f"Literal[{listed}\n    ]" if len(listed) > 200 else f"Literal[{', '.join(values)}]"
        types = form.get("type", [])
        if types == "array":
            return f"list[{self.kind(form['items'])}]"
        if types == "object":
            others = form.get("additionalProperties")
            return self.named(form) if "title" in form else f"dict[str, {self.kind(others) if others else 'Any'}]"
        names = [types] if isinstance(types, str) else types
        return " | ".join(PYTHON[one] for one in names) or "Any"

    def named(self, form: dict[str, Any]) -> str:
        """Makes a class of an object, after those of its fields; gives its name."""
        title, fields = form["title"], {key: self.kind(one) for key, one in form["properties"].items()}
        total = ", total=False" if set(fields) - set(form.get("required", ())) else ""
        if any(map(keyword.iskeyword, fields)):
            pairs = ", ".join(f'"{key}": {kind}' for key, kind in fields.items())
            text = f'{title} = TypedDict("{title}", {{{pairs}}}{total})\n'
        else:
            lines = "".join(f"    {key}: {kind}\n" for key, kind in fields.items())
            text = f'class {title}(TypedDict{total}):\n    """{about(form)}"""\n\n{lines}'
        self.texts[title] = text
        return str(title)


def about(form: dict[str, Any]) -> str:
    """The first sentence about an object, or about one item of a list."""
    return re.split(r"(?<=\.) ", form.get("description", f"{form['title']}."))[0].replace("`", "")


def python_class() -> str:
    """The text of `weir/summary.py`."""
    classes = Classes()
    classes.named({**summary_form.schema(), "required": ()})
    head = '"""The fields of a summary, from `summary.schema.json`: `tools/summary_pages.py` writes this file."""\n\n'
    names = "".join(f'\n    "{name}",' for name, _ in _weir.TABLES)
    tables = f"#: The tables that a run can leave.\nTableName: TypeAlias = Literal[{names}\n]\n"
    fields = classes.texts["Summary"].partition("\n\n")[2]
    attributes = f'class SummaryFields:\n    """The same as attributes."""\n\n{fields}'
    imports = "from typing import Any, Literal, TypeAlias, TypedDict\n\n"
    return head + imports + "\n\n".join([tables, *classes.texts.values(), attributes])


def in_words(form: dict[str, Any]) -> str:
    """The type of a field in the page."""
    types = form.get("type", "text" if "enum" in form or "const" in form else "anything")
    names = [types] if isinstance(types, str) else types
    return " or ".join(WORDS.get(one, one) for one in names)


def rows(place: str) -> Iterator[str]:
    """The rows of a table: fields of the object at this place that have a description."""
    always = place in ("always", "sometimes")
    form = summary_form.schema()
    for part in [] if always else place.split("."):
        found = resolved(form["properties"][part])
        form = found.get("items", found)
    for name, one in form["properties"].items():
        if always and (name in form["required"]) != (place == "always"):
            continue
        found = resolved(one)
        yield f"| `{name}` | {in_words(found)} | {found.get('description', '')} |"


def page(text: str) -> str:
    """The page with the tables that the schema gives it: between `<!-- fields: PLACE -->` and `<!-- end -->`."""

    def table(found: re.Match[str]) -> str:
        lines = ["| field | type | meaning |", "|---|---|---|", *rows(found[1])]
        return f"<!-- fields: {found[1]} -->\n" + "\n".join(lines) + "\n<!-- end -->"

    return re.sub(r"<!-- fields: (\S+) -->\n.*?<!-- end -->", table, text, flags=re.DOTALL)


if __name__ == "__main__":
    CLASS.write_text(python_class())
    PAGE.write_text(page(PAGE.read_text()))
