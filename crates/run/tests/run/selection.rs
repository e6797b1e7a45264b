//! `[[selection]]` and `collectives.preset`: what is accepted, what is refused and how, and what decides.

use crate::{TORUS, load};
use weir_run::run;

/// One collective of 16 ranks.
fn of(operation: &str, size: &str, keys: &str) -> String {
    let machine = TORUS.split_once("kind = \"all-to-all\"").unwrap().0;
    let size = if operation == "barrier" { String::new() } else { format!("message_size = '{size}'") };
    format!("{machine}kind = 'collective'\noperation = '{operation}'\n{size}\n{keys}\n")
}

fn digest(text: &str) -> String {
    let report = run(&load(text).unwrap(), &mut |_| {}).unwrap();
    format!("{} {}", report.summary.digest, report.summary.simulated.as_ps())
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
