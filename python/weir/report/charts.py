"""The charts of a report, as Plotly figures: over time, latencies, communication matrix."""

import math
import statistics
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass

from weir.report import units
from weir.report.figure import Figure
from weir.report.series import Series
from weir.report.texts import Words, words
from weir.results import Results

#: Most rows and columns of the matrix.
CELLS = 256
#: Most bars of the histogram.
BARS = 80
#: Columns of the latencies over time.
LATENCIES = ["kind", "start_ps", "count", "sum_ps", "max_ps"]


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
    """Utilization of links over simulated time, and latencies where they were recorded."""
    title = words("time_chart")
    if found is None:
        return Chart("time", title, "", {}, missing='output.sample_interval = "10 us"')
    scale, unit = units.time_unit(found.end)
    edges = [edge / scale for edge in (*found.starts, found.end)]
    figure = Figure()
    # A packet counts as a whole where it enters, so that a short interval may seem to carry more than it can.
    for series in found.summed("utilization", 1.0):
        figure.add_scatter(x=edges, y=_step([100 * value for value in series]), line_shape="hv", mode="lines")
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
    rows = list(zip(*results.columns("series/latencies", LATENCIES).values(), strict=True))
    if not rows:
        return
    kind = "packet" if any(row[0] == "packet" for row in rows) else "message"
    count, total, longest = Counter[int](), Counter[int](), Counter[int]()
    for own, start, messages, latency, largest in rows:
        if own == kind:
            count[start] += messages
            total[start] += latency
            longest[start] = max(longest[start], largest)
    starts = sorted(count)
    shown = starts[:: max(1, len(starts) // 2000)]
    latency_scale, unit = units.time_unit(max(longest.values()))
    means = {start: total[start] / max(1, count[start]) for start in shown}
    for series in (means, longest):
        x, y = [start / scale for start in shown], [series[start] / latency_scale for start in shown]
        figure.add_scatter(x=x, y=y, line_shape="hv", mode="lines", yaxis="y2", line_dash="dot")
    figure.update_layout(
        yaxis2={"overlaying": "y", "side": "right", "rangemode": "tozero", "showgrid": False, "tickmode": "auto"}
    )
    texts["2.name"] = words(f"trace_latency_mean_{kind}")
    texts["3.name"] = words(f"trace_latency_max_{kind}")
    texts["yaxis2.title.text"] = words("axis_latency", unit=unit)


def _step(values: list[float]) -> list[float]:
    """The last value once more, so that the last interval has its length."""
    return [*values, *values[-1:]]


def latencies(results: Results) -> list[Chart]:
    """Histograms of the latencies of messages and packets, as far as there are any."""
    if not results.has("latencies"):
        return [Chart("latency", words("latency_chart"), "", {}, missing="--out DIR")]
    rows = list(zip(*results.columns("latencies", ["kind", "from_ps", "to_ps", "count"]).values(), strict=True))
    if not rows:
        return [Chart("latency", words("latency_chart"), "", {})]
    by_kind = {kind: [row[1:] for row in rows if row[0] == kind] for kind in ("packet", "message")}
    return [_histogram(found, kind) for kind, found in by_kind.items() if found]


def _histogram(rows: list[tuple[int, int, int]], kind: str) -> Chart:
    """Of intervals: beginning, end, how many."""
    least, high = min(start for start, _, _ in rows), max(end for _, end, _ in rows)
    logarithmic = high > 20 * max(1, least)
    low = max(1, least) if logarithmic else least
    bars = max(1, min(BARS, len(rows)))
    edges = spaced(low, high, bars, logarithmic)
    middle = [min(max((start + end) / 2, edges[0]), edges[-1]) for start, end, _ in rows]
    heights = [0] * bars
    for place, (_, _, count) in zip(middle, rows, strict=True):
        heights[min(bisect_right(edges, place), bars) - 1] += count
    scale, unit = units.time_unit(statistics.median(middle))
    figure = Figure()
    x, y = [edge / scale for edge in edges], _step([float(height) for height in heights])
    figure.add_scatter(x=x, y=y, line_shape="hv", mode="lines", fill="tozeroy", line_width=1)
    figure.update_layout(showlegend=False)
    figure.update_xaxes(type="log" if logarithmic else "linear")
    figure.update_yaxes(rangemode="tozero")
    texts = {
        "xaxis.title.text": words("axis_latency", unit=unit),
        "yaxis.title.text": words(f"axis_count_{kind}"),
        "0.name": words(f"axis_count_{kind}"),
    }
    note = words(f"latency_note_{kind}", count=units.number(float(sum(heights))))
    return Chart(f"latency-{kind}", words(f"latency_chart_{kind}"), figure.to_json(), texts, note)


def spaced(low: float, high: float, parts: int, logarithmic: bool) -> list[float]:
    """The ends of equal parts, on a logarithmic scale or a linear one."""
    if logarithmic:
        inner = [low * (high / low) ** (part / parts) for part in range(1, parts)]
    else:
        inner = [low + (high - low) * part / parts for part in range(1, parts)]
    return [float(low), *inner, float(high)]


def matrix(results: Results) -> Chart:
    """Bytes from rank to rank, in blocks of ranks if there are many."""
    title = words("matrix_chart")
    if not results.has("pairs"):
        return Chart("matrix", title, "", {}, missing="output.pairs = true")
    rows = list(zip(*results.columns("pairs", ["from", "to", "bytes", "messages"]).values(), strict=True))
    if not rows:
        return Chart("matrix", title, "", {})
    block = int(results.metadata("pairs").get("weir.ranks_per_block", "1"))
    ranks = int(results.summary.get("ranks") or 0)
    size = max(1 + max(max(one, other) for one, other, _, _ in rows), -(-ranks // block))
    merged = -(-size // CELLS)
    cells = -(-size // merged)
    total = [[0.0] * cells for _ in range(cells)]
    for one, other, amount, _ in rows:
        total[one // merged][other // merged] += amount
    level = [[math.log10(amount) if amount > 0 else math.nan for amount in row] for row in total]
    ranks_per_cell = block * merged
    place = [cell * ranks_per_cell for cell in range(cells)]
    moved = [one for row in level for one in row if one == one]
    largest, least = (max(moved), min(moved)) if moved else (0.0, 0.0)
    inner = range(math.floor(least) + 1, math.ceil(largest))
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
        "messages": units.number(sum(messages for _, _, _, messages in rows)),
        "bytes": units.data(sum(amount for _, _, amount, _ in rows)),
    }
    note = words("matrix_note", block=ranks_per_cell, **counts)
    return Chart("matrix", title, figure.to_json(), texts, note)
