"""Arguments of a wrong type are refused by their names."""

from collections.abc import Callable
from typing import Any

import pytest

import weir as typed

# Types of arguments are wrong on purpose.
weir: Any = typed

RING = {
    "topology": {"kind": "torus", "shape": [4], "bandwidth": "1 GB/s"},
    "workload": {"kind": "ring", "message_size": "1 kB"},
}

#: Texts that are right as `set`, `unset`, `points`, ... are wrong here, since they are read letter by letter otherwise.
CALLS: dict[str, Callable[[Any], object]] = {
    "out: must be a path": lambda value: weir.run(RING, out=value),
    "machine: must be a path": lambda value: weir.run(RING, machine=value),
    "experiment: must be a path": lambda value: weir.run(value),
    "progress: must be a function": lambda value: weir.run(RING, progress=value),
    "unset: must be a list": lambda value: weir.run(RING, unset=value),
    "path: must be a path": lambda value: weir.open(value),
    "sources: must be a list": lambda value: weir.compare(value),
    "results: must be what weir.open returns": lambda value: weir.report.write(value, "page.html"),
    "points: must be a dictionary": lambda value: weir.sweep(RING, value),
    "loads: must be a list of numbers": lambda value: weir.load_study(RING, loads=value),
}


@pytest.mark.parametrize("value", [17, 0.5, b"bytes", object()])
@pytest.mark.parametrize("said", CALLS)
def test_an_argument_of_a_wrong_type_is_refused_by_its_name(said: str, value: Any) -> None:
    """With what it may be and the type that it has."""
    with pytest.raises(weir.ArgumentError, match=f"^{said}.*, not {type(value).__name__}$"):
        CALLS[said](value)


def test_dictionaries_and_lists_are_told_apart() -> None:
    """Where one is due, the other is refused; so are items of lists."""
    for said, call in [
        ("out: must be a path, not dict", lambda: weir.run(RING, out={})),
        ("set: must be a dictionary", lambda: weir.run(RING, set=["seed=3"])),
        ("set: must be a dictionary", lambda: weir.sweep(RING, {"seed": [1]}, set="seed=3")),
        ("set: must be a dictionary", lambda: weir.run(RING, set="seed=3", band=True)),
        ("an item of unset: must be a text, not int", lambda: weir.check(RING, unset=[3])),
        ("an item of points: must be a dictionary", lambda: weir.sweep(RING, [3])),
        ("an item of sources: must be a path", lambda: weir.compare([3, 3])),
        ("an item of loads: must be a number, not str", lambda: weir.load_study(RING, loads=["0.1"])),
        ("rules: must be a list of texts", lambda: weir.load_study(RING, rules="minimal")),
        (
            "path: must be a path, not dict",
            lambda: weir.Pattern.from_ranks(2, lambda rank: [("send", 1 - rank, 1)]).write({}),
        ),
    ]:
        with pytest.raises(weir.ArgumentError, match=said):
            call()
    assert issubclass(weir.ArgumentError, TypeError) and issubclass(weir.ArgumentError, weir.WeirError)
