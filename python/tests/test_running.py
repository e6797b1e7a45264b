"""`weir.run` and `weir.check`: inputs, errors, interruption, MPI programs."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

import weir
from weir.errors import in_python

TORUS: dict[str, Any] = {
    "title": "all-to-all",
    "topology": weir.machine.torus([4, 4], "10 GB/s", "100 ns"),
    "engine": {"kind": "flow"},
    "workload": {"kind": "all-to-all", "message_size": "20 kB"},
}
TEXT = """
title = "all-to-all"
[topology]
kind = "torus"
shape = [4, 4]
bandwidth = "10 GB/s"
latency = "100 ns"
[engine]
kind = "flow"
[workload]
kind = "all-to-all"
message_size = "20 kB"
"""
#: Runs for minutes.
LONG = {"topology.shape": [32, 32], "workload.message_size": "1 MB", "engine.kind": "packet"}


def by_command(weir_command: str, file: Path, *options: str) -> dict[str, Any]:
    """The summary that the command prints."""
    words = [weir_command, "run", "--json", str(file), *options]
    found: dict[str, Any] = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    return found


def test_a_path_a_text_and_a_dictionary_are_one_experiment(weir: Any, tmp_path: Path) -> None:
    """The same run as the command's, whatever says it, on every engine and for any number of threads."""
    import weir as package

    file = tmp_path / "all-to-all.toml"
    file.write_text(TEXT)
    for engine in ("ideal", "flow", "packet"):
        expected = by_command(weir, file, "--set", f"engine.kind={engine}")
        for experiment in (file, str(file), TEXT, TORUS):
            found = package.run(experiment, set={"engine.kind": engine})
            same = ["title", "outcome", "digest", "simulated_ps", "messages", "bytes", "max_link_utilization"]
            assert [found[name] for name in same] == [expected[name] for name in same], experiment
            assert package.run(experiment, engine=engine).digest == expected["digest"]
    digests = {package.run(TORUS, engine="packet", threads=threads).digest for threads in (1, 2, 3)}
    assert len(digests) == 1


def test_engine_and_threads_are_short_for_keys() -> None:
    """They may be said twice, but not differently, as on the command line; other names are mistakes."""
    import weir as package

    result = package.run(TORUS, engine="packet", threads=2, set={"engine.kind": "packet", "engine.threads": 2})
    assert (result.engine, result["experiment"]["engine"]["threads"]) == ("packet", 2)
    with pytest.raises(ValueError, match=r"engine='packet' and set=\{'engine.kind': 'flow'\} say different things"):
        package.run(TORUS, engine="packet", set={"engine.kind": "flow"})
    with pytest.raises(ValueError, match=r"threads=2 and set=\{'engine.threads': 3\} say different things"):
        package.run(TORUS, threads=2, set={"engine.threads": 3})
    with pytest.raises(package.ExperimentError, match="engine.kind"):
        package.run(TORUS, engine="garnet")


def test_values_that_are_set_arrive_as_they_are() -> None:
    """Texts stay texts, numbers of numpy are numbers, and lists, booleans and tables are what they are."""
    given = {
        "title": "3",
        "topology.shape": np.array([8, 2]),
        "topology.bandwidth": "1 GB/s",
        "seed": np.int64(7),
        "workload.synchronised": True,
        "workload.algorithm": "pairwise",
        "mapping": {"kind": "random"},
        "node": {"packet_gap": 0.5},
        "engine.kind": "packet",
    }
    known = weir.check(TORUS, set=given)
    assert (known["title"], known["seed"], known["topology"]["shape"]) == ("3", 7, [8, 2])
    assert known["workload"]["synchronised"] is True and known["mapping"]["kind"] == "random"
    assert known["node"]["packet_gap"] == 0.5
    awkward = 'a "quoted" \\ text,\ttwo\nlines, é, \x7f, 😀'
    assert weir.check(TORUS, set={"title": awkward})["title"] == awkward
    assert weir.check({**TORUS, "title": awkward})["title"] == awkward


@pytest.mark.parametrize("value", [None, object(), float("nan"), [1, None], {"x": b"bytes"}])
def test_values_that_no_key_has_are_refused(value: Any) -> None:
    """With the key, before anything runs."""
    with pytest.raises(TypeError, match=r"topology\.shape"):
        weir.run(TORUS, set={"topology.shape": value})
    with pytest.raises(TypeError, match="topology"):
        weir.run({**TORUS, "topology": {"shape": value}})
    with pytest.raises(TypeError, match='is the "topology" of an experiment'):
        weir.run(TORUS, machine=weir.machine.torus([4], "1 GB/s", "1 us"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="experiment: must be a path"):
        weir.run(17)  # type: ignore[arg-type]


def test_all_mistakes_are_in_one_exception(weir: Any, tmp_path: Path) -> None:
    """With the message of the command, word for word, but for its options."""
    import pickle

    import weir as package

    file = tmp_path / "wrong.toml"
    file.write_text(TEXT.replace('kind = "flow"', 'kind = "flw"').replace("[4, 4]", "[4, 0]") + "\n[toplogy]\nx = 1\n")
    with pytest.raises(package.ExperimentError) as caught:
        package.run(file, set={"seed": -1})
    done = subprocess.run([weir, "run", file, "--set", "seed=-1"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and in_python(done.stderr.strip()) == f"error: {caught.value}"
    keys = [problem.key for problem in caught.value.problems]
    assert {"engine.kind", "topology.shape", "toplogy", "seed"} <= set(keys)
    (problem,) = [problem for problem in caught.value.problems if problem.key == "engine.kind"]
    assert (
        problem.line and problem.file == str(file) and problem.value == '"flw"' and "did you mean" in str(problem.hint)
    )
    # It comes from other processes as it was.
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.problems == caught.value.problems
    with pytest.raises(package.ExperimentError, match="such file"):
        package.run(tmp_path / "nothing.toml")


def test_runs_without_a_result_say_why(tmp_path: Path) -> None:
    """Each in its own exception."""
    with pytest.raises(weir.BudgetError, match="memory"):
        weir.run(TORUS, set={"limits.memory": "1 kB"})
    blocked = tmp_path / "file"
    blocked.write_text("x")
    with pytest.raises(weir.OutputError, match="file"):
        weir.run(TORUS, out=blocked / "results")
    file = tmp_path / "results" / "summary.json"
    file.parent.mkdir()
    file.write_text(json.dumps(TORUS))
    with pytest.raises(weir.OptionsError, match="would replace"):
        weir.run(file, out=file.parent)
    assert json.loads(file.read_text()) == TORUS
    with pytest.raises(weir.OptionsError, match="no folder"):
        weir.run(TORUS).open()
    assert issubclass(weir.BudgetError, weir.RunError) and issubclass(weir.ResultsError, weir.WeirError)


def test_a_result_has_fields_a_folder_and_a_table_for_notebooks(tmp_path: Path) -> None:
    """Items and attributes are those of summary.json."""
    result = weir.run({**TORUS, "title": "<b>"}, out=tmp_path / "results")
    assert result.finished and result.simulated_s == result["simulated_s"] > 0
    assert json.loads((tmp_path / "results" / "summary.json").read_text())["digest"] == result.digest
    assert result.open().table("links").num_rows == result.links
    assert "&lt;b&gt;" in result._repr_html_() and "<b>" not in result._repr_html_()
    assert "simulated time" in str(result) and "digest" in dir(result) and len(list(result)) == len(result)
    with pytest.raises(AttributeError, match="no field 'digst'; fields are"):
        _ = result.digst
    limited = weir.run(TORUS, set={"limits.simulated_time": "1 us"})
    assert limited.outcome == "limit" and not limited.finished


def test_progress_is_shown_and_may_end_the_run(tmp_path: Path) -> None:
    """What it raises is raised, and the results are there."""
    seen: list[weir.Progress] = []

    def show(progress: weir.Progress) -> None:
        seen.append(progress)
        if progress.messages:
            raise StopIteration("enough")

    with pytest.raises(StopIteration, match="enough"):
        weir.run(TORUS, set=LONG, out=tmp_path / "results", progress=show)
    assert seen[-1].messages > 0 and seen[-1].bytes > 0 and seen[-1].simulated_s > 0
    assert len([progress for progress in seen if progress.messages]) == 1, "it is not asked again while the run ends"
    assert weir.open(tmp_path / "results").summary["outcome"] == "limit"
    # The next run does not inherit the interruption.
    assert weir.run(TORUS).finished


def test_other_threads_go_on_meanwhile() -> None:
    """The lock of Python is free during a run."""
    counted, ended = 0, threading.Event()

    def runs() -> None:
        weir.run(TORUS, set={**LONG, "limits.wall_time": "1 s"})
        ended.set()

    thread = threading.Thread(target=runs)
    thread.start()
    while not ended.is_set():
        counted += 1
        time.sleep(0.001)
    thread.join()
    assert counted > 100


PROGRAM = """
import sys, threading, weir
threading.Thread(target=lambda: (sys.stdin.readline(), print("begun", flush=True))).start()
try:
    weir.run(sys.argv[1], out=sys.argv[2])
except KeyboardInterrupt:
    print("interrupted", weir.open(sys.argv[2]).summary["outcome"])
print(weir.run(sys.argv[1], set={"topology.shape": [2, 2], "workload.message_size": "1 kB"}).outcome)
"""


def test_ctrl_c_ends_a_run_and_keeps_its_results(tmp_path: Path, begin: Any) -> None:
    """And the same program can run others afterward."""
    file = tmp_path / "long.json"
    file.write_text(json.dumps({**TORUS, "engine": {"kind": "packet"}}))
    experiment = json.loads(file.read_text())
    experiment["topology"]["shape"], experiment["workload"]["message_size"] = [32, 32], "1 MB"
    file.write_text(json.dumps(experiment))
    command = [sys.executable, "-c", PROGRAM, str(file), str(tmp_path / "results")]
    running = begin(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert running.stdin and running.stdout
    until = time.monotonic() + 60
    while not (tmp_path / "results" / "begun.json").exists() and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.3)
    running.send_signal(signal.SIGINT)
    printed, _ = running.communicate("\n", timeout=60)
    assert [line for line in printed.splitlines() if line != "begun"] == ["interrupted limit", "finished"]


def test_mpi_programs_run_by_the_command(
    weir: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, begin: Any
) -> None:
    """With dictionaries and files, and errors as exceptions; Ctrl-C ends them, too."""
    import weir as package

    monkeypatch.setenv("WEIR", weir)
    subprocess.run([weir, "cc", ROOT / "examples" / "ring.c", "-o", tmp_path / "ring"], check=True)
    experiment = {"workload": {"kind": "program", "program": tmp_path / "ring", "ranks": 8, "args": ["1000"]}}
    result = package.run(experiment, machine="nsim-torus", set={"mapping.kind": "random"}, out=tmp_path / "results")
    assert result.finished and result.ranks == 8 and result.messages > 0 and result.open().has("links")
    assert result.experiment["mapping"]["kind"] == "random"
    assert "8 ranks, 1000 bytes" in capsys.readouterr().err
    # Numbers in SI base units come to the command as they are, those of the experiment and those that are set.
    numbers = {**experiment, "node": {"mpi_overhead": 1e-6}}
    result = package.run(numbers, machine="nsim-torus", set={"node.eager_limit": 4096})
    assert (result.experiment["node"]["mpi_overhead"], result.experiment["node"]["eager_limit"]) == ("1 us", "4 KiB")
    with pytest.raises(package.ExperimentError, match="is no MPI program"):
        package.run({"workload": {"kind": "program", "program": "/bin/true", "ranks": 2}}, machine="nsim-torus")
    failing = tmp_path / "failing"
    failing.write_text("#!/bin/sh\necho 'error: there is no such thing' >&2\nexit 1\n")
    failing.chmod(0o755)
    with monkeypatch.context() as patch, pytest.raises(package.ProgramError, match="^error: there is no such thing$"):
        patch.setenv("WEIR", str(failing))
        package.run(experiment)
    source = tmp_path / "endless.c"
    source.write_text(
        "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); for (;;) MPI_Barrier(MPI_COMM_WORLD); }\n"
    )
    subprocess.run([weir, "cc", source, "-o", tmp_path / "endless"], check=True)
    seen: list[package.Progress] = []

    def show(progress: package.Progress) -> None:
        seen.append(progress)
        if len(seen) > 2 and progress.simulated_s:
            raise StopIteration("enough")

    endless = {"workload": {"kind": "program", "program": tmp_path / "endless", "ranks": 2}}
    # A machine on which a barrier takes time.
    with pytest.raises(StopIteration, match="enough"):
        package.run(endless, machine="nsim-torus", out=tmp_path / "watched", progress=show)
    assert seen[-1].messages > seen[0].messages and seen[-1].bytes >= 0 and seen[-1].stage is None
    assert package.open(tmp_path / "watched").summary["outcome"] == "limit"
    file = tmp_path / "endless.json"
    file.write_text(json.dumps({"workload": {"kind": "program", "program": str(tmp_path / "endless"), "ranks": 2}}))
    program = (
        "import sys, weir\ntry:\n    weir.run(sys.argv[1], out=sys.argv[2])\n"
        "except KeyboardInterrupt:\n    print(weir.open(sys.argv[2]).summary['outcome'])\n"
    )
    folder = tmp_path / "endless-results"
    command = [sys.executable, "-c", program, str(file), str(folder)]
    running = begin(command, stdout=subprocess.PIPE)
    until = time.monotonic() + 60
    while not (folder / "begun.json").exists() and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.3)
    running.send_signal(signal.SIGINT)
    printed, _ = running.communicate(timeout=60)
    assert printed == "limit\n"


#: Stands for the command: says that it runs, and ends half a second after a signal with the number of them.
COUNTING = """
import signal, sys, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
print("runs", file=sys.stderr, flush=True)
count = 0
while signal.sigtimedwait([signal.SIGINT], 0.5 if count else 60):
    count += 1
print("signals:", count, file=sys.stderr, flush=True)
"""


@pytest.mark.parametrize("send", [os.kill, os.killpg])
def test_a_command_has_one_signal(send: Any, tmp_path: Path, begin: Any) -> None:
    """A terminal and a notebook send Ctrl-C to the whole group, `kill` to one process; a second one loses results."""
    counting, program = tmp_path / "counting", tmp_path / "program"
    counting.write_text(f"#!{sys.executable}\n{COUNTING}")
    counting.chmod(0o755)
    shutil.copy(sys.executable, program)
    experiment = {"workload": {"kind": "program", "program": str(program), "ranks": 2}}
    script = f"import weir\ntry:\n    weir.run({experiment!r})\nexcept KeyboardInterrupt:\n    pass\n"
    environment = {**os.environ, "WEIR": str(counting)}
    running = begin([sys.executable, "-c", script], stderr=subprocess.PIPE, env=environment)
    assert running.stderr and running.stderr.readline() == "runs\n"
    send(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert said == "signals: 1\n"


def test_without_the_command_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to do about it."""
    monkeypatch.delenv("WEIR", raising=False)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    program = tmp_path / "program"
    shutil.copy(sys.executable, program)
    with pytest.raises(weir.CommandNotFound, match="pip install weir-sim"):
        weir.run({"workload": {"kind": "program", "program": program, "ranks": 2}})


def test_importing_is_quick() -> None:
    """Neither pyarrow nor numpy nor plotly is imported by a run."""
    names = ("pyarrow", "numpy", "plotly", "jinja2")
    program = f"import sys, weir; weir.run({TEXT!r}); print([n for n in {names} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout.strip() == "[]", done.stdout


def test_keys_are_taken_back() -> None:
    """What a file says is as if it had not been said."""
    text = {**TORUS, "node": {"nics": 2, "injection_limit": "500 MB/s"}}
    known = weir.check(text, unset=["node.injection_limit"])["node"]
    assert known["nics"] == 2 and "injection_limit" not in known
    known = weir.check(text, unset=["node"], set={"node.nics": 3})["node"]
    assert known["nics"] == 3 and "injection_limit" not in known
    assert weir.run(text, unset=["node"]).digest == weir.run(TORUS).digest
    found = weir.sweep(text, {"workload.message_size": ["1 kB"]}, unset=["node"])
    assert found[0]["digest"] == weir.run(TORUS, set={"workload.message_size": "1 kB"}).digest
    with pytest.raises(weir.ExperimentError, match="node.injection_limit: is set and taken back at once"):
        weir.check(text, unset=["node.injection_limit"], set={"node.injection_limit": "1 GB/s"})
    with pytest.raises(weir.ExperimentError, match="storage: is not set"):
        weir.check(text, unset=["storage"])
    with pytest.raises(TypeError, match="unset: must be a list of texts"):
        weir.check(text, unset="node.nics")


def test_a_band_of_what_is_known_of_the_machine() -> None:
    """By hand: a message of 1 kB at 1 GB/s, known to a half and to twice of that."""
    import weir as package

    experiment = {
        "engine": {"kind": "ideal", "bandwidth": "1 GB/s"},
        "workload": {"kind": "all-to-all", "ranks": 2, "message_size": "1 kB"},
        "calibrated": {"engine.bandwidth": ["500 MB/s", "2 GB/s"]},
    }
    found = package.run(experiment, band=True)
    assert found.band_s == [5e-7, 2e-6]
    assert found.band_by_key_s == {"engine.bandwidth": [2e-6, 5e-7]}
    assert "band_s" not in package.run(experiment)


def test_what_ships_is_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an empty folder; a file of that name is stronger, and an unknown name is answered with those that ship."""
    monkeypatch.chdir(tmp_path)
    result = weir.run("ring")
    assert (result.nodes, result.shipped) == (128, ["ring.toml", "torus.toml"])
    assert weir.run("ring", machine="fat-tree").shipped == ["ring.toml", "fat-tree.toml"]
    assert weir.check("all-to-all")["topology"]["kind"] == "fat-tree"
    table = "machine = 'torus'\n[workload]\nkind = 'ring'\nranks = 8\nmessage_size = '1 kB'\n"
    (tmp_path / "ring.toml").write_text(table)
    assert (weir.run("ring").ranks, weir.run("ring").shipped) == (8, ["torus.toml"])
    with pytest.raises(weir.ExperimentError, match="did you mean all-to-all"):
        weir.run("all-to-al")
    with pytest.raises(weir.ExperimentError, match="which weir does not generate"):
        weir.run("ring", set={"topology.kind": "jellyfish"})
