"""Summaries of real runs are as their JSON Schema says, and together they have every field that it has."""

import itertools
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
from conftest import ROOT

import summary_pages
from weir import summary_form

SCHEMA = summary_form.schema()

TORUS = 'topology = { kind = "torus", shape = [8], bandwidth = "1 GB/s", latency = "100 ns" }\n'
PACKET = TORUS + 'engine = { kind = "packet" }\n'
SHIFT = 'workload = { kind = "permutation", permutation = "shift", distance = 3, message_size = "10 kB" }\n'
SYNTHETIC = 'workload = { kind = "synthetic", offered_load = 0.1, duration = "50 us" }\n'
RING = 'workload = { kind = "ring", message_size = "10 kB" }\n'

#: Text of an experiment, options, and the status with which the run ends.
EXPERIMENTS = [
    (
        TORUS
        + RING
        + "engine = { sharing = 'iterative' }\noutput = { causes = true }\n"
        + "[[faults]]\ncable = 'router (1) - router (2)'\nspeed = 0.5\n",
        ["--compare-sharing", "--tie-sensitivity"],
        0,
    ),
    (
        TORUS
        + RING.replace("ring", "all-to-all")
        + 'engine = { sharing = "single-pass", method = "sweep", threads = 2 }\n',
        [],
        0,
    ),
    (PACKET + 'output = { checkpoint_every = "1 s" }\n' + SHIFT, ["--processes", "2"], 0),
    (
        PACKET + "packet = { virtual_channels = 1, input_buffer = 1, allow_deadlock = true }\n" + SHIFT,
        [],
        3,
    ),
    (PACKET + SYNTHETIC, [], 0),
    (PACKET + SYNTHETIC, ["--gpu"], 0),
    (TORUS + SHIFT + 'limits = { simulated_time = "1 us" }\n', [], 4),
    (
        TORUS + 'workload = { kind = "collective", operation = "allreduce", message_size = "8 B", repetitions = 2 }\n',
        [],
        0,
    ),
    (
        TORUS
        + 'jobs = [{ name = "a", workload = { kind = "ring", ranks = 2, message_size = "10 kB" } }, '
        + '{ name = "b", repeat = "until-others-end", '
        + 'workload = { kind = "ring", ranks = 2, message_size = "10 kB" } }]\n',
        ["--alone"],
        0,
    ),
    (
        'engine = { kind = "ideal", bandwidth = "1 GB/s" }\n'
        'workload = { kind = "all-to-all", ranks = 2, message_size = "1 kB" }\n'
        'calibrated = { "engine.bandwidth" = ["500 MB/s", "2 GB/s"] }\n',
        ["--band"],
        0,
    ),
    # Both jobs of a list use all links of a ring.
    (
        'topology = { kind = "torus", shape = [8], bandwidth = "1 GB/s" }\nengine = { kind = "flow" }\n'
        'job_list = { file = "jobs.csv", second = "1 us", placement = "spread", '
        'workload = { kind = "ring", message_size = "100 kB" } }\n',
        ["--alone", "--set", "output.causes=true"],
        0,
    ),
    (
        "topology = { kind = 'torus', shape = [4], bandwidth = 1 }\nworkload = { kind = 'ring', message_size = 1 }\n",
        [],
        0,
    ),
    (
        "topology = { kind = 'torus', shape = [4], bandwidth = 1 }\nworkload = { kind = 'ring', message_size = 1 }\n"
        "classes = [{ name = 'short', messages_below = 1000, weight = 2 }, { name = 'others' }]\n",
        ["--engine", "packet"],
        0,
    ),
]

#: Programs, options, and the status; the first one is written by the test.
PROGRAMS = [
    ("no_mpi.c", ["-n", "2"], 1),
    ("tests/mpi/verify/leaves_much.c", ["-n", "2", "--verify", "--set", "output.causes=true"], 1),
    ("tests/mpi/failing/deadlock_recv_recv.c", ["-n", "2"], 3),
    ("tests/mpi/failing/abort.c", ["-n", "2"], 1),
    ("examples/skeletons/levels.c", ["-n", "4"], 0),
    (
        "examples/skeletons/neighbours.c cg 8 1",
        ["-n", "8", "--set", "output.causes=true", "--set", "engine.latency=1 us"],
        0,
    ),
]


def of_form(form: dict[str, Any], path: str) -> tuple[dict[str, Any], str]:
    """The form itself, or the one that it refers to, by its own name: it counts once, wherever it stands."""
    if "$ref" in form:
        path = form["$ref"].rpartition("/")[2]
    return summary_form.referred(form), path


def declared(form: dict[str, Any], path: str = "") -> set[str]:
    """The paths of all fields in the schema, but for what is in the experiment."""
    form, path = of_form(form, path)
    if form.get("type") == "array":
        return declared(form["items"], path)
    fields = form.get("properties", {}) if path != "experiment" else {}
    names = [(f"{path}.{name}".lstrip("."), one) for name, one in fields.items()]
    return set(itertools.chain([name for name, _ in names], *(declared(one, name) for name, one in names)))


def found(form: dict[str, Any], value: Any, path: str = "") -> set[str]:
    """The paths of the fields of the schema that a summary has."""
    form, path = of_form(form, path)
    if isinstance(value, list):
        return set(itertools.chain(*(found(form["items"], item, path) for item in value)))
    if not isinstance(value, dict) or path == "experiment":
        return set()
    known = [(f"{path}.{name}".lstrip("."), name) for name in value if name in form.get("properties", {})]
    below = (found(form["properties"][name], value[name], path) for path, name in known)
    return set(itertools.chain([path for path, _ in known], *below))


def with_driver(folder: Path) -> dict[str, str]:
    """The environment in which this processor is the GPU."""
    driver = ROOT / "crates/cli/tests/cli/gpu/driver.cpp"
    flags = ["-O2", "-std=c++17", "-ffp-contract=off", "-shared", "-fPIC", "-w", "-I", ROOT / "crates/gpu/kernels"]
    subprocess.run(["c++", *flags, driver, "-o", folder / "libcuda.so.1"], check=True)
    return {**os.environ, "LD_LIBRARY_PATH": str(folder)}


def test_every_field_is_written_and_declared(weir: str, tmp_path: Path) -> None:
    """Nothing that a run writes lacks in the schema, and no field of the schema is one that no run writes."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    commands = []
    for number, (text, options, status) in enumerate(EXPERIMENTS):
        file = tmp_path / f"{number}.toml"
        file.write_text(text)
        commands.append((["run", str(file), "--out", str(tmp_path / f"out{number}"), *options], status))
    (tmp_path / "jobs.csv").write_text("submit,nodes,duration\n0,4,1000\n0,4,1000\n")
    (tmp_path / "no_mpi.c").write_text("int main(void) { return 0; }")
    for name, options, status in PROGRAMS:
        name, *arguments = name.split()
        source = tmp_path / name if name == "no_mpi.c" else ROOT / name
        program = tmp_path / source.stem
        subprocess.run([weir, "cc", "-g", str(source), "-o", program, "-lm"], check=True)
        commands.append(
            (["mpirun", *options, "--out", str(tmp_path / f"out-{program.stem}"), str(program), *arguments], status)
        )
    commands.append((["run", "demo", "--out", str(tmp_path / "demo")], 0))
    seen: set[str] = set()
    (tmp_path / "driver").mkdir()
    environment = with_driver(tmp_path / "driver")
    for command, status in commands:
        own = environment if "--gpu" in command else None
        ended = subprocess.run([weir, *command], capture_output=True, text=True, check=False, env=own)
        assert ended.returncode == status, (command, ended.stderr)
        summary = json.loads((Path(command[command.index("--out") + 1]) / "summary.json").read_text())
        mistakes = [f"{'.'.join(map(str, one.path))}: {one.message}" for one in validator.iter_errors(summary)]
        assert not mistakes, (command, mistakes)
        seen |= found(SCHEMA, summary)
    assert " ".join(sorted(declared(SCHEMA) - seen)) == ""


def test_class_and_page_are_those_of_the_schema() -> None:
    """`tools/summary_pages.py` would change nothing."""
    assert summary_pages.CLASS.read_text() == summary_pages.python_class()
    page = summary_pages.PAGE.read_text()
    assert page == summary_pages.page(page)
