#!/usr/bin/env python3
"""Runs the conformance tests of MPICH's test suite under weir, and says what became of each.

The suite comes from Debian's source of mpich (tools/fetch_programs.py brings it into target/programs/mpich-suite); it is
used as it is, but for its two configuration headers, which configure would write and which are written here. A test
is a program, a number of processes and arguments, from the suite's own lists. It passes if its output says "No
Errors" and it ends with exit status 0, or as its list says.

What a test that does not pass ends with is reported by its first cause:

    not offered   it calls a function that weir does not offer
    compile       it does not compile or link
    wrong         it finds errors, or ends with another exit status
    hang          it deadlocks, or does not end in time
    crash         the program or weir itself crashes

With --mpi the tests run under another MPI, to see whether a failure is weir's.
"""

import argparse
import collections
import concurrent.futures
import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import fetch_programs
from debian import CannotFetch
from setup import of_open_mpi

ROOT = Path(__file__).resolve().parent.parent

# Folders of the suite, in the order of the table. Not here: basic, manual and perf (nothing to check), ft (MPICH's own
# functions), mpi_t (tools), ckpoint, and the bindings of other languages but mpi_f08.
FOLDERS = [
    "attr", "coll", "comm", "datatype", "errhan", "group", "info", "init", "pt2pt", "topo", "part", "rma",
    "io", "threads/comm", "threads/coll", "threads/init", "threads/mpi_t", "threads/part", "threads/pt2pt", "threads/rma", "threads/spawn", "spawn", "errors/attr", "errors/coll", "errors/comm",
    "errors/datatype", "errors/group", "errors/io", "errors/pt2pt", "errors/rma", "errors/topo",
    "f08/attr", "f08/pt2pt", "f08/coll", "f08/datatype", "f08/comm", "f08/rma", "f08/subarray", "f08/topo", "f08/ext",
    "f08/info", "f08/init", "f08/io", "f08/misc", "f08/spawn", "f08/timer",
]  # fmt: skip

# What configure finds on every Linux we know.
CONFIGURATION = """
#define F77_NAME_LOWER_USCORE 1
#define HAVE_DLFCN_H 1
#define HAVE_DOUBLE__COMPLEX 1
#define HAVE_FLOAT__COMPLEX 1
#define HAVE_GETRUSAGE 1
#define HAVE_INTTYPES_H 1
#define HAVE_LIMITS_H 1
#define HAVE_LONG_DOUBLE 1
#define HAVE_LONG_DOUBLE__COMPLEX 1
#define HAVE_LONG_LONG 1
#define HAVE_MEMORY_H 1
#define HAVE_MEMSET 1
#define HAVE_MPI_INTEGER16 1
#define HAVE_MPI_IO 1
#define HAVE_MPI_SPAWN 1
#define HAVE_MPI_WIN_CREATE 1
#define HAVE_PTHREAD_H 1
#define HAVE_STDARG_H 1
#define HAVE_STDINT_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRDUP 1
#define HAVE_STRINGS_H 1
#define HAVE_STRING_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UNISTD_H 1
#define HAVE_USLEEP 1
#define HAVE__BOOL 1
#define POINTERINT_t long
#define SIZEOF_INT 4
#define SIZEOF_LONG 8
#define SIZEOF_LONG_LONG 8
#define SIZEOF_MPI_OFFSET 8
#define SIZEOF_SHORT 2
#define SIZEOF_VOID_P 8
#define STDC_HEADERS 1
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
#define THREAD_PACKAGE_INVALID 0
#define THREAD_PACKAGE_NONE 1
#define THREAD_PACKAGE_POSIX 2
#define THREAD_PACKAGE_PTHREADS 2
"""

# The basic types that the suite's generator of datatypes combines.
POOL = "MPI_INT,MPI_INT:4+MPI_DOUBLE:8"

# Functions that exist in MPICH only, whatever they are called.
OTHER_LIBRARY = re.compile(r"MPIX_|MPIR_|MPI_Type_lb|MPI_Type_ub|MPI_Type_extent|MPI_LB\b|MPI_UB\b")


@dataclass
class Test:
    """One line of a list."""

    folder: str
    name: str
    processes: int
    arguments: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    expected: str = "TestErrors"
    xfail: bool = False
    strict: bool = True
    # The suite's own limit.
    limit: int = 180

    @property
    def label(self) -> str:
        return " ".join([f"{self.folder}/{self.name}", str(self.processes), *self.arguments])


@dataclass
class Result:
    test: Test
    kind: str
    reason: str = ""


def is_fortran(folder: str) -> bool:
    return folder.startswith("f08/")


def tests_of(suite: Path, folder: str) -> list[Test]:
    """The tests of a folder, once each: lines that differ in MPICH's settings only are one test."""
    tests = []
    for name in ("testlist", "testlist.in"):
        path = suite / folder / name
        if path.exists():
            break
    else:
        return sorted((Test(folder, path.stem, 4) for path in (suite / folder).glob("*.c")), key=lambda test: test.name)
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if len(words) < 2 or words[0].startswith("@") or not words[1].isdigit():
            continue
        test = Test(folder, words[0], int(words[1]))
        for word in words[2:]:
            key, _, value = word.partition("=")
            if key == "arg":
                test.arguments.append(value)
            elif key == "env":
                name, _, value = value.partition("=")
                if not name.startswith("MPIR_"):
                    test.environment[name] = value
            elif key == "resultTest":
                test.expected = value
            elif key == "xfail":
                test.xfail = True
            elif key == "timeLimit":
                test.limit = int(value)
            elif key == "strict":
                test.strict = value.lower() != "false"
        tests.append(test)
    unique: dict[object, Test] = {}
    for test in tests:
        # Some of those in Fortran are made by scripts of the suite when it is built.
        if not is_fortran(folder) or (suite / folder / f"{test.name}.f90").exists():
            unique.setdefault(test.label, test)
    return list(unique.values())


def recipes(suite: Path, folder: str) -> dict[str, tuple[list[str], list[str]]]:
    """Sources and options of programs that are not simply made of the file of their name."""
    path = suite / folder / "Makefile.am"
    if not path.exists():
        return {}
    text = path.read_text().replace("\\\n", " ")
    found: dict[str, tuple[list[str], list[str]]] = {}
    for program, variable, value in re.findall(r"^(\w+?)_(SOURCES|CPPFLAGS|LDADD)\s*\+?=(.*)$", text, re.MULTILINE):
        sources, options = found.setdefault(program, ([], []))
        if variable == "SOURCES":
            sources += [word for word in value.split() if word.endswith((".c", ".f90"))]
        else:
            options += [word for word in value.split() if word.startswith(("-D", "-l"))]
    return found


class Mpi:
    """How programs are compiled and run."""

    def __init__(self, name: str, weir: Path, machine: list[str]):
        self.name = name
        if name == "weir":
            self.compiler = [str(weir), "cc"]
            self.fortran = [str(weir), "fort"]
            self.runner = [str(weir), "mpirun", "--quiet", *machine, "-n"]
        elif name == "mpich":
            folder = ROOT / "target" / "mpich" / "bin"
            self.compiler = [str(folder / "mpicc_abi")]
            self.fortran = [str(folder / "mpifort_abi")]
            self.runner = [str(folder / "mpiexec"), "-n"]
        else:
            self.compiler = [of_open_mpi("mpicc")]
            self.fortran = [of_open_mpi("mpifort")]
            self.runner = [of_open_mpi("mpirun"), "--allow-run-as-root", "--oversubscribe", "-np"]

    def compile(self, arguments: list[str], fortran: bool = False) -> subprocess.CompletedProcess:
        compiler = self.fortran if fortran else self.compiler
        return subprocess.run(
            [*compiler, "-O1", "-w", *arguments], capture_output=True, text=True, errors="replace", check=False
        )


def build_support(mpi: Mpi, suite: Path, build: Path) -> list[str]:
    """Compiles what all tests share; returns what they are compiled with."""
    include = build / "include"
    include.mkdir(parents=True, exist_ok=True)
    for path in (include / "mpitestconf.h", build / "dtpoolsconf.h"):
        path.write_text(CONFIGURATION)
    flags = [f"-I{include}", f"-I{suite / 'include'}", f"-I{suite / 'dtpools' / 'include'}"]
    flags += [f"-I{suite / 'util'}"]
    sources = [suite / "util" / f"{name}.c" for name in ("mtest", "mtest_common", "mtest_single", "mtest_thread")]
    sources += [suite / "util" / "dtypes.c", *sorted((suite / "dtpools" / "src").glob("*.c"))]
    for source in sources:
        output = build / f"{source.stem}.o"
        done = mpi.compile([*flags, f"-DDTP_MPI_DATATYPE={POOL}", "-c", str(source), "-o", str(output)])
        if done.returncode != 0:
            sys.exit(f"{source} does not compile:\n{done.stderr}")
    return flags


def build_test(mpi: Mpi, suite: Path, build: Path, flags: list[str], folder: str, name: str) -> tuple[Path, str]:
    """Compiles a test; returns the program, and why there is none."""
    place = build / folder
    place.mkdir(parents=True, exist_ok=True)
    sources, options = recipes(suite, folder).get(name, ([], []))
    if is_fortran(folder):
        return build_in_fortran(mpi, suite, build, flags, folder, name, sources or [f"{name}.f90"])
    paths = [suite / folder / source for source in sources or [f"{name}.c"]]
    missing = [path.name for path in paths if not path.exists()]
    if missing:
        return place / name, f"the suite has no {missing[0]}"
    shared = ["mtest", "mtest_common", "dtypes"]
    shared += ["mtest_thread"] if folder.startswith("threads") else ["mtest_single"]
    shared += [path.stem for path in sorted((suite / "dtpools" / "src").glob("*.c"))]
    objects = [str(build / f"{name}.o") for name in shared]
    program = place / name
    program.unlink(missing_ok=True)
    macros = [option for option in options if option.startswith("-D")]
    done = mpi.compile([*flags, *macros, *map(str, paths), *objects, "-o", str(program), "-lm", "-lpthread"])
    return program, why_not(done)


def build_in_fortran(
    mpi: Mpi, suite: Path, build: Path, flags: list[str], folder: str, name: str, sources: list[str]
) -> tuple[Path, str]:
    """The same for a test of mpi_f08, parts of which may be in C."""
    place = build / folder / f"{name}.parts"
    place.mkdir(parents=True, exist_ok=True)
    objects = []
    for source in ["mtest_f08.f90", *sources]:
        # The suite copies some from the tests of the module mpi.
        folders = [suite / "util", suite / folder, suite / folder.replace("f08/", "f90/")]
        path = next((folder / source for folder in folders if (folder / source).exists()), None)
        if path is None:
            return place, f"the suite has no {source}"
        output = place / f"{source}.o"
        fortran = source.endswith(".f90")
        options = ["-J", str(place)] if fortran else [*flags, f"-I{place.parent}"]
        done = mpi.compile([*options, "-c", str(path), "-o", str(output)], fortran)
        if done.returncode != 0:
            return place, why_not(done)
        objects.append(str(output))
    objects += [str(build / f"{name}.o") for name in ("mtest", "mtest_common", "mtest_single")]
    program = build / folder / name
    program.unlink(missing_ok=True)
    return program, why_not(mpi.compile([*objects, "-o", str(program), "-lm"], fortran=True))


def why_not(done: subprocess.CompletedProcess) -> str:
    """Why there is no program, if there is none."""
    if done.returncode == 0:
        return ""
    lines = [line for line in done.stderr.splitlines() if re.search(r"error:|undefined reference", line, re.I)]
    return re.sub(r"^\S+?:(\d+:)*\s*", "", lines[0]) if lines else "does not compile"


def judge(test: Test, code: int, output: str, errors: str) -> tuple[str, str]:
    """What became of a run, and why."""
    both = output + errors
    offered = re.search(r"(P?MPI\w*) was called", both)
    if offered:
        return "not offered", offered[1]
    if test.folder.startswith("threads") and "MPI_THREAD_MULTIPLE" in both:
        return "not offered", "MPI_THREAD_MULTIPLE"
    mistakes = [line for line in both.splitlines() if "weir has made a mistake" in line]
    if mistakes:
        return "crash", mistakes[0]
    if code < 0 or "signal" in errors and "weir" not in errors:
        return "crash", f"signal {-code}"
    first = next(
        (
            line.strip()
            for line in both.splitlines()
            if line.strip() and not re.search("no errors|Found \\d+ errors", line, re.I)
        ),
        "",
    )
    if test.expected == "TestStatus" or test.expected == "TestErrFatal":
        if code != 0 and code != 3:
            return "passed", ""
        return "wrong", f"exit status {code}, expected another: {first}"
    if code == 0 and "no errors" in output.lower() and not re.search(r"Found \d+ errors", output):
        return "passed", ""
    if code == 3 or "deadlock" in errors:
        blocked = re.search(r"MPI_\w+", errors)
        return "hang", f"deadlock in {blocked[0]}" if blocked else "deadlock"
    if re.search(r"segmentation|SIGSEGV|SIGFPE|stack overflow|invalid address|crashed", errors, re.IGNORECASE):
        return "crash", first
    return "wrong", f"exit status {code}: {first}" if code else first


def run_test(mpi: Mpi, test: Test, program: Path, folder: Path) -> Result:
    """Runs one test in a folder of its own, because some write files."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    environment = {**os.environ, **test.environment}
    command = [*mpi.runner, str(test.processes), str(program), *test.arguments]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=test.limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        if test.expected in ("TestErrFatal", "TestTimeout"):
            # To be ended by force is what such a test is for.
            return Result(test, "passed")
        return Result(test, "hang", f"does not end within {test.limit} s")
    (folder / "output").write_text(done.stdout + "\n--- stderr\n" + done.stderr + f"\n--- exit {done.returncode}\n")
    return Result(test, *judge(test, done.returncode, done.stdout, done.stderr))


def run_folder(
    mpi: Mpi, suite: Path, build: Path, flags: list[str], folder: str, is_chosen: Callable[[Test], bool], jobs: int
) -> list[Result]:
    tests = [test for test in tests_of(suite, folder) if is_chosen(test)]
    names = list(dict.fromkeys(test.name for test in tests))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        built = dict(
            zip(names, pool.map(lambda name: build_test(mpi, suite, build, flags, folder, name), names), strict=True)
        )

        def run(numbered: tuple[int, Test]) -> Result:
            number, test = numbered
            program, reason = built[test.name]
            if reason:
                return Result(test, "compile", reason)
            return run_test(mpi, test, program, build / "runs" / folder / f"{test.name}-{number}")

        return list(pool.map(run, enumerate(tests)))


def table(results: list[Result]) -> str:
    kinds = ["passed", "not offered", "wrong", "hang", "crash", "compile"]
    lines = [f"{'folder':18}" + "".join(f"{kind:>12}" for kind in kinds)]
    folders = list(dict.fromkeys(result.test.folder for result in results))
    for folder in [*folders, "all"]:
        counts = collections.Counter(result.kind for result in results if folder in ("all", result.test.folder))
        lines.append(f"{folder:18}" + "".join(f"{counts[kind]:12}" for kind in kinds))
    return "\n".join(lines)


def failures(results: list[Result]) -> str:
    """Everything that did not pass, by cause."""
    lines = []
    for kind in ("not offered", "compile", "crash", "hang", "wrong"):
        causes: dict[str, list[str]] = {}
        for result in results:
            if result.kind == kind:
                label = result.test.label + (" (fails in MPICH, too)" if result.test.xfail else "")
                causes.setdefault(result.reason, []).append(label)
        for reason, labels in sorted(causes.items(), key=lambda item: (-len(item[1]), item[0])):
            lines.append(f"{kind}: {reason or '(no message)'}")
            lines += [f"    {label}" for label in labels]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weir", type=Path, default=ROOT / "target" / "release" / "weir", help="the weir command")
    parser.add_argument("--mpi", choices=["weir", "mpich", "openmpi"], default="weir", help="what runs the tests")
    parser.add_argument("--build", type=Path, default=ROOT / "target" / "conformance", help="where programs go")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument("--machine", nargs="*", default=[], help="options of weir mpirun, without their dashes")
    parser.add_argument("--only", default="", help="a regular expression for FOLDER/TEST PROCESSES")
    parser.add_argument("--save", type=Path, help="a file for one line per test")
    options = parser.parse_args()
    try:
        suite = fetch_programs.fetch("mpich-suite") / "test" / "mpi"
    except CannotFetch as error:
        print(f"no conformance tests: {error}", file=sys.stderr)
        return 0
    machine = [f"--{word}" if index % 2 == 0 else word for index, word in enumerate(options.machine)]
    mpi = Mpi(options.mpi, options.weir.resolve(), machine)
    build = options.build.resolve() / mpi.name
    flags = build_support(mpi, suite, build)
    pattern = re.compile(options.only)
    results = []
    # The MPICH that setup.py builds has no Fortran.
    for folder in FOLDERS if shutil.which(mpi.fortran[0]) else itertools.filterfalse(is_fortran, FOLDERS):
        found = run_folder(
            mpi, suite, build, flags, folder, lambda test: bool(pattern.search(test.label)), options.jobs
        )
        counts = collections.Counter(result.kind for result in found)
        print(f"{folder}: {dict(counts)}", file=sys.stderr, flush=True)
        results += found
    print(table(results))
    print()
    print(failures(results))
    if options.save:
        rows = [f"{result.test.label}\t{result.kind}\t{result.reason}" for result in results]
        options.save.write_text("\n".join(rows) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
