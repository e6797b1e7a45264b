//! The rules of MPICH (Thakur, Rabenseifner, Gropp: "Optimization of collective communication operations in MPICH", 2005,
//! section 4; limits as MPICH has them, whose names are given at each: `MPIR_CVAR_...`).

use super::KIB;
use crate::collective::choice::{
    Allgather, Allreduce, Alltoall, Barrier, Bcast, Gather, Reduce, ReduceScatter, Scan, Scatter, Tables,
};
use crate::collective::selection::{Few, Row};
use std::sync::LazyLock;

pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables {
    barrier: vec![Row::always(Barrier::Dissemination)],
    // BCAST_SHORT_MSG_SIZE, BCAST_MIN_PROCS, BCAST_LONG_MSG_SIZE
    bcast: vec![
        Row::always(Bcast::Binomial).bytes(..12 * KIB),
        Row::always(Bcast::Binomial).ranks(..8),
        Row::always(Bcast::ScatterRecursiveDoubling).bytes(..512 * KIB).power_of_two(true),
        Row::always(Bcast::ScatterRing),
    ],
    // REDUCE_SHORT_MSG_SIZE
    reduce: vec![
        Row::always(Reduce::Binomial).bytes(..=2 * KIB),
        Row::always(Reduce::Binomial).few(Few::BelowPower),
        Row::always(Reduce::Binomial).commutes(false),
        Row::always(Reduce::Rabenseifner),
    ],
    // ALLREDUCE_SHORT_MSG_SIZE
    allreduce: vec![
        Row::always(Allreduce::RecursiveDoubling).bytes(..=2 * KIB),
        Row::always(Allreduce::RecursiveDoubling).few(Few::BelowPower),
        Row::always(Allreduce::RecursiveDoubling).commutes(false),
        Row::always(Allreduce::Rabenseifner),
    ],
    gather: vec![Row::always(Gather::Binomial)],
    scatter: vec![Row::always(Scatter::Binomial)],
    // ALLGATHER_LONG_MSG_SIZE, ALLGATHER_SHORT_MSG_SIZE
    allgather: vec![
        Row::always(Allgather::RecursiveDoubling).bytes(..512 * KIB).power_of_two(true),
        Row::always(Allgather::Bruck).bytes(..80 * KIB),
        Row::always(Allgather::Ring),
    ],
    // ALLTOALL_SHORT_MSG_SIZE, ALLTOALL_MEDIUM_MSG_SIZE; the last is for MPI_Alltoallv.
    alltoall: vec![
        Row::always(Alltoall::Bruck).bytes_per_rank(..=256).ranks(8..),
        Row::always(Alltoall::Scattered).bytes_per_rank(..=32 * KIB),
        Row::always(Alltoall::Pairwise).bytes_per_rank(..).power_of_two(true),
        Row::always(Alltoall::SimpleSpread).bytes_per_rank(..),
        Row::always(Alltoall::Scattered),
    ],
    scan: vec![Row::always(Scan::RecursiveDoubling)],
    // REDUCE_SCATTER_COMMUTATIVE_LONG_MSG_SIZE; the other limit is the paper's.
    reduce_scatter: vec![
        Row::always(ReduceScatter::RecursiveHalving).bytes(..512 * KIB).commutes(true),
        Row::always(ReduceScatter::RecursiveDoubling).bytes(..512).commutes(false),
        Row::always(ReduceScatter::Pairwise),
    ],
});
