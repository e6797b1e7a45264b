"""In what experiments differ: keys, with the value that each of them has."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: Keys that change no result: where output goes and what is recorded, on how many threads.
LEFT_OUT = ("title", "output", "engine.threads")


@dataclass(frozen=True)
class Difference:
    """A key, and its value in each run."""

    #: With its table: `topology.shape`. The name of a table alone, where some runs do not have it at all.
    key: str
    #: As an experiment has them; `None` where it has no such key. Of a whole table: how many keys it has.
    values: list[Any]
    #: Whether it is a whole table.
    is_table: bool = False


def differences(experiments: Sequence[Mapping[str, Any]]) -> list[Difference]:
    """The keys of which not all experiments have the same value, in the order in which they have them."""
    flat = [dict(_keys("", experiment)) for experiment in experiments]
    found: list[Difference] = []
    seen: set[str] = set()
    for key in _merged(flat):
        table = key.partition(".")[0]
        values = [one.get(key) for one in flat]
        if table in seen or all(value == values[0] for value in values):
            continue
        # A table that some of them do not have, as [packet] with another engine, is one difference.
        if any(table not in experiment for experiment in experiments) and "." in key:
            seen.add(table)
            values = [sum(name.startswith(f"{table}.") for name in one) or None for one in flat]
            found.append(Difference(table, values, True))
        else:
            found.append(Difference(key, values))
    return found


def is_left_out(key: str) -> bool:
    """Whether a key changes no result."""
    return any(key == one or key.startswith(f"{one}.") for one in LEFT_OUT)


def shown(value: Any) -> str:
    """A value as an experiment file has it, texts without quotes; `-` where there is none."""
    if value is None:
        return "-"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _keys(prefix: str, table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        key = f"{prefix}.{name}" if prefix else name
        if is_left_out(key):
            continue
        if isinstance(value, Mapping):
            yield from _keys(key, value)
        else:
            yield key, value


def _merged(flat: Sequence[Mapping[str, Any]]) -> list[str]:
    """All keys: those of a table together, tables in the order of the first experiment that has them."""
    tables: dict[str, dict[str, None]] = {}
    for one in flat:
        for key in one:
            tables.setdefault(key.partition(".")[0], {})[key] = None
    return [key for table in tables.values() for key in table]
