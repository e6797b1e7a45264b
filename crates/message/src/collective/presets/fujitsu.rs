//! What Fujitsu MPI takes on Fugaku, with up to 15,360 ranks. Its own algorithms for Tofu are not published; the nearest of
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
//! Open MPI, of which the library is made. The hardware's barrier is left out.

use super::{KIB, MIB};
use crate::collective::choice::{
    Allgather, Allreduce, Alltoall, Barrier, Bcast, Gather, Reduce, ReduceScatter, Scan, Scatter, Tables,
};
use crate::collective::selection::Row;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// Up to here the table has other rows than beyond.
const FEW_RANKS: RangeInclusive<u64> = 1..=32;

/// Segments of the trees of Tofu.
const SEGMENTS: [(u64, u32); 3] =
    [(384 * KIB, 4 * KIB as u32), (6 * MIB, 16 * KIB as u32), (u64::MAX, 64 * KIB as u32)];

/// Segments of reductions along trees.
const REDUCE_SEGMENT: u32 = 64 * KIB as u32;

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
