#!/usr/bin/env python3
"""Measures how well `weir record` and `weir replay` predict programs on the computer that they were recorded on: two ranks that share its memory.

The machine file is fitted to benches/mpi/messages.c. Each program runs in turns alone, which gives its time between MPI_Init and MPI_Finalize, and
recorded; of both the median counts, and of the table of messages that of all turns. The ranks need a processor each, and no one else may compute.
"""

import json
import statistics
import tempfile
from pathlib import Path

import tomllib

from local_mpi import ROOT, options_of, run, two_ranks

NAS = ROOT / "target" / "programs" / "nas" / "examples" / "smpi" / "NAS"
#: Says which headers of SimGrid they need.
CATALOGUE = ROOT / "crates" / "cli" / "tests" / "cli" / "real_programs" / "catalogue.toml"
TESTS = ROOT / "tests" / "mpi"

#: The name of a program, what it is compiled of, and its arguments.
PROGRAMS = [
    ("NAS EP, class S", [NAS / "ep.c", NAS / "nas_common.c"], ["2", "S"]),
    ("NAS IS, class S", [NAS / "is.c", NAS / "nas_common.c"], ["2", "S"]),
    ("heat equation, 500 steps of 64 x 512 cells", [ROOT / "benches" / "mpi" / "heat.c"], []),
    ("game of life (`tests/mpi`)", [TESTS / "game_of_life.c"], []),
    ("sample sort (`tests/mpi`)", [TESTS / "sample_sort.c"], []),
    ("transpose (`tests/mpi`)", [TESTS / "transpose.c"], []),
    ("conjugate gradient (`tests/mpi`)", [TESTS / "conjugate_gradient.c"], []),
    ("ring, 20,000 times 8 B", [ROOT / "examples" / "ring.c"], ["8", "20000"]),
    ("ring, 10,000 times 1 kB", [ROOT / "examples" / "ring.c"], ["1000", "10000"]),
]

MACHINE = """
[topology]
kind = "fat-tree"
stages = [2]
bandwidth = "10 GB/s"
latency = "1 us"

[node]
send_overhead = "60 ns"
receive_overhead = "60 ns"
overhead_limits = ["512 B"]
local_send_overhead = ["60 ns", "150 ns"]
local_receive_overhead = ["60 ns", "150 ns"]
local_bandwidth = "10 GB/s"
eager_limit = "{limit} B"
local_rendezvous_overhead = "2 us"

[engine]
kind = "flow"
"""

FITTED = [
    *(f"local_{side}_overhead.{size}" for side in ("send", "receive") for size in (0, 1)),
    "local_bandwidth",
    "local_rendezvous_overhead",
]


def table(turns: list[str]) -> str:
    """The rows of `messages.c`, each with the median of its times."""
    head, *rows = zip(*(turn.splitlines() for turn in turns), strict=True)
    lines = [head[0]]
    for row in rows:
        times = [float(line.rpartition(",")[2]) for line in row]
        lines.append(f"{row[0].rpartition(',')[0]},{statistics.median(times)}")
    return "\n".join([*lines, ""])


class Bench:
    """Programs that are compiled, and what has been measured of them."""

    def __init__(self, scratch: Path, weir: Path, mpi: str) -> None:
        """Compiles all programs."""
        self.scratch, self.weir, self.mpi = scratch, str(weir), mpi
        packages = tomllib.loads(CATALOGUE.read_text())["package"]
        for header, text in next(one for one in packages if one["name"] == "nas")["headers"].items():
            (scratch / header).parent.mkdir(exist_ok=True)
            (scratch / header).write_text(text)
        self.launch = two_ranks(mpi)
        self.span = self.compiled("span.so", [ROOT / "benches/mpi/span.c"], "-shared", "-fPIC")
        self.messages = self.compiled("messages", [ROOT / "benches/mpi/messages.c"])
        self.programs = [
            [self.compiled(f"program-{number}", sources), *arguments]
            for number, (_, sources, arguments) in enumerate(PROGRAMS)
        ]
        self.rows: list[str] = []

    def compiled(self, name: str, sources: list[Path], *flags: str) -> str:
        """The path of a program or library that is compiled of these sources."""
        built, include = str(self.scratch / name), [f"-I{TESTS}", f"-I{self.scratch}"]
        run([f"{self.mpi}mpicc", "-O2", *flags, *include, *map(str, sources), "-o", built, "-lm"])
        return built

    def profile(self, number: int, turn: int) -> str:
        """The file that a program is recorded into."""
        return str(self.scratch / f"{number}-{turn}.parquet")

    def turn(self, turn: int) -> None:
        """Runs everything once."""
        self.rows.append(run([*self.launch, self.messages]))
        for number, program in enumerate(self.programs):
            # `env` sets it for the ranks, and not for the launcher.
            alone = ["env", f"LD_PRELOAD={self.span}", f"SPAN={self.scratch}/span-{number}"]
            run([*self.launch, *alone, *program])
            run([self.weir, "record", "-o", self.profile(number, turn), "--", *self.launch, *program])

    def machine(self, eager_limit: int) -> str:
        """The path of the machine file that is fitted to what messages took."""
        rows, machine, fitted = (self.scratch / name for name in ("rows.csv", "machine.toml", "fitted.toml"))
        rows.write_text(table(self.rows))
        machine.write_text(MACHINE.format(limit=eager_limit))
        keys = ",".join(f"node.{key}" for key in FITTED)
        print(run([self.weir, "calibrate", str(rows), str(machine), "--fit", keys, "--out", str(fitted)]))
        return str(fitted)

    def row(self, number: int, machine: str) -> str:
        """A row of the table: medians of a program in milliseconds."""
        spans = [float(line) for line in (self.scratch / f"span-{number}").read_text().split()]
        replays = []
        for turn in range(len(spans)):
            replay = [self.weir, "replay", self.profile(number, turn), "--machine", machine, "--json"]
            replays.append(json.loads(run([*replay, "--set", "mapping.ranks_per_node=2"])))
        measured = statistics.median(spans) * 1e3
        replayed = statistics.median(replay["simulated_ps"] for replay in replays) / 1e9
        cells = [PROGRAMS[number][0], f"{replays[0]['events']:,}", f"{measured:.3f} ms", f"{replayed:.3f} ms"]
        return f"| {' | '.join(cells)} | {replayed / measured - 1:+.0%} |"


def main() -> None:
    parser = options_of(__doc__)
    parser.add_argument(
        "--eager-limit", type=int, default=4000, help="the bytes up to which this MPI sends without asking"
    )
    parser.add_argument("--turns", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), options.weir, options.mpi)
        for turn in range(options.turns):
            bench.turn(turn)
        machine = bench.machine(options.eager_limit)
        print("| program | events of the replay | measured | replayed | difference |\n|---|--:|--:|--:|--:|")
        for number in range(len(PROGRAMS)):
            print(bench.row(number, machine))


if __name__ == "__main__":
    main()
