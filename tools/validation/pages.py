"""Validations as files: a page for each study, its figures and its rows, and a page of all."""

import csv
import io
from pathlib import Path
from typing import Any

from validation import figures, tables
from validation.measured import Row
from validation.predictions import Validation
from validation.study import Mistake
from validation.tables import Table
from weir import _weir

#: What an error is, once for all pages.
ERROR = (
    "An error is |predicted / measured - 1|: half as long is an error of 50 %, twice as long one of 100 %. The median "
    "and the error that nine of ten rows are within are those of rows, each counted once. Times are medians of many "
    "repetitions, unless a page says otherwise."
)
#: Tables of the terminal, in their order.
PRINTED = (
    tables.targets,
    tables.jobs,
    tables.collectives,
    tables.best,
    tables.missed,
    tables.ablations,
    tables.values,
    tables.times,
    tables.left_out,
)
#: Tables of a page below its figures.
BELOW = (tables.best, tables.missed, tables.ablations, tables.values, tables.algorithms, tables.times, tables.left_out)
HEAD = ["line", "job", "collective", "algorithm", "bytes", "measured_ns", "measured_is", "predicted_ns"]
HEAD += ["predicted_over_measured", "error", "factor", "fitted_to", "left_out"]


def write(found: list[Validation], overview: bool, built_from: str | None, folder: Path) -> list[Path]:
    """Writes the files into the folder, with `overview` also `README.md` for all; returns the pages.

    Raises `Mistake` where a file cannot be written, or the notes of a study cannot be read.
    """
    pages = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for one in found:
            name = one.study["name"]
            pictures = {f"{name}.svg": figures.scatter(one)}
            for collective in tables.collectives_of(one):
                if drawn := figures.curves(one, collective):
                    pictures[f"{name}-{collective}.svg"] = drawn
            notes = one.study["notes"].read_text(encoding="utf-8") if one.study["notes"] else ""
            page = _page(one, list(pictures), notes.strip(), built_from)
            for file, text in {**pictures, f"{name}.csv": to_csv(one), f"{name}.md": page}.items():
                (folder / file).write_text(text, encoding="utf-8")
            pages.append(folder / f"{name}.md")
        if overview:
            (folder / "README.md").write_text(_all(found, built_from), encoding="utf-8")
            pages.append(folder / "README.md")
    except OSError as error:
        raise Mistake(f"{error.filename}: {error.strerror}") from error
    return pages


def markdown(table: Table) -> str:
    """A table as Markdown; nothing for one without rows."""
    if not table.rows:
        return ""
    lines = [" | ".join(field.replace("|", "\\|") for field in row) for row in (table.head, *table.rows)]
    text = f"{table.text}\n\n" if table.text else ""
    head, *rows = [f"| {line} |\n" for line in lines]
    return f"## {table.title}\n\n{text}{head}|{'---|' * len(table.head)}\n{''.join(rows)}\n"


def _made(built_from: str | None) -> str:
    commit = f", built from {built_from}" if built_from else ""
    return f"Made by `make validate` of weir {_weir.__version__}{commit}; not to be edited."


def _page(found: Validation, pictures: list[str], notes: str, built_from: str | None) -> str:
    study, name = found.study, found.study["name"]
    data = study["data"].name
    parts = [
        f"# {study['title']}: predicted and measured",
        _made(built_from),
        study["about"].strip(),
        f"- Measured: {study['source']} ([`{data}`](../../validation/{data}))\n"
        f"- Machine file: `{study['machine'].name}`, as it ships\n"
        f"- Every row, predicted and measured: [`{name}.csv`]({name}.csv)",
        ERROR,
        markdown(tables.targets(found)).rstrip(),
        notes,
        markdown(tables.jobs(found)).rstrip(),
        markdown(tables.collectives(found)).rstrip(),
        "## Pictures",
        *(f"![{picture}]({picture})" for picture in pictures),
        *(markdown(table(found)).rstrip() for table in BELOW),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _all(found: list[Validation], built_from: str | None) -> str:
    parts = [
        "# Predicted and measured",
        _made(built_from),
        "What weir predicts beside what was measured on real machines, with machine files that were fitted to a few of "
        "the rows. `make validate` makes these pages; the measured times and the studies are in "
        "[`validation`](../../validation/README.md).",
        ERROR,
    ]
    for one in found:
        parts.append(f"## [{one.study['title']}]({one.study['name']}.md)")
        for table in (tables.targets, tables.jobs):
            parts.append(markdown(table(one)).replace("## ", "### ").rstrip())
    return "\n\n".join(part for part in parts if part) + "\n"


def to_csv(found: Validation) -> str:
    """All rows: `error` is |predicted / measured - 1|, `factor` the ratio or its inverse, whichever is above 1."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows(_fields(row) for row in found.rows)
    for reason, lines in sorted(found.left_out.items()):
        writer.writerows([line, *[""] * (len(HEAD) - 2), reason] for line in lines)
    return out.getvalue()


def frozen(found: Validation) -> str:
    """The predicted times of rows that nothing was fitted to, without the measured ones."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["line", "job", "collective", "algorithm", "bytes", "predicted_ns"])
    for row in filter(lambda row: row.is_judged, found.rows):
        times = f"{1e9 * row.predicted:.0f}"
        writer.writerow([row.line, row.job, row.operation, row.algorithm, row.bytes, times])
    return out.getvalue()


def _fields(row: Row) -> list[Any]:
    fitted = "yes" if row.calibrates else " ".join(row.chosen) or "no"
    numbers = [f"{number:.4f}" for number in (row.ratio, row.error, max(row.ratio, 1.0 / row.ratio))]
    times = [f"{1e9 * row.seconds:.0f}", row.time_is, f"{1e9 * row.predicted:.0f}"]
    own = "" if row.counts else "the library's own choice"
    return [row.line, row.job, row.operation, row.algorithm or "default", row.bytes, *times, *numbers, fitted, own]


def to_text(found: Validation) -> str:
    """All tables but that of each algorithm, which the page has."""
    parts = [f"{found.study['title']}: {found.study['source']}\n"]
    for table in (of(found) for of in PRINTED):
        if table.rows:
            parts.append(f"{table.title}\n{aligned([table.head, *table.rows])}")
    return "\n".join(parts)


def aligned(rows: list[list[str]]) -> str:
    """Rows as text, each column as wide as its widest field."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = ("  ".join(f"{field:{width}}" for field, width in zip(row, widths, strict=True)) for row in rows)
    return "".join(f"  {line.rstrip()}\n" for line in lines)


def to_json(found: Validation) -> dict[str, Any]:
    """Targets, groups (job and sizes), choices, rows and what is left out."""
    groups = []
    for job in tables.jobs_of(found):
        for _, start in tables.sizes_of(found):
            if of := tables.tally(row.error for row in tables.counted(found, job, None, start)):
                groups.append({"job": job, "from_bytes": start, **of._asdict()})
    goals = ("at_most", "within", "at_least")
    targets = [
        {
            "name": one.target["name"],
            "goal": {"kind": one.target["goal"], **{key: one.target[key] for key in goals if key in one.target}},
            "of": one.of,
            "value": one.value,
            "met": one.is_met,
        }
        for one in tables.reached(found)
    ]
    rows = [
        {
            "line": row.line,
            "job": row.job,
            "collective": row.operation,
            "algorithm": row.algorithm,
            "bytes": row.bytes,
            "measured_s": row.seconds,
            "measured_is": row.time_is,
            "predicted_s": row.predicted,
            "error": row.error,
            "fitted_to": row.calibrates,
            "counts": row.counts,
        }
        for row in found.rows
    ]
    choices = [choice._asdict() for choice in tables.choices(found.rows)]
    return {
        "schema_version": 1,
        "study": found.study["name"],
        "targets": targets,
        "groups": groups,
        "choices": [{**choice, "takes_longer_by": choice.pop("loss") - 1.0} for choice in choices],
        "rows": rows,
        "left_out": [{"reason": reason, "lines": lines} for reason, lines in sorted(found.left_out.items())],
    }
