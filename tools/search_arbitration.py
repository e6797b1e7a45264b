#!/usr/bin/env python3
"""Searches routers with which both models of paper 004 come near figures 7, 8, 11 and 12, all of them at once.

The paper states neither arbitration nor buffers. This runs every combination of GRID on the small model; the best ones of each
arbiter again with the buffers of BUFFERS; then the best ones of each arbiter on a reduced large model; and writes what each
gives over what is published. Settings that weir refuses (a machine that could deadlock) are left out.

    tools/search_arbitration.py --weir target/release/weir --results search.json         half an hour on a quiet core
    tools/search_arbitration.py --results search.json --table 12                         the best ones as Markdown
    tools/search_arbitration.py --results search.json --small                            the best of each arbiter, small model

Results are kept in the file as they come; a second call goes on where the first has ended.

Small model: 288 KiB, which stands for the sum over sizes (288 KiB and more are 96 % of it). Reduced large model: rlevel 5 on a
torus of 40 x 8 x 8 instead of rlevel 7 on 40 x 32 x 32: 2,560 of 40,960 nodes with the same mapping and 6 instead of 17
routes on the busiest link. With --whole the best setting of each of the best arbiters is run on the large model itself (half a minute a gap).

docs/reference/papers.md#arbitration-for-paper-004 has the table that came out.
"""

import argparse
import itertools
import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from measure import ROOT, markdown

PAPER = ROOT / "papers" / "004-pacing"

# A value of a key that is then not written.
ALL = "all"
# What is searched, every combination.
GRID: dict[str, list] = {
    "packet.arbiter": ["round-robin", "transit-first", "injection-first", "fixed-priority", "oldest-first"],
    "packet.virtual_channels": [2, 4, 8],
    "node.injection_channels": [ALL, 1],
    "packet.dateline": ["crossing", "dimension"],
    "packet.credits": ["packet", "flit"],
    "packet.switch_bandwidth": ["8 GB/s", "10 GB/s"],
    "packet.input_buffer": [16],
}
# Then the best ones of each arbiter with these.
BUFFERS = [8, 64]
BYTES_PER_S = 8e9
SMALL_KIB = 288
SMALL_SHARE = 3
SMALL_GAPS = [0.0, 1.0, 1.5, 1.75, 2.0, 2.125, 2.25, 2.5, 3.0]
IMBALANCE = "50 us"
IMBALANCE_GAPS = [0.0, 1.75, 2.0, 2.25, 2.5]
LARGE_KIB = 32
REDUCED = {"workload.rlevel": 5, "topology.shape": [40, 8, 8]}
REDUCED_SHARE = 6
LARGE_SHARE = 17
# Gaps of the large models: none, and these over share - 1.
LARGE_GAPS = [-0.5, 0.0, 0.5, 1.125]
WHOLE_GAPS = [0.0, 0.5, 1.125]
# How many settings of each arbiter go on to the reduced large model; and to the large one, each with another arbiter.
BEST = 3
WHOLE = 4

# Published (sections 5.2 and 5.3): figure 11 over theory, figure 7's gap; figure 12 over theory, figure 8's gap.
SMALL_SUMS = {
    "no pacing": 638.1 / 281.7,
    "no pacing, imbalance": 654.2 / 281.7,
    "pacing": 385.9 / 281.7,
    "pacing, imbalance": 440.9 / 281.7,
}
SMALL_GAP = 2.0
LARGE_SUMS = {"no pacing": 2.2, "pacing": 0.49 * 2.2}
LARGE_GAP = 17.125 - (LARGE_SHARE - 1)

Setting = dict[str, object]
Times = dict[str, float]


def simulated_s(weir: Path, file: str, setting: Setting) -> float | None:
    """Of one run; None if the setting is refused or does not finish."""
    words = [str(weir), "run", str(PAPER / file), "--json", "--quiet"]
    for key, value in setting.items():
        if value == ALL:
            continue
        words += ["--set", f"{key}={json.dumps(value)}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return json.loads(done.stdout)["simulated_s"] if done.returncode == 0 else None


def times_of(weir: Path, file: str, setting: Setting, theory: float, gaps: list[float]) -> Times | None:
    """Times over theory by gap; None if one is refused."""
    times = {}
    for gap in gaps:
        seconds = simulated_s(weir, file, setting | {"node.packet_gap": gap})
        if seconds is None:
            return None
        times[str(gap)] = seconds / theory
    return times


def small(weir: Path, setting: Setting) -> Times | None:
    theory = SMALL_SHARE * 2 * SMALL_KIB * 1024 / BYTES_PER_S
    setting = setting | {"workload.message_size": f"{SMALL_KIB} KiB"}
    together = times_of(weir, "small.toml", setting, theory, SMALL_GAPS)
    apart = {"workload.start_imbalance": IMBALANCE, "workload.seed": 1}
    spread = together and times_of(weir, "small.toml", setting | apart, theory, IMBALANCE_GAPS)
    if not (together and spread):
        return None
    return {
        "gap": float(min(together, key=together.__getitem__)),
        "no pacing": together["0.0"],
        "no pacing, imbalance": spread["0.0"],
        "pacing": min(together.values()),
        "pacing, imbalance": min(spread.values()),
    }


def large(weir: Path, setting: Setting, share: int, over_share: list[float]) -> Times | None:
    """On the model that the setting has; the gap is that over share - 1."""
    theory = share * 2 * LARGE_KIB * 1024 / BYTES_PER_S
    setting = setting | {"workload.message_size": f"{LARGE_KIB} KiB"}
    gaps = [0.0] + [share - 1 + more for more in over_share]
    times = times_of(weir, "large.toml", setting, theory, gaps)
    if not times:
        return None
    best = min(times, key=times.__getitem__)
    return {"gap": float(best) - (share - 1), "no pacing": times["0.0"], "pacing": times[best]}


def small_error(found: Times) -> tuple[float, float]:
    """The root mean square of the logarithms of published over own of the four sums, less their mean (the paper's theory
    counts less than ours: a common factor is free), with half of what the gap is off; and that factor."""
    logs = [math.log(published / found[name]) for name, published in SMALL_SUMS.items()]
    mean = sum(logs) / len(logs)
    off = (found["gap"] - SMALL_GAP) / 2
    return math.sqrt(sum((log - mean) ** 2 for log in logs) / len(logs) + off**2), math.exp(mean)


def large_error(found: Times) -> float:
    """The same for the large model. Its factor is not free: with pacing the paper is near theory."""
    logs = [math.log(published / found[name]) for name, published in LARGE_SUMS.items()]
    off = (found["gap"] - LARGE_GAP) / 2
    return math.sqrt(sum(log**2 for log in logs) / len(logs) + off**2)


def settings() -> Iterator[Setting]:
    for values in itertools.product(*GRID.values()):
        yield dict(zip(GRID, values, strict=True))


def name_of(setting: Setting) -> str:
    return json.dumps(setting)


class Results:
    """Per model and setting what was found; in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: dict[str, dict[str, Times | None]] = json.loads(path.read_text()) if path.exists() else {}

    def get(self, model: str, setting: Setting) -> Times | None:
        return self.found.get(model, {}).get(name_of(setting))

    def all_of(self, model: str) -> list[tuple[Setting, Times]]:
        pairs = self.found.get(model, {}).items()
        return [(json.loads(name), times) for name, times in pairs if times]

    def run(self, model: str, todo: list[Setting], once: Callable[[Setting], Times | None]) -> None:
        of_model = self.found.setdefault(model, {})
        for number, setting in enumerate(todo, 1):
            if name_of(setting) not in of_model:
                of_model[name_of(setting)] = once(setting)
                self.path.write_text(json.dumps(self.found, indent=1))
            print(f"{model}: {number} of {len(todo)}: {name_of(setting)}", file=sys.stderr)

    def ranked(self) -> list[tuple[float, Setting]]:
        """The settings of the reduced large model by both errors together, the best first."""
        ranked = []
        for setting, times in self.all_of("reduced"):
            of_small = self.get("small", setting)
            if of_small:
                ranked.append((math.hypot(small_error(of_small)[0], large_error(times)), setting))
        return sorted(ranked, key=lambda pair: pair[0])


def fitting(results: Results) -> list[Setting]:
    """The settings of each arbiter that fit the small model best. Of those that give the same only the first counts."""
    ranked = sorted(results.all_of("small"), key=lambda pair: small_error(pair[1])[0])
    best = []
    for arbiter in GRID["packet.arbiter"]:
        different: dict[str, Setting] = {}
        for setting, found in ranked:
            if setting["packet.arbiter"] == arbiter:
                different.setdefault(json.dumps(found), setting)
        best += list(different.values())[:BEST]
    return best


def search(weir: Path, results: Results, *, whole: bool) -> None:
    results.run("small", list(settings()), lambda setting: small(weir, setting))
    buffers = [setting | {"packet.input_buffer": buffer} for setting in fitting(results) for buffer in BUFFERS]
    results.run("small", buffers, lambda setting: small(weir, setting))
    results.run("reduced", fitting(results), lambda setting: large(weir, setting | REDUCED, REDUCED_SHARE, LARGE_GAPS))
    if whole:
        best = {str(setting["packet.arbiter"]): setting for _, setting in reversed(results.ranked())}
        todo = [setting for _, setting in results.ranked() if setting in best.values()][:WHOLE]
        results.run("large", todo, lambda setting: large(weir, setting, LARGE_SHARE, WHOLE_GAPS))


def table(results: Results, lines: int) -> str:
    """Own over published, less one, in per cent; the sums of the small model times the common factor."""

    def off(own: float, published: float) -> str:
        return f"{100 * (own / published - 1):+.0f} %"

    def of_large(times: Times | None) -> list[str]:
        if not times:
            return ["", "", ""]
        return [f"{times['gap']:+g}", *(off(times[name], published) for name, published in LARGE_SUMS.items())]

    words = [str(key).partition(".")[2] for key in GRID]
    head = [
        *words,
        "small: gap",
        *SMALL_SUMS,
        "factor",
        "reduced: gap",
        *LARGE_SUMS,
        "large: gap",
        *LARGE_SUMS,
        "error",
    ]
    rows = [head]
    for error, setting in results.ranked()[:lines]:
        found = results.get("small", setting) or {}
        factor = small_error(found)[1]
        sums = [off(found[name] * factor, published) for name, published in SMALL_SUMS.items()]
        own = [str(value) for value in setting.values()]
        larger = [*of_large(results.get("reduced", setting)), *of_large(results.get("large", setting))]
        rows.append([*own, f"{found['gap']:g}", *sums, f"{factor:.2f}", *larger, f"{error:.2f}"])
    return markdown(rows, tuple(words))


def small_table(results: Results) -> str:
    """Over theory, divided by the factor that the setting leaves between the paper's theory and ours."""
    words = [str(key).partition(".")[2] for key in GRID]
    rows = [[*words, "gap", *SMALL_SUMS, "factor", "error"]]
    for setting in fitting(results):
        found = results.get("small", setting) or {}
        error, factor = small_error(found)
        sums = [f"{found[name]:.3f}" for name in SMALL_SUMS]
        rows.append([*map(str, setting.values()), f"{found['gap']:g}", *sums, f"{factor:.2f}", f"{error:.3f}"])
    return markdown(rows, tuple(words))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weir", type=Path, default=ROOT / "target" / "release" / "weir")
    parser.add_argument("--results", type=Path, required=True, help="file with what was found, read and written")
    parser.add_argument("--whole", action="store_true", help="run the best settings on the large model as well")
    parser.add_argument("--table", type=int, metavar="LINES", help="run nothing; print the best settings")
    parser.add_argument("--small", action="store_true", help="run nothing; print the best settings of the small model")
    args = parser.parse_args()
    results = Results(args.results)
    if args.table:
        print(table(results, args.table))
    elif args.small:
        print(small_table(results))
    else:
        search(args.weir, results, whole=args.whole)


if __name__ == "__main__":
    main()
