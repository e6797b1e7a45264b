//! Which algorithm runs: `[[selection]]`, presets, and the names of the library that a preset stands for.

use crate::common::named::*;
use crate::{TORUS, again, load};
use weir_experiment::Scenario;
use weir_run::run;

/// One collective of 16 ranks.
fn of(operation: &str, size: &str, keys: &str) -> String {
    let machine = TORUS.split_once("kind = \"all-to-all\"").unwrap().0;
    let size = if operation == "barrier" { String::new() } else { format!("message_size = '{size}'") };
    format!("{machine}kind = 'collective'\noperation = '{operation}'\n{size}\n{keys}\n")
}

fn digest_of(scenario: &Scenario) -> String {
    let summary = run(scenario, &mut |_| {}).unwrap().summary;
    format!("{} {}", summary.digest, summary.simulated.as_ps())
}

fn digest(text: &str) -> String {
    digest_of(&load(text).unwrap())
}

/// What the table says of every call is what `[collectives]` says outright; a collective that is named takes no notice of it.
#[test]
fn a_table_is_as_good_as_a_name() {
    for (operation, algorithm, parameters) in [
        ("barrier", "double-ring", ""),
        ("bcast", "chain", "segment_size = '1 KiB'\nfan_out = 3"),
        ("reduce", "pipeline", "segment_size = '1 KiB'"),
        ("allreduce", "ring", ""),
        ("gather", "flat", ""),
        ("scatter", "linear", ""),
        ("allgather", "neighbor-exchange", ""),
        ("alltoall", "linear-sync", "fan_out = 2"),
        ("reduce_scatter", "butterfly", ""),
    ] {
        let row = format!(
            "[[selection]]\ncollective = '{operation}'\nalgorithm = '{algorithm}'\nranks = [16, 16]\n{parameters}"
        );
        let named: String = parameters.lines().map(|line| format!("{operation}_{line}\n")).collect();
        let outright = format!("[collectives]\n{operation} = '{algorithm}'\n{named}");
        let size = "64 KiB";
        let by_table = digest(&of(operation, size, &row));
        assert_eq!(by_table, digest(&of(operation, size, &outright)), "{operation}");
        assert_ne!(by_table, digest(&of(operation, size, "")), "{operation}: the preset has another");
        // Another number of ranks, and a name that counts for more.
        let elsewhere = row.replace("[16, 16]", "[17, 32]");
        assert_eq!(digest(&of(operation, size, &elsewhere)), digest(&of(operation, size, "")));
        let both = format!("{}\n{outright}", row.replace(algorithm, "auto").replace(parameters, ""));
        assert_eq!(digest(&of(operation, size, &both)), by_table, "{operation}");
    }
}

/// `bytes` is the whole vector of a rank, for every operation as in the workload: just fits, and just does not.
#[test]
fn bytes_are_those_of_the_workload() {
    for (operation, algorithm) in [
        ("bcast", "flat"),
        ("reduce", "flat"),
        ("allreduce", "ring"),
        ("gather", "flat"),
        ("scatter", "linear"),
        ("allgather", "linear"),
        ("alltoall", "linear"),
        ("reduce_scatter", "ring"),
    ] {
        let outright = format!("[collectives]\n{operation} = '{algorithm}'");
        let row = |key: &str, from: &str, to: &str| {
            let row = format!("[[selection]]\ncollective = '{operation}'\nalgorithm = '{algorithm}'\n");
            digest(&of(operation, "64 KiB", &format!("{row}{key} = ['{from}', '{to}']")))
        };
        let (named, default) =
            (digest(&of(operation, "64 KiB", &outright)), digest(&of(operation, "64 KiB", "")));
        assert_ne!(named, default, "{operation}");
        assert_eq!(row("bytes", "64 KiB", "any"), named, "{operation}");
        assert_eq!(row("bytes", "1 B", "64 KiB"), named, "{operation}");
        assert_eq!(row("bytes", "any", "65535 B"), default, "{operation}");
        assert_eq!(row("bytes", "65537 B", "any"), default, "{operation}");
        assert_eq!(row("bytes_per_rank", "4 KiB", "4 KiB"), named, "{operation}");
        assert_eq!(row("bytes_per_rank", "4097 B", "any"), default, "{operation}");
    }
}

/// Each preset is what its own table says of a call with 16 ranks; see the tests of the tables.
#[test]
fn presets_decide() {
    for (preset, operation, size, collectives) in [
        ("mpich", "allreduce", "64 KiB", "allreduce = 'rabenseifner'"),
        ("open-mpi", "allreduce", "2 KiB", "allreduce = 'recursive-doubling'"),
        ("fujitsu", "allreduce", "128 KiB", "allreduce = 'ring'"),
        (
            "fujitsu",
            "allreduce",
            "48 KiB",
            "allreduce = 'reduce-bcast'\nreduce = 'in-order-binary'\nreduce_segment_size = '64 KiB'\n\
             bcast = 'binary'\nbcast_segment_size = '4 KiB'",
        ),
    ] {
        let by_preset = digest(&of(operation, size, &format!("[collectives]\npreset = '{preset}'")));
        let named = digest(&of(operation, size, &format!("[collectives]\n{collectives}")));
        assert_eq!(by_preset, named, "{preset} {operation} {size}");
    }
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
        let expected = digest_of(&expected);
        let own = experiment(preset, operation, size, &format!("{operation} = '{name}'")).unwrap();
        assert_eq!(digest_of(&own), expected, "{preset} {operation} {name}");
        let scenario = named(preset, operation, size, name).unwrap();
        assert_eq!(digest_of(&scenario), expected, "{preset} {operation} {name} as workload.algorithm");
        for scenario in [own, scenario] {
            let repeated = again(&scenario);
            assert_eq!(repeated, scenario, "{:#}", scenario.resolved());
            assert_eq!(digest_of(&repeated), expected);
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
        assert_eq!(digest_of(&one), digest_of(&other));
    }
    // Nothing else is alike.
    for name in ["reducescatter", "reduce scatter", "reduce--scatter", "Reduce-Scatter"] {
        assert!(experiment("mpich", name, "4 kB", "").is_err(), "{name}");
    }
}
