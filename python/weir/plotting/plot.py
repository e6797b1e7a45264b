"""One figure of a run: in a notebook, or as a page."""

import html
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from weir.plotting import browser
from weir.report.causes import CausesTable
from weir.report.charts import Chart
from weir.report.machine import Drawing
from weir.report.page import Language
from weir.report.parts import write_whole
from weir.report.texts import Words

if TYPE_CHECKING:
    from weir.results import Results

#: Pixels of a frame in a notebook, by figure; its page makes it higher if it has to.
HEIGHTS = {"machine": 720, "over_time": 460, "latencies": 470, "matrix": 700, "congestion": 700, "causes": 480}


@dataclass(frozen=True)
class Plot:
    """A figure. Notebooks show it; `write` makes a file of it. See `Results.plot`."""

    results: "Results" = field(repr=False)
    #: What the function is called that drew it.
    name: str
    title: Words = field(repr=False)
    charts: list[Chart] = field(default_factory=list, repr=False)
    drawing: Drawing | None = field(default=None, repr=False)
    #: Arrays of `drawing`.
    blobs: list[str] = field(default_factory=list, repr=False)
    causes: CausesTable | None = field(default=None, repr=False)

    def html(self, language: Language = Language.ENGLISH) -> str:
        """The figure as a page: one file, which opens without a network."""
        from weir.plotting import page

        return page.render(self, language)

    def write(self, path: str | Path, language: Language = Language.ENGLISH) -> Path:
        """Writes the figure, whole or not at all: as `.html` its page, as `.svg` and `.png` what this page saves.

        Pictures are drawn by Chromium, Chrome or Edge, without a window: the first on the PATH, or what the environment
        variable WEIR_BROWSER names. They show the whole run.

        Raises `ValueError` for a name that ends otherwise, `BrowserNotFound`, `BrowserError`, and `OSError` if the file
        cannot be written.
        """
        target = Path(path)
        if target.suffix == ".html":
            return write_whole(target, self.html(language))
        if target.suffix in browser.FORMS:
            return write_whole(target, self._picture(target.suffix[1:], language))
        ending = target.suffix or "a file without an ending"
        problem = f"{target}: a figure is written as .html, .svg or .png, not as {ending}"
        raise ValueError(f"{problem}\n\nhint: .html needs no browser to write it, and saves its data as CSV")

    def _picture(self, form: str, language: Language) -> bytes:
        """What the buttons of the page save, of all its charts together."""
        keys = [chart.key for chart in self.charts] or [self.name]
        return browser.picture(self.html(language), keys, form)

    def _repr_html_(self) -> str:
        """The page in a frame, for notebooks."""
        inside = html.escape(self.html())
        height = HEIGHTS[self.name] * max(1, len(self.charts))
        title = html.escape(self.title.en)
        return (
            f'<iframe class="weir-plot" title="{title}" srcdoc="{inside}" width="100%" height="{height}" '
            f'style="border: 0; display: block"></iframe>'
        )
