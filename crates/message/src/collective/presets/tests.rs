use super::*;
use crate::collective::Commutes::{self, No, Yes};
use crate::collective::choice::{
    Allgather, Allreduce, Alltoall, Barrier, Bcast, Choice, Gather, Reduce, ReduceScatter, Scan, Scatter,
};
use crate::collective::folding::core;
use crate::collective::selection::{Row, Selected, Situation};
use proptest::prelude::*;

fn decided<A: Selected>(preset: Preset, call: Situation) -> Choice {
    Choice { preset, ..Choice::default() }.decided::<A>(&call)
}

const CASES: u32 = 2000;

/// Sizes around the limits of tables, and of any magnitude.
fn sizes() -> impl Strategy<Value = usize> {
    let around = (0..27_u32, 0..5_usize, 1..6_usize).prop_map(|(bits, near, times)| {
        let limit = times << bits;
        (limit + near).saturating_sub(2)
    });
    prop_oneof![around, 0..1_usize << 24]
}

fn rank_counts() -> impl Strategy<Value = usize> {
    prop_oneof![1..70_usize, 1..10_000_usize, (0..13_u32).prop_map(|bits| 1 << bits)]
}

/// The rules of MPICH as formulas, apart from the table.
mod formulas {
    use super::*;

    const KIB: usize = 1024;

    pub(super) fn bcast(ranks: usize, bytes: usize) -> Bcast {
        if bytes < 12 * KIB || ranks < 8 {
            Bcast::Binomial
        } else if bytes < 512 * KIB && ranks.is_power_of_two() {
            Bcast::ScatterRecursiveDoubling
        } else {
            Bcast::ScatterRing
        }
    }

    pub(super) fn is_short(ranks: usize, elements: usize, bytes: usize, commutes: Commutes) -> bool {
        bytes <= 2 * KIB || elements < core(ranks) || commutes == No
    }

    pub(super) fn allgather(ranks: usize, total: usize) -> Allgather {
        if total < 512 * KIB && ranks.is_power_of_two() {
            Allgather::RecursiveDoubling
        } else if total < 80 * KIB {
            Allgather::Bruck
        } else {
            Allgather::Ring
        }
    }

    pub(super) fn alltoall(ranks: usize, block: usize) -> Alltoall {
        if block <= 256 && ranks >= 8 {
            Alltoall::Bruck
        } else if block <= 32 * KIB {
            Alltoall::Scattered
        } else if ranks.is_power_of_two() {
            Alltoall::Pairwise
        } else {
            Alltoall::SimpleSpread
        }
    }

    pub(super) fn reduce_scatter(total: usize, commutes: Commutes) -> ReduceScatter {
        match commutes {
            Yes if total < 512 * KIB => ReduceScatter::RecursiveHalving,
            No if total < 512 => ReduceScatter::RecursiveDoubling,
            _ => ReduceScatter::Pairwise,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn the_table_of_mpich_is_its_formulas(
        (ranks, bytes, extent, commutes) in (rank_counts(), sizes(), 1..65_usize, any::<bool>()),
    ) {
        let of = Preset::Mpich;
        let commutes = if commutes { Yes } else { No };
        let moving = Situation::moving(ranks, bytes);
        prop_assert_eq!(decided::<Bcast>(of, moving).bcast, formulas::bcast(ranks, bytes));
        prop_assert_eq!(decided::<Allgather>(of, moving).allgather, formulas::allgather(ranks, bytes));
        let blocks = Situation::moving(ranks, ranks * bytes);
        prop_assert_eq!(decided::<Alltoall>(of, blocks).alltoall, formulas::alltoall(ranks, bytes));
        prop_assert_eq!(decided::<Gather>(of, blocks).gather, Gather::Binomial);
        prop_assert_eq!(decided::<Scatter>(of, blocks).scatter, Scatter::Binomial);
        prop_assert_eq!(decided::<Scan>(of, moving).scan, Scan::RecursiveDoubling);
        let elements = bytes / extent;
        let call = Situation::combining(ranks, elements, elements * extent, commutes);
        let (reduce, allreduce) = match formulas::is_short(ranks, elements, elements * extent, commutes) {
            true => (Reduce::Binomial, Allreduce::RecursiveDoubling),
            false => (Reduce::Rabenseifner, Allreduce::Rabenseifner),
        };
        prop_assert_eq!(decided::<Reduce>(of, call).reduce, reduce);
        prop_assert_eq!(decided::<Allreduce>(of, call).allreduce, allreduce);
        let expected = formulas::reduce_scatter(elements * extent, commutes);
        prop_assert_eq!(decided::<ReduceScatter>(of, call).reduce_scatter, expected);
        let unknown = Situation::unknown(ranks);
        prop_assert_eq!(decided::<Alltoall>(of, unknown).alltoall, Alltoall::Scattered);
        prop_assert_eq!(decided::<Barrier>(of, unknown).barrier, Barrier::Dissemination);
    }

    #[test]
    fn a_preset_decides_every_call((ranks, bytes, elements) in (rank_counts(), sizes(), sizes())) {
        for (_, preset) in Preset::ALL {
            for call in [
                Situation::unknown(ranks),
                Situation::moving(ranks, bytes),
                Situation::combining(ranks, elements, bytes, Yes),
                Situation::combining(ranks, elements, bytes, No),
            ] {
                prop_assert_ne!(decided::<Barrier>(preset, call).barrier, Barrier::Auto);
                prop_assert_ne!(decided::<Alltoall>(preset, call).alltoall, Alltoall::Auto);
                if call.bytes.is_none() {
                    continue;
                }
                prop_assert_ne!(decided::<Bcast>(preset, call).bcast, Bcast::Auto);
                prop_assert_ne!(decided::<Reduce>(preset, call).reduce, Reduce::Auto);
                prop_assert_ne!(decided::<Allreduce>(preset, call).allreduce, Allreduce::Auto);
                prop_assert_ne!(decided::<Gather>(preset, call).gather, Gather::Auto);
                prop_assert_ne!(decided::<Scatter>(preset, call).scatter, Scatter::Auto);
                prop_assert_ne!(decided::<Allgather>(preset, call).allgather, Allgather::Auto);
                prop_assert_ne!(decided::<Scan>(preset, call).scan, Scan::Auto);
                prop_assert_ne!(decided::<ReduceScatter>(preset, call).reduce_scatter, ReduceScatter::Auto);
                // Pairwise exchange is for powers of two only.
                prop_assert!(
                    ranks.is_power_of_two() || decided::<Alltoall>(preset, call).alltoall != Alltoall::Pairwise
                );
            }
        }
    }
}

/// No row stands behind one that leaves nothing for it, and none asks for what cannot be.
#[test]
fn every_row_of_a_preset_can_be_reached() {
    fn check<A: Selected>(preset: Preset) {
        let rows: &[Row<A>] = A::rows(preset.tables());
        for (index, row) in rows.iter().enumerate() {
            assert!(!row.when.has_no_ranks(), "{preset:?} {} {index}", A::KEY);
            let earlier = rows[..index].iter().position(|earlier| earlier.when.covers(&row.when));
            assert_eq!(earlier, None, "{preset:?} {} row {index}", A::KEY);
        }
    }
    for (_, preset) in Preset::ALL {
        check::<Barrier>(preset);
        check::<Bcast>(preset);
        check::<Reduce>(preset);
        check::<Allreduce>(preset);
        check::<Gather>(preset);
        check::<Scatter>(preset);
        check::<Allgather>(preset);
        check::<Alltoall>(preset);
        check::<Scan>(preset);
        check::<ReduceScatter>(preset);
    }
}

/// Both sides of limits of the file named in the table's own page.
#[test]
fn decisions_of_open_mpi() {
    let of = Preset::OpenMpi;
    for (ranks, bytes, expected) in [
        (2, 31, Bcast::Pipeline),
        (2, 32, Bcast::Binary),
        (7, 1 << 20, Bcast::Pipeline),
        (16, (1 << 20) - 1, Bcast::BinomialNearestFirst),
        (16, 1 << 20, Bcast::ScatterRecursiveDoubling),
        (127, 1 << 30, Bcast::Knomial),
        (128, 1, Bcast::BinomialNearestFirst),
        (300, 16_384, Bcast::SplitBinary),
        (4096, 262_143, Bcast::Knomial),
        (4096, 262_144, Bcast::ScatterRecursiveDoubling),
    ] {
        let bcast = decided::<Bcast>(of, Situation::moving(ranks, bytes)).bcast;
        assert_eq!(bcast, expected, "{ranks} ranks, {bytes} bytes");
    }
    for (ranks, elements, bytes, commutes, expected) in [
        (8, 1000, 8191, Yes, Allreduce::RecursiveDoubling),
        (8, 1000, 8192, Yes, Allreduce::Rabenseifner),
        (8, 7, 8192, Yes, Allreduce::BasicLinear),
        (12, 8, 8192, Yes, Allreduce::Rabenseifner),
        (40, 40, 127, Yes, Allreduce::Ring),
        (40, 39, 127, Yes, Allreduce::RecursiveDoubling),
        (200, 1000, 131_071, Yes, Allreduce::ReduceBcast),
        (2, 100_000, 131_072, No, Allreduce::BasicLinear),
        (100, 1000, 8000, No, Allreduce::RecursiveDoubling),
    ] {
        let call = Situation::combining(ranks, elements, bytes, commutes);
        assert_eq!(decided::<Allreduce>(of, call).allreduce, expected, "{ranks} {elements} {bytes}");
    }
    for (ranks, block, expected) in [
        (32, 1023, Allgather::RecursiveDoubling),
        (33, 1023, Allgather::Bruck),
        (33, 1024, Allgather::NeighborExchange),
        (63, 65_536, Allgather::Ring),
        (31, 1 << 20, Allgather::Bruck),
    ] {
        let allgather = decided::<Allgather>(of, Situation::moving(ranks, ranks * block)).allgather;
        assert_eq!(allgather, expected, "{ranks} ranks, blocks of {block}");
    }
    for (ranks, block, expected) in
        [(16, 3, Alltoall::LinearSync), (16, 4, Alltoall::Bruck), (100, 262_144, Alltoall::SimpleSpread)]
    {
        let alltoall = decided::<Alltoall>(of, Situation::moving(ranks, ranks * block)).alltoall;
        assert_eq!(alltoall, expected, "{ranks} ranks, blocks of {block}");
    }
    assert_eq!(decided::<Alltoall>(of, Situation::unknown(3)).alltoall, Alltoall::SimpleSpread);
    assert_eq!(decided::<Alltoall>(of, Situation::unknown(4)).alltoall, Alltoall::Linear);
    // A block goes at once.
    let gather = decided::<Gather>(of, Situation::moving(2, 1 << 20));
    assert_eq!(
        (gather.gather, gather.parameters.gather.segment()),
        (Gather::LinearSync, Some(u32::MAX as usize))
    );
}

/// Both sides of limits of the table in the guide of the measurements.
#[test]
fn decisions_of_fujitsu() {
    let of = Preset::Fujitsu;
    const KIB: usize = 1024;
    for (ranks, bytes, expected, segment) in [
        (32, 512, Bcast::SplitBinary, None),
        (32, 513, Bcast::Binary, Some(4 * KIB)),
        (33, 768, Bcast::SplitBinary, None),
        (33, 384 * KIB, Bcast::Binary, Some(4 * KIB)),
        (8, 384 * KIB + 1, Bcast::Binary, Some(16 * KIB)),
        (8, 6 * KIB * KIB + 1, Bcast::Binary, Some(64 * KIB)),
    ] {
        let choice = decided::<Bcast>(of, Situation::moving(ranks, bytes));
        assert_eq!((choice.bcast, choice.parameters.bcast.segment()), (expected, segment), "{ranks} {bytes}");
    }
    for (ranks, bytes, expected) in [
        (8, 32 * KIB, Allreduce::RecursiveDoubling),
        (8, 32 * KIB + 4, Allreduce::ReduceBcast),
        (8, 64 * KIB, Allreduce::Ring),
        (64, 96 * KIB, Allreduce::RecursiveDoubling),
        (64, 96 * KIB + 4, Allreduce::ReduceBcast),
        (3841, 48 * KIB + 4, Allreduce::ReduceBcast),
    ] {
        let call = Situation::combining(ranks, bytes / 4, bytes, Yes);
        assert_eq!(decided::<Allreduce>(of, call).allreduce, expected, "{ranks} ranks, {bytes} bytes");
    }
    for (ranks, bytes, expected) in [
        (32, 12 * KIB, ReduceScatter::RecursiveHalving),
        (31, 12 * KIB + 4, ReduceScatter::Ring),
        (32, 256 * KIB, ReduceScatter::RecursiveHalving),
        (32, 256 * KIB + 4, ReduceScatter::Ring),
        (33, 12, ReduceScatter::ReduceScatterv),
        (33, 1 << 30, ReduceScatter::RecursiveHalving),
    ] {
        let call = Situation::combining(ranks, bytes / 4, bytes, Yes);
        assert_eq!(decided::<ReduceScatter>(of, call).reduce_scatter, expected, "{ranks} {bytes}");
    }
    for (ranks, bytes, expected) in [
        (8, 128, Scatter::UseBcast),
        (8, 1 << 20, Scatter::Binomial),
        (8, (1 << 20) + 1, Scatter::Linear),
        (33, 128, Scatter::Binomial),
    ] {
        assert_eq!(decided::<Scatter>(of, Situation::moving(ranks, bytes)).scatter, expected);
    }
    let gather = |block: usize| decided::<Gather>(of, Situation::moving(8, 8 * block)).gather;
    assert_eq!((gather(1536), gather(1537)), (Gather::Binomial, Gather::Flat));
    let reduce = |ranks, bytes| decided::<Reduce>(of, Situation::combining(ranks, bytes / 4, bytes, Yes));
    assert_eq!(reduce(32, 4 * KIB).reduce, Reduce::Binomial);
    let long = reduce(32, 4 * KIB + 4);
    assert_eq!((long.reduce, long.parameters.reduce.segment()), (Reduce::InOrderBinary, Some(64 * KIB)));
    assert_eq!(reduce(33, 6 * KIB).reduce, Reduce::Binomial);
}
