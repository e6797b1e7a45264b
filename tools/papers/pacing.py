"""Paper 004: "Application and Evaluation of Packet Pacing for Large-scale Parallel Programs by Simulation".

The link speed, the packets, the routers and the sizes but two are not stated, so its milliseconds cannot be had. What
can be had are the shares of links, the best gaps, and times in units of a message time.
"""

import re

from papers.grid import (
    ADVISED,
    GAP,
    LARGE,
    MARGIN,
    PER_DIRECTION,
    SEED,
    SHAPE,
    SIZE,
    SMALL,
    TOGETHER,
    Grid,
    Model,
    advice,
    around,
    kib,
    message_time_s,
)
from papers.numbers import rounded, total
from papers.running import Campaign, Runs, over
from papers.values import Comparison, Plot, Row, Series, above, below, between, exactly, near, row


def figure_7(campaign: Campaign) -> Comparison:
    """Simulated time against the gap, small model."""
    return _best_gap(campaign, SMALL)


def figure_8(campaign: Campaign) -> Comparison:
    """Simulated time against the gap, large model."""
    return _best_gap(campaign, LARGE)


def _best_gap(campaign: Campaign, model: Model) -> Comparison:
    share, derived = advice(campaign)
    runs = campaign.study()
    grid = Grid()
    grid.add(runs)
    advised = {kib(size): found["simulated_s"] for (size, gap), found in runs.by(SIZE, GAP).items() if gap == ADVISED}
    plain = {kib(point.keys[SIZE]): point for point in runs.points}
    # Until the best gap of every size has a neighbor on either side no farther than the resolution.
    while campaign.extent != "few":
        more = sorted({gap for size in grid.sizes for gap in around(grid.gaps, grid.best(size))})
        if not more:
            break
        points = [point.with_keys(node__packet_gap=gap) for point in plain.values() for gap in more]
        grid.add(Runs(points, campaign.run(points)))
    shortest = next(iter(plain.values())).with_keys(workload__message_size="1 B", node__packet_gap=0)
    latency = campaign.run([shortest])[0]["simulated_s"]

    routes = row("all", "routes on the busiest link", "", share)
    if model.is_whole(campaign):
        routes = routes.published(exactly(3 if model is SMALL else 17), "paper 004, section 5.1")
    rows = [routes, row("all", "derived gap", "packet times", derived)]
    for size in grid.sizes:
        rows += _best_gap_rows(campaign, model, grid, size, share, advised[size], latency)
    rows += _sums(campaign, model, grid, share)
    notes = [
        "The paper gives no times in its text for this figure. Theory is share x 2 message times: what the busiest "
        "link takes for the messages of all its routes. Times are of the slowest rank, the way to the last node "
        "included.",
        f"The longest route alone takes {latency * 1e6:.3f} us (messages of 1 B), which short messages feel; it is "
        "taken off where a time is compared with 2 (1 + gap) message times, the pause behind the last packet as well.",
        "Sizes: 288 and 1,152 KiB are named in the paper, the others are multiples of a variable of 96 KiB; the large "
        "model is run with 32 KiB unless --full.",
    ]
    lines = [
        Series(f"{size} KiB", "own", [(float(gap), grid.time(size, gap) / message_time_s(size)) for gap in grid.gaps])
        for size in grid.sizes
    ]
    line = [(float(gap), PER_DIRECTION * (1.0 + gap)) for gap in grid.gaps]
    number = 7 if model is SMALL else 8
    plot = Plot(
        f"004-figure-{number}",
        f"Paper 004, figure {number}: time against the gap, {model.name} model",
        ("gap behind each packet [packet times]", "linear"),
        ("simulated time [message times]", "linear"),
        [*lines, Series("2 (1 + gap) message times", "formula", line)],
    )
    return Comparison("KiB", rows, [plot], notes)


def _best_gap_rows(
    campaign: Campaign, model: Model, grid: Grid, size: int, share: float, advised: float, latency: float
) -> list[Row]:
    section = "paper 004, section 5.2"
    message = message_time_s(size)
    theory = share * PER_DIRECTION * message
    best = grid.best(size)
    shortest, unpaced = grid.time(size, best), grid.time(size, 0)
    whole = model.is_whole(campaign)

    gap = row(size, "best gap", "packet times", best)
    beyond = row(size, "best gap, over share - 1", "packet times", best - (share - 1.0))
    over_theory = row(size, "time at the best gap / theory", "", shortest / theory)
    window = "a gap of share - 1 loads the link to 100 %, so a little more is right"
    if model is SMALL:
        # "Near 2.0".
        gap = gap.published(between(1.75, 2.5), section)
    if whole:
        beyond = beyond.formula(between(0, model.beyond_share), window)
    if model is SMALL and size >= 1152:
        over_theory = over_theory.formula(between(1, 1.05), "share x 2 message times")
    if model is LARGE and whole:
        over_theory = over_theory.formula(between(1, 1.15), "share x 2 message times")
    way = "gaps of max-min fair rates of the flow engine: longer by less than their margin, 8 %"
    rows = [
        gap,
        beyond,
        over_theory,
        row(size, "time without pacing / theory", "", unpaced / theory),
        row(size, "shorter by pacing", "", 1.0 - shortest / unpaced).claimed(above(0), section),
        # The best gap loads the narrowest link fully, derived ones less by their margin.
        row(size, "time with derived gaps / searched", "", advised / shortest).second_way(below(1.0 + MARGIN), way),
    ]
    # The smallest gap that is beyond the window, and the largest of all.
    for far in dict.fromkeys([*[far for far in grid.gaps if far >= share][:1], grid.gaps[-1]]):
        pause = far * 256.0 / 8e9
        expected = PER_DIRECTION * (1.0 + far) * message - pause
        one = row(size, f"time at gap {far:g} / formula", "", (grid.time(size, far) - latency) / expected)
        rows.append(one.formula(near(1, 0.02), "2 (1 + gap) message times"))
    return rows


def _sums(campaign: Campaign, model: Model, grid: Grid, share: float) -> list[Row]:
    """All sizes together."""
    section = "paper 004, section 5.2"
    plain = total(grid.time(size, 0) for size in grid.sizes)
    paced = total(grid.time(size, grid.best(size)) for size in grid.sizes)
    theory = total(share * PER_DIRECTION * message_time_s(size) for size in grid.sizes)
    shorter = row("all", "sum over sizes, shorter by pacing", "", 1.0 - paced / plain)
    least = min(grid.gaps, key=lambda gap: total(grid.time(size, gap) for size in grid.sizes))
    gap = row("all", "gap with the least sum over sizes", "packet times", least)
    if model is SMALL:
        why = (
            "Without pacing the paper's machine congests more than ours does with round robin; what arbitration would, "
            "docs/reference/papers.md#arbitration-for-paper-004 shows."
        )
        # About 40 % shorter.
        shorter = shorter.published(between(0.35, 0.45), section).explained(why)
        gap = gap.published(between(1.75, 2.5), section)
    elif model.is_whole(campaign):
        # The published number is of the sum over sizes that are not stated.
        gap = gap.published(between(16, 19), f"{section}: 17.125")
    return [shorter, gap, row("all", "sum over sizes at the best gaps / theory", "", paced / theory)]


#: The panels of figures 9 and 10.
PANELS = {
    TOGETHER: "a",
    "imbalance 100 ns": "b",
    "imbalance 1 us": "c",
    "imbalance 10 us": "d",
    "imbalance 100 us": "e",
    "imbalance 1 ms": "f",
    "barrier": "g",
}
#: The size that holds its best gap up to 100 us.
LONG_KIB = 1152
#: From this part of the time without it on, pacing has no effect.
NO_EFFECT = 0.95


def figure_9(campaign: Campaign) -> Comparison:
    """Starts at different instants, large model."""
    return _imbalance(campaign, LARGE, 9)


def figure_10(campaign: Campaign) -> Comparison:
    """Starts at different instants, small model."""
    return _imbalance(campaign, SMALL, 10)


def _imbalance(campaign: Campaign, model: Model, number: int) -> Comparison:
    """What remains of it when ranks start at different instants."""
    grid = Grid.of(campaign)
    starts = [start for start in PANELS if any(start == other for other, _, _ in grid.times)]
    rows = [one for start in starts for size in grid.sizes for one in _imbalance_rows(model, grid, start, size)]
    apart = "imbalance 100 us"
    if model is SMALL and TOGETHER in starts and apart in starts:
        place = "paper 004, section 5.3: the smaller the messages, the more the best gap grows with imbalance"
        shrinks = (
            "With our routers imbalance spreads short messages so far that they hardly meet: they need less of a gap, "
            "not more, and gain less by it."
        )
        for size in grid.sizes:
            if size < LONG_KIB:
                grown = grid.best(size, apart) - grid.best(size)
                one = row(size, f"best gap, {apart} less no imbalance", "packet times", grown)
                rows.append(one.claimed(above(0), place).explained(shrinks))
    draws = max(len(times) for times in grid.times.values())
    notes = [
        "Each rank pauses first for a time drawn uniformly from 0 to the factor. Times are means over the draws and "
        "include the pauses and the barrier; the paper does not say whether its times do.",
        f"Draws of each factor: {draws}. The spread over them is that at the best gap.",
        "What 1 ms is depends on the speed of the links, which the paper does not state: here a message of 1,152 KiB "
        "takes 147 us.",
    ]
    plots = []
    for start in starts:
        words = {TOGETHER: TOGETHER, "barrier": "behind a barrier"}.get(start, start)
        lines = [
            Series(
                f"{size} KiB",
                "own",
                [(float(gap), grid.time(size, gap, start) / message_time_s(size)) for gap in grid.gaps],
            )
            for size in grid.sizes
        ]
        title = f"Paper 004, figure {number} ({PANELS[start]}): {model.name} model, {words}"
        axes = ("gap behind each packet [packet times]", "linear"), ("simulated time [message times]", "linear")
        plots.append(Plot(f"004-figure-{number}-{PANELS[start]}", title, *axes, lines))
    return Comparison("KiB", rows, plots, notes)


def _imbalance_rows(model: Model, grid: Grid, start: str, size: int) -> list[Row]:
    best = grid.best(size, start)
    millisecond = start == "imbalance 1 ms"
    gap = row(size, f"best gap, {start}", "packet times", best)
    effect = row(
        size,
        f"time at the best gap / without pacing, {start}",
        "",
        grid.time(size, best, start) / grid.time(size, 0, start),
    )
    if model is SMALL and size == LONG_KIB and not millisecond:
        gap = gap.published(between(1.75, 2.5), "paper 004, section 5.3: 1,152 KiB stays near 2.0 up to 100 us")
    if model is SMALL and millisecond:
        effect = effect.claimed(above(NO_EFFECT), "paper 004, section 5.3: no effect at 1 ms")
    elif model is SMALL and size == LONG_KIB:
        effect = effect.claimed(below(NO_EFFECT), "paper 004, section 5.3")
    elif model is LARGE:
        effect = effect.claimed(below(1), "paper 004, section 5.3: pacing works for every size, whatever the imbalance")
        if millisecond:
            effect = effect.explained(
                "Starts within 1 ms spread short messages (4 us each of 32 KiB) so far that nothing is left to pace. "
                "The paper's sizes are not stated; --sizes runs others."
            )
    draws = grid.times[start, size, best]
    return [gap, effect, row(size, f"longest draw / shortest, {start}", "", max(draws) / min(draws))]


#: Bars of figures 11 and 12 beside theory: what they are, and what the small model takes in the paper, in ms.
BARS = {"no pacing": 638.1, "no pacing, imbalance": 654.2, "pacing": 385.9, "pacing, imbalance": 440.9}
THEORY_MS = 281.7
#: How far ratios may be off.
TENTH = 0.1
ARBITRATION = (
    "Ratios hang on arbitration and buffers, which the paper does not state, and its theory counts less than ours; "
    "docs/reference/papers.md#arbitration-for-paper-004 shows what comes nearest."
)


def figure_11(campaign: Campaign) -> Comparison:
    """Sums over sizes, small model."""
    return _totals(campaign, SMALL, 11)


def figure_12(campaign: Campaign) -> Comparison:
    """Sums over sizes, large model."""
    return _totals(campaign, LARGE, 12)


def _totals(campaign: Campaign, model: Model, number: int) -> Comparison:
    """The times of all sizes together: theory, without and with pacing, without and with imbalance."""
    section = "paper 004, section 5.3"
    share, _ = advice(campaign)
    grid = Grid.of(campaign)
    theory = total(share * PER_DIRECTION * message_time_s(size) for size in grid.sizes)
    own = {}
    for name in BARS:
        start = "imbalance 10 us" if "imbalance" in name else TOGETHER
        gaps = {size: grid.best(size, start) if name.startswith("pacing") else 0 for size in grid.sizes}
        own[name] = total(grid.time(size, gaps[size], start) for size in grid.sizes)
    # The few points of tests have one size, and a smaller model.
    whole = campaign.extent != "few"
    rows = [row("all", "theory", "us", theory * 1e6)]
    for name, ms in BARS.items():
        one = row("all", f"{name} / theory", "", own[name] / theory)
        if whole and model is SMALL:
            one = one.published(near(ms / THEORY_MS, TENTH), section)
        elif whole and name.startswith("no pacing"):
            # From the text: about 2.2 times theory.
            one = one.published(near(2.2, TENTH), section)
        elif whole:
            one = one.claimed(below(1.15), f"{section}: near theory with pacing")
        rows.append(one.explained(ARBITRATION))
    for name, suffix in [("no imbalance", ""), ("imbalance", ", imbalance")]:
        paced, plain = f"pacing{suffix}", f"no pacing{suffix}"
        part = own[paced] / own[plain]
        one = row("all", f"pacing / no pacing, {name}", "", part)
        if whole:
            # Of the large model the text says about 49 %.
            target = near(BARS[paced] / BARS[plain] if model is SMALL else 0.49, TENTH)
            one = one.published(target, section).explained(ARBITRATION)
        rows += [one, row("all", f"shorter by pacing, {name}", "", 1.0 - part).claimed(above(0), section)]
    if model is SMALL and whole:
        long = total(grid.time(size, 0) for size in grid.sizes if size >= 288)
        rows.append(
            row("all", "part of 288 KiB and more in the sum", "", long / own["no pacing"]).claimed(above(0.5), section)
        )
    notes = [
        "The paper's milliseconds cannot be had: neither the speed of the links nor how often each size is sent is "
        "stated. So ratios are judged, within 10 %. Here every size is sent once.",
        "Imbalance: 10 us, which the paper does not say. With pacing each size has its best gap of the ones run.",
    ]
    lines = [Series("own", "own", over([1.0, *(time / theory for time in own.values())]))]
    if model is SMALL:
        lines.append(Series("published", "published", over([1.0, *(ms / THEORY_MS for ms in BARS.values())])))
    plot = Plot(
        f"004-figure-{number}",
        f"Paper 004, figure {number}: all sizes together, {model.name} model",
        ("what", ["theory", *BARS]),
        ("time / theory", "linear"),
        lines,
    )
    return Comparison("KiB", rows, [plot], notes)


def congestion(campaign: Campaign) -> Comparison:
    """Section 5.2: congestion starts at a link that many messages pass, and pacing keeps it away."""
    runs = campaign.study().by(GAP)
    first, last = next(iter(runs.values())), list(runs.values())[-1]
    side = first["experiment"]["topology"]["shape"][1]
    size = kib(first["experiment"]["workload"]["message_size"])
    rows = []
    link = first.get("most_contended_link") or {}
    # `router (39,31,0) -> router (0,31,0)`; the routers of the corners have most routes.
    if place := re.match(r"router \(\d+,(\d+),(\d+)\)", link.get("name", "")):
        y, z = map(int, place.groups())
        what = "hops from a corner of a diamond, of the link that packets wait for longest"
        section = "paper 004, sections 5.1 and 5.2: corners of diamonds, Y = 31 and Z = 0 or Y = 0 and Z = 0"
        rows.append(row("gap 0", what, "", min(y, side - 1 - y) + z).claimed(exactly(0), section))
        rows.append(row("gap 0", "time its packets wait, all together", "ms", _waited_ms(first)))
    for gap, summary in runs.items():
        rows.append(row(f"gap {gap:g}", "mean packet latency", "us", summary["latency_mean_s"] * 1e6))
        rows.append(row(f"gap {gap:g}", "most packets in a channel", "", summary["max_buffer_packets"]))
    part = row(
        f"gap {list(runs)[-1]:g}", "longest wait for a link / without pacing", "", _waited_ms(last) / _waited_ms(first)
    )
    rows.append(part.claimed(below(0.1), "paper 004, abstract: pacing suppresses congestion almost completely"))
    notes = [
        f"Large model, messages of {size} KiB. `weir report` on the results of a run with `output.sample_interval` "
        "shows which buffers fill when.",
    ]
    plot = Plot(
        "004-congestion",
        "Paper 004, section 5.2: packets in the large model",
        ("gap behind each packet [packet times]", "linear"),
        ("mean packet latency [us]", "linear"),
        [Series("own", "own", [(float(gap), summary["latency_mean_s"] * 1e6) for gap, summary in runs.items()])],
    )
    return Comparison("packets", rows, [plot], notes)


def _waited_ms(summary: dict[str, dict[str, float]]) -> float:
    """How long packets waited for the link that they waited for longest, whichever that is, all of them together."""
    return rounded(summary["most_contended_link"]["waited_s"] * 1e12) / 1e9


def size_and_distance(campaign: Campaign) -> Comparison:
    """Section 2: the effect of pacing grows with the size of messages and with the hops of their routes.

    The paper takes it from earlier work on collective communication and shows no figure. Here every node of a torus
    sends one message to one other, at random; larger tori have longer ways.
    """
    section = "paper 004, section 2: grows with the size of messages and with hops"
    #: Shorter messages are over before packets meet: there the way alone counts, and any gap is a loss.
    long_kib = 16
    runs = campaign.study().by(SHAPE, SIZE, GAP, SEED)
    sides = list(dict.fromkeys(shape[0] for shape, *_ in runs))
    sizes = list(dict.fromkeys(kib(size) for _, size, *_ in runs))
    draws = sorted({seed for *_, seed in runs})

    def time(side: int, size: int, gap: int | str) -> float:
        return total(runs[(side, side), f"{size} KiB", gap, seed]["simulated_s"] for seed in draws)

    effects = {(side, size): time(side, size, ADVISED) / time(side, size, 0) for side in sides for size in sizes}
    hops = {}
    for side in sides:
        of_side = [summary for (shape, *_), summary in runs.items() if shape[0] == side]
        hops[side] = sum(summary["packet_hops"] for summary in of_side) / sum(summary["packets"] for summary in of_side)
    rows = []
    for side in sides:
        machine = f"{side} x {side}"
        rows.append(row(machine, "hops of a packet, mean", "", hops[side]))
        rows += [row(machine, f"time with pacing / without, {size} KiB", "", effects[side, size]) for size in sizes]
        steps = [effects[side, size] / effects[side, before] for before, size in zip(sizes, sizes[1:], strict=False)]
        one = row(machine, "effect of a size over that of the size before, at most", "", max(steps))
        rows.append(one.claimed(below(1), section))
    for size in sizes:
        steps = [effects[side, size] / effects[before, size] for before, side in zip(sides, sides[1:], strict=False)]
        one = row(f"{size} KiB", "effect of a machine over that of the machine before, at most", "", max(steps))
        rows.append(one.claimed(below(1), section) if size >= long_kib else one)
    notes = [
        f"Every node sends one message to one other, at random; sums over {len(draws)} permutations. Gaps are those of "
        "`weir advise pacing`, each message its own. Below 1 the exchange is faster with them.",
        f"Messages shorter than {long_kib} KiB are over before much congestion comes about: pacing makes them longer.",
    ]
    plot = Plot(
        "004-size-and-distance",
        "Paper 004, section 2: what pacing gains, by size and distance",
        ("size of messages [KiB]", "log"),
        ("time with pacing / without", "linear"),
        [
            Series(
                f"{side} x {side} nodes, {hops[side]:.1f} hops",
                "own",
                [(float(size), effects[side, size]) for size in sizes],
            )
            for side in sides
        ],
    )
    return Comparison("torus or size", rows, [plot], notes)
