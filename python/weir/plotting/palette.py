"""The colors of figures, light and dark: those of the pages, read from what the pages have."""

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Palette:
    """Colors as `#rrggbb`."""

    #: By name: `paper`, `ink`, `quiet`, `line`, and causes, as in `late-sender`.
    named: dict[str, str]
    #: Of lines and bars, in their order.
    lines: list[str]
    #: From the least value to the largest.
    scale: list[str]


@cache
def palette(dark: bool) -> Palette:
    """The colors of a page in the one mode or the other."""
    style, charts = (
        resources.files("weir.report").joinpath("assets", name).read_text(encoding="utf-8")
        for name in ("style.css", "charts.js")
    )
    # The dark ones stand behind the light ones in both.
    variables = re.findall(r":root \{(.*?)\n *\}", style, re.DOTALL)[dark]
    lines = re.findall(r"(?:light|dark): \[(.*?)\]", charts)[dark]
    scale = re.findall(r"--scale: linear-gradient\(to right, (.*?)\)", variables)[0]
    return Palette(
        dict(re.findall(r"--([\w-]+): (#\w+);", variables)), re.findall(r"#\w+", lines), re.findall(r"#\w+", scale)
    )
