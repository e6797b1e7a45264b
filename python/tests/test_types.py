"""What mypy knows of experiments and results. `make lint` checks this file: an ignored mistake that is none is one."""

from pathlib import Path
from typing import Any, assert_type

import numpy as np
import pytest

import experiment_types
import weir
from weir import quantities
from weir.summary import BusyLink, Causes, Finding

TORUS: weir.Experiment = {
    "title": "typed",
    "topology": {"kind": "torus", "shape": [4, 4], "bandwidth": 1e9, "latency": "100 ns"},
    "engine": {"kind": "packet", "threads": 1},
    "node": {"send_overhead": [1e-6, "2 us"], "overhead_limits": ["1 kB"]},
    "workload": {"kind": "all-to-all", "message_size": np.float64(2000.0)},
    "output": {"causes": True},
}


def test_fields_of_a_result_have_their_types() -> None:
    """As attributes; a name that is no field is a mistake."""
    result = weir.run(TORUS, set={"seed": np.int64(3)})
    assert_type(result.simulated_s, float)
    assert_type(result.simulated_ps, int)
    assert_type(result.verdict, list[Finding])
    assert_type(result.verdict[0]["sentence"], str)
    assert_type(result.busiest_link, BusyLink)
    assert_type(result.busiest_link["name"], str)
    assert_type(result.causes, Causes)
    assert_type(result.summary, weir.Summary)
    assert_type(result.finished, bool)
    with pytest.raises(AttributeError, match="no field 'simulatd_s'"):
        _ = result.simulatd_s  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        result.explanation["why"]


def test_experiments_have_their_types(tmp_path: Path) -> None:
    """Tables, keys and names of an annotated dictionary; a resolved experiment is one, and so is a plain dictionary."""
    wrong: weir.Experiment = {"topolgy": {}}  # type: ignore[typeddict-unknown-key]
    lost: weir.Experiment = {"topology": {"kind": "torus", "shpe": [4]}}  # type: ignore[typeddict-unknown-key]
    name: weir.Experiment = {"engine": {"kind": "flw"}}  # type: ignore[typeddict-item]
    size: weir.Experiment = {"workload": {"message_size": [1]}}  # type: ignore[typeddict-item]
    for experiment in (wrong, lost, name, size):
        with pytest.raises(weir.ExperimentError):
            weir.check(experiment)
    resolved = weir.check(TORUS)
    assert_type(resolved, weir.Experiment)
    assert weir.check(resolved) == resolved
    plain = {"topology": {"kind": "torus", "shape": [4], "bandwidth": "1 GB/s", "latency": 1e-7}, "workload": {}}
    plain["workload"] = {"kind": "ring", "message_size": 1000}
    shift = weir.Pattern.from_arrays([0, 1], [1, 0], 1000)
    machines: weir.Experiment = {"topology": weir.machine.torus([4], 1e9, 1e-7), "workload": shift}
    for one in (plain, machines):
        assert weir.run(one, out=tmp_path / "results").finished
    sweep = weir.sweep(TORUS, {"workload.message_size": np.geomspace(1e3, 1e4, 3).round()})
    assert_type(sweep, weir.Sweep)
    assert weir.open(tmp_path / "results").columns("links")["utilization"]


def test_every_kind_of_machine_has_a_function() -> None:
    """With texts, numbers and lists; machines that ship are the tables of their files."""
    kinds = quantities.schema()["properties"]["topology"]["properties"]["kind"]["enum"]
    given: dict[str, tuple[Any, ...]] = {
        "fat-tree": (4, "1 GB/s", 1e-7),
        "dragonfly": (2, 4, 2, ["2 GB/s", 1e9], [1e-7, "1 us"]),
        "dragonfly-plus": (2, 4, 4, 2, "1 GB/s", 1e-7),
        "hyperx": ([4, 3], 2, [1e9, 2e9], "100 ns"),
        "full-mesh": (5, 2, 1e9, "100 ns"),
        "slim-fly": (5, 2, [1e9, 2e9], "100 ns"),
        "polar-fly": (3, 2, "1 GB/s", 1e-7),
        "rails": (weir.machine.torus([2, 2], 1e9, 1e-7), weir.machine.full_mesh(2, 2, "2 GB/s", "1 us")),
        "graph": ("network.csv",),
    }
    for kind in kinds:
        made = getattr(weir.machine, kind.replace("-", "_"))(*given.get(kind, ([2, 2, 2], 1e9, "100 ns")))
        assert made["kind"] == kind
        if kind != "graph":
            work: weir.Experiment = {"topology": made, "workload": {"kind": "ring", "message_size": 1000}}
            assert weir.run(work).finished
    dimensions = weir.machine.torus(np.array([2, 4]), [1e9, "2 GB/s"], [1e-7, 2e-7], wrap=[True, False])
    known = weir.check({"topology": dimensions, "workload": {"kind": "ring", "message_size": 1000}})
    assert known["topology"]["bandwidth"] == ["1 GB/s", "2 GB/s"] and known["topology"]["wrap"] == [True, False]
    stages = weir.machine.fat_tree(None, 1e9, 0, stages=[4, 4])
    assert "radix" not in stages
    for name in ("fugaku", "summit", "torus"):
        ring: weir.Experiment = {"workload": {"kind": "ring", "message_size": 1000}}
        tables = weir.machine.named(name)
        assert "workload" not in tables and weir.check({**tables, **ring}) == weir.check({"machine": name, **ring})
    with pytest.raises(ValueError, match=r"no machine .fugak. ships with weir\n\nhint: did you mean fugaku\?"):
        weir.machine.named("fugak")
    with pytest.raises(ValueError, match="no machine .ring."):
        weir.machine.named("ring")


def test_classes_are_those_of_the_schema() -> None:
    """`tools/experiment_types.py` would change nothing."""
    assert experiment_types.FILE.read_text() == experiment_types.text()


def test_whatever_is_shown_has_one_line(tmp_path: Path) -> None:
    """In a terminal; `print` shows more of some."""
    results = [weir.run(TORUS, set={"seed": seed}, out=tmp_path / str(seed)) for seed in (1, 2)]
    sweep = weir.sweep(TORUS, {"seed": [1, 2]})
    opened, comparison = results[0].open(), weir.compare(results)
    pattern = weir.Pattern.from_arrays([0, 1], [1, 0], 1000)
    for one in (results[0], sweep, opened, opened.plot, opened.plot.machine(), sweep.plot(), comparison, pattern):
        assert repr(one).startswith(f"<weir.{type(one).__name__} ") and "\n" not in repr(one), repr(one)
    assert repr(results[0]).startswith("<weir.Result typed: finished after ") and "ranks" in str(results[0])
    assert repr(comparison).startswith("<weir.Comparison of 1 (") and len(str(comparison).splitlines()) >= 2
