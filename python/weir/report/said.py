"""What a page says of a run, as data: each sentence and each row of a table, with the numbers behind the texts.

The page holds it as JSON in its element `said`. So a script can read what a person sees, and tests compare all of it
with the tables of the run.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from markupsafe import Markup, escape

from weir.report.texts import Words
from weir.report.units import Quantity


class Said:
    """Collects what a page says, in the order in which it does."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.all: list[dict[str, object]] = []

    def show(self, text: Words, name: str = "") -> Markup:
        """A sentence of the run in both languages; or the value of the fact `name`."""
        self.note(name or text.key, {"value": text.key} | text.values if name else text.values)
        return spans(text)

    def note(self, key: str, values: Mapping[str, object]) -> None:
        """Notes the sentence `key`."""
        self.all.append({"says": key} | {name: raw(value) for name, value in values.items()})

    def note_row(self, key: str, row: Any) -> None:
        """Notes a row of a table, which is a dataclass; not what it holds by name."""
        values = {field.name: getattr(row, field.name) for field in fields(row)}
        self.note(key, {name: value for name, value in values.items() if not isinstance(value, Mapping)})


def raw(value: object) -> object:
    """A value as JSON has it: times in picoseconds, data in bytes, what is missing as null."""
    if isinstance(value, Quantity):
        return value.value
    if isinstance(value, Words):
        return value.key or value.en
    return None if value == "" else value


def spans(text: Words) -> Markup:
    """A text in both languages, of which the page shows one."""
    if text.en == text.ja:
        return escape(text.en)
    return Markup('<span lang="en">{}</span><span lang="ja">{}</span>').format(text.en, text.ja)
