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
    for colour, (name, one) in enumerate(zip(names, series, strict=True)):
        if one is None:
            continue
        edges = np.append(one.starts, one.end) / scale
        values = 100 * np.minimum(one.values["utilization"], 1)
        for dash, found in (("solid", values.max(axis=1)), ("dot", values.mean(axis=1))):
            figure.add_scatter(
                x=edges,
                y=np.append(found, found[-1:]),
                name=name,
                meta={"colour": colour},
                line_shape="hv",
                line_dash=dash,
                mode="lines",
                showlegend=dash == "solid",
                legendgroup=str(colour),
            )
    figure.update_yaxes(rangemode="tozero")
    texts = {
        "xaxis.title.text": words("axis_time", unit=unit),
        "yaxis.title.text": words("axis_utilization"),
    }
    return Chart("time", title, figure.to_json(), texts, words("over_time_note"))


def latencies(comparison: "Comparison") -> list[Chart]:
    """Histograms of packets and of messages, those of all runs over each other, as parts of what each run has."""
    found: dict[str, list[tuple[int, Floats, Floats]]] = {"packet": [], "message": []}
    for colour, run in enumerate(comparison.runs):
        if not run.results.has("latencies"):
            continue
        table = run.results.table("latencies")
        kinds = np.array(table["kind"].to_pylist())
        start, end, count = (numbers(table[name]).astype(float) for name in ("from_ps", "to_ps", "count"))
        for kind, parts in found.items():
            if (chosen := kinds == kind).any():
                parts.append((colour, (start + end)[chosen] / 2, count[chosen]))
    return [_histogram(kind, comparison.names, parts) for kind, parts in found.items() if parts]


def _histogram(kind: str, names: list[str], parts: list[tuple[int, Floats, Floats]]) -> Chart:
    middles = np.concatenate([middle for _, middle, _ in parts])
    low, high = max(1.0, float(middles.min())), max(2.0, float(middles.max()))
    edges = np.geomspace(low * 0.999, high * 1.001, BARS + 1)
    scale, unit = units.time_unit(float(np.median(middles)))
    figure = Figure()
    for colour, middle, count in parts:
        heights, _ = np.histogram(np.maximum(middle, low), edges, weights=count)
        shares = 100 * heights / count.sum()
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
    figure.update_yaxes(rangemode="tozero")
    texts = {"xaxis.title.text": words("axis_latency", unit=unit), "yaxis.title.text": words(f"axis_share_{kind}")}
    return Chart(f"latency-{kind}", words(f"latency_chart_{kind}"), figure.to_json(), texts)


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
