"""The figures of a run, each alone: what they draw, in frames as notebooks have them, and what they refuse."""

import time
from pathlib import Path
from typing import Any

import folders
import numpy as np
import pytest

import weir
from weir.plotting import Plots
from weir.report import Language
from weir.report.texts import words

NAMES = ["machine", "over_time", "latencies", "matrix", "congestion", "causes"]
MS = 10**9


@pytest.fixture(autouse=True)
def _no_command(no_command: None) -> None:
    """Folders made by hand have no experiment that the command could look at."""


def causes() -> dict[str, Any]:
    """Of a run of 1 ms, three quarters of the critical path are contention."""
    path = {"latency": MS // 4, "contention": 3 * MS // 4}
    critical = {"causes_ps": path, "messages": 1, "links": 2, "calls": [], "last_ranks": [0]}
    return {
        "total_ps": {"latency": 8 * MS, "contention": 8 * MS},
        "critical_path": critical,
        "compute": {"mean_ps": 0, "max_ps": 0, "max_rank": 0},
    }


def fits(frame: Any, width: int) -> bool:
    """Whether a frame comes to be so wide, and at least as high as what is in it."""
    for _ in range(200):
        now, inside, height = frame.evaluate("[innerWidth, document.documentElement.scrollHeight, innerHeight]")
        if now == width and inside <= height:
            return True
        time.sleep(0.05)
    return False


def test_all_figures_in_frames(open_page: Any, tmp_path: Path) -> None:
    """As a notebook has them: each draws the numbers of the tables, complains of nothing and asks for nothing."""
    folders.torus(tmp_path / "run", [4, 4], intervals=10, packet=True, pairs=True, causes=causes())
    # What goes from one to the other is not what comes back.
    one, other = np.divmod(np.arange(256), 16)
    sent = {"from": one, "to": other, "messages": one + 1, "bytes": 1000 * (1 + 16 * one + other)}
    folders.write_table(tmp_path / "run/pairs.parquet", "pairs", sent)
    results = weir.open(tmp_path / "run")
    body = "".join(f"<div id='{name}'>{getattr(results.plot, name)()._repr_html_()}</div>" for name in NAMES)
    (tmp_path / "notebook.html").write_text(f"<!doctype html><meta charset='utf-8'><body>{body}", encoding="utf-8")
    page = open_page(tmp_path / "notebook.html", ready="iframe", viewport={"width": 900, "height": 800})
    frames = {name: page.query_selector(f"#{name} iframe").content_frame() for name in NAMES}
    for frame in frames.values():
        frame.wait_for_selector("html[data-ready-ms]", state="attached")

    pairs = results.table("pairs").to_pydict()
    level = np.full((16, 16), np.nan)
    level[pairs["from"], pairs["to"]] = np.log10(pairs["bytes"])
    drawn = frames["matrix"].evaluate("document.getElementById('chart-matrix').data[0].z")
    assert np.allclose(np.array(drawn, float), level, rtol=1e-5, equal_nan=True)
    bars = frames["latencies"].evaluate("document.getElementById('chart-latency-packet').data[0].y")
    assert sum(bars[:-1]) == sum(results.table("latencies")["count"].to_pylist())
    busiest = frames["over_time"].evaluate("document.getElementById('chart-time').data[0]")
    assert len(busiest["x"]) == 11 and busiest["x"][-1] == 1 and busiest["name"] == "busiest link of the interval"
    rows = frames["congestion"].evaluate("document.getElementById('chart-congestion').data[0].z.length")
    assert rows == 24
    widths = frames["causes"].evaluate(
        "[...document.querySelectorAll('.stack rect')].map((one) => one.width.baseVal)"
        ".map((one) => one.valueInSpecifiedUnits)"
    )
    assert widths == pytest.approx([25, 75, 50, 50])
    machine = frames["machine"]
    before = machine.evaluate("document.getElementById('machine').toDataURL()")
    machine.focus("#time")
    page.keyboard.press("End")
    machine.wait_for_selector("html[data-picture='9']", state="attached")
    machine.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert machine.evaluate("document.getElementById('machine').toDataURL()") != before
    with page.expect_download() as saving:
        frames["matrix"].click("[data-save='matrix.csv']")
    lines = Path(saving.value.path()).read_text(encoding="utf-8").splitlines()
    assert saving.value.suggested_filename == "made-by-hand-matrix.csv" and len(lines) == 1 + 256
    assert frames["causes"].evaluate("saved('causes', 'svg')").count("<rect") == 1 + 4 + 2
    assert frames["machine"].evaluate("saved('machine', 'png')").startswith("data:image/png")
    # All of a figure is inside its frame, without a bar to scroll it; also when the window becomes narrow.
    for width in (900, 420):
        page.set_viewport_size({"width": width, "height": 800})
        for name, frame in frames.items():
            assert fits(frame, width - 16), (name, width)


def test_a_figure_as_a_file(tmp_path: Path) -> None:
    """One page in the language that was named; where Plotly draws nothing its script is left out."""
    folders.torus(tmp_path / "run", [4], pairs=True, causes=causes())
    plot = weir.open(tmp_path / "run").plot
    file = plot.matrix().write(tmp_path / "matrix.html", Language.JAPANESE)
    text = file.read_text(encoding="utf-8")
    assert 'data-language="ja"' in text and words("matrix_chart").ja in text and 'id="machine"' not in text
    assert len(plot.causes().html()) < 10**5 < 10**6 < len(text)
    for name in ("matrix.jpg", "matrix"):
        with pytest.raises(ValueError, match=r"is written as \.html, \.svg, \.png or \.pdf, not as .*\n\nhint: .*CSV"):
            plot.matrix().write(tmp_path / name)
        assert not (tmp_path / name).exists()


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("over_time", "output.sample_interval"),
        ("congestion", "output.sample_interval"),
        ("matrix", "output.pairs = true"),
        ("causes", "output.causes = true"),
    ],
)
def test_what_was_not_recorded(tmp_path: Path, name: str, key: str) -> None:
    """The error names the folder, the figure and the key; the same run has other figures."""
    folders.torus(tmp_path, [4])
    plot = weir.open(tmp_path).plot
    with pytest.raises(weir.MissingTable) as caught:
        getattr(plot, name)()
    assert key in caught.value.hint and repr(name) in caught.value.problem and caught.value.path == tmp_path
    assert plot.machine().drawing and len(plot.latencies().charts) == 1


def test_figures_without_a_machine_or_an_end(tmp_path: Path) -> None:
    """No topology, traffic without ranks, a run that was killed, and one in which nothing arrived."""
    folders.summary(tmp_path / "ideal")
    plot = weir.open(tmp_path / "ideal").plot
    for name in ("machine", "over_time", "congestion"):
        with pytest.raises(weir.MissingTable, match=r"\[topology\]"):
            getattr(plot, name)()
    with pytest.raises(weir.MissingTable, match="--out DIR"):
        plot.latencies()
    folders.summary(tmp_path / "traffic", experiment={"workload": {"kind": "synthetic"}})
    with pytest.raises(weir.MissingTable, match="synthetic traffic has no ranks"):
        weir.open(tmp_path / "traffic").plot.causes()
    folders.torus(tmp_path / "killed", [4], intervals=4)
    (tmp_path / "killed/summary.json").unlink()
    killed = weir.open(tmp_path / "killed", allow_incomplete=True).plot
    assert killed.over_time().charts and killed.congestion().charts and killed.machine().drawing
    with pytest.raises(weir.MissingTable, match="has not ended.*output.pairs"):
        killed.matrix()
    folders.torus(tmp_path / "quiet", [4])
    pairs = {"from": np.array([], np.uint32), "to": np.array([], np.uint32), "messages": [], "bytes": []}
    folders.write_table(tmp_path / "quiet/pairs.parquet", "pairs", pairs)
    with pytest.raises(weir.MissingTable, match="no message or packet has arrived"):
        weir.open(tmp_path / "quiet").plot.matrix()


def test_every_figure_is_known(tmp_path: Path) -> None:
    """The tests above are of all there are."""
    folders.summary(tmp_path)
    plot = weir.open(tmp_path).plot
    assert isinstance(plot, Plots) and all(name in repr(plot) for name in NAMES)
    assert sorted(name for name in dir(plot) if not name.startswith("_")) == sorted(NAMES)
