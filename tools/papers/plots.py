"""Plots as SVG: the extension module of the package weir draws them, as it draws all pictures."""

import dataclasses
import json

from papers.values import Plot


def to_svg(plot: Plot) -> str:
    """The text of an SVG file."""
    from weir import _weir

    def axis(label: str, scale: str | list[str]) -> dict[str, object]:
        return {"label": label, "scale": {"names": scale} if isinstance(scale, list) else scale}

    described = dataclasses.asdict(plot) | {"x": axis(*plot.x), "y": axis(*plot.y)}
    svg: str = _weir.draw(json.dumps([described]))
    return svg
