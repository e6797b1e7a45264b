"""Charts of several runs over each other: over time, latencies, critical paths."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from weir.comparing.texts import TEXTS, words
from weir.report import units
from weir.report.charts import Chart
from weir.report.columns import numbers
from weir.report.figure import Figure
from weir.report.series import Series
from weir.report.texts import Words, same

if TYPE_CHECKING:
    from weir.comparing.comparison import Comparison

Floats = npt.NDArray[np.float64]

#: Bars of a histogram.
BARS = 60


def over_time(names: list[str], series: list[Series | None]) -> Chart:
    """Utilisation over simulated time: one axis, a colour for each run."""
    title = words("over_time")
    end = max((one.end for one in series if one), default=0)
    if not end:
        return Chart("time", title, "", {}, missing='output.sample_interval = "10 us"')
    scale, unit = units.time_unit(end)
    figure = Figure()
    texts = {
        "xaxis.title.text": words("axis_time", unit=unit),
        "yaxis.title.text": words("axis_utilization"),
    }
    # All have a point wherever one of them changes, so that the pointer finds all of them there.
    edges = np.unique(np.concatenate([np.append(one.starts, one.end) for one in series if one]))
    for colour, (name, one) in enumerate(zip(names, series, strict=True)):
        if one is None:
            continue
        interval = np.clip(np.searchsorted(one.starts, edges, side="right") - 1, 0, len(one.starts) - 1)
        is_over = (edges < one.starts[0]) | (edges > one.end)
        values = 100 * np.minimum(one.values["utilization"], 1)
        for key, dash, found in (("of_busiest", "solid", values.max(axis=1)), ("of_mean", "dot", values.mean(axis=1))):
            texts[f"{len(figure.data)}.name"] = words(key, run=same(name))
            figure.add_scatter(
                x=edges / scale,
                y=np.where(is_over, np.nan, found[interval]),
                meta={"colour": colour},
                line_shape="hv",
                line_dash=dash,
                mode="lines",
                showlegend=dash == "solid",
                legendgroup=str(colour),
            )
    figure.update_yaxes(rangemode="tozero", hoverformat=".4~g")
    figure.update_layout(hovermode="x unified")
    return Chart("time", title, figure.to_json(), texts, words("over_time_note"))


def latencies(comparison: "Comparison") -> list[Chart]:
    """Histograms of packets and of messages, those of all runs over each other, as parts of what each run has."""
    found: dict[str, list[tuple[int, Floats, Floats, Floats]]] = {"packet": [], "message": []}
    for colour, run in enumerate(comparison.runs):
        if not run.results.has("latencies"):
            continue
        table = run.results.table("latencies")
        kinds = np.array(table["kind"].to_pylist())
        start, end, count = (numbers(table[name]).astype(float) for name in ("from_ps", "to_ps", "count"))
        for kind, parts in found.items():
            if (chosen := kinds == kind).any():
                parts.append((colour, start[chosen], end[chosen], count[chosen]))
    return [_histogram(kind, comparison.names, parts) for kind, parts in found.items() if parts]


def _histogram(kind: str, names: list[str], parts: list[tuple[int, Floats, Floats, Floats]]) -> Chart:
    low = max(1.0, min(float(start.min()) for _, start, _, _ in parts))
    high = max(2 * low, max(float(end.max()) for _, _, end, _ in parts))
    edges = np.geomspace(low, high, BARS + 1)
    middles = np.concatenate([(start + end) / 2 for _, start, end, _ in parts])
    scale, unit = units.time_unit(float(np.median(middles)))
    figure = Figure()
    for colour, start, end, count in parts:
        shares = 100 * _spread(start, end, count, edges) / count.sum()
        figure.add_scatter(
            x=edges / scale,
            y=np.append(shares, shares[-1:]),
            name=names[colour],
            meta={"colour": colour},
            line_shape="hv",
            mode="lines",
            showlegend=True,
        )
    figure.update_xaxes(type="log")
    figure.update_yaxes(rangemode="tozero", hoverformat=".4~g")
    figure.update_xaxes(hoverformat=".4~g")
    figure.update_layout(hovermode="x unified")
    texts = {"xaxis.title.text": words("axis_latency", unit=unit), "yaxis.title.text": words(f"axis_share_{kind}")}
    return Chart(f"latency-{kind}", words(f"latency_chart_{kind}"), figure.to_json(), texts)


def _spread(start: Floats, end: Floats, count: Floats, edges: Floats) -> Floats:
    """Counts of intervals, each spread evenly over other ones on a logarithmic scale.

    So no bar is empty only because no interval has its middle there.
    """
    first = np.log(np.maximum(start, edges[0]))
    width = np.maximum(np.log(np.maximum(end, edges[0])) - first, 1e-9)
    below = np.clip((np.log(edges)[:, None] - first) / width, 0, 1) @ count
    # What is below the first edge lies within the first bar.
    below[0] = 0
    heights: Floats = np.diff(below)
    return heights


def paths(comparison: "Comparison") -> Chart | None:
    """The critical paths, each as a bar of its causes; `None` if no run has recorded any."""
    if not comparison.causes:
        return None
    found = [run.summary.get("causes", {}).get("critical_path", {}).get("causes_ps", {}) for run in comparison.runs]
    scale, unit = units.time_unit(max(float(sum(one.values())) for one in found))
    figure, texts = Figure(), {"xaxis.title.text": words("axis_time", unit=unit)}
    for place, cause in enumerate(comparison.causes):
        figure.add_bar(
            orientation="h",
            y=comparison.names,
            x=np.array([one.get(cause, 0) / scale for one in found]),
            meta={"colour": place},
        )
        texts[f"{place}.name"] = _cause(cause)
    figure.update_layout(barmode="stack")
    figure.update_yaxes(autorange="reversed", type="category")
    return Chart("paths", words("path_chart"), figure.to_json(), texts, words("path_note"))


def _cause(name: str) -> Words:
    return words(f"cause_{name}") if f"cause_{name}" in TEXTS else same(name)
