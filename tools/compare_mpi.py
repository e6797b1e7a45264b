"""`make compare`: MPI programs under `weir mpirun` and under SimGrid's SMPI, rank by rank."""

import re
import subprocess
from dataclasses import dataclass

from compare_machines import Machine, grid, star
from compare_platform import platform_of, write_platform
from compare_rows import Cost, Part, Places, Report, Row, Used, part_of, run, seconds_of
from measure import ROOT

SOURCE = ROOT / "benches" / "compare" / "kernels.c"
RANKS = 12
TIGHT = 1e-6
ENVELOPE = 16  # bytes that SMPI adds to each message
CALLED = {"late": "allreduce"}  # the collective of kernels that are not called like it
ALL = 10**9  # bytes: an eager limit above every message here
CLOSE = 0.02  # where what begins first at an instant is decided by each in its own way

# Plain max-min, no factors for bandwidth and latency, nothing for processors, nothing within a rank.
MODEL = [
    "network/model:CM02",
    "network/crosstraffic:0",
    "network/TCP-gamma:0",
    "network/weight-S:0",
    "network/loopback-bw:1e18",
    "network/loopback-lat:0",
    "surf/precision:1e-12",
    "maxmin/precision:1e-12",
    "smpi/simulate-computation:no",
    "smpi/wtime:0",
    "smpi/os:0:0:0",
    "smpi/or:0:0:0",
    "smpi/ois:0:0:0",
]

# By collective: weir's name of the algorithm, and SMPI's.
ALGORITHMS = {
    "allgather": ("ring", "NTSLR"),
    "allreduce": ("recursive-doubling", "rdb"),
    "alltoall": ("simple-spread", "ring"),
    "barrier": ("dissemination", "ompi_bruck"),
    "bcast": ("binomial", "binomial_tree"),
    "gather": ("binomial", "ompi_binomial"),
    "reduce": ("binomial", "binomial"),
    "reduce_scatter": ("pairwise", "mpich_pair"),
}

HOW = """The same C source ([kernels.c](../../benches/compare/kernels.c), every rank says when it was done), the same links and
routes, the same eager limit, the same algorithm of each collective; SMPI without overheads, without factors and without
computation. SMPI adds 16 bytes to each message: its links are faster by that part, so that a message takes as long. What is
compared is the end of every rank; differences are parts of the whole time."""

NOTES = {
    "bytes": "Links without latency, everything by rendezvous, which costs nothing then: time is bytes and sharing alone, and both "
    "define that alike.",
    "lengths": "The same, with messages of several lengths: the 16 bytes are taken off for the shortest, so the longer ones may be "
    "faster by that part.",
    "latencies": "Unlimited bandwidth, all messages eager: time is latencies in a row. (weir counts whole picoseconds, "
    "so each transfer takes one.)",
    "both": "Latency and bandwidth, everything eager; all routes have the same latency, since `CM02` gives flows shares in inverse "
    "proportion to theirs, and weir does not.",
    "rendezvous": "By rendezvous, with latency. weir simulates the request to send and the clearance, each with a latency; SMPI starts "
    "both sides at the same instant. So weir takes two latencies more for each message in a row, which are added to SMPI's "
    "time before it is judged.",
    "shared": "Several messages of a rank are on their way at once and share its interface, all of them as flows of their own; the "
    "16 bytes are part of the difference where lengths differ.",
    "cleared at once": "By rendezvous, with several messages that are started and cleared at one instant: they wait for their clearances "
    "together, and then share the interface.",
    "out of step": "Ranks get ahead of others: because two are late, or because ways through the torus are not alike. Bytes and sharing "
    "alone; what is left is the order in which messages begin at an instant.",
}


@dataclass
class Setting:
    """A machine, and how messages are sent."""

    machine: Machine
    eager: int
    note: str
    latency: float = 0.0  # of a route, where all have the same


@dataclass
class Case:
    """A program on a machine."""

    kernel: str
    bytes: int
    setting: Setting
    note: str
    allowed: float | None = TIGHT
    in_a_row: int = 0  # messages that weir clears one after the other
    algorithm: tuple[str, str] | None = (
        None  # of the collective that the kernel calls, where it is not that of ALGORITHMS
    )
    message: int | None = None  # bytes of each message, where that is not what the kernel is called with


SIZE = 100_000
FAST = 'bandwidth = "1000000 GB/s"\nlatency = ["1 us", "1.5 us"]\n[node]\nlink_latency = "2 us"\n'


def cases() -> list[Case]:
    alone = Setting(star(RANKS, "1 GB/s", "0 ns"), 0, "bytes")
    contended = Setting(grid("torus", [4, 3]), 0, "bytes")
    latencies = Setting(grid("torus", [4, 3], FAST), ALL, "latencies")
    both = Setting(star(RANKS, "1 GB/s", "500 ns"), ALL, "both")
    asked = Setting(star(RANKS, "1 GB/s", "500 ns"), 0, "rendezvous", 1e-6)
    lengths = ENVELOPE / SIZE
    one_length = ["pingpong", "token", "gradient", "transposition", "bcast", "reduce", "allreduce"]
    one_length += ["allgather", "alltoall", "reduce_scatter"]
    listed = [Case(kernel, SIZE, alone, "bytes") for kernel in one_length]
    listed += [Case(kernel, SIZE, contended, "bytes") for kernel in ("pingpong", "token", "reduce")]
    listed += [Case("shift", SIZE, contended, "lengths", 2 * lengths), Case("gather", SIZE, alone, "lengths", lengths)]
    quiet = ["pingpong", "token", "gradient", "transposition", "reduce", "allreduce", "gather", "allgather", "alltoall"]
    listed += [Case(kernel, 8, latencies, "latencies") for kernel in [*quiet, "reduce_scatter", "barrier", "bcast"]]
    in_turn = ("pingpong", "token", "transposition", "allgather", "alltoall")
    listed += [Case(kernel, SIZE, both, "both") for kernel in in_turn]
    in_a_row = {
        "pingpong": 2,
        "token": RANKS,
        "allgather": RANKS - 1,
        "alltoall": RANKS - 1,
        "reduce_scatter": RANKS - 1,
    }
    listed += [Case(kernel, SIZE, asked, "rendezvous", in_a_row=count) for kernel, count in in_a_row.items()]
    return [*listed, *other_algorithms(), *with_several_messages(alone)]


def other_algorithms() -> list[Case]:
    """Collectives of 16 ranks: of vectors of 160,000 B and of blocks of 10,000 B; then of few bytes."""
    vector, block = 160_000, 10_000
    alone = Setting(star(16, "1 GB/s", "0 ns"), 0, "bytes")
    latencies = Setting(star(16, "1000000 GB/s", "2 us"), ALL, "latencies")
    # By collective: algorithms of weir and of SMPI, bytes, and those of each message, or of the shortest.
    one_length = [
        ("allreduce", ("ring", "lr"), vector, block),
        ("allreduce", ("reduce-bcast", "redbcast"), vector, vector),
        ("alltoall", ("pairwise", "pair"), block, block),
        ("alltoall", ("bruck", "bruck"), block, 8 * block),
    ]
    lengths = [
        ("allreduce", ("rabenseifner", "rab_rdb"), vector, block),
        ("bcast", ("scatter-ring", "scatter_LR_allgather"), vector, block),
        ("bcast", ("scatter-recursive-doubling", "scatter_rdb_allgather"), vector, block),
        ("reduce", ("rabenseifner", "scatter_gather"), vector, block),
        ("allgather", ("bruck", "bruck"), block, block),
        ("allgather", ("recursive-doubling", "rdb"), block, block),
        ("allgather", ("neighbor-exchange", "ompi_neighborexchange"), block, block),
        ("reduce_scatter", ("recursive-halving", "ompi_basic_recursivehalving"), block, block),
    ]
    listed = []
    for note, allowed, some in (("bytes", TIGHT, one_length), ("lengths", ENVELOPE / block, lengths)):
        for kernel, names, size, message in some:
            listed.append(Case(kernel, size, alone, note, allowed, algorithm=names, message=message))
    for kernel, names, _, _ in one_length + lengths:
        listed.append(Case(kernel, 128, latencies, "latencies", algorithm=names))
    return listed


def with_several_messages(alone: Setting) -> list[Case]:
    """Programs in which a rank has several messages on their way at once, or is out of step with others."""
    eager = Setting(alone.machine, ALL, "shared")
    asked = Setting(star(RANKS, "1 GB/s", "500 ns"), 0, "rendezvous", 1e-6)
    torus, ring = Setting(grid("torus", [3, 4]), 0, "out of step"), ("ring", "lr")
    scattered, lengths = ("scattered", "basic_linear"), RANKS * ENVELOPE / SIZE
    listed = [Case(kernel, SIZE, eager, "shared") for kernel in ("halo", "six", "posted", "bcast")]
    listed += [Case(kernel, SIZE, eager, "shared", lengths) for kernel in ("outcast", "incast")]
    listed += [Case("halo", SIZE, asked, "cleared at once", in_a_row=1)]
    listed += [Case("alltoall", SIZE, asked, "cleared at once", in_a_row=1, algorithm=scattered)]
    for setting in (Setting(star(16, "1 GB/s", "0 ns"), 0, "out of step"), torus):
        block = SIZE // setting.machine.nodes
        listed += [Case("late", SIZE, setting, "out of step", CLOSE, algorithm=ring, message=block)]
    listed += [
        Case(kernel, SIZE, torus, "out of step", CLOSE) for kernel in ("alltoall", "six", "posted", "outcast", "incast")
    ]
    return listed


class Both:
    """Programs, compiled for both; routes and platforms of machines, by name."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.routes: dict = {}
        self.weir_program, self.smpi_program = places.folder / "kernels.weir", places.folder / "kernels.smpi"
        for command, program in (([places.weir, "cc"], self.weir_program), (["smpicc"], self.smpi_program)):
            subprocess.run([*command, "-O2", SOURCE, "-o", program], check=True, cwd=places.folder)

    def ask(self, case: Case, rounds: int = 1) -> tuple[Used, Used]:
        machine, eager, folder = case.setting.machine, case.setting.eager, self.places.folder
        algorithms = (
            {**ALGORITHMS, CALLED.get(case.kernel, case.kernel): case.algorithm} if case.algorithm else ALGORITHMS
        )
        limit = f'[node]\neager_limit = "{eager} B"\n'
        text = machine.text.replace("[node]\n", limit) if "[node]" in machine.text else machine.text + limit
        experiment = Machine(machine.name, machine.nodes, text, machine.files).write(folder)
        words = [case.kernel, str(case.bytes), str(rounds)]
        chosen = [word for name, pair in algorithms.items() for word in ("--set", f"collectives.{name}={pair[0]}")]
        command = [
            self.places.weir,
            "mpirun",
            "--quiet",
            "--json",
            "-n",
            machine.nodes,
            "--machine",
            experiment,
            *chosen,
        ]
        ours = run([*command, self.weir_program, *words], folder)
        key = (machine.name, text)
        if key not in self.routes:
            self.routes[key] = platform_of(self.places.weir, experiment)
        ranks = list(range(machine.nodes))
        platform, hosts = folder / "platform.xml", folder / "hosts"
        pairs = [(a, b) for a in ranks for b in ranks if a != b]
        message = case.message or case.bytes
        write_platform(platform, self.routes[key], pairs, ranks, (message + ENVELOPE) / message)
        hosts.write_text("".join(f"r{rank}\n" for rank in ranks))
        model = [*MODEL, f"smpi/async-small-thresh:{eager}", f"smpi/send-is-detached-thresh:{eager}"]
        model += [f"smpi/{name}:{pair[1]}" for name, pair in algorithms.items()]
        command = ["smpirun", "-quiet", "-np", machine.nodes, "-platform", platform, "-hostfile", hosts]
        command += [*(f"--cfg={setting}" for setting in model), "--log=root.thres:critical"]
        return ours, run([*command, self.smpi_program, *words], folder)


def ends(printed: str) -> list[float]:
    """When each rank was done."""
    found = dict(re.findall(r"^(\d+) (\d+\.\d+)$", printed, re.MULTILINE))
    return [float(found[str(rank)]) for rank in range(len(found))]


def row(case: Case, ours: Used, theirs: Used) -> Row:
    weir, other = ends(ours.errors), ends(theirs.output)  # with --json weir's standard output is the summary
    if len(weir) != len(other) or len(weir) != case.setting.machine.nodes:
        raise RuntimeError(f"{case.kernel}: {len(weir)} ranks of weir, {len(other)} of SMPI")
    more = 2 * case.setting.latency * case.in_a_row
    each = max(abs(a - b) for a, b in zip(weir, other, strict=True)) / max(other)
    apart = part_of(max(weir), max(other) + more) if more else each
    machine = case.setting.machine
    algorithm = f" ({case.algorithm[0]})" if case.algorithm else ""
    name = f"{case.kernel}{algorithm}, {case.bytes:,} B, {machine.name}"
    added = f" + {seconds_of(more)}" if more else ""
    what = "end of the last" if more or case.allowed is None else f"{len(weir)} ends"
    return Row(name, what, seconds_of(max(weir)), seconds_of(max(other)) + added, apart, case.allowed, case.note)


def compare(places: Places, is_quick: bool, report: Report) -> Part:
    """All cases."""
    version = subprocess.run(["smpirun", "-version"], capture_output=True, text=True, check=False).stdout.split("\n")[0]
    part = Part("MPI programs: SimGrid's SMPI", "SMPI", version.replace(" version", ""), HOW, NOTES)
    both = Both(places)
    for case in cases():
        report(f"{case.kernel}, {case.note}")
        part.rows.append(row(case, *both.ask(case)))
    large = [("alltoall", 8, 64, 4), ("pingpong", 8, 16, 20_000)]
    if not is_quick:
        large.append(("gradient", 8000, 64, 100))
    for kernel, size, ranks, rounds in large:
        report(f"{kernel}, {ranks} ranks, for its cost")
        case = Case(kernel, size, Setting(star(ranks, "1 GB/s", "500 ns"), ALL, "both"), "both")
        name = f"{kernel}, {ranks} ranks, {size:,} B, {rounds:,} times"
        part.costs.append(Cost(name, *both.ask(case, rounds)))
    return part
