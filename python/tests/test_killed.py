"""Reports of runs that were ended by force: the machine and the series as far as they go, and a warning on top."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weir as package
from weir import report
from weir.report import machine, series, units

#: Packets on a torus, with nothing that would end the run.
ENDLESS = """
title = "without an end"
topology = { kind = "torus", shape = [4, 4, 4] }
engine = { kind = "packet" }
packet = { preset = "nsim-torus" }
workload = { kind = "synthetic", pattern = "uniform", offered_load = 0.3, warmup = "1 us", duration = "1 s" }
output = { sample_interval = "1 us" }
"""
#: Seconds until a run has left what is waited for.
TIMEOUT = 60


@pytest.fixture
def killed(weir: str, tmp_path: Path) -> Callable[..., Path]:
    """Runs an experiment that has no end, and kills it as soon as these files are there; returns its folder."""

    def killed(text: str, *files: str) -> Path:
        (tmp_path / "experiment.toml").write_text(text, encoding="utf-8")
        folder = tmp_path / "results"
        command = [weir, "run", str(tmp_path / "experiment.toml"), "--quiet", "--out", str(folder)]
        with subprocess.Popen(command) as running:
            try:
                began = time.monotonic()
                while not all((folder / file).exists() for file in files):
                    assert running.poll() is None and time.monotonic() - began < TIMEOUT
                    time.sleep(0.01)
            finally:
                running.kill()
        return folder

    return killed


def test_what_is_left_is_drawn(killed: Any, open_page: Any) -> None:
    """Machine, colors, slider and busiest links of complete parts; the page says that they are not all."""
    folder = killed(
        ENDLESS, "series/links/00001.parquet", "series/buffers/00001.parquet", "places.parquet", "links.parquet"
    )
    assert not (folder / "summary.json").exists()
    results = package.open(folder, allow_incomplete=True)
    assert results.summary["title"] == "without an end" and results.summary["nodes"] == 64
    links = results.table("links")
    assert links.num_rows == 64 * 8 and links["bytes"].null_count == links.num_rows
    # The pictures go as far as all tables do.
    ends = [results.table(f"series/{name}", ["start_ps"])["start_ps"].to_numpy().max() for name in ("links", "buffers")]
    file = report.write(results, folder / "report.html")
    page = open_page(file)
    assert "has not ended. The page shows the results that it had written" in page.locator("#unfinished").inner_text()
    assert page.locator("h1").inner_text() == "without an end"
    assert page.locator(".time strong").inner_text() == units.time(int(min(ends)) + 10**6)
    script = """() => {
      const canvas = document.getElementById("machine");
      const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      return new Set(new Uint32Array(data.buffer)).size;
    }"""
    assert page.evaluate(script) > 20
    assert page.locator(".link").count() == 10
    page.locator("#time").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("html[data-picture='1']", state="attached")
    assert page.locator("#chart-time .main-svg").count() > 0
    assert "written when a run ends" in page.locator("main").inner_text()


def test_what_is_drawn_is_what_the_tables_say(killed: Any) -> None:
    """The mean utilization of a link is what it carried in the intervals that are left, over what it could have."""
    folder = killed(ENDLESS, "series/links/00000.parquet", "series/buffers/00000.parquet", "links.parquet")
    results = package.open(folder, allow_incomplete=True)
    links = machine.read_links(results)
    found = series.read(results, links.capacity, links.wires, 100)
    assert found is not None
    table = results.table("series/links")
    start, link, carried = (table[name].to_numpy() for name in ("start_ps", "link", "bytes"))
    kept = start < found.end
    total = np.bincount(link[kept], carried[kept], len(links.name))
    # The first microsecond is the warm-up.
    expected = total / (np.array(links.capacity) * (found.end - 1e6) * 1e-12)
    assert np.allclose(machine.so_far(links, found).columns["utilization"], expected)
    assert np.allclose(machine.so_far(links, found).columns["bytes"], total)


def test_a_run_that_has_left_no_part_yet(killed: Any) -> None:
    """The machine is there from the beginning; the samples are not."""
    slow = ENDLESS.replace('"1 us" }\n', '"900 ms" }\n')
    folder = killed(slow, "places.parquet", "links.parquet")
    text = report.render(package.open(folder, allow_incomplete=True))
    for expected in ["has not ended", "did not complete a part", 'id="machine"']:
        assert expected in text
