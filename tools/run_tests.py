#!/usr/bin/env python3
"""Runs `cargo test` with the given arguments and, beside it, the tests in Python; shows what they print, those in Python
last, and adds up their counts. Tests in Python that measure a time, marked `clock`, come when nothing else runs; those of the
wheel, which compile for minutes, belong to `make wheel`.

The last lines are the counts of the tests in Python, of those in Rust, and of both: `N passed, N failed`. The exit status is
0 only if all of them ended well and none failed.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ROOT / "target" / "python" / "bin" / "python"
PYTEST: list[str | Path] = [PYTHON, "-m", "pytest", "--durations=10", "--durations-min=5"]
# Many tests wait for a while: one more than processors keeps them busy.
THREADS = {"RUST_TEST_THREADS": str((os.cpu_count() or 1) + 1)}
RESULT = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored")


def of_python(output: str, status: int) -> tuple[int, int, bool]:
    """What pytest printed in its last line: how many passed, how many did not, and whether all is well."""
    lines = [line for line in output.splitlines() if re.match(r"^[\d =].* in [\d.]+s", line)]
    count = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", lines[-1])} if lines else {}
    # A test that is left out counts as one that fails.
    failed = sum(count.get(word, 0) for word in ("failed", "error", "errors", "skipped", "xfailed"))
    passed = count.get("passed", 0)
    return passed, failed, status == 0 and failed == 0 and passed > 0


def say_how_it_ended(failed: int, status: int) -> None:
    """Says how pytest ended if that, and no test, is why not all is well: counts are of tests alone."""
    if status != 0 and failed == 0:
        print(
            f"pytest ended with {status} (2: interrupted, or a file could not be read; 3: its own error; below 0: a signal)"
        )


def main() -> int:
    if not PYTHON.exists():
        print("the Python environment of the tests is missing: make python")
        return 1
    # The tests in Python run the program that is built here.
    if (built := subprocess.run(["cargo", "test", "--no-run", *sys.argv[1:]]).returncode) != 0:
        return built
    command = ["cargo", "test", "--no-fail-fast", *sys.argv[1:]]
    with tempfile.TemporaryFile("w+") as kept:
        pytest = subprocess.Popen(
            [*PYTEST, "-m", "not clock and not wheel"], cwd=ROOT, stdout=kept, stderr=subprocess.STDOUT
        )
        return run(command, pytest, kept)


def run(command: list[str], pytest: subprocess.Popen, kept: TextIO) -> int:
    """Runs the tests in Rust while pytest runs, whose output is kept in a file: the exit status."""
    passed = failed = ignored = runners = 0
    failures = []
    environment = {**THREADS, **os.environ}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace", env=environment) as cargo:
        for line in cargo.stdout or ():
            print(line, end="", flush=True)
            if match := RESULT.match(line):
                runners += 1
                passed += int(match[1])
                failed += int(match[2])
                ignored += int(match[3])
            elif match := re.match(r"^test (.*) \.\.\. FAILED$", line):
                failures.append(match[1])
    status = cargo.returncode
    for name in failures:
        print(f"failed: {name}")
    if ignored:
        print(f"{ignored} ignored: tests of this project are never ignored")
    if status != 0 and failed == 0:
        print(f"cargo test ended with {status}: something did not compile, or a runner died")
    if runners == 0:
        print("no test ran")
    well = status == 0 and failed == 0 and ignored == 0 and runners > 0
    pytest.wait()
    kept.seek(0)
    beside = of_python(shown(kept.read()), pytest.returncode)
    alone = subprocess.run([*PYTEST, "-s", "-m", "clock"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    timed = of_python(shown(alone.stdout), alone.returncode)
    say_how_it_ended(beside[1], pytest.returncode)
    say_how_it_ended(timed[1], alone.returncode)
    python_passed, python_failed = beside[0] + timed[0], beside[1] + timed[1]
    print(f"in Python: {python_passed} passed, {python_failed} failed")
    print(f"in Rust: {passed} passed, {failed} failed")
    print(f"{passed + python_passed} passed, {failed + python_failed} failed", flush=True)
    return 0 if well and beside[2] and timed[2] else 1


def shown(output: str) -> str:
    print(output, end="")
    return output


if __name__ == "__main__":
    sys.exit(main())
