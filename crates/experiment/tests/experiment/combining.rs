//! `[[combining]]`, and what is combined by a collective as workload: what is accepted, what is refused and how, and what it takes.

use crate::{TORUS, again, check_problems, load, load_with, table};
use weir_message::{CombiningRow, ElementName, OperationName};
use weir_units::Bandwidth;

fn with(rows: &str) -> String {
    format!("{TORUS}\n{rows}\n")
}

#[track_caller]
fn check(rows: &str, expected: &str) {
    check_problems(load(&with(rows)), expected);
}

fn row(operations: &[&str], elements: &[&str], bandwidth: f64) -> CombiningRow {
    CombiningRow {
        operations: operations.iter().map(|name| OperationName::named(name).unwrap()).collect(),
        elements: elements.iter().map(|name| ElementName::named(name).unwrap()).collect(),
        up_to: None,
        bandwidth: Bandwidth::new(bandwidth).unwrap(),
    }
}

#[test]
fn rows_are_read() {
    let text = with(
        "[[combining]]\noperation = 'MPI_SUM'\ntype = ['double', 'MPI_FLOAT']\nbandwidth = '12 GB/s'\n\
         [[combining]]\noperation = ['max', 'user']\nbandwidth = '3 GB/s'\n\
         [[combining]]\ntype = 'unsigned char'\nbandwidth = '2 GB/s'\n[[combining]]\nbandwidth = '1 GB/s'",
    );
    let scenario = load(&text).unwrap();
    let expected = [
        row(&["sum"], &["double", "float"], 12e9),
        row(&["max", "user"], &[], 3e9),
        row(&[], &["uint8"], 2e9),
        row(&[], &[], 1e9),
    ];
    assert_eq!(scenario.combining, expected);
    assert_eq!(again(&scenario), scenario);
    assert_eq!(scenario.resolved()["combining"][0]["type"], serde_json::json!(["double", "float"]));
    assert!(load(TORUS).unwrap().resolved().get("combining").is_none());
    let overridden = load_with(&text, &["combining.1.bandwidth=5 GB/s"]).unwrap();
    assert_eq!(overridden.combining[1], row(&["max", "user"], &[], 5e9));
}

#[test]
fn what_is_refused() {
    let cases = r#"
        [combining]; x = 1 => combining: must be a list of tables begin each with [[combining]]
        [[combining]] => combining.0.bandwidth: is missing write bandwidth = "12 GB/s"
        [[combining]]; bandwidth = '0 B/s' => combining.0.bandwidth: greater than zero
        [[combining]]; operation = 'MPI_SUMM'; type = ['double', 'flot']; speed = 1 => combining.0.bandwidth: is missing && combining.0.operation: must be one of sum, prod, max, min && combining.0.type: must be one of int8, int16 && combining.0.speed: unknown key
        R; operation = 'MPI_SUMM' => combining.0.operation: did you mean "MPI_SUM"?
        R; type = 'MPI_DUOBLE' => combining.0.type: did you mean "MPI_DOUBLE"?
        R; type = [] => combining.0.type: must not be empty leave it out for all
        R; type = ['int', 'MPI_INT'] => combining.0.type: is named twice
        R; operation = ['maxloc', 'band']; type = 'double' => combining.0.type: fits no reduction: MPI has no maxloc, band of such elements
        R; R => combining.1.bandwidth: fits wherever it does
        R; R; operation = 'sum' => combining.1.bandwidth: can never be reached: combining.0 fits
        R; operation = 'sum'; R; R; operation = 'sum'; type = 'int' => combining.2.bandwidth: fits wherever it does
        R; operation = ['sum', 'max']; type = ['int', 'long']; R; operation = 'max'; type = 'MPI_INT64_T' => combining.1.bandwidth: fits wherever it does
    "#;
    let row = "[[combining]]\nbandwidth = '1 GB/s'";
    for (rows, expected) in table(cases) {
        let rows: Vec<&str> = rows.lines().map(|line| if line == "R" { row } else { line }).collect();
        check(&rows.join("\n"), expected);
    }
    let narrower_first = "R\noperation = 'sum'\ntype = 'int'\nR\noperation = 'sum'\nR\ntype = 'int'\nR";
    load(&with(&narrower_first.replace('R', "[[combining]]\nbandwidth = '1 GB/s'"))).unwrap();
}

/// Two ranks on the ideal engine: 1 us, 1 GB/s.
fn two(workload: &str, rows: &str) -> String {
    format!(
        "[engine]\nkind = 'ideal'\nlatency = '1 us'\nbandwidth = '1 GB/s'\n[workload]\n{workload}\n{rows}\n"
    )
}

#[test]
fn what_a_collective_cannot_combine() {
    let of = |operation: &str, keys: &str| {
        let workload = format!(
            "ranks = 2\nkind = 'collective'\noperation = '{operation}'\nmessage_size = '12 kB'\n{keys}"
        );
        load(&two(&workload, ""))
    };
    let no_maxloc = "MPI has no maxloc of int32 they compare pairs: write datatype = \"double-int\"";
    check_problems(of("reduce", "reduction = 'maxloc'"), &format!("workload.reduction: {no_maxloc}"));
    let said = "workload.datatype: MPI has no band of double";
    check_problems(of("reduce", "reduction = 'band'\ndatatype = 'double'"), said);
    check_problems(of("reduce", "reduction = 'summ'"), "workload.reduction: did you mean \"sum\"?");
    check_problems(of("reduce", "datatype = 'doble'"), "workload.datatype: did you mean \"double\"?");
    let said = "workload.reduction: does not belong to bcast, which combines nothing && workload.datatype: does not belong to bcast, which combines nothing";
    check_problems(of("bcast", "reduction = 'sum'\ndatatype = 'int32'"), said);
    let hint = "numbers of 32 bytes are combined: must be a multiple write message_size = \"12032 B\"";
    check_problems(
        load(&two(
            "ranks = 2\nkind = 'collective'\noperation = 'reduce'\nmessage_size = '12001 B'\ndatatype = 'long double _Complex'",
            "",
        )),
        &format!("workload.message_size: {hint}"),
    );
}
