"""The page of one figure: the parts of a report that draw it, in one file, which opens without a network."""

from typing import TYPE_CHECKING

from weir.report.packing import Blobs
from weir.report.parts import as_json, filled, plotly_script
from weir.report.said import spans

if TYPE_CHECKING:
    from weir.plotting.plot import Plot
    from weir.report.page import Language


def render(plot: "Plot", language: "Language") -> str:
    """The page as text."""
    blobs = Blobs()
    blobs.texts.extend(plot.blobs)
    payload = {
        "machine": plot.drawing.payload if plot.drawing else None,
        # Plotly's script is most of a page: only where it draws.
        "plotly": blobs.packed(plotly_script()) if plot.charts else None,
        "charts": {chart.key: blobs.text(chart.figure) for chart in plot.charts},
        "texts": {chart.key: chart.texts for chart in plot.charts},
    }
    return filled(
        "weir.plotting",
        "plot.html.j2",
        language=language.value,
        run=plot.run,
        title=plot.title,
        drawing=plot.drawing,
        causes=plot.causes,
        # The chart over time is a figure of its own.
        charts=plot.charts,
        no_part=plot.no_part,
        show=spans,
        payload=as_json(payload),
        blobs=blobs.texts,
    )
