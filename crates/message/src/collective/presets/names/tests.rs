use super::*;
use crate::collective::choice::{Allgather, Allreduce, Alltoall, Bcast, Gather, Reduce};
use crate::collective::selection::{Condition, ElementCount};
use std::num::NonZeroU32;

const PRESETS: [Preset; 3] = [Preset::Mpich, Preset::OpenMpi, Preset::Fujitsu];

fn collectives() -> impl Iterator<Item = &'static str> {
    CATALOGUE.iter().map(|&(key, _)| key)
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

/// Names that mean another algorithm in the library than in the catalogue, and the other way to write the catalogue's.
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
    for preset in PRESETS {
        let mut all = Vec::new();
        for Name { collective, names, meaning } in preset.names() {
            assert!(collectives().any(|key| key == *collective));
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

/// Every algorithm of the catalogue has a name with every preset that is read as this algorithm; with MPICH's it is that of
/// the catalogue.
#[test]
fn every_algorithm_can_be_written() {
    for (collective, names) in CATALOGUE {
        for name in *names {
            let named = Named::new(collective, name).expect("in the catalogue");
            assert_eq!(Preset::Mpich.name_of(named), *name);
            for preset in PRESETS {
                let written = preset.name_of(named);
                let rows = preset.known(collective, written).expect("it is known").rows;
                assert_eq!(rows.last().map(|row| row.algorithm), Some(named), "{collective} {name}");
            }
        }
        for preset in PRESETS {
            let names = preset.names_of(collective);
            assert!(names.iter().all(|name| preset.known(collective, name).is_ok()));
            assert!(names.contains(&"auto"));
        }
        assert_eq!(Preset::Mpich.names_of(collective), *names);
    }
}
