"""`make compare`: the packet engine under synthetic traffic, beside CAMINOS."""

import json
import re
from dataclasses import dataclass

from compare_machines import Machine, dragonfly, grid, hyperx
from compare_rows import Cost, Part, Places, Report, Row, Used, part_of, run

PACKET = 8  # flits, and bytes
WARMUP = 4_000  # cycles

HOW = """Both move packets of 8 flits over links of one flit and one cycle, through routers without delay, with buffers of 8
packets for each virtual channel at the input and of 4 at the output; a node makes a packet with the same probability in every
cycle, not for itself. A cycle is 1 ns here and a flit 1 byte. CAMINOS has a way through the crossbar for every virtual channel,
weir one for each port, which is twice as fast as a link here (`switch_bandwidth`). A latency is from the creation of a packet to
its last flit; CAMINOS counts to the cycle in which that arrives, so one is added to its latencies. What packets wait is their
latency less that of an idle network, which follows from the routes: links passed + 8 cycles."""

NOTES = {
    "idle": "At a load of 0.002 hardly a packet meets another one: the latency is that of an idle network, exactly computed here from "
    "the lengths of all routes. Packets draw their destinations, so the mean of both scatters by some tenths of a percent.",
    "queue": "Every node sends to the next one, over links that nobody else uses: packets wait at their source alone. In each cycle a "
    "packet comes with probability load / 8, and its link takes 8 cycles for it. The mean wait is that of the queue Geo/D/1: "
    "load x 7 / (2 (1 - load)) cycles. Both are judged by that formula; the worse one counts. Means of 200,000 cycles scatter by "
    "1.5 % over seeds at a load of 0.8.",
    "waits": "Up to 60 % of saturation the two ways through a router hardly matter: waits may differ by 5 % of the latency, "
    "or one cycle if that is more.",
    "saturation": "Everything offered; what is accepted depends on how routers choose, and both choose in turn. It may differ by 5 %.",
    "bisection": "Everything offered: no more can be accepted than half of the machine can send to the other half. Neither may be "
    "above that; the one that accepts more counts. The 1 % is for what is offered, which scatters.",
    "bound": "All nodes of a group send into the next group, over one link: no more than 1 of 8 flits can pass. Both are judged by that; "
    "the worse one counts.",
    "above": "Not judged: above 60 % of saturation small differences of routers grow, and so does the scatter over seeds.",
    "bubble": "Not judged: on a torus CAMINOS keeps a bubble in each ring against deadlocks and uses all virtual channels alike; weir has "
    "two classes of them and a dateline.",
}


@dataclass
class Curve:
    """A machine, as both call it, with a kind of traffic."""

    machine: Machine
    topology: str  # of CAMINOS
    routing: str
    virtual_channels: int
    policies: str = "EnforceFlowControl, Random"
    pattern: tuple[str, str] = ('pattern = "uniform"', "Uniform")
    bubble: bool = False
    more: str = ""  # of [packet]
    name: str = "uniform"
    bound: float | None = None  # what the bisection lets through, where that is less than everything


@dataclass
class Point:
    """What one of them says of one load."""

    latency: float  # cycles
    accepted: float
    used: Used


class Simulators:
    def __init__(self, places: Places) -> None:
        self.places = places

    def weir(self, curve: Curve, load: float, cycles: int) -> Point:
        channels = curve.virtual_channels
        delays = "".join(
            f'{name}_delay = "0 ns"\n' for name in ("route", "vc_allocation", "switch_allocation", "switch")
        )
        text = (
            f'[engine]\nkind = "packet"\nthreads = 1\n[packet]\nmtu = "{PACKET} B"\nvirtual_channels = {channels}\n'
            f'input_buffer = 8\noutput_buffer = {4 * channels}\nswitch_bandwidth = "2 GB/s"\n{delays}{curve.more}'
            f'[workload]\nkind = "synthetic"\n{curve.pattern[0]}\noffered_load = {load}\n'
            f'warmup = "{WARMUP} ns"\nduration = "{cycles} ns"\n'
        )
        machine = curve.machine
        slow = Machine(machine.name, machine.nodes, machine.text + 'latency = "1 ns"\n', machine.files)
        experiment = slow.write(self.places.folder, text)
        used = run([self.places.weir, "run", "--quiet", "--json", experiment], self.places.folder)
        summary = json.loads(used.output)
        return Point(summary["generation_latency_mean_s"] * 1e9, summary["accepted_load"], used)

    def caminos(self, curve: Curve, load: float, cycles: int) -> Point:
        nodes, folder = curve.machine.nodes, self.places.folder
        text = (
            f"Configuration {{ random_seed: 1, warmup: {WARMUP}, measured: {cycles}, topology: {curve.topology},\n"
            f"traffic: HomogeneousTraffic {{ pattern: {curve.pattern[1]}, servers: {nodes}, load: {load}, message_size: {PACKET} }},\n"
            f"maximum_packet_size: {PACKET}, router: Basic {{ virtual_channels: {curve.virtual_channels},\n"
            f"virtual_channel_policies: [ {curve.policies} ], delay: 0, buffer_size: {8 * PACKET},\n"
            f"bubble: {str(curve.bubble).lower()}, flit_size: {PACKET}, intransit_priority: false, allow_request_busy_port: true,\n"
            f"output_buffer_size: {4 * PACKET}, output_prioritize_lowest_label: false }}, routing: {curve.routing},\n"
            f"link_classes: [ LinkClass {{ delay: 1 }}, LinkClass {{ delay: 1 }}, LinkClass {{ delay: 1 }} ] }}\n"
        )
        (folder / "caminos.cfg").write_text(text, encoding="utf-8")
        result = folder / "caminos.result"
        result.unlink(missing_ok=True)
        used = run([self.places.caminos, "caminos.cfg", f"--results={result}"], folder)
        found = dict(re.findall(r"^\t(\w+):\s*([\d.e+-]+),", result.read_text(), re.MULTILINE))
        return Point(float(found["average_message_delay"]) + 1, float(found["accepted_load"]), used)


def mean_of_grid(shape: list[int], wraps: bool) -> float:
    """Links between routers of the mean route between different nodes."""
    nodes, links = 1, 0.0
    for size in shape:
        far = [min(abs(a - b), size - abs(a - b)) if wraps else abs(a - b) for a in range(size) for b in range(size)]
        links += sum(far) / size**2
        nodes *= size
    return links * nodes / (nodes - 1)


def mean_of_routes(machine: Machine) -> float:
    """The same of given routes."""
    lines = machine.files["graph.routes"].splitlines()[1:]
    return sum(line.count(",") - 2 for line in lines) / len(lines)


def cycles_of(value: float) -> str:
    return f"{value:.2f}"


def curve_rows(
    both: Simulators, curve: Curve, links: float, loads: dict[float, str], part: Part, report: Report
) -> None:
    """Latency without load, what packets wait at each load (with its note), what is accepted with everything offered."""
    name = f"{curve.machine.name}, {curve.name}"
    idle = links + 2 + PACKET
    report(f"{name}, idle")
    ours, theirs = both.weir(curve, 0.002, 200_000), both.caminos(curve, 0.002, 200_000)
    apart = max(part_of(point.latency, idle) for point in (ours, theirs))
    shown = (cycles_of(ours.latency), cycles_of(theirs.latency))
    part.rows.append(Row(name, f"idle latency ({idle:.2f})", *shown, apart, 0.01, "idle"))
    for load, note in loads.items():
        report(f"{name}, {load}")
        ours, theirs = both.weir(curve, load, 20_000), both.caminos(curve, load, 20_000)
        waits = [point.latency - idle for point in (ours, theirs)]
        apart = abs(waits[0] - waits[1])
        allowed = max(0.05 * theirs.latency, 1.0) if note == "waits" else None
        part.rows.append(
            Row(name, f"waits at {load}", cycles_of(waits[0]), cycles_of(waits[1]), apart, allowed, note, "cycles")
        )
    part.costs.append(Cost(f"{name}, load {load}, 24,000 cycles", ours.used, theirs.used))
    ours, theirs = both.weir(curve, 1.0, 10_000), both.caminos(curve, 1.0, 10_000)
    judged = "bubble" not in loads.values()
    shown = (f"{ours.accepted:.4f}", f"{theirs.accepted:.4f}")
    apart = part_of(ours.accepted, theirs.accepted)
    note = "saturation" if judged else "bubble"
    part.rows.append(Row(name, "accepted, all offered", *shown, apart, 0.05 if judged else None, note))
    if curve.bound is not None:
        above = max(0.0, max(ours.accepted, theirs.accepted) / curve.bound - 1)
        part.rows.append(Row(name, f"accepted, above {curve.bound:.4f}", *shown, above, 0.01, "bisection"))


def queue_rows(both: Simulators, part: Part, is_quick: bool, report: Report) -> None:
    """The next node on a ring, beside the formula."""
    shift = ('pattern = "neighbour"', "CartesianTransform { sides: [16], shift: [1] }")
    ring = grid("torus", [16])
    topology = "Torus { sides: [16], servers_per_router: 1 }"
    curve = Curve(ring, topology, "DOR { order: [0] }", 2, pattern=shift)
    for load in (0.5, 0.8) if is_quick else (0.2, 0.5, 0.8):
        report(f"{ring.name}, {load}")
        cycles = 200_000
        expected = load * (PACKET - 1) / (2 * (1 - load))
        waits = [
            point.latency - 3 - PACKET for point in (both.weir(curve, load, cycles), both.caminos(curve, load, cycles))
        ]
        apart = max(part_of(wait, expected) for wait in waits)
        what = f"waits at {load} ({expected:.3f})"
        part.rows.append(
            Row(f"{ring.name}, to the next", what, f"{waits[0]:.3f}", f"{waits[1]:.3f}", apart, 0.05, "queue")
        )


def bound_row(both: Simulators, part: Part, report: Report) -> None:
    """Everybody in a group sends into the next one."""
    into_next = 'pattern = "group-shift"\ngroup = 8\nshift = 1'
    shifted = "CartesianTransform { sides: [2, 4, 9], shift: [0, 0, 1], random: [true, true, false] }"
    curve = palm_tree()
    curve.pattern = (into_next, shifted)
    report("dragonfly, next group")
    points = both.weir(curve, 0.5, 10_000), both.caminos(curve, 0.5, 10_000)
    apart = max(part_of(point.accepted, 0.125) for point in points)
    name = f"{curve.machine.name}, into the next group"
    part.rows.append(
        Row(name, "accepted (0.125)", f"{points[0].accepted:.4f}", f"{points[1].accepted:.4f}", apart, 0.01, "bound")
    )


def palm_tree() -> Curve:
    """The dragonfly of 72 nodes: local, global, local; the virtual channel is the number of links passed."""
    topology = "Dragonfly { global_ports_per_router: 2, servers_per_router: 2, global_arrangement: Palmtree }"
    policies = "Hops, EnforceFlowControl, Random"
    return Curve(dragonfly(2), topology, "WeighedShortest { class_weight: [1, 100] }", 3, policies)


def compare(places: Places, is_quick: bool, report: Report) -> Part:
    """All curves."""
    part = Part("Curves: CAMINOS", "CAMINOS", "CAMINOS 0.6.3", HOW, NOTES)
    both = Simulators(places)
    queue_rows(both, part, is_quick, report)
    low, all_loads = (
        {0.2: "waits", 0.4: "waits"},
        {0.1: "waits", 0.2: "waits", 0.3: "waits", 0.4: "waits", 0.5: "waits"},
    )
    loads = low if is_quick else {**all_loads, 0.7: "above"}
    tree, star = palm_tree(), hyperx()
    curve_rows(both, tree, mean_of_routes(tree.machine), loads, part, report)
    bound_row(both, part, report)
    topology = "Hamming { sides: [4, 4], servers_per_router: 4 }"
    hamming = Curve(star, topology, "DOR { order: [0, 1] }", 4)
    hamming.bound = 1 / (4 * 16 / 63)  # a link to another column has what 4 nodes send to 16 of 63
    curve_rows(both, hamming, mean_of_routes(star), loads, part, report)
    mesh = Curve(grid("mesh", [8, 8]), "Mesh { sides: [8, 8], servers_per_router: 1 }", "DOR { order: [0, 1] }", 2)
    mesh.bound = 8 / (32 * 32 / 63)  # 8 links, and 32 nodes that send 32 of 63 packets over them
    low_of_mesh = {load: note if load < 0.3 else "above" for load, note in loads.items() if load < 0.5}
    curve_rows(both, mesh, mean_of_grid([8, 8], False), low_of_mesh, part, report)
    torus = Curve(
        grid("torus", [7, 7]), "Torus { sides: [7, 7], servers_per_router: 1 }", "DOR { order: [0, 1] }", 2, bubble=True
    )
    curve_rows(both, torus, mean_of_grid([7, 7], True), {load: "bubble" for load in loads}, part, report)
    return part
