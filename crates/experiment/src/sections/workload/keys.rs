//! The keys of `[workload]`, its kinds, and their names.

use crate::keys::form::{
    AsWritten, Choice, DATA, EACH_FLAG, FLAG, Integer, Number, NumberOr, OfThisComputer, OneOf, OneOrMany,
    OperationRate, PathText, SIZES, TEXT, TEXTS, TIME,
};
use crate::keys::names::{ELEMENTS, OneName};
use crate::keys::{PATTERNS, keys};
use crate::sections::mapping::GENERATORS;
use crate::source::tree::Entry;
use serde_json::{Value, json};
use std::ops::Bound;
use std::path::PathBuf;
use weir_capi::Compute;
use weir_message::{ElementName, Moved, OperationName};
use weir_operations::Function;
use weir_packet::{Injection, SelfTraffic, TrafficPattern};
use weir_replay::Sources;
use weir_topology::Generator;
use weir_units::{Bytes, Duration, NodeId};
use weir_workload::{Barrier, BroadcastAlgorithm, NicamGrid, PermutationRule, TreeAlgorithm};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    AllToAll,
    Ring,
    RandomRing,
    Broadcast,
    Gather,
    Scatter,
    Halo,
    Permutation,
    Incast,
    HotSpot,
    Nicam,
    PatternFile,
    Profile,
    Graph,
    Collective,
    Program,
    Synthetic,
    Outside,
}

pub(crate) const KINDS: [(&str, Kind); 18] = [
    ("all-to-all", Kind::AllToAll),
    ("ring", Kind::Ring),
    ("random-ring", Kind::RandomRing),
    ("broadcast", Kind::Broadcast),
    ("gather", Kind::Gather),
    ("scatter", Kind::Scatter),
    ("halo", Kind::Halo),
    ("permutation", Kind::Permutation),
    ("incast", Kind::Incast),
    ("hot-spot", Kind::HotSpot),
    ("nicam", Kind::Nicam),
    ("pattern-file", Kind::PatternFile),
    ("profile", Kind::Profile),
    ("graph", Kind::Graph),
    ("collective", Kind::Collective),
    ("program", Kind::Program),
    ("synthetic", Kind::Synthetic),
    ("outside", Kind::Outside),
];
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exchange {
    SimpleSpread,
    SimpleSpread2d,
    Pairwise,
    Bruck,
    /// Pairwise where it is possible (paper 000, section 4.1).
    Auto,
}

pub(super) const DESTINATIONS: [(&str, TrafficPattern); 13] = [
    ("uniform", TrafficPattern::Uniform),
    ("tornado", TrafficPattern::Tornado),
    ("transpose", TrafficPattern::Transpose),
    ("bit-reverse", TrafficPattern::BitReverse),
    ("bit-complement", TrafficPattern::BitComplement),
    ("neighbour", TrafficPattern::Neighbor),
    ("shift", TrafficPattern::Shift { shift: 0 }),
    ("group-shift", TrafficPattern::GroupShift { group: 1, shift: 0 }),
    ("router-shift", TrafficPattern::RouterShift { shift: 0 }),
    ("random-permutation", TrafficPattern::RandomPermutation),
    ("digit-reversal", TrafficPattern::DigitReversal { base: 2 }),
    ("complement", TrafficPattern::Complement),
    ("hot-spot", TrafficPattern::HotSpot { node: NodeId(0), part: 0.0 }),
];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Collective(Function),
    /// A message from the first rank to the last, and one back.
    PingPong,
}

pub(super) const PING_PONG: &str = "pingpong";

/// The operations, the collectives by their keys in `[collectives]`.
pub(super) const OPERATIONS: [(&str, Operation); 10] = [
    ("barrier", Operation::Collective(Function::Barrier)),
    ("bcast", Operation::Collective(Function::Bcast)),
    ("reduce", Operation::Collective(Function::Reduce)),
    ("allreduce", Operation::Collective(Function::Allreduce)),
    ("gather", Operation::Collective(Function::Gather)),
    ("scatter", Operation::Collective(Function::Scatter)),
    ("allgather", Operation::Collective(Function::Allgather)),
    ("alltoall", Operation::Collective(Function::Alltoall)),
    ("reduce_scatter", Operation::Collective(Function::ReduceScatter)),
    (PING_PONG, Operation::PingPong),
];

const ROOTED: &[&str] = &["broadcast", "gather", "scatter", "incast", "hot-spot", "synthetic"];
const STEPPED: &[&str] = &["all-to-all", "ring", "random-ring", "halo", "permutation"];
/// Kinds in which something is random, or may be: patterns, and synthetic traffic.
const SEEDED: &[&str] = &{
    let mut seeded = ["synthetic"; PATTERNS.len() + 1];
    seeded.split_at_mut(PATTERNS.len()).0.copy_from_slice(PATTERNS);
    seeded
};
const COLLECTIVE: &[&str] = &["collective"];
const SYNTHETIC: &[&str] = &["synthetic"];
const PROGRAM: &[&str] = &["program"];
const MOST: u64 = u32::MAX as u64;
const FROM_0: Bound<f64> = Bound::Included(0.0);

keys! {
    "workload":
    KIND: Kind = "kind", &[], OneOf(&KINDS),
        Required("write kind = \"all-to-all\", \"ring\", \"halo\", ..., \"pattern-file\", \"profile\", \"graph\", \"collective\", \"synthetic\" or \"program\""),
        "Kind of work: a pattern: `all-to-all`, `ring`, `random-ring`, `broadcast`, `gather`, `scatter`, `halo`, `permutation`, `incast`, \
         `hot-spot`, `nicam`; `pattern-file`; `profile`; `graph`; `collective`; `program`; `synthetic`; or `outside`: what a \
         [program that steps the run](../guide/backend.md) says. Where the command line names a program, \
         `program`.";
    RANKS: u64 = "ranks", &[], Integer::COUNT,
        Words("patterns: as many as the machine has room for; without a topology, and for programs, required. A pattern file \
         says it itself, and so does nicam"),
        "Number of ranks.";
    MESSAGE_SIZE: Bytes = "message_size", PATTERNS, DATA, Required("write message_size = \"20 kB\""),
        "Size of each message; of each block in gather, scatter and Bruck's all-to-all.";
    SIZE_SPREAD: f64 = "size_spread", PATTERNS,
        Number {
            within: (FROM_0, Bound::Excluded(1.0)),
            words: "a number from 0 on, below 1: 0.5 makes sizes from half to one and a half",
        }, Omitted("0"),
        "Spread s of sizes from 0 on, below 1: the size of each message is drawn evenly from `message_size` x [1 - s, 1 + s], in whole bytes, at \
         least 1. Not where ranks pass on what others have sent: broadcast, gather, scatter, `bruck`.";
    MESSAGES: u64 = "messages", PATTERNS, Integer(1, u64::MAX), Words("1, random-ring: 10"),
        "Number of exchanges or broadcasts, or of messages per rank.";
    SYNCHRONISED: bool = "synchronised", STEPPED, FLAG, Is("false"),
        "Whether each send is followed by the receipt of the same step's message; in a halo all sends of an exchange by the receipt of \
         all its messages.";
    EXCHANGE: Exchange = "algorithm", &["all-to-all"],
        OneOf(&[
            ("simple-spread", Exchange::SimpleSpread), ("simple-spread-2d", Exchange::SimpleSpread2d),
            ("pairwise", Exchange::Pairwise), ("bruck", Exchange::Bruck), ("auto", Exchange::Auto),
        ]), Is("\"simple-spread\""), "Order in which a rank sends to the others.";
    CAST: BroadcastAlgorithm = "algorithm", &["broadcast"],
        OneOf(&[
            ("flat", BroadcastAlgorithm::Flat), ("binomial", BroadcastAlgorithm::Binomial),
            ("ring-pipeline", BroadcastAlgorithm::RingPipeline { segments: 0 }),
        ]), Is("\"binomial\""), "Way of the root's message through the ranks.";
    TREE: TreeAlgorithm = "algorithm", &["gather", "scatter"], OneOf(&[("flat", TreeAlgorithm::Flat), ("binomial", TreeAlgorithm::Binomial)]), Is("\"binomial\""), "Way of the blocks through the ranks.";
    ROOT: u32 = "root", ROOTED, Integer(0, MOST - 1), Is("0"),
        "Rank that sends to all others, or to which they send; synthetic: with `pattern = \"hot-spot\"`.";
    SEGMENTS: u64 = "segments", &["broadcast"], Integer(1, u64::MAX), Is("16"),
        "Number of parts into which `ring-pipeline` cuts a message, at most one per byte.";
    GRID: Vec<u32> = "grid", &["all-to-all", "halo"], SIZES,
        Words("the machine's shape, with one rank per node"),
        "Sizes of a grid of ranks, x first: `rank = x + X (y + Y z)`; their product is the number of ranks.";
    PERIODIC: OneOrMany<bool> = "periodic", &["halo"], EACH_FLAG, Is("true"),
        "Whether the grid is closed: one value, or one per dimension.";
    RLEVEL: u32 = "rlevel", &["nicam"], Integer(0, NicamGrid::MOST_RLEVEL as u64),
        Required("say how often a diamond is cut into four: rlevel = 2"),
        "Number of times that each of the ten diamonds is cut into four: 10 x 4^rlevel regions, one for each process; 0 to 12.";
    // Paper 004, figure 5: blocks of 2 x 2 regions.
    PROCESSES_PER_NODE: u64 = "processes_per_node", &["nicam"], Integer(1, u64::MAX), Is("4"),
        "Number of regions (1, 4, 16, ...) of a square block on one node, of which one rank stands for all.";
    START_IMBALANCE: Duration = "start_imbalance", PATTERNS, TIME, Omitted("0"),
        "Longest pause at the start: each rank pauses first for a time drawn uniformly from 0 to this.";
    START_BARRIER: Barrier = "start_barrier", PATTERNS, Choice(Barrier::None, Barrier::Dissemination), Omitted("false"),
        "Whether ranks begin when they leave a dissemination barrier in software, behind their pause.";
    PERMUTATION: PermutationRule = "permutation", &["permutation"],
        OneOf(&[
            ("bit-reverse", PermutationRule::BitReverse), ("transpose", PermutationRule::Transpose),
            ("shift", PermutationRule::Shift { distance: 0 }),
            ("random", PermutationRule::Random { seed: 0, generator: Generator::Lcg }),
        ]),
        Required("write permutation = \"bit-reverse\", \"transpose\", \"shift\" or \"random\""),
        "Rule by which each rank sends to one other: `bit-reverse`, `transpose`, `shift`, `random`.";
    DISTANCE: u64 = "distance", &["permutation"], Integer(0, u64::MAX), Required("say how far: distance = 1"), "Distance of `shift`.";
    FRACTION: f64 = "fraction", &["hot-spot", "synthetic"],
        Number { within: (FROM_0, Bound::Included(1.0)), words: "a number from 0 to 1" }, Is("0.1"),
        "Probability that a message is meant for the root, 0 to 1; synthetic: with `pattern = \"hot-spot\"`.";
    SEED: u64 = "seed", SEEDED, Integer(0, u64::MAX), Words("`seed`"),
        "Seed of all that is random in the workload: random-ring, hot-spot, permutation, synthetic; others with `size_spread` or \
         `start_imbalance`.";
    GENERATOR: Generator = "generator", &["random-ring", "permutation"], OneOf(&GENERATORS), Is("\"lcg\""),
        "Generator of the random order: `lcg` or `splitmix`.";
    PATTERN_FILE: PathBuf = "file", &["pattern-file"], PathText,
        Required("name a pattern file: file = \"x.pattern\", or \"x.parquet\""),
        "A [pattern file](pattern-files.md), text (`.pattern`) or Parquet (`.parquet`).";
    PROFILE: PathBuf = "file", &["profile"], PathText,
        Required("name a profile: file = \"x.profile\", or \"x.parquet\"; weir log writes one"),
        "A [profile](profile-files.md), text (`.profile`) or Parquet (`.parquet`).";
    GRAPH: PathBuf = "file", &["graph"], PathText,
        Required("name a graph of work: file = \"x.graph\", or \"x.parquet\""),
        "A [graph of work](graph-of-work.md), as text or in Parquet: tasks of ranks, each with what it waits for.";
    SPEED: f64 = "speed", &["graph"], OperationRate, Words("traces of SimGrid that compute need it, others have none"),
        "Operations that a host does in a second, as in `\"1 Gf\"`: the computations of [traces of SimGrid](convert.md) are numbers of them.";
    BUFFER: Bytes = "message_size", &["graph"], DATA, Words("algorithms of MSCCL need it, others have none"),
        "Size of the whole buffer of a collective, of which [an algorithm of MSCCL](convert.md) has chunks.";
    FIRST_DIMENSION: u32 = "group", &["graph"], Integer(1, MOST), Words("training steps with data and model parallelism need it, others have none"),
        "Number of ranks of the first dimension, by which [training steps of ASTRA-sim](convert.md) with data and model parallelism are divided.";
    SOURCES: Sources = "sources", &["profile"], OneOf(&[("recorded", Sources::Recorded), ("as-posted", Sources::AsPosted)]), Is("\"recorded\""),
        "Sender of a message that a receive takes that asked for any source or any tag: `recorded` (as when it was logged) or `as-posted` \
         (whoever comes first).";
    OPERATION: Operation = "operation", COLLECTIVE, OneOf(&OPERATIONS), Required("say which: operation = \"allreduce\""),
        "Collective that is run: `barrier`, `bcast`, `reduce`, `allreduce`, `gather`, `scatter`, `allgather`, `alltoall`, `reduce_scatter`; or \
         `pingpong`, a message from the first rank to the last and back, of which the time is half.";
    COLLECTIVE_ALGORITHM: String = "algorithm", COLLECTIVE, TEXT, Words("what `[collectives]` says of the operation"),
        "Algorithm, one of those that [`[collectives]`](#collectives-algorithms-of-mpi-programs) has for the operation.";
    VECTOR: Bytes = "message_size", COLLECTIVE, DATA, Required("write message_size = \"64 KiB\""),
        "Whole vector of a rank: what bcast, reduce, allreduce and reduce_scatter handle; what a rank has at the end of allgather, and \
         the root of gather; what a rank sends in alltoall, and the root in scatter; of pingpong the message.";
    COLLECTIVE_ROOT: u32 = "root", COLLECTIVE, Integer(0, MOST - 1), Is("0"), "Root of bcast, reduce, gather, scatter.";
    REDUCTION: OperationName = "reduction", COLLECTIVE, OneOf(&OperationName::ALL), Is("\"sum\""),
        "Operation of reduce, allreduce, reduce_scatter, by which [`[[combining]]`](#combining-what-combining-takes-by-operation-and-type) may choose how fast: `sum`, `prod`, `max`, \
         `min`, `land`, `lor`, `lxor`, `band`, `bor`, `bxor`, `maxloc`, `minloc`, or `user`, a function of a program.";
    DATATYPE: ElementName = "datatype", COLLECTIVE, OneName(ELEMENTS), Is("\"int32\""),
        "Type of the elements that reduce, allreduce and reduce_scatter combine: `int32`, `double`, `MPI_DOUBLE`, ..., as [`combining.type`](#combining-what-combining-takes-by-operation-and-type).";
    REPETITIONS: usize = "repetitions", COLLECTIVE, Integer(1, 1 << 20), Is("1"),
        "Number of repetitions. All ranks begin the first one at once, and each one after that behind a barrier; the summary has the time of each, which \
         is that of the rank that takes longest.";
    EXECUTABLE: PathBuf = "program", PROGRAM, PathText,
        Required("name the compiled program: program = \"./halo\""), "Path of the compiled program.";
    ARGS: Vec<String> = "args", PROGRAM, TEXTS, Is("[]"), "Arguments of the program, a list of texts.";
    FURTHER: Entry = "further", PROGRAM, AsWritten(further_schema), Is("[]"),
        "Further programs of the same job, as a list of tables with `program`, `args` and `ranks`: the last ranks run them, in this \
         order, and `ranks` counts those of all \
         ([several programs](../guide/mpi-programs.md#several-programs)).";
    DATA_MOVED: Moved = "data", PROGRAM, Choice(Moved::LengthsOnly, Moved::Data), Is("true"),
        "Whether the data of messages are moved, or only their lengths \
         ([without data](../guide/mpi-programs.md#without-data)).";
    COMPUTE: Compute = "compute", PROGRAM,
        NumberOr {
            number: &Number { within: (Bound::Excluded(0.0), Bound::Unbounded), words: "a number above 0" },
            make: Compute::Measured,
            number_of: |compute| if let Compute::Measured(factor) = compute { factor } else { 0.0 },
            names: OneOf(&[("none", Compute::None), ("measured", Compute::Measured(1.0))]),
            words: "\"none\" or \"measured\" or a number above 0",
        }, Is("\"none\""),
        "Time that the program's own work takes: `\"none\"`, `\"measured\"` (its processor time here), or a factor for the measured time.";
    STACK_SIZE: Bytes = "stack_size", PROGRAM, OfThisComputer(&DATA),
        Words("8 MiB, less from 8,193 ranks on, at least 256 KiB"), "Size of the stack of each rank, always with a unit.";
    PATTERN: TrafficPattern = "pattern", SYNTHETIC, OneOf(&DESTINATIONS), Is("\"uniform\""),
        "Destinations of packets.";
    OFFERED_LOAD: f64 = "offered_load", SYNTHETIC,
        Number {
            within: (Bound::Excluded(0.0), Bound::Included(1.0)),
            words: "a number above 0, at most 1: a part of the injection bandwidth",
        }, Required("say how much: offered_load = 0.3"),
        "Load that each node generates, as a part of the bandwidth of its injection link: above 0, at most 1.";
    INJECTION: Injection = "injection", SYNTHETIC, OneOf(&[("bernoulli", Injection::Bernoulli { slot: None }), ("exponential", Injection::Exponential)]), Is("\"bernoulli\""),
        "Instants at which packets are generated: `bernoulli`: in every slot a packet with the same probability; `exponential`: after times \
         with an exponential distribution.";
    SLOT: Duration = "slot", SYNTHETIC, TIME,
        Words("the time of `packet.flit_size` on the injection link, as in simulators that draw once a cycle"),
        "Length of a slot of `bernoulli`, at most the time between two packets at this load. With slots as long as packets nodes never \
         make two packets in the time of one, and packets wait about 28 % less.";
    SELF_TRAFFIC: SelfTraffic = "self_traffic", SYNTHETIC, Choice(SelfTraffic::Skipped, SelfTraffic::Allowed), Is("false"),
        "Whether packets may have their source as destination. `true`: it goes to the router and back. `false`: another \
         destination is drawn; where there is only one, nothing is sent.";
    SHIFT: u32 = "shift", SYNTHETIC, Integer(0, MOST), Required("say how far: shift = 1"),
        "Distance of `shift`, `group-shift` and `router-shift`: nodes, groups or routers further.";
    GROUP: u32 = "group", SYNTHETIC, Integer::COUNT, Required("say how many nodes a group has: group = 8"),
        "Number of nodes of a group of `group-shift`.";
    BASE: u32 = "base", SYNTHETIC, Integer(2, MOST), Required("say the base of the digits: base = 4"),
        "Base of the digits of `digit-reversal`.";
    PACKET_SIZE: Bytes = "packet_size", SYNTHETIC, DATA, Words("`packet.mtu`"),
        "Size of each packet, 1 byte to `packet.mtu`.";
    WARMUP: Duration = "warmup", SYNTHETIC, TIME, Words("a fifth of `duration`"), "Time before which nothing is measured.";
    DURATION: Duration = "duration", SYNTHETIC, TIME, Required("say how long: duration = \"100 us\""),
        "Time that is measured after `warmup`; then the run ends.";
}

pub(super) fn is_stepped(kind: Kind) -> bool {
    STEPPED.contains(&OneOf(&KINDS).name(&kind))
}

/// Why a seed is refused where nothing is random.
pub(super) const SEED_BELONGS_TO: &str = "belongs to kind = \"random-ring\", \"hot-spot\", \"permutation\" or \"synthetic\"; or to \
                                          size_spread or start_imbalance";

pub(super) mod further {
    use crate::keys::form::{Integer, PathText, TEXTS};
    use crate::keys::keys;
    use std::path::PathBuf;

    keys! {
        "workload.further":
        EXECUTABLE: PathBuf = "program", &[], PathText,
            Required("name the compiled program: program = \"./halo\""), "Path of the compiled program.";
        ARGS: Vec<String> = "args", &[], TEXTS, Is("[]"), "Arguments of the program, a list of texts.";
        RANKS: usize = "ranks", &[], Integer::COUNT, Required("say how many ranks run it: ranks = 2"),
            "Number of ranks that run it.";
    }
}

fn further_schema() -> Value {
    json!({ "type": "array", "items": further::KEYS.schema() })
}
