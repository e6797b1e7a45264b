#!/usr/bin/env python3
"""Runs `cargo test` with the given arguments, shows what it prints, and adds up the counts of all its runners.

The last line is `N passed, N failed`. The exit status is 0 only if all of them ended well and none failed.
"""

import re
import subprocess
import sys

RESULT = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored")


def main() -> int:
    command = ["cargo", "test", "--no-fail-fast", *sys.argv[1:]]
    passed = failed = ignored = runners = 0
    failures = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as cargo:
        for line in cargo.stdout:
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
    print(f"{passed} passed, {failed} failed", flush=True)
    return 0 if status == 0 and failed == 0 and ignored == 0 and runners > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
