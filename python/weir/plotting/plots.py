"""The figures of one run, and what is missing where one cannot be drawn."""

from typing import TYPE_CHECKING, Any

from weir.errors import MissingTable
from weir.plotting.plot import Plot
from weir.report import causes, charts, congestion, machine, series
from weir.report.charts import Chart
from weir.report.machine import Links
from weir.report.packing import Blobs
from weir.report.page import ways
from weir.report.series import Series
from weir.report.texts import Words, words

if TYPE_CHECKING:
    from weir.results import Results

TOPOLOGY = "a [topology] in the experiment"
SAMPLES = 'output.sample_interval = "10 us"'


class Plots:
    """The figures of a run. See `Results.plot`.

    Each raises `MissingTable` if the run has not recorded what it draws: the hint names the key that has it recorded.
    """

    def __init__(self, results: "Results") -> None:
        """Reads nothing yet."""
        self._results = results

    def machine(self) -> Plot:
        """The machine with its links colored by how much they are used; with a slider if the run has samples."""
        links = self._links("machine")
        blobs = Blobs()
        drawing = machine.draw(self._results, links, blobs)
        drawing.payload.update(ways(self._results, blobs))
        return self._of("machine", words("picture"), drawing=drawing, blobs=blobs.texts)

    def over_time(self) -> Plot:
        """Utilization of links over simulated time, with latencies."""
        found = self._series(self._links("over_time"), "over_time")
        return self._plot("over_time", [charts.over_time(self._results, found)])

    def latencies(self) -> Plot:
        """How many packets or messages had which latency."""
        return self._plot("latencies", charts.latencies(self._results))

    def matrix(self) -> Plot:
        """Bytes from rank to rank."""
        return self._plot("matrix", [charts.matrix(self._results)])

    def congestion(self) -> Plot:
        """Where and when packets wait: links over time."""
        links = self._links("congestion")
        found = self._series(links, "congestion")
        if not self._results.complete:
            links = machine.so_far(links, found)
        summary = self._results.summary
        outcome, engine = (str(summary.get(key, "")) for key in ("outcome", "engine"))
        return self._plot("congestion", [congestion.chart(links, found, outcome, engine)])

    def causes(self) -> Plot:
        """Where the time went: the critical path and the time of all ranks, by cause."""
        summary = self._results.summary
        table = causes.table(summary)
        if table:
            return self._of("causes", words("causes"), causes=table)
        if "causes" in summary:
            raise self._nothing("causes")
        if summary.get("experiment", {}).get("workload", {}).get("kind") == "synthetic":
            raise self._missing("causes", "synthetic traffic has no ranks whose time could be divided")
        raise self._missing("causes", _recorded("output.causes = true"))

    def __repr__(self) -> str:
        """What there is."""
        names = ", ".join(name for name in dir(self) if not name.startswith("_"))
        return f"<weir.Plots of {self._results.path}: {names}>"

    def _plot(self, name: str, drawn: list[Chart]) -> Plot:
        """A figure of charts, all of which are of something."""
        for chart in drawn:
            if not chart.figure:
                raise self._missing(name, _recorded(chart.missing)) if chart.missing else self._nothing(name)
        title = drawn[0].title if len(drawn) == 1 else words("latency_chart")
        return self._of(name, title, charts=drawn)

    def _of(self, name: str, title: Words, **drawn: Any) -> Plot:
        results = self._results
        sampled = "sample_interval" in results.summary.get("experiment", {}).get("output", {})
        run = results.summary.get("title") or results.path.name
        return Plot(run, name, title, no_part=not results.complete and sampled, **drawn)

    def _links(self, name: str) -> Links:
        results = self._results
        if results.has("places") and results.has("links"):
            links = machine.read_links(results)
            if links.name:
                return links
        raise self._missing(name, _recorded(TOPOLOGY))

    def _series(self, links: Links, name: str) -> Series:
        found = series.read(self._results, links.capacity, links.wires, len(links.name))
        if found:
            return found
        experiment: dict[str, Any] = self._results.summary.get("experiment", {})
        if not self._results.complete and "sample_interval" in experiment.get("output", {}):
            raise self._missing(name, "the run has not completed a part of its samples; wait, or run it again")
        raise self._missing(name, _recorded(SAMPLES))

    def _nothing(self, name: str) -> MissingTable:
        problem = f"there is nothing to draw in the figure {name!r}: no message or packet has arrived"
        return MissingTable(self._results.path, problem, "run an experiment whose ranks exchange messages")

    def _missing(self, name: str, hint: str) -> MissingTable:
        if not self._results.complete and name in ("latencies", "matrix", "causes"):
            hint = f"the run has not ended, when this is written; {hint}"
        return MissingTable(self._results.path, f"the run has not recorded what the figure {name!r} draws", hint)


def _recorded(setting: str | None) -> str:
    return f"run the experiment again; what has it recorded: {setting}"
