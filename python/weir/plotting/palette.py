"""The colors of figures, light and dark: those of the pages."""

import re
from dataclasses import dataclass
from functools import cache

from weir import _weir


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
    # The dark ones stand behind the light ones.
    variables = re.findall(r":root \{(.*?)\n *\}", _weir.PALETTE, re.DOTALL)[dark]
    named = dict(re.findall(r"--([\w-]+): (#\w+);", variables))
    numbered = ([color for name, color in named.items() if name.startswith(kind)] for kind in ("run-", "scale-"))
    return Palette(named, *numbered)
