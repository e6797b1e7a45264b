"""The wheel as others get it: installed into an empty environment, where there is no Rust and no compiler.

The environment variable WEIR_WHEEL names the wheel; without it one is made of what was built for the tests.
"""

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
import symbols
from conftest import ROOT

#: What every shell has; no cargo, no compiler, no other Python.
BARE = "/nonexistent"

#: The C library of RHEL 8, and what `pip install weir-sim` may take of a disk.
OLDEST = (2, 28)
MOST_MB = 60

Installed = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.wheel


@pytest.fixture(scope="module")
def wheel(weir: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that was named, or that of what the tests have built."""
    if named := os.environ.get("WEIR_WHEEL"):
        return Path(named)
    built = tmp_path_factory.mktemp("built")
    (built / "weir").symlink_to(weir)
    for name in ("libmpi_abi.so", "libweir_backend.so"):
        library = Path(weir).parent / "deps" / name
        (built / name).symlink_to(library if library.exists() else Path(weir).parent / name)
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
        "bin/libweir_backend.so",
        "include/mpi.h",
        "include/weir.h",
        "include/weir_backend.h",
    ]
    expected += [f"include/weir/{path.name}" for path in (ROOT / "include" / "weir").iterdir()]
    assets = ("machine.js", "page.html.j2", "page.js", "plotly.min.js.gz", "style.css")
    expected += [f"report/assets/{name}" for name in assets]
    assert {f"weir/{name}" for name in expected} <= names
    assert not any("tests" in name or "__pycache__" in name for name in names)
    assert not any((ROOT / "python" / "weir" / name).exists() for name in ("bin", "include"))


def test_no_file_needs_a_newer_c_library(wheel: Path, tmp_path: Path) -> None:
    """Symbol by symbol, in every ELF file: none is newer than what the name of the wheel says; that of a release runs
    on RHEL 8.
    """
    said = tuple(map(int, re.findall(r"manylinux_(\d+)_(\d+)", wheel.name)[0]))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    files = list(symbols.executables(tmp_path))
    assert sorted(file.name for file in files) == ["_weir.abi3.so", "libmpi_abi.so", "libweir_backend.so", "weir"]
    for file in files:
        needed = symbols.needed(file)
        assert len(needed) > 20, file
        assert {name: version for name, version in needed.items() if version > said} == {}, file
    if "WEIR_WHEEL" in os.environ:
        assert said <= OLDEST


def test_what_is_linked_into_programs_is_in_an_old_c_library(installed: Installed, tmp_path: Path) -> None:
    """What `weir cc`, `weir c++` and `weir fort` link is compiled by the compilers that are there. It takes nothing of
    the C library that RHEL 8 does not have, but for names that newer headers give to old functions.
    """
    assert installed("weir", "examples", "ring.c", "--copy", ".").returncode == 0
    (tmp_path / "ring.f90").write_text("use mpi_f08\ncall MPI_Init()\ncall MPI_Finalize()\nend\n")
    (tmp_path / "ring.cc").write_text("#include <mpi.h>\nint main() { return MPI_Init(0, 0) || MPI_Finalize(); }\n")
    for command, source in [("cc", "ring.c"), ("c++", "ring.cc"), ("fort", "ring.f90")]:
        done = installed("weir", command, source, "-o", f"ring-{command}", path=os.environ["PATH"])
        assert done.returncode == 0, done.stderr
    objects = [file for file in symbols.executables(tmp_path) if file.suffix == ".o"]
    assert len(objects) > 10
    offered: dict[str, symbols.Version] = {}
    for library in ("libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2"):
        for name, version in symbols.offered(symbols.found(library)).items():
            offered[name] = min(version, offered.get(name, version))
    taken = {name for file in objects for name in symbols.undefined(file)} & offered.keys()
    assert {"malloc", "memcpy", "strlen"} & taken
    old = {name: offered.get(name.replace("__isoc23_", ""), (99,)) for name in taken}
    assert {name: version for name, version in old.items() if version > OLDEST} == {}


def test_a_program_in_c_steps_the_network(environment: Path, tmp_path: Path) -> None:
    """Compiled as the guide says, against the header and the library that are installed: each hop computes 500 ns and
    sends 1 kB in 1 us + 1 us, three times around four ranks.
    """
    (package,) = environment.glob("lib/python3*/site-packages/weir")
    command = ["cc", "-Wall", "-Werror", ROOT / "docs" / "guide" / "backend" / "token.c", "-I", package / "include"]
    command += ["-L", package / "bin", "-lweir_backend", f"-Wl,-rpath,{package / 'bin'}", "-o", tmp_path / "token"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (tmp_path / "e.toml").write_text("engine = { kind = 'ideal', latency = '1 us', bandwidth = '1 GB/s' }\n")
    command = [tmp_path / "token", "e.toml", "3", "workload.ranks=4"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{12 * 2_500_000 - 500_000} ps\n"), done.stderr


def test_it_names_no_folder_of_the_computer_that_built_it(wheel: Path) -> None:
    """Messages of a panic name files. A wheel of what the tests are built of may name those of this computer."""
    with zipfile.ZipFile(wheel) as files:
        content = {name: files.read(name) for name in files.namelist()}
    assert any(b"crates/cli/src" in data for data in content.values()), "panics name files"
    places = [str(place).encode() for place in (ROOT, Path.home() / ".cargo")]
    naming = [name for name, data in content.items() if any(place in data for place in places)]
    assert naming == [] or "WEIR_WHEEL" not in os.environ


def test_it_is_small_and_brings_little(environment: Path) -> None:
    """`pip install weir-sim` alone: templates of pages, and nothing else; with them it takes less than 60 MB."""
    (folder,) = environment.glob("lib/python3*/site-packages")
    tools = {"pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils", "wheel"}
    names = {path.name for path in folder.iterdir() if path.name.partition("-")[0] not in tools}
    assert {name for name in names if not name.endswith((".dist-info", "__pycache__"))} == {
        "weir",
        "jinja2",
        "markupsafe",
    }
    files = [file for name in names for file in [folder / name, *(folder / name).rglob("*")] if file.is_file()]
    size = sum(file.stat().st_size for file in files) / 1e6
    print(f"installed: {size:.1f} MB")
    # What the tests are built of is not optimized, and larger.
    assert size < MOST_MB or "WEIR_WHEEL" not in os.environ


def test_what_needs_more_says_so(installed: Installed) -> None:
    """The extra that brings it."""
    done = installed("python", "-c", "import weir; weir.Pattern.from_arrays([0], [1], 8)")
    assert "hint: python3 -m pip install 'weir-sim[python]'" in done.stderr


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
