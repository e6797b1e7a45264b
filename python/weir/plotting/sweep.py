"""The figure of a sweep: a field of its points over one key or two.

```text
 one key that differs      a line
 more                      a line for each combination of the others
 two with many numbers     a heat map
```
"""

import json
import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from weir.plotting.plot import Plot
from weir.report import units
from weir.report.charts import Chart
from weir.report.figure import Figure
from weir.report.texts import Words, same, words

if TYPE_CHECKING:
    from weir.sweeping import Sweep

#: More lines than these are a heat map, if it has numbers on both axes, and a mistake otherwise.
LINES = 8
#: More values of a key than these do not have a tick each.
TICKS = 12


def plot(sweep: "Sweep", field: str) -> Plot:
    """The figure of a field. Raises `ValueError` where it has no numbers, or more lines than could be told apart."""
    title = " · ".join([field, *sweep.keys])
    return Plot("weir.sweep", "sweep", same(title), charts=[_chart(sweep, field, same(title))])


def _chart(sweep: "Sweep", field: str, title: Words) -> Chart:
    axes = [_Axis(sweep, key) for key in sweep.keys]
    differ = [axis for axis in axes if len(axis.ticks) > 1] or axes[:1]
    # Along the horizontal axis the one with most numbers, of equal ones the first.
    across = max(differ, key=lambda axis: (axis.is_number, len(axis.ticks) if axis.is_number else 0))
    others = [axis for axis in differ if axis is not across]
    heights, unit = _heights(sweep, field)
    labels = [", ".join(axis.texts[axis.places[row]] for axis in others) for row in range(len(sweep))]
    lines = sorted(dict.fromkeys(labels), key=lambda label: [axis.places[labels.index(label)] for axis in others])
    name = same(f"{field} [{unit}]" if unit else field)
    if field == "simulated_s":
        name = words("axis_time", unit=unit)
    if len(lines) > LINES and len(others) == 1 and others[0].is_number:
        return _map(across, others[0], heights, name, title)
    if len(lines) > LINES:
        hint = "to_pandas() has all points, or to_xarray() a dimension for each key"
        raise ValueError(f"{len(lines)} lines cannot be told apart; at most {LINES} are drawn\n\nhint: {hint}")
    figure, texts = Figure(), {"xaxis.title.text": same(across.key), "yaxis.title.text": name}
    for number, line in enumerate(lines):
        rows = sorted((row for row, label in enumerate(labels) if label == line), key=lambda row: across.places[row])
        figure.add_scatter(
            x=[across.ticks[across.places[row]] for row in rows],
            y=[heights[row] for row in rows],
            mode="lines+markers",
            showlegend=bool(others),
        )
        texts[f"{number}.name"] = same(line or field)
    figure.update_layout(showlegend=bool(others), margin={"l": 64, "r": 24, "t": 44, "b": 52})
    figure.update_xaxes(**across.form)
    known = [one for one in heights if not math.isnan(one)]
    far = min(known, default=0) > 0 and max(known) > 30 * min(known) and across.form.get("type") == "log"
    figure.update_yaxes(**({"type": "log"} if far else {"rangemode": "tozero"}))
    return Chart("sweep", title, figure.to_json(), texts)


def _map(across: "_Axis", up: "_Axis", heights: list[float], name: Words, title: Words) -> Chart:
    cells = [[math.nan] * len(across.ticks) for _ in up.ticks]
    for column, row, height in zip(across.places, up.places, heights, strict=True):
        cells[row][column] = height
    figure = Figure()
    figure.add_heatmap(
        x=across.texts,
        y=up.texts,
        z=cells,
        hovertemplate="%{x}, %{y}: %{z:.4g}<extra></extra>",
        colorbar={"thickness": 12},
    )
    figure.update_xaxes(type="category")
    figure.update_yaxes(type="category", automargin=True)
    texts = {
        "xaxis.title.text": same(across.key),
        "yaxis.title.text": same(up.key),
        "0.colorbar.title.text": name,
    }
    return Chart("sweep", title, figure.to_json(), texts)


def _heights(sweep: "Sweep", field: str) -> tuple[list[float], str]:
    """The values of a field, NaN of points that have none or have not finished, and their unit."""
    values = [row.get(field) if row["outcome"] == "finished" else None for row in sweep]
    known = [float(one) for one in values if isinstance(one, int | float) and not isinstance(one, bool)]
    if not known or any(not isinstance(one, int | float | None) for one in values):
        raise ValueError(f"{field!r} has no numbers to draw\n\nhint: simulated_s, max_link_utilization, bytes, ... do")
    scale, unit = 1.0, ""
    if sweep.units.get(field) == "s":
        # Of the middle one: the others are some digits longer, or shorter.
        picoseconds, unit = units.time_unit(1e12 * sorted(known)[len(known) // 2])
        scale = picoseconds / 1e12
    elif sweep.units.get(field) == "B":
        unit = "B"
    return [math.nan if one is None else one / scale for one in values], unit


class _Axis:
    """A key, its values in order, and where each point has its own."""

    def __init__(self, sweep: "Sweep", key: str) -> None:
        self.key = key
        values = sweep.numbers(key)
        self.is_number = all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)
        plain = [one if self.is_number else json.dumps(one) if isinstance(one, list | dict) else one for one in values]
        found = sorted(set(plain)) if self.is_number else list(dict.fromkeys(plain))
        self.places = [found.index(one) for one in plain]
        write = _written(sweep.units.get(key))
        self.texts = [write(one) for one in found]
        #: Where the values are on the axis: names are at their texts.
        self.ticks: list[Any] = found if self.is_number else self.texts
        #: The axis as Plotly has it.
        self.form: dict[str, Any] = {"type": "category"}
        if self.is_number:
            some = slice(None, None, -(-len(found) // TICKS))
            self.form = {"tickvals": found[some], "ticktext": self.texts[some]}
            self.form["type"] = "log" if _are_geometric(found) else "linear"


def _are_geometric(values: Sequence[Any]) -> bool:
    """Whether neighbors differ by factors rather than by amounts."""
    if len(values) < 3 or values[0] <= 0:
        return False
    factors = [after / before for before, after in pairwise(values)]
    amounts = [after - before for before, after in pairwise(values)]
    return max(factors) / min(factors) < max(amounts) / min(amounts)


def _written(unit: str | None) -> Callable[[Any], str]:
    """How values of a unit are written."""
    forms: dict[str | None, Callable[[Any], str]] = {
        "s": lambda value: units.time(1e12 * value),
        "B": units.data,
        "B/s": units.rate,
        "Hz": lambda value: f"{value:.6g} Hz",
    }
    return forms.get(unit, lambda value: f"{value:.6g}" if isinstance(value, float) else str(value))
