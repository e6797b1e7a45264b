"""Messages and networks that are made in Python."""

import random
import subprocess
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from test_running import TORUS

import weir

IDEAL = {"topology": weir.machine.torus([8], "1 GB/s", "1 us"), "engine": {"kind": "flow"}}


def run(pattern: weir.Pattern, **keys: Any) -> weir.Result:
    """On a ring of eight."""
    return weir.run({**IDEAL, "workload": pattern, **keys})


def test_arrays_are_messages() -> None:
    """As many as there are, with their bytes, on every engine."""
    chance = random.Random(5)
    for _ in range(10):
        count = chance.randrange(1, 200)
        pairs = [chance.sample(range(8), 2) for _ in range(count)]
        sizes = [chance.randrange(1, 5000) for _ in range(count)]
        source, destination = zip(*pairs, strict=True)
        for phase in (None, [chance.randrange(3) for _ in range(count)]):
            pattern = weir.Pattern.from_arrays(source, np.array(destination), sizes, phase=phase, ranks=8)
            for engine in ("ideal", "flow", "packet"):
                found = run(pattern, engine={"kind": engine})
                assert (found.outcome, found.messages, found.bytes) == ("finished", count, sum(sizes))


def test_a_phase_waits_for_what_the_last_one_brings() -> None:
    """A chain in phases takes three times as long as one of its messages; without phases as long as one."""
    source, destination = [0, 1, 2], [1, 2, 3]
    alone = run(weir.Pattern.from_arrays([0], [1], 1000, ranks=8)).simulated_ps
    at_once = run(weir.Pattern.from_arrays(source, destination, 1000, ranks=8)).simulated_ps
    chain = run(weir.Pattern.from_arrays(source, destination, 1000, phase=[0, 1, 2], ranks=8)).simulated_ps
    assert at_once == alone and chain == 3 * alone
    # The order of the arrays does not matter, phases do.
    shuffled = weir.Pattern.from_arrays([2, 0, 1], [3, 1, 2], 1000, phase=[7, 0, 3], ranks=8)
    assert run(shuffled).simulated_ps == chain


def test_ranks_may_be_generators() -> None:
    """What they yield is the pattern file of the same lines, run by the command's own reader."""

    def steps(rank: int) -> Any:
        yield "pause", rank * 1e-6
        yield "post", (rank + 1) % 4, 1000
        yield "await", (rank - 1) % 4
        yield "send", (rank + 2) % 4, 500
        yield "await", (rank + 2) % 4

    lines = ["weir-pattern 1", "ranks 4"]
    for rank in range(4):
        lines += [f"{rank} pause {rank} us", f"{rank} post {(rank + 1) % 4} 1000", f"{rank} await {(rank - 1) % 4}"]
        lines += [f"{rank} send {(rank + 2) % 4} 500", f"{rank} await {(rank + 2) % 4}"]
    with open("four.pattern", "w") as file:
        file.write("\n".join(lines))
    by_file = weir.run({**IDEAL, "workload": {"kind": "pattern-file", "file": "four.pattern"}})
    assert run(weir.Pattern.from_ranks(4, steps)).digest == by_file.digest
    waiting = run(weir.Pattern.from_ranks(2, lambda rank: [("await", 1 - rank)]))
    assert waiting.outcome == "deadlock"


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative paths are in a folder of the test."""
    monkeypatch.chdir(tmp_path)


def test_what_is_no_pattern_is_refused() -> None:
    """With what is wrong."""
    arrays = weir.Pattern.from_arrays
    with pytest.raises(ValueError, match="destination: 1 numbers for 2 of source"):
        arrays([0, 1], [1], 10)
    for wrong in ([-1], [0.5], ["x"], [[0]]):
        with pytest.raises(ValueError, match="source: a list of whole numbers from 0"):
            arrays(wrong, [1], 10)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="ranks = 2: the messages need 4"):
        arrays([0], [3], 10, ranks=2)
    with pytest.raises(ValueError, match="x.pattern: must end in .parquet"):
        arrays([0], [3], 10).write("x.pattern")
    for step in (("sned", 1, 2), ("send", 1), ("await",), ("send", "x", 1)):
        with pytest.raises(ValueError, match="rank 0, step 1"):
            weir.Pattern.from_ranks(2, lambda rank, step=step: [("send", 1 - rank, 1), step])
    with pytest.raises(weir.ExperimentError, match="itself"):
        run(arrays([1], [1], 10))
    assert run(arrays([], [], 10, ranks=3)).messages == 0


def test_graphs_of_networkx_are_patterns() -> None:
    """An edge is a message each way, a directed one a single message."""
    ring = networkx.cycle_graph(8)
    assert run(weir.Pattern.from_networkx(ring, bytes=100)).messages == 16
    directed = networkx.DiGraph()
    directed.add_edge(0, 5, bytes=300)
    directed.add_edge(5, 1, bytes=200)
    found = run(weir.Pattern.from_networkx(directed))
    assert (found.messages, found.bytes, found.ranks) == (2, 500, 6)
    with pytest.raises(ValueError, match="no attribute 'bytes'"):
        weir.Pattern.from_networkx(ring)
    with pytest.raises(ValueError, match="vertex 'a' is no rank"):
        weir.Pattern.from_networkx(networkx.Graph([("a", "b")]), bytes=1)


def test_machines_go_to_networkx_and_back() -> None:
    """With the same nodes, routers and links; numbers of bytes per second survive."""
    torus = weir.machine.torus([4, 2], "10 GB/s", "100 ns")
    graph = weir.machine.to_networkx(torus)
    found = weir.run({**TORUS, "topology": torus})
    kinds = [kind for _, kind in graph.nodes(data="kind")]
    assert (kinds.count("node"), kinds.count("router")) == (found.nodes, found.routers)
    assert graph.number_of_edges() == found.links
    assert {bandwidth for *_, bandwidth in graph.edges(data="bandwidth")} == {10**10}
    back = weir.run({**TORUS, "topology": weir.machine.from_networkx(graph)})
    assert (back.nodes, back.routers, back.links, back.messages) == (8, 8, found.links, found.messages)
    assert networkx.is_isomorphic(weir.machine.to_networkx(weir.machine.from_networkx(graph)), graph)
    plain = weir.machine.from_networkx(networkx.grid_2d_graph(3, 3), "1 GB/s", "1 us")
    assert weir.run({**TORUS, "topology": plain}).nodes == 9
    with pytest.raises(weir.ExperimentError, match="bandwidth"):
        weir.machine.to_networkx(weir.machine.torus([4], "fast", "1 us"))


def test_nodes_have_several_cables() -> None:
    """Two planes striped are twice as fast as one, as a function and as a graph of networkx."""
    both = networkx.MultiGraph()
    both.add_nodes_from((f"n{node}", {"kind": "node"}) for node in range(4))
    both.add_nodes_from((f"s{plane}", {"kind": "router"}) for plane in range(2))
    both.add_edges_from((f"n{node}", f"s{plane}") for node in range(4) for plane in range(2))
    work = {"kind": "ring", "message_size": "10 MB"}
    times = []
    for table, choose in (
        (weir.machine.planes(4, ["1 GB/s"], "0 ns"), "round-robin"),
        (weir.machine.planes(4, ["1 GB/s", "1 GB/s"], "0 ns"), "stripe"),
        (weir.machine.from_networkx(both, "1 GB/s", "0 ns"), "stripe"),
    ):
        times.append(weir.run({"topology": table, "node": {"choose": choose}, "workload": work}).simulated_s)
    assert times == pytest.approx([0.01, 0.005, 0.005], rel=1e-3)


def test_machines_are_those_of_the_command(weir: Any, tmp_path: Path) -> None:
    """The tables of the functions are read as those of a file."""
    import weir as package

    for table in (
        package.machine.mesh([3, 3], "1 GB/s", "1 us"),
        package.machine.fat_tree(4, "1 GB/s", "1 us", taper=0.5),
    ):
        found = package.run({**TORUS, "topology": table})
        (tmp_path / "machine.json").write_text(__import__("json").dumps({"topology": table}))
        done = subprocess.run([weir, "topology", "machine.json", "--json"], capture_output=True, text=True, check=True)
        assert f'"nodes":{found.nodes}' in done.stdout.replace(" ", "")
