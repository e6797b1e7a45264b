"""Runs side by side: differences, engines that disagree, tables, and the page in a browser."""

import re
from pathlib import Path
from typing import Any

import folders
import pytest

import weir
from weir.__main__ import main
from weir.comparing import verdicts
from weir.comparing.comparison import names_of
from weir.comparing.differences import differences
from weir.comparing.texts import TEXTS

MS = 10**9


@pytest.fixture(autouse=True)
def _no_command(no_command: None) -> None:
    """Folders made by hand have no experiment that the command could look at."""


def test_keys_that_differ() -> None:
    """Values of each; a table that one does not have is one row; where output goes is no difference."""
    one = {"title": "a", "seed": 1, "topology": {"shape": [4], "kind": "torus"}, "output": {"dir": "a"}}
    other = {"title": "b", "seed": 1, "topology": {"shape": [8], "kind": "torus"}, "packet": {"mtu": 1, "vc": 2}}
    found = differences([one, other])
    assert [(row.key, row.values, row.is_table) for row in found] == [
        ("topology.shape", [[4], [8]], False),
        ("packet", [None, 2], True),
    ]
    assert differences([one, {**one, "engine": {"threads": 9}}]) == []


def summary(engine: str, shape: int, time: int, **more: Any) -> dict[str, Any]:
    """A finished run of an engine on a machine of this size."""
    experiment = {"engine": {"kind": engine}, "topology": {"shape": [shape]}, "workload": {"kind": "all-to-all"}}
    if engine == "packet":
        experiment["packet"] = {"mtu": "256 B"}
    return {"engine": engine, "outcome": "finished", "simulated_ps": time, "experiment": experiment} | more


def test_engines_that_disagree() -> None:
    """By flow the first is faster, by packet the second; the other cases leave nothing to say."""
    runs = [("a", summary("flow", 4, 100)), ("b", summary("flow", 8, 200))]
    packets = [("c", summary("packet", 4, 400)), ("d", summary("packet", 8, 300))]
    (found,) = verdicts.disagreements(runs + packets)
    assert found.by_flow == ("a", "b") and found.by_packet == ("d", "c") and found.winner
    assert found.flow_gain == pytest.approx(0.5) and found.packet_gain == pytest.approx(0.25)
    # A third machine that both have as the fastest: it is the order that differs.
    best = [("e", summary("flow", 2, 10)), ("f", summary("packet", 2, 20))]
    (order,) = verdicts.disagreements(runs + packets + best)
    assert not order.winner
    agreeing = [("c", summary("packet", 4, 300)), ("d", summary("packet", 8, 400))]
    assert verdicts.disagreements(runs + agreeing) == []
    assert verdicts.disagreements(runs + packets[:1]) == []
    equal = [("c", summary("packet", 4, 300)), ("d", summary("packet", 8, 300))]
    assert verdicts.disagreements(runs + equal) == []
    stopped = [("c", summary("packet", 4, 400, outcome="limit")), packets[1]]
    assert verdicts.disagreements(runs + stopped) == []


def test_names_are_as_short_as_they_can_be() -> None:
    """The last parts of paths that are different; twice the same folder has numbers."""
    assert names_of([Path("/x/a"), Path("/x/b")]) == ["a", "b"]
    assert names_of([Path("/x/a"), Path("/y/a"), Path("/y/c")]) == ["x/a", "y/a", "c"]
    assert names_of([Path("/x/a"), Path("/x/a")])[1].endswith("(2)")


def test_every_text_is_in_both_languages() -> None:
    """Both texts have the same values to fill in."""
    import re

    for key, both in TEXTS.items():
        assert sorted(re.findall(r"{(\w+)}", both.en)) == sorted(re.findall(r"{(\w+)}", both.ja)), key


def test_the_table(tmp_path: Path) -> None:
    """A row for each run: keys that differ and what came of them; a run that was stopped has no speed-up."""
    path = {"latency": 10**9, "contention": 0}
    critical = {"causes_ps": path, "messages": 1, "links": 2, "calls": [], "last_ranks": [0]}
    compute = {"mean_ps": 0, "max_ps": 0, "max_rank": 0}
    causes = {"total_ps": path, "critical_path": critical, "compute": compute}
    folders.torus(tmp_path / "a", [4, 4], causes=causes)
    folders.torus(tmp_path / "b", [8], simulated_s=5e-4, simulated_ps=5 * 10**8)
    folders.torus(tmp_path / "c", [8], outcome="limit", explanation={"limit": "simulated time"})
    found = weir.compare([tmp_path / "a", str(tmp_path / "b"), weir.open(tmp_path / "c")])
    table = found.table().to_pydict()
    assert table["run"] == ["a", "b", "c"] and table["topology.shape"] == ["[4, 4]", "[8]", "[8]"]
    assert table["speedup"] == [1, 2, None] and table["outcome"] == ["finished", "finished", "limit"]
    assert table["path_latency_s"] == [1e-3, None, None] and "path_contention_s" not in table
    assert list(found.to_pandas()["run"]) == ["a", "b", "c"]
    assert "c: stopped at a limit. It has no run time to compare." in found.warnings
    assert any("workloads differ" in text for text in found.warnings), "16 and 8 ranks"
    assert "<td>500 us</td>" in found._repr_html_() and "500 us" in repr(found)


def test_what_cannot_be_compared(tmp_path: Path, capsys: Any) -> None:
    """Too few, and folders that are none; a page does not replace what it is drawn from."""
    folders.torus(tmp_path / "a", [4])
    with pytest.raises(ValueError, match="one results folder cannot be compared"):
        weir.compare([tmp_path / "a"])
    with pytest.raises(ValueError, match="one run cannot be compared"):
        weir.compare(str(tmp_path))
    with pytest.raises(weir.NotResults, match="no such folder"):
        weir.compare([tmp_path / "a", tmp_path / "b"])
    for arguments, expected in [
        ([str(tmp_path / "a")], "one results folder cannot be compared"),
        ([str(tmp_path / "a"), str(tmp_path)], "is not a results folder"),
        ([str(tmp_path / "a"), str(tmp_path / "a"), "-o", str(tmp_path / "a/summary.json")], "results themselves"),
    ]:
        assert main(["compare", *arguments]) == 2
        assert expected in capsys.readouterr().err


def test_the_page(open_page: Any, tmp_path: Path) -> None:
    """One slider moves all machines, on one scale; a run that has ended is empty; nothing complains."""
    folders.torus(tmp_path / "a", [4, 4], intervals=10, packet=True)
    folders.torus(tmp_path / "b", [4, 4], intervals=4)
    # Half as long: what its second half has recorded is not there.
    folders.torus(tmp_path / "c", [4, 4], intervals=10, simulated_ps=5 * 10**8, simulated_s=5e-4)
    (tmp_path / "c/series/links/00001.parquet").unlink()
    page_file = weir.compare([tmp_path / name for name in "abc"]).write(tmp_path / "page.html")
    page = open_page(page_file)
    assert [page.inner_text(f"#now-{number}") for number in range(3)] == ["whole run"] * 3
    page.focus("#time")
    page.keyboard.press("End")
    page.wait_for_selector("html[data-stop='11']", state="attached")
    captions = [page.inner_text(f"#now-{number}") for number in range(3)]
    # 0.9 ms: the last tenth of a, the last quarter of b; c has ended.
    assert captions == ["0.9 ms – 1 ms", "0.75 ms – 1 ms", "ended at 0.5 ms"], captions
    assert page.evaluate("machines[2].links.every((level) => level === 0) && machines[0].links.some((level) => level)")
    # One scale for all: it ends at all that a link can carry, or at the largest value, which no run with less reaches.
    assert page.inner_text("#top") == "100 %"
    assert page.evaluate("Math.max(...machines[0].links)") < 63
    page.select_option("#range", "own")
    tops = page.evaluate("models.map((model) => model.quantities[0].top)")
    highest = page.evaluate("Math.max(...machines[1].links)")
    assert page.inner_text("#top").startswith(f"{100 * max(tops):.3g}")
    expected = page.evaluate("levels(quantityOf(models[1]).frames[3]).then(([links]) => Math.max(...links))")
    assert highest == round(expected * tops[1] / max(tops))
    page.select_option("#coupled", "share")
    page.keyboard.press("End")
    page.focus("#time")
    page.keyboard.press("End")
    # The same share: all runs end together.
    page.wait_for_selector("#now-2:text-is('0.4 ms – 0.5 ms')")
    page.select_option("#quantity", "buffers")
    page.wait_for_selector("#now-1:text-is('not recorded')")
    page.click("#whole")
    page.wait_for_selector("html[data-stop='-1']", state="attached")
    page.click("#language")
    page.wait_for_selector("#now-0:text-is('全期間')")
    assert page.locator("#chart-time .legend .traces").count() == 3


def test_histograms_have_no_holes(tmp_path: Path) -> None:
    """Each interval is spread over the bars that it covers; nothing is lost."""
    import json

    from weir.comparing import charts

    folders.torus(tmp_path / "a", [4, 4])
    folders.torus(tmp_path / "b", [4, 4])
    (chart,) = charts.latencies(weir.compare([tmp_path / "a", tmp_path / "b"]))
    bars = json.loads(chart.figure)["data"][0]["y"][:-1]
    assert min(bars) > 0 and sum(bars) == pytest.approx(100, rel=1e-4)
    # Intervals of [1, 10) and [10, 1000) in bars of a power of ten each.
    assert charts._spread([(0, 10, 6), (10, 1000, 8)], [1.0, 10, 100, 1000]) == pytest.approx([6, 4, 4])


def test_lines_over_time_have_their_points_together(tmp_path: Path) -> None:
    """Where one run changes all have a point with the value that holds there, and none after their ends."""
    import json

    from weir.comparing import charts
    from weir.report.series import Series

    def series(starts: list[int], end: int, used: list[float]) -> Series:
        return Series(starts, end, len(starts), {"utilization": [[one] for one in used]})

    one = series([0, 4 * MS, 8 * MS], 12 * MS, [0.25, 0.5, 1])
    other = series([0, 6 * MS], 8 * MS, [0.75, 0.125])
    chart = charts.over_time(["one", "other"], [one, other])
    lines = json.loads(chart.figure)["data"]
    assert [line["x"] for line in lines] == [[0, 4, 6, 8, 12]] * 4
    assert lines[0]["y"] == [25, 50, 50, 100, 100] and lines[2]["y"] == [75, 75, 12.5, 12.5, None]


@pytest.fixture
def pair(open_page: Any, tmp_path: Path) -> Any:
    """The page of two runs on a machine and one on another."""
    folders.torus(tmp_path / "a", [4, 4, 4], intervals=10)
    folders.torus(tmp_path / "b", [4, 4, 4], intervals=4)
    folders.torus(tmp_path / "c", [4, 4, 2])
    return open_page(weir.compare([tmp_path / name for name in "abc"]).write(tmp_path / "page.html"))


def test_pointing_and_turning(pair: Any, tmp_path: Path) -> None:
    """The same dot of the same machine in all runs, each with its own value; what turns one turns all, if it is to."""
    links = weir.open(tmp_path / "a").table("links")
    page = pair
    page.locator("#machine-0").scroll_into_view_if_needed()
    box = page.locator("#machine-0").bounding_box()
    dots = page.evaluate("Array.from({ length: models[0].places }, (_, dot) => machines[0].placeOf({ dot }))")
    page.mouse.move(box["x"] + dots[5][0], box["y"] + dots[5][1])
    tips = [page.inner_text(f"#tip-{number}") for number in range(2)]
    found = page.evaluate("machines[0].pick(...machines[0].placeOf({ dot: 5 }))")
    name = page.evaluate("(found) => machines[0].nameOf(found)", found)
    values = [page.evaluate("([run, found]) => valueOf(run, found)", [run, found]) for run in (0, 1)]
    assert tips == [f"{name}: {value}" for value in values] and not page.is_visible("#tip-2")
    # A level is a part of 63 of the scale of its own run.
    number = page.evaluate("registers[0].number[7]")
    exact = links["utilization"][number].as_py() * 100
    said = float(page.evaluate("valueOf(0, { link: 7 })").removesuffix(" %"))
    assert abs(said - exact) <= 100 * page.evaluate("own[0].top") / 63 + 0.05
    page.mouse.move(0, 0)
    assert not page.is_visible("#tip-0")
    view = "machines.map((machine) => [machine.yaw, machine.zoom].join())"
    before = page.evaluate(view)
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + 70)
    page.mouse.up()
    page.mouse.wheel(0, -300)
    page.wait_for_function("() => machines[2].zoom > 1.2")
    turned = page.evaluate(view)
    assert len(set(turned)) == 1 and turned != before
    page.uncheck("#together")
    page.focus("#machine-1")
    page.keyboard.press("ArrowLeft")
    alone = page.evaluate(view)
    assert alone[0] == alone[2] == turned[0] != alone[1]


def test_saving_figures(pair: Any, tmp_path: Path) -> None:
    """The machines side by side with their common scale, all links as data, and the same from Python."""
    with pair.expect_download() as saving:
        pair.click("[data-save='machines.csv']")
    lines = Path(saving.value.path()).read_text(encoding="utf-8").splitlines()
    links = [weir.open(tmp_path / name).table("links") for name in "abc"]
    assert lines[0] == "run,link,name,class,utilization" and len(lines) == 1 + sum(one.num_rows for one in links)
    last = lines[-1].rsplit(",", 1)
    assert last[0].startswith("c,") and float(last[1]) == links[2]["utilization"][-1].as_py()
    drawing = pair.evaluate("saved('machines', 'svg')")
    assert drawing.count("<svg ") == 4 and "a: whole run" in drawing and "link utilization" in drawing
    assert pair.evaluate("saved('table', 'csv')").splitlines()[0] == ",a,b,c"
    assert "a: mean" in pair.evaluate("saved('time', 'csv')")
    comparison = weir.compare([tmp_path / name for name in "abc"])
    file = comparison.write(tmp_path / "machines.svg", figure="machines")
    said = re.findall(r"<text [^>]*>([^<]*)<", file.read_text(encoding="utf-8"))
    assert {"a", "b", "c"} <= set(said) and len([one for one in said if one.startswith("link utilization")]) == 3
    # One scale: all end with the same value.
    assert len({one for one in said if one.endswith(" %")}) == 1
    for name in ("over_time", "latencies"):
        assert comparison.write(tmp_path / f"{name}.pdf", figure=name).read_bytes().startswith(b"%PDF")
    with pytest.raises(ValueError, match=r"no figure 'paths'\n\nhint: .* machines, over_time, latencies$"):
        comparison.write(tmp_path / "paths.svg", figure="paths")
    with pytest.raises(ValueError, match="of which figure"):
        comparison.write(tmp_path / "page.png")
    with pytest.raises(ValueError, match=r"written as \.svg, \.png or \.pdf, not as \.html"):
        comparison.write(tmp_path / "page.html", figure="machines")
