"""A figure of Plotly as the JSON that its script reads: its classes in Python take long to import."""

import json
from typing import Any

import numpy as np


class Figure:
    """Traces and layout, by the names of Plotly's reference; `line_shape` stands for `shape` within `line`."""

    def __init__(self) -> None:
        """Without traces; the page has colours of its own, light and dark."""
        self.data: list[dict[str, Any]] = []
        self.layout: dict[str, Any] = {}
        self.update_layout(margin={"l": 64, "r": 24, "t": 16, "b": 52}, hovermode="closest")

    def add_scatter(self, **keys: Any) -> None:
        """A line."""
        self.data.append({"type": "scatter", **_nested(keys)})

    def add_bar(self, **keys: Any) -> None:
        """Bars."""
        self.data.append({"type": "bar", **_nested(keys)})

    def add_heatmap(self, **keys: Any) -> None:
        """A table of numbers as colours; NaN has none."""
        self.data.append({"type": "heatmap", **_nested(keys)})

    def update_xaxes(self, **keys: Any) -> None:
        """More of the horizontal axis."""
        self._update("xaxis", keys)

    def update_yaxes(self, **keys: Any) -> None:
        """More of the vertical axis on the left."""
        self._update("yaxis", keys)

    def update_layout(self, **keys: Any) -> None:
        """More of the whole."""
        self.layout |= _nested(keys)

    def to_json(self) -> str:
        """What the page gives to the script."""
        return json.dumps({"data": self.data, "layout": self.layout}, default=_plain, ensure_ascii=False)

    def _update(self, axis: str, keys: dict[str, Any]) -> None:
        self.layout[axis] = self.layout.get(axis, {}) | _nested(keys)


def _nested(keys: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in keys.items():
        first, _, rest = name.partition("_")
        if rest:
            found.setdefault(first, {})[rest] = value
        else:
            found[name] = value
    return found


def _plain(value: Any) -> Any:
    """An array as a list; floats with six digits, which is more than a screen shows, NaN as null."""
    array = np.asarray(value)
    if array.dtype.kind != "f":
        return array.tolist()
    if array.ndim > 1:
        return [_plain(row) for row in array]
    return [None if one != one else float(f"{one:.6g}") for one in array.tolist()]
