"""Messages per second of a backend that is stepped from C and from Python: a token that goes around, one message after another.

Each message has three requests (send, receive, schedule), and each of these a completion. Prints a row for each engine.

    python3 tools/bench_backend.py --library target/release --messages 200000
"""

import argparse
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import weir

ROOT = Path(__file__).resolve().parent.parent
RANKS = 8
SETTINGS: dict[str, dict[str, object]] = {
    "ideal": {"engine.latency": "1 us", "engine.bandwidth": "10 GB/s"},
    "flow": {"topology.kind": "torus", "topology.shape": [RANKS], "topology.bandwidth": "10 GB/s"},
    "packet": {"topology.kind": "torus", "topology.shape": [RANKS], "topology.bandwidth": "10 GB/s"},
}


def compiled(folder: Path, library: Path) -> Path:
    program = folder / "token"
    source = ROOT / "docs" / "guide" / "backend" / "token.c"
    options = [
        "-O2",
        "-I",
        str(ROOT / "include"),
        "-L",
        str(library),
        "-lweir_backend",
        f"-Wl,-rpath,{library.resolve()}",
    ]
    subprocess.run(["cc", str(source), "-o", str(program), *options], check=True)
    return program


def of_c(program: Path, engine: str, messages: int) -> float:
    settings = [
        f"{key}={value}" for key, value in {"engine.kind": engine, "workload.ranks": RANKS, **SETTINGS[engine]}.items()
    ]
    empty = program.parent / "empty.toml"
    empty.write_text("")
    start = time.monotonic()
    subprocess.run([program, str(empty), str(messages // RANKS), *settings], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def of_python(engine: str, messages: int) -> float:
    backend = weir.Backend(engine=engine, set={"workload.ranks": RANKS, **SETTINGS[engine]})
    left = [messages // RANKS] * RANKS

    def computed(completion: weir._weir.Completion) -> None:
        backend.send(completion.rank, (completion.rank + 1) % RANKS, 1000, tag=7)

    def received(completion: weir._weir.Completion) -> None:
        rank = completion.rank
        left[rank] -= 1
        if rank > 0 or left[rank] > 0:
            backend.schedule(rank, 500_000, then=computed)
        if left[rank] > 0:
            backend.receive(rank, 1000, tag=7, then=received)

    for rank in range(RANKS):
        backend.receive(rank, 1000, tag=7, then=received)
    backend.send(0, 1, 1000, tag=7)
    start = time.monotonic()
    backend.run()
    return time.monotonic() - start


def main() -> None:
    parser = argparse.ArgumentParser(description="Messages per second of a backend, from C and from Python.")
    parser.add_argument("--library", type=Path, required=True, help="the folder of libweir_backend.so")
    parser.add_argument("--messages", type=int, default=200_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(folder), given.library)
        print(f"load {os.getloadavg()[0]:.1f}; thousand messages per second")
        for engine in SETTINGS:
            rates = [
                given.messages / time / 1000
                for time in (of_c(program, engine, given.messages), of_python(engine, given.messages))
            ]
            print(f"{engine:8} C {rates[0]:7.0f}   Python {rates[1]:7.0f}", flush=True)
    print(
        f"memory of the C programs, at the most: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MiB"
    )


if __name__ == "__main__":
    main()
