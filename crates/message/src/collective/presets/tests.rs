use super::*;
use crate::collective::Commutes::{self, No, Yes};
use crate::collective::choice::{Bcast, CATALOGUE, Choice, Gather, Reduce};
use crate::collective::folding::core;
use crate::collective::selection::Situation;
use proptest::prelude::*;

/// The algorithm that a preset takes for a call.
fn taken(preset: Preset, collective: &str, call: &Situation) -> &'static str {
    let row = preset.rows(collective).iter().find(|row| row.when.fits(call));
    row.unwrap_or_else(|| panic!("{preset:?} decides {collective}")).algorithm.algorithm().name
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

    pub(super) fn bcast(ranks: usize, bytes: usize) -> &'static str {
        if bytes < 12 * KIB || ranks < 8 {
            "binomial"
        } else if bytes < 512 * KIB && ranks.is_power_of_two() {
            "scatter-recursive-doubling"
        } else {
            "scatter-ring"
        }
    }

    pub(super) fn is_short(ranks: usize, elements: usize, bytes: usize, commutes: Commutes) -> bool {
        bytes <= 2 * KIB || elements < core(ranks) || commutes == No
    }

    pub(super) fn allgather(ranks: usize, total: usize) -> &'static str {
        if total < 512 * KIB && ranks.is_power_of_two() {
            "recursive-doubling"
        } else if total < 80 * KIB {
            "bruck"
        } else {
            "ring"
        }
    }

    pub(super) fn alltoall(ranks: usize, block: usize) -> &'static str {
        if block <= 256 && ranks >= 8 {
            "bruck"
        } else if block <= 32 * KIB {
            "scattered"
        } else if ranks.is_power_of_two() {
            "pairwise"
        } else {
            "simple-spread"
        }
    }

    pub(super) fn reduce_scatter(total: usize, commutes: Commutes) -> &'static str {
        match commutes {
            Yes if total < 512 * KIB => "recursive-halving",
            No if total < 512 => "recursive-doubling",
            _ => "pairwise",
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn the_table_of_mpich_is_its_formulas(
        (ranks, bytes, extent, commutes) in (rank_counts(), sizes(), 1..65_usize, any::<bool>()),
    ) {
        let taken = |collective, call| taken(Preset::Mpich, collective, &call);
        let commutes = if commutes { Yes } else { No };
        let (moving, blocks) = (Situation::moving(ranks, bytes), Situation::moving(ranks, ranks * bytes));
        prop_assert_eq!(taken("bcast", moving), formulas::bcast(ranks, bytes));
        prop_assert_eq!(taken("allgather", moving), formulas::allgather(ranks, bytes));
        prop_assert_eq!(taken("alltoall", blocks), formulas::alltoall(ranks, bytes));
        prop_assert_eq!([taken("gather", blocks), taken("scatter", blocks)], ["binomial"; 2]);
        prop_assert_eq!(taken("scan", moving), "recursive-doubling");
        let elements = bytes / extent;
        let call = Situation::combining(ranks, elements, elements * extent, commutes);
        let expected = match formulas::is_short(ranks, elements, elements * extent, commutes) {
            true => ["binomial", "recursive-doubling"],
            false => ["rabenseifner"; 2],
        };
        prop_assert_eq!([taken("reduce", call), taken("allreduce", call)], expected);
        prop_assert_eq!(taken("reduce_scatter", call), formulas::reduce_scatter(elements * extent, commutes));
        let unknown = Situation::unknown(ranks);
        prop_assert_eq!([taken("alltoall", unknown), taken("barrier", unknown)], ["scattered", "dissemination"]);
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
                for (collective, _) in CATALOGUE {
                    if call.bytes.is_some() || ["barrier", "alltoall"].contains(collective) {
                        prop_assert_ne!(taken(preset, collective, &call), "auto");
                    }
                }
                // Pairwise exchange is for powers of two only.
                prop_assert!(ranks.is_power_of_two() || taken(preset, "alltoall", &call) != "pairwise");
            }
        }
    }
}

/// No row stands behind one that leaves nothing for it, and none asks for what cannot be.
#[test]
fn every_row_of_a_preset_can_be_reached() {
    for (_, preset) in Preset::ALL {
        for (collective, _) in CATALOGUE {
            let rows = preset.rows(collective);
            for (index, row) in rows.iter().enumerate() {
                assert!(!row.when.has_no_ranks(), "{preset:?} {collective} {index}");
                let earlier = rows[..index].iter().position(|earlier| earlier.when.covers(&row.when));
                assert_eq!(earlier, None, "{preset:?} {collective} row {index}");
            }
        }
    }
}

/// Checks rows of: collective, ranks, bytes, expected algorithm. Elements have four bytes.
#[track_caller]
fn check(preset: Preset, rows: &[(&str, usize, usize, &str)]) {
    for &(collective, ranks, bytes, expected) in rows {
        let call = Situation::combining(ranks, bytes / 4, bytes, Yes);
        assert_eq!(
            taken(preset, collective, &call),
            expected,
            "{collective} of {ranks} ranks, {bytes} bytes"
        );
    }
}

/// Both sides of limits of the file named in the table's own page.
#[test]
fn decisions_of_open_mpi() {
    let of = Preset::OpenMpi;
    check(
        of,
        &[
            ("bcast", 2, 31, "pipeline"),
            ("bcast", 2, 32, "binary"),
            ("bcast", 7, 1 << 20, "pipeline"),
            ("bcast", 16, (1 << 20) - 1, "binomial-nearest-first"),
            ("bcast", 16, 1 << 20, "scatter-recursive-doubling"),
            ("bcast", 127, 1 << 30, "knomial"),
            ("bcast", 128, 1, "binomial-nearest-first"),
            ("bcast", 300, 16_384, "split-binary"),
            ("bcast", 4096, 262_143, "knomial"),
            ("bcast", 4096, 262_144, "scatter-recursive-doubling"),
            ("allgather", 32, 32 * 1023, "recursive-doubling"),
            ("allgather", 33, 33 * 1023, "bruck"),
            ("allgather", 33, 33 * 1024, "neighbor-exchange"),
            ("allgather", 63, 63 * 65_536, "ring"),
            ("allgather", 31, 31 << 20, "bruck"),
            ("alltoall", 16, 16 * 3, "linear-sync"),
            ("alltoall", 16, 16 * 4, "bruck"),
            ("alltoall", 100, 100 * 262_144, "simple-spread"),
        ],
    );
    for (ranks, elements, bytes, commutes, expected) in [
        (8, 1000, 8191, Yes, "recursive-doubling"),
        (8, 1000, 8192, Yes, "rabenseifner"),
        (8, 7, 8192, Yes, "basic-linear"),
        (12, 8, 8192, Yes, "rabenseifner"),
        (40, 40, 127, Yes, "ring"),
        (40, 39, 127, Yes, "recursive-doubling"),
        (200, 1000, 131_071, Yes, "reduce-bcast"),
        (2, 100_000, 131_072, No, "basic-linear"),
        (100, 1000, 8000, No, "recursive-doubling"),
    ] {
        let call = Situation::combining(ranks, elements, bytes, commutes);
        assert_eq!(taken(of, "allreduce", &call), expected, "{ranks} {elements} {bytes}");
    }
    let alltoallv = [3, 4].map(|ranks| taken(of, "alltoall", &Situation::unknown(ranks)));
    assert_eq!(alltoallv, ["simple-spread", "linear"]);
    // A block goes at once.
    let choice = Choice { preset: of, ..Choice::default() };
    let gather = choice.decided::<Gather>(&Situation::moving(2, 1 << 20));
    let segment = gather.parameters.gather.segment();
    assert_eq!((gather.gather, segment), (Gather::LinearSync, Some(u32::MAX as usize)));
}

/// Both sides of limits of the table in the guide of the measurements.
#[test]
fn decisions_of_fujitsu() {
    let of = Preset::Fujitsu;
    const KIB: usize = 1024;
    check(
        of,
        &[
            ("allreduce", 8, 32 * KIB, "recursive-doubling"),
            ("allreduce", 8, 32 * KIB + 4, "reduce-bcast"),
            ("allreduce", 8, 64 * KIB, "ring"),
            ("allreduce", 64, 96 * KIB, "recursive-doubling"),
            ("allreduce", 64, 96 * KIB + 4, "reduce-bcast"),
            ("allreduce", 3841, 48 * KIB + 4, "reduce-bcast"),
            ("reduce_scatter", 32, 12 * KIB, "recursive-halving"),
            ("reduce_scatter", 31, 12 * KIB + 4, "ring"),
            ("reduce_scatter", 32, 256 * KIB, "recursive-halving"),
            ("reduce_scatter", 32, 256 * KIB + 4, "ring"),
            ("reduce_scatter", 33, 12, "reduce-scatterv"),
            ("reduce_scatter", 33, 1 << 30, "recursive-halving"),
            ("scatter", 8, 128, "use-bcast"),
            ("scatter", 8, 1 << 20, "binomial"),
            ("scatter", 8, (1 << 20) + 1, "linear"),
            ("scatter", 33, 128, "binomial"),
            ("gather", 8, 8 * 1536, "binomial"),
            ("gather", 8, 8 * 1537, "flat"),
            ("reduce", 32, 4 * KIB, "binomial"),
            ("reduce", 32, 4 * KIB + 4, "in-order-binary"),
            ("reduce", 33, 6 * KIB, "binomial"),
        ],
    );
    let choice = Choice { preset: of, ..Choice::default() };
    for (ranks, bytes, expected, segment) in [
        (32, 512, Bcast::SplitBinary, None),
        (32, 513, Bcast::Binary, Some(4 * KIB)),
        (33, 768, Bcast::SplitBinary, None),
        (33, 384 * KIB, Bcast::Binary, Some(4 * KIB)),
        (8, 384 * KIB + 1, Bcast::Binary, Some(16 * KIB)),
        (8, 6 * KIB * KIB + 1, Bcast::Binary, Some(64 * KIB)),
    ] {
        let choice = choice.decided::<Bcast>(&Situation::moving(ranks, bytes));
        assert_eq!((choice.bcast, choice.parameters.bcast.segment()), (expected, segment), "{ranks} {bytes}");
    }
    let call = Situation::combining(32, 4 * KIB, 4 * KIB + 4, Yes);
    assert_eq!(choice.decided::<Reduce>(&call).parameters.reduce.segment(), Some(64 * KIB));
}
