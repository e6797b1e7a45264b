"""Writes what follows from the schema of summaries: the typed class of Python, and the tables of docs/reference/summary.md.

`python3 tools/summary_pages.py` writes both; a test compares them with what it would write.
"""

import json
import keyword
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "python/weir/summary.schema.json"
CLASS = ROOT / "python/weir/summary.py"
PAGE = ROOT / "docs/reference/summary.md"

PYTHON = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
WORDS = {"string": "text", "number": "float", "boolean": "true or false", "array": "list"}


class Schema:
    """The schema, and the classes that its objects become."""

    def __init__(self) -> None:
        """Reads it."""
        self.whole: dict[str, Any] = json.loads(SCHEMA.read_text())
        self.classes: dict[str, str] = {}

    def resolved(self, form: dict[str, Any]) -> dict[str, Any]:
        """A form, or the one that it refers to; its own description comes first."""
        if "$ref" not in form:
            return form
        found: Any = self.whole
        for name in form["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        return {**self.resolved(found), **{key: value for key, value in form.items() if key != "$ref"}}

    def kind(self, form: dict[str, Any]) -> str:
        """The type of Python of a field; objects that have a title become classes of that name."""
        form = self.resolved({"$ref": form["$ref"]} if "$ref" in form else form)
        if "enum" in form or "const" in form:
            return f"Literal[{', '.join(map(json.dumps, form.get('enum', [form.get('const')])))}]"
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
        self.classes[title] = text
        return str(title)


def about(form: dict[str, Any]) -> str:
    """The first sentence about an object, or about one item of a list."""
    return re.split(r"(?<=\.) ", form.get("description", f"{form['title']}."))[0].replace("`", "")


def python_class() -> str:
    """The text of `weir/summary.py`."""
    schema = Schema()
    schema.named({**schema.whole, "required": ()})
    head = f'"""The fields of a summary, from `{SCHEMA.name}`: `tools/summary_pages.py` writes this file."""\n\n'
    return head + "from typing import Any, Literal, TypedDict\n\n\n" + "\n\n".join(schema.classes.values())


def in_words(form: dict[str, Any]) -> str:
    """The type of a field in the page."""
    types = form.get("type", "text" if "enum" in form or "const" in form else "anything")
    names = [types] if isinstance(types, str) else types
    return " or ".join(WORDS.get(one, one) for one in names)


def rows(schema: Schema, place: str) -> Iterator[str]:
    """The rows of a table: fields of the object at this place that have a description."""
    always = place in ("always", "sometimes")
    form = schema.whole if always else schema.whole["properties"]
    for part in [] if always else place.split("."):
        found = schema.resolved(form[part])
        form = found.get("items", found)
        form = form if part == place.split(".")[-1] else form["properties"]
    for name, one in form["properties"].items():
        if always and (name in schema.whole["required"]) != (place == "always"):
            continue
        found = schema.resolved(one)
        yield f"| `{name}` | {in_words(found)} | {found.get('description', '')} |"


def page(text: str) -> str:
    """The page with the tables that the schema gives it: between `<!-- fields: PLACE -->` and `<!-- end -->`."""
    schema = Schema()

    def table(found: re.Match[str]) -> str:
        lines = ["| field | type | meaning |", "|---|---|---|", *rows(schema, found[1])]
        return f"<!-- fields: {found[1]} -->\n" + "\n".join(lines) + "\n<!-- end -->"

    return re.sub(r"<!-- fields: (\S+) -->\n.*?<!-- end -->", table, text, flags=re.DOTALL)


if __name__ == "__main__":
    CLASS.write_text(python_class())
    PAGE.write_text(page(PAGE.read_text()))
