//! The keys of `[workload]`.

use super::collective::{OPERATIONS, Operation};
use super::kinds::{KINDS, Kind, PATTERNS};
use super::pattern::{CASTS, Cast, EXCHANGES, Exchange, RULES, Rule, TREES};
use super::profile::SOURCE_RULES;
use super::program::{COMPUTE_RULES, further_schema};
use super::synthetic::{DESTINATIONS, Destination, INJECTIONS};
use crate::keys::Default::{Required, Value as Is, Words};
use crate::keys::form::{
    AsWritten, DATA, Either, Flag, Flags, Number, OfThisComputer, OneOf, PathText, Quantity, Sizes, TIME,
    Text, Texts, Whole,
};
use crate::keys::keys;
use crate::keys::names::{ELEMENTS, OneName};
use crate::name_of;
use crate::sections::mapping::GENERATORS;
use std::ops::Bound;
use weir_capi::Compute;
use weir_message::{ElementName, OperationName};
use weir_packet::Injection;
use weir_replay::Sources;
use weir_topology::Generator;
use weir_units::{Bytes, Duration};
use weir_workload::{NicamGrid, TreeAlgorithm};

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
    KIND: OneOf<Kind> = "kind", &[], OneOf(&KINDS),
        Required("write kind = \"all-to-all\", \"ring\", \"halo\", ..., \"pattern-file\", \"profile\", \"collective\", \"synthetic\" or \"program\""),
        "a pattern: `all-to-all`, `ring`, `random-ring`, `broadcast`, `gather`, `scatter`, `halo`, `permutation`, `incast`, \
         `hot-spot`, `nicam`; `pattern-file`; `profile`; `collective`; `program`; or `synthetic`. Where the command line names a program, \
         `program`";
    RANKS: Whole = "ranks", &[], Whole(1, MOST),
        Words("patterns: as many as the machine has room for; without a topology, and for programs, required. A pattern file \
         says it itself, and so does nicam"),
        "how many";
    MESSAGE_SIZE: Quantity<Bytes> = "message_size", PATTERNS, DATA, Required("write message_size = \"20 kB\""),
        "of each message; of each block in gather, scatter and Bruck's all-to-all";
    SIZE_SPREAD: Number = "size_spread", PATTERNS,
        Number {
            within: (FROM_0, Bound::Excluded(1.0)),
            words: "a number from 0 on, below 1: 0.5 makes sizes from half to one and a half",
        }, Is("0"),
        "s from 0 on, below 1: the size of each message is drawn evenly from `message_size` x [1 - s, 1 + s], in whole bytes, at \
         least 1. Not where ranks pass on what others have sent: broadcast, gather, scatter, `bruck`";
    MESSAGES: Whole = "messages", PATTERNS, Whole(1, u64::MAX), Words("1, random-ring: 10"),
        "how often: exchanges, broadcasts, or messages per rank";
    SYNCHRONISED: Flag = "synchronised", STEPPED, Flag, Is("false"),
        "each send is followed by the receipt of the same step's message; in a halo all sends of an exchange by the receipt of \
         all its messages";
    EXCHANGE: OneOf<Exchange> = "algorithm", &["all-to-all"], OneOf(&EXCHANGES), Is("\"simple-spread\""), "in which order a rank sends to the others";
    CAST: OneOf<Cast> = "algorithm", &["broadcast"], OneOf(&CASTS), Is("\"binomial\""), "the way of the root's message through the ranks";
    TREE: OneOf<TreeAlgorithm> = "algorithm", &["gather", "scatter"], OneOf(&TREES), Is("\"binomial\""), "the way of the blocks through the ranks";
    ROOT: Whole = "root", ROOTED, Whole(0, MOST - 1), Is("0"),
        "the rank that is special; synthetic: with `pattern = \"hot-spot\"`";
    SEGMENTS: Whole = "segments", &["broadcast"], Whole(1, u64::MAX), Is("16"),
        "of `ring-pipeline`: into how many parts a message is cut, at most one per byte";
    GRID: Sizes = "grid", &["all-to-all", "halo"], Sizes(Whole(1, MOST)),
        Words("the machine's shape, with one rank per node"),
        "sizes of a grid of ranks, x first: `rank = x + X (y + Y z)`; their product is the number of ranks";
    PERIODIC: Either<Flag, Flags> = "periodic", &["halo"], Either { one: Flag, other: Flags }, Is("true"),
        "whether the grid is closed: one value, or one per dimension";
    RLEVEL: Whole = "rlevel", &["nicam"], Whole(0, NicamGrid::MOST_RLEVEL as u64),
        Required("say how often a diamond is cut into four: rlevel = 2"),
        "how often each of the ten diamonds is cut into four: 10 x 4^rlevel regions, one for each process; 0 to 12";
    // Paper 004, figure 5: blocks of 2 x 2 regions.
    PROCESSES_PER_NODE: Whole = "processes_per_node", &["nicam"], Whole(1, u64::MAX), Is("4"),
        "1, 4, 16, ...: regions of a square block on one node, of which one rank stands for all";
    START_IMBALANCE: Quantity<Duration> = "start_imbalance", PATTERNS, TIME, Is("0"),
        "each rank pauses first for a time drawn uniformly from 0 to this";
    START_BARRIER: Flag = "start_barrier", PATTERNS, Flag, Is("false"),
        "whether ranks begin when they leave a dissemination barrier in software, behind their pause";
    PERMUTATION: OneOf<Rule> = "permutation", &["permutation"], OneOf(&RULES),
        Required("write permutation = \"bit-reverse\", \"transpose\", \"shift\" or \"random\""),
        "`bit-reverse`, `transpose`, `shift`, `random`";
    DISTANCE: Whole = "distance", &["permutation"], Whole(0, u64::MAX), Required("say how far: distance = 1"), "of `shift`";
    FRACTION: Number = "fraction", &["hot-spot", "synthetic"],
        Number { within: (FROM_0, Bound::Included(1.0)), words: "a number from 0 to 1" }, Is("0.1"),
        "how likely a message is meant for the root, 0 to 1; synthetic: with `pattern = \"hot-spot\"`";
    SEED: Whole = "seed", SEEDED, Whole(0, u64::MAX), Words("`seed`"),
        "of all that is random in the workload: random-ring, hot-spot, permutation, synthetic; others with `size_spread` or \
         `start_imbalance`";
    GENERATOR: OneOf<Generator> = "generator", &["random-ring", "permutation"], OneOf(&GENERATORS), Is("\"lcg\""),
        "of the random order: `lcg` or `splitmix`";
    PATTERN_FILE: PathText = "file", &["pattern-file"], PathText,
        Required("name a pattern file: file = \"x.pattern\", or \"x.parquet\""),
        "a [pattern file](pattern-files.md), text (`.pattern`) or Parquet (`.parquet`)";
    PROFILE: PathText = "file", &["profile"], PathText,
        Required("name a profile: file = \"x.profile\", or \"x.parquet\"; weir log writes one"),
        "a [profile](profile-files.md), text (`.profile`) or Parquet (`.parquet`)";
    SOURCES: OneOf<Sources> = "sources", &["profile"], OneOf(&SOURCE_RULES), Is("\"recorded\""),
        "from whom a receive takes that asked for any source or any tag: `recorded` (as when it was logged) or `as-posted` \
         (whoever comes first)";
    OPERATION: OneOf<Operation> = "operation", COLLECTIVE, OneOf(&OPERATIONS), Required("say which: operation = \"allreduce\""),
        "the collective: `barrier`, `bcast`, `reduce`, `allreduce`, `gather`, `scatter`, `allgather`, `alltoall`, `reduce_scatter`; or \
         `pingpong`, a message from the first rank to the last and back, of which the time is half";
    COLLECTIVE_ALGORITHM: Text = "algorithm", COLLECTIVE, Text, Words("what `[collectives]` says of the operation"),
        "one of those that [`[collectives]`](#collectives-algorithms-of-mpi-programs) has for the operation";
    VECTOR: Quantity<Bytes> = "message_size", COLLECTIVE, DATA, Required("write message_size = \"64 KiB\""),
        "the whole vector of a rank: what bcast, reduce, allreduce and reduce_scatter handle; what a rank has at the end of allgather, and \
         the root of gather; what a rank sends in alltoall, and the root in scatter; of pingpong the message";
    COLLECTIVE_ROOT: Whole = "root", COLLECTIVE, Whole(0, MOST - 1), Is("0"), "of bcast, reduce, gather, scatter";
    REDUCTION: OneOf<OperationName> = "reduction", COLLECTIVE, OneOf(&OperationName::ALL), Is("\"sum\""),
        "of reduce, allreduce, reduce_scatter: what is computed, by which [`[[combining]]`](#combining-what-combining-takes-by-operation-and-type) may choose how fast: `sum`, `prod`, `max`, \
         `min`, `land`, `lor`, `lxor`, `band`, `bor`, `bxor`, `maxloc`, `minloc`, or `user`, a function of a program";
    DATATYPE: OneName<ElementName> = "datatype", COLLECTIVE, OneName(ELEMENTS), Is("\"int32\""),
        "likewise of what: `int32`, `double`, `MPI_DOUBLE`, ..., as [`combining.type`](#combining-what-combining-takes-by-operation-and-type)";
    REPETITIONS: Whole = "repetitions", COLLECTIVE, Whole(1, 1 << 20), Is("1"),
        "how often. All ranks begin the first one at once, and each one after that behind a barrier; the summary has the time of each, which \
         is that of the rank that takes longest";
    EXECUTABLE: PathText = "program", PROGRAM, PathText,
        Required("name the compiled program: program = \"./halo\""), "the compiled program";
    ARGS: Texts = "args", PROGRAM, Texts, Is("[]"), "list of texts: its arguments";
    FURTHER: AsWritten = "further", PROGRAM, AsWritten { schema: further_schema }, Is("[]"),
        "further programs of the same job, as a list of tables with `program`, `args` and `ranks`: the last ranks run them, in this \
         order, and `ranks` counts those of all \
         ([several programs](../guide/mpi-programs.md#several-programs))";
    DATA_MOVED: Flag = "data", PROGRAM, Flag, Is("true"),
        "whether the data of messages are moved, or only their lengths \
         ([without data](../guide/mpi-programs.md#without-data))";
    COMPUTE: Either<Number, OneOf<Compute>> = "compute", PROGRAM,
        Either {
            one: Number { within: (Bound::Excluded(0.0), Bound::Unbounded), words: "a number above 0" },
            other: OneOf(&COMPUTE_RULES),
        }, Is("\"none\""),
        "what the program's own work takes: `\"none\"`, `\"measured\"` (its processor time here), or a factor for the measured time";
    STACK_SIZE: OfThisComputer<Bytes> = "stack_size", PROGRAM, OfThisComputer(&DATA),
        Words("8 MiB, less from 8,193 ranks on, at least 256 KiB"), "of each rank, always with a unit";
    PATTERN: OneOf<Destination> = "pattern", SYNTHETIC, OneOf(&DESTINATIONS), Is("\"uniform\""),
        "where packets go";
    OFFERED_LOAD: Number = "offered_load", SYNTHETIC,
        Number {
            within: (Bound::Excluded(0.0), Bound::Included(1.0)),
            words: "a number above 0, at most 1: a part of the injection bandwidth",
        }, Required("say how much: offered_load = 0.3"),
        "what each node generates, as a part of the bandwidth of its injection link: above 0, at most 1";
    INJECTION: OneOf<Injection> = "injection", SYNTHETIC, OneOf(&INJECTIONS), Is("\"bernoulli\""),
        "`bernoulli`: in every slot a packet with the same probability; `exponential`: after times with an exponential \
         distribution";
    SLOT: Quantity<Duration> = "slot", SYNTHETIC, TIME,
        Words("the time of `packet.flit_size` on the injection link, as in simulators that draw once a cycle"),
        "bernoulli: length of a slot, at most the time between two packets at this load. With slots as long as packets nodes never \
         make two packets in the time of one, and packets wait about 28 % less";
    SELF_TRAFFIC: Flag = "self_traffic", SYNTHETIC, Flag, Is("false"),
        "what becomes of a packet whose destination is its source. `true`: it goes to the router and back. `false`: another \
         destination is drawn; where there is only one, nothing is sent";
    SHIFT: Whole = "shift", SYNTHETIC, Whole(0, MOST), Required("say how far: shift = 1"),
        "of `shift` and `group-shift`: how far";
    GROUP: Whole = "group", SYNTHETIC, Whole(1, MOST), Required("say how many nodes a group has: group = 8"),
        "of `group-shift`: nodes of a group";
    BASE: Whole = "base", SYNTHETIC, Whole(2, MOST), Required("say the base of the digits: base = 4"),
        "of `digit-reversal`";
    PACKET_SIZE: Quantity<Bytes> = "packet_size", SYNTHETIC, DATA, Words("`packet.mtu`"),
        "of each packet, 1 byte to `packet.mtu`";
    WARMUP: Quantity<Duration> = "warmup", SYNTHETIC, TIME, Words("a fifth of `duration`"), "nothing is measured before";
    DURATION: Quantity<Duration> = "duration", SYNTHETIC, TIME, Required("say how long: duration = \"100 us\""),
        "how long is measured after that; then the run ends";
}

/// Whether steps of this kind can be synchronised.
pub(super) fn is_stepped(kind: Kind) -> bool {
    STEPPED.contains(&name_of(&KINDS, kind))
}

/// Why a seed is refused where nothing is random.
pub(super) const SEED_BELONGS_TO: &str = "belongs to kind = \"random-ring\", \"hot-spot\", \"permutation\" or \"synthetic\"; or to \
                                          size_spread or start_imbalance";
