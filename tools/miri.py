#!/usr/bin/env python3
"""Runs tests under Miri, the interpreter that finds undefined behavior, leaks, and data races in what it runs.

    python3 tools/miri.py [--seconds N] [CRATE ...]

Of the crates without files, C code and signals: units, topology, network, collectives, message, pdes; and of capi the tests of how it treats
pointers of programs, which need none of these. A test that computes for more than
N seconds there (it is a few hundred times slower than usual) is cut off and named: that far nothing was found. Properties are
checked with two cases each. The exit status is 1 if Miri finds something, or a test fails.
"""

import argparse
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from pathlib import Path

import nightly

ROOT = Path(__file__).resolve().parent.parent
CRATES = ["units", "topology", "network", "collectives", "message", "pdes", "capi"]
# Tests that are begun, where others need what Miri does not have.
ONLY: dict[str, list[str]] = {
    "capi": [
        "calls::output_arguments::tests::a_null_pointer_is_a_mistake",
        "calls::output_arguments::tests::arrays_are_copied_or_written_by_element",
        "calls::output_arguments::tests::elements_behind_an_array_are_not_to_be_had",
        "calls::output_arguments::tests::texts_are_copied",
        "calls::output_arguments::tests::variables_are_written_through_their_pointers",
    ],
}
# Tests that are not begun, with the reason.
LEFT_OUT: dict[str, dict[str, str]] = {
    "pdes": {
        "pace::tests::the_faster_mode_is_found": "millions of windows of arithmetic, and nothing else",
        "pace::tests::it_is_found_again_when_it_changes": "the same",
    },
}
# Failures of properties are not written down: there is no folder for it.
ENVIRONMENT = {
    "MIRIFLAGS": "-Zmiri-disable-isolation",
    "PROPTEST_CASES": "2",
    "PROPTEST_FAILURE_PERSISTENCE": "off",
    "PROPTEST_DISABLE_FAILURE_PERSISTENCE": "1",
}


def processor_seconds(session: int) -> float:
    """What the processes of a session have computed so far: other than the clock on the wall that does not depend on what else
    the computer does."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(") ", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


class Counts:
    """What has become of the tests of a crate."""

    def __init__(self) -> None:
        self.passed = 0
        self.cut_off: list[str] = []
        self.failed: list[str] = []


def run(command: list[str], only: list[str], skip: list[str], limit: float, counts: Counts) -> str | None:
    """Runs tests until all have ended or one takes too long, whose name is returned."""
    options = [word for name in skip for word in ("--skip", name)]
    command = [*command, "--", "--exact", "--test-threads", "1", *only, *options]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **ENVIRONMENT},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout
    selector = selectors.DefaultSelector()
    selector.register(process.stdout, selectors.EVENT_READ)
    text, since = "", 0.0
    while True:
        if selector.select(timeout=1):
            chunk = os.read(process.stdout.fileno(), 1 << 16).decode(errors="replace")
            if not chunk:
                break
            text, since = text + chunk, processor_seconds(process.pid)
        running = re.fullmatch(r"test (\S+)(?: - should panic)? \.\.\. ", text.rsplit("\n", 1)[-1])
        if running and processor_seconds(process.pid) - since > limit:
            # The interpreter is a child of cargo's.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            note(text, counts)
            return running.group(1)
    status = process.wait()
    note(text, counts)
    if status != 0:
        counts.failed.append(" ".join(command))
        print(text, file=sys.stderr)
    return None


def note(text: str, counts: Counts) -> None:
    """Counts the tests that have passed, and remembers them not to run them again."""
    passed = re.findall(r"^test (\S+)(?: - should panic)? \.\.\. ok", text, re.MULTILINE)
    counts.passed += len(passed)
    DONE.extend(passed)


DONE: list[str] = []


def check(crate: str, limit: float) -> Counts:
    """All tests of a crate: those within it, and each file of tests beside it."""
    counts = Counts()
    folder = ROOT / "crates" / crate
    files = [path.stem for path in sorted((folder / "tests").glob("*.rs")) if path.stem != "loom"]
    files += [path.parent.name for path in sorted((folder / "tests").glob("*/main.rs"))]
    for target in [["--lib"], *(["--test", name] for name in files)]:
        command = ["cargo", f"+{nightly.TOOLCHAIN}", "miri", "test", "--package", f"weir-{crate}", *target]
        build = subprocess.run([*command, "--no-run"], cwd=ROOT, capture_output=True, text=True, check=False)
        if build.returncode != 0:
            sys.exit(build.stderr)
        DONE.clear()
        slow: list[str] = []
        skip = list(LEFT_OUT.get(crate, {}))
        while (long := run(command, ONLY.get(crate, []), [*skip, *slow, *DONE], limit, counts)) is not None:
            slow.append(long)
        counts.cut_off += slow
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description="Run tests under Miri.")
    parser.add_argument("--seconds", type=float, default=60, help="of the processor, for each test")
    parser.add_argument("crates", nargs="*", help="all of them if none is named")
    options = parser.parse_args()
    unknown = [crate for crate in options.crates if crate not in CRATES]
    if unknown:
        parser.error(f"{', '.join(unknown)}: Miri checks {', '.join(CRATES)}")
    nightly.need("miri", "rust-src")
    print(f"commit {nightly.commit()}, {options.seconds:g} s for each test\n")
    failed = 0
    for crate in options.crates or CRATES:
        begin = time.monotonic()
        counts = check(crate, options.seconds)
        minutes = (time.monotonic() - begin) / 60
        print(f"{crate}: {counts.passed} tests passed, {len(counts.cut_off)} cut off, in {minutes:.1f} min")
        for name, why in LEFT_OUT.get(crate, {}).items():
            print(f"  left out: {name}: {why}")
        for name in counts.cut_off:
            print(f"  cut off: {name}")
        for command in counts.failed:
            print(f"  FAILED: {command}")
        sys.stdout.flush()
        failed += len(counts.failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
