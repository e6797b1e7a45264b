"""A figure of Plotly as the JSON that its script reads: its classes in Python take long to import."""

import json
import math
from typing import Any


class Figure:
    """Traces and layout, by the names of Plotly's reference; `line_shape` stands for `shape` within `line`."""

    def __init__(self) -> None:
        """Without traces; the page has colors of its own, light and dark."""
        self.data: list[dict[str, Any]] = []
        self.layout: dict[str, Any] = {}
        self.update_layout(margin={"l": 64, "r": 24, "t": 16, "b": 52}, hovermode="closest")

    def add_scatter(self, **keys: Any) -> None:
        """A line."""
        self.data.append({"type": "scatter", **_short(keys)})

    def add_bar(self, **keys: Any) -> None:
        """Bars."""
        self.data.append({"type": "bar", **_short(keys)})

    def add_heatmap(self, **keys: Any) -> None:
        """A table of numbers as colors; NaN has none."""
        self.data.append({"type": "heatmap", **_short(keys)})

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
        return json.dumps({"data": self.data, "layout": self.layout}, ensure_ascii=False)

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


def _short(keys: dict[str, Any]) -> dict[str, Any]:
    """Keys of a trace: numbers along its axes have six digits, which is more than a screen shows, NaN is null."""
    found = _nested(keys)
    return found | {axis: [_digits(one) for one in found[axis]] for axis in "xyz" if axis in found}


def _digits(value: Any) -> Any:
    if isinstance(value, list):
        return [_digits(one) for one in value]
    if isinstance(value, float):
        return None if math.isnan(value) else float(f"{value:.6g}")
    return value
