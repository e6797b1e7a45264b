use super::*;
use crate::{
    Bound, End, Estimate, FoldBy, LeftOut, Operation, Parameter, Precision, Quantity, Row, Spread, Verdict,
};
use weir_analysis::contest::COLLECTIVES;

/// Nanoseconds of all rows are 1000; what is predicted is that times a ratio.
fn row(operation: &'static str, algorithm: &str, bytes: u64, ratio: f64) -> FittedRow {
    let operation =
        if operation == "pingpong" { Operation::PingPong } else { Operation::Collective(operation) };
    let algorithm = Some(algorithm.to_owned()).filter(|name| !name.is_empty());
    let (file, job, set) = ("m.csv".to_owned(), String::new(), vec!["a=1".to_owned(), "b=2".to_owned()]);
    let row = Row { file, line: 7, operation, job, algorithm, bytes, seconds: 1e-6, set };
    FittedRow { row, first: 2e-6, predicted: ratio * 1e-6, fold: 3, unseen: None }
}

fn estimate(name: &str, value: f64, verdict: Verdict, factor: f64, with: &[usize]) -> Estimate {
    let (key, element) = match name.rsplit_once('.') {
        Some((key, last)) if last.parse::<usize>().is_ok() => (key, last.parse().ok()),
        _ => (name, None),
    };
    let quantity = if name.contains("bandwidth") { Quantity::Rate } else { Quantity::Time };
    let parameter = Parameter { name: name.to_owned(), key: key.to_owned(), element, quantity, start: value };
    let with = with.iter().map(|&other| (other, 0.99)).collect();
    Estimate { parameter, value, precision: Precision { verdict, factor, with } }
}

fn calibration(estimates: Vec<Estimate>, rows: Vec<FittedRow>, document: &str) -> Calibration {
    Calibration {
        estimates,
        rows,
        left_out: LeftOut::default(),
        ignored: Vec::new(),
        notes: Vec::new(),
        passed_over: Vec::new(),
        end: End::Converged,
        runs: 0,
        fold_by: FoldBy::Rows,
        layouts: Vec::new(),
        document: document.parse().unwrap(),
        source: "m.csv".to_owned(),
    }
}

/// Rows that are off by more than a tenth, and by half as much again as half of all rows, to one side: of an operation, or of sizes
/// that follow each other. A hint names no key that has been fitted. In a line are rows as bytes and ratios, behind a stroke keys that have
/// been fitted, and behind an arrow what is said: S and L stand for keys of short and of long messages.
#[test]
fn rows_that_are_off_alike_name_a_suspect() {
    let exact = "alltoall 8:1 64:1 4096:1 1048576:1 2097152:1 ";
    let rest = "4096:1 8192:1 16384:1";
    let ends = "1048576:1 2097152:1";
    let cases = format!(
        "pingpong 8:1.09 64:1.09 {rest} =>
         pingpong 8:1.5 64:1 {rest} =>
         pingpong 8:1.11 64:1.11 {rest} => rows from 8 B to 64 B are all predicted too long: S
         pingpong 8:1.11 64:1.11 {rest} | node.receive_overhead topology.latency => rows from 8 B to 64 B are all predicted too long: node.send_overhead?
         pingpong 8:1.11 64:1.11 {rest} | node.send_overhead node.receive_overhead topology.latency => rows from 8 B to 64 B are all predicted too long: LIMITS
         bcast 8:1.11 64:1.11 {rest} | node.send_overhead node.receive_overhead topology.latency => rows from 8 B to 64 B are all predicted too long: does the library take another algorithm of bcast there?
         bcast 1024:.5 2048:.5 {rest} => rows from 1 KiB to 2 KiB are all predicted too short: LIMITS
         pingpong 8:1.1 64:1.1 512:1.1 4096:1.15 8192:1.15 =>
         pingpong 8:1.1 64:1.1 512:1.1 4096:1.16 8192:1.16 => rows from 4 KiB to 8 KiB are all predicted too long: L
         {exact} pingpong 8:.5 64:.5 512:.5 => all rows of pingpong are predicted too short: LIMITS
         {exact} bcast/tree 8:.5 64:.5 512:.5 => all rows of bcast tree are predicted too short: has the algorithm another name in weir?
         {exact} bcast 8:2 64:2 512:2 => all rows of bcast are predicted too long: collectives.bcast, the algorithm that the library took?
         {exact} bcast 8:2 64:2 => rows from 8 B to 64 B of bcast are all predicted too long: S
         {exact} bcast 8:2 64:2 512:.5 => rows from 8 B to 64 B of bcast are all predicted too long: S
         pingpong 8:1 512:1 1024:2 4096:2 {ends} => rows from 1 KiB to 4 KiB are all predicted too long: STEP
         pingpong 8:1 512:1 2048:2 8192:2 {ends} => rows from 2 KiB to 8 KiB are all predicted too long: LIMITS
         {exact} bcast 8:1 512:1 1024:2 4096:2 {ends} => rows from 1 KiB to 4 KiB of bcast are all predicted too long: does the library take another algorithm of bcast there?
         {exact} bcast 8:1 512:1 1024:2 4096:2 {ends} reduce 8:1 512:1 4096:2 16384:2 {ends} => rows from 1 KiB to 4 KiB of bcast, reduce are all predicted too long: STEP
         {exact} bcast 8:1 512:1 1024:2 4096:2 {ends} reduce 8:1 512:1 1024:.5 4096:.5 {ends} => rows from 1 KiB to 4 KiB of bcast are all predicted too long: does the library take another algorithm of bcast there? & rows from 1 KiB to 4 KiB of reduce are all predicted too short: does the library take another algorithm of reduce there?
         {exact} bcast 8:1 512:1 1024:2 4096:2 {ends} reduce 8:1 512:1 8192:2 16384:2 {ends} => rows from 1 KiB to 4 KiB of bcast are all predicted too long: does the library take another algorithm of bcast there? & rows from 8 KiB to 16 KiB of reduce are all predicted too long: does the library take another algorithm of reduce there?
         bcast 8:1 64:1 512:1 1048576:.5 2097152:.5 | node.memory_bandwidth => rows from 1 MiB to 2 MiB are all predicted too short: topology.bandwidth, node.combine_bandwidth?
         bcast 8:1 64:1 512:1 524288:.5 1048576:.5 => rows from 512 KiB to 1 MiB are all predicted too short: LIMITS"
    );
    let step = "node.overhead_limits with a second value of node.send_overhead, or node.eager_limit?";
    for case in cases.lines() {
        let (rows, expected) = case.split_once("=>").unwrap();
        let (rows, fitted) = rows.split_once('|').unwrap_or((rows, ""));
        let (mut name, mut found) = ("", Vec::new());
        for word in rows.split_whitespace() {
            match word.split_once(':') {
                Some((bytes, ratio)) => {
                    let (operation, algorithm) = name.split_once('/').unwrap_or((name, ""));
                    let operation =
                        COLLECTIVES.into_iter().find(|known| *known == operation).unwrap_or("pingpong");
                    found.push(row(operation, algorithm, bytes.parse().unwrap(), ratio.parse().unwrap()));
                }
                None => name = word,
            }
        }
        let estimates =
            fitted.split_whitespace().map(|key| estimate(key, 1e-6, Verdict::Determined, 1.1, &[])).collect();
        let found = calibration(estimates, found, "").suspects().join(" & ");
        let found = found
            .replace("node.send_overhead, node.receive_overhead, topology.latency?", "S")
            .replace(step, "STEP");
        let found = found.replace("topology.bandwidth, node.memory_bandwidth, node.combine_bandwidth?", "L");
        assert_eq!(
            found.replace("node.eager_limit, or node.rendezvous_overhead?", "LIMITS"),
            expected.trim(),
            "{case}"
        );
    }
}

/// The comment of each verdict, and the intervals of what is known best of keys that go together, in place of earlier ones.
#[test]
fn a_machine_file_says_what_is_known() {
    use Verdict::{AtBound, Determined, NoEffect, Undetermined};
    let estimates = vec![
        estimate("node.send_overhead.0", 1e-6, Determined, 1.25, &[]),
        estimate("node.send_overhead.1", 2e-6, Undetermined, 4.0, &[2]),
        estimate("node.receive_overhead", 3e-6, Determined, 2.0, &[1]),
        estimate("node.mpi_overhead", 4e-6, AtBound(Bound::Lower), 2.0, &[]),
        estimate("node.nic_bandwidth", 5e9, AtBound(Bound::Upper), 2.0, &[]),
        estimate("node.copy_bandwidth", 6e9, NoEffect, f64::INFINITY, &[]),
        estimate("topology.latency", 7e-6, Undetermined, 1e6, &[]),
    ];
    let document = "\n# calibrated: old\n# own\n[node]\n# calibrated: old\nsend_overhead = [\"9 us\", \"9 us\"]\nreceive_overhead = \"9 us\" # here\n\
                    mpi_overhead = \"9 us\"\nnic_bandwidth = \"9 GB/s\"\ncopy_bandwidth = \"9 GB/s\"\n[topology]\nlatency = \"9 us\"\n\
                    [calibrated]\n\"node.gone\" = [\"1 us\", \"2 us\"]\n";
    let rows = vec![row("bcast", "", 8, 1.25), row("bcast", "", 8, 1.0), row("bcast", "", 8, 0.5)];
    let expected = "# calibrated: fitted to 3 rows of m.csv; half of the predictions are within 25.000 %, nine of ten within 100.000 %\n\
                    # own\n[node]\n\
                    # calibrated: element 0, 95 % interval 800 ns to 1.25 us\n\
                    # calibrated: element 1, not determined: 95 % interval 500 ns to 8 us; depends on node.receive_overhead\n\
                    send_overhead = [\"1 us\", \"2 us\"]\n\
                    # calibrated: 95 % interval 1.5 us to 6 us; depends on node.send_overhead.1\n\
                    receive_overhead = \"3 us\" # here\n\
                    # calibrated: not determined: the rows would have less\nmpi_overhead = \"4 us\"\n\
                    # calibrated: not determined: the rows would have more\nnic_bandwidth = \"5 GB/s\"\n\
                    # calibrated: not determined: no row depends on it\ncopy_bandwidth = \"6 GB/s\"\n[topology]\n\
                    # calibrated: not determined: nothing is known of it\nlatency = \"7 us\"\n\n\
                    [calibrated]\n\"node.send_overhead.0\" = [\"800 ns\", \"1.25 us\"]\n\
                    \"node.receive_overhead\" = [\"1.5 us\", \"6 us\"]\n";
    assert_eq!(calibration(estimates, rows, document).machine_file(), expected);
}

/// Errors of each kind, the largest first, and all rows as a table and a picture.
#[test]
fn rows_are_told_with_their_errors() {
    let ratios = [1.0, 1.1, 0.8, 1.2, 1.3, 1.4, 1.5, 1.6, 2.0, 0.25];
    let mut rows: Vec<FittedRow> = ratios.map(|ratio| row("bcast", "ring", 64, ratio)).to_vec();
    let mut found = calibration(Vec::new(), rows.clone(), "");
    let Spread { median, ninth } = found.fitted();
    assert!((median - 0.3).abs() < 1e-9 && (ninth - 1.0).abs() < 1e-9, "{median} {ninth}");
    assert!((found.first().median - 1.0).abs() < 1e-9 && found.unseen().is_none());
    let worst = [0.25, 2.0, 1.6, 1.5, 1.4, 1.3, 0.8, 1.2, 1.1, 1.0].map(|ratio: f64| ratio * 1e-6);
    assert_eq!(found.worst().iter().map(|row| row.predicted).collect::<Vec<_>>(), worst);
    assert_eq!(found.picture().matches("%</title>").count(), 10, "{}", found.picture());
    assert!(found.picture().contains(": +100.0 %") && found.picture().contains(": -75.0 %"));
    rows.truncate(2);
    (rows[0].unseen, rows[1].unseen) = (Some(3e-6), Some(0.5e-6));
    rows[1].row.algorithm = None;
    found.rows = rows;
    found.left_out.add("why".to_owned(), 9);
    let csv = format!(
        "{HEAD}\n7,bcast,ring,64,a=1 b=2,1000.000,1000.000,1.0000,3,3.0000,\n7,bcast,default,64,a=1 b=2,1000.000,1100.000,1.1000,3,0.5000,\n9,,,,,,,,,,why\n"
    );
    assert_eq!(found.residuals(), csv);
    assert!((found.unseen().unwrap().ninth - 2.0).abs() < 1e-9);
    found.rows[1].row.file = "n.csv".to_owned();
    assert!(found.residuals().contains("\nn.csv:7,bcast,default"), "{}", found.residuals());
}

/// Sentences on the end of the fit, on keys at their limits, and on rows that are off by about a thousand.
#[test]
fn warnings_are_given_where_there_is_a_reason() {
    let warned = |value: f64, verdict, end, ratio| {
        let mut one = estimate("topology.latency", value, verdict, 1.5, &[]);
        one.parameter.start = 1e-6;
        Calibration { end, ..calibration(vec![one], vec![row("bcast", "", 8, ratio)], "") }.warnings()
    };
    let (known, converged) = (Verdict::Determined, End::Converged);
    for (found, expected) in [
        (warned(2e-6, known, converged, 1.0), ""),
        (warned(1.0005e-6, known, converged, 1.0), "the fit has not moved"),
        (warned(0.99e-6, known, converged, 1.0), ""),
        (warned(2e-6, known, End::TooManySteps, 1.0), "the fit was stopped before it converged"),
        (warned(2e-6, known, End::Stuck, 1.0), "the fit could not get on"),
        (
            warned(2e-6, Verdict::AtBound(Bound::Upper), converged, 1.0),
            "topology.latency was driven to its limit 2 us",
        ),
        (warned(2e-6, known, converged, 290.0), ""),
        (
            warned(2e-6, known, converged, 310.0),
            "about a thousand times off, as by another unit: rows of the lines 7",
        ),
        (warned(2e-6, known, converged, 1.0 / 2900.0), "about a thousand times off"),
        (warned(2e-6, known, converged, 3100.0), ""),
    ] {
        assert_eq!(found.len(), usize::from(!expected.is_empty()), "{found:?} {expected}");
        assert!(found.iter().all(|text| text.starts_with(expected)), "{found:?} {expected}");
    }
}
