//! The fixed rules of Open MPI's component "tuned" (Open MPI 4.1 and 5.0,
//! `ompi/mca/coll/tuned/coll_tuned_decision_fixed.c`): limits of ranks, and for each of them limits of bytes, as means of
//! measurements on several clusters.
//!
//! Names are those of the catalogue. `chain` is a pipeline, since the rules ask for no fan-out, of which Open MPI makes
//! one chain (`coll_base_topo.c`); `two_proc` is what other algorithms do with two ranks; `tree` of the barrier, which goes
//! up a binomial tree and down again, is not in the catalogue: recursive doubling stands in for it, with half of its steps.
//! A vector with too few elements is given to another algorithm by those that cannot combine it
//! (`coll_base_allreduce.c`, `coll_base_reduce.c`). The rules have tables of their own for `MPI_Reduce_scatter_block` and
//! `MPI_Allgatherv`, which are left out: those for `MPI_Reduce_scatter` and `MPI_Allgather` count.

use super::Name;
use crate::collective::choice::{
    Allgather, Allreduce, Alltoall, Barrier, Bcast, Gather, Reduce, ReduceScatter, Scan, Scatter, Tables,
};
use crate::collective::selection::{Condition, Few, FromTo, Row};
use std::num::NonZeroU32;
use std::sync::LazyLock;

/// Names of the algorithms in `coll_tuned_..._algorithm` (Open MPI 4.1), with what they do when a user forces them: nothing is
/// cut into segments unless a segment size is set, so those that have one of their own here get [`WHOLE`]. The first rows
/// are for calls that an algorithm there hands to another (`coll_base_allreduce.c`, `coll_base_reduce.c`,
/// `coll_base_allgather.c`).
pub(super) static NAMES: LazyLock<Vec<Name>> =
    LazyLock::new(|| [names_of_reductions(), names_of_moves()].concat());

/// One segment.
const WHOLE: u32 = u32::MAX;

fn names_of_reductions() -> Vec<Name> {
    vec![
        Name::of("linear | basic-linear", [Row::always(Reduce::Linear)]),
        Name::of("chain", [Row::always(Reduce::Chain).fan_out(4)]),
        Name::of("pipeline", [Row::always(Reduce::Pipeline)]),
        Name::of("binary", [Row::always(Reduce::Binary)]),
        Name::of("binomial", [Row::always(Reduce::Binomial)]),
        Name::of("in-order-binary | in-order", [Row::always(Reduce::InOrderBinary)]),
        Name::of(
            "rabenseifner",
            [
                Row::always(Reduce::Linear).few(Few::BelowPower),
                Row::always(Reduce::Linear).commutes(false),
                Row::always(Reduce::Rabenseifner),
            ],
        ),
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
                Row::always(Allreduce::SegmentedRing).segment(WHOLE),
            ],
        ),
        Name::of(
            "rabenseifner",
            [
                Row::always(Allreduce::BasicLinear).few(Few::BelowPower),
                Row::always(Allreduce::BasicLinear).commutes(false),
                Row::always(Allreduce::Rabenseifner),
            ],
        ),
        Name::of("non-overlapping | nonoverlapping", [Row::always(ReduceScatter::ReduceScatterv)]),
        Name::of("recursive-halving", [Row::always(ReduceScatter::RecursiveHalving)]),
        Name::of("ring", [Row::always(ReduceScatter::Ring)]),
        Name::of("butterfly", [Row::always(ReduceScatter::Butterfly)]),
        Name::of("linear", [Row::always(Scan::Linear)]),
        Name::of("recursive-doubling", [Row::always(Scan::RecursiveDoubling)]),
    ]
}

fn names_of_moves() -> Vec<Name> {
    vec![
        Name::of("linear | basic-linear", [Row::always(Barrier::Linear)]),
        Name::of("double-ring", [Row::always(Barrier::DoubleRing)]),
        Name::of("recursive-doubling", [Row::always(Barrier::RecursiveDoubling)]),
        Name::of("bruck", [Row::always(Barrier::Dissemination)]),
        Name::of("basic-linear | linear", [Row::always(Bcast::Flat)]),
        Name::of("chain", [Row::always(Bcast::Chain).fan_out(4)]),
        Name::of("pipeline", [Row::always(Bcast::Pipeline)]),
        Name::of("split-binary | split-binary-tree", [Row::always(Bcast::SplitBinary)]),
        Name::of("binary | binary-tree", [Row::always(Bcast::Binary)]),
        Name::of("binomial", [Row::always(Bcast::BinomialNearestFirst)]),
        Name::of("knomial", [Row::always(Bcast::Knomial).fan_out(4)]),
        Name::of("scatter-allgather", [Row::always(Bcast::ScatterRecursiveDoubling)]),
        Name::of("scatter-allgather-ring", [Row::always(Bcast::ScatterRing)]),
        Name::of("linear | basic-linear", [Row::always(Gather::Linear)]),
        Name::of("binomial", [Row::always(Gather::Binomial)]),
        Name::of("linear-sync | linear-synch", [Row::always(Gather::LinearSync).segment(WHOLE)]),
        Name::of("linear | basic-linear", [Row::always(Scatter::Linear)]),
        Name::of("binomial", [Row::always(Scatter::Binomial)]),
        Name::of("linear-nb", [Row::always(Scatter::Flat)]),
        Name::of("linear | basic-linear", [Row::always(Allgather::Linear)]),
        Name::of("bruck", [Row::always(Allgather::Bruck)]),
        Name::of(
            "recursive-doubling",
            [Row::always(Allgather::RecursiveDoubling).power_of_two(true), Row::always(Allgather::Bruck)],
        ),
        Name::of("ring", [Row::always(Allgather::Ring)]),
        Name::of("neighbor", [Row::always(Allgather::NeighborExchange)]),
        Name::of("linear | basic-linear", [Row::always(Alltoall::Linear)]),
        Name::of("pairwise", [Row::always(Alltoall::SimpleSpread)]),
        Name::of("modified-bruck", [Row::always(Alltoall::Bruck)]),
        // All messages at once: `coll_tuned_alltoall_max_requests` is 0.
        Name::of("linear-sync | linear-synch", [Row::always(Alltoall::LinearSync)]),
    ]
}

/// Algorithms below so many ranks, and of those below so many bytes; `u64::MAX`: all others.
type Steps<A> = [(u64, &'static [(u64, A)])];

macro_rules! below {
    (_) => {
        u64::MAX
    };
    ($limit:literal) => {
        $limit
    };
}

/// `ranks: bytes Algorithm, bytes Algorithm, ...;` where each limit is the first that is too large.
macro_rules! steps {
    ($collective:ident; $($ranks:tt: $($bytes:tt $algorithm:ident),+;)+) => {{
        const STEPS: &Steps<$collective> =
            &[$((below!($ranks), &[$((below!($bytes), $collective::$algorithm)),+])),+];
        STEPS
    }};
}

/// Of what the limits are.
#[derive(Clone, Copy)]
enum Limits {
    Whole,
    PerRank,
}

fn rows<A: Copy>(limits: Limits, steps: &Steps<A>) -> Vec<Row<A>> {
    let mut rows = Vec::new();
    let mut from_ranks = 0;
    for &(below_ranks, of_ranks) in steps {
        let mut from = 0;
        for &(below, algorithm) in of_ranks {
            let ranks = between(from_ranks, below_ranks);
            let limit = between(from, below);
            let (bytes, bytes_per_rank) = match limits {
                Limits::Whole => (limit, None),
                Limits::PerRank => (None, limit),
            };
            let when = Condition { ranks, bytes, bytes_per_rank, ..Condition::default() };
            rows.push(Row { when, ..Row::always(algorithm) });
            from = below;
        }
        from_ranks = below_ranks;
    }
    rows
}

/// From one limit to below the next; nothing where that is no limit.
fn between(from: u64, below: u64) -> Option<FromTo> {
    let to = if below == u64::MAX { below } else { below - 1 };
    ((from, below) != (0, u64::MAX)).then_some(FromTo { from, to })
}

/// Each row of these, before which come those that stand in for it in a part of its calls.
fn with<A: Copy>(rows: Vec<Row<A>>, instead: impl Fn(&Row<A>) -> Option<Row<A>>) -> Vec<Row<A>> {
    rows.into_iter().flat_map(|row| [instead(&row), Some(row)]).flatten().collect()
}

pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables {
    barrier: rows(
        Limits::Whole,
        steps! { Barrier;
            4: _ RecursiveDoubling;
            8: _ Linear;
            64: _ RecursiveDoubling;
            256: _ Dissemination;
            512: _ RecursiveDoubling;
            1024: _ Dissemination;
            4096: _ RecursiveDoubling;
            _: _ Dissemination;
        },
    ),
    bcast: rows(Limits::Whole, BCAST),
    reduce: reduce(),
    allreduce: allreduce(),
    gather: gather(),
    scatter: rows(Limits::PerRank, SCATTER),
    allgather: allgather(),
    alltoall: alltoall(),
    // Of the component "basic": "tuned" has no rule of its own.
    scan: vec![Row::always(Scan::Linear)],
    reduce_scatter: reduce_scatter(),
});

const BCAST: &Steps<Bcast> = steps! { Bcast;
    4: 32 Pipeline, 256 Binary, 512 Pipeline, 1024 Knomial, 32768 Flat, 131072 Binary, 262144 Pipeline,
        524288 Flat, 1048576 BinomialNearestFirst, _ Binary;
    8: 64 Binary, 128 BinomialNearestFirst, 2048 Binary, 8192 BinomialNearestFirst, 1048576 Flat, _ Pipeline;
    16: 8 Knomial, 64 Binary, 4096 Knomial, 16384 Binary, 32768 BinomialNearestFirst, _ Flat;
    32: 4096 Knomial, 1048576 BinomialNearestFirst, _ ScatterRecursiveDoubling;
    64: 2048 BinomialNearestFirst, _ Knomial;
    128: _ Knomial;
    256: 2 BinomialNearestFirst, 16384 Binary, 32768 Flat, 65536 Binary, _ Knomial;
    1024: 16384 Knomial, 32768 SplitBinary, _ Knomial;
    2048: 524288 Knomial, _ ScatterRecursiveDoubling;
    4096: 262144 Knomial, _ ScatterRecursiveDoubling;
    _: 8192 Knomial, 16384 Binary, 262144 Knomial, _ ScatterRecursiveDoubling;
};

const REDUCE_IN_ORDER: &Steps<Reduce> = steps! { Reduce;
    4: 8 InOrderBinary, _ Linear;
    8: _ Linear;
    16: 1024 InOrderBinary, 8192 Linear, 16384 InOrderBinary, 262144 Linear, _ InOrderBinary;
    128: _ InOrderBinary;
    256: 512 InOrderBinary, 1024 Linear, _ InOrderBinary;
    _: _ InOrderBinary;
};

const REDUCE: &Steps<Reduce> = steps! { Reduce;
    4: 8 Rabenseifner, 16 Binary, 32 Pipeline, 262144 Linear, _ Pipeline;
    8: 4096 Binary, 65536 Pipeline, 262144 Binomial, 524288 Linear, 1048576 Binomial, _ Linear;
    16: 8192 Binary, _ Binomial;
    32: 4096 Binary, _ Binomial;
    256: _ Binomial;
    512: 8192 Binomial, 16384 InOrderBinary, _ Binomial;
    2048: _ Binomial;
    4096: 512 Binomial, 1024 InOrderBinary, 8192 Binomial, 16384 InOrderBinary, _ Binomial;
    _: 16 Binomial, 32 InOrderBinary, 1024 Binomial, 2048 InOrderBinary, 8192 Binomial, 16384 InOrderBinary,
        _ Binomial;
};

fn reduce() -> Vec<Row<Reduce>> {
    let few = |row: &Row<Reduce>| {
        let linear = Row { algorithm: Reduce::Linear, ..*row };
        (row.algorithm == Reduce::Rabenseifner).then(|| linear.few(Few::BelowPower))
    };
    let in_order = rows(Limits::Whole, REDUCE_IN_ORDER).into_iter().map(|row| row.commutes(false));
    in_order.chain(with(rows(Limits::Whole, REDUCE), few)).collect()
}

const ALLREDUCE_IN_ORDER: &Steps<Allreduce> = steps! { Allreduce;
    4: 131072 RecursiveDoubling, _ BasicLinear;
    8: _ RecursiveDoubling;
    16: 1048576 RecursiveDoubling, _ ReduceBcast;
    128: _ RecursiveDoubling;
    256: 131072 ReduceBcast, 524288 RecursiveDoubling, _ ReduceBcast;
    512: 4096 ReduceBcast, 524288 RecursiveDoubling, _ ReduceBcast;
    _: 2048 ReduceBcast, _ RecursiveDoubling;
};

/// The segmented ring has no segments here, and is a ring.
const ALLREDUCE: &Steps<Allreduce> = steps! { Allreduce;
    4: 8 Ring, 4096 RecursiveDoubling, 8192 Ring, 16384 RecursiveDoubling, 262144 Ring, _ Rabenseifner;
    8: 16 Ring, 8192 RecursiveDoubling, _ Rabenseifner;
    16: 8192 RecursiveDoubling, _ Rabenseifner;
    32: 64 Ring, 4096 RecursiveDoubling, _ Rabenseifner;
    64: 128 Ring, _ Rabenseifner;
    128: 262144 RecursiveDoubling, _ Rabenseifner;
    256: 131072 ReduceBcast, 262144 RecursiveDoubling, _ Rabenseifner;
    512: 4096 ReduceBcast, _ Rabenseifner;
    2048: 2048 ReduceBcast, 16384 RecursiveDoubling, _ Rabenseifner;
    4096: 2048 ReduceBcast, 4096 Ring, 16384 RecursiveDoubling, _ Rabenseifner;
    _: 2048 ReduceBcast, 16384 Ring, 32768 RecursiveDoubling, _ Rabenseifner;
};

fn allreduce() -> Vec<Row<Allreduce>> {
    let few = |row: &Row<Allreduce>| {
        let instead = |algorithm, few| Some(Row { algorithm, ..*row }.few(few));
        match row.algorithm {
            Allreduce::Ring => instead(Allreduce::RecursiveDoubling, Few::BelowRanks),
            Allreduce::Rabenseifner => instead(Allreduce::BasicLinear, Few::BelowPower),
            _ => None,
        }
    };
    let in_order = rows(Limits::Whole, ALLREDUCE_IN_ORDER).into_iter().map(|row| row.commutes(false));
    in_order.chain(with(rows(Limits::Whole, ALLREDUCE), few)).collect()
}

const GATHER: &Steps<Gather> = steps! { Gather;
    4: 2 LinearSync, 4 Linear, 32768 Binomial, 65536 Linear, 131072 Binomial, _ LinearSync;
    8: 1024 Binomial, 8192 Linear, 32768 Binomial, 262144 Linear, _ LinearSync;
    256: _ Binomial;
    512: 2048 Binomial, 8192 Linear, _ Binomial;
    _: _ Binomial;
};

/// The first segment of a gather that asks is the whole block: none is chosen.
fn gather() -> Vec<Row<Gather>> {
    let whole = |row: Row<Gather>| match row.algorithm {
        Gather::LinearSync => row.segment(NonZeroU32::MAX.get()),
        _ => row,
    };
    rows(Limits::PerRank, GATHER).into_iter().map(whole).collect()
}

const SCATTER: &Steps<Scatter> = steps! { Scatter;
    4: 2 Flat, 131072 Linear, 262144 Flat, _ Linear;
    8: 2048 Binomial, 4096 Linear, 8192 Binomial, 32768 Linear, 1048576 Flat, _ Linear;
    16: 16384 Binomial, 1048576 Flat, _ Linear;
    32: 16384 Binomial, 32768 Linear, _ Flat;
    64: 512 Binomial, 8192 Flat, 16384 Binomial, _ Flat;
    _: 512 Binomial, _ Flat;
};

const ALLGATHER: &Steps<Allgather> = steps! { Allgather;
    32: _ RecursiveDoubling;
    64: 1024 RecursiveDoubling, 65536 NeighborExchange, _ Ring;
    128: 512 RecursiveDoubling, 65536 NeighborExchange, _ Ring;
    256: 512 RecursiveDoubling, 131072 NeighborExchange, 524288 Ring, 1048576 NeighborExchange, _ Ring;
    512: 32 RecursiveDoubling, 128 Bruck, 1024 RecursiveDoubling, 131072 NeighborExchange, 524288 Ring,
        1048576 NeighborExchange, _ Ring;
    1024: 64 RecursiveDoubling, 256 Bruck, 2048 RecursiveDoubling, _ NeighborExchange;
    2048: 4 RecursiveDoubling, 8 Bruck, 16 RecursiveDoubling, 32 Bruck, 256 RecursiveDoubling, 512 Bruck,
        4096 RecursiveDoubling, _ NeighborExchange;
    4096: 32 Bruck, 128 RecursiveDoubling, 512 Bruck, 4096 RecursiveDoubling, _ NeighborExchange;
    _: 2 RecursiveDoubling, 8 Bruck, 16 RecursiveDoubling, 512 Bruck, 4096 RecursiveDoubling,
        _ NeighborExchange;
};

/// Recursive doubling is for powers of two; Bruck's algorithm takes its place for others.
fn allgather() -> Vec<Row<Allgather>> {
    let others = |row: &Row<Allgather>| {
        let bruck = Row { algorithm: Allgather::Bruck, ..*row };
        (row.algorithm == Allgather::RecursiveDoubling).then(|| bruck.power_of_two(false))
    };
    with(rows(Limits::PerRank, ALLGATHER), others)
}

const ALLTOALL: &Steps<Alltoall> = steps! { Alltoall;
    2: _ LinearSync;
    3: 32768 SimpleSpread, 262144 LinearSync, _ SimpleSpread;
    8: 8192 LinearSync, 16384 Linear, 65536 LinearSync, 524288 Linear, 1048576 SimpleSpread, _ Linear;
    16: 262144 LinearSync, _ Linear;
    32: 4 LinearSync, 512 Bruck, 8192 LinearSync, 32768 Linear, 262144 LinearSync, 524288 Linear, _ LinearSync;
    64: 512 Bruck, 524288 Linear, _ LinearSync;
    128: 1024 Bruck, 2048 Linear, 4096 LinearSync, 262144 Linear, _ SimpleSpread;
    256: 1024 Bruck, 2048 LinearSync, 262144 Linear, _ SimpleSpread;
    512: 1024 Bruck, 8192 LinearSync, 32768 Linear, _ SimpleSpread;
    1024: 512 Bruck, 8192 LinearSync, 16384 Linear, 131072 LinearSync, 262144 Linear, _ SimpleSpread;
    2048: 512 Bruck, 1024 LinearSync, 2048 Linear, 16384 LinearSync, 262144 Linear, _ LinearSync;
    4096: 1024 Bruck, 4096 LinearSync, 8192 Linear, 131072 LinearSync, _ Linear;
    _: 2048 Bruck, 8192 LinearSync, 16384 Linear, 32768 LinearSync, 65536 Linear, _ LinearSync;
};

/// Of `MPI_Alltoallv`: no rank knows all lengths.
const ALLTOALLV: &Steps<Alltoall> = steps! { Alltoall;
    4: _ SimpleSpread;
    64: _ Linear;
    128: _ SimpleSpread;
    256: _ Linear;
    1024: _ SimpleSpread;
    _: _ Linear;
};

fn alltoall() -> Vec<Row<Alltoall>> {
    let mut known = rows(Limits::PerRank, ALLTOALL);
    for row in &mut known {
        row.when.bytes_per_rank.get_or_insert(FromTo { from: 0, to: u64::MAX });
    }
    known.into_iter().chain(rows(Limits::PerRank, ALLTOALLV)).collect()
}

const REDUCE_SCATTER: &Steps<ReduceScatter> = steps! { ReduceScatter;
    4: 65536 Ring, 131072 Butterfly, _ Ring;
    8: 8 ReduceScatterv, 262144 RecursiveHalving, _ Ring;
    32: 262144 RecursiveHalving, _ Ring;
    64: 64 ReduceScatterv, 2048 RecursiveHalving, 524288 Butterfly, _ Ring;
    128: 256 ReduceScatterv, 512 RecursiveHalving, 2048 Butterfly, 4096 RecursiveHalving, _ Butterfly;
    256: 256 ReduceScatterv, 512 RecursiveHalving, _ Butterfly;
    512: 256 ReduceScatterv, 1024 RecursiveHalving, _ Butterfly;
    1024: 512 ReduceScatterv, 2048 RecursiveHalving, 8192 Butterfly, 16384 RecursiveHalving, _ Butterfly;
    2048: 512 ReduceScatterv, 4096 RecursiveHalving, 16384 Butterfly, 32768 RecursiveHalving, _ Butterfly;
    4096: 512 ReduceScatterv, 4096 RecursiveHalving, _ Butterfly;
    _: 1024 ReduceScatterv, 8192 RecursiveHalving, _ Butterfly;
};

fn reduce_scatter() -> Vec<Row<ReduceScatter>> {
    let in_order = Row::always(ReduceScatter::ReduceScatterv).commutes(false);
    [in_order].into_iter().chain(rows(Limits::Whole, REDUCE_SCATTER)).collect()
}
