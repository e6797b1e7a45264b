"""Where and when packets wait: a heat map of links over time."""

import math

from weir.report import units
from weir.report.charts import Chart
from weir.report.figure import Figure
from weir.report.machine import Links, known, unknown
from weir.report.series import Series
from weir.report.texts import Words, words

#: Most rows of the heat map.
ROWS = 24


def chart(links: Links | None, found: Series | None, outcome: str = "finished", engine: str = "packet") -> Chart:
    """The links with most packets in their buffers, in the order in which these fill; where there are no buffers, the
    busiest links.
    """
    title = words("congestion_chart")
    if links is None or found is None:
        return Chart("congestion", title, "", {}, missing='output.sample_interval = "10 us"')
    packets = "buffers" in found.quantities
    rows = _rows(found, packets, [kind == "network" for kind in links.kind])
    if not rows:
        return Chart("congestion", title, "", {})
    scale, unit = units.time_unit(found.end)
    edges = [edge / scale for edge in (*found.starts, found.end)]
    figure = Figure()
    figure.add_heatmap(
        x=edges,
        # Routers of a grid are known by their coordinates alone.
        y=[links.name[link].replace("router (", "(").replace("->", "→") for link in rows],
        z=list(rows.values()),
        zmin=0,
        hovertemplate="%{y}<br>%{x}: %{z:.3g}<extra></extra>",
        colorbar={"thickness": 12},
    )
    figure.update_yaxes(autorange="reversed", automargin=True, type="category", dtick=1)
    texts = {
        "xaxis.title.text": words("axis_time", unit=unit),
        "0.colorbar.title.text": words("axis_packets" if packets else "axis_utilization"),
    }
    return Chart("congestion", title, figure.to_json(), texts, _note(links, packets, outcome, engine))


def _rows(found: Series, packets: bool, between: list[bool]) -> dict[int, list[float]]:
    """The links with the largest sums over time, by the first picture in which they have half of their most: packets in
    buffers, or else per cent of what a link can carry.

    Buffers in which nodes put packets are full whenever something behind them is: links between routers go before them.
    """
    quantity, most, scale = ("buffers", math.inf, 1) if packets else ("utilization", 1.0, 100)
    total = found.totals(quantity, most)
    inner = [one if inside else 0.0 for one, inside in zip(total, between, strict=True)]
    total = inner if any(inner) else total
    order = sorted(range(len(total)), key=lambda link: (-total[link], link))[:ROWS]
    chosen = [link for link in order if total[link] > 0]
    values = {
        link: [scale * min(value, most) for value in row]
        for link, row in zip(chosen, found.of_links(quantity, chosen), strict=True)
    }

    def filled(link: int) -> int:
        row = values[link]
        return next(picture for picture, value in enumerate(row) if value >= max(row) / 2)

    return {link: values[link] for link in sorted(chosen, key=filled)}


def _note(links: Links, packets: bool, outcome: str, engine: str) -> Words:
    if not packets:
        return words("congestion_note_links" if engine == "packet" else "congestion_note_flow")
    if unknown(links.columns["waited_ps"]):
        return words("congestion_note_unknown")
    waited = known(links.columns["waited_ps"])
    link = waited.index(max(waited))
    if waited[link] == 0:
        return words("congestion_note_none" if outcome == "finished" else "congestion_note_unfinished")
    mean = waited[link] / links.columns["packets"][link]
    return words(
        "congestion_note_packet",
        link=links.name[link],
        all=units.time(waited[link]),
        mean=units.time(mean),
    )
