//! What it takes to combine: rows of `[[combining]]`.

use crate::{Folder, TORUS, again, load, load_with};
use proptest::prelude::*;
use weir_message::{ElementName, OperationName};
use weir_run::run;

/// Two ranks on the ideal engine: 1 us, 1 GB/s.
fn two(workload: &str, rows: &str) -> String {
    format!(
        "[engine]\nkind = 'ideal'\nlatency = '1 us'\nbandwidth = '1 GB/s'\n[workload]\n{workload}\n{rows}\n"
    )
}

fn nanoseconds(text: &str) -> u64 {
    let report = run(&load(text).unwrap(), &mut |_| {}).unwrap();
    report.summary.simulated.as_ps() / 1000
}

const ROWS: &str = "[node]\ncombine_bandwidth = '4 GB/s'\n\
                    [[combining]]\noperation = 'sum'\ntype = 'double'\nbandwidth = '2 GB/s'\n\
                    [[combining]]\noperation = 'maxloc'\nbandwidth = '500 MB/s'\n";

/// 12,000 bytes each way by recursive doubling: there at 13 us, and combined for 12,000 bytes at 4, 2 or 0.5 GB/s.
#[test]
fn a_collective_as_workload_takes_what_its_row_says() {
    let workload = |keys: &str| {
        format!(
            "ranks = 2\nkind = 'collective'\noperation = 'allreduce'\nalgorithm = 'recursive-doubling'\n\
             message_size = '12 kB'\n{keys}"
        )
    };
    let time = |keys: &str| nanoseconds(&two(&workload(keys), ROWS));
    assert_eq!([time(""), time("reduction = 'sum'\ndatatype = 'int32'")], [16_000; 2]);
    assert_eq!(time("datatype = 'double'"), 19_000);
    assert_eq!(time("datatype = 'MPI_DOUBLE'\nreduction = 'max'"), 16_000);
    assert_eq!(time("reduction = 'maxloc'\ndatatype = 'MPI_DOUBLE_INT'"), 37_000);
    let scenario = load(&two(&workload("datatype = 'double'"), ROWS)).unwrap();
    assert_eq!(scenario.resolved()["workload"]["datatype"], "double");
    assert_eq!(again(&scenario), scenario);
}

/// The same as a profile, of which one says what it combines; of the other it is not known, and a warning says so.
#[test]
fn profiles_that_say_what_they_combine() {
    let run = |words: &str, rows: &str| {
        let line = |rank: usize| format!("{rank} allreduce 12 kB element 8 {words}\n{rank} end\n");
        let version = if words.is_empty() { 3 } else { 4 };
        let profile = format!("weir-profile {version}\nranks 2\n{}{}", line(0), line(1));
        let folder = Folder::with(&[("sum.profile", &profile)]);
        let workload = format!("kind = 'profile'\nfile = '{}'", folder.path().join("sum.profile").display());
        let text = two(&workload, rows);
        let scenario = load_with(&text, &["collectives.allreduce=recursive-doubling"]).unwrap();
        let report = run(&scenario, &mut |_| {}).unwrap();
        (report.summary.simulated.as_ps() / 1000, scenario.warnings().len())
    };
    assert_eq!(run("op sum type double", ROWS), (19_000, 0));
    assert_eq!(run("op sum type int64", ROWS), (16_000, 0));
    assert_eq!(run("op user", ROWS), (16_000, 0));
    assert_eq!(run("", ROWS), (16_000, 1));
    // A row for everything is for what is not known, too.
    assert_eq!(run("", "[[combining]]\nbandwidth = '1 GB/s'\n"), (25_000, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Rows that all say what `combine_bandwidth` says change nothing, on any engine and with any operation.
    #[test]
    fn rows_that_say_the_same_change_nothing(
        operation in 0..OperationName::ALL.len(),
        element in 0..ElementName::ALL.len(),
        what in prop_oneof![Just("reduce"), Just("allreduce"), Just("reduce_scatter")],
        engine in prop_oneof![Just("flow"), Just("packet")],
        count in 1..900_u64,
    ) {
        let (operation, known) = OperationName::ALL[operation];
        let (element, of, _) = ElementName::ALL[element];
        prop_assume!(weir_message::is_defined(known, of));
        let machine = TORUS.split_once("kind = \"all-to-all\"").unwrap().0;
        let text = |rows: &str| {
            let size = count * of.size() as u64;
            let workload = format!(
                "kind = 'collective'\noperation = '{what}'\nreduction = '{operation}'\ndatatype = '{element}'\n\
                 message_size = '{size} B'"
            );
            format!("{machine}{workload}\n[node]\ncombine_bandwidth = '700 MB/s'\n{rows}")
        };
        let run = |rows: &str| {
            let report = run(&load_with(&text(rows), &[&format!("engine.kind={engine}")]).unwrap(), &mut |_| {}).unwrap();
            (report.summary.digest, report.summary.simulated)
        };
        let rows = format!(
            "[[combining]]\noperation = '{operation}'\ntype = '{element}'\nbandwidth = '700 MB/s'\n\
             [[combining]]\nbandwidth = '700 MB/s'\n"
        );
        prop_assert_eq!(run(""), run(&rows));
        // A row for something else changes nothing either.
        if (operation, element) != ("user", "2real") {
            prop_assert_eq!(run(""), run("[[combining]]\noperation = 'user'\ntype = '2real'\nbandwidth = '1 B/s'\n"));
        }
    }
}
