"""The fields of a summary, from `summary.schema.json`: `tools/summary_pages.py` writes this file."""

from typing import Any, Literal, TypeAlias, TypedDict

#: The tables that a run can leave.
TableName: TypeAlias = Literal[
    "places",
    "links",
    "latencies",
    "causes",
    "pairs",
    "series/links",
    "series/buffers",
    "series/latencies",
    "packets",
    "messages",
    "calls",
]


class AssumedDefault(TypedDict):
    """A default on which the result hangs."""

    key: str
    value: Any
    why: str


class Fairness(TypedDict, total=False):
    """Rates as parts of the max-min fair rates of the same flows at the same instant."""

    least_rate: float
    most_rate: float
    throughput: float
    max_min_simulated_s: float


class TieSensitivity(TypedDict, total=False):
    """Runs with other ties."""

    jitter: float
    simulated_s: list[float]
    spread: float
    sensitive: bool


class SweepStep(TypedDict):
    """A step of a sweep."""

    name: str
    work_s: float
    wait_s: float
    imbalance: float


class SkeletonBlock(TypedDict):
    """A named block of a skeleton."""

    name: str
    level: int | None
    executions: int
    measured: int
    iterations: float
    mean_s: float | None
    deviation_s: float | None
    charged_s: float


class Skeleton(TypedDict, total=False):
    """Clock calls and sampled blocks of an MPI program, all ranks together."""

    clock_calls: int
    charged_s: float
    call_cost_s: float
    instructions: float
    blocks: list[SkeletonBlock]
    clock_calls_cost_s: float


class Remnant(TypedDict):
    """An object that a rank has left behind."""

    rank: int
    kind: Literal["request", "message", "object"]


class WaitedForJob(TypedDict):
    """A job for whose messages others waited."""

    job: str
    time_ps: int
    share: float


class WaitedAtLink(TypedDict):
    """A link at which messages of a job waited for other jobs."""

    link: int
    name: str
    time_ps: int
    others_ps: int
    jobs: list[WaitedForJob]


class JobWaiting(TypedDict):
    """For which jobs its messages waited at links of the machine."""

    time_ps: int
    others_ps: int
    jobs: list[WaitedForJob]
    links: list[WaitedAtLink]


class Job(TypedDict, total=False):
    """One of several jobs."""

    name: str
    first_rank: int
    ranks: int
    nodes: int
    submit_ps: int
    wait_ps: int
    start_ps: int
    end_ps: int
    time_s: float
    time_ps: int
    over: bool
    endless: bool
    messages: int
    bytes: int
    latency_mean_s: float | None
    latency_max_s: float | None
    digest: str
    alone_ps: int
    alone_messages: int
    slowdown: float
    waited_for: JobWaiting


class Finding(TypedDict, total=False):
    """One finding of a verdict."""

    kind: Literal[
        "unfinished",
        "imbalance",
        "late_sender",
        "compute",
        "no_compute",
        "latency",
        "start_up",
        "incast",
        "outcast",
        "slow_link",
        "hot_link",
        "bandwidth",
        "memory",
        "credits",
        "jam",
        "ties",
        "saturated",
        "mapping",
        "algorithm",
        "other",
        "uncongested",
    ]
    place: str | None
    sentence: str
    set: list[str]
    estimate_ps: int


class Phase(TypedDict):
    """Time of all ranks in a phase."""

    phase: str
    total_ps: dict[str, int]


class CallTime(TypedDict):
    """Time on the path in calls of a function."""

    call: str
    time_ps: int


class PhaseOfPath(TypedDict):
    """Time on the path in a phase."""

    phase: str
    time_ps: int


class WorkTime(TypedDict):
    """Work on the path of a rank."""

    rank: int
    time_ps: int


ClassTime = TypedDict("ClassTime", {"class": str, "latency_ps": int, "bytes_ps": int})


class LinkTime(TypedDict):
    """Time on the path for bytes of a link."""

    link: int
    name: str
    time_ps: int


class SiteTime(TypedDict):
    """Time on the path in calls at a place of the program."""

    site: str
    call: str
    called_in: str
    time_ps: int


class CriticalPath(TypedDict, total=False):
    """The longest chain of work and messages, which ends with the run."""

    rank: int
    causes_ps: dict[str, int]
    at_best_ps: dict[str, int]
    messages: int
    links: int
    calls: list[CallTime]
    phases: list[PhaseOfPath]
    work: list[WorkTime]
    ranks_passed: int
    last_ranks: list[int]
    classes: list[ClassTime]
    narrowest: list[LinkTime]
    sites: list[SiteTime]


class Compute(TypedDict):
    """Work of the ranks."""

    mean_ps: int
    max_ps: int
    max_rank: int


class Causes(TypedDict, total=False):
    """The time of ranks by cause; all times are picoseconds."""

    total_ps: dict[str, int]
    phases: list[Phase]
    critical_path: CriticalPath
    compute: Compute


class Mail(TypedDict):
    """Mail of the first of several processes."""

    meetings: int
    things: int
    bytes: int
    waited_s: float


class Gpu(TypedDict):
    """The GPU that has run it."""

    name: str
    runs: int
    placing_s: float
    running_s: float
    reading_s: float


class Checkpoints(TypedDict):
    """With output.checkpoint_every, or weir resume."""

    written: int
    bytes: int
    took_s: float
    resumed_ps: int | None


class SlowPart(TypedDict):
    """A cable, link or router that is slow."""

    name: str
    speed: float


class Faults(TypedDict, total=False):
    """The faults of the machine, if the experiment has some."""

    failed_links: int
    slow_links: int
    failed: list[str]
    slow: list[SlowPart]


class BusyLink(TypedDict, total=False):
    """A link and what it carried."""

    name: str
    bytes: int
    utilization: float
    max_share: int
    packets: int
    busy: float
    mean_wait_s: float
    waited_s: float
    max_queue: int
    mean_stall_s: float
    stalled_s: float


class StuckChannel(TypedDict):
    """A virtual channel whose packets wait for another."""

    link: str
    virtual_channel: int
    packets: int
    waits_for_link: str
    waits_for_virtual_channel: int


class WaitingRank(TypedDict, total=False):
    """A rank that waits for ever."""

    rank: int | str | None
    call: str
    peer: int | str | None
    details: dict[str, str]


class Explanation(TypedDict, total=False):
    """The reason for which the run has not finished."""

    channels: list[StuckChannel]
    cycle: list[int | str | None]
    waiting: list[WaitingRank]
    rank: int | str | None
    why: str
    limit: str


class FlowFields(TypedDict, total=False):
    """The fields that only the flow engine has, but for those that change from run to run."""

    method: str
    cycles: int
    solver_iterations: int
    solver_iterations_max: int
    compared_with_max_min: Fairness
    tie_sensitivity: TieSensitivity


class PacketFields(TypedDict, total=False):
    """The fields that only the packet engine has, but for those that change from run to run."""

    packets: int
    packets_remaining: int
    packet_hops: int
    windows: int
    window_s: float
    latency_mean_s: float | None
    latency_p99_s: float | None
    latency_min_s: float | None
    latency_max_s: float | None
    mean_link_busy: float
    max_link_busy: float
    mean_link_throughput_bytes_per_s: float
    max_buffer_packets: int
    virtual_channel_classes: int
    class_rule: str
    offered_load: float
    accepted_load: float
    saturated: bool
    generation_latency_mean_s: float | None
    generation_latency_p99_s: float | None


class Summary(TypedDict, total=False):
    """The summary of a run: weir run --json, and summary.json in a results folder."""

    schema_version: int
    weir_version: str
    title: str
    outcome: Literal["finished", "deadlock", "aborted", "limit"]
    engine: str
    nodes: int
    routers: int
    links: int
    ranks: int
    messages: int
    bytes: int
    simulated_s: float
    simulated_ps: int
    effective_bandwidth: float | None
    wall_s: float
    peak_memory_bytes: int | None
    threads: int
    processes: int
    digest: str
    events: int
    max_link_share: int
    mean_link_utilization: float
    max_link_utilization: float
    experiment: dict[str, Any]
    assumed: list[AssumedDefault]
    control_messages: int
    method: str
    cycles: int
    solver_iterations: int
    solver_iterations_max: int
    compared_with_max_min: Fairness
    tie_sensitivity: TieSensitivity
    steps: list[SweepStep]
    mpi_calls: int
    context_switches: int
    ranks_without_mpi: int
    skeleton: Skeleton
    remnants: list[Remnant]
    classes: list[dict[str, Any]]
    jobs: list[Job]
    repetitions_ps: list[int]
    band_s: list[float]
    band_by_key_s: dict[str, list[float]]
    verdict: list[Finding]
    causes: Causes
    units: Literal["none"]
    warnings: list[str]
    shipped: list[str]
    mail: Mail
    gpu: Gpu
    checkpoints: Checkpoints
    faults: Faults
    run: str
    tables: list[str]
    busiest_link: BusyLink
    most_contended_link: BusyLink
    packets: int
    packets_remaining: int
    packet_hops: int
    windows: int
    window_s: float
    latency_mean_s: float | None
    latency_p99_s: float | None
    latency_min_s: float | None
    latency_max_s: float | None
    mean_link_busy: float
    max_link_busy: float
    mean_link_throughput_bytes_per_s: float
    max_buffer_packets: int
    virtual_channel_classes: int
    class_rule: str
    offered_load: float
    accepted_load: float
    saturated: bool
    generation_latency_mean_s: float | None
    generation_latency_p99_s: float | None
    packet_hops_per_s: float
    explanation: Explanation
    ideal: dict[str, Any]
    flow: FlowFields
    packet: PacketFields


class SummaryFields:
    """The same as attributes."""

    schema_version: int
    weir_version: str
    title: str
    outcome: Literal["finished", "deadlock", "aborted", "limit"]
    engine: str
    nodes: int
    routers: int
    links: int
    ranks: int
    messages: int
    bytes: int
    simulated_s: float
    simulated_ps: int
    effective_bandwidth: float | None
    wall_s: float
    peak_memory_bytes: int | None
    threads: int
    processes: int
    digest: str
    events: int
    max_link_share: int
    mean_link_utilization: float
    max_link_utilization: float
    experiment: dict[str, Any]
    assumed: list[AssumedDefault]
    control_messages: int
    method: str
    cycles: int
    solver_iterations: int
    solver_iterations_max: int
    compared_with_max_min: Fairness
    tie_sensitivity: TieSensitivity
    steps: list[SweepStep]
    mpi_calls: int
    context_switches: int
    ranks_without_mpi: int
    skeleton: Skeleton
    remnants: list[Remnant]
    classes: list[dict[str, Any]]
    jobs: list[Job]
    repetitions_ps: list[int]
    band_s: list[float]
    band_by_key_s: dict[str, list[float]]
    verdict: list[Finding]
    causes: Causes
    units: Literal["none"]
    warnings: list[str]
    shipped: list[str]
    mail: Mail
    gpu: Gpu
    checkpoints: Checkpoints
    faults: Faults
    run: str
    tables: list[str]
    busiest_link: BusyLink
    most_contended_link: BusyLink
    packets: int
    packets_remaining: int
    packet_hops: int
    windows: int
    window_s: float
    latency_mean_s: float | None
    latency_p99_s: float | None
    latency_min_s: float | None
    latency_max_s: float | None
    mean_link_busy: float
    max_link_busy: float
    mean_link_throughput_bytes_per_s: float
    max_buffer_packets: int
    virtual_channel_classes: int
    class_rule: str
    offered_load: float
    accepted_load: float
    saturated: bool
    generation_latency_mean_s: float | None
    generation_latency_p99_s: float | None
    packet_hops_per_s: float
    explanation: Explanation
    ideal: dict[str, Any]
    flow: FlowFields
    packet: PacketFields
