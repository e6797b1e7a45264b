//! Algorithms by the names of the library that a preset stands for.

use crate::common::named::*;
use crate::{again, load};
use weir_experiment::Scenario;
use weir_run::run;

fn digest(scenario: &Scenario) -> String {
    format!("{:?}", run(scenario, &mut |_| ()).unwrap().summary.digest)
}

/// A name of a library runs as weir's own name for the same, in `[collectives]` and in the workload alike, and what is resolved
/// has a name that means it with the preset, and runs to the same digest.
#[test]
fn a_name_of_a_library_is_an_algorithm_of_weir() {
    for (preset, operation, size, name, own, keys) in [
        ("open-mpi", "bcast", "1 MB", "binomial", "binomial-nearest-first", ""),
        ("fujitsu", "bcast", "1 MB", "binomial", "binomial-nearest-first", ""),
        ("mpich", "bcast", "1 MB", "binomial", "binomial", ""),
        ("fujitsu", "bcast", "1 MB", "chain", "chain", "bcast_fan_out = 3"),
        ("open-mpi", "bcast", "1 MB", "chain", "chain", "bcast_fan_out = 4"),
        ("fujitsu", "bcast", "1 MB", "split-binary-tree", "split-binary", ""),
        ("fujitsu", "bcast", "4 B", "split-binary-tree", "chain", "bcast_fan_out = 3"),
        ("open-mpi", "alltoall", "1 MiB", "pairwise", "simple-spread", ""),
        ("mpich", "alltoall", "1 MiB", "pairwise", "pairwise", ""),
        ("fujitsu", "gather", "1 MiB", "simple", "flat", ""),
        ("fujitsu", "reduce", "1 MiB", "in-order-binary", "in-order-binary", "reduce_segment_size='64 KiB'"),
        ("fujitsu", "reduce", "1 MiB", "pipeline", "pipeline", ""),
        ("fujitsu", "reduce", "64 MiB", "pipeline", "pipeline", "reduce_segment_size = '16 MiB'"),
        ("open-mpi", "reduce_scatter", "1 MiB", "recursive_halving", "recursive-halving", ""),
        // As many elements as ranks, and fewer.
        ("open-mpi", "allreduce", "32 B", "ring", "ring", ""),
        ("open-mpi", "allreduce", "28 B", "ring", "recursive-doubling", ""),
        ("open-mpi", "allgather", "1 MiB", "recursive_doubling", "recursive-doubling", ""),
        ("open-mpi", "barrier", "0 B", "bruck", "dissemination", ""),
    ] {
        let expected =
            experiment("mpich", operation, size, &format!("{operation} = '{own}'\n{keys}")).unwrap();
        let expected = digest(&expected);
        let own = experiment(preset, operation, size, &format!("{operation} = '{name}'")).unwrap();
        assert_eq!(digest(&own), expected, "{preset} {operation} {name}");
        let scenario = named(preset, operation, size, name).unwrap();
        assert_eq!(digest(&scenario), expected, "{preset} {operation} {name} as workload.algorithm");
        for scenario in [own, scenario] {
            let repeated = again(&scenario);
            assert_eq!(repeated, scenario, "{:#}", scenario.resolved());
            assert_eq!(digest(&repeated), expected);
        }
    }
}

/// Hyphens and underscores are the same in every name that a value may be: what is resolved has the name of the reference, and the run
/// is the same, the packets' preset with all that it fills in among it.
#[test]
fn names_have_hyphens_or_underscores() {
    let machine = "topology = { kind = 'torus', shape = [4, 4], bandwidth = '1 GB/s' }\n";
    for (one, other) in [
        (
            "workload = { kind = 'collective', operation = 'reduce_scatter', message_size = '4 kB', datatype = 'long-double' }\n",
            [("reduce_scatter", "reduce-scatter"), ("long-double", "long_double")],
        ),
        (
            "workload = { kind = 'collective', operation = 'allreduce', algorithm = 'recursive-doubling', message_size = '4 kB' }\n\
                  collectives = { preset = 'open-mpi' }\n",
            [("recursive-doubling", "recursive_doubling"), ("open-mpi", "open_mpi")],
        ),
        (
            "workload = { kind = 'collective', operation = 'reduce_scatter', message_size = '4 kB' }\n\
                  [[selection]]\ncollective = 'reduce_scatter'\nalgorithm = 'recursive-halving'\n",
            [
                ("collective = 'reduce_scatter'", "collective = 'reduce-scatter'"),
                ("recursive-halving", "recursive_halving"),
            ],
        ),
        (
            "workload = { kind = 'all-to-all', algorithm = 'simple-spread', message_size = '4 kB' }\n",
            [("all-to-all", "all_to_all"), ("simple-spread", "simple_spread")],
        ),
        (
            "workload = { kind = 'permutation', permutation = 'bit-reverse', message_size = '4 kB' }\n\
                  engine = { kind = 'packet' }\npacket = { preset = 'nsim-torus' }\nnode = { nics = 'per-direction' }\n",
            [("nsim-torus", "nsim_torus"), ("per-direction", "per_direction")],
        ),
    ] {
        let one = format!("{machine}{one}");
        let other = other.iter().fold(one.clone(), |text, (name, alike)| {
            assert!(text.contains(name), "{name}: {text}");
            text.replacen(name, alike, 1)
        });
        let [one, other] =
            [&one, &other].map(|text| load(text).unwrap_or_else(|problems| panic!("{text}: {problems}")));
        assert_eq!(one.resolved(), other.resolved());
        assert_eq!(digest(&one), digest(&other));
    }
    // Nothing else is alike.
    for name in ["reducescatter", "reduce scatter", "reduce--scatter", "Reduce-Scatter"] {
        assert!(experiment("mpich", name, "4 kB", "").is_err(), "{name}");
    }
}
