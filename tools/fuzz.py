#!/usr/bin/env python3
"""Fuzzes everything in weir that reads, as many targets at once as there are processors (libFuzzer, nightly toolchain; the
targets are in fuzz/src).

    python3 tools/fuzz.py --seconds 600 [--jobs N] [TARGET ...]

First comes the canary, a target with a planted bug: if it is not found within a minute, nothing else that is found or not
found means anything, and the command fails. Inputs that led somewhere stay in target/fuzz/corpus, and the next time goes on
from there. What breaks weir is written into target/fuzz/finds, with a line that repeats it; the exit status is 1 then.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nightly

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "target" / "fuzz"
BINARY = FOLDER / nightly.TARGET / "release" / "weir-fuzz"
# Coverage that libFuzzer sees: counters of edges, their places, and what is compared.
COVERAGE = [
    "--cfg",
    "fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
]
CANARY_SECONDS = 60
# One input may take so long, and so much memory.
MOST_SECONDS = 20
MOST_MIB = 1024
# A page of Parquet may say that it has 2 GiB behind its compression, and is given them before it is looked at.
PARQUET_MIB = 2560
# The words of these pages are tried in the inputs of targets that begin so.
WORDS = {
    "experiment": "experiment-file.md",
    "graph": "graph-files.md",
    "routes": "graph-files.md",
    "pattern_text": "pattern-files.md",
    "profile_text": "profile-files.md",
    "memory_kinds": "mpi-functions.md",
}
SMALL = {
    "canary": 128,
    "units": 64,
    "address": 64,
    "sweep": 256,
    "memory_kinds": 128,
    "executable": 4096,
    "pattern_lines": 512,
    "profile_lines": 1024,
    "experiment_keys": 512,
    "run": 512,
}


def build() -> None:
    """Builds the one program of all targets."""
    nightly.need()
    environment = {**os.environ, "RUSTFLAGS": " ".join(COVERAGE), "CARGO_TARGET_DIR": str(FOLDER)}
    command = ["cargo", f"+{nightly.TOOLCHAIN}", "build", "--release", "--locked", "--target", nightly.TARGET]
    subprocess.run(command, check=True, env=environment, cwd=ROOT / "fuzz")


def targets() -> list[str]:
    """All targets, as the program lists them."""
    table = (ROOT / "fuzz" / "src" / "main.rs").read_text().split("const TARGETS")[1].split("];")[0]
    return re.findall(r'\("(\w+)", ', table)


def check_keys() -> None:
    """Whether the targets know all keys that an experiment may have: what stands first in a row of a table."""
    page = (ROOT / "docs" / "reference" / "experiment-file.md").read_text()
    page = re.sub(r"^\| `pattern` \| destination.*?\n\n", "", page, flags=re.MULTILINE | re.DOTALL)
    known = re.findall(r'\(\s*"[\w.]*",\s*"(\w+)"', (ROOT / "fuzz" / "src" / "keys.rs").read_text())
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", page, re.MULTILINE)
    missing = {key for row in rows for key in re.findall(r"`(\w+)`", row)} - set(known)
    if missing:
        sys.exit(f"fuzz/src/keys.rs does not know keys of experiment-file.md: {', '.join(sorted(missing))}")


def seed(corpus: Path) -> None:
    """Inputs to begin with: what weir writes, and what is in the repository."""
    subprocess.run([BINARY], check=True, env={**os.environ, "WEIR_FUZZ_SEEDS": str(corpus)})
    pages = (ROOT / "docs" / "reference").glob("*.md")
    blocks = [block for page in pages for block in re.findall(r"```(\w*)\n(.*?)```", page.read_text(), re.DOTALL)]
    texts = {
        "experiment_text": [text for kind, text in blocks if kind == "toml"]
        + [path.read_text() for folder in ("examples", "papers") for path in (ROOT / folder).rglob("*.toml")],
        "graph_csv": [text for kind, text in blocks if kind == "csv" and "target" in text],
        "routes": ["source,destination,via\na,b,left\na,c,left,#2,right\n"],
        "mapping": ["0 0\n1 1\n2 2\n", "0 (2,1)\n1 (0,0) # a comment\n2 5\n", "0 a\n1 c\n"],
        "pattern_text": [text for _, text in blocks if text.startswith("weir-pattern")],
        "profile_text": [text for _, text in blocks if text.startswith("weir-profile")],
        "units": ["8 GB/s", "1.5 us", "16 KiB", "2.6 GHz", "400Gbps", "1e-3 ms"],
        "address": ["3", "(2,1,3)", "1,0,0,1,2,1", "a"],
        "sweep": ["node.packet_gap=0:4:0.125", "workload.message_size=96 KiB; 288 KiB\na.b=1"],
        "memory_kinds": ["mpi:alloc_mem,system", "cuda, mpi:alloc_mem:win_allocate ,system:pinned"],
    }
    for target, list_of_texts in texts.items():
        for number, text in enumerate(list_of_texts):
            write(corpus, target, f"text{number}", text.encode())
    for path in (ROOT / "crates" / "formats" / "tests" / "fixtures").glob("*.parquet"):
        for target in ("pattern_parquet", "profile_parquet"):
            write(corpus, target, path.name, path.read_bytes())
    # Enough bytes for a few choices.
    for target in ("experiment_keys", "run", "pattern_lines", "profile_lines", "canary"):
        for number in range(12):
            write(corpus, target, f"choices{number}", bytes((number * 37 + i * 101) % 256 for i in range(80)))
    with tempfile.TemporaryDirectory() as folder:
        for options in (["-shared", "-fPIC"], []):
            program = Path(folder) / "program"
            command = ["cc", "-s", "-x", "c", "-", "-o", str(program), *options]
            subprocess.run(command, input=b"int main(void) { return 0; }", check=True)
            write(corpus, "executable", f"elf{len(options)}", program.read_bytes())


def write(corpus: Path, target: str, name: str, content: bytes) -> None:
    folder = corpus / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def dictionary(target: str) -> list[str]:
    """The option for the words of a page, if there is one for this target."""
    page = next((page for begin, page in WORDS.items() if target.startswith(begin)), None)
    if page is None:
        return []
    words = re.findall(r"`([^`\n]{2,30})`", (ROOT / "docs" / "reference" / page).read_text())
    path = FOLDER / f"{target}.dict"
    escaped = sorted({word.replace("\\", "\\\\").replace('"', '\\"') for word in words if word.isascii()})
    path.write_text("".join(f'"{word}"\n' for word in escaped))
    return [f"-dict={path}"]


def fuzz(target: str, seconds: int, scratch: str) -> tuple[str, bool]:
    """Runs a target; what it did in a line of a table, and whether it found something."""
    corpus, finds = FOLDER / "corpus" / target, FOLDER / "finds"
    for folder in (corpus, finds):
        folder.mkdir(parents=True, exist_ok=True)
    # The canary is to be found, not remembered.
    if target == "canary":
        shutil.rmtree(corpus)
        corpus.mkdir()
    seeds = FOLDER / "seeds" / target
    own = Path(scratch) / target
    own.mkdir()
    command = [
        str(BINARY),
        f"-max_total_time={seconds}",
        f"-timeout={MOST_SECONDS}",
        f"-rss_limit_mb={PARQUET_MIB if 'parquet' in target else MOST_MIB}",
        f"-max_len={SMALL.get(target, 16384)}",
        f"-artifact_prefix={finds}/{target}-",
        "-print_final_stats=1",
        "-use_value_profile=1" if target in SMALL else "-use_value_profile=0",
        *dictionary(target),
        str(corpus),
        *([str(seeds)] if seeds.is_dir() else []),
    ]
    environment = {**os.environ, "WEIR_FUZZ_TARGET": target, "TMPDIR": str(own)}
    ran = subprocess.run(command, capture_output=True, env=environment, cwd=own)
    log = ran.stderr.decode(errors="replace")
    (FOLDER / f"{target}.log").write_text(log)
    coverage = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)", log)
    covered, features, kept = coverage[-1] if coverage else ("-", "-", "-")
    executed = re.search(r"number_of_executed_units: (\d+)", log)
    # Where a find ends the process the statistics are missing.
    count = executed.group(1) if executed else next(iter(re.findall(r"^#(\d+)", log, re.MULTILINE)[-1:]), "0")
    found = ran.returncode != 0
    line = (
        f"| {target} | {seconds} s | {int(count):,} | {covered} | {features} | {kept} | {'yes' if found else 'none'} |"
    )
    if found:
        said = [line for line in log.splitlines() if re.search(r"panicked|ERROR: libFuzzer|Test unit written", line)]
        line += "\n" + "\n".join(said) + f"\nrepeat: WEIR_FUZZ_TARGET={target} {BINARY} FILE"
    return line, found


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzz everything in weir that reads.")
    parser.add_argument("--seconds", type=int, default=600, help="for each target")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="targets at once (as many as processors)")
    parser.add_argument("targets", nargs="*", help="all of them if none is named")
    options = parser.parse_args()
    check_keys()
    build()
    known = targets()
    unknown = [target for target in options.targets if target not in known]
    if unknown:
        parser.error(f"no target {', '.join(unknown)}; there are {', '.join(known)}")
    shutil.rmtree(FOLDER / "seeds", ignore_errors=True)
    seed(FOLDER / "seeds")
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as scratch:
        line, found = fuzz("canary", CANARY_SECONDS, scratch)
        if not found:
            print(f"error: the planted bug was not found within {CANARY_SECONDS} s\n{line}", file=sys.stderr)
            return 1
        print(f"commit {nightly.commit()}; the canary was found\n")
        print("| target | time | executions | edges | features | inputs kept | finds |\n|---|---|---|---|---|---|---|")
        finds = 0
        with ThreadPoolExecutor(options.jobs) as pool:
            for line, found in pool.map(
                lambda target: fuzz(target, options.seconds, scratch), dict.fromkeys(options.targets or known)
            ):
                print(line, flush=True)
                finds += found
    return 1 if finds else 0


if __name__ == "__main__":
    sys.exit(main())
