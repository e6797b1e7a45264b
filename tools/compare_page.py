"""What `make compare` prints, and the page docs/reference/comparison.md."""

from compare_published import section
from compare_rows import AGREES, MISSES, NOT_JUDGED, Part
from measure import aligned, markdown

WORDS = ("case", "compared", "verdict", "note", "published")

HEAD = """# Beside other simulators

The same cases under weir and under another simulator, in one run. Where theory says that both must give the same answer, the row is
judged: **apart** is how far the answers are from each other, **allowed** how far they may be, and the note below the table says
why. Where they need not agree, the note says which mechanism differs.

"""

COST_NOTE = """Seconds are those of the whole process on the CPU, reading its input included; memory is the largest of the process. Ratios
are the other simulator's over weir's. The cases are small, so that the start of a process counts; larger ones are in
[benchmarks](benchmarks.md).
"""

REPEAT = """
## Repeat it

```sh
make setup-bench           # SimGrid (with apt, as root) and CAMINOS (with cargo, into target)
make compare               # a few minutes; the exit status is 1 if a judged row misses
make compare COMPARE="--quick --part flow"
make compare COMPARE=--write    # also writes this page
```

This page was written so, with

"""


def rows(part: Part) -> list[list[str]]:
    head = ["case", "compared", "weir", part.other, "apart", "allowed", "verdict", "note"]
    return [head] + [row.cells() for row in part.rows]


def costs(part: Part) -> list[list[str]]:
    head = ["case", "weir s", f"{part.other} s", "ratio", "weir MiB", f"{part.other} MiB", "ratio of MiB"]
    return [head] + [cost.cells() for cost in part.costs]


def counts(parts: list[Part]) -> list[list[str]]:
    table = [["rows", "agree", "miss", "not judged"]]
    for part in parts:
        verdicts = [row.verdict() for row in part.rows]
        table.append([part.title, *(str(verdicts.count(verdict)) for verdict in (AGREES, MISSES, NOT_JUDGED))])
    return table


def terminal(parts: list[Part], known: list[list[str]]) -> str:
    """Tables of aligned columns."""
    sections = []
    for part in parts:
        table = aligned(rows(part), WORDS).replace(MISSES, "MISSES")
        sections.append(f"{part.title} ({part.version})\n\n{table}\n\n{aligned(costs(part), WORDS)}\n")
    sections.append(aligned(counts(parts), ("rows",)))
    sections.append("Published by paper 003\n\n" + aligned(known, WORDS))
    return "\n\n".join(sections) + "\n"


def page(parts: list[Part], facts: list[str], known: list[list[str]]) -> str:
    """The same as Markdown, with what was made alike and why rows are judged."""
    text = HEAD + markdown(counts(parts), ("rows",)) + "\n\n"
    for part in parts:
        used = {row.note for row in part.rows}
        notes = "\n".join(f"- **{name}**: {note}" for name, note in part.notes.items() if name in used)
        text += f"## {part.title}\n\n{part.version}. {part.how}\n\n{markdown(rows(part), WORDS)}\n\n{notes}\n\n"
        text += f"What the same cases cost:\n\n{markdown(costs(part), WORDS)}\n\n"
    made = "\n".join("- " + " ".join(fact.split()) for fact in facts) + "\n"
    return text + COST_NOTE + "\n" + section(known) + REPEAT + made
