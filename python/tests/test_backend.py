"""weir.Backend: what it is asked, what it raises, and ASTRA-sim's system layer over it."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest
from conftest import ROOT

import weir

PAIR = {"engine": {"kind": "ideal", "latency": 1e-6, "bandwidth": 1e9}, "workload": {"ranks": 2}}


def driver() -> ModuleType:
    """The example that plays ASTRA-sim's system layer."""
    spec = importlib.util.spec_from_file_location("astra", ROOT / "docs" / "guide" / "backend" / "astra.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def inputs(folder: Path, kind: str, npus: int, memory: float) -> tuple[Path, Path]:
    """Network and system files with the values of ASTRA-sim's examples."""
    network, system = folder / "network.yml", folder / "system.json"
    network.write_text(
        f"topology: [ {kind} ]\nnpus_count: [ {npus} ]\nbandwidth: [ 50.0 ]  # GB/s\nlatency: [ 500.0 ]  # ns\n"
    )
    values = {"endpoint-delay": 10, "preferred-dataset-splits": 4, "local-mem-bw": memory, "boost-mode": 0}
    system.write_text(json.dumps({**values, "all-reduce-implementation": ["ring"]}))
    return network, system


def formula(npus: int, memory: float, size: int) -> int:
    """The cycles of a ring all-reduce in which every quotient is rounded down."""
    part = size // 4 // npus
    message = 500 + int(part / (50 * 2**30 / 1e9))
    return 4 * (10 + 2 * (npus - 1) * (message + 10) + (npus - 1) * 3 * int(part / memory))


@pytest.mark.parametrize("engine", ["ideal", "flow"])
@pytest.mark.parametrize(("kind", "memory", "known"), [("FullyConnected", 1600, 64440), ("Ring", 50, 117780)])
def test_the_counts_of_astra_sim(tmp_path: Path, engine: str, kind: str, memory: float, known: int) -> None:
    """Its examples of 8 NPUs, to the cycle, with and without routes."""
    cycles = driver().all_reduce(*inputs(tmp_path, kind, 8, memory), engine=engine)
    assert cycles == [known] * 8
    assert formula(8, memory, 1 << 20) == known


@pytest.mark.parametrize("npus", [2, 3, 16])
@pytest.mark.parametrize("size", [1 << 20, 100_000, 7 << 22])
def test_other_sizes_follow_the_formula(tmp_path: Path, npus: int, size: int) -> None:
    """More NPUs and other sizes, on the analytical model and with routes; routers of packets come on top."""
    files = inputs(tmp_path, "Ring", npus, 50)
    expected = formula(npus, 50, size)
    for engine in ("ideal", "flow"):
        assert driver().all_reduce(*files, size=size, engine=engine) == [expected] * npus
    packets = driver().all_reduce(*files, size=size, engine="packet")
    assert len(set(packets)) == 1
    assert expected < packets[0] < 2.5 * expected


def test_completions_one_by_one() -> None:
    """Kinds, fields, order; and that time stops where it is asked to."""
    backend = weir.Backend(PAIR)
    backend.send(0, 1, 1000, tag=3, then="s")
    backend.receive(1, 2000, then="r")
    backend.schedule(0, 2_000_000, then="t")
    sent = backend.next()
    assert sent is not None
    assert (sent.kind, sent.rank, sent.source, sent.tag, sent.at_ps, sent.then) == ("sent", 0, None, None, 0, "s")
    assert backend.next(until_ps=1_999_999) is None
    assert backend.now_ps == 1_999_999
    received = backend.next()
    assert received is not None
    assert (received.kind, received.rank, received.source, received.tag) == ("received", 1, 0, 3)
    assert (received.bytes, received.at_ps, received.then) == (1000, 2_000_000, "r")
    assert repr(backend.next()) == "Completion(kind='scheduled', rank=0, at_ps=2000000)"
    assert backend.next() is None


def test_what_functions_do_in_a_run() -> None:
    """They make requests, step further, and raise; after that all goes on."""
    backend = weir.Backend(PAIR)
    seen = []

    def stops(completion: object) -> None:
        raise KeyError("mine")

    def steps(completion: weir._weir.Completion) -> None:
        backend.schedule(1, 5, then=seen.append)
        backend.run(until_ps=completion.at_ps + 7)

    backend.schedule(0, 10, then=stops)
    backend.schedule(0, 20, then=steps)
    with pytest.raises(KeyError, match="mine"):
        backend.run()
    backend.run()
    assert [one.at_ps for one in seen] == [25]
    assert backend.now_ps == 27


def test_mistakes_are_exceptions() -> None:
    """Each with a sentence, and the backend goes on, but after a message that does not fit."""
    backend = weir.Backend(PAIR)
    with pytest.raises(ValueError, match="there is no rank 2: ranks are 0 to 1"):
        backend.send(0, 2, 1)
    for call in (
        lambda: backend.send(-1, 0, 1),
        lambda: backend.send(0, 1, -1),
        lambda: backend.send(0, 1, 1, tag=-1),
        lambda: backend.schedule(0, -1),
        lambda: backend.run(until_ps=-1),
    ):
        with pytest.raises(ValueError, match="-1"):
            call()
    backend.run(until_ps=100)
    with pytest.raises(ValueError, match="time cannot go back to 99 ps: it is 100 ps"):
        backend.run(until_ps=99)
    backend.receive(1, 10, source=0, tag=7)
    with pytest.raises(weir.DeadlockError, match="rank 1 waits for a message of up to 10 B from rank 0 with tag 7"):
        backend.run()
    backend.send(0, 1, 11, tag=7)
    for _ in range(2):
        with pytest.raises(weir.RunError, match="a message of 11 bytes came for a buffer of 10 bytes"):
            backend.run()
    with pytest.raises(weir.ExperimentError, match="engine.latency"):
        weir.Backend(PAIR, set={"engine.latency": "soon"})


def test_memory_is_bounded() -> None:
    """A hundred thousand messages leave nothing behind."""
    import resource

    def rounds(count: int) -> None:
        for _ in range(count):
            backend.receive(1, 8, source=0, tag=0)
            backend.send(0, 1, 8)
            backend.run()

    backend = weir.Backend(PAIR)
    rounds(2_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rounds(50_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4_000


def test_a_run_is_finished(tmp_path: Path) -> None:
    """Its results are those of any run; whoever goes on without it gets an error."""
    out = tmp_path / "out"
    backend = weir.Backend(PAIR, set={"output.dir": str(out), "output.causes": True})
    backend.receive(1, 1000, source=0)
    backend.send(0, 1, 1000)
    backend.run()
    summary = backend.finish()
    assert (summary["outcome"], summary["simulated_ps"]) == ("finished", backend.now_ps)
    assert json.loads((out / "summary.json").read_text())["digest"] == summary["digest"]
    assert weir.open(out).summary["digest"] == backend.finish()["digest"]
    with pytest.raises(weir.RunError, match="has ended it"):
        backend.send(0, 1, 1)


def test_a_run_that_waits_ends_in_a_deadlock() -> None:
    """Who waits for whom is in its summary."""
    backend = weir.Backend(PAIR)
    backend.receive(1, 1000, source=0, tag=4)
    with pytest.raises(weir.DeadlockError):
        backend.run()
    assert backend.finish()["outcome"] == "deadlock"
