"""Figures as SVG, PNG and PDF: what they show, in light and dark, and what is said where one cannot be."""

import re
import struct
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import folders
import numpy as np
import pytest

import weir
from weir.plotting.palette import palette
from weir.report import Language

SVG = "{http://www.w3.org/2000/svg}"


def texts(file: Path) -> list[str]:
    """What is written in a drawing, in its order."""
    return ["".join(one.itertext()) for one in ElementTree.parse(file).iter(f"{SVG}text")]


def pixels(file: Path) -> tuple[int, int]:
    """Width and height of a picture."""
    content = file.read_bytes()
    assert content.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", content[16:24])
    return width, height


@pytest.fixture
def results(tmp_path: Path, no_command: None) -> Any:
    """A run with samples, and with latencies of packets and of messages."""
    folders.torus(tmp_path / "run", [4, 4], intervals=10, packet=True, pairs=True)
    count = np.array([5, 7, 1, 2], np.uint64)
    edges = np.array([0, 1000, 0, 1000], np.int64)
    columns = {"kind": ["packet", "packet", "message", "message"], "from_ps": edges, "to_ps": edges + 1000}
    folders.write_table(tmp_path / "run/latencies.parquet", "latencies", {**columns, "count": count})
    return weir.open(tmp_path / "run")


def colors_of(file: Path) -> set[str]:
    """The colors of lines and areas of a drawing."""
    return set(re.findall(r"(?:stroke|fill): (#\w{6})", file.read_text()))


def test_the_machine_with_its_legend(results: Any, tmp_path: Path) -> None:
    """A line for each link, with the quantity and the scale of its colors."""
    drawing = results.plot.machine().write(tmp_path / "machine.svg")
    said = texts(drawing)
    assert "link utilization, 0 – 1 ms" in said and "0" in said and any(one.endswith(" %") for one in said)
    lines = re.findall(r'id="LineCollection_1">(.*?)</g>', drawing.read_text(), re.DOTALL)
    # 64 links between routers, of which 16 go around the machine and are two stubs.
    assert len(lines) == 1 and lines[0].count("<path") == 64 + 16
    width, height = pixels(results.plot.machine().write(tmp_path / "machine.png"))
    assert width == 2000 and height > 1000
    assert results.plot.machine().write(tmp_path / "machine.pdf").read_bytes().startswith(b"%PDF")
    japanese = results.plot.machine().write(tmp_path / "machine.svg", Language.JAPANESE)
    assert any(one.startswith("リンク利用率") for one in texts(japanese))


@pytest.mark.parametrize("dimensions", [[8], [3, 3, 3]])
def test_machines_of_one_and_three_dimensions(dimensions: list[int], tmp_path: Path, no_command: None) -> None:
    """What is quiet is see-through in space."""
    folders.torus(tmp_path / "run", dimensions, intervals=0)
    drawing = weir.open(tmp_path / "run").plot.machine().write(tmp_path / "machine.svg")
    assert ("opacity" in drawing.read_text()) == (len(dimensions) == 3)


def test_levels_and_groups_are_named(tmp_path: Path) -> None:
    """Beside the stages of a fat tree, and above groups of a graph."""
    tree = {"topology": weir.machine.fat_tree(4, 1e9, 1e-7), "workload": {"kind": "ring", "message_size": 1000}}
    run = weir.run(tree, engine="flow", out=tmp_path / "tree").open()
    assert {"nodes", "stage 1", "stage 2", "stage 3"} <= set(texts(run.plot.machine().write(tmp_path / "tree.svg")))


def test_an_interval_and_dark(results: Any, tmp_path: Path) -> None:
    """What the slider shows, and in the dark; what is no interval of the figure is said."""
    machine = results.plot.machine()
    whole, dark = (machine.write(tmp_path / f"{dark}.svg", dark=dark) for dark in (False, True))
    assert texts(whole) == texts(dark)
    for file, is_dark in ((whole, False), (dark, True)):
        known = palette(is_dark)
        assert {known.named["paper"], known.named["ink"]} <= colors_of(file), is_dark
    assert "100 %" in texts(whole), "the scale ends at all that a link can carry, and not at the largest value"
    ends = [(0, "0 – 0.1 ms"), (99_999_999, "0 – 0.1 ms"), (100_000_000, "0.1 – 0.2 ms"), (10**9, "0.9 – 1 ms")]
    for at_ps, interval in ends:
        drawing = machine.write(tmp_path / "interval.svg", at_ps=at_ps)
        assert f"link utilization, {interval}" in texts(drawing)
    assert colors_of(whole) != colors_of(drawing)
    with pytest.raises(ValueError, match=r"at_ps = -1: samples are from 0 to 1000000000 ps"):
        machine.write(tmp_path / "x.svg", at_ps=-1)
    with pytest.raises(ValueError, match=r"'latencies' has no intervals\n\nhint: the machine of a run"):
        results.plot.latencies().write(tmp_path / "x.svg", at_ps=0)
    with pytest.raises(ValueError, match=r"x\.html: dark is for pictures"):
        machine.write(tmp_path / "x.html", dark=True)
    assert not (tmp_path / "x.svg").exists() and not (tmp_path / "x.html").exists()


def test_charts_below_each_other(results: Any, tmp_path: Path) -> None:
    """A figure of two charts is one picture of both."""
    said = texts(results.plot.latencies().write(tmp_path / "latencies.svg"))
    assert said.index("packets") < said.index("messages")
    assert pixels(results.plot.latencies().write(tmp_path / "latencies.png")) == (2000, 2080)


@pytest.mark.parametrize("name", ["over_time", "latencies", "matrix", "congestion"])
def test_a_chart_has_the_texts_of_its_page(name: str, results: Any, tmp_path: Path) -> None:
    """Axes, legends and scales, in both languages, in the colors of pages."""
    plot = getattr(results.plot, name)()
    for language in Language:
        file = plot.write(tmp_path / "chart.svg", language)
        said = " ".join(texts(file))
        for chart in plot.charts:
            named = [text for path, text in chart.texts.items() if name == "over_time" or "axis" in path]
            assert named and all(getattr(text, language.value) in said for text in named), (name, language)
    known = palette(False)
    assert colors_of(file) & {*known.lines, *known.scale} and known.named["paper"] in colors_of(file)


def test_causes_are_two_bars_with_their_times(tmp_path: Path) -> None:
    """In the colors of the page, with time and share of each."""
    ring = {"topology": weir.machine.torus([4], 1e9, 1e-7), "workload": {"kind": "ring", "message_size": 100_000}}
    run = weir.run(ring, set={"output.causes": True}, out=tmp_path / "run").open()
    file = run.plot.causes().write(tmp_path / "causes.svg")
    said = texts(file)
    assert {"critical path", "all ranks"} <= set(said) and any(one.startswith("serialization: ") for one in said)
    assert palette(False).named["serialization"] in colors_of(file)


def test_errors_say_what_is_missing(results: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib, with the extra that brings it; nothing is left behind."""
    for name in [one for one in sys.modules if one.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_Without("matplotlib"), *sys.meta_path])
    with pytest.raises(weir.MissingPackage, match=r"matplotlib.*\n\nhint: .*weir-sim\[pictures\]"):
        results.plot.over_time().write(tmp_path / "x.svg")
    with pytest.raises(ValueError, match=r"written as \.html, \.svg, \.png or \.pdf, not as \.jpg"):
        results.plot.over_time().write(tmp_path / "x.jpg")
    assert not list(tmp_path.glob("*x.*"))


class _Without:
    """Finds nothing of a package, as if it were not installed."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:
        """Says that the package is not there."""
        if name.partition(".")[0] == self.package:
            raise ModuleNotFoundError(f"No module named {self.package!r}", name=self.package)
