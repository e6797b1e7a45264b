"""One figure of a run: in a notebook, or as a page."""

import html
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

from weir import arguments
from weir.plotting import machine, picture
from weir.report.causes import CausesTable
from weir.report.charts import Chart
from weir.report.machine import Drawing
from weir.report.page import Language
from weir.report.parts import write_whole
from weir.report.texts import Words

#: Pixels of a frame in a notebook, by figure; its page makes it higher if it has to.
HEIGHTS = {
    "machine": 720,
    "over_time": 460,
    "latencies": 470,
    "matrix": 700,
    "congestion": 700,
    "causes": 480,
    "sweep": 480,
}


@dataclass(frozen=True, repr=False)
class Plot:
    """A figure. Notebooks show it; `write` makes a file of it. See `Results.plot`."""

    #: The title of the run.
    run: str
    #: What the function is called that drew it.
    name: str
    title: Words
    charts: list[Chart] = field(default_factory=list)
    drawing: Drawing | None = None
    #: Arrays of `drawing`.
    blobs: list[str] = field(default_factory=list)
    causes: CausesTable | None = None
    #: Whether a run that has not ended has left no samples, though it was to take some.
    no_part: bool = False

    def __repr__(self) -> str:
        """What it draws, and of which run."""
        return f"<weir.Plot {self.name} of {self.run}>"

    def html(self, language: Language = Language.ENGLISH) -> str:
        """The figure as a page: one file, which opens without a network."""
        from weir.plotting import page

        return page.render(self, language)

    def write(
        self,
        path: str | Path,
        language: Language = Language.ENGLISH,
        *,
        dark: bool = False,
        at_ps: int | None = None,
    ) -> Path:
        """Writes the figure, whole or not at all: as `.html` its page, as `.svg`, `.png` or `.pdf` a picture.

        Pictures are drawn by matplotlib, which must be installed. They are light or `dark`, and show the whole run; of
        the machine, if the run has samples, with `at_ps` the interval that an instant is in (picoseconds of simulated
        time, 0 to the end).

        Raises `ValueError` for a name that ends otherwise, for an instant that the figure does not have, and for either
        option with a page, which has both by itself; `MissingPackage`, and `OSError` if the file cannot be written.
        """
        target = Path(arguments.path("path", path))
        if target.suffix == ".html":
            if dark or at_ps is not None:
                what = "dark" if dark else "at_ps"
                hint = "a page is light or dark as its reader's system is, and has a slider; write .svg or .png"
                raise ValueError(f"{target}: {what} is for pictures\n\nhint: {hint}")
            return write_whole(target, self.html(language))
        if target.suffix in picture.FORMS:
            interval = None if at_ps is None else self._interval(at_ps)
            look = picture.Look(target.suffix[1:], dark, language is Language.JAPANESE)
            return write_whole(target, self._picture(look, interval))
        ending = target.suffix or "a file without an ending"
        problem = f"{target}: a figure is written as .html, .svg, .png or .pdf, not as {ending}"
        raise ValueError(f"{problem}\n\nhint: .html saves its data as CSV, too")

    def _picture(self, look: picture.Look, interval: int | None) -> bytes:
        if self.drawing:
            return machine.of_machines([("", self.drawing.payload)], self.blobs, interval, look)
        return picture.of_causes(self.causes, look) if self.causes else picture.of_charts(self.charts, look)

    def _interval(self, at_ps: int) -> int:
        """The number of the interval of the machine's samples that an instant is in."""
        payload = self.drawing.payload if self.drawing else {}
        starts = payload.get("starts", [])
        if not starts:
            hint = 'the machine of a run with output.sample_interval = "10 us" does; without at_ps it is the whole run'
            raise ValueError(f"at_ps = {at_ps}: the figure {self.name!r} has no intervals\n\nhint: {hint}")
        first, finish = starts[0], payload["finish"]
        if not first <= at_ps <= finish:
            raise ValueError(
                f"at_ps = {at_ps}: samples are from {first} to {finish} ps\n\nhint: give an instant of them"
            )
        return bisect_right(starts, at_ps) - 1

    def _repr_html_(self) -> str:
        """The page in a frame, for notebooks."""
        inside = html.escape(self.html())
        height = HEIGHTS[self.name] * max(1, len(self.charts))
        title = html.escape(self.title.en)
        return (
            f'<iframe class="weir-plot" title="{title}" srcdoc="{inside}" width="100%" height="{height}" '
            f'style="border: 0; display: block"></iframe>'
        )
