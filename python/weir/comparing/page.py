"""The page of a comparison: everything in one file, which opens without a network."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from weir.comparing import charts, rows
from weir.comparing.texts import words
from weir.report import machine
from weir.report.charts import Chart
from weir.report.packing import Blobs
from weir.report.parts import as_json, filled, plotly_script
from weir.report.series import Series
from weir.results import Results

if TYPE_CHECKING:
    from weir.comparing.comparison import Comparison
    from weir.report.page import Language


def figures(comparison: "Comparison", blobs: Blobs) -> tuple[list[dict[str, Any] | None], list[Chart]]:
    """What there is to draw: the machine of each run, if it has one, whose arrays go to the blobs; and charts."""
    drawn = [_machine(run.results, blobs) for run in comparison.runs]
    pictures = [charts.over_time(comparison.names, [series for _, series in drawn]), *charts.latencies(comparison)]
    if path := charts.paths(comparison):
        pictures.insert(0, path)
    return [payload for payload, _ in drawn], pictures


def render(comparison: "Comparison", language: "Language") -> str:
    """The page as text."""
    # Plotly's script takes as long to compress as all else to draw, and needs nothing of Python meanwhile.
    with ThreadPoolExecutor(1) as beside:
        return _rendered(comparison, language, beside.submit(plotly_script))


def _rendered(comparison: "Comparison", language: "Language", script: "Future[str]") -> str:
    blobs = Blobs()
    machines, pictures = figures(comparison, blobs)
    shown = [chart for chart in pictures if chart.figure]
    keys = list(dict.fromkeys(one["key"] for payload in machines if payload for one in payload["quantities"]))
    payload = {
        "names": comparison.names,
        "machines": machines,
        "quantities": keys,
        "words": {key: words(key) for key in ("ended", "no_pictures", "no_quantity", "whole_run")},
        "plotly": blobs.packed(script.result()) if shown else None,
        "charts": {chart.key: blobs.text(chart.figure) for chart in shown},
        "texts": {chart.key: chart.texts for chart in shown},
    }
    return filled(
        "weir.comparing",
        "compare.html.j2",
        words=words,
        language=language.value,
        names=comparison.names,
        notes=comparison.notes,
        keys=rows.of_keys(comparison),
        results=rows.of_results(comparison),
        machines=machines,
        moving=any(one and one["starts"] for one in machines),
        deep=any(one and one["dimensions"] == 3 for one in machines),
        quantities=keys,
        charts=pictures,
        version=comparison.runs[0].summary.get("weir_version", ""),
        payload=as_json(payload),
        blobs=blobs.texts,
    )


def _machine(results: Results, blobs: Blobs) -> tuple[dict[str, Any] | None, Series | None]:
    """The drawing of a run and its values over time; nothing of a run without a machine."""
    if not results.has("places") or not results.has("links"):
        return None, None
    links = machine.read_links(results)
    if not links.name:
        return None, None
    drawing = machine.draw(results, links, blobs)
    return drawing.payload, drawing.series
