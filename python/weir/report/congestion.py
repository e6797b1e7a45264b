"""Where and when packets wait: a heat map of links over time."""

import numpy as np
import numpy.typing as npt

from weir.report import units
from weir.report.charts import Chart
from weir.report.figure import Figure
from weir.report.machine import Links
from weir.report.series import Series
from weir.report.texts import Words, words

Floats = npt.NDArray[np.float64]

#: Most rows of the heat map.
ROWS = 24


def chart(links: Links | None, found: Series | None, outcome: str = "finished", engine: str = "packet") -> Chart:
    """The links with most packets in their buffers, in the order in which these fill; where there are no buffers, the
    busiest links.
    """
    title = words("congestion_chart")
    if links is None or found is None:
        return Chart("congestion", title, "", {}, missing='output.sample_interval = "10 us"')
    packets = "buffers" in found.values
    values = found.values["buffers"] if packets else 100 * np.minimum(found.values["utilization"], 1)
    rows = _rows(values, found.lengths, np.array(links.kind) == "network")
    if not rows:
        return Chart("congestion", title, "", {})
    scale, unit = units.time_unit(found.end)
    edges = np.append(found.starts, found.end) / scale
    figure = Figure()
    figure.add_heatmap(
        x=edges,
        y=[links.name[link] for link in rows],
        z=values[:, rows].T.astype(np.float32),
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


def _rows(values: Floats, lengths: Floats, between: npt.NDArray[np.bool_]) -> list[int]:
    """The links with the largest sums over time, by the first picture in which they have half of their most.

    Buffers in which nodes put packets are full whenever something behind them is: links between routers go before them.
    """
    total = lengths @ values
    total = np.where(between, total, 0) if total[between].any() else total
    order = np.lexsort((np.arange(len(total)), -total))[:ROWS]
    chosen = order[total[order] > 0]
    first = np.argmax(values[:, chosen] >= values[:, chosen].max(axis=0) / 2, axis=0)
    return [int(link) for link in chosen[np.argsort(first, kind="stable")]]


def _note(links: Links, packets: bool, outcome: str, engine: str) -> Words:
    if not packets:
        return words("congestion_note_links" if engine == "packet" else "congestion_note_flow")
    if np.isnan(links.columns["waited_ps"]).all():
        return words("congestion_note_unknown")
    waited = np.nan_to_num(links.columns["waited_ps"])
    link = int(waited.argmax())
    if waited[link] == 0:
        return words("congestion_note_none" if outcome == "finished" else "congestion_note_unfinished")
    mean = waited[link] / links.columns["packets"][link]
    return words(
        "congestion_note_packet",
        link=links.name[link],
        all=units.time(float(waited[link])),
        mean=units.time(float(mean)),
    )
