"""One figure of a run: in a notebook, or as a page."""

import html
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

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
        """Writes the page, whole or not at all.

        Raises `ValueError` for a name that does not end with `.html`, and `OSError` if it cannot be written.
        """
        target = Path(path)
        if target.suffix != ".html":
            problem = f"{target}: a figure is written as .html, not as {target.suffix or 'a file without an ending'}"
            hint = "the page has buttons that save the figure as PNG, SVG and CSV"
            raise ValueError(f"{problem}\n\nhint: {hint}")
        return write_whole(target, self.html(language))

    def _repr_html_(self) -> str:
        """The page in a frame, for notebooks."""
        inside = html.escape(self.html())
        height = HEIGHTS[self.name] * max(1, len(self.charts))
        title = html.escape(self.title.en)
        return (
            f'<iframe class="weir-plot" title="{title}" srcdoc="{inside}" width="100%" height="{height}" '
            f'style="border: 0; display: block"></iframe>'
        )
