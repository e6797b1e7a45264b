"""Charts of several runs over each other: over time, latencies, critical paths."""

import math
import statistics
from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from weir.comparing.texts import cause as cause_words
from weir.comparing.texts import words
from weir.report import units
from weir.report.charts import Chart, spaced
from weir.report.figure import Figure
from weir.report.series import Series
from weir.report.texts import same

if TYPE_CHECKING:
    from weir.comparing.comparison import Comparison

#: Latencies from one to another, and how many they are.
Row = tuple[float, float, float]

#: Bars of a histogram.
BARS = 60


def over_time(names: list[str], series: list[Series | None]) -> Chart:
    """Utilization over simulated time: one axis, a color for each run."""
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
    edges = sorted({edge for one in series if one for edge in (*one.starts, one.end)})
    for color, (name, one) in enumerate(zip(names, series, strict=True)):
        if one is None:
            continue
        begins = one.starts
        # Of each edge the interval that begins there, and at the end the last one.
        at = [bisect_right(begins, edge) - 1 if begins[0] <= edge <= one.end else None for edge in edges]
        kinds = (("of_busiest", "solid"), ("of_mean", "dot"))
        for (key, dash), found in zip(kinds, one.summed("utilization", 1.0), strict=True):
            texts[f"{len(figure.data)}.name"] = words(key, run=same(name))
            figure.add_scatter(
                x=[edge / scale for edge in edges],
                y=[math.nan if interval is None else 100 * found[interval] for interval in at],
                meta={"color": color},
                line_shape="hv",
                line_dash=dash,
                mode="lines",
                showlegend=dash == "solid",
                legendgroup=str(color),
            )
    figure.update_yaxes(rangemode="tozero", hoverformat=".4~g")
    figure.update_layout(hovermode="x unified")
    return Chart("time", title, figure.to_json(), texts, words("over_time_note"))


def latencies(comparison: "Comparison") -> list[Chart]:
    """Histograms of packets and of messages, those of all runs over each other, as parts of what each run has."""
    found: dict[str, list[tuple[int, list[Row]]]] = {"packet": [], "message": []}
    for color, run in enumerate(comparison.runs):
        if not run.results.has("latencies"):
            continue
        columns = run.results.columns("latencies", ["kind", "from_ps", "to_ps", "count"])
        rows = list(zip(*columns.values(), strict=True))
        for kind, parts in found.items():
            if chosen := [row[1:] for row in rows if row[0] == kind]:
                parts.append((color, chosen))
    return [_histogram(kind, comparison.names, parts) for kind, parts in found.items() if parts]


def _histogram(kind: str, names: list[str], parts: list[tuple[int, list[Row]]]) -> Chart:
    together = [row for _, rows in parts for row in rows]
    low = max(1.0, min(start for start, _, _ in together))
    high = max(2 * low, max(end for _, end, _ in together))
    edges = spaced(low, high, BARS, logarithmic=True)
    scale, unit = units.time_unit(statistics.median((start + end) / 2 for start, end, _ in together))
    figure = Figure()
    for color, rows in parts:
        whole = sum(count for _, _, count in rows)
        shares = [100 * height / whole for height in _spread(rows, edges)]
        figure.add_scatter(
            x=[edge / scale for edge in edges],
            y=[*shares, shares[-1]],
            name=names[color],
            meta={"color": color},
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


def _spread(rows: list[Row], edges: list[float]) -> list[float]:
    """Counts of intervals, each spread evenly over other ones on a logarithmic scale.

    So no bar is empty only because no interval has its middle there.
    """
    # What is below the first edge lies within the first bar.
    below = [0.0] * len(edges)
    places = [math.log(edge) for edge in edges]
    for start, end, count in rows:
        first = math.log(max(start, edges[0]))
        width = max(math.log(max(end, edges[0])) - first, 1e-9)
        for number, place in enumerate(places[1:], 1):
            below[number] += count * min(max((place - first) / width, 0), 1)
    return [after - before for before, after in pairwise(below)]


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
            x=[one.get(cause, 0) / scale for one in found],
            meta={"color": cause.replace("_", "-")},
        )
        texts[f"{place}.name"] = cause_words(cause)
    figure.update_layout(barmode="stack")
    figure.update_yaxes(autorange="reversed", type="category")
    return Chart("paths", words("path_chart"), figure.to_json(), texts, words("path_note"))
