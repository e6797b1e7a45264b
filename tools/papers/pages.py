"""Comparisons as files: a page in Markdown, the plots it shows, the tables as CSV.

Items may be run one after the other, on different days: each leaves its share of the page in a file of its own, and the
page is put together from all of them.
"""

import json
from pathlib import Path

from papers.plots import to_svg
from papers.running import ITEMS, weir_version
from papers.tables import Part, overview_markdown, to_csv, to_markdown
from papers.values import Comparison


def write(comparisons: list[Comparison], built_from: str | None, folder: Path) -> Path:
    """Writes plots and tables into the folder, and `papers.md` of all items that are there; its path.

    The page says what weir was built from, if that is known (a commit).
    """
    parts = folder / "items"
    parts.mkdir(parents=True, exist_ok=True)
    for found in comparisons:
        for plot in found.plots:
            (folder / f"{plot.name}.svg").write_text(to_svg(plot))
        name = f"{found.paper}-{found.item}"
        (folder / f"{name}.csv").write_text(to_csv(found))
        part = Part.of(found)
        share = {
            "built_from": built_from,
            "overview": {"lines": part.lines, "counts": part.counts},
            "page": to_markdown(found),
        }
        (parts / f"{name}.json").write_text(json.dumps(share, indent=2, ensure_ascii=False) + "\n")
    page = folder / "papers.md"
    page.write_text(_page([file for item in ITEMS if (file := parts / f"{item.paper}-{item.name}.json").exists()]))
    return page


def _page(files: list[Path]) -> str:
    written = []
    for file in files:
        try:
            share = json.loads(file.read_text())
            written.append((share["built_from"], Part(**share["overview"]), share["page"]))
        except (ValueError, KeyError, TypeError, AssertionError) as error:
            raise ValueError(f"{file} is not what make papers writes; remove it and run the item again") from error
    commits = sorted({commit for commit, _, _ in written if commit is not None})
    built_from = ", items built from different commits, each named with the item"
    if len(commits) < 2:
        built_from = "".join(f", built from {commit}" for commit in commits)
    page = f"# Published and own values\n\nweir {weir_version()}{built_from}.\n\n"
    page += "What is compared with something, in one table; below it each item whole, with plots and notes.\n\n"
    page += overview_markdown([part for _, part, _ in written])
    for commit, _, text in written:
        page += "\n" + text
        if commit is not None and len(commits) > 1:
            page += f"\nBuilt from {commit}.\n"
    return page
