"""Figures as files without a browser: matplotlib draws what the pages have their scripts draw.

```text
 Chart.figure (traces and layout, as JSON) --.
 CausesTable --------------------------------+--> axes of matplotlib --> SVG, PNG, PDF
```
"""

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from weir.extras import needed
from weir.plotting.palette import Palette, palette
from weir.report.causes import CausesTable
from weir.report.charts import Chart
from weir.report.texts import Words, words

#: Endings of the files that it makes.
FORMS = (".svg", ".png", ".pdf")
#: Points of an inch; a picture of points has twice as many.
POINTS = 100
#: Points of a figure, by chart.
SIZES = {"matrix": (680, 580)}
SIZE = (1000, 520)
#: Fonts that have Japanese letters, of which the first one that is there is taken.
JAPANESE = ("Noto Sans CJK JP", "Noto Sans JP", "IPAexGothic", "IPAGothic", "TakaoGothic", "Hiragino Sans", "Yu Gothic")

#: Draws one part of a figure into axes, with these colors and the texts of a language.
Painter = Callable[[Any, Palette, Callable[[Words], str]], None]


@dataclass(frozen=True)
class Look:
    """How a picture looks."""

    #: `svg`, `png` or `pdf`.
    form: str
    dark: bool = False
    japanese: bool = False


def of_charts(charts: Sequence[Chart], look: Look) -> bytes:
    """Charts below each other, as a file. Raises `MissingPackage` without matplotlib."""

    def painter(chart: Chart) -> Painter:
        return lambda axes, colors, said: _chart(axes, colors, said, chart)

    parts = [(SIZES.get(chart.key, SIZE), painter(chart)) for chart in charts]
    return drawn(parts, look)


def of_causes(table: CausesTable, look: Look) -> bytes:
    """The two bars of causes with their legend."""
    size = (900, 180 + 24 * len(table.rows))
    return drawn([(size, lambda axes, colors, said: _causes(axes, colors, said, table))], look)


def drawn(parts: Sequence[tuple[tuple[int, int], Painter]], look: Look) -> bytes:
    """Parts of these sizes below each other."""
    matplotlib = needed("matplotlib", "a picture of a figure")
    figures, fonts = needed("matplotlib.figure", "a picture of a figure"), needed("matplotlib.font_manager", "")
    colors = palette(look.dark)
    installed = fonts.get_font_names() if look.japanese else ()
    width, height = max(size[0] for size, _ in parts), sum(size[1] for size, _ in parts)
    ink, line = colors.named["ink"], colors.named["line"]
    style = {
        "svg.fonttype": "none",
        "font.family": [*(name for name in JAPANESE if name in installed), "DejaVu Sans"],
        "font.size": 10,
        "axes.edgecolor": line,
        "axes.facecolor": colors.named["paper"],
        "axes.labelcolor": ink,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "grid.color": line,
        "text.color": ink,
        "xtick.color": ink,
        "ytick.color": ink,
        "legend.frameon": False,
        "legend.fontsize": 9,
    }
    with matplotlib.rc_context(style):
        figure = figures.Figure((width / POINTS, height / POINTS), layout="constrained")
        figure.set_facecolor(colors.named["paper"])
        heights = [size[1] for size, _ in parts]
        rows = figure.subplots(len(parts), squeeze=False, gridspec_kw={"height_ratios": heights})
        for (axes,), (_, paint) in zip(rows, parts, strict=True):
            paint(axes, colors, lambda text: text.ja if look.japanese else text.en)
        target = io.BytesIO()
        figure.savefig(target, format=look.form, dpi=2 * POINTS if look.form == "png" else POINTS)
    return target.getvalue()


def _chart(axes: Any, colors: Palette, said: Callable[[Words], str], chart: Chart) -> None:
    """A chart of lines, bars or a heat map; the keys of its figure are those of Plotly's reference."""
    figure = json.loads(chart.figure)
    data, layout = figure["data"], figure["layout"]
    for path, text in chart.texts.items():
        *steps, last = path.split(".")
        place = data[int(steps.pop(0))] if steps[0].isdigit() else layout
        for step in steps:
            place = place.setdefault(step, {})
        place[last] = said(text)
    second = axes.twinx() if "yaxis2" in layout else axes
    known: dict[str, Any] = {}
    for number, trace in enumerate(data):
        own = trace.get("meta", {}).get("color", number)
        color = colors.named[own] if isinstance(own, str) else colors.lines[own % len(colors.lines)]
        on = second if trace.get("yaxis") == "y2" else axes
        if trace["type"] == "heatmap":
            _heat_map(axes, colors, trace)
        elif trace["type"] == "bar":
            handle = _bars(axes, color, trace, known)
        else:
            handle = _line(on, color, trace)
        if trace["type"] != "heatmap" and trace.get("showlegend", True) and "name" in trace:
            known.setdefault("handles", []).append((handle, trace["name"]))
    is_map = any(trace["type"] == "heatmap" for trace in data)
    if not is_map:
        axes.grid(True, linewidth=0.6)
        axes.set_axisbelow(True)
    _axis(axes.xaxis, axes.set_xscale, axes.set_xlim, layout.get("xaxis", {}))
    _axis(axes.yaxis, axes.set_yscale, axes.set_ylim, layout.get("yaxis", {}))
    if second is not axes:
        second.spines["right"].set_visible(True)
        _axis(second.yaxis, second.set_yscale, second.set_ylim, layout["yaxis2"])
    if layout.get("yaxis", {}).get("autorange") == "reversed":
        axes.invert_yaxis()
    if layout.get("yaxis", {}).get("scaleanchor"):
        axes.set_aspect("equal")
    handles = known.get("handles", [])
    if handles and layout.get("showlegend", True):
        place = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": min(4, len(handles))}
        axes.legend(*zip(*handles, strict=True), **place)


def _line(axes: Any, color: str, trace: dict[str, Any]) -> Any:
    y = [float("nan") if one is None else one for one in trace["y"]]
    line = trace.get("line", {})
    stepped = line.get("shape") == "hv"
    marks = "o" if "markers" in trace.get("mode", "") else None
    style = {"drawstyle": "steps-post" if stepped else "default", "marker": marks, "markersize": 5}
    (handle,) = axes.plot(
        trace["x"], y, color=color, linewidth=1.6, linestyle=":" if line.get("dash") == "dot" else "-", **style
    )
    if "fill" in trace:
        axes.fill_between(trace["x"], y, color=color, alpha=0.2, linewidth=0, step="post" if stepped else None)
    return handle


def _bars(axes: Any, color: str, trace: dict[str, Any], known: dict[str, Any]) -> Any:
    """Bars that lie, on those before them."""
    before = known.get("ends", [0.0] * len(trace["x"]))
    handle = axes.barh(trace["y"], trace["x"], left=before, color=color)
    known["ends"] = [begin + length for begin, length in zip(before, trace["x"], strict=True)]
    return handle


def _heat_map(axes: Any, colors: Palette, trace: dict[str, Any]) -> None:
    """Cells between edges, or around places; those with names are of equal size."""
    named = needed("matplotlib.colors", "a picture of a figure")
    numpy = needed("numpy", "a picture of a figure")
    values = numpy.array(trace["z"], float)
    edges = []
    for axis, name, count in ((axes.xaxis, "x", values.shape[1]), (axes.yaxis, "y", values.shape[0])):
        places = trace[name]
        if isinstance(places[0], str):
            axis.set_ticks(range(count), places)
            places = list(range(count))
        step = places[1] - places[0] if len(places) > 1 else 1
        edges.append(places if len(places) > count else [place - step / 2 for place in [*places, places[-1] + step]])
    scale = named.LinearSegmentedColormap.from_list("weir", colors.scale)
    least, most = trace.get("zmin"), trace.get("zmax")
    cells = axes.pcolormesh(*edges, values, cmap=scale, vmin=least, vmax=most, rasterized=values.size > 4000)
    bar = axes.figure.colorbar(cells, ax=axes, pad=0.02, label=trace["colorbar"].get("title", {}).get("text", ""))
    bar.outline.set_visible(False)
    if "tickvals" in trace["colorbar"]:
        bar.set_ticks(trace["colorbar"]["tickvals"], labels=trace["colorbar"]["ticktext"])


def _axis(axis: Any, set_scale: Callable[..., None], limit: Callable[..., None], said: dict[str, Any]) -> None:
    axis.set_label_text(said.get("title", {}).get("text", ""))
    if said.get("type") == "log":
        set_scale("log")
    if "tickvals" in said:
        axis.set_ticks(said["tickvals"], said["ticktext"])
        axis.set_ticks([], minor=True)
    if said.get("rangemode") == "tozero":
        limit(0, None)


def _causes(axes: Any, colors: Palette, said: Callable[[Words], str], table: CausesTable) -> None:
    handles = []
    for row in table.rows:
        color = colors.named[row.cause.replace("_", "-")]
        parts = (row.path, row.total)
        begins, lengths = [part.begin for part in parts], [part.length for part in parts]
        handle = axes.barh([0, 1], lengths, left=begins, color=color, height=0.7)
        label = " · ".join(f"{part.time} ({part.share})" for part in parts)
        handles.append((handle, f"{said(row.name)}: {label}"))
    axes.set_yticks([0, 1], [said(words(name)) for name in ("critical_path", "all_ranks")])
    axes.set_xlim(0, 100)
    axes.invert_yaxis()
    axes.xaxis.set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.legend(*zip(*handles, strict=True), loc="upper left", bbox_to_anchor=(0, 0))
