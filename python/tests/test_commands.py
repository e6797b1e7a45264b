"""Every command of every page runs, and prints what the page shows."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from pages import Reader, blocks_of, commands

#: A machine for 1,024 ranks.
MACHINE = '[topology]\nkind = "torus"\nshape = [16, 8, 8]\nbandwidth = "8 GB/s"\nlatency = "100 ns"\n'
#: What a test cannot do, by how it begins, and why: the only commands and Python of pages that do not run.
LEFT_OUT = {
    "python3 -m pip install": "from an index of packages",
    "python3 -m venv": "for the installation that follows",
    "~/weir-python/bin/pip install": "from an index of packages",
    "MPICC=mpicc_abi pip install": "from an index of packages",
    "make": "minutes, or a project of the reader",
    "cargo": "minutes",
    "python3 tools/bench": "minutes",
    "sh measure.sh": "a cluster with Open MPI",
    "weir record": "an MPI of the system: recorded.rs runs it",
    "ssh ": "another computer",
    "weir run --gpu": "a GPU",
    "weir sweep --gpu": "a GPU",
    "perf stat": "counters of the processor, which virtual computers do not have",
    "weir mpirun -n 4 --machine fat-tree ./hpcc": "HPC Challenge: real_programs.rs runs it",
    "weir mpirun -n 4 --machine examples/fat-tree.toml ./is": "NAS benchmarks: real_programs.rs runs it",
}
#: What pages take for granted: files of the reader's own, and those that another page shows.
BROUGHT = {
    "docs/guide/calibration.md": {
        "experiment.toml": '[workload]\nkind = "collective"\noperation = "allreduce"\nmessage_size = "64 kB"\n'
    },
    "docs/guide/checkpoints.md": {"all-to-all.toml": "docs/guide/processes.md: all-to-all.toml"},
    "docs/guide/mpi-programs.md": {
        "halo.c": "docs/guide/first-steps.md: hello.c",
        "solver.cpp": "tests/mpi/cxx/sample_sort.cpp",
        "stencil.f90": "tests/mpi/fortran/hello.f90",
        "old.f": "tests/mpi/fortran/old_style.f",
        "machine.toml": MACHINE,
        "experiment.toml": MACHINE + '[workload]\nkind = "program"\nranks = 16\n',
    },
    "docs/reference/collectives.md": {"hello.c": "docs/guide/first-steps.md: hello.c"},
}
#: The cluster of an example, for which a small one stands.
SCHEDULER = "scheduler.example:8786"
#: Pages whose times are measured on one computer: words count there, numbers do not.
MEASURED = {"docs/guide/skeletons.md"}
#: Pages whose numbers are fitted, and how near they have to be.
FITTED = {"docs/guide/calibration.md": 0.02, "docs/tutorials/my-cluster.md": 0.02}
#: Pages whose tables have numbers that commands of the same section print.
TABLES = {f"docs/guide/{name}.md" for name in ("congestion", "contention", "faults", "pacing")}
#: Folders of the repository, which lie beside the pages for those who work on it. Others begin in an empty folder.
REACHABLE = ["examples", "papers", "benches", "validation", "tools"]
_REFERENCE = ("benchmarks", "checking", "comparison", "mutants", "papers", "real-programs", "validation")
OF_CONTRIBUTORS = (
    *("CONTRIBUTING.md", "ARCHITECTURE.md", "docs/decisions/", "docs/validation/", "docs/papers/"),
    *(f"docs/reference/{name}.md" for name in _REFERENCE),
)


def pages() -> list[str]:
    """All pages with something to run."""
    found = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
    names = [page.relative_to(ROOT).as_posix() for page in found]
    return [name for name in names if any(block.language in ("sh", "python") for block in blocks_of(name))]


def brought(source: str) -> str:
    """The text of a file that a page takes for granted: as it stands here, in the repository, or in another page."""
    if "\n" in source:
        return source
    page, _, name = source.partition(": ")
    if not name:
        return (ROOT / page).read_text(encoding="utf-8")
    (block,) = [block for block in blocks_of(page) if block.name() == name]
    return block.text


def reader(page: str, weir: str, folder: Path) -> Reader:
    """A reader of this page, with weir on the path, in an empty folder; contributors have the repository's folders."""
    for name in REACHABLE if page.startswith(OF_CONTRIBUTORS) else ():
        (folder / name).symlink_to(ROOT / name)
    for name, source in BROUGHT.get(page, {}).items():
        (folder / name).write_text(brought(source), encoding="utf-8")
    (folder / ".bin").mkdir()
    command = Path(weir).resolve()
    (folder / ".bin" / "weir").symlink_to(command)
    path = [folder / ".bin", ROOT / "target/mpich/bin", Path(sys.executable).parent, os.environ["PATH"]]
    own = {
        "HOME": str(folder),
        "PATH": os.pathsep.join(map(str, path)),
        "PYTHONPATH": f"{ROOT / 'python'}{os.pathsep}{ROOT / 'target/mpi4py/lib'}",
        "WEIR": str(command),
        "WEIR_PYTHON": sys.executable,
        # As for the tests in Rust: what cargo has built with these tests, and a cache of their own.
        "WEIR_MPI_ABI": os.environ.get("WEIR_MPI_ABI", str(command.with_name("deps") / "libmpi_abi.so")),
        "XDG_CACHE_HOME": str(ROOT / "target/tmp/cache"),
        # `weir demo` opens its page with this.
        "BROWSER": "true",
    }
    return Reader(folder, {**os.environ, **own}, LEFT_OUT, page in MEASURED, FITTED.get(page, 0))


@contextlib.contextmanager
def cluster(page: str) -> Iterator[str]:
    """The address of a cluster for Dask, if the page has one."""
    if SCHEDULER not in (ROOT / page).read_text(encoding="utf-8"):
        yield ""
        return
    from distributed import LocalCluster

    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(host="127.0.0.1", **options) as started:
        yield started.scheduler_address


@pytest.mark.parametrize("page", pages())
def test_a_page_runs(weir: str, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From its top to its end, in a fresh folder."""
    follower = reader(page, weir, tmp_path)
    monkeypatch.chdir(tmp_path)
    for name, value in follower.environment.items():
        monkeypatch.setenv(name, value)
    with cluster(page) as follower.replaced[SCHEDULER]:
        follower.follow(blocks_of(page))
    if page in TABLES:
        follower.compare_tables(page)
    assert not follower.mistakes, "\n\n".join(follower.mistakes)


def test_what_is_left_out_is_there() -> None:
    """Each entry of the list begins a command or a block of a page, and no shell block hides from the test."""
    found = []
    for page in pages():
        for block in blocks_of(page):
            found += commands(block.text) if block.language == "sh" else [block.text]
            assert block.language not in ("console", "shell"), (
                f"{page}:{block.line}: write sh, and text for what it prints"
            )
    assert [begin for begin in LEFT_OUT if not any(text.startswith(begin) for text in found)] == []


WRONG = """# A page

Put this into `numbers.csv`:

```csv
1,2
3,4
```

```sh
cat numbers.csv
for x in a \\
    b; do
    echo $x 10 ms
done
false              # exit status 1
```

```text
1,2
...
a 10 ms
b 10 ms
```

```python
print("three")
```

```text
three
```

## Another section

```text
not looked at
```
"""


@pytest.mark.parametrize(
    ("right", "wrong", "found"),
    [
        ("three", "three", None),
        ("`numbers.csv`", "a file", "ended with 1, not 0"),
        ("# exit status 1", "# exit status 2", "ended with 1, not 2"),
        ("# exit status 1", "# no comment", "ended with 1, not 0"),
        ("b 10 ms\n", "b 11 ms\n", "shows\nb 11 ms\nbut"),
        ("a 10 ms\nb 10 ms", "b 10 ms\na 10 ms", "shows\na 10 ms\nbut"),
        ("```text\nthree", "```text\nfour", "shows\nfour\nbut"),
        ("## Another section\n", "", "shows\nnot looked at\nbut"),
    ],
)
def test_what_is_wrong_is_found(tmp_path: Path, right: str, wrong: str, found: str | None) -> None:
    """A page with a mistake is refused, at its place."""
    follower = Reader(tmp_path, dict(os.environ), {})
    assert right in WRONG
    follower.follow(blocks_of("page.md", WRONG.replace(right, wrong)))
    assert [found] * bool(found) == [found for mistake in follower.mistakes[:1] if found in mistake], follower.mistakes


def test_numbers_of_measurements_and_fits() -> None:
    """Measured numbers are not compared, fitted ones nearly."""
    measured, fitted = Reader(Path(), {}, {}, measured=True), Reader(Path(), {}, {}, tolerance=0.02)
    assert measured.alike("copy  21504  1.457 ns  +0.53 %", "copy 9 878 ps -5 %")
    assert not measured.alike("copy  21504  1.457 ns", "set up 21504 1.457 ns")
    assert fitted.alike("bandwidth  5.513 GB/s  yes", "bandwidth  5.6 GB/s  yes")
    assert not fitted.alike("bandwidth  5.513 GB/s  yes", "bandwidth  5.7 GB/s  yes")
    assert not Reader(Path(), {}, {}).alike("bandwidth  5.513 GB/s", "bandwidth  5.512 GB/s")


def test_numbers_of_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are those of commands in their section, in whatever unit; the last digit is rounded."""
    page = (
        "# A\n\n```sh\necho 1.40578e-06 20 ms\n```\n\n| a | b |\n|---|---|\n| 1.41 µs | 0.020 s |\n\n# B\n\n| 3 ms |\n"
    )
    monkeypatch.setattr("pages.ROOT", tmp_path)
    for text, mistakes in [(page, 0), (page.replace("1.41", "1.40"), 1), (page.replace("0.020", "0.021"), 1)]:
        (tmp_path / "page.md").write_text(text, encoding="utf-8")
        follower = Reader(tmp_path, dict(os.environ), {})
        follower.follow(blocks_of("page.md", text))
        follower.compare_tables("page.md")
        assert len(follower.mistakes) == mistakes, follower.mistakes
