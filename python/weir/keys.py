"""The tables and keys of experiments, from `weir schema`: `tools/experiment_types.py` writes this file."""

# fmt: off

from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal, Protocol, SupportsFloat, SupportsIndex, TypeAlias, TypedDict, TypeVar

from weir.patterns import Pattern


class Array(Protocol):
    """An array of numpy, or whatever else becomes a list."""

    def tolist(self) -> Any:
        """Its items as a list."""


Item = TypeVar("Item")
Many: TypeAlias = Sequence[Item] | Array

#: A text with a unit, such as `"100 ns"`, or a number of seconds.
Time: TypeAlias = str | SupportsFloat
#: A text with a unit, such as `"20 kB"`, or a number of bytes.
Data: TypeAlias = str | SupportsFloat
#: A text with a unit, such as `"10 GB/s"`, or a number of bytes per second.
Rate: TypeAlias = str | SupportsFloat
#: A text with a unit, such as `"2.2 GHz"`, or a number of hertz.
Frequency: TypeAlias = str | SupportsFloat
Name: TypeAlias = str | PathLike[str]


class TopologyNetworkAdaptive(TypedDict, total=False):
    """Keys of an experiment: TopologyNetworkAdaptive."""

    threshold: Data
    """Bytes by which the queue of a detour has to be shorter: the detour is taken if `minimal_weight` times the bytes that wait on the shortest way are more than `detour_weight` times those that wait on the detour and this together."""
    minimal_weight: SupportsIndex
    """Weight of the bytes that wait on the shortest way, 1 to 1,000,000."""
    detour_weight: SupportsIndex
    """Weight of the bytes that wait on the detour, 0 to 1,000,000: 2, as it has twice as many links, and 1 where those of all links are added up."""
    candidates: SupportsIndex
    """Number of detours that are drawn, of which the one where fewest bytes wait is compared with the shortest way, 1 to 1,024."""
    decide: Literal["injection", "source-router", "each-router"]
    """Who decides under `ugal-l` and `ugal-g`: the interface as it begins to send a packet, by what routers have announced (`injection`), the router of the source (`source-router`), or each router of the shortest way until one takes a detour (`each-router`), which needs more virtual channels. Flows see no difference."""


class TopologyNetwork(TypedDict, total=False):
    """Keys of an experiment: TopologyNetwork."""

    domain: SupportsIndex
    """Number of nodes of a domain, which is that of the network: so many nodes that follow each other have a copy of it, as the GPUs of a server have NVLink, and send each other by the network of the smallest domain that they have in common."""
    stride: SupportsIndex
    """Distance of nodes at neighboring places of the network: with `stride = 8` the first GPUs of servers of 8 have the first places, the second ones those behind them, as the leaves of rails have them."""
    nic_bandwidth: Rate
    """Bandwidth of the cables of nodes in this network."""
    link_latency: Time
    """Latency of the cables of nodes in this network."""
    kind: Literal["torus", "mesh", "fat-tree", "hypercrossbar", "tofu", "dragonfly", "dragonfly-plus", "hyperx", "full-mesh", "slim-fly", "polar-fly", "rails", "graph"]
    """Kind of machine: `torus`, `mesh`, `fat-tree`, `dragonfly`, `dragonfly-plus`, `hyperx`, `full-mesh`, `slim-fly`, `polar-fly`, `hypercrossbar`, `tofu`, `rails` (several of these), `graph`; networks says when to take which."""
    bandwidth: Rate | Many[Rate]
    """Bandwidth of each link, one way. One value, or a list: one per dimension; for a fat tree one per pair of neighboring stages, from the leaves up; for dragonflies those of cables within groups and between them, for a Slim Fly those within racks (of one s and x, in pairs) and between them. Rails: of each of the networks, and not of all. Graph: of cables whose bandwidth the file does not say; not required there."""
    latency: Time | Many[Time]
    """Latency of each link. One value or a list, like `bandwidth`."""
    shape: Many[SupportsIndex]
    """Number of routers in each dimension, x first, each with a node, and `node = x + X (y + Y z)`; of a HyperX each with `nodes_per_router`, and `router = x + X (y + Y z)`. Tofu: groups of 12 nodes along x, y and z."""
    wrap: Many[bool]
    """List of true and false: which dimensions have wrap-around links."""
    tie: Literal["spread", "plus", "direct", "parity"]
    """Way of messages half way round: `spread` (positive way, and in a ring of two routers both cables), `plus` (positive way), `direct` (not over the wrap link), `parity` (positive if the source's coordinate is even)."""
    radix: SupportsIndex
    """Ports per switch, even; `radix = 2p` gives `2 p^stages` nodes (three stages: 8: 128, 16: 1,024, 32: 8,192); not with a list of `stages`."""
    stages: SupportsIndex | Many[SupportsIndex] | Many[dict[str, Any]]
    """Number of stages of switches, or a list with one item per stage, from the leaves up."""
    taper: SupportsFloat | Many[SupportsFloat]
    """Cables up per port down, above 0 and at most 1. One value: of the leaf switches (0.5: half bisection bandwidth); a list: of each stage but the top one."""
    parallel: SupportsIndex | Many[SupportsIndex]
    """Number of parallel cables at each port up, all to the same switch: one value, or a list with one per pair of neighboring stages."""
    routing: Literal["destination-mod", "source-mod", "random-up", "adaptive-up"] | Literal["minimal", "minimal-adaptive"] | Literal["minimal", "minimal-random", "hashed", "valiant", "valiant-group", "ugal-l", "ugal-g", "par", "minimal-adaptive"] | Literal["minimal", "minimal-random", "hashed", "valiant", "ugal-l", "ugal-g", "dimwar", "omniwar", "minimal-adaptive"] | Literal["minimal", "minimal-random", "hashed", "valiant", "ugal-l", "ugal-g", "minimal-adaptive"]
    """Who chooses the way up: the destination (`destination-mod`), the source (`source-mod`), a draw for each packet at every switch (`random-up`), or what waits there (`adaptive-up`); see rules."""
    nodes_per_router: SupportsIndex
    """Number of nodes of each router, of which the first has the number of its router times this."""
    nodes_per_leaf: SupportsIndex
    """Number of nodes of each leaf, of which the first has the number of its leaf times this."""
    routers_per_group: SupportsIndex
    """Number of routers of a group, of which each has a cable to each."""
    leaves: SupportsIndex
    """Number of leaves of a group, routers with nodes, of which each has a cable to each spine of the group."""
    spines: SupportsIndex
    """Number of spines of a group, routers without nodes that have the cables to other groups."""
    global_links: SupportsIndex
    """Number of ports for cables to other groups, of a router or, with leaves and spines, of a spine; ports of a group that are left over have no cable."""
    groups: SupportsIndex
    """Number of groups: at most 1 more than `links_per_pair` fits into the global ports of a group."""
    arrangement: Literal["palm-tree", "absolute", "relative", "random"]
    """Which global cable of a group leads where: its first one to the group before it and so on backwards (`palm-tree`), to the group behind it and so on (`relative`), to group 0 and so on (`absolute`), or drawn, always the same way (`random`)."""
    routers: SupportsIndex
    """Number of routers, of which each has a cable to each."""
    links_per_pair: SupportsIndex
    """Number of parallel cables: between any two groups of a dragonfly, between any two routers of a line of a HyperX, between any two routers of a full mesh."""
    q: SupportsIndex
    """Prime power, which gives 2 q^2 routers of a Slim Fly (3 to 43) and q^2 + q + 1 of a PolarFly (2 to 256)."""
    adaptive: TopologyNetworkAdaptive


class Topology(TypedDict, total=False):
    """Keys of an experiment: Topology."""

    kind: Literal["torus", "mesh", "fat-tree", "hypercrossbar", "tofu", "dragonfly", "dragonfly-plus", "hyperx", "full-mesh", "slim-fly", "polar-fly", "rails", "graph"]
    """Kind of machine: `torus`, `mesh`, `fat-tree`, `dragonfly`, `dragonfly-plus`, `hyperx`, `full-mesh`, `slim-fly`, `polar-fly`, `hypercrossbar`, `tofu`, `rails` (several of these), `graph`; networks says when to take which."""
    bandwidth: Rate | Many[Rate]
    """Bandwidth of each link, one way. One value, or a list: one per dimension; for a fat tree one per pair of neighboring stages, from the leaves up; for dragonflies those of cables within groups and between them, for a Slim Fly those within racks (of one s and x, in pairs) and between them. Rails: of each of the networks, and not of all. Graph: of cables whose bandwidth the file does not say; not required there."""
    latency: Time | Many[Time]
    """Latency of each link. One value or a list, like `bandwidth`."""
    shape: Many[SupportsIndex]
    """Number of routers in each dimension, x first, each with a node, and `node = x + X (y + Y z)`; of a HyperX each with `nodes_per_router`, and `router = x + X (y + Y z)`. Tofu: groups of 12 nodes along x, y and z."""
    wrap: Many[bool]
    """List of true and false: which dimensions have wrap-around links."""
    tie: Literal["spread", "plus", "direct", "parity"]
    """Way of messages half way round: `spread` (positive way, and in a ring of two routers both cables), `plus` (positive way), `direct` (not over the wrap link), `parity` (positive if the source's coordinate is even)."""
    radix: SupportsIndex
    """Ports per switch, even; `radix = 2p` gives `2 p^stages` nodes (three stages: 8: 128, 16: 1,024, 32: 8,192); not with a list of `stages`."""
    stages: SupportsIndex | Many[SupportsIndex] | Many[dict[str, Any]]
    """Number of stages of switches, or a list with one item per stage, from the leaves up."""
    taper: SupportsFloat | Many[SupportsFloat]
    """Cables up per port down, above 0 and at most 1. One value: of the leaf switches (0.5: half bisection bandwidth); a list: of each stage but the top one."""
    parallel: SupportsIndex | Many[SupportsIndex]
    """Number of parallel cables at each port up, all to the same switch: one value, or a list with one per pair of neighboring stages."""
    routing: Literal["destination-mod", "source-mod", "random-up", "adaptive-up"] | Literal["minimal", "minimal-adaptive"] | Literal["minimal", "minimal-random", "hashed", "valiant", "valiant-group", "ugal-l", "ugal-g", "par", "minimal-adaptive"] | Literal["minimal", "minimal-random", "hashed", "valiant", "ugal-l", "ugal-g", "dimwar", "omniwar", "minimal-adaptive"] | Literal["minimal", "minimal-random", "hashed", "valiant", "ugal-l", "ugal-g", "minimal-adaptive"]
    """Who chooses the way up: the destination (`destination-mod`), the source (`source-mod`), a draw for each packet at every switch (`random-up`), or what waits there (`adaptive-up`); see rules."""
    nodes_per_router: SupportsIndex
    """Number of nodes of each router, of which the first has the number of its router times this."""
    nodes_per_leaf: SupportsIndex
    """Number of nodes of each leaf, of which the first has the number of its leaf times this."""
    routers_per_group: SupportsIndex
    """Number of routers of a group, of which each has a cable to each."""
    leaves: SupportsIndex
    """Number of leaves of a group, routers with nodes, of which each has a cable to each spine of the group."""
    spines: SupportsIndex
    """Number of spines of a group, routers without nodes that have the cables to other groups."""
    global_links: SupportsIndex
    """Number of ports for cables to other groups, of a router or, with leaves and spines, of a spine; ports of a group that are left over have no cable."""
    groups: SupportsIndex
    """Number of groups: at most 1 more than `links_per_pair` fits into the global ports of a group."""
    arrangement: Literal["palm-tree", "absolute", "relative", "random"]
    """Which global cable of a group leads where: its first one to the group before it and so on backwards (`palm-tree`), to the group behind it and so on (`relative`), to group 0 and so on (`absolute`), or drawn, always the same way (`random`)."""
    routers: SupportsIndex
    """Number of routers, of which each has a cable to each."""
    links_per_pair: SupportsIndex
    """Number of parallel cables: between any two groups of a dragonfly, between any two routers of a line of a HyperX, between any two routers of a full mesh."""
    q: SupportsIndex
    """Prime power, which gives 2 q^2 routers of a Slim Fly (3 to 43) and q^2 + q + 1 of a PolarFly (2 to 256)."""
    networks: Sequence[TopologyNetwork]
    """List of networks, one for each interface of a node, each with the keys of its kind and its own."""
    file: Name
    """File of the network: `.graphml`, `.json` (node-link) or `.csv` (edge list), or a machine of another tool; see graph files."""
    routes: Name
    """File with the route of every pair of nodes."""
    metric: Literal["time", "latency", "hops"]
    """Measure in which routes are shortest: `time` (of 1 MiB, which takes on each link its latency and 1 MiB / bandwidth), `latency`, or `hops`; among equal ones in hops."""
    adaptive: TopologyNetworkAdaptive
    graph: dict[str, Any]
    """A graph as node-link data, in place of a file."""


class Fault(TypedDict, total=False):
    """Keys of an experiment: Fault."""

    cable: str
    """A cable, both ways: `"router (1,0) - router (2,0)"`, names as `weir routes` writes them, in any order."""
    link: str
    """A link, one way of a cable: `"router (1,0) -> router (2,0)"`."""
    router: str
    """A router: all links at it, also those of its nodes, which are cut off if it has failed. Its name (`"router (1,0)"`, `"leaf 3"`), or its number, in a torus or mesh also coordinates."""
    random_cables: SupportsIndex
    """Number of different cables between routers, drawn with `seed`; a larger number with the same seed has the same cables and more."""
    seed: SupportsIndex
    """Seed of the draw of `random_cables`."""
    speed: SupportsFloat
    """Part of its bandwidth that is left, from 0 to below 1; 0: it has failed."""
    at: Time
    """Instant from which on the fault is there; on the packet engine interfaces stop then until packets that are on their way have arrived."""
    until: Time
    """Instant at which the fault ends; messages that have no way meanwhile wait."""


class Upgrade(TypedDict, total=False):
    """Keys of an experiment: Upgrade."""

    cable: str
    """A cable, both ways: `"router (1,0) - router (2,0)"`, names as `weir routes` writes them, in any order."""
    link: str
    """A link, one way of a cable: `"router (1,0) -> router (2,0)"`."""
    router: str
    """A router: all links at it, also those of its nodes. Its name, or its number, in a torus or mesh also coordinates."""
    speed: SupportsFloat
    """Number of times its bandwidth that each of these links has, 1 to 1,000,000. Where several rows name a link, they multiply, up to 1,000,000 all together."""


class Node(TypedDict, total=False):
    """Keys of an experiment: Node."""

    nic_bandwidth: Rate
    """Bandwidth of each injection and ejection link, also where a graph has other cables of nodes."""
    link_latency: Time
    """Latency from node to router, and back, also where a graph has other cables of nodes."""
    dma_bandwidth: Rate
    """Limit on injection and ejection beside `nic_bandwidth`: how fast an interface reaches the memory."""
    memory_bandwidth: Rate
    """Bandwidth of messages within a node, and of the copy of an eager message."""
    mpi_overhead: Time
    """Processor time of a message, once at its sender, once at its receiver."""
    send_overhead: Time | Many[Time]
    """Processor time of a message at its sender, before it leaves: one value, or one more than `overhead_limits` has."""
    receive_overhead: Time | Many[Time]
    """Processor time of a message at its receiver, when it is there: one value, or one more than `overhead_limits` has."""
    overhead_limits: Data | Many[Data]
    """Sizes beyond which messages have the next overhead of the lists, in ascending order."""
    unexpected_overhead: Time | Many[Time]
    """Additional processor time at the receiver of a message that came before it was asked for: one value, or one more than `overhead_limits` has."""
    rendezvous_overhead: Time | Many[Time]
    """Time from when both sides of a message beyond `eager_limit` are ready to when the receiver lets it go: one value, or one more than `overhead_limits` has."""
    rendezvous_bandwidth: Rate | Many[Rate]
    """Rate at which the memory of such a message is made ready before it goes, in addition to `rendezvous_overhead`, as when an interface registers it: one value, or one more than `overhead_limits` has."""
    eager_latency: Time | Many[Time]
    """Time from when a message up to `eager_limit` to another node has been handed over to when it leaves, while the interface fetches it and no processor is busy: one value, or one more than `overhead_limits` has."""
    message_gap: Time
    """Least time between two messages that a rank hands to its node (g of LogGP)."""
    local_send_overhead: Time | Many[Time]
    """The `send_overhead` of messages within a node."""
    local_receive_overhead: Time | Many[Time]
    """The `receive_overhead` of messages within a node."""
    local_rendezvous_overhead: Time
    """The `rendezvous_overhead` of messages within a node, of any size, without `rendezvous_bandwidth`: `"0 ns"` where it stands for registering memory with the interface."""
    local_message_gap: Time
    """Least time between two messages of a rank within its node, apart from the others: `"0 ns"` where `message_gap` is of the interface."""
    local_eager_limit: Data
    """The `eager_limit` of messages within a node."""
    local_latency: Time
    """Time from the end of a message's copy within a node to its being there."""
    local_bandwidth: Rate
    """Bandwidth at which a rank copies messages that ranks of its node send it, one after the other."""
    memory_limit: Rate
    """Total rate of the memory of a node: a byte within the node counts twice, on the flow engine also once what interfaces send or receive (model). With it a rank copies one message at a time."""
    combine_bandwidth: Rate
    """Rate at which a reduction makes one operand of two, in bytes of one of them."""
    copy_bandwidth: Rate | Many[Rate]
    """Rate at which a collective copies within a rank's memory, as Bruck's algorithm does when it packs and turns blocks, and a reduction the rank's own operand, by the size of a copy: one value, or one more than `overhead_limits` has."""
    copy_overhead: Time
    """Time that a copy within a collective takes before its first byte; each of several pieces that are packed is a copy."""
    pack_overhead: Time
    """Time that a round of a collective that packs or turns blocks takes before the first of them."""
    collective_overhead: Time
    """Processor time of a rank that enters a collective."""
    wait_overhead: Time
    """Processor time at the end of a round of a collective in which a rank has waited for messages, until it sees that they are through: once, however many there are."""
    hardware_overhead: Time
    """Processor time of a rank that enters a barrier, or a broadcast or reduction of a few bytes, which the interfaces carry out by themselves: the algorithm `hardware`."""
    hardware_message_time: Time
    """With `hardware_overhead`: time that an interface takes for each message that comes to it in a collective that interfaces carry out."""
    near_partners: SupportsIndex
    """Number of other ranks, the first that it exchanges messages with, for which a rank has large buffers; messages to and from others cost `far_overhead`."""
    far_overhead: Time | Many[Time]
    """Additional time of a message at a rank to which the other one is not near: one value, or one more than `far_limits` has."""
    far_receive_overhead: Time | Many[Time]
    """The `far_overhead` of messages at their receivers: `"0 ns"` where interfaces share receive buffers among all partners."""
    far_limits: Data | Many[Data]
    """Sizes beyond which messages have the next value of `far_overhead`, in ascending order."""
    fresh_memory_from: Data
    """Size from which on a block of temporary memory of a collective comes from the operating system in each call."""
    fresh_memory_several_from: Data
    """Size of the longest of several blocks of temporary memory from which on these come from the operating system in each call, if all together have twice its length or more, since GNU's C library gives back the end of its heap then (model)."""
    fresh_memory_overhead: Time
    """Time that a rank takes to get a block from the operating system (`fresh_memory_from`), to register it with the interface and to give it back, beside its pages."""
    fresh_memory_bandwidth: Rate
    """Rate at which pages of memory from the operating system (`fresh_memory_from`) are made when they are first touched."""
    progress: Literal["always", "calls", "polls"]
    """Who answers requests to send and clearances while a rank computes (model): `always`: the interface, at once; `calls`: they wait for the rank's next call; `polls`: a thread that looks every `progress_interval`."""
    progress_interval: Time
    """With `progress = "polls"`: time from one look of that thread to the next, more than none."""
    eager_limit: Data
    """Longest message that is sent without asking the receiver first."""
    eager_messages: SupportsIndex
    """Number of eager messages in a row that a rank sends to a receiver that does not receive them; then it waits, so that no rank sends without bound (model). The one after half of them asks first, and its sender goes on: ranks that send and receive in turn never wait. A whole number from 1 to 4,294,967,295, of which 1 has no half."""
    nics: SupportsIndex | Literal["per-direction"]
    """Number of interfaces of a node, packet and flow engine (on the ideal engine one sends everything): 1 to 16, which messages take in turn, or `"per-direction"` on a torus or mesh on packets (a message goes through that of its first hop). Each has links of its own to the router and back, with `nic_bandwidth`. Messages of the same two ranks keep their order. Where nodes of a graph have several cables, each of these is an interface, and this is 1."""
    choose: Literal["round-robin", "hash", "by-destination", "stripe", "least-loaded"]
    """Which of the interfaces of its node a message takes, packet and flow engine (model): with `round-robin` the next one; `hash`: one that follows from the ranks of sender and receiver; `by-destination`: from the receiver's node; `stripe`: all, each a share as its bandwidth is; `least-loaded`: the one that has sent all it has first."""
    interface: Literal["shared", "in-order"]
    """How an interface serves the messages that it has been given, on the flow and the packet engine: with `shared` all of them share its link, and what has no data (requests, clearances, acknowledgements) never waits for others; with `in-order` it sends one message after the other, as the interfaces of MFS and NSIM do (model)."""
    messages_at_once: SupportsIndex | Literal["unlimited"]
    """Number of messages with data that a shared interface sends at once, or `"unlimited"`; those behind them wait in the order in which the interface got them."""
    stripe: SupportsIndex
    """Number of its `nics` over which a node stripes a message, 1 to 16: each sends a share of it, on packets packet by packet in turn, and it has left, and is there, when all of it has, and is."""
    stripe_from: Data
    """With `stripe`: shorter messages go through one interface."""
    gap_of: Literal["rank", "interface"]
    """Between whose messages `message_gap` is: all of a `rank`, or those of a rank at each `interface` of its node, which it takes in turn: with `nics = 4` the node gets 4 messages of a rank within a gap."""
    injection_limit: Rate
    """Highest total rate at which the interfaces of a node send, flow and packet engine (model)."""
    ejection_limit: Rate
    """Highest total rate at which the interfaces of a node receive, flow and packet engine."""
    cpi: SupportsFloat
    """Mean cycles per instruction: what an instruction takes in `weir_compute_instructions` (skeletons), with `clock`."""
    clock: Frequency
    """Clock of the processor, for instructions with `cpi` (`"3 GHz"`, also in the unitless form)."""
    packet_gap: SupportsFloat | Literal["max-min"]
    """Inter-packet gap, packet engine only: how long an interface pauses after each packet, in times that the packet takes on its link, 0 to 1,000,000; or `"max-min"`: each message of a pattern or a profile gets the gap that `weir advise pacing` finds for it."""
    injection_channels: SupportsIndex
    """Number of virtual channels of its link that an interface uses, the first ones, packet engine only."""
    packet_gap_margin: SupportsFloat
    """With `packet_gap = "max-min"`: by which part the time between two packets is longer than the fair rate demands."""


class Combining(TypedDict, total=False):
    """Keys of an experiment: Combining."""

    operation: Literal["sum", "prod", "max", "min", "land", "lor", "lxor", "band", "bor", "bxor", "maxloc", "minloc", "user", "MPI_SUM", "MPI_PROD", "MPI_MAX", "MPI_MIN", "MPI_LAND", "MPI_LOR", "MPI_LXOR", "MPI_BAND", "MPI_BOR", "MPI_BXOR", "MPI_MAXLOC", "MPI_MINLOC"] | Many[Literal["sum", "prod", "max", "min", "land", "lor", "lxor", "band", "bor", "bxor", "maxloc", "minloc", "user", "MPI_SUM", "MPI_PROD", "MPI_MAX", "MPI_MIN", "MPI_LAND", "MPI_LOR", "MPI_LXOR", "MPI_BAND", "MPI_BOR", "MPI_BXOR", "MPI_MAXLOC", "MPI_MINLOC"]]
    """One operation or a list: `sum`, `prod`, `max`, `min`, `land`, `lor`, `lxor`, `band`, `bor`, `bxor`, `maxloc`, `minloc`, as `MPI_SUM` too; `user`: a function of the program."""
    type: Literal["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float", "double", "complex-float", "complex-double", "bool", "logical", "byte", "char", "float-int", "double-int", "long-int", "2int", "short-int", "2real", "2double-precision", "long-double", "complex-long-double", "long-double-int", "int8_t", "signed char", "MPI_INT8_T", "MPI_SIGNED_CHAR", "MPI_INTEGER1", "int16_t", "short", "MPI_SHORT", "MPI_INT16_T", "MPI_INTEGER2", "int", "int32_t", "MPI_INT", "MPI_INT32_T", "MPI_INTEGER", "MPI_INTEGER4", "long", "long long", "int64_t", "MPI_LONG", "MPI_LONG_LONG", "MPI_LONG_LONG_INT", "MPI_INT64_T", "MPI_AINT", "MPI_COUNT", "MPI_OFFSET", "MPI_INTEGER8", "uint8_t", "unsigned char", "MPI_UINT8_T", "MPI_UNSIGNED_CHAR", "uint16_t", "unsigned short", "MPI_UINT16_T", "MPI_UNSIGNED_SHORT", "unsigned", "unsigned int", "uint32_t", "MPI_UNSIGNED", "MPI_UINT32_T", "unsigned long", "unsigned long long", "uint64_t", "MPI_UNSIGNED_LONG", "MPI_UNSIGNED_LONG_LONG", "MPI_UINT64_T", "float32", "MPI_FLOAT", "MPI_REAL", "MPI_REAL4", "float64", "MPI_DOUBLE", "MPI_DOUBLE_PRECISION", "MPI_REAL8", "float _Complex", "MPI_C_COMPLEX", "MPI_C_FLOAT_COMPLEX", "MPI_CXX_FLOAT_COMPLEX", "MPI_COMPLEX", "MPI_COMPLEX8", "double _Complex", "MPI_C_DOUBLE_COMPLEX", "MPI_CXX_DOUBLE_COMPLEX", "MPI_DOUBLE_COMPLEX", "MPI_COMPLEX16", "_Bool", "MPI_C_BOOL", "MPI_CXX_BOOL", "MPI_LOGICAL", "MPI_LOGICAL4", "MPI_BYTE", "MPI_PACKED", "MPI_CHAR", "MPI_CHARACTER", "MPI_FLOAT_INT", "MPI_DOUBLE_INT", "MPI_LONG_INT", "MPI_2INT", "MPI_2INTEGER", "MPI_SHORT_INT", "MPI_2REAL", "MPI_2DOUBLE_PRECISION", "long double", "MPI_LONG_DOUBLE", "long double _Complex", "MPI_C_LONG_DOUBLE_COMPLEX", "MPI_CXX_LONG_DOUBLE_COMPLEX", "MPI_LONG_DOUBLE_INT"] | Many[Literal["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float", "double", "complex-float", "complex-double", "bool", "logical", "byte", "char", "float-int", "double-int", "long-int", "2int", "short-int", "2real", "2double-precision", "long-double", "complex-long-double", "long-double-int", "int8_t", "signed char", "MPI_INT8_T", "MPI_SIGNED_CHAR", "MPI_INTEGER1", "int16_t", "short", "MPI_SHORT", "MPI_INT16_T", "MPI_INTEGER2", "int", "int32_t", "MPI_INT", "MPI_INT32_T", "MPI_INTEGER", "MPI_INTEGER4", "long", "long long", "int64_t", "MPI_LONG", "MPI_LONG_LONG", "MPI_LONG_LONG_INT", "MPI_INT64_T", "MPI_AINT", "MPI_COUNT", "MPI_OFFSET", "MPI_INTEGER8", "uint8_t", "unsigned char", "MPI_UINT8_T", "MPI_UNSIGNED_CHAR", "uint16_t", "unsigned short", "MPI_UINT16_T", "MPI_UNSIGNED_SHORT", "unsigned", "unsigned int", "uint32_t", "MPI_UNSIGNED", "MPI_UINT32_T", "unsigned long", "unsigned long long", "uint64_t", "MPI_UNSIGNED_LONG", "MPI_UNSIGNED_LONG_LONG", "MPI_UINT64_T", "float32", "MPI_FLOAT", "MPI_REAL", "MPI_REAL4", "float64", "MPI_DOUBLE", "MPI_DOUBLE_PRECISION", "MPI_REAL8", "float _Complex", "MPI_C_COMPLEX", "MPI_C_FLOAT_COMPLEX", "MPI_CXX_FLOAT_COMPLEX", "MPI_COMPLEX", "MPI_COMPLEX8", "double _Complex", "MPI_C_DOUBLE_COMPLEX", "MPI_CXX_DOUBLE_COMPLEX", "MPI_DOUBLE_COMPLEX", "MPI_COMPLEX16", "_Bool", "MPI_C_BOOL", "MPI_CXX_BOOL", "MPI_LOGICAL", "MPI_LOGICAL4", "MPI_BYTE", "MPI_PACKED", "MPI_CHAR", "MPI_CHARACTER", "MPI_FLOAT_INT", "MPI_DOUBLE_INT", "MPI_LONG_INT", "MPI_2INT", "MPI_2INTEGER", "MPI_SHORT_INT", "MPI_2REAL", "MPI_2DOUBLE_PRECISION", "long double", "MPI_LONG_DOUBLE", "long double _Complex", "MPI_C_LONG_DOUBLE_COMPLEX", "MPI_CXX_LONG_DOUBLE_COMPLEX", "MPI_LONG_DOUBLE_INT"]]
    """One type of the elements or a list, as `double`, `MPI_DOUBLE` or `float64`: all names of C, MPI and Fortran for the same elements are one type."""
    up_to: Data
    """Largest operand that the row is for: what does not fit into a cache is combined more slowly."""
    vector_up_to: Data
    """Largest vector of a collective whose operands, the whole vector or parts of it, the row is for, the vectors of all ranks of a node together: the parts of vectors that do not fit into the caches of a node come from its memory."""
    bandwidth: Rate
    """Rate at which one operand is made of two, in bytes of one of them, in place of `node.combine_bandwidth`."""


class Mapping(TypedDict, total=False):
    """Keys of an experiment: Mapping."""

    kind: Literal["linear", "cyclic", "random", "file", "folded", "nicam"]
    """Rule that places ranks: `linear` (rank after rank), `cyclic` (ranks in turn over the nodes that `linear` would fill), `random`, `file`, `folded` (a job's torus within a Tofu), `nicam` (ten diamonds of M x M ranks on a torus of 5 x 2M x M or 40 x M/2 x M/2: the NICAM pacing paper, figure 6)."""
    ranks_per_node: SupportsIndex
    """Number of ranks that may share a node; with `linear` and `random` consecutive ones do. Without it a file that says how many ranks a host takes is followed."""
    seed: SupportsIndex
    """Seed of the permutation."""
    generator: Literal["lcg", "splitmix"]
    """Generator of the permutation: `lcg` (repeats published placements) or `splitmix`."""
    file: Name
    """File with one line `rank node` per rank, or a file of a launcher: a list of hosts, a rankfile, coordinates in a job; `#` begins a comment."""
    hosts: Name | dict[str, str | SupportsIndex]
    """Nodes that hosts are: a table such as `{ "node[001-512]" = 0 }` (of a list the first host has this node, the others the next ones), or a file with a host and its node in each line."""
    distribution: Literal["block", "cyclic"]
    """Order in which the ranks of a list of hosts are dealt out: `block` (one host after the other is filled), `cyclic` (one rank on each in turn)."""
    job: Many[SupportsIndex]
    """Sides of the job's torus, x first, at most three. On a Tofu only the part of the machine is simulated that the job has: with `topology.shape` that much of it, without it as much as the job needs. Without `workload.ranks` the job has one rank for each place (and of `ranks_per_node`). With `file`: the shape in which coordinates of the file are; without it they are those of the machine."""
    rank_order: str
    """Sides along which ranks go first, then, and last, as in `yzx`; sides that the job does not have are skipped."""
    axes: str
    """Side of the job that lies along the machine's x (and a), y (and b), z (and c): the order in which routes pass them. On a Tofu a side may have several, as in `xyy`; a side that the job does not have stands for its last one; where a job does not fit so, the first of xyz, xzy, yxz, yzx, zxy, zyx (of two sides: xyy, yxy, yyx, xxy, xyx, yxx) in which it does is taken."""
    fold: Literal["snake", "zig-zag", "full"]
    """Way in which a side lies along two dimensions of a Tofu: `snake` (an even side: out at a = 0, back at a = 1), `zig-zag` (an even side: to and fro between two places), `full` (to and fro over all places of the inner dimension, so few nodes stay idle, but no side is closed); snakes and zig-zags that are longer than the machine are full."""
    rows: SupportsIndex
    """Number of rows, about, of a side that lies along several pairs of dimensions of a Tofu: an even number near to it that fits is taken."""


class Engine(TypedDict, total=False):
    """Keys of an experiment: Engine."""

    kind: Literal["flow", "ideal", "packet"]
    """Model of the network: `flow`, `ideal`, `packet`."""
    sharing: Literal["max-min", "iterative", "iterative-literal", "single-pass"]
    """Rule by which messages share links: `max-min`, `iterative` (Mode N of the MFS paper), `iterative-literal` (the same to the letter: decision 5), `single-pass` (Mode F)."""
    threshold: SupportsFloat
    """Change of rates, as a part of a rate, at which the iteration of `sharing = "iterative"` and `"iterative-literal"` ends; between 0 and 1."""
    resolution: Time
    """Least time between two instants; 0 is exact."""
    method: Literal["incremental", "quotient", "sweep"]
    """Method by which rates are found: `incremental` (what changes is computed), `quotient` (one node stands for all), or `sweep` (all is computed anew in every cycle, in parallel; the parallel MFS paper, with `sharing = "single-pass"` only)."""
    barrier: Literal["spin", "park"]
    """With `method = "sweep"`: how threads wait for each other: `park` (asleep) or `spin` (busily)."""
    threads: SupportsIndex
    """Most threads that may be used, 1 to 1024; the ideal engine ignores it."""
    latency: Time
    """Time from the last byte leaving to the message being there (L of LogGP)."""
    message_gap: Time
    """Least time between the starts of two messages of one node (g of LogGP)."""
    bandwidth: Rate
    """Rate at which bytes leave a node (1 / G of LogGP)."""


class WorkloadFurther(TypedDict, total=False):
    """Keys of an experiment: WorkloadFurther."""

    program: Name
    """Path of the compiled program."""
    args: Many[str]
    """Arguments of the program, a list of texts."""
    ranks: SupportsIndex
    """Number of ranks that run it."""


class Workload(TypedDict, total=False):
    """Keys of an experiment: Workload."""

    kind: Literal["all-to-all", "ring", "random-ring", "broadcast", "gather", "scatter", "halo", "permutation", "incast", "hot-spot", "nicam", "pattern-file", "profile", "graph", "collective", "program", "synthetic", "outside"]
    """Kind of work: a pattern: `all-to-all`, `ring`, `random-ring`, `broadcast`, `gather`, `scatter`, `halo`, `permutation`, `incast`, `hot-spot`, `nicam`; `pattern-file`; `profile`; `graph`; `collective`; `program`; `synthetic`; or `outside`: what a program that steps the run says. Where the command line names a program, `program`."""
    ranks: SupportsIndex
    """Number of ranks."""
    message_size: Data
    """Size of each message; of each block in gather, scatter and Bruck's all-to-all."""
    size_spread: SupportsFloat
    """Spread s of sizes from 0 on, below 1: the size of each message is drawn evenly from `message_size` x [1 - s, 1 + s], in whole bytes, at least 1. Not where ranks pass on what others have sent: broadcast, gather, scatter, `bruck`."""
    messages: SupportsIndex
    """Number of exchanges or broadcasts, or of messages per rank."""
    synchronised: bool
    """Whether each send is followed by the receipt of the same step's message; in a halo all sends of an exchange by the receipt of all its messages."""
    algorithm: Literal["simple-spread", "simple-spread-2d", "pairwise", "bruck", "auto"] | Literal["flat", "binomial", "ring-pipeline"] | Literal["flat", "binomial"] | str
    """Order in which a rank sends to the others."""
    root: SupportsIndex
    """Rank that sends to all others, or to which they send; synthetic: with `pattern = "hot-spot"`."""
    segments: SupportsIndex
    """Number of parts into which `ring-pipeline` cuts a message, at most one per byte."""
    grid: Many[SupportsIndex]
    """Sizes of a grid of ranks, x first: `rank = x + X (y + Y z)`; their product is the number of ranks."""
    periodic: bool | Many[bool]
    """Whether the grid is closed: one value, or one per dimension."""
    rlevel: SupportsIndex
    """Number of times that each of the ten diamonds is cut into four: 10 x 4^rlevel regions, one for each process; 0 to 12."""
    processes_per_node: SupportsIndex
    """Number of regions (1, 4, 16, ...) of a square block on one node, of which one rank stands for all."""
    start_imbalance: Time
    """Longest pause at the start: each rank pauses first for a time drawn uniformly from 0 to this."""
    start_barrier: bool
    """Whether ranks begin when they leave a dissemination barrier in software, behind their pause."""
    permutation: Literal["bit-reverse", "transpose", "shift", "random"]
    """Rule by which each rank sends to one other: `bit-reverse`, `transpose`, `shift`, `random`."""
    distance: SupportsIndex
    """Distance of `shift`."""
    fraction: SupportsFloat
    """Probability that a message is meant for the root, 0 to 1; synthetic: with `pattern = "hot-spot"`."""
    seed: SupportsIndex
    """Seed of all that is random in the workload: random-ring, hot-spot, permutation, synthetic; others with `size_spread` or `start_imbalance`."""
    generator: Literal["lcg", "splitmix"]
    """Generator of the random order: `lcg` or `splitmix`."""
    file: Name
    """A pattern file, text (`.pattern`) or Parquet (`.parquet`)."""
    speed: str
    """Operations that a host does in a second, as in `"1 Gf"`: the computations of traces of SimGrid are numbers of them."""
    group: SupportsIndex
    """Number of ranks of the first dimension, by which training steps of ASTRA-sim with data and model parallelism are divided."""
    sources: Literal["recorded", "as-posted"]
    """Sender of a message that a receive takes that asked for any source or any tag: `recorded` (as when it was logged) or `as-posted` (whoever comes first)."""
    operation: Literal["barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "reduce_scatter", "pingpong"]
    """Collective that is run: `barrier`, `bcast`, `reduce`, `allreduce`, `gather`, `scatter`, `allgather`, `alltoall`, `reduce_scatter`; or `pingpong`, a message from the first rank to the last and back, of which the time is half."""
    reduction: Literal["sum", "prod", "max", "min", "land", "lor", "lxor", "band", "bor", "bxor", "maxloc", "minloc", "user"]
    """Operation of reduce, allreduce, reduce_scatter, by which `[[combining]]` may choose how fast: `sum`, `prod`, `max`, `min`, `land`, `lor`, `lxor`, `band`, `bor`, `bxor`, `maxloc`, `minloc`, or `user`, a function of a program."""
    datatype: Literal["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float", "double", "complex-float", "complex-double", "bool", "logical", "byte", "char", "float-int", "double-int", "long-int", "2int", "short-int", "2real", "2double-precision", "long-double", "complex-long-double", "long-double-int", "int8_t", "signed char", "MPI_INT8_T", "MPI_SIGNED_CHAR", "MPI_INTEGER1", "int16_t", "short", "MPI_SHORT", "MPI_INT16_T", "MPI_INTEGER2", "int", "int32_t", "MPI_INT", "MPI_INT32_T", "MPI_INTEGER", "MPI_INTEGER4", "long", "long long", "int64_t", "MPI_LONG", "MPI_LONG_LONG", "MPI_LONG_LONG_INT", "MPI_INT64_T", "MPI_AINT", "MPI_COUNT", "MPI_OFFSET", "MPI_INTEGER8", "uint8_t", "unsigned char", "MPI_UINT8_T", "MPI_UNSIGNED_CHAR", "uint16_t", "unsigned short", "MPI_UINT16_T", "MPI_UNSIGNED_SHORT", "unsigned", "unsigned int", "uint32_t", "MPI_UNSIGNED", "MPI_UINT32_T", "unsigned long", "unsigned long long", "uint64_t", "MPI_UNSIGNED_LONG", "MPI_UNSIGNED_LONG_LONG", "MPI_UINT64_T", "float32", "MPI_FLOAT", "MPI_REAL", "MPI_REAL4", "float64", "MPI_DOUBLE", "MPI_DOUBLE_PRECISION", "MPI_REAL8", "float _Complex", "MPI_C_COMPLEX", "MPI_C_FLOAT_COMPLEX", "MPI_CXX_FLOAT_COMPLEX", "MPI_COMPLEX", "MPI_COMPLEX8", "double _Complex", "MPI_C_DOUBLE_COMPLEX", "MPI_CXX_DOUBLE_COMPLEX", "MPI_DOUBLE_COMPLEX", "MPI_COMPLEX16", "_Bool", "MPI_C_BOOL", "MPI_CXX_BOOL", "MPI_LOGICAL", "MPI_LOGICAL4", "MPI_BYTE", "MPI_PACKED", "MPI_CHAR", "MPI_CHARACTER", "MPI_FLOAT_INT", "MPI_DOUBLE_INT", "MPI_LONG_INT", "MPI_2INT", "MPI_2INTEGER", "MPI_SHORT_INT", "MPI_2REAL", "MPI_2DOUBLE_PRECISION", "long double", "MPI_LONG_DOUBLE", "long double _Complex", "MPI_C_LONG_DOUBLE_COMPLEX", "MPI_CXX_LONG_DOUBLE_COMPLEX", "MPI_LONG_DOUBLE_INT"]
    """Type of the elements that reduce, allreduce and reduce_scatter combine: `int32`, `double`, `MPI_DOUBLE`, ..., as `combining.type`."""
    repetitions: SupportsIndex
    """Number of repetitions. All ranks begin the first one at once, and each one after that behind a barrier; the summary has the time of each, which is that of the rank that takes longest."""
    program: Name
    """Path of the compiled program."""
    args: Many[str]
    """Arguments of the program, a list of texts."""
    further: Sequence[WorkloadFurther]
    """Further programs of the same job, as a list of tables with `program`, `args` and `ranks`: the last ranks run them, in this order, and `ranks` counts those of all (several programs)."""
    data: bool
    """Whether the data of messages are moved, or only their lengths (without data)."""
    compute: SupportsFloat | Literal["none", "measured"]
    """Time that the program's own work takes: `"none"`, `"measured"` (its processor time here), or a factor for the measured time."""
    stack_size: Data
    """Size of the stack of each rank, always with a unit."""
    pattern: Literal["uniform", "tornado", "transpose", "bit-reverse", "bit-complement", "neighbour", "shift", "group-shift", "router-shift", "random-permutation", "digit-reversal", "complement", "hot-spot"]
    """Destinations of packets."""
    offered_load: SupportsFloat
    """Load that each node generates, as a part of the bandwidth of its injection link: above 0, at most 1."""
    injection: Literal["bernoulli", "exponential"]
    """Instants at which packets are generated: `bernoulli`: in every slot a packet with the same probability; `exponential`: after times with an exponential distribution."""
    slot: Time
    """Length of a slot of `bernoulli`, at most the time between two packets at this load. With slots as long as packets nodes never make two packets in the time of one, and packets wait about 28 % less."""
    self_traffic: bool
    """Whether packets may have their source as destination. `true`: it goes to the router and back. `false`: another destination is drawn; where there is only one, nothing is sent."""
    shift: SupportsIndex
    """Distance of `shift`, `group-shift` and `router-shift`: nodes, groups or routers further."""
    base: SupportsIndex
    """Base of the digits of `digit-reversal`."""
    packet_size: Data
    """Size of each packet, 1 byte to `packet.mtu`."""
    warmup: Time
    """Time before which nothing is measured."""
    duration: Time
    """Time that is measured after `warmup`; then the run ends."""


Job = TypedDict("Job", {
    "name": str,
    "start": Time,
    "repeat": SupportsIndex | Literal["until-others-end"],
    "state": Literal["runs", "idle", "absent"],
    "class": str,
    "placement": Literal["packed", "random", "by-group", "spread", "nodes"],
    "nodes": SupportsIndex | str | Many[SupportsIndex | str],
    "seed": SupportsIndex,
    "workload": Workload | Pattern,
}, total=False)


JobList = TypedDict("JobList", {
    "file": Name,
    "second": Time,
    "processors_per_node": SupportsIndex,
    "first": SupportsIndex,
    "count": SupportsIndex,
    "start": Literal["scheduled", "logged"],
    "order": Literal["first-come", "backfill"],
    "placement": Literal["packed", "random", "by-group", "spread"],
    "seed": SupportsIndex,
    "class": str,
    "skip": bool,
    "workload": Workload | Pattern,
}, total=False)


class Work(TypedDict, total=False):
    """Keys of an experiment: Work."""

    ranks: SupportsIndex | str | Many[SupportsIndex | str]
    """Ranks whose work it is: a rank (`3`), ranks from one to another (`"4-7"`), or a list of both (`[0, "4-7"]`)."""
    nodes: SupportsIndex | str | Many[SupportsIndex | str]
    """Nodes of the ranks whose work it is, written as `ranks`."""
    factor: SupportsFloat
    """Factor for the time of the work, 0 to 1,000,000: 1.5 for a slow node, 0.5 for a processor that is twice as fast. Where several rows name a rank, their factors multiply."""


class Collectives(TypedDict, total=False):
    """Keys of an experiment: Collectives."""

    preset: Literal["mpich", "open-mpi", "fujitsu"]
    """Library whose rules `auto` stands for, and whose names of algorithms come before weir's own: `mpich`, `open-mpi`, `fujitsu`."""
    grid: Many[SupportsIndex]
    """For `disjoint-trees`: sides of the closed grid that the ranks fill, first the side along which ranks are consecutive."""
    barrier: Literal["auto", "dissemination", "recursive-doubling", "double-ring", "linear", "hardware", "bruck", "basic-linear", "default", "recursive_doubling", "double_ring", "basic_linear"]
    """Algorithm of the collective."""
    bcast: Literal["auto", "binomial", "binomial-nearest-first", "flat", "scatter-ring", "scatter-recursive-doubling", "ring-pipeline", "pipeline", "chain", "binary", "split-binary", "knomial", "multi-tree", "disjoint-trees", "hardware", "binomial-farthest-first", "linear", "basic-linear", "scatter-allgather-ring", "scatter-allgather", "binary-tree", "split-binary-tree", "default", "binomial_nearest_first", "scatter_ring", "scatter_recursive_doubling", "ring_pipeline", "split_binary", "multi_tree", "disjoint_trees", "binomial_farthest_first", "basic_linear", "scatter_allgather_ring", "scatter_allgather", "binary_tree", "split_binary_tree"]
    """Algorithm of the collective."""
    bcast_segment_size: Data
    """Bytes of a segment of `binomial`, `binomial-nearest-first`, `ring-pipeline`, `pipeline`, `chain`, `binary`, `split-binary`, `knomial`, `multi-tree`, `disjoint-trees`."""
    bcast_fan_out: SupportsIndex
    """Fan-out of `chain`, `knomial`."""
    bcast_trees: SupportsIndex
    """Most trees, each with a part of the message, of `multi-tree`, `disjoint-trees`."""
    reduce: Literal["auto", "binomial", "flat", "linear", "rabenseifner", "pipeline", "chain", "binary", "in-order-binary", "multi-tree", "disjoint-trees", "hardware", "basic-linear", "binary-tree", "in-order", "default", "in_order_binary", "multi_tree", "disjoint_trees", "basic_linear", "binary_tree", "in_order"]
    """Algorithm of the collective."""
    reduce_segment_size: Data
    """Bytes of a segment of `binomial`, `pipeline`, `chain`, `binary`, `in-order-binary`, `multi-tree`, `disjoint-trees`."""
    reduce_fan_out: SupportsIndex
    """Fan-out of `chain`."""
    reduce_trees: SupportsIndex
    """Most trees, each with a part of the message, of `multi-tree`, `disjoint-trees`."""
    allreduce: Literal["auto", "recursive-doubling", "ring", "reduce-bcast", "rabenseifner", "bucket-2d", "segmented-ring", "basic-linear", "multi-tree", "disjoint-trees", "hardware", "nonoverlapping", "non-overlapping", "ring-segmented", "linear", "default", "recursive_doubling", "reduce_bcast", "bucket_2d", "segmented_ring", "basic_linear", "multi_tree", "disjoint_trees", "non_overlapping", "ring_segmented"]
    """Algorithm of the collective."""
    allreduce_segment_size: Data
    """Bytes of a segment of `segmented-ring`, `multi-tree`, `disjoint-trees`."""
    allreduce_trees: SupportsIndex
    """Most trees, each with a part of the message, of `multi-tree`, `disjoint-trees`."""
    allreduce_rings: SupportsIndex
    """Number of rings that go around at once, each with a part of the message and by an interface of its own, of `ring`."""
    gather: Literal["auto", "binomial", "flat", "linear", "linear-sync", "basic-linear", "linear-synch", "simple", "default", "linear_sync", "basic_linear", "linear_synch"]
    """Algorithm of the collective."""
    gather_segment_size: Data
    """Bytes of a segment of `linear-sync`."""
    scatter: Literal["auto", "binomial", "flat", "linear", "use-bcast", "linear-nb", "basic-linear", "default", "use_bcast", "linear_nb", "basic_linear"]
    """Algorithm of the collective."""
    allgather: Literal["auto", "ring", "bruck", "k-bruck", "recursive-doubling", "neighbor-exchange", "sparbit", "linear", "k-brucks", "brucks", "recursive-doubling-folded", "neighbor", "basic-linear", "default", "k_bruck", "recursive_doubling", "neighbor_exchange", "k_brucks", "recursive_doubling_folded", "basic_linear"]
    """Algorithm of the collective."""
    allgather_rings: SupportsIndex
    """Number of rings that go around at once, each with a part of the message and by an interface of its own, of `ring`."""
    alltoall: Literal["auto", "simple-spread", "pairwise", "bruck", "scattered", "paper-000", "linear", "linear-sync", "pairwise-xor", "modified-bruck", "basic-linear", "linear-synch", "default", "simple_spread", "paper_000", "linear_sync", "pairwise_xor", "modified_bruck", "basic_linear", "linear_synch"]
    """Algorithm of the collective."""
    alltoall_fan_out: SupportsIndex
    """Fan-out of `linear-sync`."""
    scan: Literal["auto", "recursive-doubling", "linear", "default", "recursive_doubling"]
    """Algorithm of the collective."""
    reduce_scatter: Literal["auto", "recursive-halving", "pairwise", "recursive-doubling", "reduce-scatterv", "ring", "butterfly", "non-overlapping", "nonoverlapping", "recursive-distance-doubling", "default", "recursive_halving", "recursive_doubling", "reduce_scatterv", "non_overlapping", "recursive_distance_doubling"]
    """Algorithm of the collective."""
    reduce_scatter_rings: SupportsIndex
    """Number of rings that go around at once, each with a part of the message and by an interface of its own, of `ring`."""


class Selection(TypedDict, total=False):
    """Keys of an experiment: Selection."""

    collective: Literal["barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "scan", "reduce_scatter"]
    """Collective for which the row is, by its key in `[collectives]`."""
    algorithm: str
    """Name of the algorithm in `[collectives]`; `auto`: as the preset has it."""
    ranks: Many[SupportsIndex | Literal["any"]]
    """Numbers of ranks that the row fits, from and to, both included: `[33, 512]`, `[513, "any"]`."""
    bytes: Many[Data | Literal["any"]]
    """Bytes of the whole vector that the row fits, from and to, both included: `["8 KiB", "1 MiB"]`."""
    bytes_per_rank: Many[Data | Literal["any"]]
    """Bytes of a block that the row fits, from and to: those of the whole vector divided by the number of ranks, rounded down."""
    power_of_two: bool
    """`true`: the row fits only numbers of ranks that are a power of two; `false`: only others."""
    commutes: bool
    """For `reduce`, `allreduce`, `reduce_scatter`: `true`: the row fits only operations that commute; `false`: only others."""
    elements: Literal["below-ranks", "below-power"]
    """For the same collectives: `below-ranks`: the row fits only vectors of fewer elements than ranks; `below-power`: of fewer than the greatest power of two up to the number of ranks."""
    segment_size: Data
    """Bytes of a segment, as in `[collectives]`."""
    fan_out: SupportsIndex
    """Fan-out of the algorithm, as in `[collectives]`."""
    trees: SupportsIndex
    """Most trees of the algorithm, as in `[collectives]`."""
    rings: SupportsIndex
    """Number of rings of the algorithm that go around at once, as in `[collectives]`."""


class Storage(TypedDict, total=False):
    """Keys of an experiment: Storage."""

    servers: SupportsIndex
    """Number of servers, 1 to 1,000,000."""
    bandwidth: Rate
    """Bandwidth of each server, reading and writing."""
    latency: Time
    """Time that a server takes for each operation before its data move."""
    stripe: Data
    """Bytes of a file that lie together on one server."""


class Limits(TypedDict, total=False):
    """Keys of an experiment: Limits."""

    simulated_time: Time
    """The run ends before the first event after this simulated time."""
    wall_time: Time
    """Wall-clock time after which the run ends, from when the machine begins to be built; always with a unit."""
    expected_wall_time: Time
    """The run is refused before it begins if it is expected to take longer: its first second is run to find out; always with a unit; not for MPI programs."""
    memory: Data
    """The run is refused before it begins if it takes more memory, as far as that is known then; always with a unit."""


OutputPackets = TypedDict("OutputPackets", {
    "routers": Many[SupportsIndex | str],
    "from": Time,
    "until": Time,
}, total=False)


class Output(TypedDict, total=False):
    """Keys of an experiment: Output."""

    dir: Name
    """results folder, made if need be: `summary.json` and tables; `--out` is stronger."""
    sample_interval: Time
    """Interval of samples of links and buffers and of the latencies of messages and packets, one row each; flow and packet engine."""
    series: Many[Literal["links", "buffers", "latencies"]]
    """Which samples are kept: a list of `"links"`, `"buffers"` (packet engine), `"latencies"`; what is left out is not counted, and costs nothing."""
    messages: bool
    """Whether the times of every message are kept."""
    pairs: bool
    """Whether the messages and bytes of each pair of ranks are kept."""
    causes: bool
    """Whether the causes of the time of each rank and the critical path are kept: why is it slow; in the summary, and as a table if there is a folder."""
    band: bool
    """Whether weir reports between which times the run lies by the intervals of `[calibrated]`: two runs more for each of them; `--band` is the same."""
    alone: bool
    """Whether each of several jobs runs again at its nodes while the others stand still: its time alone, and how many times as long it takes beside the others; `--alone` is the same."""
    calls: bool
    """Whether the calls of the ranks of an MPI program or a profile are kept, and how long they waited in each."""
    trace: bool
    """Whether calls, messages and the busiest links are written as a trace for Perfetto."""
    trace_limit: Data
    """Greatest length of a trace; beyond it ranks are left out, every second block of 8, and at last later calls: what is left out."""
    checkpoint_every: Time
    """Wall-clock time from one checkpoint to the next, which the run writes into the results folder for `weir resume`, also when it is interrupted; packet and flow engine, patterns, profiles and synthetic traffic, without tables of the keys above but `causes`; `--checkpoint-every` is stronger."""
    packets: OutputPackets


class Packet(TypedDict, total=False):
    """Keys of an experiment: Packet."""

    preset: Literal["nsim-torus", "nsim-infiniband"]
    """`nsim-torus` (the NSIM paper, table 3) or `nsim-infiniband` (table 2): fills in `[topology]` (bandwidth, latency), `[node]` and `[packet]`. This part works with every engine."""
    mtu: Data
    """Largest packet, up to 1,048,575 B; messages are cut into packets of this size and a rest. 4,096 B are the largest packets of InfiniBand. Presets: 256 B (torus), 2,048 B (InfiniBand)."""
    virtual_channels: SupportsIndex
    """Number of buffers that share each link, 1 to 256; with `[[classes]]` those of each class that does not say its own."""
    input_buffer: SupportsIndex | str
    """Room for each virtual channel of an input port: packets (a number), or bytes (with a unit), which hold floor(bytes / `mtu`) packets. Room for one packet at least. A link whose credits come back after it could have carried more than its buffer holds is never full; a run, `--dry-run` and `weir topology` say so (what a link needs)."""
    output_buffer: SupportsIndex | str
    """Room for each output port: packets, or bytes, as for `input_buffer`."""
    arbiter: Literal["round-robin", "transit-first", "injection-first", "oldest-first", "fixed-priority"]
    """Who goes first: `round-robin` (the input port that has waited longest for the output, and of its virtual channels that which has waited longest: ports that always have packets take turns, and a router serves its own node no more than each neighbor), `transit-first` (in turn, but packets of the router's own nodes only when none that passes could go: under load they may wait for ever), `injection-first` (the other way round), `oldest-first` (who is in the network longest), `fixed-priority` (the lowest number)."""
    route_delay: Time
    """Time to compute a route."""
    vc_allocation_delay: Time
    """Time to allocate a virtual channel."""
    switch_allocation_delay: Time
    """Time to allocate the crossbar."""
    turnaround_delay: Time
    """Time from the tail of a packet leaving its virtual channel to the head of the next one that may cross; 0: routes are computed ahead, behind others (the NSIM paper)."""
    switch_delay: Time | Many[Time]
    """Time through the crossbar. One value, or a list with one for each kind of router, which `weir topology` names: the stages of a fat tree from the leaves up, the leaves and the spines of a dragonfly-plus, the routers and the crossbars of each dimension of a hypercrossbar, for rails those of each network in turn."""
    switch_bandwidth: Rate | Many[Rate]
    """Bandwidth of each port of the crossbar: one value, or a list like `switch_delay`. With that of a link, a packet that is still arriving keeps its input port from the others: a HyperX of 4 x 4 routers saturates at 0.81, a dragonfly at 0.71 of the injection bandwidth; with twice as much, which many routers have, at 0.93 and 0.91."""
    credit_delay: Time
    """Time that a credit takes to come back."""
    credits: Literal["packet", "flit"]
    """When a place of an input buffer is given back: `packet` (the tail of its packet has left it) or `flit` (the first flit has: routers with a credit for every flit). With buffers of one or two packets `packet` costs the time of a packet on each turn of a place; with larger ones there is no difference."""
    vc_allocation: Literal["with-switch", "before-switch"]
    """When a packet takes a virtual channel of the next link: `with-switch` (when it crosses: one with room) or `before-switch` (as soon as it is the first of its own: one that no other packet has, each virtual channel of each input in turn; it waits with this one for the crossbar and for room, and keeps it until its tail has gone: textbook routers, BookSim2). What it costs."""
    flit_size: Data
    """Unit of flow control: a slot of `injection = "bernoulli"`, and what `credits = "flit"` waits for."""
    dateline: Literal["crossing", "dimension"]
    """Torus, Tofu: which packets have the second class of virtual channels in a dimension that wraps: `crossing` (up to the link that closes the ring) or `dimension` (all the way in the dimension, if they cross that link; as in BookSim2) (what it costs)."""
    classes: Literal["automatic", "links-passed", "fewest"]
    """Graph: what decides on the class of a packet, unless the routes say it: `automatic` (none where the routes have no circles; else links passed, where there are virtual channels enough; else as few as a search finds), `links-passed`, `fewest`."""
    allow_deadlock: bool
    """`false`: a machine in which packets could wait for each other in a circle is refused. `true`: it runs; if packets do stop moving, the run ends with outcome `deadlock` and the circle."""


class Class(TypedDict, total=False):
    """Keys of an experiment: Class."""

    name: str
    """Name of the class in results and errors."""
    channels: SupportsIndex
    """Number of virtual channels of each link that are its own, on the packet engine; at least as many as the routes need. All classes together have up to 256."""
    priority: SupportsIndex
    """A class with a higher priority goes first, 0 to 255: at interfaces and at each output of a router."""
    weight: SupportsIndex
    """Part of a link that it has beside other classes of the same priority, 1 to 1000: with 3 and 1 three bytes of four while both have packets. On the flow engine it is the weight of each of its messages."""
    ranks: SupportsIndex | str | Many[SupportsIndex | str]
    """Ranks whose messages are in it, by the rank that sends: a rank (`3`), ranks from one to another (`"4-7"`), or a list of both."""
    messages_from: Data
    """Smallest message that is in it."""
    messages_below: Data
    """Messages smaller than that are in it."""
    control: bool
    """`true`: what protocols need beside data is in it, of all ranks: requests to send, clearances, acknowledgements."""


class Experiment(TypedDict, total=False):
    """An experiment."""

    title: str
    """Title of the experiment."""
    seed: SupportsIndex
    """Default of all other seeds, 0 to 2^64 - 1."""
    machine: Name
    """Machine file that fills in what this one does not say."""
    calibrated: dict[str, Many[str | SupportsFloat]]
    """Table of keys, as for `--set`, each with the lowest and the highest value that a calibration has left it (band)."""
    topology: Topology
    faults: Sequence[Fault]
    upgrades: Sequence[Upgrade]
    node: Node
    combining: Sequence[Combining]
    mapping: Mapping
    engine: Engine
    workload: Workload | Pattern
    jobs: Sequence[Job]
    job_list: JobList
    work: Sequence[Work]
    collectives: Collectives
    selection: Sequence[Selection]
    storage: Storage
    limits: Limits
    output: Output
    packet: Packet
    classes: Sequence[Class]
