"""Limits of a report that docs/concepts/limitations.md states."""

from pathlib import Path
from typing import Any

import folders
import pytest

import weir
from weir import report
from weir.report import command, machine, packing, series


def pictures(folder: Path, drawn: int | None = None) -> tuple[int, int]:
    """How many pictures in time a page of this folder has, and how many intervals are in one of them."""
    results = weir.open(folder)
    links = machine.read_links(results)
    if drawn is None:
        found = machine.draw(results, links, packing.Blobs()).series
    else:
        found = series.read(results, links.capacity, links.wires, drawn)
    assert found is not None
    return len(found.starts), found.intervals


def test_pictures_in_time(tmp_path: Path) -> None:
    """Up to 240 intervals have a picture each; of more than that, or of many values, several share one."""
    for intervals, expected in [(200, (200, 1)), (250, (125, 2))]:
        folders.torus(tmp_path / str(intervals), [4], intervals=intervals)
        assert pictures(tmp_path / str(intervals)) == expected
    # A torus of 40,960 nodes has so many dots and lines: 29 pictures at most.
    assert pictures(tmp_path / "200", 40_960 * 7) == (29, 7)


def test_lines_of_large_machines(tmp_path: Path) -> None:
    """The page has all links, and how many of them are drawn as lines."""
    folders.torus(tmp_path, [64, 64, 2], intervals=2)
    results = weir.open(tmp_path)
    payload = machine.draw(results, machine.read_links(results), packing.Blobs()).payload
    assert payload["links"] == 6 * 64 * 64 * 2 > payload["most_lines"] == 20_000


def test_routes_and_places_of_large_machines(
    run: Any, weir: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The routes of all pairs of 128 nodes, and not of 129; the places of 65,536 ranks, and not of one more."""
    from weir import open

    monkeypatch.setenv("WEIR", weir)
    ring = '[workload]\nkind = "ring"\nmessage_size = "1 B"\n'
    text = '[topology]\nkind = "torus"\nshape = [{}]\nbandwidth = "1 GB/s"\n' + ring
    found = command.routes_of_nodes(open(run(text.format(128))))
    assert found is not None and len(found) == 128 * 128
    assert command.routes_of_nodes(open(run(text.format(129)))) is None
    for ranks, expected in [(65_536, True), (65_537, False)]:
        folders.summary(tmp_path / str(ranks), ranks=ranks, nodes=ranks)
        assert (command.nodes_of_ranks(open(tmp_path / str(ranks))) is not None) == expected


def test_names_of_the_run_are_in_one_language(open_page: Any, no_command: None, tmp_path: Path) -> None:
    """What the run has named stays as it is where the page is Japanese."""
    folders.torus(tmp_path / "run", [4, 4], intervals=4)
    file = report.write(weir.open(tmp_path / "run"), tmp_path / "page.html", report.Language.JAPANESE)
    page = open_page(file)
    assert page.inner_text("#picture h2") == "計算機の図"
    assert "router (0,0)" in page.inner_text("main")
