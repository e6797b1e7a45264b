"""`make compare`: the flow engine beside SimGrid's S4U, message by message."""

import json
import random
import shutil
import statistics
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from compare_machines import Machine, dragonfly, fat_tree, grid, random_graph
from compare_platform import platform_of, write_cluster, write_platform
from compare_rows import Cost, Part, Places, Report, Row, Used, part_of, run, seconds_of

# No TCP, no cross traffic, and no rounding of times and rates beyond that of the numbers themselves.
MODEL = ["--cfg=network/model:CM02", "--cfg=network/crosstraffic:0", "--log=root.thres:warning"]
MODEL += ["--cfg=surf/precision:1e-12", "--cfg=maxmin/precision:1e-12"]
TIGHT = 1e-6
GIGABYTE = 10**9  # at 1 GB/s a second, so that a picosecond, in which weir counts, is a part of 1e-12

HOW = """SimGrid gets the same links and, for each pair of nodes, the same route (`weir convert`), and the same list of messages
(`weir pattern`), which a node sends one after the other (`node.interface = "in-order"`); nothing has latency. Its model is plain max-min (`CM02`, no cross traffic), its precision 1e-12. What is
compared is the end of every single message."""

NOTES = {
    "one each": "Every node starts one message at time zero, of a length drawn from 0.1 to 1 GB, and nothing else comes. Max-min "
    "shares are unique, so every message has one right end.",
    "own routes": 'As "one each", but SimGrid builds the machine itself and finds the routes by its own rules: D-mod-K up a fat tree, '
    "the shorter way in each dimension of a torus. Its torus has no links between node and router, so there each node gets "
    "one message only.",
    "lengths differ": "Messages of a node follow each other, all of different lengths. So no two end at the same instant, nothing is "
    "left to the order of ties, and every message has one right end.",
    "growth": "Not judged: the same, but every message meets those that earlier ones have delayed, so a difference grows: on the torus it "
    "is the picosecond that weir rounds to at the beginning, and ten times as much after every eight messages of a node.",
    "ties": "Not judged: messages of one length end at the same instant by the hundred, and which one counts as the first decides whom the next "
    "ones meet. A difference in the twelfth digit grows until runs are apart by some percent, as `--tie-sensitivity` shows "
    "for weir alone.",
    "mean": "The same with ranks at {runs} random placements. One run hangs on ties; they favor neither simulator, so the mean "
    "over placements may differ by no more than three times its own standard error.",
}


@dataclass
class Case:
    """Messages on a machine: those of an experiment, or a pattern file."""

    name: str
    machine: Machine
    what: str
    note: str
    workload: str = ""  # a table of an experiment
    pattern: str = ""  # or the text of a pattern file
    placement: list[int] = field(default_factory=list)  # of ranks; rank = node if it is empty
    own: str = ""  # attributes of a cluster of SimGrid that is the machine; otherwise it gets weir's links and routes


@dataclass
class Answer:
    """What both say: the end of each message, in seconds, by sender and number; and what they used."""

    weir: dict[tuple[int, int], float]
    other: dict[tuple[int, int], float]
    of_weir: Used
    of_other: Used
    version: str

    def apart(self) -> float:
        if self.weir.keys() != self.other.keys():
            raise RuntimeError(f"{len(self.weir)} messages of weir, {len(self.other)} of SimGrid")
        return max(part_of(end, self.other[message]) for message, end in self.weir.items())


def one_each(machine: Machine) -> Case:
    draw = random.Random(machine.nodes)
    lines = ["weir-pattern 1", f"ranks {machine.nodes}"]
    for node in range(machine.nodes):
        target = draw.choice([other for other in range(machine.nodes) if other != node])
        lines.append(f"{node} send {target} {draw.randint(GIGABYTE // 10, GIGABYTE)}")
    name = f"{machine.name}, one message each"
    return Case(name, machine, f"{machine.nodes} ends", "one each", pattern="\n".join(lines) + "\n")


def several_each(machine: Machine, each: int) -> Case:
    draw = random.Random(machine.nodes + 1)
    lines = ["weir-pattern 1", f"ranks {machine.nodes}"]
    for node in range(machine.nodes):
        for _ in range(each):
            target = draw.choice([other for other in range(machine.nodes) if other != node])
            lines.append(f"{node} {draw.choice(['send', 'post'])} {target} {draw.randint(GIGABYTE // 10, GIGABYTE)}")
    name = f"{machine.name}, {each} messages each"
    return Case(name, machine, f"{each * machine.nodes:,} ends", "lengths differ", pattern="\n".join(lines) + "\n")


def on_its_own(machine: Machine, own: str, workload: str = "") -> Case:
    case = one_each(machine)
    pattern = "" if workload else case.pattern
    text = f'[workload]\nmessage_size = "1 GB"\nranks = {machine.nodes}\n{workload}\n' if workload else ""
    name = f"{machine.name} of SimGrid's, one message each"
    return Case(name, machine, case.what, "own routes", text, pattern, own=own)


def of_pattern(machine: Machine, words: str, workload: str, note: str, placement: int | None = None) -> Case:
    ranks = list(range(machine.nodes))
    if placement is not None:
        random.Random(placement).shuffle(ranks)
    text = f'[workload]\nmessage_size = "1 GB"\nranks = {machine.nodes}\n{workload}\n'
    at_random = "" if placement is None else ", ranks at random"
    return Case(f"{machine.name}, {words}{at_random}", machine, "all ends", note, text, placement=ranks)


def cases(is_quick: bool) -> list[Case]:
    machines = [
        grid("torus", [9, 7]),
        grid("mesh", [5, 4, 3]),
        grid("hypercrossbar", [6, 6]),
        grid("tofu", [2, 2, 1]),
        fat_tree(8, 0.5),
        dragonfly(2),
        random_graph(40, 70, 1),
    ]
    spread = "size_spread = 0.5"
    torus, tree = grid("torus", [8, 8]), fat_tree(8, 1.0)
    small = grid("torus", [5, 5])
    patterns = [
        of_pattern(small, "all-to-all, lengths spread", f'kind = "all-to-all"\n{spread}', "lengths differ"),
        of_pattern(tree, "random ring, lengths spread", f'kind = "random-ring"\n{spread}', "lengths differ", 1),
        of_pattern(
            grid("mesh", [4, 4, 4]),
            "halo, synchronised, lengths spread",
            f'kind = "halo"\nperiodic = false\nsynchronised = true\nmessages = 3\n{spread}',
            "lengths differ",
        ),
        of_pattern(tree, "incast, lengths spread", f'kind = "incast"\n{spread}', "lengths differ"),
        of_pattern(torus, "transposition", f'kind = "permutation"\npermutation = "transpose"\n{spread}', "one each"),
        of_pattern(torus, "all-to-all, lengths spread", f'kind = "all-to-all"\n{spread}', "growth"),
        of_pattern(torus, "all-to-all, one length", 'kind = "all-to-all"', "ties"),
    ]
    if not is_quick:
        all_to_all = f'kind = "all-to-all"\nalgorithm = "pairwise"\n{spread}'
        patterns.append(of_pattern(tree, "all-to-all, lengths spread", all_to_all, "growth", 1))
    shift = 'kind = "permutation"\npermutation = "shift"\ndistance = 31\nsize_spread = 0.5'
    own = [
        on_its_own(tree, 'topology="FAT_TREE" topo_parameters="3;4,4,8;1,4,4;1,1,1"'),
        on_its_own(machines[0], 'topology="TORUS" topo_parameters="9,7"', shift),
    ]
    return (
        own
        + [one_each(machine) for machine in machines]
        + [several_each(machine, 8) for machine in machines]
        + patterns
    )


def weir_ends(places: Places, experiment: Path) -> tuple[dict[tuple[int, int], float], Used]:
    """Runs weir; the end of each message is in its results folder."""
    from pyarrow import parquet

    results = places.folder / "results"
    shutil.rmtree(results, ignore_errors=True)
    # The program of SimGrid's interface sends the messages of a node one after the other.
    keep = ["--out", results, "--set", "output.messages=true", "--set", "node.interface=in-order"]
    used = run([places.weir, "run", "--quiet", "--json", experiment, *keep], places.folder)
    table = parquet.read_table(results / "messages", columns=["from", "sequence", "arrived_ps"])
    columns = (table.column(name).to_pylist() for name in table.column_names)
    return {(source, number): end * 1e-12 for source, number, end in zip(*columns, strict=True)}, used


def ask(places: Places, case: Case, known: dict) -> Answer:
    """Runs a case under both. Platforms of machines are known by their name."""
    folder = places.folder
    pattern = folder / "messages.pattern"
    placement = case.placement or list(range(case.machine.nodes))
    (folder / "mapping").write_text("".join(f"{rank} {node}\n" for rank, node in enumerate(placement)))
    mapping = '[mapping]\nkind = "file"\nfile = "mapping"\n'
    if case.pattern:
        pattern.write_text(case.pattern, encoding="utf-8")
    else:
        experiment = case.machine.write(folder, mapping + case.workload)
        subprocess.run(
            [places.weir, "pattern", experiment, "--out", pattern],
            check=True,
            cwd=folder,
            capture_output=True,
            text=True,
        )
    experiment = case.machine.write(folder, f'{mapping}[workload]\nkind = "pattern-file"\nfile = "messages.pattern"\n')
    weir, of_weir = weir_ends(places, experiment)
    words = [line.split() for line in pattern.read_text(encoding="utf-8").splitlines()]
    pairs = sorted({(int(line[0]), int(line[2])) for line in words if line[1:2] in (["send"], ["post"])})
    platform, ends = folder / "platform.xml", folder / "ends"
    if case.own:
        write_cluster(platform, case.machine.nodes, case.own)
    elif case.machine.name not in known:
        known[case.machine.name] = platform_of(places.weir, experiment)
    if not case.own:
        write_platform(platform, known[case.machine.name], pairs, placement)
    of_other = run([places.replay, platform, pattern, ends, *MODEL], folder)
    found = (line.split() for line in ends.read_text().splitlines())
    other = {(int(source), int(number)): float(end) for source, number, end in found}
    return Answer(weir, other, of_weir, of_other, json.loads(of_other.output)["version"])


def row(case: Case, answer: Answer) -> Row:
    """Judged by the message that is farthest apart; where ties decide, the end of all messages is shown."""
    weir, other = max(answer.weir.values()), max(answer.other.values())
    tied = case.note in ("ties", "growth")
    apart = part_of(weir, other) if tied else answer.apart()
    what = "end of the last" if tied else case.what if case.what != "all ends" else f"{len(answer.weir):,} ends"
    return Row(case.name, what, seconds_of(weir), seconds_of(other), apart, None if tied else TIGHT, case.note)


def mean_over_placements(places: Places, runs: int, known: dict) -> Row:
    """All-to-all of one length: the mean over placements, as parts of SimGrid's."""
    tree = fat_tree(6, 1.0)
    ratios, weir, other = [], [], []
    for seed in range(runs):
        answer = ask(places, of_pattern(tree, "", 'kind = "all-to-all"', "ties", seed), known)
        weir.append(max(answer.weir.values()))
        other.append(max(answer.other.values()))
        ratios.append(weir[-1] / other[-1])
    error = statistics.stdev(ratios) / len(ratios) ** 0.5
    name = f"{tree.name}, all-to-all, one length, ranks at random"
    means = (seconds_of(statistics.mean(weir)), seconds_of(statistics.mean(other)))
    apart = abs(statistics.mean(ratios) - 1)
    return Row(name, f"mean of {runs} ends", *means, apart, max(3 * error, TIGHT), "mean")


def compare(places: Places, is_quick: bool, report: Report) -> Part:
    """All cases."""
    runs = 6 if is_quick else 16
    notes = {note: text.format(runs=runs) for note, text in NOTES.items()}
    known: dict = {}
    part = Part("Flows: SimGrid's S4U", "SimGrid", "", HOW, notes)
    for case in cases(is_quick):
        report(case.name)
        answer = ask(places, case, known)
        part.version = f"SimGrid {answer.version}"
        part.rows.append(row(case, answer))
        if "all-to-all" in case.name:
            part.costs.append(Cost(case.name, answer.of_weir, answer.of_other))
    report("means over placements")
    part.rows.append(mean_over_placements(places, runs, known))
    return part
