//! What Fujitsu MPI takes on Fugaku, with up to 15,360 ranks, and its names. Its own algorithms for Tofu are not published; the nearest of
//! the catalogue stand in for them:
//!
//! | there | here |
//! |---|---|
//! | bintree3d, bintree6d, trinaryx6 (trees over three or six interfaces) | `binary`, in segments as there |
//! | trinaryx3 of a reduction | `in-order-binary`, in segments of 64 KiB |
//! | rdbc, trinaryx3 of an all-reduction | `reduce-bcast` |
//! | gtbc | `linear`: gather, then broadcast |
//! | 3dtorus | `neighbor-exchange` |
//! | doublespread, simple | `linear` and `flat`: all at once |
//!
//! Recursive doubling of an all-gather is Bruck's algorithm where ranks are no power of two, and scans are linear, as in
//! Open MPI, of which the library is made. The hardware's barrier is not in the table: the machine file of Fugaku has it (`hardware`).

use super::{KIB, MIB, Name};
use crate::collective::choice::{
    Allgather, Allreduce, Alltoall, Barrier, Bcast, Gather, Reduce, ReduceScatter, Scan, Scatter, Tables,
};
use crate::collective::selection::{Few, Row};
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// Up to here the table has other rows than beyond.
const FEW_RANKS: RangeInclusive<u64> = 1..=32;

/// Segments of the trees of Tofu.
const SEGMENTS: [(u64, u32); 3] =
    [(384 * KIB, 4 * KIB as u32), (6 * MIB, 16 * KIB as u32), (u64::MAX, 64 * KIB as u32)];

/// Segments of reductions along trees.
const REDUCE_SEGMENT: u32 = 64 * KIB as u32;

/// Chains of a reduction hand the whole vector on up to 8 MiB, and a quarter of it at a time where there are times beyond: of 64
/// and of 512 MiB. Where between them the segment changes is not known.
fn in_quarters(chains: Row<Reduce>) -> [Row<Reduce>; 3] {
    const LONG: u64 = 8 * MIB + 1;
    const LONGER: u64 = 128 * MIB + 1;
    [chains.bytes(LONGER..).segment(128 * MIB as u32), chains.bytes(LONG..).segment(16 * MIB as u32), chains]
}

/// Segments of a ring.
const RING_SEGMENT: u32 = MIB as u32;

/// One segment.
const WHOLE: u32 = u32::MAX;

/// Names of the algorithms, with what they do when a user forces them. Numbers of chains, and segments, follow from times
/// measured on Fugaku (D. De Sensi, S. Pasqualoni: repository HLC-Lab/pico, 2025): a chain of 512 ranks takes as long as 171
/// messages in a row. The first rows of some are for calls that the algorithm hands to another, as in Open MPI.
pub(super) static NAMES: LazyLock<Vec<Name>> =
    LazyLock::new(|| [names_of_reductions(), names_of_moves(), unpublished()].concat());

fn names_of_reductions() -> Vec<Name> {
    vec![
        Name::of("linear | basic-linear", [Row::always(Reduce::Linear)]),
        Name::of("binomial", [Row::always(Reduce::Binomial)]),
        Name::of("binary | binary-tree", [Row::always(Reduce::Binary).segment(REDUCE_SEGMENT)]),
        Name::of("in-order-binary | in-order", [Row::always(Reduce::InOrderBinary).segment(REDUCE_SEGMENT)]),
        Name::of("chain", in_quarters(Row::always(Reduce::Chain).fan_out(3))),
        Name::of("pipeline", in_quarters(Row::always(Reduce::Pipeline))),
        Name::of("basic-linear | linear", [Row::always(Allreduce::BasicLinear)]),
        Name::of("nonoverlapping | non-overlapping", [Row::always(Allreduce::ReduceBcast)]),
        Name::of("recursive-doubling", [Row::always(Allreduce::RecursiveDoubling)]),
        Name::of(
            "ring",
            [Row::always(Allreduce::RecursiveDoubling).few(Few::BelowRanks), Row::always(Allreduce::Ring)],
        ),
        Name::of(
            "segmented-ring | ring-segmented",
            [
                Row::always(Allreduce::RecursiveDoubling).few(Few::BelowRanks),
                Row::always(Allreduce::SegmentedRing).segment(RING_SEGMENT),
            ],
        ),
        Name::of("non-overlapping | nonoverlapping", [Row::always(ReduceScatter::ReduceScatterv)]),
        Name::of("recursive-halving", [Row::always(ReduceScatter::RecursiveHalving)]),
        Name::of("ring", [Row::always(ReduceScatter::Ring)]),
        Name::of("linear", [Row::always(Scan::Linear)]),
    ]
}

fn names_of_moves() -> Vec<Name> {
    vec![
        Name::of("linear | basic-linear", [Row::always(Barrier::Linear)]),
        Name::of("double-ring", [Row::always(Barrier::DoubleRing)]),
        Name::of("recursive-doubling", [Row::always(Barrier::RecursiveDoubling)]),
        Name::of("bruck", [Row::always(Barrier::Dissemination)]),
        Name::of("basic-linear | linear", [Row::always(Bcast::Flat)]),
        Name::of("binomial", [Row::always(Bcast::BinomialNearestFirst)]),
        Name::of("binary-tree | binary", [Row::always(Bcast::Binary)]),
        Name::of(
            "split-binary-tree | split-binary",
            [Row::always(Bcast::Chain).fan_out(3).bytes(..=4), Row::always(Bcast::SplitBinary)],
        ),
        Name::of("chain", [Row::always(Bcast::Chain).fan_out(3)]),
        Name::of("pipeline", [Row::always(Bcast::Pipeline)]),
        Name::of("linear | basic-linear", [Row::always(Gather::Linear)]),
        Name::of("binomial", [Row::always(Gather::Binomial)]),
        Name::of("linear-sync | linear-synch", [Row::always(Gather::LinearSync).segment(WHOLE)]),
        Name::of("simple", [Row::always(Gather::Flat)]),
        Name::of("linear | basic-linear", [Row::always(Scatter::Linear)]),
        Name::of("binomial", [Row::always(Scatter::Binomial)]),
        Name::of("use-bcast", [Row::always(Scatter::UseBcast)]),
        Name::of("linear | basic-linear", [Row::always(Allgather::Linear)]),
        Name::of("bruck", [Row::always(Allgather::Bruck)]),
        Name::of(
            "recursive-doubling",
            [Row::always(Allgather::RecursiveDoubling).power_of_two(true), Row::always(Allgather::Bruck)],
        ),
        Name::of("ring", [Row::always(Allgather::Ring)]),
        Name::of("neighbor", [Row::always(Allgather::NeighborExchange)]),
        Name::of("linear | basic-linear", [Row::always(Alltoall::Linear)]),
        Name::of("linear-sync | linear-synch", [Row::always(Alltoall::LinearSync)]),
        Name::of("pairwise", [Row::always(Alltoall::SimpleSpread)]),
        Name::of("modified-bruck", [Row::always(Alltoall::Bruck)]),
    ]
}

/// The library's own algorithms for Tofu, whose steps are not published.
fn unpublished() -> Vec<Name> {
    let own = |collective, names| Name::unpublished(collective, "Fujitsu MPI", names);
    vec![
        own("bcast", "bintree3d | bintree6d | trinaryx3 | trinaryx6 | trix3 | trix6"),
        own("reduce", "trinaryx3 | trinaryx6 | trix3 | trix6"),
        own("allreduce", "rdbc | trix3 | trix6 | trinaryx3 | trinaryx6"),
        own("allgather", "3dtorus | 3dtorus-sm | 3dtorus-fm | gtbc"),
        own("alltoall", "blacc3d | blacc6d | crp | doublespread"),
    ]
}

pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables {
    barrier: vec![
        Row::always(Barrier::RecursiveDoubling).power_of_two(true),
        Row::always(Barrier::Dissemination),
    ],
    bcast: bcast(),
    reduce: vec![
        Row::always(Reduce::Binomial).ranks(FEW_RANKS).bytes(..=4 * KIB),
        Row::always(Reduce::Binomial).ranks(33..).bytes(..=6 * KIB),
        Row::always(Reduce::InOrderBinary).segment(REDUCE_SEGMENT),
    ],
    allreduce: vec![
        Row::always(Allreduce::Ring).ranks(FEW_RANKS).bytes_per_rank(8 * KIB..),
        Row::always(Allreduce::RecursiveDoubling).ranks(FEW_RANKS).bytes(..=32 * KIB),
        Row::always(Allreduce::RecursiveDoubling).ranks(33..=3840).bytes(..=96 * KIB),
        Row::always(Allreduce::RecursiveDoubling).ranks(3841..).bytes(..=48 * KIB),
        Row::always(Allreduce::ReduceBcast),
    ],
    gather: vec![Row::always(Gather::Binomial).bytes_per_rank(..=3 * KIB / 2), Row::always(Gather::Flat)],
    scatter: vec![
        Row::always(Scatter::UseBcast).ranks(FEW_RANKS).bytes(..=128),
        Row::always(Scatter::Linear).ranks(FEW_RANKS).bytes(MIB + 1..),
        Row::always(Scatter::Binomial),
    ],
    allgather: vec![
        Row::always(Allgather::NeighborExchange).bytes_per_rank(8 * KIB..),
        Row::always(Allgather::RecursiveDoubling).bytes(..=64 * KIB).power_of_two(true),
        Row::always(Allgather::Bruck).bytes(..=64 * KIB),
        Row::always(Allgather::Linear).bytes(..=512 * KIB),
        Row::always(Allgather::NeighborExchange),
    ],
    alltoall: vec![Row::always(Alltoall::Bruck).bytes_per_rank(..=192), Row::always(Alltoall::Linear)],
    scan: vec![Row::always(Scan::Linear)],
    reduce_scatter: vec![
        Row::always(ReduceScatter::RecursiveHalving).ranks(FEW_RANKS).bytes(..=12 * KIB),
        Row::always(ReduceScatter::RecursiveHalving).ranks(FEW_RANKS).bytes(..=256 * KIB).power_of_two(true),
        Row::always(ReduceScatter::Ring).ranks(FEW_RANKS),
        Row::always(ReduceScatter::ReduceScatterv).bytes(3..=12),
        Row::always(ReduceScatter::RecursiveHalving),
    ],
});

fn bcast() -> Vec<Row<Bcast>> {
    let short = [
        Row::always(Bcast::SplitBinary).ranks(FEW_RANKS).bytes(..=512),
        Row::always(Bcast::SplitBinary).ranks(33..).bytes(..=768),
    ];
    let along_trees = SEGMENTS.map(|(to, segment)| Row::always(Bcast::Binary).bytes(..=to).segment(segment));
    short.into_iter().chain(along_trees).collect()
}
