#!/usr/bin/env python3
"""Runs tests with counters in every line of weir, and prints which share of each crate's lines they have executed.

    python3 tools/coverage.py [--worst N] [-- WORDS OF cargo test ...]

Words behind `--` go to `cargo test`, of the whole workspace if there are none. cargo-llvm-cov, which does the work, is
installed into target/llvm-cov. Files of tests do not count; tests that are inside other files do. What is executed in a
process that is killed is not seen. The whole list, by file, is written to target/llvm-cov/lines.csv.
"""

import argparse
import csv
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "target" / "llvm-cov"
TOOL = FOLDER / "bin" / "cargo-llvm-cov"
VERSION = "0.9.1"


def need_tool() -> None:
    """Installs the tool where it is not there. Ends the program where that cannot be."""
    if not TOOL.exists():
        command = ["cargo", "install", "--quiet", "--locked", "--root", str(FOLDER), f"cargo-llvm-cov@{VERSION}"]
        subprocess.run(command, check=True)
    subprocess.run(["rustup", "component", "add", "llvm-tools"], check=True, stderr=subprocess.DEVNULL)


def covered(report: dict) -> dict[Path, tuple[int, int]]:
    """Lines executed and lines there are, of each file of the crates that is no file of tests."""
    lines = {}
    for file in report["data"][0]["files"]:
        path = Path(file["filename"])
        if not path.is_relative_to(ROOT / "crates"):
            continue
        path = path.relative_to(ROOT)
        if "src" in path.parts and "tests" not in path.parts and not path.stem.endswith("tests"):
            lines[path] = (file["summary"]["lines"]["covered"], file["summary"]["lines"]["count"])
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--worst", type=int, default=15, help="how many files with the most lines left out are listed")
    parser.add_argument("words", nargs="*", help="what cargo test is given")
    options = parser.parse_args()
    need_tool()
    tests = options.words or ["--workspace", "--lib", "--bins", "--tests"]
    done = subprocess.run([TOOL, "llvm-cov", "test", "--no-report", "--no-fail-fast", *tests], cwd=ROOT, check=False)
    report = subprocess.run(
        [TOOL, "llvm-cov", "report", "--json", "--summary-only"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    files = covered(json.loads(report.stdout))
    crates: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for path, counts in files.items():
        crates[path.parts[1]].append(counts)
    crates["all"] = list(files.values())
    print(f"\n{'crate':<12}{'lines':>8}{'executed':>10}")
    for crate, all_counts in sorted(crates.items(), key=lambda item: (item[0] == "all", item[0])):
        executed, there = (sum(column) for column in zip(*all_counts, strict=True))
        print(f"{crate:<12}{there:>8}{100 * executed / max(there, 1):>9.1f}%")
    worst = sorted(files.items(), key=lambda item: item[1][0] - item[1][1])
    print("\nfiles with the most lines that no test executes:")
    for path, (executed, there) in worst[: options.worst]:
        print(f"{there - executed:>6} of {there:<6}{path}")
    with open(FOLDER / "lines.csv", "w", newline="") as out:
        table = csv.writer(out)
        table.writerow(["file", "lines", "executed"])
        table.writerows([path, there, executed] for path, (executed, there) in sorted(files.items()))
    if done.returncode != 0:
        print("\nsome tests failed: see above", file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
