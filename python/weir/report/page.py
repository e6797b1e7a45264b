"""The page: everything in one file, which opens without a network."""

import heapq
import json
import math
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from weir import arguments
from weir.report import answer, causes, charts, command, congestion, jobs, machine, units
from weir.report.packing import Blobs
from weir.report.parts import as_json, filled, plotly_script, write_whole
from weir.report.said import Said
from weir.report.texts import Words, words
from weir.report.waiting import waiting
from weir.results import Results

#: Rows in the table of links.
BUSIEST = 10


class Language(Enum):
    """The language in which a page opens; its switch shows the other."""

    ENGLISH = "en"
    JAPANESE = "ja"


@dataclass(frozen=True)
class LinkRow:
    """A row in the table of the busiest links."""

    number: int
    name: str
    #: The class of links that it is of, as in the drawing.
    kind: Words
    utilization: str
    bytes: str
    #: Bytes in a second of the time that was measured.
    throughput: str
    max_share: str
    waited: str
    max_queue: str
    #: Of `weir routes --over`; empty if not known.
    routes: dict[str, Any]


def write(results: Results, path: str | Path, language: Language = Language.ENGLISH, *, play: bool = False) -> Path:
    """Writes the page of a run. A file of this name is replaced when the new one is complete.

    With `play` the page begins to play the run when it opens, unless its reader prefers pages that stand still.

    Raises what reading `results` raises, and `OSError` if the page cannot be written.
    """
    return write_whole(Path(arguments.path("path", path)), render(results, language, play=play))


def render(results: Results, language: Language = Language.ENGLISH, *, play: bool = False) -> str:
    """The page of a run as text."""
    if not isinstance(results, Results):
        raise arguments.wrong("results", "what weir.open returns", results)
    # Plotly's script takes as long to compress as all else to draw, and needs nothing of Python meanwhile.
    with ThreadPoolExecutor(1) as beside:
        return _rendered(results, language, play, beside.submit(plotly_script))


def _rendered(results: Results, language: Language, play: bool, script: "Future[str]") -> str:
    blobs = Blobs()
    drawing, rows, routes = None, [], command.Routes({})
    links = machine.read_links(results) if results.has("places") and results.has("links") else None
    if links and links.name:
        drawing = machine.draw(results, links, blobs)
        if drawing.series and not results.complete:
            links = machine.so_far(links, drawing.series)
        busiest = _busiest(links)
        if busiest:
            routes = command.routes(results, busiest)
            time = machine.measured(results, drawing.series)
            kinds = drawing.classes
            rows = [_row(links, number, routes, time, kinds.names[kinds.of[number]]) for number in busiest]
        drawing.payload.update(ways(results, blobs))
    found = drawing.series if drawing else None
    pictures = [
        charts.over_time(results, found),
        congestion.chart(links, found, *(str(results.summary.get(key, "")) for key in ("outcome", "engine"))),
        *charts.latencies(results),
        charts.matrix(results),
    ]
    plotly = blobs.packed(script.result()) if any(chart.figure for chart in pictures) else None
    summary = results.summary
    first = answer.answer(
        summary,
        command.bound(results),
        found.intervals if found else 0,
        len(found.starts) if found else 0,
        found.end if found else 0,
    )
    payload = {
        "machine": drawing.payload if drawing else None,
        "plotly": plotly,
        "charts": {chart.key: blobs.text(chart.figure) for chart in pictures if chart.figure},
        "texts": {chart.key: chart.texts for chart in pictures if chart.figure},
    }
    waits = waiting(results)
    shared = jobs.table(summary.get("jobs", ()))
    reasons = causes.table(summary)
    said = Said()
    for row in rows:
        said.note_row("link", row)
    for wait in waits:
        said.note_row("wait", wait)
    for job in shared.rows:
        said.note_row("job", job)
    for reason in reasons.rows if reasons else []:
        times = {"path": reason.path.time, "total": reason.total.time, "at_best": reason.at_best}
        said.note("cause", {"cause": reason.cause} | times)
    return filled(
        "weir.report",
        "page.html.j2",
        show=said.show,
        # What has been shown when the template comes to its end.
        said=lambda: as_json(said.all),
        language=language.value,
        play=play,
        title=summary.get("title") or results.path.name,
        version=summary.get("weir_version", ""),
        answer=first,
        drawing=drawing,
        rows=rows,
        no_routes=routes.why_not,
        classes=[
            words(
                "class_mean",
                name=Words(*one["name"]),
                links=units.number(one["links"]),
                mean=units.percent(one["mean"]),
            )
            for one in (drawing.payload["classes"] if drawing else [])
        ],
        waits=waits,
        jobs=shared,
        causes=reasons,
        # Synthetic traffic has no ranks whose time could be divided.
        could_have_causes=results.complete
        and "causes" not in summary
        and summary.get("experiment", {}).get("workload", {}).get("kind") != "synthetic",
        packet=summary.get("engine") == "packet" and results.complete,
        # Samples were to be taken, and there is no complete part of them.
        no_part=not results.complete and "sample_interval" in summary.get("experiment", {}).get("output", {}),
        charts=pictures,
        experiment=json.dumps(summary.get("experiment", {}), indent=2, ensure_ascii=False),
        payload=as_json(payload),
        blobs=blobs.texts,
    )


def ways(results: Results, blobs: Blobs) -> dict[str, Any]:
    """Where ranks are, and the routes from node to node, as far as they are known; `machine.py` packs the rest."""
    ranks, routes = command.nodes_of_ranks(results), command.routes_of_nodes(results)
    links = [link for route in routes or [] for link in route]
    return {
        "rank_node": blobs.integers(ranks) if ranks else None,
        "route_lengths": blobs.integers([len(route) for route in routes]) if routes else None,
        "route_links": blobs.integers(links) if routes else None,
    }


def _busiest(links: machine.Links) -> list[int]:
    """The links with the highest utilization, the busiest first; equal ones by number."""
    utilization = machine.known(links.columns["utilization"])
    order = heapq.nsmallest(BUSIEST, range(len(utilization)), lambda link: (-utilization[link], link))
    return [link for link in order if utilization[link] > 0]


def _row(links: machine.Links, number: int, routes: command.Routes, time: float, kind: Words) -> LinkRow:
    values = {name: column[number] for name, column in links.columns.items()}

    def count(name: str) -> str:
        return "" if math.isnan(values[name]) else units.number(values[name])

    packets = values["packets"]
    waited = "" if math.isnan(packets) or packets == 0 else units.time(values["waited_ps"] / packets)
    return LinkRow(
        number=number,
        name=links.name[number],
        kind=kind,
        utilization=units.percent(values["utilization"]),
        bytes=units.data(values["bytes"]),
        throughput=units.rate(values["bytes"] / time * 1e12) if time else "",
        max_share=count("max_share"),
        waited=waited,
        max_queue=count("max_queue"),
        routes=routes.by_link.get(number, {}),
    )
