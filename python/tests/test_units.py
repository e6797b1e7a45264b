"""Numbers of Python beside units: in SI base units, wherever an experiment made in Python has a quantity."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weir
from weir import _weir

TORUS = {"kind": "torus", "shape": [4, 4], "bandwidth": "1 GB/s", "latency": "100 ns"}
ALL_TO_ALL = {"kind": "all-to-all", "message_size": "8 kB"}
SYNTHETIC = {"kind": "synthetic", "pattern": "uniform", "offered_load": 0.1, "duration": "10 us"}
PROGRAM = {"kind": "program", "program": "/bin/sh", "ranks": 4}

#: Experiments of which at least one may have each key.
DRAGONFLY = {
    "kind": "dragonfly",
    "nodes_per_router": 1,
    "routers_per_group": 2,
    "global_links": 1,
    "bandwidth": "1 GB/s",
    "routing": "ugal-l",
}
EXPERIMENTS: list[dict[str, Any]] = [
    {"topology": TORUS, "engine": {"kind": "flow"}, "workload": ALL_TO_ALL},
    {"topology": TORUS, "engine": {"kind": "packet"}, "workload": ALL_TO_ALL},
    {"topology": TORUS, "engine": {"kind": "packet"}, "workload": SYNTHETIC},
    {"engine": {"kind": "ideal", "latency": "1 us"}, "workload": {**ALL_TO_ALL, "ranks": 4}},
    {"topology": TORUS, "engine": {"kind": "packet"}, "workload": PROGRAM},
    {"topology": DRAGONFLY, "engine": {"kind": "packet"}, "workload": ALL_TO_ALL},
]
#: Keys without which another one makes no sense, by how that begins.
BESIDE: dict[str, dict[str, Any]] = {
    "faults.0": {"faults.0.random_cables": 1},
    "node.hardware_message_time": {"node.hardware_overhead": "1 us"},
    "node.far_": {"node.near_partners": 4, "node.far_overhead": ["0 ns", "1 us"], "node.far_limits": ["1 kB"]},
    "node.fresh_memory": {"node.fresh_memory_from": "1 kB", "node.fresh_memory_bandwidth": "1 GB/s"},
    "node.progress_interval": {"node.progress": "polls"},
    "node.stripe_from": {"node.nics": 2, "node.choose": "stripe"},
    "combining.0": {"combining.0.bandwidth": "1 GB/s"},
    "collectives.bcast": {"collectives.bcast": "binomial"},
    "collectives.reduce": {"collectives.reduce": "binomial"},
    "collectives.allreduce": {"collectives.allreduce": "segmented-ring"},
    "collectives.gather": {"collectives.gather": "linear-sync"},
    "selection.0": {"selection.0.collective": "allreduce", "selection.0.algorithm": "segmented-ring"},
    "packet.flit_size": {"packet.mtu": "1 MB"},
    "workload.packet_size": {"packet.mtu": "1 MB"},
    "workload.slot": {"workload.offered_load": 1e-4},
    "output": {"output.dir": "results"},
    "output.trace": {"output.trace": True, "output.messages": True},
    "output.packets": {"output.packets.routers": [0]},
}
#: Texts and numbers of the same quantities, by unit.
SAME: dict[str, list[tuple[str, Any]]] = {
    "s": [("0.1 us", 1e-7), ("100 ns", 0.1e-6), ("1.5 ms", np.float64(0.0015)), ("250 ps", 2.5e-10)],
    "B": [("16 KiB", 16384), ("20 kB", 2e4), ("40 kB", np.int64(40_000)), ("2 KiB", np.float32(2048))],
    "B/s": [("100 Gb/s", 12.5e9), ("1 GB/s", 10**9), ("6.8 GB/s", np.float64(6.8e9))],
    "Hz": [("2.2 GHz", 2.2e9), ("1 MHz", 1_000_000)],
}


def units(form: Any) -> set[str]:
    """The units of a form of values, and of those that it is made of."""
    parts = [*form.get("anyOf", []), *([form["items"]] if isinstance(form.get("items"), dict) else [])]
    return {form["x-unit"]} if "x-unit" in form else set().union(*map(units, parts))


def keys(form: dict[str, Any], before: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """All keys of the schema with their forms."""
    for name, one in form["properties"].items():
        if "properties" in one:
            yield from keys(one, f"{before}{name}.")
        elif "properties" in one.get("items", {}):
            yield from keys(one["items"], f"{before}{name}.0.")
        else:
            yield f"{before}{name}", one


# The keys of a job's workload, and of that of a list of jobs, are those of [workload].
QUANTITIES = [
    (key, form)
    for key, form in keys(json.loads(_weir.schema()))
    if units(form) and not key.startswith(("jobs.0.workload.", "job_list.workload."))
]


def checked(key: str, value: Any) -> dict[str, Any]:
    """An experiment in which a key has a value: the first one that may have it."""
    beside = {name: one for begin, keys in BESIDE.items() if key.startswith(begin) for name, one in keys.items()}
    problems = []
    profile = {"kind": "profile", "file": "two.profile"}
    ring = {"kind": "ring", "message_size": 1000}
    groups = {"routers_per_group": 2, "global_links": 1, "groups": 3, "routing": "ugal-l"}
    network = {"kind": "dragonfly", "nodes_per_router": 1, "bandwidth": 1e9, **groups}
    rails = {"topology": {"kind": "rails", "networks": [network]}, "workload": ring}
    classes = [{"name": "short", "messages_below": "1 MB"}, {"name": "others"}]
    classed = {"topology": TORUS, "workload": ring, "classes": classes}
    jobs = {"topology": TORUS, "jobs": [{"name": "one", "workload": {**ring, "ranks": 2}}]}
    listed = {"topology": TORUS, "job_list": {"file": "jobs.csv", "second": 1e-6, "workload": ring}}
    for experiment in [*EXPERIMENTS, {"topology": TORUS, "workload": profile}, rails, classed, jobs, listed]:
        try:
            return weir.check(experiment, set={**beside, key: value})
        except weir.ExperimentError as error:
            problems.append(str(error))
    raise AssertionError("\n\n".join(problems))


@pytest.mark.parametrize(("key", "form"), QUANTITIES, ids=[key for key, _ in QUANTITIES])
def test_a_number_and_a_text_give_the_same_experiment(
    key: str, form: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For every key with a unit, alone and in a list."""
    monkeypatch.chdir(tmp_path)
    Path("two.profile").write_text("weir-profile 1\nranks 2\n0 send 1 8\n0 end\n1 recv 0 8\n1 end\n")
    Path("jobs.csv").write_text("submit,nodes,duration\n0,2,60\n")
    (unit,) = units(form)
    ranges = form.get("minItems") == 2
    for text, number in SAME[unit]:
        if ranges:
            assert checked(key, [number, "any"]) == checked(key, [text, "any"])
            continue
        assert checked(key, number) == checked(key, text), (text, number)


def test_all_units_are_there() -> None:
    """The law is of some keys of each unit."""
    assert {unit for _, form in QUANTITIES for unit in units(form)} == set(SAME) and len(QUANTITIES) > 80


def test_dictionaries_sets_and_lists_have_numbers() -> None:
    """In any mixture with texts, beside what counts and has no unit."""
    experiment = {
        "topology": {"kind": "torus", "shape": [4, 4], "bandwidth": [1e9, "2 GB/s"], "latency": 1e-7},
        "engine": {"kind": "packet"},
        "packet": {"input_buffer": 4},
        "workload": {"kind": "all-to-all", "message_size": 20_000},
    }
    known = weir.check(experiment, set={"node.clock": 3e9, "limits.wall_time": 60})
    assert known["topology"]["bandwidth"] == ["1 GB/s", "2 GB/s"] and known["topology"]["latency"] == "100 ns"
    assert known["packet"]["input_buffer"] == 4 and known["workload"]["message_size"] == "20 kB"
    assert known["limits"]["wall_time"] == "60 s"
    overheads = np.array([1e-6, 2e-6])
    known = weir.check(experiment, set={"node.send_overhead": overheads, "node.overhead_limits": 4096})
    assert known["node"]["send_overhead"] == ["1 us", "2 us"] and known["node"]["overhead_limits"] == ["4 KiB"]
    # Quantities have units then, whatever has been written.
    assert "units" not in weir.run(experiment).summary


def test_rounding_is_the_stated_one() -> None:
    """Times to the nearest picosecond; bytes that a computation has missed by a part in 10^9 are whole, others not."""
    base = EXPERIMENTS[0]

    def message(size: Any) -> Any:
        return weir.check(base, set={"workload.message_size": size})["workload"]["message_size"]

    latency = weir.check(base, set={"topology.latency": 1.4e-12})["topology"]["latency"]
    assert latency == "1 ps" and message(1000 * (1 + 1e-15)) == "1 kB"
    assert [message(size) for size in np.geomspace(1e3, 1e6, 4)] == ["1 kB", "10 kB", "100 kB", "1 MB"]
    with pytest.raises(weir.ExperimentError, match="must be a whole number of bytes"):
        message(1000.5)
    with pytest.raises(weir.ExperimentError, match=r"workload.message_size = 1\d+: must be a quantity"):
        message(10**40)


#: What no quantity is, and what is said of it.
WRONG = [
    (-1, "must not be negative"),
    (-1e-9, "must not be negative"),
    (float("nan"), "a finite number was expected"),
    (float("inf"), "a finite number was expected"),
    (np.float64("-inf"), "a finite number was expected"),
    (1e300, "too large"),
    (True, "must be a quantity"),
]
#: Keys with a unit, and the number that is not too large for some of them.
KEYS = {"topology.latency": 0.0, "topology.bandwidth": 1e300, "workload.message_size": 0.0, "node.clock": 1e300}


@pytest.mark.parametrize(
    ("key", "value", "why"), [(key, *wrong) for key, most in KEYS.items() for wrong in WRONG if wrong[0] != most]
)
def test_numbers_that_no_quantity_is_are_refused(key: str, value: Any, why: str) -> None:
    """With the key, in a dictionary and in `set`."""
    if key == "node.clock" and why == "must be a quantity":
        why = "the unit is missing"
    table, _, name = key.partition(".")
    experiment = {**EXPERIMENTS[0], table: {**EXPERIMENTS[0].get(table, {}), name: value}}
    for given, set_ in ((experiment, {}), (EXPERIMENTS[0], {key: value})):
        with pytest.raises((weir.ExperimentError, TypeError)) as caught:
            weir.check(given, set=set_)
        assert key in str(caught.value) and why in str(caught.value)


def test_files_keep_their_contract(tmp_path: Path) -> None:
    """A number in TOML has no unit, whoever reads it, and a file without any is still in the unitless form."""
    text = '[topology]\nkind = "torus"\nshape = [4]\nbandwidth = {}\nlatency = {}\n[workload]\nkind = "ring"\n'
    mixed, bare = text.format('"1 GB/s"', "1e-7"), text.format("2", "1")
    with pytest.raises(weir.ExperimentError, match=r"topology.latency = 1e-7: has no unit, but topology.bandwidth"):
        weir.check(mixed, set={"workload.message_size": 1000})
    file = tmp_path / "bare.toml"
    file.write_text(bare)
    for experiment in (bare, file):
        known = weir.check(experiment, set={"workload.message_size": 1000})
        assert (known["topology"]["bandwidth"], known["workload"]["message_size"]) == (2, 1000)
        assert weir.run(experiment, set={"workload.message_size": 10}).units == "none"
