"""Paper 002: "A Communication Network Simulator Based on Message Flows and Its Parallelization"."""

import json
import subprocess

from papers.numbers import scientific, total
from papers.running import ROOT, Campaign, Failed, Summary, over, series
from papers.values import (
    NOT_MEASURABLE,
    Comparison,
    Plot,
    Row,
    Series,
    Target,
    about,
    beside,
    exactly,
    missing,
    row,
)

#: Names of sharing rules in an experiment and for people.
RULES = {"single-pass": "Mode F", "max-min": "max-min"}
#: Section 3.1: messages of a node.
MESSAGES = 10.0


def machine(radix: int) -> str:
    """A fat tree of 2n-port switches, as the paper writes it."""
    n = radix // 2
    return f"{n}x{n}x{2 * n}"


def nodes(radix: int) -> int:
    """Its nodes: 2 n^3."""
    return int(radix**3 // 4)


def table_3_1(campaign: Campaign) -> Comparison:
    """Table 3.1: how many nodes and cables the machines have."""
    runs, stated = campaign.study(), campaign.published()
    rows = []
    lines: dict[str, dict[int, float]] = {"own": {}, "published": {}}
    for point, summary in zip(runs.points, runs.summaries, strict=True):
        # A cable is two links, one each way.
        for what, field, links in [("nodes", "nodes", 1), ("cables", "links", 2)]:
            published = stated[point.name, field] // links
            one = row(machine(point.keys["topology.radix"]), what, "", summary[field] // links)
            rows.append(one.published(exactly(published), "paper 002, table 3.1"))
        lines["own"][summary["nodes"]] = summary["links"] // 2
        lines["published"][int(stated[point.name, "nodes"])] = stated[point.name, "links"] / 2
    plot = Plot(
        "002-table-3-1",
        "Paper 002, table 3.1: nodes and cables of the fat trees",
        ("nodes", "log"),
        ("cables", "log"),
        [Series("own", "own", series(lines["own"])), Series("published", "published", series(lines["published"]))],
    )
    notes = ['The "links" of the paper are cables, those between nodes and switches included.']
    return Comparison("machine", rows, [plot], notes)


def random_ring(campaign: Campaign) -> Comparison:
    """Section 3.1: the random ring, ten messages per node, on the machines of table 3.1."""
    runs = campaign.study(timed=True).by("topology.radix", "engine.sharing")
    rows = []
    lines: dict[str, dict[int, float]] = {rule: {} for rule in RULES.values()}
    for radix in dict.fromkeys(radix for radix, _ in runs):
        found = {name: runs[radix, rule] for rule, name in RULES.items()}
        for name, summary in found.items():
            share = float(summary["max_link_share"])
            simulated = row(nodes(radix), f"simulated time, {name}", "message times", summary["simulated_s"])
            way = "ten messages of as many flows as weir counts on the busiest link"
            rows += [
                simulated.second_way(exactly(MESSAGES * share), way),
                row(nodes(radix), f"most flows on a link, {name}", "", share),
                row(nodes(radix), f"wall-clock time, {name}", "s", summary["wall_s"]),
            ]
            lines[name][nodes(radix)] = summary["wall_s"]
        if peaks := [peak for summary in found.values() if (peak := summary.get("peak_memory_bytes"))]:
            rows.append(row(nodes(radix), "memory of the process so far", "MB", max(peaks) / 1e6))
        times = [summary["simulated_s"] for summary in found.values()]
        one = row(nodes(radix), "simulated time, Mode F / max-min", "", times[0] / times[1])
        rows.append(one.second_way(exactly(1), "the other rule: the busiest link is busy to the end in every mode"))
    plot = Plot(
        "002-random-ring",
        "Paper 002, section 3.1: random ring, ten messages per node",
        ("nodes", "log"),
        ("wall-clock time [s]", "log"),
        [Series(name, "own", series(line)) for name, line in lines.items()],
    )
    notes = [
        "The paper states no simulated times and no absolute run times.",
        "Wall-clock times are medians of up to five runs, or single runs from a second on.",
    ]
    return Comparison("nodes", rows, [plot], notes)


#: Figure 3.2 of section 3.2: the loads are stated as additions in this many rounds. The axis of the figure goes to 10^9
#: additions, which can only be those of all million rounds together: so 10^9 is 1,000 additions before each barrier.
ROUNDS = 1_000_000
#: Additions before each barrier.
LOADS = [1, 10, 100, 1_000, 10_000]
KINDS = ["spin", "park"]
#: The standard barrier over the own one, by additions in all rounds. The paper does not say for how many threads; it
#: had eight cores.
PARK_OVER_SPIN = {10_000_000: beside(20.0), 1_000_000_000: beside(1.0), 10_000_000_000: about(0.0, 1.0)}
#: From so many additions on the two cost the same in the paper, or the own one more; and why they do not meet here.
CROSSING = 1_000_000_000
NO_CROSSING = (
    "A parking barrier is one of the system here: a thread that waits goes to sleep, and waking it costs the same "
    "whatever it has computed before, 5 us with 2 threads and 11 us with 8 on sixteen quiet cores. OpenMP's of the "
    "paper's time waited busily for a while first, so that longer work brought it up to the own one."
)


def barrier(campaign: Campaign) -> Comparison:
    """Figure 3.2: what a barrier costs, over the work between two barriers.

    As in the paper: every thread adds numbers, then waits at a barrier, a million times; the same without barriers is
    taken off, and what remains is divided by the number of barriers. `crates/flow/benches/barrier.rs` measures it.
    """
    cores = campaign.cores()
    rounds = ROUNDS if campaign.extent == "full" else 10_000
    counts = [2]
    while 2 * counts[-1] <= 2 * cores:
        counts.append(2 * counts[-1])
    rows = []
    lines = []
    for threads in counts:
        points: dict[str, dict[int, float]] = {kind: {} for kind in KINDS}
        # A busy wait for a thread that has no core lasts a thousand times longer.
        own_rounds = rounds if threads <= cores else -(-rounds // 100)
        for load, measured in zip(LOADS, measure_barriers(threads, own_rounds, LOADS), strict=True):
            costs = {kind: added(measured[kind][0], measured[kind][1], own_rounds) for kind in KINDS}
            rows += barrier_rows(threads, cores, load * ROUNDS, costs)
            for kind, cost in costs.items():
                if cost is not None:
                    points[kind][load * ROUNDS] = cost
        lines += [Series(f"{kind}, {threads} threads", "own", series(line)) for kind, line in points.items()]
    plot = Plot(
        "002-barrier",
        "Paper 002, figure 3.2: cost of a barrier",
        ("additions in a million rounds", "log"),
        ("cost of a barrier [ns]", "log"),
        lines,
    )
    notes = [
        f"{rounds} rounds for each value, a hundredth of that for more threads than there are cores ({cores}), where "
        "no thread should wait busily.",
        "Costs depend on the computer: they are shown, not judged. Published are ratios of OpenMP's barrier to the "
        "paper's own busy-waiting one.",
    ]
    return Comparison("additions", rows, [plot], notes)


def measure_barriers(threads: int, rounds: int, loads: list[int]) -> list[dict[str, list[int]]]:
    """For each load and kind of barrier the nanoseconds of all rounds with barriers, and without."""
    command = [
        "cargo",
        "bench",
        "--quiet",
        "--package",
        "weir-flow",
        "--bench",
        "barrier",
        "--",
        str(threads),
        str(rounds),
    ]
    done = subprocess.run([*command, *map(str, loads)], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"{threads} threads: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def added(with_barrier: int, without: int, rounds: int) -> float | None:
    """Nanoseconds that each of so many rounds takes longer; `None` if they do not.

    Then the value to be measured is less than the differences between two times of the same work.
    """
    return (with_barrier - without) / rounds if with_barrier > without else None


def barrier_rows(threads: int, cores: int, additions: int, costs: dict[str, float | None]) -> list[Row]:
    """What both kinds of barrier cost in nanoseconds, and their ratio."""
    x = scientific(float(additions))

    def one(what: str, unit: str, own: float | None) -> Row:
        return missing(x, what, unit, NOT_MEASURABLE) if own is None else row(x, what, unit, own)

    rows = [one(f"cost of a barrier, {kind}, {threads} threads", "ns", costs[kind]) for kind in KINDS]
    if additions in PARK_OVER_SPIN and threads <= cores:
        spin, park = costs["spin"], costs["park"]
        ratio = one(f"park / spin, {threads} threads", "", None if spin is None or park is None else park / spin)
        ratio = ratio.published(PARK_OVER_SPIN[additions], "paper 002, section 3.2")
        rows.append(ratio.declared(NO_CROSSING) if additions >= CROSSING else ratio)
    return rows


#: Names of barriers in an experiment, with the numbers of their figures and what they are.
BARRIERS = {"park": ("3-1", "figure 3.1", "parking"), "spin": ("3-2", "figure 3.2", "spinning")}
#: Section 3.3, with the paper's own barrier: threads and speed-up. The 8 is "at most about".
OWN_BARRIER = {2: beside(1.5), 4: beside(2.5), 8: about(0.0, 4.0)}
#: Sections 3.1 and 3.3: 8x8x16 with eight threads, by barrier; OpenMP's is the parking one here.
SMALLEST = {"spin": beside(1.5), "park": beside(0.5)}
FEW_CORES = "This computer has fewer cores than that, and a sweep uses no more threads than there are cores."
FEW_NODES = "A sweep of so few nodes uses fewer threads than that with this barrier: more would be slower."
#: The steps of the sweep, short enough to stand side by side.
STEPS = ["1 lists", "2 clear", "3 count", "4 share", "5 times", "6 least", "7 advance"]


def thread_scaling(campaign: Campaign) -> Comparison:
    """Figures 3.1 and 3.2 (the second of this number): speed-up of the parallel sweep over the number of threads.

    Times are those of the loop: of a thread at work in the steps and at the barriers behind them. So what a run spends
    before and after it, on one thread, does not count, as in the paper.
    """
    cores = campaign.cores()
    points = campaign.points(0)
    here = [point for point in points if point.keys["engine.threads"] <= cores]
    engines = campaign.study(1, timed=True).by("topology.radix")
    found = {
        (point.keys["topology.radix"], point.keys["engine.barrier"], point.keys["engine.threads"]): summary
        for point, summary in zip(here, campaign.run(here, timed=True), strict=True)
    }
    counts = list(dict.fromkeys(point.keys["engine.threads"] for point in points))
    rows: list[Row] = []
    plots = []
    last: list[Row] = []
    for waiting, (file, figure, kind) in BARRIERS.items():
        lines = []
        for radix, engine in engines.items():
            runs = {count: found[radix, waiting, count] for count in counts if count <= cores}
            used = {count: summary for count, summary in runs.items() if summary["threads"] == count}
            speed_ups = {count: loop_time(runs[1]) / loop_time(summary) for count, summary in used.items()}
            for count, summary in used.items():
                simulated = row(
                    machine(radix),
                    f"simulated time, {waiting}, threads: {count}",
                    "message times",
                    summary["simulated_s"],
                )
                rows.append(simulated.second_way(exactly(engine["simulated_s"]), "the engine without threads"))
                rows.append(
                    row(machine(radix), f"time in the loop, {waiting}, threads: {count}", "s", loop_time(summary))
                )
                speed_up = row(machine(radix), f"speed-up, {waiting}, threads: {count}", "", speed_ups[count])
                rows.append(with_published(speed_up, radix, waiting, count))
            for why, absent in [(FEW_NODES, runs), (FEW_CORES, [count for count in counts if count > cores])]:
                for count in [count for count in absent if count not in used]:
                    # Only what the paper has, and this computer cannot have.
                    one = missing(machine(radix), f"speed-up, {waiting}, threads: {count}", "", why)
                    one = with_published(one, radix, waiting, count)
                    rows += [one] if one.target else []
            lines.append(Series(machine(radix), "own", series(speed_ups)))
            if waiting == "spin":
                # Section 4 of the paper looks ahead to a method without barriers: the engine, against the fastest
                # sweep.
                fastest = min(summary["wall_s"] for summary in runs.values())
                rows.append(row(machine(radix), "wall-clock time without barriers", "s", engine["wall_s"]))
                rows.append(row(machine(radix), "fastest sweep / without barriers", "", fastest / engine["wall_s"]))
            if waiting == "spin" and radix == list(engines)[-1] and used:
                last = step_rows(machine(radix), used)
                plots.append(_step_plot(used[max(used)]))
        title = f"Paper 002, {figure}: speed-up with a {kind} barrier"
        plots.append(
            Plot(f"002-figure-{file}", title, ("threads", "span"), ("speed-up over one thread", "linear"), lines)
        )
    notes = [
        f"Measured on {cores} cores; the paper had 8. Speed-ups are shown, not judged.",
        "A sweep uses no more threads than there are cores, and one for each 4096 nodes (512 with the spinning "
        "barrier), so that more threads are never slower. Rows are of runs that used all threads they name.",
        "Time in the loop is that of a thread at work and at barriers, in the median of up to five runs (one run, if "
        "it takes a second or more).",
        "The method without barriers is the engine that computes what changes, on one thread; whole runs are compared.",
        "Imbalance is the work of the busiest thread over the mean.",
    ]
    return Comparison("machine", rows + last, plots, notes)


def loop_time(summary: Summary) -> float:
    """Mean time of a thread in all steps, in seconds."""
    return total(step["work_s"] + step["wait_s"] for step in summary["steps"])


def with_published(of: Row, radix: int, waiting: str, threads: int) -> Row:
    """A speed-up with what the paper has, if it has it."""
    target: Target | None = OWN_BARRIER.get(threads) if waiting == "spin" and radix > 16 else None
    if radix == 16 and threads == 8:
        target = SMALLEST[waiting]
    return of.published(target, "paper 002, section 3.3") if target else of


def step_rows(name: str, used: dict[int, Summary]) -> list[Row]:
    """Work of each step with the fewest threads; work, waiting and imbalance with the most (section 4)."""
    fewest, most = min(used), max(used)
    rows = []
    for threads in dict.fromkeys([fewest, most]):
        for number, step in enumerate(used[threads]["steps"], 1):
            parts = [("work", "ms", step["work_s"] * 1e3)]
            if threads != fewest:
                parts += [("at the barrier", "ms", step["wait_s"] * 1e3), ("imbalance", "", step["imbalance"])]
            rows += [
                row(name, f"step {number} {step['name']}, {what}, threads: {threads}", unit, own)
                for what, unit, own in parts
            ]
    return rows


def _step_plot(summary: Summary) -> Plot:
    """Time of a thread in each step, the barrier behind it included."""
    return Plot(
        "002-steps",
        "Paper 002, section 2.2: time in each step, largest machine",
        ("step", STEPS),
        ("work and barrier [ms]", "linear"),
        [
            Series(
                "spin, a core per thread",
                "own",
                over((step["work_s"] + step["wait_s"]) * 1e3 for step in summary["steps"]),
            )
        ],
    )
