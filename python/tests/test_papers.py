"""The items of the papers (tools/papers): each runs its smallest points, and what is judged is right."""

import dataclasses
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from papers import __main__, mfs, nsim, numbers, pages, parallel_mfs, plots, quiet, tables, values
from papers.grid import around
from papers.running import ITEMS, Campaign, Item, overlaid
from papers.values import Comparison, Row, about, above, below, beside, between, exactly, near, row

PLACE = "paper 000, section 4.2"
CORES = len(os.sched_getaffinity(0))

FAT_TREES = {"grid": {"topology.radix": [6, 8]}}
TORI = {"grid": {"topology.shape": [[10, 10], [11, 11]]}}
RINGS = {"grid": {"topology.radix": [16, 24]}}
SHORTER = {
    "points": [
        {"label": "20 kB", "workload.message_size": "5 kB"},
        {"label": "1 B", "workload.message_size": "1 B"},
    ]
}
SIZE, GAP, IMBALANCE, SEED = "workload.message_size", "node.packet_gap", "workload.start_imbalance", "workload.seed"
#: A smaller machine that stands for the large model: 640 nodes, six routes on the busiest link.
SMALLER = ["workload.rlevel=4", "topology.shape=[40, 4, 4]"]


def large(**grid: Any) -> dict[str, Any]:
    """Points of the smaller machine."""
    return {"set": SMALLER, "grid": {SIZE: ["8 KiB"], GAP: [0, 5.25], **grid}}


def small(*gaps: Any, **grid: Any) -> dict[str, Any]:
    """Points of the small model."""
    return {"grid": {SIZE: ["96 KiB"], GAP: list(gaps), **grid}}


#: By item: the parts of its studies that are run, how many values are judged and right, and how many are not reproduced
#: for a reason on record; then values by place and name.
FEW: dict[str, tuple[list[dict[str, Any]], int, int, dict[tuple[str, str], Any]]] = {
    # Per size: four times regular = ideal, N against F twice, the outside model; published at 54 nodes in three modes.
    "000/figure-2": (
        [FAT_TREES],
        2 * (4 + 2 + 1) + 3,
        0,
        {
            ("54", "random / regular, Mode F"): pytest.approx(2.505, abs=0.001),
            ("128", "regular / ideal (N - 1), Mode N"): 1.0,
        },
    ),
    # Run times are shown, not judged. Iterations are: two sizes, two readings, all of them fewer than published.
    "000/figure-3": (
        [FAT_TREES],
        0,
        2 * 2,
        {
            ("54", "iterations of Step 5, most, Mode N"): 10.0,
            ("54", "iterations of Step 5, most, literal Mode N"): 3.0,
        },
    ),
    # Per size the lower bound, the second model, and that packets are nearer to flows than to the minimum.
    "000/figure-4": ([TORI, TORI], 6, 0, {("100", "theoretical minimum"): 2.5}),
    "000/table-2": ([TORI, TORI], 0, 0, {("100", "packet-hops"): 838_600.0}),
    # Two algorithms against the second model, the order of all three on both engines, and that it is the same.
    # Packets of 5 kB stand for those of 20 kB.
    "000/figure-6": ([{}, SHORTER], 7, 0, {("all", "algorithms of the same rank on both engines"): 3.0}),
    # Messages and bytes of the skeleton, and that it is logged faster. One clock call per integral, and one per rank
    # for the pairs.
    "001/figure-5": ([], 3, 0, {("ERI394", "clock calls"): 981_557.0 + 8.0}),
    # Of both skeletons messages and bytes; three orders, of which a busy computer changes none; clock calls of class C.
    "001/figure-6": ([], 2 * 2 + 3 + 1, 0, {}),
    "002/table-3-1": ([RINGS], 4, 0, {}),
    # Per machine two sharing rules against the closed form, and against each other.
    "002/random-ring": ([RINGS], 6, 0, {("1024", "most flows on a link, Mode F"): 5.0}),
    # Per machine, barrier and number of threads that were used the simulated time: one with the parking barrier, for
    # both machines are too small for more, and as many as there are cores, up to two, with the spinning one.
    "002/thread-scaling": (
        [overlaid(RINGS, {"grid": {"engine.threads": [1, 2]}}), RINGS],
        2 + 2 * min(CORES, 2),
        0,
        {("8x8x16", "speed-up, park, threads: 1"): 1.0},
    ),
    # Within a switch the closed form; throughput falls.
    "003/figure-4": (
        [{"grid": {"workload.ranks": [2, 8, 36], SEED: [1, 2]}}],
        3,
        0,
        {("8", "throughput, over that with 2 nodes"): 1.0},
    ),
    # Per run packets and packet-hops: 544 links between routers, and 384 to nodes.
    "003/figure-5": (
        [
            {"grid": {"topology.shape": [[2, 2, 2], [4, 2, 2], [4, 4, 2], [4, 4, 4]]}},
            {"grid": {"topology.shape": [[2, 2, 2], [4, 2, 2]]}},
        ],
        6 * 2,
        0,
        {("8", "packets, 4 B"): 24.0, ("8", "packet-hops, 1024 B"): 928.0},
    ),
    # The share, and the best gap twice, that pacing helps, that derived gaps are as good, and one time beyond; the best
    # gap of the sum. What is published of how much it helps is not reproduced.
    "004/figure-7": (
        [small(0, 1, 2, 2.125, 2.25, 3, "max-min")],
        1 + 5 + 1,
        1,
        {("all", "routes on the busiest link"): 3.0},
    ),
    "004/figure-8": ([large(**{GAP: [0, 5.25, 7, "max-min"]})], 3, 0, {("all", "routes on the busiest link"): 6.0}),
    "004/figure-9": ([large(**{"workload.start_barrier": [False]}), large(**{IMBALANCE: ["1 us"]})], 2, 0, {}),
    "004/figure-10": ([small(0, 1, 2.125, 3), small(0, 1, 2.125, 3, **{IMBALANCE: ["1 us"], SEED: [1]})], 0, 0, {}),
    "004/figure-11": ([small(0, 2.125), small(0, 2.125, **{SEED: [1]})], 2, 0, {}),
    "004/figure-12": ([large()], 2, 0, {}),
    # Congestion begins at a corner, and pacing suppresses it.
    "004/congestion": ([large(**{GAP: [0, 5.5]})], 2, 0, {("gap 0", "most packets in a channel"): 16.0}),
    # Per machine the effect grows with size, and for 64 KiB with distance.
    "004/size-and-distance": (
        [{"grid": {"topology.shape": [[4, 4], [8, 8]], SIZE: ["4 KiB", "64 KiB"], SEED: [1, 2]}}],
        2 + 1,
        0,
        {},
    ),
}


def item(name: str) -> Item:
    """An item by its name, such as 000/figure-2."""
    return next(one for one in ITEMS if f"{one.paper}/{one.name}" == name)


def campaign(name: str, weir: str, threads: int | None = None, **options: Any) -> Campaign:
    """How the few points of an item are run."""
    return Campaign(item(name), weir, "few", threads=threads, parts=dict(enumerate(FEW[name][0])), **options)


def own(found: Comparison, x: str, what: str) -> float:
    """An own value."""
    (value,) = [row.own for row in found.rows if (row.x, row.what) == (x, what)]
    assert value is not None
    return value


def check_rows(found: Comparison) -> None:
    """Rows name the source of their targets, in this paper if it states them, and have a reason where they need one.

    No two rows have one name.
    """
    assert max(Counter((row.x, row.what) for row in found.rows).values()) == 1
    for one in found.rows:
        needs_reason = one.own is None or one.verdict == "not reproduced"
        may_have_one = one.verdict == "not judged" and one.target is not None
        assert (one.why is not None) == needs_reason or may_have_one, one
        if one.target is not None:
            assert one.source, one
        if one.kind in values.OF_THE_PAPER:
            assert re.match(rf"paper {found.paper}, (section |sections |table |abstract)", one.source), one


def test_every_item_is_run() -> None:
    """The barrier is measured by a program of its own."""
    assert [f"{one.paper}/{one.name}" for one in ITEMS if one.name != "barrier"] == list(FEW)


@pytest.mark.parametrize("name", FEW)
def test_item(name: str, weir: str) -> None:
    """The few points of an item: what is judged is right, and plots can be drawn."""
    found = __main__.compare(campaign(name, weir))
    check_rows(found)
    _, judged, not_reproduced, expected = FEW[name]
    assert found.unexplained == []
    count = Counter(row.verdict for row in found.rows)
    assert (count["yes"], count["not reproduced"]) == (judged, not_reproduced), tables.to_text(found)
    for (x, what), value in expected.items():
        assert own(found, x, what) == value
    for plot in found.plots:
        assert plots.to_svg(plot).startswith("<svg"), plot.name
    MORE.get(name, lambda _: None)(found)


def packets_without_what_does_not_grow(found: Comparison) -> None:
    """99 steps; the first one, to the neighbor, passes three cables of 100 ns and two routers of 146 ns."""
    whole, one_byte = (own(found, "100", f"simulated time, packet engine, {size}") for size in ("20 kB", "1 B"))
    assert own(found, "100", "simulated time, packet engine, 20 kB less 1 B") == whole - one_byte
    assert one_byte > 99.0 * 592e-6


def memory_is_that_of_a_run(found: Comparison) -> None:
    """In MB, one for each run."""
    memory = [row.own for row in found.rows if row.what.startswith("memory")]
    assert len(memory) == 6 and all(1.0 < megabytes < 200.0 for megabytes in memory if megabytes), memory


def level_1_makes_more_calls(found: Comparison) -> None:
    """A hundred times as many."""
    assert own(found, "FFT-L1", "clock calls") > 100.0 * own(found, "FFT-L3", "clock calls")
    assert own(found, "FFT-L1", "CPI x CCT") > 0.0


def sweeps_are_timed(found: Comparison) -> None:
    """Each step of the sweep, and the engine."""
    for waiting, runs in [("park", 2), ("spin", 2 * min(CORES, 2))]:
        assert sum(row.what.startswith(f"speed-up, {waiting}") for row in found.rows) == runs
    assert own(found, "12x12x24", "step 3 count flows, work, threads: 1") > 0.0
    assert own(found, "8x8x16", "fastest sweep / without barriers") > 0.0


def theory_is_a_bound(found: Comparison) -> None:
    """Nothing takes less."""
    assert own(found, "all", "no pacing / theory") >= 1.0


MORE: dict[str, Callable[[Comparison], None]] = {
    "000/figure-4": packets_without_what_does_not_grow,
    "003/figure-5": memory_is_that_of_a_run,
    "001/figure-6": level_1_makes_more_calls,
    "002/thread-scaling": sweeps_are_timed,
    "004/figure-11": theory_is_a_bound,
    "004/figure-12": theory_is_a_bound,
}


def test_results_are_the_same_for_any_number_of_threads(weir: str) -> None:
    """Every point is watched."""
    steps: list[tuple[int, int]] = []
    one = __main__.compare(campaign("000/figure-4", weir, 1, watch=lambda _, done, of, __: steps.append((done, of))))
    assert steps == 2 * [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert __main__.compare(campaign("000/figure-4", weir, 3)) == one


def test_a_barrier_hidden_in_the_work_is_not_measurable() -> None:
    """A time below zero is no result: it is said that there is none, and of a ratio with it, too."""
    assert [parallel_mfs.added(3_000, 1_000, 10), parallel_mfs.added(1_000, 3_000, 10)] == [200.0, None]
    assert parallel_mfs.added(5, 5, 10) is None
    rows = parallel_mfs.barrier_rows(2, 2, 10_000_000_000, {"spin": 98.0, "park": None})
    assert [(one.own, one.why is not None) for one in rows] == [(98.0, False), (None, True), (None, True)]
    assert rows[0].x == "1e10" and not any(one.is_unexplained for one in rows)
    assert parallel_mfs.barrier_rows(2, 2, 10_000_000_000, {"spin": 98.0, "park": 49.0})[2].own == 0.5


def test_numbers() -> None:
    """Numbers for people and for CSV."""
    cases = {
        0.0: "0",
        196_608.0: "196,608",
        -1_234.0: "-1,234",
        9.853_223: "9.853",
        0.012_346: "0.01235",
        1_234.56: "1235",
        2.5: "2.5",
        12_345.67: "12,346",
        1.234_6e-7: "1.235e-7",
    }
    assert {number: numbers.shown(number) for number in cases} == cases
    assert [numbers.percent(part) for part in (0.5, -0.001, 1e-9)] == ["+50.00 %", "-0.10 %", "0 %"]
    assert [numbers.plain(number) for number in (1e-9, 53.0, 2.5e20)] == ["0.000000001", "53", "250000000000000000000"]
    assert [numbers.scientific(number) for number in (1e6, 2.5e-7)] == ["1e6", "2.5e-7"]
    assert numbers.exponent([(1, 3), (2, 12), (4, 48)]) == pytest.approx(2.0)
    assert nsim.geometric_mean([1.0, 4.0]) == pytest.approx(2.0)
    assert mfs.ranking(dict(zip(mfs.ALGORITHMS, [22.2, 38.9, 22.2], strict=True))) == [0, 2, 0]


#: A second, independent count: shape, then packets and links between routers for 4 B and for 1024 B.
SECOND_COUNT = [
    ((2, 2, 2), (24, 34), (384, 544)),
    ((4, 2, 2), (64, 106), (2048, 3392)),
    ((4, 4, 2), (160, 278), (10_240, 17_792)),
    ((8, 4, 4), (896, 1900), (229_376, 486_400)),
    ((16, 8, 8), (81_920, 253_376), (20_971_520, 64_864_256)),
    ((16, 16, 16), (1_572_864, 6_151_680), (402_653_184, 1_574_830_080)),
]


def test_counts_of_bruck_agree_with_a_second_count() -> None:
    """Packets and routers on six of the tori."""
    for shape, short, long in SECOND_COUNT:
        for block, (packets, links) in [(4, short), (1024, long)]:
            assert nsim.bruck_counts(shape, block) == (packets, links + packets), (shape, block)
    assert (nsim.distance((8, 1, 1), 6, 1), nsim.distance((4, 4, 4), 0, 63)) == (3, 3)


def test_a_search_goes_on_until_the_best_gap_is_inside() -> None:
    """Beyond its edges, and finer around the best one, to an eighth."""
    cases: list[tuple[list[float], float, list[float]]] = [
        ([0, 16, 16.5, 17], 16.5, [16.25, 16.75]),
        ([0, 16, 16.5], 16.5, [16.25, 17.0]),
        ([0, 2], 0, [1.0]),
        ([1.875, 2, 2.125], 2, []),
        ([1.875, 2], 2, [2.125]),
        ([0], 0, []),
    ]
    for gaps, best, expected in cases:
        assert around(gaps, best) == expected


def test_targets() -> None:
    """Less than 1 is not 1, however it is rounded."""
    cases = [
        (10.0, exactly(10), True),
        (10.000_000_1, exactly(10), False),
        (10.5, near(10, 0.05), True),
        (9.4, near(10, 0.05), False),
        (99.0, beside(10), None),
        (float("nan"), near(1, 1), False),
        (0.04, between(0, 0.04), True),
        (0.041, between(0, 0.04), False),
        (7.0, about(0, 0.04), None),
        (1.0 - sys.float_info.epsilon, below(1), True),
        (1.0, below(1), False),
        (1.0, above(1), False),
        (1.0 + sys.float_info.epsilon, above(1), True),
    ]
    for number, target, admitted in cases:
        assert target.admits(number) == admitted, (number, target)


def test_verdicts_and_reasons() -> None:
    """What the paper states and is not had needs a reason; everything else that disagrees is an error."""
    off = row(54, "ratio", "", 3.0).published(near(2.5, 0.1), PLACE)
    assert (off.verdict, off.is_unexplained, off.difference) == ("not reproduced", True, pytest.approx(0.2))
    assert not off.explained("The routers differ.").is_unexplained
    assert dataclasses.replace(off, own=2.6).explained("The routers differ.").why is None
    for wrong in (Row.outside_model, Row.formula, Row.second_way):
        one = wrong(row(54, "ratio", "", 3.0), below(2), "another")
        assert one.verdict == "no" and one.explained("It is what it is.").is_unexplained
    for target, is_off in [(beside(9), False), (beside(8), True), (about(9, 10), False), (about(0, 9), True)]:
        one = row("1e9", "park / spin", "", 9.3).published(target, PLACE).declared("It sleeps.")
        assert (one.why is not None) == is_off and not one.is_unexplained
    with pytest.raises(AssertionError, match="names no paper"):
        row(1, "ratio", "", 1.0).published(exactly(1), "section 4.2")
    with pytest.raises(AssertionError, match="a bound is no number"):
        row(1, "ratio", "", 1.0).published(below(1), PLACE)


def comparison() -> Comparison:
    """One of every sort of row."""
    place = f'{PLACE}, "Random"'
    rows = [
        row("54", "random / regular", "", 2.505).published(near(2.5, 0.1), place),
        row("54", "largest, of all", "", 53).formula(below(50), "N"),
        row("54", "iterations", "", 2).published(between(8, 13), place).explained("Few."),
        row("all", "iterations", "", 2).published(between(8, 13), place).explained("Few."),
        values.missing("3456", "wall-clock time", "s", "Too long."),
    ]
    return Comparison("nodes", rows, [], ["One placement."], "000", "figure-2", "all-to-all")


def test_tables() -> None:
    """Text, CSV, Markdown, and the table of all items."""
    text = """\
paper 000, figure-2: all-to-all
  nodes  value                kind        target      own  difference  tolerance  verdict
     54  random / regular     published      2.5    2.505     +0.20 %  10 %       yes
     54  largest, of all      formula       < 50       53                         no
     54  iterations           published  8 .. 13        2                         not reproduced
    all  iterations           published  8 .. 13        2                         not reproduced
   3456  wall-clock time [s]                      not run                         not judged
  note: One placement.
  note: Not reproduced: iterations (54 nodes); iterations. Few.
  note: Not run: wall-clock time (3456 nodes). Too long.
"""
    assert tables.to_text(comparison()) == text
    csv = tables.to_csv(comparison()).splitlines()
    assert csv[1] == (
        '54,random / regular,,published,2.5,2.505,0.0020000000000000018,0.1,yes,"paper 000, section 4.2, ""Random""",'
    )
    assert csv[2:4] == [
        '54,"largest, of all",,formula,<50,53,,,no,N,',
        '54,iterations,,published,8..13,2,,,not reproduced,"paper 000, section 4.2, ""Random""",Few.',
    ]
    page = tables.to_markdown(comparison())
    assert page.startswith("## Paper 000, figure-2: all-to-all\n\n| nodes | value | kind |")
    assert "|  | not judged |\n\n- One placement.\n" in page
    part = tables.Part.of(comparison())
    lines = tables.overview([part]).splitlines()
    assert len(lines) == 1 + 4 + 1 + 5 and lines[1].startswith("000    figure-2  54 nodes  random / regular")
    assert lines[-5:] == [
        "published numbers: 1 of 3 reproduced, 2 not reproduced",
        "published in words (an order, a trend, a bound): 0 of 0 reproduced, 0 not reproduced",
        "numbers of an outside model: 0 of 0 agree, 0 disagree",
        "formulas: 0 of 1 agree, 1 disagree",
        "own values had in a second way: 0 of 0 agree, 0 disagree",
    ]
    described = comparison().to_json()
    assert not described["as_recorded"] and described["rows"][1]["target"] == {"below": 50}


def test_a_folder_gets_a_page_with_its_plots_and_tables(weir: str, tmp_path: Path) -> None:
    """Items that are written one by one add to one page."""
    results = tmp_path / "results" / "papers"
    table, figure = (__main__.compare(campaign(name, weir)) for name in ("002/table-3-1", "000/figure-4"))
    text = pages.write([table], "abc1234", results).read_text()
    assert "built from abc1234." in text and "| paper | item | at |" in text and "](002-table-3-1.svg)" in text
    assert all((results / f"002-table-3-1.{ending}").is_file() for ending in ("svg", "csv"))
    # Another item, run on another day, adds to the page, in the order of the list.
    text = pages.write([figure], "def5678", results).read_text()
    assert 0 < text.find("## Paper 000, figure-4") < text.find("## Paper 002, table-3-1")
    assert "Built from def5678." in text and "Built from abc1234." in text
    (results / "items" / "000-figure-4.json").write_text("{}")
    with pytest.raises(ValueError, match="000-figure-4.json is not what .* run the item again"):
        pages.write([], None, results)


def test_ticks_are_read() -> None:
    """Of three processors two are allowed; the name of the program has a bracket and spaces."""
    system = (
        "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 10 20 30 400 5 1 2 3 7 0\ncpu1 9 9 9 9 9 9 9 9\n"
        "cpu2 1 0 0 100 0 0 0 0 0 0\nintr 5\n"
    )
    process = "7 (a (b) c) R 1 7 7 0 -1 4194304 102 0 0 0 11 12 1 2 20 0 1 0\n"
    assert quiet.Ticks.read(system, process, {0, 2}) == quiet.Ticks(471 + 101, 66 + 1, 26, 2)


def test_what_is_not_own_is_of_others() -> None:
    """Ten seconds of two processors, of which this process has used 12 and others 3: they had 0.3 of the two."""
    begun = quiet.Ticks(500, 100, 50, 2)

    def used(busy: int, of_own: int) -> quiet.Used:
        found = begun.used_until(quiet.Ticks(2500, 100 + busy, 50 + of_own, 2))
        assert found
        return found

    assert used(1500, 1200) == quiet.Used(0.3, 2) and str(used(1500, 1200)) == "0.30 of the 2 processors"
    assert [used(busy, 1200).is_much for busy in (1500, 1200, 1210)] == [True, False, False]
    # Clocks of a process and of the processors differ a little.
    assert used(1200, 1203).processors == 0.0
    assert begun.used_until(quiet.Ticks(600, 100, 50, 2)) is None, "half a second says little"


def test_no_page_is_made_on_a_busy_computer(tmp_path: Path, weir: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A process beside it that computes."""
    busy = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    try:
        time.sleep(0.2)
        words = ["002", "table-3-1", "--weir", weir, "--out", str(tmp_path / "results")]
        assert __main__.main(words) == 1
    finally:
        busy.kill()
        busy.wait()
    printed = capsys.readouterr()
    assert printed.out == "" and not (tmp_path / "results").exists()
    assert printed.err.startswith("error: --out: other processes use ")
    assert "leave out --out: values are printed then" in printed.err


def test_sizes_are_chosen(weir: str, capsys: pytest.CaptureFixture[str]) -> None:
    """3 x 2 messages of 24 KiB at 8 GB/s."""
    assert __main__.main(["004", "figure-11", "-q", "--json", "--sizes", "8,16", "--weir", weir]) in (0, 1)
    (found,) = json.loads(capsys.readouterr().out)
    (theory,) = [row["own"] for row in found["rows"] if row["what"] == "theory"]
    assert theory == pytest.approx(6.0 * 24.0 * 1024.0 / 8e9 * 1e6)
    for words, expected in [
        (["004", "congestion", "--sizes", "96"], "paper 004, congestion has no sizes to choose"),
        (["004", "figure-9", "--sizes", "0"], "whole numbers of KiB were expected"),
        (["000", "figure-9"], "it has figure-2, figure-3, "),
        (["007"], "there is no 007"),
    ]:
        with pytest.raises(SystemExit) as ended:
            __main__.main(words)
        assert ended.value.code == 2 and expected in capsys.readouterr().err
