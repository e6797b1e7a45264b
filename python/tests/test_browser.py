"""Pages in headless Chromium: they open without a network and without complaints, and what can be moved moves."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import folders
import pytest

import weir
from weir import report

#: Seconds until a page of 40,960 nodes with a series is complete: machine and charts.
TIMEOUT = 3.0


@dataclass
class Opened:
    """A page, and how long it took to be drawn."""

    page: Any
    seconds: float = 0.0

    def again(self) -> float:
        """Opens the page once more; seconds until all of it is drawn."""
        began = time.monotonic()
        self.page.reload(wait_until="commit")
        self.page.wait_for_selector("html[data-ready-ms]", state="attached")
        self.seconds = time.monotonic() - began
        return self.seconds

    def picture(self) -> str:
        """The drawing of the machine, once it is drawn."""
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return str(self.page.evaluate("() => document.getElementById('machine').toDataURL()"))

    def comes_to(self, *, be: str | None = None, differ_from: tuple[str, ...] = ()) -> str:
        """The drawing when it is this one, or another one: what a mouse does takes a while on a busy computer."""
        for _ in range(300):
            picture = self.picture()
            if be in (None, picture) and picture not in differ_from:
                return picture
            time.sleep(0.1)
        raise AssertionError("the drawing stays as it was")

    def colors(self) -> int:
        """How many different colors the drawing has."""
        script = """() => {
          const canvas = document.getElementById("machine");
          const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          return new Set(new Uint32Array(data.buffer)).size;
        }"""
        return int(self.page.evaluate(script))

    def text(self, selector: str) -> str:
        """The visible text of an element."""
        return str(self.page.locator(selector).first.inner_text())


@pytest.fixture
def look(open_page: Any, tmp_path: Path) -> Any:
    """Writes the page of a folder, opens it and waits until all of it is drawn."""

    def look(folder: Path, scheme: str = "light", language: str = "en") -> Opened:
        file = report.write(weir.open(folder), tmp_path / "page.html", report.Language(language))
        began = time.monotonic()
        page = open_page(file, color_scheme=scheme)
        return Opened(page, time.monotonic() - began)

    return look


@pytest.fixture(autouse=True)
def _no_command(no_command: None) -> None:
    """Folders made by hand have no experiment that the command could look at."""


def test_a_torus_with_everything(look: Any, tmp_path: Path) -> None:
    """Slider, play, quantity, link, language: each changes what is on the screen, and nothing complains."""
    folders.torus(tmp_path, [8, 8], intervals=10, packet=True, pairs=True)
    opened = look(tmp_path)
    page = opened.page
    assert opened.text(".time strong") == "1 ms"
    assert opened.colors() > 20
    assert len(page.locator("#machine").screenshot()) > 10_000
    whole = opened.picture()
    page.locator("#time").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("html[data-picture='1']", state="attached")
    second = opened.comes_to(differ_from=(whole,))
    assert "0.1 – 0.2 ms" in opened.text("#interval")
    page.keyboard.press("End")
    page.wait_for_selector("html[data-picture='9']", state="attached")
    opened.comes_to(differ_from=(whole, second))
    page.click("#play")
    page.wait_for_selector("html[data-picture='3']", state="attached")
    page.click("#play")
    page.click("#whole")
    page.wait_for_selector("html[data-picture='-1']", state="attached")
    opened.comes_to(be=whole)
    page.select_option("#quantity", label="packets in input buffers (mean)")
    opened.comes_to(differ_from=(whole,))
    page.select_option("#quantity", label="link utilization")
    page.locator(".pick").first.click()
    opened.comes_to(differ_from=(whole,))


def test_languages(look: Any, tmp_path: Path) -> None:
    """The switch changes texts, options and axes, there and back; a page opens in the language asked for."""
    folders.torus(tmp_path, [4, 4], intervals=4)
    opened = look(tmp_path)
    assert opened.text("#picture h2") == "The machine"
    assert "simulated time" in opened.page.locator("#chart-time .xtitle").text_content()
    opened.page.click("#language")
    assert opened.text("#picture h2") == "計算機の図"
    assert opened.text(".outcome b") == "完了"
    opened.page.wait_for_selector("#chart-time .xtitle:has-text('仮想時間')")
    assert opened.page.locator("#quantity option").first.inner_text() == "リンク利用率"
    opened.page.click("#language")
    assert opened.text("#picture h2") == "The machine"
    japanese = look(tmp_path, language="ja")
    assert japanese.text("#picture h2") == "計算機の図"


def test_turning_and_zooming(look: Any, tmp_path: Path) -> None:
    """A torus in space can be dragged, zoomed, shown in layers and put back; a tip names what is under the pointer."""
    folders.torus(tmp_path, [4, 4, 4])
    opened = look(tmp_path)
    page = opened.page
    first = opened.picture()
    box = page.locator("#machine").bounding_box()
    page.locator("#machine").scroll_into_view_if_needed()
    box = page.locator("#machine").bounding_box()
    page.mouse.move(box["x"] + 400, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 480, box["y"] + 220)
    page.mouse.up()
    turned = opened.comes_to(differ_from=(first,))
    page.mouse.wheel(0, -400)
    opened.comes_to(differ_from=(turned,))
    page.click("#reset")
    page.mouse.move(0, 0)
    opened.comes_to(be=first)
    page.select_option("#view", "layers")
    opened.comes_to(differ_from=(first,))
    middle = page.evaluate("""() => {
      const canvas = document.getElementById("machine").getBoundingClientRect();
      return [canvas.left, canvas.top, canvas.width, canvas.height];
    }""")
    tips = set()
    for step in range(40):
        page.mouse.move(middle[0] + middle[2] * (0.3 + step / 100), middle[1] + middle[3] / 4)
        if page.locator("#tip").is_visible():
            tips.add(opened.text("#tip").split(":")[0])
    assert any(tip.startswith("router (") for tip in tips), tips


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["graph", "tree", "ring", "bare"])
def test_every_kind_of_machine(look: Any, tmp_path: Path, kind: str, scheme: str) -> None:
    """In light and dark: something is drawn, and nothing complains; without a machine the page says so."""
    if kind == "graph":
        folders.graph(tmp_path, 30)
    elif kind == "tree":
        folders.fat_tree(tmp_path, 6)
    elif kind == "ring":
        folders.torus(tmp_path, [12])
    else:
        folders.summary(tmp_path, engine="ideal", links=0)
    opened = look(tmp_path, scheme)
    if kind == "bare":
        assert "no machine to draw" in opened.text("#picture .missing")
    else:
        assert opened.colors() > 20
    if kind == "tree":
        # Names of stages are on top of lines and dots.
        drawn = opened.page.evaluate("saved('machine', 'svg')")
        assert drawn.rindex("<path") < drawn.index(">stage 1<")


#: Four nodes send to one, with all that a page can show.
INCAST = """title = "incast"
[topology]
kind = "torus"
shape = [4, 4]
bandwidth = "1 GB/s"
latency = "100 ns"
[workload]
kind = "collective"
operation = "gather"
algorithm = "linear"
message_size = "100 kB"
[output]
causes = true
pairs = true
sample_interval = "50 us"
"""


@pytest.mark.parametrize(("language", "scheme"), [("en", "light"), ("ja", "dark")])
def test_the_first_screen(open_page: Any, run: Any, tmp_path: Path, language: str, scheme: str) -> None:
    """Verdict, causes and machine; what the simulation cost is at the foot. On a phone nothing is wider than it."""
    file = report.write(weir.open(run(INCAST)), tmp_path / "page.html", report.Language(language), play=True)
    page = open_page(file, color_scheme=scheme, viewport={"width": 1280, "height": 800})
    ends = [page.locator(one).bounding_box() for one in (".verdict", "[data-table=causes]", "#machine")]
    assert all(box["y"] + box["height"] <= 800 for box in ends), ends
    assert "is full for" in page.inner_text(".verdict")
    foot = page.locator("#own").bounding_box()["y"]
    assert foot > max(box["y"] for box in (one.bounding_box() for one in page.locator(".plot").all()))
    # It has begun to play.
    page.wait_for_function("() => document.documentElement.dataset.picture > 0")
    phone = open_page(file, color_scheme=scheme, viewport={"width": 390, "height": 844})
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    assert phone.locator(".verdict").bounding_box()["y"] < 300
    tables = phone.evaluate("""() => [...document.querySelectorAll(".wide")]
      .filter((one) => one.scrollWidth > one.clientWidth)
      .map((one) => getComputedStyle(one).backgroundAttachment)""")
    assert tables and all(one.endswith("scroll") for one in tables), "a table that goes on has a shadow there"


def test_a_deadlock_is_reported_first(look: Any, tmp_path: Path) -> None:
    """The outcome and who waits for whom are in the first screen."""
    waiting = [{"rank": 0, "call": "MPI_Recv", "peer": 1, "details": {}}, {"rank": 1, "call": "MPI_Recv", "peer": 0}]
    explanation = {"cycle": [0, 1], "waiting": waiting}
    folders.torus(tmp_path, [4], outcome="deadlock", explanation=explanation)
    opened = look(tmp_path)
    assert opened.text(".outcome b") == "deadlock"
    lines = opened.page.locator(".why li").filter(has_text="rank 1 in MPI_Recv, for rank 0")
    assert lines.bounding_box()["y"] < 900


@pytest.mark.clock
def test_40960_nodes_open_in_three_seconds(look: Any, tmp_path: Path) -> None:
    """A torus of 40 x 32 x 32 with 32 intervals: complete in time, and the slider moves."""
    folders.torus(tmp_path, [40, 32, 32], intervals=32)
    opened = look(tmp_path)
    size = (tmp_path / "page.html").stat().st_size
    # Others may be at work on this machine: the best of three counts.
    times = [opened.seconds]
    while min(times) >= TIMEOUT and len(times) < 3:
        time.sleep(1)
        times.append(opened.again())
    print(f"40,960 nodes: {size / 1e6:.1f} MB, complete after {min(times):.2f} s")
    assert min(times) < TIMEOUT
    assert opened.colors() > 20
    whole = opened.picture()
    opened.page.locator("#time").focus()
    opened.page.keyboard.press("Home")
    opened.page.wait_for_selector("html[data-picture='0']", state="attached")
    opened.comes_to(differ_from=(whole,))
