//! Tables of libraries, and their names of algorithms.

use super::*;
use crate::OperandOrder::{self, Commute as Yes, Ordered as No};
use crate::choice::{Allgather, Allreduce, Alltoall, Bcast, Choice, Gather, Reduce};
use crate::folding::core;
use crate::selection::Situation;
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

    pub(super) fn is_short(ranks: usize, elements: usize, bytes: usize, commutes: OperandOrder) -> bool {
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

    pub(super) fn reduce_scatter(total: usize, commutes: OperandOrder) -> &'static str {
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
                for (collective, _) in CATALOG {
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
        for (collective, _) in CATALOG {
            let rows = preset.rows(collective);
            for (index, row) in rows.iter().enumerate() {
                assert!(!row.when.has_no_ranks(), "{preset:?} {collective} {index}");
                let earlier = rows[..index].iter().position(|earlier| earlier.when.covers(&row.when));
                assert_eq!(earlier, None, "{preset:?} {collective} row {index}");
            }
        }
    }
}

/// Both sides of limits in the tables, with each of the conditions; elements have four bytes.
#[test]
fn decisions_of_open_mpi_and_fujitsu() {
    for (preset, collective, ranks, bytes, expected) in [
        (Preset::OpenMpi, "bcast", 2, 31, "pipeline"),
        (Preset::OpenMpi, "bcast", 2, 32, "binary"),
        (Preset::OpenMpi, "bcast", 4096, 262_144, "scatter-recursive-doubling"),
        (Preset::OpenMpi, "allgather", 33, 33 * 1023, "bruck"),
        (Preset::OpenMpi, "allgather", 33, 33 * 1024, "neighbor-exchange"),
        (Preset::Fujitsu, "allreduce", 8, 32 << 10, "recursive-doubling"),
        (Preset::Fujitsu, "allreduce", 8, 64 << 10, "ring"),
        (Preset::Fujitsu, "reduce_scatter", 31, 64 << 10, "ring"),
        (Preset::Fujitsu, "reduce_scatter", 32, 64 << 10, "recursive-halving"),
    ] {
        let call = Situation::combining(ranks, bytes / 4, bytes, Yes);
        assert_eq!(
            taken(preset, collective, &call),
            expected,
            "{collective} of {ranks} ranks, {bytes} bytes"
        );
    }
    for (ranks, elements, bytes, commutes, expected) in [
        (8, 1000, 8192, Yes, "rabenseifner"),
        (8, 7, 8192, Yes, "basic-linear"),
        (40, 40, 127, Yes, "ring"),
        (40, 39, 127, Yes, "recursive-doubling"),
        (100, 1000, 8000, No, "recursive-doubling"),
    ] {
        let call = Situation::combining(ranks, elements, bytes, commutes);
        assert_eq!(taken(Preset::OpenMpi, "allreduce", &call), expected, "{ranks} {elements} {bytes}");
    }
    // A block goes at once.
    let choice = Choice { preset: Preset::OpenMpi, ..Choice::default() };
    let gather = choice.decided::<Gather>(&Situation::moving(2, 1 << 20));
    let segment = gather.parameters.gather.segment();
    assert_eq!((gather.gather, segment), (Gather::LinearSync, Some(u32::MAX as usize)));
    let choice = Choice { preset: Preset::Fujitsu, ..choice };
    let bcast = choice.decided::<Bcast>(&Situation::moving(33, 384 << 10));
    assert_eq!((bcast.bcast, bcast.parameters.bcast.segment()), (Bcast::Binary, Some(4 << 10)));
}

/// Every name with which times were measured on Fugaku and on MareNostrum 5 (repository HLC-Lab/pico), by collective; those
/// behind ` / ` are of algorithms that are not published.
const MEASURED: &str = "
fujitsu allgather: default bruck linear neighbor recursive-doubling ring / 3dtorus 3dtorus-sm gtbc
fujitsu allreduce: default basic_linear nonoverlapping recursive_doubling ring segmented_ring / rdbc trix3 trix6
fujitsu alltoall: default linear linear-sync modified-bruck pairwise / blacc3d blacc6d crp doublespread
fujitsu bcast: default basic-linear binary-tree binomial chain pipeline split-binary-tree / bintree3d bintree6d trinaryx3 trinaryx6
fujitsu gather: default basic-linear binomial linear-sync simple /
fujitsu reduce: default binary binomial chain in-order-binary linear pipeline / trinaryx3 trinaryx6
fujitsu reduce_scatter: default non-overlapping recursive-halving ring /
fujitsu scatter: default basic-linear binomial use-bcast /
open-mpi allgather: default neighbor recursive_doubling ring /
open-mpi allreduce: default rabenseifner recursive_doubling ring /
open-mpi alltoall: default linear linear_sync modified_bruck pairwise /
open-mpi bcast: default binary binomial knomial scatter_allgather scatter_allgather_ring split_binary /
open-mpi gather: default binomial linear linear_synch /
open-mpi reduce: default binary binomial in_order linear rabenseifner /
open-mpi reduce_scatter: default recursive_halving ring /
open-mpi scatter: default binomial linear linear_nb /
open-mpi barrier: default linear double_ring recursive_doubling bruck /
";

#[test]
fn every_measured_name_is_known_or_said_to_be_unpublished() {
    for line in MEASURED.lines().skip(1) {
        let (of, names) = line.split_once(": ").expect("of what");
        let (preset, collective) = of.split_once(' ').expect("a preset and a collective");
        let (_, preset) = Preset::ALL.into_iter().find(|(name, _)| *name == preset).expect("it is known");
        let (published, unpublished) = names.split_once('/').expect("there is one");
        for name in published.split_whitespace() {
            assert!(preset.known(collective, name).is_ok(), "{collective} {name}");
        }
        for name in unpublished.split_whitespace() {
            let expected = Err(NameError::Unpublished("Fujitsu MPI"));
            assert_eq!(preset.known(collective, name), expected, "{collective} {name}");
            // Whatever preset holds.
            assert_eq!(Preset::OpenMpi.known(collective, name), expected);
        }
    }
}

/// What stands for one algorithm, with its segment and fan-out; 0 where there is none.
#[track_caller]
fn stands_for(preset: Preset, name: &str, algorithm: impl Into<Named>, (segment, fan_out): (u32, u32)) {
    let algorithm = algorithm.into();
    let known = preset.known(algorithm.collective(), name).expect("it is known");
    let [row] = &known.rows[..] else { panic!("{name} stands for {:?}", known.rows) };
    assert_eq!((row.when, row.algorithm), (Condition::default(), algorithm), "{name}");
    let parameters = Parameters {
        segment: NonZeroU32::new(segment),
        fan_out: NonZeroU32::new(fan_out),
        ..Parameters::default()
    };
    assert_eq!(row.parameters, parameters, "{name}");
}

/// Names that mean another algorithm in the library than in the catalog, and the other way to write the catalog's.
#[test]
fn a_name_means_what_the_library_means() {
    use Preset::{Fujitsu, Mpich, OpenMpi};
    for preset in [OpenMpi, Fujitsu] {
        stands_for(preset, "binomial", Bcast::BinomialNearestFirst, (0, 0));
        stands_for(preset, "binomial-farthest-first", Bcast::Binomial, (0, 0));
        stands_for(preset, "binomial-nearest-first", Bcast::BinomialNearestFirst, (0, 0));
        stands_for(preset, "pairwise", Alltoall::SimpleSpread, (0, 0));
        stands_for(preset, "pairwise_xor", Alltoall::Pairwise, (0, 0));
        stands_for(preset, "linear_sync", Alltoall::LinearSync, (0, 0));
        stands_for(preset, "default", Bcast::Auto, (0, 0));
        stands_for(preset, "auto", Alltoall::Auto, (0, 0));
        stands_for(preset, "recursive-doubling-folded", Allgather::RecursiveDoubling, (0, 0));
        // What only weir has.
        stands_for(preset, "bucket-2d", Allreduce::Bucket2d, (0, 0));
        stands_for(preset, "linear_synch", Gather::LinearSync, (u32::MAX, 0));
    }
    stands_for(Mpich, "binomial", Bcast::Binomial, (0, 0));
    stands_for(Mpich, "pairwise", Alltoall::Pairwise, (0, 0));
    stands_for(OpenMpi, "chain", Bcast::Chain, (0, 4));
    stands_for(Fujitsu, "chain", Bcast::Chain, (0, 3));
    stands_for(Fujitsu, "simple", Gather::Flat, (0, 0));
    // Parameters of the library hold under all names of the algorithm.
    for name in ["binary", "binary_tree"] {
        stands_for(Fujitsu, name, Reduce::Binary, (64 * 1024, 0));
        stands_for(OpenMpi, name, Reduce::Binary, (0, 0));
    }
    let error = |preset: Preset, name: &str| preset.known("gather", name).unwrap_err();
    assert_eq!(error(Mpich, "simple"), NameError::OfOthers(vec!["fujitsu"]));
    assert_eq!(error(OpenMpi, "simple"), NameError::OfOthers(vec!["fujitsu"]));
    assert_eq!(error(Fujitsu, "simples"), NameError::Unknown);
    assert_eq!(error(Mpich, "default"), NameError::Unknown);
}

/// A ring of Open MPI is recursive doubling where ranks have no element each, and its recursive doubling of an all-gather is
/// Bruck's algorithm where ranks are no power of two.
#[test]
fn a_name_may_mean_several_algorithms() {
    let rows = |collective, name| Preset::OpenMpi.known(collective, name).expect("it is known").rows;
    let few = Condition { few: Some(ElementCount::BelowRanks), ..Condition::default() };
    let ring = rows("allreduce", "ring");
    assert_eq!((ring[0].when, ring[0].algorithm), (few, Allreduce::RecursiveDoubling.into()));
    assert_eq!((ring[1].when, ring[1].algorithm), (Condition::default(), Allreduce::Ring.into()));
    let doubling = rows("allgather", "recursive_doubling");
    assert_eq!(doubling[0].when, Condition { power_of_two: Some(true), ..Condition::default() });
    let algorithms: Vec<Named> = doubling.iter().map(|row| row.algorithm).collect();
    assert_eq!(algorithms, [Allgather::RecursiveDoubling.into(), Allgather::Bruck.into()]);
}

/// What the user chooses counts instead of what the table has, where an algorithm uses it; rows that become alike are one.
#[test]
fn parameters_of_the_user_come_first() {
    let chosen = Parameters {
        segment: NonZeroU32::new(1000),
        fan_out: NonZeroU32::new(7),
        trees: NonZeroU32::new(5),
        rings: NonZeroU32::new(3),
    };
    let with = |preset: Preset, collective, name: &str| {
        let rows = preset.known(collective, name).expect("it is known").with(chosen);
        rows.iter().map(|row| (row.algorithm, row.parameters)).collect::<Vec<_>>()
    };
    let only = |segment, fan_out| Parameters {
        segment: NonZeroU32::new(segment),
        fan_out: NonZeroU32::new(fan_out),
        ..Parameters::default()
    };
    assert_eq!(with(Preset::Fujitsu, "bcast", "chain"), [(Bcast::Chain.into(), only(1000, 7))]);
    let trees = Parameters { fan_out: None, rings: None, ..chosen };
    assert_eq!(with(Preset::Fujitsu, "bcast", "disjoint-trees"), [(Bcast::DisjointTrees.into(), trees)]);
    assert_eq!(with(Preset::Fujitsu, "reduce", "pipeline"), [(Reduce::Pipeline.into(), only(1000, 0))]);
    assert_eq!(with(Preset::OpenMpi, "bcast", "linear"), [(Bcast::Flat.into(), only(0, 0))]);
    let rings = Parameters { rings: NonZeroU32::new(3), ..Parameters::default() };
    assert_eq!(with(Preset::Mpich, "allgather", "ring"), [(Allgather::Ring.into(), rings)]);
    let doubling = (Allreduce::RecursiveDoubling.into(), only(0, 0));
    let ring = (Allreduce::SegmentedRing.into(), only(1000, 0));
    assert_eq!(with(Preset::OpenMpi, "allreduce", "segmented_ring"), [doubling, ring]);
}

/// The last row of a name fits every call, no name stands twice, and each is written as the table has it.
#[test]
fn tables_are_whole() {
    for (_, preset) in Preset::ALL {
        let mut all = Vec::new();
        for Name { collective, names, meaning } in preset.names() {
            assert!(CATALOG.iter().any(|(key, _)| key == collective));
            all.extend(names.iter().map(|name| (*collective, *name)));
            let Meaning::Rows(rows) = meaning else { continue };
            assert_eq!(rows.last().map(|row| row.when), Some(Condition::default()), "{collective} {names:?}");
            for row in rows {
                assert_eq!(row.algorithm.collective(), *collective);
                let uses = row.algorithm.algorithm().parameters;
                assert!(row.parameters.segment.is_none() || uses.contains(&Parameter::Segment), "{names:?}");
                assert!(row.parameters.fan_out.is_none() || uses.contains(&Parameter::FanOut), "{names:?}");
                assert!(row.parameters.trees.is_none() || uses.contains(&Parameter::Trees), "{names:?}");
            }
        }
        let count = all.len();
        assert!(all.iter().all(|(_, name)| !name.contains([' ', '_', '|'])));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}

/// Every algorithm of the catalog has a name with every preset that is read as this algorithm; with MPICH's it is that of
/// the catalog.
#[test]
fn every_algorithm_can_be_written() {
    for (collective, names) in CATALOG {
        for name in *names {
            let named = Named::new(collective, name).expect("in the catalog");
            assert_eq!(Preset::Mpich.name_of(named), *name);
            for (_, preset) in Preset::ALL {
                let written = preset.name_of(named);
                let rows = preset.known(collective, written).expect("it is known").rows;
                assert_eq!(rows.last().map(|row| row.algorithm), Some(named), "{collective} {name}");
            }
        }
        for (_, preset) in Preset::ALL {
            let names = preset.names_of(collective);
            assert!(names.iter().all(|name| preset.known(collective, name).is_ok()));
            assert!(names.contains(&"auto"));
        }
        assert_eq!(Preset::Mpich.names_of(collective), *names);
    }
}
