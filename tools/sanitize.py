#!/usr/bin/env python3
"""Runs weir under the sanitizers of the nightly toolchain.

    python3 tools/sanitize.py thread     ThreadSanitizer: the tests of pdes, those of packet with threads, and a run of weir
    python3 tools/sanitize.py address    AddressSanitizer: the programs of tests/mpi, run by a weir that is built with it

The exit status is 1 if a sanitizer reports something. What they cannot see is in docs/reference/checking.md.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nightly

ROOT = Path(__file__).resolve().parent.parent
MACHINE = """seed = 1
[topology]
kind = "torus"
shape = [16, 16]
bandwidth = "1 GB/s"
latency = "100 ns"
[engine]
kind = "packet"
threads = 4
[workload]
kind = "all-to-all"
message_size = "1 kB"
[limits]
simulated_time = "60 us"
"""
# A program that sends more than it has, which must be found.
CANARY = """#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank;
    char *data = malloc(1000);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(data, 1008, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(data, 1000, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(data);
    MPI_Finalize();
    return 0;
}
"""
# Two threads that count without a lock, which must be found.
RACE = """static mut COUNT: u64 = 0;
fn add() {
    for _ in 0..1000 {
        unsafe { COUNT += 1 }
    }
}
fn main() {
    let other = std::thread::spawn(add);
    add();
    let _ = other.join();
}
"""
# Tests of packet in which parts run on threads of their own.
WITH_THREADS = [
    "overtaking",
    "series::",
    "any_number_of_threads",
    "a_ring_with_one_virtual_channel",
    "invariance",
    "laws::threads_and_windows",
]
REPORT = re.compile(r"(WARNING: ThreadSanitizer|ERROR: AddressSanitizer|ERROR: LeakSanitizer)[^\n]*")

# Coroutines leave their frames without returning, and weir handles the signals of programs itself.
ADDRESS_OPTIONS = ":".join(
    [
        "detect_stack_use_after_return=0",
        "use_sigaltstack=0",
        "handle_segv=0",
        "handle_sigbus=0",
        "handle_sigfpe=0",
        "handle_sigill=0",
        "handle_abort=0",
        "allow_user_segv_handler=1",
        "detect_leaks=1",
        "exitcode=99",
    ]
)
# What is left behind on purpose, by the function that takes the memory: the arguments of ranks, to which a program may keep
# pointers as long as it likes, and thread-local variables of a program's threads, of which destructors may run later.
LEFT_BEHIND = [
    "weir_capi::world::World>::coroutine",
    "weir_coroutine::thread_locals::Template>::copy",
]


def environment(sanitizer: str, **more: str) -> dict[str, str]:
    # A target that is named, lest build scripts be built with the sanitizer.
    own = {
        "RUSTFLAGS": f"-Zsanitizer={sanitizer}",
        "CARGO_BUILD_TARGET": nightly.TARGET,
        "CARGO_TARGET_DIR": str(ROOT / "target" / sanitizer),
    }
    return {**os.environ, **own, **more}


def cargo(sanitizer: str, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Runs cargo, and keeps what it and the tests print."""
    return subprocess.run(
        ["cargo", f"+{nightly.TOOLCHAIN}", *words],
        cwd=ROOT,
        env=environment(sanitizer, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def find_race(options: dict[str, str]) -> None:
    """Ends the program if the planted race is not found."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "race.rs", Path(folder) / "race"
        source.write_text(RACE)
        flags = ["-Zsanitizer=thread", "-Cunsafe-allow-abi-mismatch=sanitizer", "-Awarnings"]
        command: list[str | Path] = [
            "rustc",
            f"+{nightly.TOOLCHAIN}",
            *flags,
            "--target",
            nightly.TARGET,
            source,
            "-o",
            program,
        ]
        subprocess.run(command, check=True)
        ran = subprocess.run([program], env={**os.environ, **options}, capture_output=True, text=True, check=False)
        if not REPORT.search(ran.stderr):
            sys.exit("the planted race was not found")


def thread() -> int:
    """Needs a standard library that is built with the sanitizer, too: its locks are what it must know of."""
    nightly.need("rust-src")
    options = {"TSAN_OPTIONS": "halt_on_error=0:exitcode=66", "PROPTEST_CASES": "4"}
    find_race(options)
    reports = 0
    for words in (
        ["test", "-Zbuild-std", "--package", "weir-pdes", "--lib", "--test", "threads", "--test", "phold"],
        ["test", "-Zbuild-std", "--package", "weir-packet", "--test", "packet", "--", *WITH_THREADS],
    ):
        begin = time.monotonic()
        ran = cargo("thread", *words, **options)
        found = REPORT.findall(ran.stdout)
        passed = sum(int(count) for count in re.findall(r"test result: \w+\. (\d+) passed", ran.stdout))
        print(f"{words[3]}: {passed} tests passed, {len(found)} reports, {time.monotonic() - begin:.0f} s", flush=True)
        if ran.returncode != 0 or found:
            print(ran.stdout, file=sys.stderr)
            reports += 1
    build = cargo("thread", "build", "-Zbuild-std", "--package", "weir-cli")
    if build.returncode != 0:
        sys.exit(build.stdout)
    binary = ROOT / "target" / "thread" / nightly.TARGET / "debug" / "weir"
    with tempfile.TemporaryDirectory() as folder:
        experiment = Path(folder) / "experiment.toml"
        experiment.write_text(MACHINE)
        ran = subprocess.run(
            [binary, "run", experiment, "--json"],
            env={**os.environ, **options},
            capture_output=True,
            text=True,
            check=False,
        )
        found = REPORT.findall(ran.stderr)
        threads = json.loads(ran.stdout)["threads"] if ran.stdout else 0
        print(f"weir run: {threads} threads, {len(found)} reports")
        if found or threads < 2:
            print(ran.stderr, file=sys.stderr)
            reports += 1
    return 1 if reports else 0


def ranks(source: Path) -> list[int]:
    """On how many ranks a program is to be run, as its first line says."""
    first = source.read_text().split("\n", 1)[0]
    return [int(word) for word in re.findall(r"\d+", first)] if "ranks:" in first else []


class Programs:
    """Compiles and runs programs under a weir that is built with AddressSanitizer."""

    def __init__(self, folder: Path) -> None:
        self.weir = ROOT / "target" / "address" / nightly.TARGET / "debug" / "weir"
        self.folder = folder
        suppressions = folder / "left-behind"
        suppressions.write_text("".join(f"leak:{function}\n" for function in LEFT_BEHIND))
        self.environment = {
            **os.environ,
            "ASAN_OPTIONS": ADDRESS_OPTIONS,
            "LSAN_OPTIONS": f"suppressions={suppressions}:print_suppressions=0",
            "XDG_CACHE_HOME": str(folder),
        }

    def compile(self, source: Path) -> Path:
        program = self.folder / source.stem
        # What the driver of the compiler leaves ends with it.
        options = ADDRESS_OPTIONS.replace("detect_leaks=1", "detect_leaks=0")
        environment = {**self.environment, "ASAN_OPTIONS": options}
        command: list[str | Path] = [self.weir, "cc", source, "-o", program, "-lm"]
        compiled = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if compiled.returncode != 0:
            sys.exit(f"{source.name}: {compiled.stderr}")
        return program

    def run(self, program: Path, count: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.weir, "mpirun", "-n", str(count), "--quiet", program],
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )


def address(named: list[str]) -> int:
    nightly.need()
    build = cargo("address", "build", "--package", "weir-cli")
    if build.returncode != 0:
        sys.exit(build.stdout)
    folders = [ROOT / "tests" / "mpi", ROOT / "tests" / "mpi" / "mpich"]
    sources = [path for folder in folders for path in sorted(folder.glob("*.c")) if ranks(path)]
    sources = [path for path in sources if not named or path.stem in named]
    runs, reports, begin = 0, 0, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(Path(folder))
        canary = Path(folder) / "canary.c"
        canary.write_text(CANARY)
        if "heap-buffer-overflow" not in programs.run(programs.compile(canary), 2).stderr:
            sys.exit("the planted bug was not found")
        for source in sources:
            program = programs.compile(source)
            for count in ranks(source):
                ran = programs.run(program, count)
                runs += 1
                wrong = [line for line in ran.stdout.splitlines() if line.endswith("WRONG")]
                if REPORT.search(ran.stderr) or wrong or ran.returncode != 0:
                    reports += 1
                    print(f"{source.name} on {count} ranks: exit status {ran.returncode}", *wrong[:4], sep="\n  ")
                    print(ran.stderr[:6000], flush=True)
    took = time.monotonic() - begin
    print(f"the canary was found; {len(sources)} programs, {runs} runs, {reports} with reports, {took:.0f} s")
    return 1 if reports else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Run weir under a sanitizer.")
    parser.add_argument("sanitizer", choices=["thread", "address"])
    parser.add_argument("programs", nargs="*", help="of tests/mpi, for address: all of them if none is named")
    options = parser.parse_args()
    print(f"commit {nightly.commit()}", flush=True)
    return thread() if options.sanitizer == "thread" else address(options.programs)


if __name__ == "__main__":
    sys.exit(main())
