"""The machine as a picture without a browser: dots and lines in the colors of their levels, as `machine.js` draws them.

Links are on the right of their direction; those that go around the machine are two stubs. See `report/machine.py` for
the arrays.
"""

import base64
import gzip
import math
from collections.abc import Callable, Sequence
from typing import Any

from weir.extras import needed
from weir.plotting.palette import Palette
from weir.plotting.picture import Look, drawn
from weir.report import units
from weir.report.machine import LEVELS
from weir.report.texts import Words, words

#: Points: the width, the least and the largest height of the drawing, what is left free around it, and the scale.
WIDTH, LEAST, MOST, ROOM, SCALE = 1000, 260, 620, 26, 60
#: Radians by which three dimensions are turned and tilted.
YAW, PITCH = 0.42, 0.36


def of_machines(
    machines: Sequence[tuple[str, dict[str, Any]]], blobs: list[str], interval: int | None, look: Look
) -> bytes:
    """Machines with their titles, below each other and on one scale, of the whole run or of an interval of samples."""
    # It brings numpy.
    needed("matplotlib", "a picture of a machine")
    pictures = [_Picture(title, payload, blobs, interval) for title, payload in machines]
    most = max(picture.most for picture in pictures)
    for picture in pictures:
        picture.most = most
    return drawn([((WIDTH, round(picture.height) + SCALE), picture.paint) for picture in pictures], look)


class _Picture:
    """Places on a plane, in points, and levels of color."""

    def __init__(self, title: str, payload: dict[str, Any], blobs: list[str], interval: int | None) -> None:
        self.title, self.model, self.blobs, self.interval = title, payload, blobs, interval
        #: What colors stand for: its largest value here, and the one at the end of the scale.
        self.shown = payload["quantities"][0]
        self.top = self.shown["whole_top" if interval is None else "top"]
        self.most = 1.0 if self.shown["percent"] else self.top
        self.numpy = np = needed("numpy", "a picture of a machine")
        x, y, z = self._integers("positions").reshape(3, -1).astype(float)
        if payload["dimensions"] == 3:
            x, y, z = (axis - axis.max() / 2 for axis in (x, y, z))
            deep = x * math.sin(YAW) + y * math.cos(YAW)
            x, y = x * math.cos(YAW) - y * math.sin(YAW), -(z * math.cos(PITCH) + deep * math.sin(PITCH))
        self.around = self._bytes(payload["around"]).astype(bool)
        # Stubs reach out of the grid by not quite half a step.
        rim = payload["unit"] if self.around.any() else 0
        wide, high = np.ptp(x) + rim or 1, np.ptp(y) + rim or 1
        self.height = max(LEAST, min(MOST, WIDTH * high / wide + SCALE))
        self.scale = min((WIDTH - 2 * ROOM) / wide, (self.height - 2 * ROOM) / high)
        middle = [(one.min() + one.max()) / 2 for one in (x, y)]
        self.x = WIDTH / 2 + (x - middle[0]) * self.scale
        self.y = self.height / 2 + (y - middle[1]) * self.scale
        self.step = payload["unit"] * self.scale

    def _bytes(self, blob: int) -> Any:
        content = gzip.decompress(base64.b64decode(self.blobs[blob]))
        return self.numpy.frombuffer(content, self.numpy.uint8)

    def _integers(self, name: str) -> Any:
        """What `Blobs.integers` has packed."""
        planes = self._bytes(self.model[name]).reshape(4, -1)
        steps = self.numpy.ascontiguousarray(planes.T).view("<u4")[:, 0]
        return self.numpy.cumsum(steps, dtype=self.numpy.uint32).view(self.numpy.int32)

    def paint(self, axes: Any, colors: Palette, said: Callable[[Words], str]) -> None:
        np = self.numpy
        matplotlib = needed("matplotlib.collections", "a picture of a machine")
        named, cm = (needed(f"matplotlib.{name}", "a picture of a machine") for name in ("colors", "cm"))
        axes.set(xlim=(0, WIDTH), ylim=(self.height, 0), aspect="equal")
        axes.axis("off")
        axes.set_title(self.title, fontsize=10)
        values = self.shown["whole"] if self.interval is None else self.shown["frames"][self.interval]
        part = self.top / self.most if self.most else 0
        levels, dots = (np.ceil(self._bytes(blob) * part).astype(int) for blob in values)
        scale = named.LinearSegmentedColormap.from_list("weir", colors.scale, LEVELS + 1)
        most = max(levels.max(initial=0), dots.max(initial=0))
        is_clear = self.model["dimensions"] == 3 and most

        def tints(of: Any) -> Any:
            found = scale(of)
            # In space what is quiet is see-through, so that it does not hide what is busy behind it.
            found[:, 3] = 0.15 + 0.85 * of / most if is_clear else 1
            return found

        lines, of_link = self._lines(levels)
        width = 0.72 * max(0.7, min(5, self.step * 0.07))
        axes.add_collection(matplotlib.LineCollection(lines, colors=tints(levels[of_link]), linewidths=width))
        radius = max(3 if self.model["places"] < 1000 else 1, min(10, self.step * 0.2))
        sizes = np.where(self._bytes(self.model["nodes"]), max(0.7, radius * 0.62), radius)
        order = np.argsort(dots, kind="stable")
        area = (2 * 0.72 * sizes[order]) ** 2
        axes.scatter(self.x[order], self.y[order], area, tints(dots[order]), linewidths=0, zorder=2)
        self._names(axes, colors, said)
        self._scale(axes, cm.ScalarMappable(cmap=scale), said)

    def _lines(self, levels: Any) -> tuple[Any, Any]:
        """The ends of lines, quiet ones first, and of which link each is: the busiest, if there are too many."""
        np = self.numpy
        number, dot = self._integers("number"), self._integers("dot")
        chosen = np.argsort(levels, kind="stable")[-self.model["most_lines"] :]
        begin, end = (dot[self._integers(name)[number[chosen]]] for name in ("from", "to"))
        one, other = (np.stack([self.x[at], self.y[at]], axis=1) for at in (begin, end))
        along = other - one
        length = np.maximum(np.hypot(*along.T), 1e-9)[:, None]
        aside = np.stack([-along[:, 1], along[:, 0]], axis=1) / length * max(0.6, min(4, self.step * 0.06))
        reach = -0.45 * self.step * along / length
        is_stub = self.around[chosen]
        through = ~is_stub
        lines = [
            np.stack([one[through] + aside[through], other[through] + aside[through]], axis=1),
            np.stack([one - aside, one + reach - aside], axis=1)[is_stub],
            np.stack([other - reach - aside, other - aside], axis=1)[is_stub],
        ]
        links = np.concatenate([chosen[through], chosen[is_stub], chosen[is_stub]])
        together = np.concatenate(lines)
        order = np.argsort(levels[links], kind="stable")
        return together[order], links[order]

    def _names(self, axes: Any, colors: Palette, said: Callable[[Words], str]) -> None:
        """Outlines of groups with their names, and names of levels."""
        style = {"color": colors.named["quiet"], "fontsize": 8}
        positions = self._integers("positions")[self.model["places"] :]
        for level in self.model["levels"]:
            height = self.y[self.numpy.argmin(abs(positions[: self.model["places"]] - level["y"]))]
            axes.text(4, height, said(Words(*level["name"])), va="center", **style)
        if not self.model["groups"]:
            return
        of = self._integers("group")
        room = 0.3 * self.step
        for number, name in enumerate(self.model["groups"]):
            x, y = self.x[of == number], self.y[of == number]
            if not len(x):
                continue
            corner, wide = (x.min() - room, y.min() - room), self.numpy.ptp(x) + 2 * room
            edges = [corner[0], corner[0] + wide], [corner[1], y.max() + room]
            outline = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)]
            path = [(edges[0][right], edges[1][down]) for right, down in outline]
            axes.plot(*zip(*path, strict=True), color=colors.named["line"], linewidth=0.8, zorder=0)
            if wide > 6 * len(said(Words(*name))):
                axes.text(corner[0] + 2, corner[1] - 3, said(Words(*name)), **style)

    def _scale(self, axes: Any, colors: Any, said: Callable[[Words], str]) -> None:
        starts = self.model["starts"]
        title = said(words(self.shown["key"]))
        if starts:
            scale, unit = units.time_unit(self.model["finish"])
            edges = [*starts, self.model["finish"]]
            ends = (edges[0], edges[-1]) if self.interval is None else edges[self.interval : self.interval + 2]
            title += f", {ends[0] / scale:.4g} – {ends[1] / scale:.4g} {unit}"
        bar = axes.figure.colorbar(colors, ax=axes, orientation="horizontal", shrink=0.3, aspect=24, pad=0.01)
        bar.set_ticks([0, 1], labels=["0", units.percent(self.most) if self.shown["percent"] else f"{self.most:.3g}"])
        bar.set_label(title)
        bar.outline.set_visible(False)
