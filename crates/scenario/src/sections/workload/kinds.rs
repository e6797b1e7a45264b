//! The kinds of workloads and of their parts, and their names.

use weir_capi::Compute;
use weir_formats::profile::Function;
use weir_packet::{Injection, TrafficPattern};
use weir_replay::Sources;
use weir_topology::Generator;
use weir_units::NodeId;
use weir_workload::{BroadcastAlgorithm, PermutationRule, TreeAlgorithm};

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
    Collective,
    Program,
    Synthetic,
}

pub(crate) const KINDS: [(&str, Kind); 16] = [
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
    ("collective", Kind::Collective),
    ("program", Kind::Program),
    ("synthetic", Kind::Synthetic),
];
const NAMES: [&str; KINDS.len()] = {
    let mut names = [""; KINDS.len()];
    let mut number = 0;
    while number < KINDS.len() {
        names[number] = KINDS[number].0;
        number += 1;
    }
    names
};
/// The kinds of named patterns: the first ones, up to `nicam`.
pub(crate) const PATTERNS: &[&str] = NAMES.split_at(11).0;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Exchange {
    SimpleSpread,
    SimpleSpread2d,
    Pairwise,
    Bruck,
    /// Pairwise where it is possible (paper 000, section 4.1).
    Auto,
}

pub(super) const EXCHANGES: [(&str, Exchange); 5] = [
    ("simple-spread", Exchange::SimpleSpread),
    ("simple-spread-2d", Exchange::SimpleSpread2d),
    ("pairwise", Exchange::Pairwise),
    ("bruck", Exchange::Bruck),
    ("auto", Exchange::Auto),
];
pub(super) const CASTS: [(&str, BroadcastAlgorithm); 3] = [
    ("flat", BroadcastAlgorithm::Flat),
    ("binomial", BroadcastAlgorithm::Binomial),
    ("ring-pipeline", BroadcastAlgorithm::RingPipeline { segments: 0 }),
];
pub(super) const TREES: [(&str, TreeAlgorithm); 2] =
    [("flat", TreeAlgorithm::Flat), ("binomial", TreeAlgorithm::Binomial)];
pub(super) const RULES: [(&str, PermutationRule); 4] = [
    ("bit-reverse", PermutationRule::BitReverse),
    ("transpose", PermutationRule::Transpose),
    ("shift", PermutationRule::Shift { distance: 0 }),
    ("random", PermutationRule::Random { seed: 0, generator: Generator::Lcg }),
];

pub(super) const DESTINATIONS: [(&str, TrafficPattern); 11] = [
    ("uniform", TrafficPattern::Uniform),
    ("tornado", TrafficPattern::Tornado),
    ("transpose", TrafficPattern::Transpose),
    ("bit-reverse", TrafficPattern::BitReverse),
    ("bit-complement", TrafficPattern::BitComplement),
    ("neighbour", TrafficPattern::Neighbour),
    ("shift", TrafficPattern::Shift { shift: 0 }),
    ("group-shift", TrafficPattern::GroupShift { group: 1, shift: 0 }),
    ("digit-reversal", TrafficPattern::DigitReversal { base: 2 }),
    ("complement", TrafficPattern::Complement),
    ("hot-spot", TrafficPattern::HotSpot { node: NodeId(0), part: 0.0 }),
];
pub(super) const INJECTIONS: [(&str, Injection); 2] =
    [("bernoulli", Injection::Bernoulli { slot: None }), ("exponential", Injection::Exponential)];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
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

pub(super) const SOURCE_RULES: [(&str, Sources); 2] =
    [("recorded", Sources::Recorded), ("as-posted", Sources::AsPosted)];

pub(super) const COMPUTE_RULES: [(&str, Compute); 2] =
    [("none", Compute::None), ("measured", Compute::Measured(1.0))];
