"""The charts of a report, as Plotly figures: over time, latencies, communication matrix."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from weir.report import units
from weir.report.columns import numbers
from weir.report.figure import Figure
from weir.report.series import Series
from weir.report.texts import Words, words
from weir.results import Results

#: Most rows and columns of the matrix.
CELLS = 256
#: Most bars of the histogram.
BARS = 80


@dataclass(frozen=True)
class Chart:
    """A figure, or what would make the run record what it needs."""

    key: str
    title: Words
    #: Plotly's traces and layout as JSON; empty if there is nothing to draw.
    figure: str
    #: Texts of the figure in both languages, by their path in traces (`0.name`) or layout (`xaxis.title.text`).
    texts: dict[str, Words]
    note: Words | None = None
    #: What would have it recorded, if there is nothing to draw; nothing for a table without rows.
    missing: str | None = None


def over_time(results: Results, found: Series | None) -> Chart:
    """Utilisation of links over simulated time, and latencies where they were recorded."""
    title = words("time_chart")
    if found is None:
        return Chart("time", title, "", {}, missing='output.sample_interval = "10 us"')
    scale, unit = units.time_unit(found.end)
    edges = np.append(found.starts, found.end) / scale
    # A packet counts as a whole where it enters, so that a short interval may seem to carry more than it can.
    values = 100 * np.minimum(found.values["utilization"], 1)
    figure = Figure()
    for series in (values.max(axis=1), values.mean(axis=1)):
        figure.add_scatter(x=edges, y=_step(series), line_shape="hv", mode="lines")
    texts = {
        "0.name": words("trace_busiest"),
        "1.name": words("trace_mean"),
        "xaxis.title.text": words("axis_time", unit=unit),
        "yaxis.title.text": words("axis_utilization"),
    }
    figure.update_yaxes(rangemode="tozero")
    # The legend stands above, in one line or two.
    figure.update_layout(margin={"l": 64, "r": 24, "t": 44, "b": 44})
    if results.has("series/latencies"):
        _add_latencies(results, figure, texts, scale)
    return Chart("time", title, figure.to_json(), texts)


def _add_latencies(results: Results, figure: Figure, texts: dict[str, Words], scale: int) -> None:
    table = results.table("series/latencies")
    if table.num_rows == 0:
        return
    kinds = np.array(table["kind"].to_pylist())
    kind = "packet" if (kinds == "packet").any() else "message"
    chosen = kinds == kind
    start, where = np.unique(numbers(table["start_ps"])[chosen], return_inverse=True)
    count, total, longest = (np.zeros(len(start)) for _ in range(3))
    np.add.at(count, where, numbers(table["count"])[chosen])
    np.add.at(total, where, numbers(table["sum_ps"])[chosen])
    np.maximum.at(longest, where, numbers(table["max_ps"])[chosen])
    step = max(1, len(start) // 2000)
    latency_scale, unit = units.time_unit(float(longest.max()))
    for series in (total / np.maximum(count, 1), longest):
        x, y = start[::step] / scale, series[::step] / latency_scale
        figure.add_scatter(x=x, y=y, line_shape="hv", mode="lines", yaxis="y2", line_dash="dot")
    figure.update_layout(
        yaxis2={"overlaying": "y", "side": "right", "rangemode": "tozero", "showgrid": False, "tickmode": "auto"}
    )
    texts["2.name"] = words(f"trace_latency_mean_{kind}")
    texts["3.name"] = words(f"trace_latency_max_{kind}")
    texts["yaxis2.title.text"] = words("axis_latency", unit=unit)


def _step(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The last value once more, so that the last interval has its length."""
    return np.append(values, values[-1:])


def latencies(results: Results) -> list[Chart]:
    """Histograms of the latencies of messages and packets, as far as there are any."""
    if not results.has("latencies"):
        return [Chart("latency", words("latency_chart"), "", {}, missing="--out DIR")]
    table = results.table("latencies")
    if table.num_rows == 0:
        return [Chart("latency", words("latency_chart"), "", {})]
    kinds = np.array(table["kind"].to_pylist())
    return [_histogram(table, kinds == kind, kind) for kind in ("packet", "message") if (kinds == kind).any()]


def _histogram(table: pa.Table, chosen: npt.NDArray[np.bool_], kind: str) -> Chart:
    start, end, count = (numbers(table[name])[chosen].astype(float) for name in ("from_ps", "to_ps", "count"))
    logarithmic = end.max() > 20 * max(1.0, start.min())
    low, high = max(1.0, start.min()), end.max()
    bars = max(1, min(BARS, len(start)))
    edges = np.geomspace(low, high, bars + 1) if logarithmic else np.linspace(start.min(), high, bars + 1)
    middle = np.clip((start + end) / 2, edges[0], edges[-1])
    heights, _ = np.histogram(middle, edges, weights=count)
    scale, unit = units.time_unit(float(np.median(middle)))
    figure = Figure()
    figure.add_scatter(x=edges / scale, y=_step(heights), line_shape="hv", mode="lines", fill="tozeroy", line_width=1)
    figure.update_layout(showlegend=False)
    figure.update_xaxes(type="log" if logarithmic else "linear")
    figure.update_yaxes(rangemode="tozero")
    texts = {
        "xaxis.title.text": words("axis_latency", unit=unit),
        "yaxis.title.text": words(f"axis_count_{kind}"),
        "0.name": words(f"axis_count_{kind}"),
    }
    note = words(f"latency_note_{kind}", count=units.number(float(count.sum())))
    return Chart(f"latency-{kind}", words(f"latency_chart_{kind}"), figure.to_json(), texts, note)


def matrix(results: Results) -> Chart:
    """Bytes from rank to rank, in blocks of ranks if there are many."""
    title = words("matrix_chart")
    if not results.has("pairs"):
        return Chart("matrix", title, "", {}, missing="output.pairs = true")
    table = results.table("pairs")
    if table.num_rows == 0:
        return Chart("matrix", title, "", {})
    block = int(results.metadata("pairs").get("weir.ranks_per_block", "1"))
    begin, end = numbers(table["from"]).astype(np.int64), numbers(table["to"]).astype(np.int64)
    size = max(int(begin.max()), int(end.max())) + 1
    ranks = int(results.summary.get("ranks") or 0)
    size = max(size, -(-ranks // block))
    merged = -(-size // CELLS)
    cells = -(-size // merged)
    total = np.zeros((cells, cells))
    amount = numbers(table["bytes"]).astype(float)
    np.add.at(total, (begin // merged, end // merged), amount)
    with np.errstate(divide="ignore"):
        level = np.log10(np.where(total > 0, total, np.nan)).astype(np.float32)
    ranks_per_cell = block * merged
    place = np.arange(cells) * ranks_per_cell
    largest, least = float(np.nanmax(level)), float(np.nanmin(level))
    inner = range(int(np.floor(least)) + 1, int(np.ceil(largest)))
    ticks = sorted({least, largest, *(float(tick) for tick in inner)})
    figure = Figure()
    figure.add_heatmap(
        x=place,
        y=place,
        z=level,
        zmin=least if largest - least > 0.01 else least - 1,
        zmax=largest,
        hovertemplate="%{y} → %{x}: 10^%{z:.2f} B<extra></extra>",
        colorbar={"tickvals": ticks, "ticktext": [units.data(10.0**tick) for tick in ticks], "thickness": 12},
    )
    figure.update_yaxes(autorange="reversed", constrain="domain", scaleanchor="x")
    figure.update_xaxes(constrain="domain")
    texts = {"xaxis.title.text": words("axis_to"), "yaxis.title.text": words("axis_from")}
    counts = {
        "messages": units.number(int(numbers(table["messages"]).sum())),
        "bytes": units.data(float(amount.sum())),
    }
    note = words("matrix_note", block=ranks_per_cell, **counts)
    return Chart("matrix", title, figure.to_json(), texts, note)
