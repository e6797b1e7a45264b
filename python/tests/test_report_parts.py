"""Causes, groups and classes of links of a report, and what of them is in a browser: search, routes, files."""

import csv
import math
import re
from pathlib import Path
from typing import Any

import folders
import pytest

import weir
from weir import report
from weir.report import causes, classes, command, groups, jobs, layout

#: Half of 1 ms is work, a quarter waits for others' messages, a quarter are bytes; of all ranks 3 ms work.
CAUSES: dict[str, Any] = {
    "total_ps": {"compute": 3 * 10**9, "contention": 10**9},
    "critical_path": {
        "rank": 1,
        "causes_ps": {"compute": 5 * 10**8, "serialization": 25 * 10**7, "contention": 25 * 10**7},
        "at_best_ps": {"compute": 75 * 10**7, "contention": 9 * 10**8},
        "messages": 3,
        "links": 9,
        "calls": [{"call": "MPI_Recv", "time_ps": 10**9}],
        "phases": [{"phase": "solve", "time_ps": 8 * 10**8}],
        "work": [{"rank": 1, "time_ps": 3 * 10**8}, {"rank": 2, "time_ps": 2 * 10**8}],
        "classes": [
            {"class": "injection", "latency_ps": 10**4, "bytes_ps": 0},
            {"class": "dimension x", "latency_ps": 0, "bytes_ps": 5 * 10**8},
        ],
        "narrowest": [{"link": 9, "name": "router (0) -> router (1)", "time_ps": 10**8}],
        "ranks_passed": 2,
        "last_ranks": [1, 0],
    },
    "compute": {"mean_ps": 75 * 10**7, "max_ps": 15 * 10**8, "max_rank": 2},
}


def test_causes_are_shares_of_both_bars() -> None:
    """By hand: where each part begins, and what half of a cause saves; what is not known has no text."""
    found = causes.table({"causes": CAUSES})
    assert found is not None and found.has_best
    rows = {row.cause: row for row in found.rows}
    assert list(rows) == ["compute", "serialization", "contention"]
    assert (rows["contention"].path.begin, rows["contention"].path.length) == (75, 25)
    assert (rows["contention"].total.begin, rows["contention"].total.length) == (75, 25)
    assert (rows["compute"].at_best, rows["compute"].saved) == ("750 us", "25 %")
    assert rows["serialization"].at_best == ""
    said = [note.en for note in found.notes]
    assert {"By phase: solve 80 %.", "Work by rank: 1 30 %, 2 20 %."} < set(said)
    assert {
        "Bytes held up by a class of links: dimension x 50 %.",
        "Narrowest links: router (0) -> router (1) 10 %.",
    } < set(said)
    assert not any(note.startswith("Latency by class") for note in said), "less than a thousandth"
    path = {key: value for key, value in CAUSES["critical_path"].items() if key != "at_best_ps"}
    without = CAUSES | {"critical_path": path}
    bare = causes.table({"causes": without})
    assert bare is not None and not bare.has_best
    assert causes.table({}) is None


def test_a_job_waits_for_others() -> None:
    """Each job that waited for others has a sentence, with who was in the way where it waited longest."""
    behind = [{"job": "a", "time_ps": 6 * 10**9, "share": 0.75}, {"job": "b", "time_ps": 2 * 10**9, "share": 0.25}]
    link = {"link": 7, "name": "router (0) -> router (1)", "time_ps": 8 * 10**9, "others_ps": 6 * 10**9, "jobs": behind}
    waited = {"time_ps": 9 * 10**9, "others_ps": 7 * 10**9, "jobs": behind, "links": [link]}
    alone = {"time_ps": 0, "others_ps": 0, "jobs": [], "links": []}
    rows = [{"name": "b", "waited_for": waited}, {"name": "a", "waited_for": alone}, {"name": "c"}]
    found = causes.table({"causes": CAUSES, "jobs": rows})
    assert found is not None
    assert [note.en for note in found.notes if "waited" in note.en] == [
        "Messages of job b waited 7 ms for other jobs at links, all messages together, 6 ms of it at "
        "router (0) -> router (1): a 75 % of the waiting there."
    ]
    longer = {"name": "d", "waited_for": {**waited, "others_ps": 8 * 10**9}}
    many = causes.table({"causes": CAUSES, "jobs": [rows[0]] * causes.MOST_JOBS + [longer]})
    assert many is not None
    shown = [note.en for note in many.notes if "waited" in note.en]
    assert len(shown) == causes.MOST_JOBS
    assert "job d waited 8 ms" in shown[-1]


def dragonfly() -> tuple[Any, ...]:
    """Nine groups of four routers, all joined within; one cable between any two groups. Names, nodes, levels, links."""
    cables = [(4 * g + a, 4 * g + b) for g in range(9) for a in range(4) for b in range(a)]
    cables += [(4 * i + (j - i - 1) // 2, 4 * j + (i - j - 1) % 9 // 2) for j in range(9) for i in range(j)]
    begin = [one for one, _ in cables] + [other for _, other in cables]
    end = [other for _, other in cables] + [one for one, _ in cables]
    return [f"r{one}" for one in range(36)], [False] * 36, [1] * 36, begin, end


def test_groups_and_classes_of_a_dragonfly() -> None:
    """Found by neighbors; the same by names. 54 cables are within groups, 36 between; a ring has no group."""
    names, node, level, begin, end = dragonfly()
    said = [f"g{one // 4}r{one % 4}" for one in range(36)]
    for called in (names, said):
        found = groups.find(called, node, level, begin, end)
        assert found is not None and found.of == [one // 4 for one in range(36)]
    kinds = ["network"] * len(begin)
    own = classes.classify(classes.Wiring(kinds, begin, end, [[]] * 36, level, found, [1.0] * len(begin)))
    assert [name.en for name in own.names] == ["within a group", "between groups"]
    assert [own.of.count(one) for one in (0, 1)] == [108, 72]
    ring = range(36)
    assert groups.find(names, node, level, ring, [(one + 1) % 36 for one in ring]) is None


def test_groups_as_routers_are_called() -> None:
    """`router 1 of group 2` says its group, also where neighbors would say another one. Of many routers groups are
    drawn as a whole, all places of a group at one point.
    """
    _, node, level, begin, end = dragonfly()
    names = [f"router {one // 9} of group {one % 9}" for one in range(36)]
    found = groups.find(names, node, level, begin, end)
    assert found is not None and found.of == [one % 9 for one in range(36)] and not found.whole
    assert [name.en for name in found.names][:2] == ["group 0", "group 1"]
    count = groups.MOST_ROUTERS_APART + 2
    many = [*(f"node {one}" for one in range(count)), *(f"spine {one // 2} of group {one % 2}" for one in range(count))]
    of_node = [True] * count + [False] * count
    begin, end = list(range(count)), list(range(count, 2 * count))
    level = [int(one >= count) for one in range(2 * count)]
    whole = groups.find(many, of_node, level, begin, end)
    assert whole is not None and whole.whole and whole.of == [one % 2 for one in range(2 * count)]
    plan = layout.lay_out(layout.Places([[]] * 2 * count, level, of_node), begin, end, whole)
    assert len(set(plan.positions)) == 2 and plan.positions[0] == plan.positions[2] != plan.positions[1]


def test_networks_are_groups_and_classes() -> None:
    """Two networks of two switches: each is a group, and its links are a class."""
    names = [
        "node 0",
        "node 1",
        *(f"router {one} of group 1 of network {network}" for network in (0, 1) for one in (0, 1)),
    ]
    node, level = [True, True, *[False] * 4], [0, 0, *[1] * 4]
    begin, end = [0, 1, 2, 3, 0, 1, 4, 5], [2, 3, 3, 2, 4, 5, 5, 4]
    found = groups.find(names, node, level, begin, end)
    assert found is not None and found.networks and found.of[2:] == [0, 0, 1, 1]
    assert [name.en for name in found.names] == ["network 0", "network 1"]
    kinds = ["injection" if one < 2 else "network" for one in begin]
    own = classes.classify(classes.Wiring(kinds, begin, end, [[]] * 6, level, found, [1.0] * 8))
    assert [name.en for name in own.names] == ["network 0", "network 1", "injection"]
    assert own.of == [2, 2, 0, 0, 2, 2, 1, 1]


def test_spines_are_inside() -> None:
    """The two leaves of each of four groups are further outside than its two spines."""
    leaves = [(group, leaf) for group in range(4) for leaf in range(2)]
    names = [f"node {one}" for one in range(8)]
    names += [f"{kind} {one} of group {group}" for kind in ("leaf", "spine") for group, one in leaves]
    node = [True] * 8 + [False] * 16
    begin = [*range(8), *(8 + 2 * group + leaf for group, leaf in leaves for _ in range(2))]
    end = [*range(8, 16), *(16 + 2 * group + spine for group, _ in leaves for spine in range(2))]
    level = [int(not one) for one in node]
    found = groups.find(names, node, level, begin, end)
    assert found is not None and found.of == [one // 2 % 4 for one in range(24)]
    positions = layout.lay_out(layout.Places([[]] * 24, level, node), begin, end, found).positions
    away = [math.hypot(x, y) for x, y, _ in positions]
    assert min(away[8:16]) > max(away[16:])


def test_lines_of_a_hyperx_are_arcs() -> None:
    """Where links lead to any place of a line none lies on another one, and none goes around; in a torus they do."""
    grid = [[x, y] for y in range(4) for x in range(4)]
    places = layout.Places(grid, [1] * 16, [False] * 16)
    pairs = [(a, b) for a in range(16) for b in range(16) if a != b]
    joined = [(a, b) for a, b in pairs if sum(p != q for p, q in zip(grid[a], grid[b], strict=True)) == 1]
    plan = layout.lay_out(places, [a for a, _ in joined], [b for _, b in joined])
    assert not any(plan.around) and plan.dimensions == 2
    for a, b in joined:
        (ax, ay, _), (bx, by, _) = plan.positions[a], plan.positions[b]
        for c in set(range(16)) - {a, b}:
            cx, cy, _ = plan.positions[c]
            far = abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) / math.dist((ax, ay), (bx, by))
            between = min(ax, bx) <= cx <= max(ax, bx) and min(ay, by) <= cy <= max(ay, by)
            assert far > 5 or not between, (a, b, c)
    near = [(a, b) for a, b in joined if all(abs(p - q) in (0, 1, 3) for p, q in zip(grid[a], grid[b], strict=True))]
    torus = layout.lay_out(places, [a for a, _ in near], [b for _, b in near])
    assert sum(torus.around) == 16 and torus.positions[5] == (layout.UNIT, -layout.UNIT, 0)


def test_classes_of_grids_and_trees(tmp_path: Path) -> None:
    """Dimensions of a torus, stages of a fat tree, and the links of nodes."""
    grid = [[x, y] for y in range(3) for x in range(3)]
    begin, end = [0, 0, 8], [1, 3, 8]
    own = classes.classify(
        classes.Wiring(["network", "network", "injection"], begin, end, grid, [1] * 9, None, [1.0] * 3)
    )
    assert [name.en for name in own.names] == ["dimension x", "dimension y", "injection"]
    level = [0, 1, 2, 3]
    begin, end = [0, 1, 3], [1, 2, 2]
    own = classes.classify(
        classes.Wiring(["injection", "network", "network"], begin, end, [[]] * 4, level, None, [1.0] * 3)
    )
    assert [own.names[one].en for one in own.of] == ["injection", "stages 1 and 2", "stages 2 and 3"]


@pytest.fixture
def opened(open_page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The page of a torus of 4 x 4 with causes, and a route of two links from any node to any other."""
    monkeypatch.setattr(command, "find", lambda: None)
    monkeypatch.setattr(
        command, "routes_of_nodes", lambda _: [[one, 16 + other] for one in range(16) for other in range(16)]
    )
    folders.torus(tmp_path, [4, 4], intervals=4, causes=CAUSES)
    file = report.write(weir.open(tmp_path), tmp_path / "page.html")
    return open_page(file)


def rows(page: Any) -> list[str]:
    """The links in the table of what was found."""
    page.wait_for_selector("#found tbody tr")
    return [str(row.split("\t")[0]) for row in page.locator("#found tbody").inner_text().splitlines()]


def test_search_and_routes(opened: Any) -> None:
    """A rank is found at its node, with both of its links; a route has its links in order; nonsense is answered."""
    opened.fill("#wanted", "rank 5")
    opened.press("#wanted", "Enter")
    assert rows(opened) == ["node 5 -> router (1,1)", "router (1,1) -> node 5"]
    assert opened.locator("#found-title").inner_text() == "rank 5: node 5"
    opened.fill("#wanted", "nothing")
    opened.press("#wanted", "Enter")
    opened.wait_for_selector("#nothing:visible")
    opened.fill("#route-from", "2")
    opened.fill("#route-to", "node 7")
    opened.press("#route-to", "Enter")
    opened.wait_for_selector("#found-title:text-is('node 2 → node 7')")
    assert rows(opened) == ["node 2 -> router (2,0)", "router (3,1) -> node 7"]
    assert not opened.locator("#nothing").is_visible()


def click(page: Any, name: str) -> None:
    """Clicks the dot of this name, or the middle of the link."""
    script = """(name) => {
      const all = [...Array(machine.model.places).keys()].map((dot) => ({ dot }));
      all.push(...[...Array(machine.model.links).keys()].map((link) => ({ link })));
      return machine.placeOf(all.find((one) => machine.nameOf(one) === name));
    }"""
    x, y = page.evaluate(script, name)
    page.locator("#machine").click(position={"x": x, "y": y})


def test_routes_by_clicks(opened: Any) -> None:
    """A dot shows its links, a second one the route from the first; then it begins anew. Dragging is no click."""
    click(opened, "router (0,2)")
    opened.wait_for_selector("#found-title:text-is('router (0,2)')")
    found = rows(opened)
    assert len(found) == 10 and "node 8 -> router (0,2)" in found and "router (0,1) -> router (0,2)" in found
    assert opened.input_value("#route-from") == "node 8" and opened.input_value("#route-to") == ""
    click(opened, "router (1,3)")
    opened.wait_for_selector("#found-title:text-is('node 8 → node 13')")
    assert rows(opened) == ["node 8 -> router (0,2)", "router (1,3) -> node 13"]
    assert (opened.input_value("#route-from"), opened.input_value("#route-to")) == ("node 8", "node 13")
    click(opened, "router (1,3)")
    opened.wait_for_selector("#found-title:text-is('router (1,3)')")
    box = opened.locator("#machine").bounding_box()
    opened.mouse.move(box["x"] + 5, box["y"] + 5)
    opened.mouse.down()
    opened.mouse.move(box["x"] + 30, box["y"] + 5)
    opened.mouse.up()
    assert opened.locator("#found").is_visible()
    opened.locator("#machine").click(position={"x": 5, "y": 5})
    opened.wait_for_selector("#found", state="hidden")
    assert opened.input_value("#route-from") == ""
    click(opened, "router (2,1) → router (2,2)")
    opened.wait_for_selector("#found-title:text-is('router (2,1) -> router (2,2)')")
    assert rows(opened) == ["router (2,1) -> router (2,2)"]


def test_labels_are_in_both_languages(opened: Any) -> None:
    """Those that attributes hold, too: nothing stays in the other language, and what was found changes with it."""
    click(opened, "router (0,2)")
    opened.wait_for_selector("#found-title:text-is('router (0,2)')")
    script = """[...document.querySelectorAll("[aria-label], [placeholder]")]
        .flatMap((one) => [one.getAttribute("aria-label"), one.getAttribute("placeholder")])
        .filter(Boolean)"""
    japanese = re.compile("[ぁ-んァ-ン一-龥]")
    english = opened.evaluate(script)
    assert len(english) > 8 and not [text for text in english if japanese.search(text)]
    opened.click("#language")
    assert [text for text in opened.evaluate(script) if not japanese.search(text)] == []
    assert opened.get_attribute("#wanted", "placeholder") == "ランク 3、リンク 7"
    opened.wait_for_selector("#found td:text-is('y 方向')")
    opened.click("#language")
    assert opened.evaluate(script) == english


def test_slider_machine_and_chart_are_together(opened: Any) -> None:
    """All three fit a window of 900 points."""
    top = opened.locator("#machine").bounding_box()["y"]
    chart = opened.locator("#chart-time").bounding_box()
    assert chart["y"] + chart["height"] - top < 900


def test_every_figure_can_be_saved(opened: Any, tmp_path: Path) -> None:
    """PNG, SVG and CSV of the causes, the machine and a chart; the data are those of the tables."""
    for key in ("causes", "machine", "time"):
        for form, begin in [("png", b"\x89PNG"), ("svg", b"<svg"), ("csv", b"")]:
            with opened.expect_download() as waiting:
                opened.locator(f"[data-save='{key}.{form}']").click()
            file = tmp_path / f"{key}.{form}"
            waiting.value.save_as(file)
            assert file.read_bytes().startswith(begin) and file.stat().st_size > 150, file
    # The name of a cause stands once for its parts of both bars.
    assert ">contention: 250 us, 25 % · 1 ms, 25 %<" in (tmp_path / "causes.svg").read_text(encoding="utf-8")
    # Links are as broad as there is room, and not as the outlines that are drawn before them.
    assert 'stroke-width="5"' in (tmp_path / "machine.svg").read_text(encoding="utf-8")
    links = weir.open(tmp_path).columns("links")
    lines = list(csv.DictReader((tmp_path / "machine.csv").open(encoding="utf-8")))
    assert [line["name"] for line in lines] == links["name"]
    assert [float(line["utilization"]) for line in lines] == links["utilization"]
    assert lines[0].keys() >= {"class", "utilization from 0 ps"}


def test_colors_by_class(opened: Any) -> None:
    """The switch shows a legend with the classes and how many links each has."""
    opened.select_option("#quantity", "class")
    assert "dimension x (32" in opened.locator("#classes").inner_text()
    assert not opened.locator(".scale").is_visible()
    drawing = opened.evaluate("saved('machine', 'svg')")
    assert ">dimension x<" in drawing and "link utilization" not in drawing
    opened.select_option("#quantity", "0")
    drawing = opened.evaluate("saved('machine', 'svg')")
    top = opened.locator("#top").inner_text()
    assert "link utilization, 0 – 1 ms" in drawing and f">{top}<" in drawing and ">dimension x<" not in drawing


def job(name: str, **more: object) -> dict[str, Any]:
    """A job of a summary that took 2 ms on two nodes."""
    counts = {"ranks": 4, "nodes": 2, "messages": 12, "bytes": 4000}
    return {"name": name, "start_ps": 10**6, "time_ps": 2 * 10**9, "over": True} | counts | more


def test_jobs_have_a_table_of_their_times() -> None:
    """Only what is known has a column: waits of jobs of a list, times alone, and waits for other jobs."""
    waited = {"time_ps": 5 * 10**9, "others_ps": 3 * 10**9, "jobs": [], "links": []}
    plain = jobs.table([job("a"), job("b", over=False), job("c", over=False, endless=True)])
    assert [(row.job, row.time, row.over) for row in plain.rows] == [
        ("a", "2 ms", True),
        ("b", "2 ms", False),
        ("c", "2 ms", True),
    ]
    assert [column for column in ("wait", "alone", "slowdown", "others") if plain.has(column)] == []
    full = jobs.table([job("a", alone_ps=10**9, slowdown=2.0, waited_for=waited), job("b", wait_ps=4 * 10**9)])
    first, second = full.rows
    assert (first.alone, first.slowdown, first.others, first.wait) == ("1 ms", "2", "3 ms", "")
    assert (second.alone, second.slowdown, second.others, second.wait) == ("", "", "", "4 ms")
    fixed = jobs.table([job("a", alone_messages=1500, slowdown=1.25)]).rows[0]
    assert (fixed.alone, fixed.slowdown) == ("1,500", "1.25")
    many = jobs.table([job("a")] * (jobs.MOST + 7))
    assert len(many.rows) == jobs.MOST and many.more() == 7
    assert not jobs.table([]).rows and not jobs.table([]).more()
