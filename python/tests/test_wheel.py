"""The wheel as others get it: installed into an empty environment, where there is no Rust and no compiler."""

import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

#: What every shell has; no cargo, no compiler, no other Python.
BARE = "/nonexistent"

Installed = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.wheel


@pytest.fixture(scope="module")
def wheel(weir: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of what the tests have built."""
    built = tmp_path_factory.mktemp("built")
    (built / "weir").symlink_to(weir)
    library = Path(weir).parent / "deps" / "libmpi_abi.so"
    (built / "libmpi_abi.so").symlink_to(library if library.exists() else Path(weir).parent / "libmpi_abi.so")
    environment = {
        **os.environ,
        "WEIR_BUILT": str(built),
        "MATURIN_PEP517_ARGS": "--profile dev",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "CARGO_INCREMENTAL": "0",
        # The module is compiled once more, with other features of what it depends on: then as quickly as can be.
        "CARGO_PROFILE_DEV_OPT_LEVEL": "0",
    }
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir"]
    done = subprocess.run([*command, built, ROOT], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    (found,) = built.glob("weir_sim-*.whl")
    return found


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and what it brings with it."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    install = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def installed(environment: Path, tmp_path: Path) -> Installed:
    """Runs a command of the environment, with nothing else of this computer on its PATH."""

    def run(name: str, *arguments: str | Path, path: str = BARE, **more: str) -> subprocess.CompletedProcess[str]:
        variables = {"PATH": path, "HOME": str(tmp_path), **more}
        command = [environment / "bin" / name, *arguments]
        return subprocess.run(command, env=variables, cwd=tmp_path, capture_output=True, text=True, check=False)

    return run


def test_the_wheel_holds_all_parts(wheel: Path) -> None:
    """One for all versions of Python and for a named age of the system; nothing of it stays in the source folder."""
    assert "-cp310-abi3-manylinux_2_" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        entries = next(name for name in names if name.endswith("entry_points.txt"))
        assert "weir=weir.command:main" in archive.read(entries).decode().replace(" ", "")
    expected = [
        "_weir.abi3.so",
        "_weir.pyi",
        "py.typed",
        "bin/weir",
        "bin/libmpi_abi.so",
        "include/mpi.h",
        "include/weir.h",
    ]
    expected += [f"include/weir/{path.name}" for path in (ROOT / "include" / "weir").iterdir()]
    expected += [f"report/assets/{name}" for name in ("machine.js", "page.html.j2", "page.js", "style.css")]
    assert {f"weir/{name}" for name in expected} <= names
    assert not any("tests" in name or "__pycache__" in name for name in names)
    assert not any((ROOT / "python" / "weir" / name).exists() for name in ("bin", "include"))


def test_a_demonstration_is_a_page_that_moves(installed: Installed, tmp_path: Path) -> None:
    """`weir demo`, without a compiler: results with series in time, and a page."""
    done = installed("weir", "demo", "--no-open")
    assert done.returncode == 0, done.stderr
    page = tmp_path / "weir-demo" / "report.html"
    assert f"open it in a browser: {page.resolve()}" in done.stderr
    text = page.read_text(encoding="utf-8")
    assert "all-to-all on a torus" in text and "times the lower bound" in text
    assert 'type="range"' in text, "the slider over simulated time"
    assert list((tmp_path / "weir-demo" / "series" / "links").glob("*.parquet"))
    # Once more, into the same folder: that is replaced.
    assert installed("weir", "demo", "--no-open").returncode == 0


def test_a_browser_is_started_only_where_there_is_a_screen(installed: Installed, tmp_path: Path) -> None:
    """The page is handed to the browser that the environment names."""
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    browser.chmod(0o755)
    done = installed("weir", "demo", BROWSER=f"{browser} %s")
    assert done.returncode == 0 and "open it" in done.stderr and not (tmp_path / "opened").exists()
    done = installed("weir", "demo", BROWSER=f"{browser} %s", DISPLAY=":0")
    assert done.returncode == 0 and "open it" not in done.stderr, done.stderr
    assert (tmp_path / "opened").read_text().strip().endswith("weir-demo/report.html")


def test_a_pattern_runs_by_command_and_by_module(installed: Installed) -> None:
    """Both are the same simulator: equal digests."""
    experiment = '[topology]\nkind = "torus"\nshape = [4, 4]\nbandwidth = "1 GB/s"\nlatency = "100 ns"\n'
    experiment += '[engine]\nkind = "packet"\n[workload]\nkind = "all-to-all"\nmessage_size = "20 kB"\n'
    program = "import json, sys, weir\nprint(json.dumps(weir.run(sys.argv[1]).summary))"
    by_module = installed("python", "-c", program, experiment)
    assert by_module.returncode == 0, by_module.stderr
    summary: dict[str, Any] = json.loads(by_module.stdout)
    file = Path(installed("python", "-c", "import os; print(os.getcwd())").stdout.strip()) / "experiment.toml"
    file.write_text(experiment)
    by_command = installed("weir", "run", "--json", file)
    assert json.loads(by_command.stdout)["digest"] == summary["digest"]
    machines = installed("weir", "machines")
    assert "fugaku" in machines.stdout


def test_mpi_programs_run(installed: Installed, environment: Path, tmp_path: Path) -> None:
    """An example of the package by the command and from Python; and a program built elsewhere, for the library."""
    (package,) = environment.glob("lib/python3*/site-packages/weir")
    tools = os.environ["PATH"] if shutil.which("cc") else BARE
    done = installed("weir", "examples", "ring.c", "--copy", ".")
    assert done.returncode == 0, done.stderr
    done = installed("weir", "cc", "ring.c", "-o", "ring", path=tools)
    assert done.returncode == 0, done.stderr
    done = installed("weir", "mpirun", "-n", "8", "--machine", "torus", "./ring", "1000")
    assert done.returncode == 0 and "8 ranks, 1000 bytes" in done.stdout, done.stderr
    program = (
        "import weir\nworkload = {'kind': 'program', 'program': './ring', 'ranks': 8}\n"
        "result = weir.run({'workload': workload}, machine='torus')\n"
        "print(result.outcome, result.messages)"
    )
    done = installed("python", "-c", program)
    assert done.stdout.startswith("finished "), done.stderr
    elsewhere = tmp_path / "elsewhere.c"
    elsewhere.write_text(
        "int MPI_Init(int *c, char ***v);\nint MPI_Finalize(void);\n"
        "int main(void) { return MPI_Init(0, 0) || MPI_Finalize(); }\n"
    )
    library = package / "bin" / "libmpi_abi.so"
    subprocess.run(["cc", elsewhere, "-o", tmp_path / "elsewhere", library], check=True)
    done = installed("weir", "mpirun", "-n", "2", "./elsewhere")
    assert done.returncode == 0 and re.search(r"^ *ranks +2$", done.stderr, re.MULTILINE), done.stderr
