"""Figures as SVG and PNG: by the real browser, what it draws and what the errors say without one."""

import os
import struct
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import folders
import numpy as np
import pytest

import weir
from weir.plotting import browser
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
def results(tmp_path: Path, no_command: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A run with samples, and with latencies of packets and of messages."""
    monkeypatch.delenv("WEIR_BROWSER", raising=False)
    folders.torus(tmp_path / "run", [4, 4], intervals=10, packet=True, pairs=True)
    count = np.array([5, 7, 1, 2], np.uint64)
    edges = np.array([0, 1000, 0, 1000], np.int64)
    columns = {"kind": ["packet", "packet", "message", "message"], "from_ps": edges, "to_ps": edges + 1000}
    folders.write_table(tmp_path / "run/latencies.parquet", "latencies", {**columns, "count": count})
    return weir.open(tmp_path / "run")


def test_the_machine_with_its_legend(results: Any, tmp_path: Path) -> None:
    """A drawing and a picture of twice the points, with the quantity and the scale of its colors."""
    drawing = results.plot.machine().write(tmp_path / "machine.svg")
    found = ElementTree.parse(drawing).getroot()
    assert texts(drawing)[:3] == ["link utilization, 0 – 1 ms", "0", texts(drawing)[-1]]
    assert texts(drawing)[-1].endswith(" %") and len(list(found.iter(f"{SVG}stop"))) == 6
    lines = [
        one for one in found.iter(f"{SVG}path") if one.get("fill") == "none" and one.get("stroke", "").startswith("rgb")
    ]
    assert len(lines) > 10
    size = int(found.get("width", "0")), float(found.get("height", "0"))
    assert pixels(results.plot.machine().write(tmp_path / "machine.png")) == (2 * size[0], int(2 * size[1]))
    japanese = results.plot.machine().write(tmp_path / "machine.svg", Language.JAPANESE)
    assert texts(japanese)[0].startswith("リンク利用率")


def test_an_interval_and_dark(results: Any, tmp_path: Path) -> None:
    """What the slider shows, and in the dark; what is no interval of the figure is said."""
    machine = results.plot.machine()
    whole, dark = (machine.write(tmp_path / f"{dark}.svg", dark=dark) for dark in (False, True))
    assert texts(whole) == texts(dark) and whole.read_text() != dark.read_text()
    background = [ElementTree.parse(file).getroot().find(f"{SVG}rect").get("fill") for file in (whole, dark)]  # type: ignore[union-attr]
    assert len(set(background)) == 2
    ends = [(0, "0 – 0.1 ms"), (99_999_999, "0 – 0.1 ms"), (100_000_000, "0.1 – 0.2 ms"), (10**9, "0.9 – 1 ms")]
    for at_ps, interval in ends:
        drawing = machine.write(tmp_path / "interval.svg", at_ps=at_ps)
        assert texts(drawing)[0] == f"link utilization, {interval}"
    lines = [[one.get("stroke") for one in ElementTree.parse(file).iter(f"{SVG}path")] for file in (whole, drawing)]
    assert lines[0] != lines[1]
    with pytest.raises(ValueError, match=r"at_ps = -1: samples are from 0 to 1000000000 ps"):
        machine.write(tmp_path / "x.svg", at_ps=-1)
    with pytest.raises(ValueError, match=r"'latencies' has no intervals\n\nhint: the machine of a run"):
        results.plot.latencies().write(tmp_path / "x.svg", at_ps=0)
    with pytest.raises(ValueError, match=r"x\.html: dark is for pictures"):
        machine.write(tmp_path / "x.html", dark=True)
    assert not (tmp_path / "x.svg").exists() and not (tmp_path / "x.html").exists()


def test_charts_below_each_other(results: Any, tmp_path: Path) -> None:
    """A figure of two charts is one picture of both."""
    file = results.plot.latencies().write(tmp_path / "latencies.svg")
    said = texts(file)
    assert said.index("packets") < said.index("messages")
    tops = [one.get("y") for one in ElementTree.parse(file).getroot() if one.tag == f"{SVG}svg"]
    assert tops == ["0", "520"]
    assert pixels(results.plot.latencies().write(tmp_path / "latencies.png")) == (2000, 2080)


def test_errors_say_what_is_missing(results: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No browser, one that is none, one that never answers, and a page that breaks; nothing is left behind."""
    machine = results.plot.machine()
    target = tmp_path / "machine.png"
    monkeypatch.setenv("WEIR_BROWSER", "no-such-browser")
    with pytest.raises(weir.BrowserNotFound, match=r"WEIR_BROWSER = no-such-browser: .*\n\nhint: .*\.html needs none"):
        machine.write(target)
    monkeypatch.delenv("WEIR_BROWSER")
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(weir.BrowserNotFound, match=r"\.svg or \.png by a browser.* chromium, .*\n\nhint: install one"):
        machine.write(target)
    monkeypatch.setenv("PATH", path)
    for name, script, expected in [
        ("broken", "echo no screen >&2; exit 3", "broken: has ended with status 3: no screen"),
        ("asleep", "sleep 100", "asleep: has not drawn the figure within 1 s"),
    ]:
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("WEIR_BROWSER", str(tmp_path / name))
        monkeypatch.setattr(browser, "TIMEOUT", 1.0)
        began = time.monotonic()
        with pytest.raises(weir.BrowserError, match=expected) as caught:
            machine.write(target)
        assert "write a page (.html)" in str(caught.value) and time.monotonic() - began < 10
    monkeypatch.undo()
    with pytest.raises(weir.BrowserError, match="Error: broken"):
        browser.picture("<script>const root = {}; throw new Error('broken')</script>", ["machine"], "svg")
    assert not target.exists() and not list(tmp_path.glob(".machine*"))
