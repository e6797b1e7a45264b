"""Predicted and measured times, drawn."""

import json
from collections.abc import Sequence
from typing import Any

from validation.measured import Row
from validation.predictions import Validation
from validation.tables import jobs_of
from weir import _weir


def _draw(plots: list[dict[str, Any]]) -> str:
    return _weir.draw(json.dumps(plots))


def _series(
    name: str, kind: str, points: Sequence[tuple[float, float]], titles: list[str] | None = None
) -> dict[str, Any]:
    return {"name": name, "kind": kind, "points": points, "titles": titles or []}


def _percent(row: Row) -> str:
    return f"{row.name}: {100.0 * (row.ratio - 1.0):+.1f} %"


def scatter(found: Validation) -> str:
    """Predicted over measured times of the rows that count, with lines for equal times and a factor of two."""
    rows = [row for row in found.rows if row.counts]
    times = [time for row in rows for time in (row.seconds, row.predicted)]
    least, most = min(times), max(times)
    series = []
    for group in dict.fromkeys(row.operation for row in rows):
        of = [row for row in rows if row.operation == group]
        points = [(row.seconds, row.predicted) for row in of]
        series.append(_series(group, "points", points, [f"{row.job}, {_percent(row)}" for row in of]))
    series.append(_series("the same, twice, half", "formula", [(least, least), (most, most)]))
    if most > 2.0 * least:
        series.append(_series("", "formula", [(least, 2.0 * least), (most / 2.0, most)]))
        series.append(_series("", "formula", [(2.0 * least, least), (most, most / 2.0)]))
    x, y = (
        {"label": f"{what} time", "scale": "log", "unit": "seconds", "room": [least, most]}
        for what in ("measured", "predicted")
    )
    return _draw(
        [{"title": f"{found.study['title']}: predicted over measured times", "x": x, "y": y, "series": series}]
    )


def curves(found: Validation, collective: str) -> str | None:
    """Times over sizes of a collective, a plot for each job; `None` without rows that count."""
    rows = [row for row in found.rows if row.operation == collective]
    names = sorted({row.algorithm for row in rows if row.algorithm})
    sizes = [max(row.bytes, 1) for row in rows]
    times = [time for row in rows for time in (row.seconds, row.predicted)]
    plots = []
    for job in jobs_of(found):
        of_job = sorted((row for row in rows if row.job == job), key=lambda row: row.bytes)
        if not any(row.counts for row in of_job):
            continue
        series = []
        for name in names:
            of = [row for row in of_job if row.algorithm == name]
            points = [(max(row.bytes, 1), row.seconds) for row in of]
            series.append(_series(name, "points", points, [_percent(row) for row in of]))
            series.append(_series("", "through", [(max(row.bytes, 1), row.predicted) for row in of]))
        own = [(max(row.bytes, 1), row.seconds) for row in of_job if not row.counts]
        series.append(_series("the library's own choice", "published", own))
        plots.append(
            {
                "title": f"{collective}, {job}: dots are measured, lines predicted",
                "x": {"label": "size", "scale": "log", "unit": "bytes", "room": [min(sizes), max(sizes)]},
                "y": {"label": "time", "scale": "log", "unit": "seconds", "room": [min(times), max(times)]},
                "series": series,
            }
        )
    return _draw(plots) if plots else None
