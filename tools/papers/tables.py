"""A comparison as text, CSV and Markdown, and all of them in one table."""

from collections.abc import Iterable, Sequence

from papers.numbers import percent, plain, shown
from papers.values import KINDS, OF_THE_PAPER, Comparison, Row

CSV_COLUMNS = ["x", "what", "unit", "kind", "target", "own", "difference", "tolerance", "verdict", "source", "why"]
#: Columns of the table of all items.
COLUMNS = ["paper", "item", "at", "value", "kind", "target", "own", "difference", "tolerance", "verdict"]


def aligned(rows: Sequence[Sequence[str]], left: Iterable[int]) -> list[str]:
    """The rows as lines of a table; columns of `left` begin at the left, the others end at the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = ["<" if column in left else ">" for column in range(len(widths))]
    line = [[f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True)] for row in rows]
    return ["  ".join(cells).rstrip() for cells in line]


def cells(row: Row) -> list[str]:
    """x, value, kind, target, own, difference, tolerance, verdict."""
    tolerance = ""
    if row.target and row.target.part is not None:
        tolerance = "exact" if row.target.is_exact else f"{shown(100.0 * row.target.part)} %"
    return [
        row.x,
        f"{row.what} [{row.unit}]" if row.unit else row.what,
        row.kind,
        row.target.text() if row.target else "",
        row.absence if row.own is None else shown(row.own),
        "" if row.difference is None else percent(row.difference),
        tolerance,
        row.verdict,
    ]


def table(found: Comparison) -> list[list[str]]:
    """The names of the columns, then the rows."""
    return [[found.x, "value", *COLUMNS[4:]], *map(cells, found.rows)]


def to_text(found: Comparison) -> str:
    """The table and the notes as aligned text."""
    lines = aligned(table(found), (1, 2, 6, 7)) + [f"note: {note}" for note in found.all_notes]
    return f"paper {found.paper}, {found.item}: {found.title}\n" + "".join(f"  {line}\n" for line in lines)


def to_csv(found: Comparison) -> str:
    """The table as CSV (RFC 4180, but lines end with a line feed), numbers in full."""
    lines = [",".join(CSV_COLUMNS)]
    for row in found.rows:
        numbers = [row.own, row.difference, row.target.part if row.target else None]
        own, difference, tolerance = ("" if number is None else plain(number) for number in numbers)
        target = row.target.text(in_full=True) if row.target else ""
        values = [
            row.x,
            row.what,
            row.unit,
            row.kind,
            target,
            own,
            difference,
            tolerance,
            row.verdict,
            row.source,
            row.why or "",
        ]
        lines.append(",".join(map(_quoted, values)))
    return "\n".join(lines) + "\n"


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if any(letter in cell for letter in ',"\n') else cell


def _of_page(row: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n"


def to_markdown(found: Comparison) -> str:
    """Title, plots, table and notes as a part of a Markdown page, which lies beside the plots."""
    head, *rows = map(_of_page, table(found))
    return "".join(
        [
            f"## Paper {found.paper}, {found.item}: {found.title}\n\n",
            *(f"![{plot.title}]({plot.name}.svg)\n\n" for plot in found.plots),
            head,
            "|--:|---|---|--:|--:|--:|---|---|\n",
            *rows,
            *(f"\n- {note}" for note in found.all_notes),
            "\n",
        ]
    )


class Part:
    """A comparison's share of the table of all items: lines, and counts of values by kind and verdict."""

    def __init__(self, lines: list[list[str]], counts: list[list[int]]) -> None:
        """Takes lines as wide as `COLUMNS`, and for each of `KINDS` the values within, outside, and not judged."""
        assert all(len(line) == len(COLUMNS) for line in lines), "a line has all columns"
        assert [len(count) for count in counts] == [3] * len(KINDS), "every kind has its counts"
        self.lines, self.counts = lines, counts

    @classmethod
    def of(cls, found: Comparison) -> "Part":
        """The part of a comparison."""
        part = cls([], [[0, 0, 0] for _ in KINDS])
        for row in found.rows:
            if row.target is not None:
                x, *rest = cells(row)
                at = x if x == "all" else f"{x} {found.x}"
                part.lines.append([found.paper, found.item, at, *rest])
                place = {"yes": 0, "not judged": 2}.get(row.verdict, 1)
                part.counts[list(KINDS).index(row.kind)][place] += 1
        return part


def totals(parts: Sequence[Part]) -> list[str]:
    """For each kind how many values are as they should be."""
    lines = []
    for place, (kind, title) in enumerate(KINDS.items()):
        within, outside, not_judged = (sum(part.counts[place][which] for part in parts) for which in range(3))
        good, bad = ("reproduced", "not reproduced") if kind in OF_THE_PAPER else ("agree", "disagree")
        beside = f"; {not_judged} shown, not judged" if not_judged else ""
        lines.append(f"{title}: {within} of {within + outside} {good}, {outside} {bad}{beside}")
    return lines


def overview(parts: Sequence[Part]) -> str:
    """One table of the values of all comparisons that are compared with something, and below it the totals."""
    lines = aligned([COLUMNS, *(line for part in parts for line in part.lines)], (0, 1, 2, 3, 4, 8, 9))
    return "\n".join([*lines, "", *totals(parts)]) + "\n"


def overview_markdown(parts: Sequence[Part]) -> str:
    """The same as a part of a page in Markdown, the totals first."""
    counts = "".join(f"- {line}\n" for line in totals(parts))
    lines = "".join(_of_page(line) for part in parts for line in part.lines)
    return counts + "\n" + _of_page(COLUMNS) + "|---|---|---|---|---|--:|--:|--:|---|---|\n" + lines
