"""The parts of a report without a browser: answer, layout, values over time, routes, texts."""

import itertools
import json
import math
import re
import statistics
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import folders
import pytest

import weir
from weir import _weir, report
from weir.__main__ import main
from weir.report import answer, charts, command, congestion, layout, machine, packing, series, texts, units
from weir.report.waiting import WaitRow, waiting


def test_every_text_is_in_both_languages() -> None:
    """Both texts have the same values to fill in, and Japanese is Japanese where it is a sentence."""
    for key, both in texts.TEXTS.items():
        values = [sorted(re.findall(r"{(\w+)}", text)) for text in (both.en, both.ja)]
        assert values[0] == values[1], key
        if len(both.en) > 40:
            assert re.search(r"[\u3040-\u30ff]", both.ja), key


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0 ps"), (999, "999 ps"), (3_338_000_000, "3.338 ms"), (10**12, "1 s"), (123_456_789, "123.5 us")],
)
def test_times(value: int, text: str) -> None:
    """Four digits and a unit."""
    assert units.time(value) == text


@pytest.mark.parametrize(
    ("text", "value"), [("10 us", 10**7), (1e-6, 10**6), ("2.5 ns", 2500), ("x", None), (True, None)]
)
def test_times_of_experiments(text: object, value: int | None) -> None:
    """With a unit, or seconds as a number."""
    assert units.picoseconds(text) == value


def english(lines: list[texts.Words]) -> str:
    """All lines in English."""
    return "\n".join(line.en for line in lines)


def check_limits(summary: dict[str, Any], *expected: str) -> None:
    """What limits the answer has these words, each in its line, in this order; a run has finished unless said."""
    found = answer.answer({"outcome": "finished"} | summary if summary else {}, None, 0, 0).limits
    assert len(found) == len(expected), english(found)
    for line, words in zip(found, expected, strict=True):
        assert words in line.en


def test_limits_of_validity() -> None:
    """Each engine has its own; outcomes, saturation and warm-up come to it."""
    check_limits({"engine": "ideal", "outcome": "finished"}, "knows no network")
    check_limits({"engine": "flow", "outcome": "deadlock"}, "did not finish", "bandwidth only")
    sharing = {"engine": {"sharing": "single-pass"}}
    check_limits({"engine": "flow", "experiment": sharing}, "bandwidth only", "single pass")
    limited = {"engine": "packet", "outcome": "limit", "explanation": {"limit": "simulated time"}}
    check_limits(limited, "limit (simulated time)", "whole packets")
    synthetic = {"workload": {"kind": "synthetic", "warmup": "10 us"}}
    check_limits({"engine": "packet", "saturated": True, "experiment": synthetic}, "saturated", "whole", "first 10 us")
    warned = {"engine": "packet", "warnings": ["the buffers of a -> b hold 8.192 kB, a round trip carries 28.78 kB"]}
    check_limits(warned, "a -> b hold 8.192 kB", "whole packets")
    check_limits({}, "was killed")


def test_what_was_assumed_is_listed() -> None:
    """As the run has said it, in its order; a run of before says nothing of it."""
    rows = [{"key": "node.interface", "value": "shared", "why": "All share."}]
    rows.append({"key": "node.messages_at_once", "value": 64, "why": "So many."})
    found = answer.answer({"outcome": "finished", "assumed": rows}, None, 0, 0).assumed
    assert [(one.key, one.value, one.why) for one in found] == [
        ("node.interface", "shared", "All share."),
        ("node.messages_at_once", "64", "So many."),
    ]
    assert answer.answer({"outcome": "finished"}, None, 0, 0).assumed == []


def test_a_deadlock_is_explained() -> None:
    """The circle of ranks, who waits, and the circle of virtual channels."""
    channel = {"link": "a -> b", "virtual_channel": 0, "packets": 2}
    channel |= {"waits_for_link": "b -> a", "waits_for_virtual_channel": 1}
    explanation = {
        "channels": [channel],
        "cycle": [0, 1],
        "waiting": [{"rank": rank, "call": "MPI_Recv", "peer": 1 - rank, "details": {"tag": "7"}} for rank in (0, 1)],
    }
    lines = answer.answer({"outcome": "deadlock", "explanation": explanation}, None, 0, 0).why
    text = english(lines)
    for expected in [
        "a -> b, channel 0: 2 packets wait for b -> a, channel 1",
        "in a circle: 0 → 1 → 0",
        "rank 1 in MPI_Recv, for rank 0 (tag 7)",
    ]:
        assert expected in text
    assert "ランク 1: MPI_Recv、待つ相手 ランク 0" in "\n".join(line.ja for line in lines)


def test_the_bound_is_a_ratio() -> None:
    """Twice as long as the bound; as long, but for what the digits do not show."""
    summary = {"outcome": "finished", "simulated_ps": 3_000_000}
    expected = {
        1_500_000: "2 times the lower bound 1.5 µs",
        2_990_000: "1.003 times the lower bound 2.99 µs",
        3_000_000: "at the lower bound (3 µs): with these routes and this mapping no schedule can be faster",
        2_999_999: "at the lower bound (3 µs): with these routes and this mapping no schedule can be faster",
        3_000_001: "at the lower bound (3 µs): with these routes and this mapping no schedule can be faster",
    }
    for bound, text in expected.items():
        found = answer.answer(summary, bound, 0, 0).bound
        assert found is not None and found.en.replace("us", "µs") == text
    assert answer.answer(summary, None, 0, 0).bound is None
    assert answer.answer(summary | {"outcome": "limit"}, 1_500_000, 0, 0).bound is None


def test_integers_come_back() -> None:
    """Differences, planes and gzip are undone by the steps of page.js."""
    import base64
    import gzip

    values = [5, -7, 2**31 - 1, -(2**31), 0, 3]
    blobs = packing.Blobs()
    number = blobs.integers(values)
    planes = gzip.decompress(base64.b64decode(blobs.texts[number]))
    steps = [int.from_bytes(planes[place :: len(values)], "little") for place in range(len(values))]
    wrapped = [value % 2**32 for value in itertools.accumulate(steps, lambda one, other: (one + other) % 2**32)]
    assert [value - 2**32 if value >= 2**31 else value for value in wrapped] == values


def places(coordinates: list[list[int]], level: list[int], kind: list[str]) -> layout.Places:
    """Columns of places."""
    return layout.Places(coordinates, level, [one == "node" for one in kind])


def test_links_around_a_torus() -> None:
    """A ring of 2 x 3: the links from the last to the first of a column go around, those of a row of two do not."""
    points = [[x, y] for y in range(3) for x in range(2)]
    begin, end = [0, 0, 4, 2], [1, 4, 0, 4]
    plan = layout.lay_out(places(points, [1] * 6, ["router"] * 6), begin, end)
    assert plan.around == [False, True, True, False]
    assert plan.dimensions == 2 and plan.positions[4] == (0, -2 * layout.UNIT, 0)


def test_a_crossbar_is_between_its_routers() -> None:
    """A node, its router without coordinates, and a crossbar between two routers."""
    table = places([[0, 0], [2, 0], [], [], []], [0, 0, 1, 1, 1], ["node"] * 2 + ["router"] * 3)
    begin, end = [0, 1, 2, 3], [2, 3, 4, 4]
    positions = layout.lay_out(table, begin, end).positions
    assert positions[2] == positions[0]
    assert positions[4] == (135, 0, 0)


def test_levels_of_a_fat_tree() -> None:
    """Nodes below, stages above."""
    table = places([[]] * 4, [0, 0, 1, 2], ["node", "node", "router", "router"])
    plan = layout.lay_out(table, [0, 1, 2], [2, 2, 3])
    heights = [y for _, y, _ in plan.positions]
    assert heights[0] == heights[1] > heights[2] > heights[3]


def test_a_graph_has_a_place_for_everything(tmp_path: Path) -> None:
    """No two places of a graph of 40 routers are drawn on each other; the same graph is drawn the same.
    Neighbors are nearer to each other than others are.
    """
    folders.graph(tmp_path, 40)
    table, links = (weir.open(tmp_path).columns(name) for name in ("places", "links"))
    known = places(table["coordinates"], table["level"], table["kind"])
    begin, end = links["from"], links["to"]
    positions = layout.lay_out(known, begin, end).positions
    assert len(set(positions)) == len(positions) == 120
    assert positions == layout.lay_out(known, begin, end).positions

    def mean(pairs: Iterable[tuple[int, int]]) -> float:
        return statistics.fmean(math.dist(positions[one], positions[other]) for one, other in pairs)

    routers = range(80, 120)
    near = [(one, other) for one, other in zip(begin, end, strict=True) if one in routers and other in routers]
    assert mean(near) < 0.6 * mean(itertools.combinations(routers, 2))


def test_a_line_is_spread_as_a_line() -> None:
    """Sixty routers one behind the other: each is near the next one, and the ends are as far apart as any two."""
    begin, end = list(range(59)), list(range(1, 60))
    spread = _weir.spread(60, begin + end, end + begin)
    steps = [math.dist(spread[one], spread[one + 1]) for one in begin]
    assert max(steps) < math.dist(spread[0], spread[-1]) / 8
    assert math.dist(spread[0], spread[-1]) > 0.9 * max(math.dist(one, other) for one in spread for other in spread)
    assert _weir.spread(1, [], []) == [[0, 0]] and _weir.spread(0, [], []) == []
    apart = _weir.spread(4, [0, 1, 2, 3], [1, 0, 3, 2])
    assert math.dist(apart[0], apart[1]) < math.dist(apart[0], apart[2]), "two pieces"


def test_pictures_add_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of several intervals have the mean utilization of the whole run, also if the last one is shorter."""
    folders.torus(tmp_path, [4, 4], intervals=10)
    results = weir.open(tmp_path)
    links = results.columns("links")
    monkeypatch.setattr(series, "FRAMES", 3)
    found = series.read(results, links["capacity"], [1] * len(links["capacity"]), 100)
    assert found is not None and found.intervals == 4 and len(found.starts) == 3
    assert found.mean("utilization") == pytest.approx(links["utilization"], rel=1e-9)
    pictures = zip(found.lengths, *found.of_links("utilization", [0, 5]), strict=True)
    first, sixth = (sum(row[0] * row[1 + place] for row in rows) for place, rows in enumerate(itertools.tee(pictures)))
    whole = sum(found.lengths)
    assert [first / whole, sixth / whole] == pytest.approx([links["utilization"][link] for link in (0, 5)], rel=1e-9)


def test_warm_up_is_no_part_of_the_pictures(tmp_path: Path) -> None:
    """Two of ten intervals and a half are warm-up: the first picture is half as long, rows before it do not count."""
    folders.torus(tmp_path, [4, 4], intervals=10, packet=True)
    results = weir.open(tmp_path)
    results.summary["experiment"]["workload"]["warmup"] = "250 us"
    links = results.table("links").num_rows
    found = series.read(results, [1e9] * links, [1] * links, 100)
    assert found is not None
    assert found.starts[:3] == [250 * 10**6, 300 * 10**6, 400 * 10**6] and len(found.starts) == 8
    table = results.table("series/links").to_pandas()
    third = table[(table.start_ps == 300 * 10**6) & (table.link == 5)].bytes.sum()
    assert found.at("utilization", 1)[5] == pytest.approx(third / 1e5, rel=1e-12)
    waiting = results.table("series/buffers").to_pandas()
    mean = waiting[(waiting.start_ps == 300 * 10**6) & (waiting.link == 5)].mean_packets.sum()
    assert found.at("buffers", 1)[5] == pytest.approx(mean, rel=1e-12)


TORUS = """
title = "all-to-all"
[topology]
kind = "torus"
shape = [4, 4]
bandwidth = "1 GB/s"
latency = "100 ns"
[engine]
kind = "flow"
[workload]
kind = "all-to-all"
message_size = "20 kB"
"""


def heat_map(
    kinds: list[str],
    waited: list[float],
    outcome: str = "finished",
    engine: str = "packet",
    **values: list[list[float]],
) -> charts.Chart:
    """The chart of links a, b, c, ... in three pictures of 1 us, the last one of 2 us."""
    count = len(kinds)
    links = machine.Links(
        name=[chr(ord("a") + link) for link in range(count)],
        begin=range(count),
        end=range(count),
        kind=kinds,
        capacity=[1.0] * count,
        wires=[1.0] * count,
        columns={"waited_ps": waited, "packets": [4.0] * count},
    )
    return congestion.chart(links, series.Series([0, 10**6, 2 * 10**6], 4 * 10**6, 1, values), outcome, engine)


def test_congested_links_stand_in_the_order_in_which_they_fill() -> None:
    """Links between routers: c has half of its 4 packets at once, a and b later, a more than b; d has none."""
    buffers = [[0.0, 1.0, 3.0, 0.0, 9.0], [8.0, 6.0, 4.0, 0.0, 9.0], [8.0, 6.0, 0.0, 0.0, 9.0]]
    unused = [[0.0] * 5] * 3
    kinds = ["network"] * 4 + ["injection"]
    chart = heat_map(kinds, [1e6, 8e6, 0, 0, 2e6], utilization=unused, buffers=buffers)
    figure = json.loads(chart.figure)
    assert figure["data"][0]["y"] == ["c", "a", "b"]
    assert chart.note is not None
    assert "waited longest for b: 2 us each on average, 8 us in sum" in chart.note.en


def test_without_buffers_the_busiest_links_stand_there() -> None:
    """The flow engine: per cent of utilization. Links of nodes, where nothing else was used."""
    used = {"utilization": [[0.5, 0], [1.0, 0], [0, 0]]}
    chart = heat_map(["injection", "network"], [math.nan, math.nan], engine="flow", **used)
    assert json.loads(chart.figure)["data"][0]["y"] == ["a"]
    assert chart.note is not None
    assert "The flow engine has no buffers" in chart.note.en
    packet = heat_map(["injection", "network"], [math.nan, math.nan], **used).note
    assert packet is not None
    assert "in buffers was not recorded" in packet.en
    idle = heat_map(["network"], [0], utilization=[[0.1]] * 3, buffers=[[1.0]] * 3)
    assert idle.note is not None
    assert "No packet waited" in idle.note.en


def test_nothing_is_said_of_waits_that_are_not_counted() -> None:
    """A killed run has no column of waits; a deadlock none of packets that never went on."""
    full = {"utilization": [[0.1]] * 3, "buffers": [[16.0]] * 3}
    for outcome, waited, expected in [
        ("", math.nan, "known only when a run ends"),
        ("deadlock", 0.0, "is not counted"),
        ("limit", 0.0, "is not counted"),
        ("limit", 8e6, "waited longest for a"),
    ]:
        note = heat_map(["network"], [waited], outcome, **full).note
        assert note is not None and expected in note.en
        assert "No packet waited" not in note.en


def test_work_of_programs() -> None:
    """What counts of it: nothing, what was charged, or not known yet."""
    experiment = {"workload": {"kind": "program", "compute": "none"}}
    begun = {"engine": "flow", "experiment": experiment}
    ended = begun | {"outcome": "finished", "simulated_ps": 10**12}
    for summary, expected in [
        (begun, "only what it charges by weir_compute"),
        (ended, "own work takes no time"),
        (ended | {"skeleton": {"charged_s": 0.0}}, "own work takes no time"),
        (ended | {"skeleton": {"charged_s": 0.11}}, "as work here: 110 ms of all ranks together"),
    ]:
        limits = english(answer.answer(summary, None, 0, 0).limits)
        assert expected in limits
        assert ("takes no time" in limits) == ("takes no time" in expected)


def test_units_of_its_own() -> None:
    """A summary without units is shown with those of the page, and that is said."""
    assert "have no units" in english(answer.answer({"outcome": "finished", "units": "none"}, None, 0, 0).limits)
    assert "have no units" not in english(answer.answer({"outcome": "finished"}, None, 0, 0).limits)


def test_stubs_and_throughput(tmp_path: Path) -> None:
    """A torus has links around it, a fat tree and a ring on a circle have none. What a link carried, over 1 ms."""
    folders.torus(tmp_path / "torus", [4, 4])
    folders.torus(tmp_path / "ring", [4])
    folders.fat_tree(tmp_path / "tree", 2)
    for name, stubs in [("torus", True), ("tree", False), ("ring", False)]:
        page = report.page.render(weir.open(tmp_path / name))
        assert ("Wrap-around links are drawn as short ends" in page) == stubs
        assert ("Wrap-around" in page.split("<script")[0]) == stubs
    links = weir.open(tmp_path / "ring").columns("links")
    most = max(zip(links["utilization"], links["bytes"], strict=True))[1]
    assert f">{units.rate(most / 1e-3)}<" in report.page.render(weir.open(tmp_path / "ring"))


def test_routes_and_bound_come_from_the_command(run: Any, weir: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every route that is given crosses its link, and the pairs are those that have it on their route."""
    from weir import open

    monkeypatch.setenv("WEIR", weir)
    folder = run(TORUS, 0, "--set", "output.pairs=true")
    results = open(folder)
    bound = command.bound(results)
    assert bound is not None and 0 < bound <= results.summary["simulated_ps"]
    moved = results.table("links")["bytes"].to_pylist()
    found = command.routes(results, [0, 40])
    assert found.why_not is None
    for link, crossing in found.by_link.items():
        assert crossing["bytes"] == moved[link]
        assert all(link in route["links"] for route in crossing["routes"])


def test_without_the_command(tmp_path: Path, no_command: None) -> None:
    """No routes and no bound, but a page that says so."""
    folders.torus(tmp_path, [4], pairs=True)
    text = report.render(weir.open(tmp_path))
    assert "The command weir, which computes them, was not found" in text


def test_names_cannot_end_their_element(tmp_path: Path, no_command: None) -> None:
    """Titles, names and settings are shown as text, whatever is in them."""
    evil = "</script><script>alert(1)</script>"
    folders.torus(tmp_path, [4], title=evil, experiment={"title": evil})
    assert "<script>alert" not in report.render(weir.open(tmp_path))


def test_the_page_loads_nothing(tmp_path: Path, no_command: None) -> None:
    """No address in it but those of namespaces inside of Plotly, which is packed; the policy allows none."""
    folders.torus(tmp_path, [4], intervals=3, pairs=True)
    text = report.render(weir.open(tmp_path))
    assert not re.search(r"""(?:src|href)=["']""", text)
    assert "default-src 'none'" in text


def test_parts_that_were_not_recorded_name_their_key(tmp_path: Path, no_command: None) -> None:
    """Nothing but the summary."""
    folders.summary(tmp_path, engine="ideal", links=0)
    text = report.render(weir.open(tmp_path))
    for expected in ["output.pairs = true", "output.sample_interval", "knows no network", "no machine to draw"]:
        assert expected in text


def check_command(arguments: list[str], status: int, capsys: pytest.CaptureFixture[str], *words: str) -> None:
    """`python -m weir` ends with this status and says these words."""
    assert main(arguments) == status
    printed = capsys.readouterr().err
    for word in words:
        assert word in printed


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], no_command: None) -> None:
    """The page is in the folder unless said; mistakes are exit status 2."""
    check_command(["report", str(tmp_path / "nowhere")], 2, capsys, "error: ", "no such folder", "hint: ")
    folders.torus(tmp_path, [4])
    check_command(["report", str(tmp_path)], 0, capsys, "written: ", "report.html")
    page = tmp_path / "other.html"
    check_command(["report", str(tmp_path), "-o", str(page), "--language", "ja"], 0, capsys)
    assert 'data-language="ja"' in page.read_text(encoding="utf-8")
    check_command(["report", str(tmp_path), "-o", str(tmp_path / "no/page.html")], 1, capsys, "error: ")
    for name in ("summary.json", "links.parquet", "series/links/00000.parquet"):
        check_command(["report", str(tmp_path), "-o", str(tmp_path / name)], 2, capsys, "of the results themselves")
    (tmp_path / "latencies.parquet").unlink()
    check_command(["report", str(tmp_path)], 2, capsys, "names tables that are not there: latencies")
    check_command(["report", str(tmp_path), "--allow-incomplete"], 0, capsys)
    (tmp_path / "summary.json").unlink()
    check_command(["report", str(tmp_path)], 0, capsys, "warning: the run has not ended", "written: ")
    assert "was killed" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_where_ranks_wait(tmp_path: Path, no_command: None) -> None:
    """Two parts: 3 us of 2 ranks and 10 us in MPI_Recv; a call without an end counts as a call only,
    and no rank waits in MPI_Send."""
    folders.summary(tmp_path, ranks=2, simulated_ps=10 * 10**6)
    assert waiting(weir.open(tmp_path)) == []
    folders.calls(
        tmp_path,
        [
            [("MPI_Recv", 0, 2_000_000, 1_500_000), ("MPI_Send", 0, 1_000_000, 0)],
            [("MPI_Recv", 4_000_000, 6_000_000, 1_500_000), ("MPI_Recv", 7_000_000, None, None)],
        ],
    )
    results = weir.open(tmp_path)
    assert waiting(results) == [WaitRow("MPI_Recv", "3", "4 us", "3 us", "15 %", "1.5 us", 1)]
    text = report.render(results)
    for expected in ["Where ranks wait", "ランクの待ち時間", "MPI_Recv", "1 not over"]:
        assert expected in text
