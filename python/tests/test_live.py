"""The page of a run that goes on (`weir run --live`), in headless Chromium."""

import re
import subprocess
from pathlib import Path
from typing import Any

EXPERIMENT = """title = "without end"
[topology]
kind = "torus"
shape = [4, 4]
bandwidth = "1 GB/s"
latency = "100 ns"
[engine]
kind = "packet"
[packet]
preset = "nsim-torus"
[workload]
kind = "all-to-all"
algorithm = "pairwise"
message_size = "10 kB"
messages = 1000000
[output]
sample_interval = "100 us"
causes = true
"""


def test_a_run_is_watched_and_stopped(open_page: Any, weir: str, tmp_path: Path) -> None:
    """Numbers move, links have colors, the button ends the run, and the page says so."""
    (tmp_path / "e.toml").write_text(EXPERIMENT, encoding="utf-8")
    command = [weir, "run", "-q", "e.toml", "--live", "--out", "results"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        address = run.stderr.readline().removeprefix("follow it: ").strip()
        page = open_page(address, ready="#messages")
        messages = "() => Number(document.getElementById('messages').textContent.split(' ')[0].replaceAll(',', ''))"
        page.wait_for_function(f"() => ({messages})() > 0")
        before = page.evaluate(messages)
        page.wait_for_function(f"() => ({messages})() > {before}")
        page.wait_for_selector("#heat:not([hidden])")
        script = """() => {
          const map = document.getElementById("map");
          const pixels = new Uint32Array(map.getContext("2d").getImageData(0, 0, map.width, map.height).data.buffer);
          return new Set(pixels).size;
        }"""
        page.wait_for_function(f"() => ({script})() > 1")
        assert page.locator("#busiest tr").count() > 0
        # The machine: 4 x 4 squares with lines between them, some of which are busy.
        plan = """() => {
          const plan = document.getElementById("plan"), copy = document.createElement("canvas"), side = plan.width / 4;
          [copy.width, copy.height] = [plan.width, plan.height];
          const pen = copy.getContext("2d", { willReadFrequently: true });
          pen.drawImage(plan, 0, 0);
          const at = place => pen.getImageData(place % 4 * side + 1, Math.floor(place / 4) * side + 1, 1, 1).data;
          return [plan.height === plan.width, Array.from({ length: 16 }, (_, place) => Array.from(at(place)))];
        }"""
        page.wait_for_function(f"() => new Set(({plan})()[1].map(String)).size > 1")
        square, squares = page.evaluate(plan)
        assert square and all(pixel[3] == 255 for pixel in squares), squares
        # Parts of the bar fill it, have the colors of their names, and say how much they are.
        page.wait_for_selector("#causes:not([hidden])")
        page.wait_for_function("() => document.querySelectorAll('#causes span').length > 2")
        bar = """() => {
          const parts = [...document.querySelectorAll("#causes span")];
          const names = [...document.querySelectorAll("#causes-names li")];
          const widths = parts.map(part => part.getBoundingClientRect().width);
          const color = part => getComputedStyle(part).backgroundColor;
          return [
            widths.reduce((sum, width) => sum + width) / document.getElementById("causes").clientWidth,
            parts.map(part => part.className), names.map(name => name.textContent),
            parts.every((part, place) => color(part) === color(names[place].querySelector("i"))),
            new Set(parts.map(color)).size === parts.length,
          ];
        }"""
        filled, causes, names, alike, distinct = page.evaluate(bar)
        assert abs(filled - 1) < 0.02 and alike and distinct, (filled, causes)
        assert "serialization" in causes and len(causes) == len(names), (causes, names)
        assert all(re.fullmatch(r"[a-z -]+ \d+\.\d %", name) for name in names), names
        assert page.inner_text("#title") == "without end"
        assert not page.locator("#stop").is_disabled()
        page.click("#stop")
        page.wait_for_selector("#ended:not([hidden])")
        ended = page.inner_text("#ended")
        assert "weir report" in ended and "results" in ended and "cannot be reached" not in ended, ended
        assert run.wait(60) == 130
    assert (tmp_path / "results" / "summary.json").is_file()
