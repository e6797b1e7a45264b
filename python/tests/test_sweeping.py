"""`weir.sweep`: the same rows by any executor."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_running import TORUS

import weir
from weir import programs
from weir.stopping import Stop, end_points, within
from weir.sweeping import FIELDS, run_point

POINTS = {"workload.message_size": ["10 kB", "20 kB"], "topology.shape": [[4, 4], [8, 2], [16]]}


def without_clock(sweep: weir.Sweep) -> list[dict[str, Any]]:
    """The rows, but for what a run cost."""
    return [{name: value for name, value in row.items() if name != "wall_s"} for row in sweep]


def test_rows_are_those_of_single_runs_in_order() -> None:
    """All combinations, the last key the fastest."""
    sweep = weir.sweep(TORUS, POINTS, set={"seed": 3})
    assert len(sweep) == 6 and [row["topology.shape"] for row in sweep[:3]] == [[4, 4], [8, 2], [16]]
    for row in sweep:
        alone = weir.run(TORUS, set={**{key: row[key] for key in POINTS}, "seed": 3})
        assert (row["outcome"], row["digest"], row["simulated_s"]) == ("finished", alone.digest, alone.simulated_s)
    best = sweep.best()
    assert best["simulated_s"] == min(row["simulated_s"] for row in sweep) and best["workload.message_size"] == "10 kB"


def test_all_executors_agree() -> None:
    """Threads, processes, and a Dask cluster of two workers, which are processes of their own."""
    from distributed import Client, LocalCluster

    expected = without_clock(weir.sweep(TORUS, POINTS))
    executors: list[Executor] = [ThreadPoolExecutor(1), ProcessPoolExecutor(2, mp_context=get_context("spawn"))]
    for executor in executors:
        with executor:
            assert without_clock(weir.sweep(TORUS, POINTS, executor=executor)) == expected
    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(host="127.0.0.1", **options) as cluster, Client(cluster) as client:
        assert len(client.scheduler_info()["workers"]) == 2
        found = weir.sweep(TORUS, POINTS, executor=client.get_executor())
        assert without_clock(found) == expected
        # A pattern of arrays goes to the workers as it is.
        pattern = weir.Pattern.from_arrays([0, 1, 2], [1, 2, 0], 1000)
        experiment = {**TORUS, "workload": pattern}
        found = weir.sweep(experiment, {"topology.latency": ["100 ns", "1 us"]}, executor=client.get_executor())
        assert without_clock(found) == without_clock(weir.sweep(experiment, {"topology.latency": ["100 ns", "1 us"]}))


PROGRAM = """
import json, sys, time, weir
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
if __name__ == "__main__":
    kind, experiment, folders = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]
    with ExitStack() as stack:
        executor = None
        if kind == "processes":
            executor = stack.enter_context(ProcessPoolExecutor(2, mp_context=get_context("spawn")))
        if kind == "dask":
            from distributed import Client, LocalCluster
            workers = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
            cluster = stack.enter_context(LocalCluster(host="127.0.0.1", **workers))
            client = stack.enter_context(Client(cluster))
            executor = client.get_executor()
        print("begins", flush=True)
        try:
            points = [{"output.dir": folder} for folder in folders]
            if kind != "programs":
                # So small that it has come to its end before the others are interrupted.
                points[0]["limits.simulated_time"] = "1 us"
            weir.sweep(experiment, points, executor=executor)
        except KeyboardInterrupt as interruption:
            print(time.time(), flush=True)
            print(interruption, [row["outcome"] for row in interruption.sweep], flush=True)
        # Workers go on to other work.
        print(executor.submit(abs, -7).result() if executor else 7, flush=True)
"""
#: Runs for minutes.
LONG = {
    **TORUS,
    "engine": {"kind": "packet", "threads": 1},
    "topology": {**TORUS["topology"], "shape": [32, 32]},
    "workload": {**TORUS["workload"], "message_size": "1 MB"},
}
ENDLESS = "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); for (;;) MPI_Barrier(MPI_COMM_WORLD); }\n"


@pytest.mark.parametrize("kind", ["threads", "processes", "dask", "programs"])
def test_ctrl_c_ends_all_points(
    kind: str, weir: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begin: Any
) -> None:
    """Those that run keep what they have, the others do not begin, and what ran them can run others."""
    import weir as package

    experiment: dict[str, Any] = LONG
    monkeypatch.setenv("WEIR", weir)
    if kind == "programs":
        (tmp_path / "endless.c").write_text(ENDLESS)
        subprocess.run([weir, "cc", tmp_path / "endless.c", "-o", tmp_path / "endless"], check=True)
        experiment = {"workload": {"kind": "program", "program": str(tmp_path / "endless"), "ranks": 2}}
    (tmp_path / "sweep.py").write_text(PROGRAM)
    # One point that ends, and more others than places: of so many threads each has one of them.
    ends = 0 if kind == "programs" else 1
    places = ends + ((os.cpu_count() or 1) if kind in ("threads", "programs") else 2)
    folders = [tmp_path / str(number) for number in range(places + 3)]
    command = [sys.executable, str(tmp_path / "sweep.py"), kind, json.dumps(experiment), *map(str, folders)]
    running = begin(command, stdout=subprocess.PIPE)
    until = time.monotonic() + 60
    left = [
        folder / ("summary.json" if number < ends else "begun.json") for number, folder in enumerate(folders[:places])
    ]
    while not all(file.exists() for file in left) and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.3)
    pressed = time.time()
    # Programs have it, too, as from a terminal; processes of executors are found without.
    (os.killpg if kind == "programs" else os.kill)(running.pid, signal.SIGINT)
    printed, _ = running.communicate(timeout=60)
    begins, raised, said, answer = printed.splitlines()
    # A second, and what a busy computer may need.
    assert (begins, answer) == ("begins", "7") and float(raised) - pressed < 3
    outcomes = ["limit"] * ends + ["interrupted"] * (places + 3 - ends)
    assert said == f"{ends} of {places + 3} points had come to their end; the attribute sweep has them {outcomes}"
    left = [folder for folder in folders if folder.exists()]
    assert left == folders[:places]
    assert [package.open(folder).summary["outcome"] for folder in left] == ["limit"] * places


def test_after_an_interrupted_program_no_other_point_begins(
    weir: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The signal of a terminal may come to a program before the sweep has it, and its place is free then."""
    monkeypatch.setenv("WEIR", weir)
    (tmp_path / "endless.c").write_text(ENDLESS)
    subprocess.run([weir, "cc", tmp_path / "endless.c", "-o", tmp_path / "endless"], check=True)
    workload = {"kind": "program", "program": str(tmp_path / "endless"), "ranks": 2}
    folders = [tmp_path / "first", tmp_path / "second"]
    stop = Stop(uuid.uuid4().hex, None)
    with ThreadPoolExecutor(1) as threads:
        points = [{"workload": workload, "output": {"dir": str(folder)}} for folder in folders]
        first, second = [threads.submit(run_point, point, {}, stop) for point in points]
        until = time.monotonic() + 60
        while not (folders[0] / "begun.json").exists() and time.monotonic() < until:
            time.sleep(0.02)
        [command] = programs._under_way
        command.process.send_signal(signal.SIGINT)
        try:
            assert isinstance(first.exception(20), KeyboardInterrupt)
            assert second.result(20)["outcome"] == "interrupted"
        finally:
            programs.interrupt()
    assert [folder.exists() for folder in folders] == [True, False]


def test_a_point_of_another_sweep_runs_again() -> None:
    """A worker of Dask may have points of two sweeps, and all runs of a process are interrupted together."""
    alone = run_point(TORUS, {})
    medium = {**LONG, "topology": TORUS["topology"], "limits": {"wall_time": "1 s"}}
    with ThreadPoolExecutor(2) as threads:
        ended = threads.submit(run_point, LONG, {}, Stop("one", None))
        goes_on = threads.submit(run_point, medium, {"workload.message_size": "100 MB"}, Stop("other", None))
        time.sleep(0.5)
        began = time.monotonic()
        end_points("one")
        assert ended.result(10)["outcome"] == "interrupted"
        # Its second is counted from anew.
        row = goes_on.result(10)
        assert row["outcome"] == "limit" and row["wall_s"] > 0.9 and time.monotonic() - began > 0.9
    assert run_point(TORUS, {}, Stop("one", None))["outcome"] == "interrupted", "as one that had been handed over"
    assert run_point(TORUS, {}, Stop("other", None))["digest"] == alone["digest"]


def test_a_point_runs_again_until_those_of_the_other_sweep_have_ended() -> None:
    """On a busy computer they take a while, and what runs beside them is interrupted more than once."""
    medium = {**LONG, "topology": TORUS["topology"], "limits": {"wall_time": "1 s"}}
    with ThreadPoolExecutor(1) as threads:
        with within(Stop("slow to end", None)):
            goes_on = threads.submit(run_point, medium, {"workload.message_size": "100 MB"}, Stop("beside", None))
            end_points("slow to end")
            time.sleep(0.8)
        assert goes_on.result(10)["outcome"] == "limit"


def test_tables_have_all_points() -> None:
    """Arrow, pandas and polars, and a page; keys that some points lack are empty."""
    points = [{"topology.shape": [4, 4]}, {"topology.shape": [8, 2], "mapping.kind": "random"}, {"title": "<x>"}]
    sweep = weir.sweep(TORUS, points)
    table = sweep.table
    assert table.column_names[:3] == ["topology.shape", "mapping.kind", "title"]
    assert table["mapping.kind"].to_pylist() == [None, "random", None]
    assert list(sweep.to_pandas()["simulated_s"]) == sweep.to_polars()["simulated_s"].to_list()
    assert (
        "&lt;x&gt;" in sweep._repr_html_()
        and repr(sweep) == "<weir.Sweep of 3 points: topology.shape, mapping.kind, title>"
    )
    mixed = weir.sweep(
        TORUS, {"topology.shape": [[4, 4], [4, 2, 2]], "mapping": [{"kind": "random"}, {"kind": "linear"}]}
    )
    assert mixed.table.num_rows == 4
    several = weir.sweep({**TORUS, "engine": {"kind": "packet"}}, {"node.packet_gap": [0.5, "max-min"]}).table
    assert several["node.packet_gap"].to_pylist() == ["0.5", '"max-min"']


def test_mistakes_come_before_the_first_run() -> None:
    """Of any point; a point that can only fail when it runs is a row."""
    submitted: list[Any] = []

    class Counting(ThreadPoolExecutor):
        def submit(self, *args: Any, **more: Any) -> Any:
            submitted.append(args)
            return super().submit(*args, **more)

    with Counting(1) as executor, pytest.raises(weir.ExperimentError, match=r"topology\.shape"):
        weir.sweep(TORUS, {"topology.shape": [[4, 4], [0]]}, executor=executor)
    assert not submitted
    with pytest.raises(ValueError, match="no points"):
        weir.sweep(TORUS, [])
    with pytest.raises(ValueError, match="a list of values was expected"):
        weir.sweep(TORUS, {"mapping.kind": "random"})
    sweep = weir.sweep(TORUS, {"limits.memory": ["100 GB", "1 kB"]})
    assert [row["outcome"] for row in sweep] == ["finished", "failed"] and "memory" in sweep[1]["error"]
    assert sweep.best()["limits.memory"] == "100 GB" and sweep.table["error"].to_pylist()[0] is None
    with pytest.raises(weir.RunError, match="no point has finished"):
        weir.sweep(TORUS, {"limits.memory": ["1 kB"]}).best()
    assert set(run_point(TORUS, {})) == {*weir.sweeping.FIELDS, "error"}


def fast(point: dict[str, Any]) -> dict[str, Any]:
    """A row of a point, as if it had run: the time grows with the size."""
    return {**dict.fromkeys(FIELDS), "outcome": "finished", "error": None, **point}


def test_quantities_are_numbers_however_they_were_given() -> None:
    """In bytes, seconds and bytes per second, with the unit in the metadata; rows have what was given."""
    values = [("1 kB", "1 us", "1 GB/s"), (2e3, 2e-6, 2e9), (np.int64(4_000), np.float64(4e-6), ["1 GB/s", 2e9])]
    keys = ["workload.message_size", "topology.latency", "topology.bandwidth"]
    sweep = weir.Sweep([fast(dict(zip(keys, one, strict=True))) for one in values], keys)
    assert sweep.numbers("workload.message_size") == [1000, 2000, 4000] and sweep[0]["workload.message_size"] == "1 kB"
    assert sweep.numbers("topology.latency") == [1e-6, 2e-6, 4e-6]
    assert sweep.numbers("topology.bandwidth") == [1e9, 2e9, [1e9, 2e9]]
    assert sweep.units == {
        **dict(zip(keys, ["B", "s", "B/s"], strict=True)),
        "simulated_s": "s",
        "wall_s": "s",
        "bytes": "B",
    }
    field = sweep.table.schema.field("workload.message_size")
    assert str(field.type) == "int64" and field.metadata == {b"unit": b"B"}
    assert str(sweep.table.schema.field("topology.latency").type) == "double"
    assert sweep.to_pandas()["workload.message_size"].sum() == 7000
    # A name among quantities leaves them as they are; so do keys that have no unit.
    mixed = weir.Sweep([fast({"packet.input_buffer": one}) for one in (4, "8 kB")], ["packet.input_buffer"])
    assert mixed.numbers("packet.input_buffer") == [4, "8 kB"] and "packet.input_buffer" not in mixed.units


def test_a_grid_is_a_dataset() -> None:
    """Keys are dimensions in their order, quantities numbers with units; what is no grid is refused."""
    shapes = [[4, 4], [8, 2]]
    sweep = weir.sweep(TORUS, {"workload.message_size": ["10 kB", 20e3], "topology.shape": shapes})
    found = sweep.to_xarray()
    assert dict(found.sizes) == {"workload.message_size": 2, "topology.shape": 2}
    assert list(found["workload.message_size"].values) == [10_000, 20_000]
    assert found["workload.message_size"].units == "B" and found.simulated_s.units == "s" and not found.messages.attrs
    assert list(found["topology.shape"].values) == ["[4, 4]", "[8, 2]"]
    for row in sweep:
        at = {
            "workload.message_size": 10_000 if row["workload.message_size"] == "10 kB" else 20_000,
            "topology.shape": json.dumps(row["topology.shape"]),
        }
        one = found.sel(at)
        assert (float(one.simulated_s), one.outcome.item(), one.digest.item()) == (
            row["simulated_s"],
            "finished",
            row["digest"],
        )
    lost = weir.Sweep([fast({"seed": 1, "simulated_s": 1.0}), fast({"seed": 2, "outcome": "failed"})], ["seed"])
    assert np.isnan(lost.to_xarray().simulated_s.values[1]) and lost.to_xarray().outcome.values[1] == "failed"
    with pytest.raises(ValueError, match="3 points are no grid of 2 x 2"):
        weir.Sweep(sweep.rows[:3], sweep.keys).to_xarray()
    with pytest.raises(ValueError, match="no grid"):
        weir.Sweep([*sweep.rows, sweep.rows[0]], sweep.keys).to_xarray()


def drawn(sweep: weir.Sweep, field: str = "simulated_s") -> tuple[list[dict[str, Any]], dict[str, Any], dict[str, str]]:
    """Traces, layout and English texts of a figure."""
    (chart,) = sweep.plot(field).charts
    figure = json.loads(chart.figure)
    return figure["data"], figure["layout"], {path: words.en for path, words in chart.texts.items()}


def grid(sizes: list[Any], **others: list[Any]) -> weir.Sweep:
    """Points of all combinations of sizes, bandwidths, seeds and mappings, whose time grows with all of them."""
    names = {"rates": "topology.bandwidth", "seeds": "seed", "mappings": "mapping.kind"}
    keys = ["workload.message_size", *(names[one] for one in others)]
    points = list(itertools.product(sizes, *others.values()))
    rows = [fast(dict(zip(keys, one, strict=True)) | {"simulated_s": 1e-3 * (1 + at)}) for at, one in enumerate(points)]
    return weir.Sweep(rows, keys)


def test_a_line_for_each_value_of_the_second_key(tmp_path: Path) -> None:
    """Over the key with most numbers, with logarithmic axes where sizes grow by factors, and ticks in units."""
    data, layout, texts = drawn(grid(["1 kB", "10 kB", 100_000]))
    assert len(data) == 1 and data[0]["x"] == [1000, 10_000, 100_000] and data[0]["y"] == [1, 2, 3]
    assert layout["xaxis"] == {
        "type": "log",
        "tickvals": [1000, 10000, 100000],
        "ticktext": ["1 kB", "10 kB", "100 kB"],
    }
    assert texts["yaxis.title.text"] == "simulated time (ms)" and not layout["showlegend"]
    lines = grid([2000, 1000, 3000], mappings=["linear", "random"])
    data, layout, texts = drawn(lines)
    assert [texts["0.name"], texts["1.name"]] == ["linear", "random"] and layout["xaxis"]["type"] == "linear"
    assert data[0]["x"] == [1000, 2000, 3000] and data[1]["y"] == [4, 2, 6]
    data, _, texts = drawn(grid(["1 kB"], mappings=["linear", "random"]))
    assert data[0]["x"] == ["linear", "random"] and texts["xaxis.title.text"] == "mapping.kind"
    for ending in ("svg", "png", "pdf", "html"):
        assert lines.plot().write(tmp_path / f"x.{ending}").stat().st_size > 1000
    assert "<iframe" in lines.plot()._repr_html_()


def test_two_keys_with_many_numbers_are_a_heat_map() -> None:
    """And more lines than can be told apart are refused, as is a field without numbers."""
    sweep = grid([1000 * one for one in range(1, 11)], rates=[1e9 * one for one in range(1, 10)])
    data, layout, texts = drawn(sweep)
    assert data[0]["type"] == "heatmap" and len(data[0]["z"]) == 9 and len(data[0]["z"][0]) == 10
    assert data[0]["x"][0] == "1 kB" and data[0]["y"][-1] == "9 GB/s" and layout["yaxis"]["type"] == "category"
    assert texts["0.colorbar.title.text"] == "simulated time (ms)"
    with pytest.raises(ValueError, match="18 lines cannot be told apart"):
        grid(list(range(1, 20)), seeds=list(range(9)), mappings=["linear", "random"]).plot()
    with pytest.raises(ValueError, match="'digest' has no numbers"):
        sweep.plot("digest")


def test_points_that_have_not_finished_are_left_out() -> None:
    """As gaps."""
    sweep = grid([1000, 2000, 3000])
    sweep.rows[1]["outcome"] = "deadlock"
    assert drawn(sweep)[0][0]["y"] == [1, None, 3]
