"""The two models of paper 004, and simulated times by start, size of messages and gap."""

import json
from dataclasses import dataclass

from papers.numbers import rounded, total
from papers.running import Campaign, Point, Runs

SIZE, GAP, SHAPE = "workload.message_size", "node.packet_gap", "topology.shape"
IMBALANCE, BARRIER, SEED = "workload.start_imbalance", "workload.start_barrier", "workload.seed"

#: Both models put eight messages on a node, two for each of four directions.
PER_DIRECTION = 2.0
#: Of the links of table 3 of paper 003.
BYTES_PER_S = 8e9
#: The paper states a best gap to an eighth of a packet time.
RESOLUTION = 0.125
#: By which part the time between two packets is longer than the fair rate demands, with gaps as `weir advise pacing`
#: gives them.
MARGIN = 0.08
ADVISED = "max-min"

TOGETHER = "no imbalance"


@dataclass(frozen=True)
class Model:
    """A model of the paper: what is special about it."""

    name: str
    #: How far over share - 1 the best gap may be.
    beyond_share: float

    def is_whole(self, campaign: Campaign) -> bool:
        """Whether it is the model of the paper; the few points of tests have a smaller one instead of the large one."""
        return self is SMALL or campaign.extent != "few"


SMALL, LARGE = Model("small", 0.25), Model("large", 1.5)


def kib(size: str) -> int:
    """96 of 96 KiB."""
    return int(size.removesuffix(" KiB"))


def message_time_s(size: int) -> float:
    """Seconds that a message of so many KiB takes on a link."""
    return size * 1024.0 / BYTES_PER_S


class Grid:
    """Simulated times in seconds, by start, size in KiB and gap: a time for each draw."""

    def __init__(self) -> None:
        """Begins without any."""
        self.times: dict[tuple[str, int, float], list[float]] = {}

    @classmethod
    def of(cls, campaign: Campaign) -> "Grid":
        """Runs all studies of an item."""
        grid = cls()
        for study in range(len(campaign.item.studies)):
            grid.add(campaign.study(study))
        return grid

    def add(self, runs: Runs) -> None:
        """Takes the times of runs."""
        for point, summary in zip(runs.points, runs.summaries, strict=True):
            if point.keys[GAP] != ADVISED:
                start = start_of(point)
                self.times.setdefault((start, kib(point.keys[SIZE]), point.keys[GAP]), []).append(
                    summary["simulated_s"]
                )

    @property
    def sizes(self) -> list[int]:
        """All sizes, in their order in the study."""
        return list(dict.fromkeys(size for _, size, _ in self.times))

    @property
    def gaps(self) -> list[float]:
        """All gaps, in order."""
        return sorted({gap for *_, gap in self.times})

    def time(self, size: int, gap: float, start: str = TOGETHER) -> float:
        """The mean over all draws."""
        draws = self.times[start, size, gap]
        return total(draws) / len(draws)

    def best(self, size: int, start: str = TOGETHER) -> float:
        """The gap with the least mean time; of equals the smallest."""
        return min(self.gaps, key=lambda gap: self.time(size, gap, start))


def start_of(point: Point) -> str:
    """When ranks begin: the panels of figures 9 and 10."""
    factor = point.keys.get(IMBALANCE, "0 us")
    if factor != "0 us":
        return f"imbalance {factor}"
    return "barrier" if point.keys.get(BARRIER) else TOGETHER


def around(gaps: list[float], best: float) -> list[float]:
    """Gaps to run next when that one is the best of these.

    Half way to neighbors that are too far, and as far beyond the last one as the one before it is away. No gap (0) is
    the least there is.
    """
    place = gaps.index(best)

    def middle(one: float, other: float) -> float:
        return rounded((one + other) / 2.0 / RESOLUTION) * RESOLUTION

    more = []
    if place > 0 and best - gaps[place - 1] > RESOLUTION:
        more.append(middle(gaps[place - 1], best))
    if place + 1 < len(gaps):
        if gaps[place + 1] - best > RESOLUTION:
            more.append(middle(best, gaps[place + 1]))
    elif place > 0:
        more.append(2.0 * best - gaps[place - 1])
    return [gap for gap in more if gap not in gaps]


def advice(campaign: Campaign) -> tuple[float, float]:
    """How many routes share the busiest link, and the one gap that `weir advise pacing` gives for all messages."""
    point = campaign.points()[0].with_keys(workload__message_size="1024 B", node__packet_gap=0)
    found = json.loads(campaign.command(["advise", "pacing", "--json", *point.words], point.name))
    return float(found["busiest_link_messages"]), float(found["gap_for_all"])
