//! What fits find, with measured times that weir itself has made.

#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

use proptest::prelude::*;
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use tempfile::TempDir;
use weir_calibrate::{
    Bound, Calibration, CalibrationError, FittedRow, FoldBy, Form, Loss, Quantity, Request, Stage, Verdict,
    calibrate,
};
use weir_experiment::{Scenario, Source};
use weir_run::run;

/// A machine with values for `{}`: send overhead, bandwidth of interfaces, of combining, of copies.
fn machine(values: [f64; 4]) -> String {
    let [send, nic, combine, copy] = values;
    format!(
        "# a cluster\n[topology]\nkind = 'torus'\nshape = [4]\nbandwidth = '20 GB/s'\nlatency = '100 ns'\n\n\
         [node]\n# what a send costs\nsend_overhead = \"{}\" # guessed\nreceive_overhead = '200 ns'\n\
         nic_bandwidth = \"{}\"\ncombine_bandwidth = \"{}\"\ncopy_bandwidth = \"{}\"\n\n[engine]\nkind = 'flow'\n",
        Quantity::Time.written(send),
        Quantity::Rate.written(nic),
        Quantity::Rate.written(combine),
        Quantity::Rate.written(copy),
    )
}

const KEYS: [&str; 4] =
    ["node.send_overhead", "node.nic_bandwidth", "node.combine_bandwidth", "node.copy_bandwidth"];
const GUESS: [f64; 4] = [1e-6, 5e9, 5e9, 5e9];
const TRUE: [f64; 4] = [0.4e-6, 9e9, 3e9, 12e9];

/// Operation, algorithm, bytes.
fn benchmarks() -> Vec<(&'static str, &'static str, u64)> {
    let algorithms =
        [("pingpong", ""), ("bcast", "binomial"), ("allreduce", "recursive-doubling"), ("alltoall", "bruck")];
    let sizes = [64, 4096, 65536, 1 << 20];
    algorithms.iter().flat_map(|&(operation, name)| sizes.map(|size| (operation, name, size))).collect()
}

/// What weir takes for a benchmark, in nanoseconds.
fn time(machine: &str, (operation, algorithm, bytes): (&str, &str, u64)) -> f64 {
    let mut text = format!("{machine}[workload]\nkind = 'collective'\noperation = '{operation}'\n");
    text += &format!("message_size = '{bytes} B'\n");
    if operation == "pingpong" {
        text += "ranks = 2\n";
    } else {
        text += &format!("algorithm = '{algorithm}'\n");
    }
    let scenario = Scenario::load(&Source::of_text("test.toml", text)).unwrap();
    run(&scenario, &mut |_| ()).unwrap().summary.repetitions[0].as_ps() as f64 / 1e3
}

/// A table of these times, each multiplied by what `noise` gives for its place.
fn table(truth: [f64; 4], noise: impl Fn(usize) -> f64) -> String {
    let mut text = "collective,algorithm,bytes,time_ns\n".to_owned();
    for (place, benchmark) in benchmarks().into_iter().enumerate() {
        let time = time(&machine(truth), benchmark) * noise(place);
        text += &format!("{},{},{},{time:.3}\n", benchmark.0, benchmark.1, benchmark.2);
    }
    text
}

/// An engine without a topology: a message takes its latency and its bytes over its bandwidth. And messages with 2 us and 4 GB/s, each time
/// multiplied by what `noise` gives for its place.
const IDEAL: &str =
    "[engine]\nkind = 'ideal'\nlatency = '1 us'\nbandwidth = '1 GB/s'\n[node]\neager_limit = '1 MB'\n";

fn messages(noise: impl Fn(usize) -> f64) -> String {
    let row = |(place, bytes): (usize, u64)| {
        format!("pingpong,{bytes},{:.3}\n", (2000.0 + bytes as f64 / 4.0) * noise(place))
    };
    let sizes = [8, 100, 1000, 4000, 8000, 16000, 32000, 64000];
    "collective,bytes,time_ns\n".to_owned() + &sizes.into_iter().enumerate().map(row).collect::<String>()
}

/// Both files, in a folder, and the request to fit.
fn request(measured: &str, machine: &str, keys: &[&str]) -> (TempDir, Request) {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| -> PathBuf {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let request = Request {
        measured: vec![write("measured.csv", measured)],
        ranks: None,
        machine: write("machine.toml", machine),
        keys: keys.iter().map(|&key| key.to_owned()).collect(),
        sets: Vec::new(),
        within: 1000.0,
        loss: Loss::default(),
        folds: 0,
        fold_by: FoldBy::Rows,
        layouts: false,
        threads: NonZeroUsize::new(2).unwrap(),
    };
    (folder, request)
}

fn fitted(measured: &str, machine: &str, keys: &[&str]) -> Calibration {
    let (_folder, request) = request(measured, machine, keys);
    calibrate(&request, &|_| ()).unwrap()
}

fn refused(measured: &str, machine: &str, keys: &[&str]) -> String {
    let (_folder, request) = request(measured, machine, keys);
    match calibrate(&request, &|_| ()) {
        Err(error @ CalibrationError::Input(_)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

/// The ratio of each value to the true one, and whether its interval has that.
fn compared(calibration: &Calibration, truth: &[f64]) -> Vec<(f64, bool)> {
    let compare = |(estimate, truth): (&weir_calibrate::Estimate, &f64)| {
        let ratio = estimate.value / truth;
        (ratio, ratio.ln().abs() <= estimate.precision.factor.ln())
    };
    calibration.estimates.iter().zip(truth).map(compare).collect()
}

/// How many machines are fitted; more where there is time (`make soak`).
fn cases() -> u32 {
    if std::env::var_os("WEIR_LONG").is_some() { 12 } else { 2 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    /// What weir has made is found again, wherever it was.
    #[test]
    fn true_values_are_found(
        send in 0.1e-6..3e-6, nic in 1e9..19e9, combine in 1e9..30e9, copy in 1e9..30e9,
    ) {
        let truth = [send, nic, combine, copy];
        let calibration = fitted(&table(truth, |_| 1.0), &machine(GUESS), &KEYS);
        for (estimate, (ratio, inside)) in calibration.estimates.iter().zip(compared(&calibration, &truth)) {
            prop_assert!((ratio - 1.0).abs() < 0.01, "{truth:?}: {estimate:?}");
            prop_assert!(inside, "{truth:?}: {estimate:?}");
            prop_assert_eq!(estimate.precision.verdict, Verdict::Determined);
        }
        prop_assert!(calibration.fitted().ninth < 1e-3, "{:?}", calibration.fitted());
    }
}

/// Rates of combining by type and size are found in rows that the machine file has and in one that `--set` adds; comments stand in
/// the rows.
#[test]
fn rates_of_combining_are_found() {
    let rows = |rates: [f64; 2]| {
        let rate = |index: usize| Quantity::Rate.written(rates[index]);
        format!(
            "\n[[combining]]\ntype = 'int32'\nup_to = '8 KiB'\nbandwidth = '{}'\n[[combining]]\nbandwidth = '{}'\n",
            rate(0),
            rate(1)
        )
    };
    let truth = [20e9, 3e9];
    let mut measured = "collective,algorithm,bytes,time_ns\n".to_owned();
    for bytes in [1 << 10, 4 << 10, 64 << 10, 1 << 20] {
        let benchmark = ("allreduce", "recursive-doubling", bytes);
        let time = time(&(machine(TRUE) + &rows(truth)), benchmark);
        measured += &format!("allreduce,recursive-doubling,{bytes},{time:.3}\n");
    }
    let keys = ["combining.0.bandwidth", "combining.1.bandwidth"];
    let check = |machine: &str, sets: &[&str]| {
        let (_folder, mut request) = request(&measured, machine, &keys);
        request.sets = sets.iter().map(|&set| set.to_owned()).collect();
        let calibration = calibrate(&request, &|_| ()).unwrap();
        for (ratio, _) in compared(&calibration, &truth) {
            assert!((ratio - 1.0).abs() < 0.01, "{:?}", calibration.estimates);
        }
        let file = calibration.machine_file();
        let second = file.rsplit("[[combining]]").next().unwrap();
        assert!(second.contains("# calibrated: ") && second.contains("bandwidth = \"3 GB/s\""), "{file}");
        let document: toml_edit::DocumentMut = file.parse().unwrap();
        assert_eq!(document["combining"].as_array_of_tables().map(toml_edit::ArrayOfTables::len), Some(2));
    };
    check(&(machine(TRUE) + &rows([1e9, 1e9])), &[]);
    // Of the machine file's own row only the rate is another one; the second row is new.
    let first = "\n[[combining]]\ntype = 'int32'\nup_to = '8 KiB'\nbandwidth = '5 GB/s'\n";
    check(&(machine(TRUE) + first), &["combining.1.bandwidth=1 GB/s"]);
}

const BOTH: [&str; 2] = ["engine.latency", "engine.bandwidth"];

fn scattered(place: usize) -> f64 {
    [1.05, 0.9, 0.97, 1.02, 0.99, 1.3, 0.96, 1.1][place]
}

/// The table with those rows whose places are so.
fn some(table: &str, is_in: &dyn Fn(usize) -> bool) -> String {
    let lines = table.lines().enumerate().filter(|(line, _)| *line == 0 || is_in(line - 1));
    lines.map(|(_, line)| format!("{line}\n")).collect()
}

/// Weights and losses by hand: of two files the second has half of the rows. Where a fit ends, what is summed is least, and intervals are
/// those of weighted least squares.
#[test]
fn fits_end_where_what_is_summed_is_least() {
    let all = messages(scattered);
    let scale = 0.05;
    // Each loss and its slope.
    type LossAndSlope = fn(f64) -> [f64; 2];
    let losses: [(Form, LossAndSlope); 4] = [
        (Form::Square, |s| [s, 1.0]),
        (Form::Huber, |s| if s <= 1.0 { [s, 1.0] } else { [2.0 * s.sqrt() - 1.0, s.sqrt().recip()] }),
        (Form::SoftL1, |s| [2.0 * ((1.0 + s).sqrt() - 1.0), (1.0 + s).sqrt().recip()]),
        (Form::Cauchy, |s| [s.ln_1p(), (1.0 + s).recip()]),
    ];
    for (form, loss) in losses {
        let (folder, mut request) = request(&all, IDEAL, &BOTH);
        fs::write(folder.path().join("half.csv"), some(&all, &|place| place % 2 == 1)).unwrap();
        request.measured.push(folder.path().join("half.csv"));
        request.loss = Loss { form, scale };
        let found = calibrate(&request, &|_| ()).unwrap();
        let weight = |row: &FittedRow| if row.row.file.ends_with("half.csv") { 1.5 } else { 0.75 };
        let cost = |latency: f64, bandwidth: f64| -> f64 {
            let of = |row: &FittedRow| {
                let error = ((latency + row.row.bytes as f64 / bandwidth) / row.row.seconds).ln();
                loss((error / scale).powi(2))[0] * weight(row)
            };
            found.rows.iter().map(of).sum()
        };
        let [latency, bandwidth] = [found.estimates[0].value, found.estimates[1].value];
        let [mut by_latency, mut by_both, mut by_rate, mut squares] = [0.0; 4];
        for row in &found.rows {
            let weight = weight(row) * loss((row.error() / scale).powi(2))[1];
            let part = latency / row.predicted;
            by_latency += weight * part.powi(2);
            by_both += weight * part * (1.0 - part);
            by_rate += weight * (1.0 - part).powi(2);
            squares += weight * row.error().powi(2);
        }
        let variance = squares / 10.0 / (by_latency * by_rate - by_both * by_both);
        for (estimate, other) in found.estimates.iter().zip([by_rate, by_latency]) {
            let expected = 2.228 * (variance * other).sqrt();
            let factor = estimate.precision.factor;
            assert!((factor.ln() / expected - 1.0).abs() < 0.01, "{form:?} {expected}: {estimate:?}");
        }
        for (one, other) in [(1.01, 1.0), (0.99, 1.0), (1.0, 1.01), (1.0, 0.99)] {
            let beside = cost(latency * one, bandwidth * other);
            assert!(beside > cost(latency, bandwidth), "{form:?} {one} {other}: {:?}", found.estimates);
        }
    }
}

/// A row's time without its fold is what a fit to the other rows says, and all stages are told.
#[test]
fn rows_without_their_fold_are_predicted_by_the_others() {
    let all = messages(scattered);
    let folded = |text: &str, folds: usize| {
        let (_folder, mut request) = request(text, IDEAL, &BOTH);
        request.folds = folds;
        let stages = std::cell::RefCell::new(Vec::new());
        let found = calibrate(&request, &|stage| stages.borrow_mut().push(stage)).unwrap();
        let told = stages.take();
        let tried = told
            .iter()
            .filter_map(|stage| if let Stage::Tried(count, _) = stage { Some(*count) } else { None });
        assert!(
            tried.eq(1..=told.len() - 2) && told.ends_with(&[Stage::Judging, Stage::Validating]),
            "{told:?}"
        );
        found
    };
    let found = folded(&all, 3);
    for fold in 0..3 {
        let without = fitted(&some(&all, &|place| place % 3 != fold), IDEAL, &BOTH);
        let [latency, bandwidth] = [without.estimates[0].value, without.estimates[1].value];
        for row in found.rows.iter().filter(|row| row.fold == fold) {
            let ratio = row.unseen.unwrap() / (latency + row.row.bytes as f64 / bandwidth);
            assert!((ratio - 1.0).abs() < 1e-3, "{row:?} {ratio}");
        }
    }
    let folds: Vec<usize> = found.rows.iter().map(|row| row.fold).collect();
    assert_eq!(folds, [0, 1, 2, 0, 1, 2, 0, 1]);
    // Three rows without a fold, and two keys: so many suffice; two do not.
    for (rows, folds, is_told) in [(4, 4, true), (3, 3, false), (8, 1, false)] {
        let found = folded(&some(&all, &|place| place < rows), folds);
        assert_eq!(found.unseen().is_some(), is_told, "{rows} {folds}");
    }
}

/// Of messages there and back only the sum of both overheads shows, and nothing combines.
#[test]
fn what_the_rows_do_not_say_is_reported() {
    let mut text = "collective,bytes,time_us\n".to_owned();
    for bytes in [8, 256, 1024, 4096, 8192, 12000, 16000] {
        let time = time(&machine(TRUE), ("pingpong", "", bytes));
        text += &format!("pingpong,{bytes},{:.6}\n", time / 1e3);
    }
    let keys =
        ["node.send_overhead", "node.receive_overhead", "node.nic_bandwidth", "node.combine_bandwidth"];
    let calibration = fitted(&text, &machine(GUESS), &keys);
    let verdicts: Vec<Verdict> = calibration.estimates.iter().map(|found| found.precision.verdict).collect();
    use Verdict::{Determined, NoEffect, Undetermined};
    assert_eq!(verdicts, [Undetermined, Undetermined, Determined, NoEffect], "{:?}", calibration.estimates);
    assert!(calibration.estimates[0].precision.with.iter().any(|with| with.0 == 1 && with.1 < -0.95));
    let sum = calibration.estimates[0].value + calibration.estimates[1].value;
    assert!((sum - 0.6e-6).abs() < 0.01e-6, "{sum}");
    assert_eq!(calibration.estimates[3].value, GUESS[2]);
    let file = calibration.machine_file();
    assert!(file.contains("# calibrated: not determined: no row depends on it\ncombine_bandwidth"), "{file}");
}

/// A first guess that is too low, and one that is too high, for what they may differ by: both go as far as they may, and that is said.
#[test]
fn what_runs_away_is_reported() {
    let machine_file = IDEAL.replace("1 GB/s", "100 GB/s");
    let (_folder, mut request) = request(&messages(|_| 1.0), &machine_file, &BOTH);
    request.within = 1.5;
    let calibration = calibrate(&request, &|_| ()).unwrap();
    let verdicts: Vec<Verdict> = calibration.estimates.iter().map(|found| found.precision.verdict).collect();
    assert_eq!(verdicts, [Bound::Upper, Bound::Lower].map(Verdict::AtBound), "{:?}", calibration.estimates);
    let warned = calibration.warnings();
    assert!(warned[0].starts_with("engine.latency was driven to its limit 1.5 us"), "{warned:?}");
    // Nothing there depends on what combines and copies.
    let still = fitted(
        "collective,bytes,time_us\npingpong,8,1\npingpong,16,1\npingpong,32,1\n",
        &machine(TRUE),
        &KEYS[2..],
    );
    assert!(still.warnings().iter().any(|text| text.contains("has not moved")), "{:?}", still.warnings());
}

/// Nothing depends on how many runs go on at a time.
#[test]
fn threads_do_not_matter() {
    let text = messages(|place| 1.0 + 0.01 * (place % 3) as f64);
    let with = |threads| {
        let (_folder, mut request) = request(&text, IDEAL, &BOTH);
        request.threads = NonZeroUsize::new(threads).unwrap();
        request.folds = 3;
        let calibration = calibrate(&request, &|_| ()).unwrap();
        (calibration.machine_file(), calibration.residuals(), calibration.picture())
    };
    assert_eq!(with(1), with(5));
}

/// The rest of the machine file stays; the file predicts what the table of errors says; a second calibration replaces what the
/// first has said.
#[test]
fn the_machine_file_is_the_one_before_with_other_values() {
    let text = table(TRUE, |_| 1.0);
    let (folder, mut request) = request(&text, &machine(GUESS), &KEYS[..2]);
    request.sets = vec!["node.combine_bandwidth=3 GB/s".into(), "node.copy_bandwidth=12 GB/s".into()];
    let calibration = calibrate(&request, &|_| ()).unwrap();
    let file = calibration.machine_file();
    let lines: Vec<&str> = file.lines().collect();
    assert!(lines[0].starts_with("# calibrated: fitted to 16 rows of measured.csv; half"), "{file}");
    assert_eq!(lines[1..4], ["# a cluster", "[topology]", "kind = 'torus'"], "{file}");
    let at = lines.iter().position(|line| *line == "# what a send costs").unwrap();
    assert!(lines[at + 1].starts_with("# calibrated: 95 % interval 3"), "{file}");
    let send = lines[at + 2];
    assert!(send.starts_with("send_overhead = \"") && send.ends_with("ns\" # guessed"), "{file}");
    assert_eq!(lines[at + 3], "receive_overhead = '200 ns'", "{file}");
    assert!(file.contains("combine_bandwidth = \"3 GB/s\"") && file.contains("copy_bandwidth = \"12 GB/s\""));
    for row in calibration.rows.iter().filter(|row| row.row.operation.name() != "pingpong") {
        let again =
            time(&file, (row.row.operation.name(), row.row.algorithm.as_deref().unwrap(), row.row.bytes));
        assert!((again / (1e9 * row.predicted) - 1.0).abs() < 1e-9, "{row:?}: {again}");
    }

    fs::write(folder.path().join("machine.toml"), &file).unwrap();
    request.sets.clear();
    let second = calibrate(&request, &|_| ()).unwrap().machine_file();
    assert_eq!(second.matches("# calibrated: ").count(), 3, "{second}");
    assert_eq!(second.lines().count(), file.lines().count(), "{second}");
}

#[test]
fn elements_of_lists_and_inline_tables() {
    let machine = "topology = { kind = 'torus', shape = [4], bandwidth = '20 GB/s', latency = '100 ns' }\n\
                   node = { send_overhead = ['1 us', '1 us'], overhead_limits = ['1 KiB'], nic_bandwidth = '9 GB/s' }\n";
    let truth = machine.replace("['1 us', '1 us']", "['300 ns', '2 us']");
    let mut text = "operation,bytes,time_ns,workload.ranks\n".to_owned();
    for bytes in [8, 100, 1000, 2000, 4000, 8000] {
        text += &format!("MPI_Bcast,{bytes},{},4\n", time(&format!("{truth}\n"), ("bcast", "auto", bytes)));
    }
    let calibration = fitted(&text, machine, &["node.send_overhead.0", "node.send_overhead.1"]);
    for (ratio, inside) in compared(&calibration, &[300e-9, 2e-6]) {
        assert!((ratio - 1.0).abs() < 1e-3 && inside, "{:?}", calibration.estimates);
    }
    let file = calibration.machine_file();
    assert!(file.contains("send_overhead = [\"300 ns\", \"2 us\"]"), "{file}");
}

#[test]
fn a_machine_without_a_topology_is_checked_row_by_row() {
    let machine = IDEAL.replace("latency", "latncy");
    let error = refused(&messages(|_| 1.0), &machine, &["engine.bandwidth"]);
    assert!(error.contains("8 left out: pingpong: engine.latncy"), "{error}");
}

#[test]
fn rows_that_cannot_be_predicted_are_left_out() {
    let mut text = table(TRUE, |_| 1.0);
    text += "bcast,trinaryx6,64,1000\nallreduce,ring,6,1000\nscan,,8,1000\nallreduce,ring,10,1000\n";
    let calibration = fitted(&text, &machine(GUESS), &KEYS[..2]);
    assert_eq!((calibration.rows.len(), calibration.left_out.count()), (16, 4));
    let reasons: Vec<(&str, usize)> =
        calibration.left_out.reasons().map(|(reason, lines)| (reason, lines.len())).collect();
    let has =
        |what: &str, count| reasons.iter().any(|(reason, found)| reason.contains(what) && *found == count);
    assert!(
        has("bcast trinaryx6 is an algorithm of Fujitsu MPI whose steps are not published", 1),
        "{reasons:?}"
    );
    assert!(has("weir has no benchmark of scan", 1), "{reasons:?}");
    assert!(has("numbers of 4 bytes are combined", 2), "{reasons:?}");
    let csv = calibration.residuals();
    assert_eq!(csv.lines().count(), 21, "{csv}");
    let left_out = "18,,,,,,,,,,bcast trinaryx6 is an algorithm of Fujitsu MPI whose steps are not published";
    assert!(csv.lines().any(|line| line == left_out), "{csv}");
}

#[test]
fn wrong_input_is_refused() {
    let good = "collective,bytes,time_ns\npingpong,8,1000\npingpong,16,1000\npingpong,32,1000\n";
    let (here, guess) = (&KEYS[..1], machine(GUESS));
    for (measured, what) in [
        ("collective,time_ns\nbcast,8\n", "has no column bytes"),
        ("bytes,time\n8,8\n", "has no column collective, no column a time (one of time_ns"),
        ("collective;bytes;time_ns\nbcast;8;8\n", "separate columns by commas"),
        ("collective,bytes,time_ns,time_us\nbcast,8,8,8\n", "several columns with times: time_ns, time_us"),
        ("collective,bytes,time_ns\nbcast,8,8 us\n", "measured.csv:2: time_ns = \"8 us\": must be a number"),
        ("collective,bytes,time_ns\nbcast,8,0\n", "measured.csv:2: time_ns = 0: a measured time is above 0"),
        ("collective,bytes,time_ns\nbcast,8,1\nbcast,8,-3\n", "measured.csv:3: time_ns = -3"),
        ("collective,bytes,time_ns\nbcast,8,nan\n", "measured.csv:2: time_ns = nan"),
        ("collective,bytes,time_ns\nbcast,8 KiB,1\n", "bytes = \"8 KiB\": must be a whole number"),
        ("collective,bytes,time_ns\nbcast,8\n", "measured.csv:2: has 2 fields, and the table has 3"),
        ("collective,bytes,bytes,time_ns\nbcast,8,8,1\n", "two columns bytes"),
        ("collective,bytes,time_ns,node.cppi\nbcast,8,1,1\n", "column node.cppi, and there is no such key"),
        ("collective,bytes,time_ns,nodes\nbcast,8,1,0\n", "nodes = 0: must be a whole number"),
        ("collective,bytes,time_ns,job_shape\nbcast,8,1,2x\n", "job_shape = 2x: must be whole numbers"),
        (
            "collective,bytes,time_ns,node.send_overhead\nbcast,8,1,1 us\n",
            "sets node.send_overhead for single rows",
        ),
        ("collective,bytes,time_ns\n", "has no measured times"),
        ("", "has no column collective"),
        ("collective,bytes,time_ns\nbcast,8,9\n", "1 rows can be used, and 1 parameters need at least 2"),
        ("collective,bytes,algorithm,time_ns\nbcast,8,none,9\n", "1 left out: bcast has no algorithm none"),
    ] {
        let error = refused(measured, &guess, here);
        assert!(error.contains(what), "{measured}: {error}");
    }
    for (machine, keys, what) in [
        ("[topology]\nkind = 'torus'\n", here, "cannot be used"),
        ("[topology\n", here, "cannot be used"),
        (guess.as_str(), &["node.send_overhead", "node.send_overhead"][..], "is named twice"),
        (guess.as_str(), &["node.copy_overhead"], "is not in"),
        (guess.as_str(), &["node.copy_ovrhead", "node.eager_limit"], "node.eager_limit: is not in"),
    ] {
        let error = refused(good, machine, keys);
        assert!(error.contains(what), "{machine}: {error}");
    }
}

/// Left out by algorithm, all of one are predicted by what the others say.
#[test]
fn folds_by_algorithm() {
    let (_folder, mut request) = request(&table(TRUE, |_| 1.0), &machine(GUESS), &KEYS[..2]);
    (request.folds, request.fold_by) = (10, FoldBy::Algorithm);
    let calibration = calibrate(&request, &|_| ()).unwrap();
    let folds: Vec<usize> = calibration.rows.iter().map(|row| row.fold).collect();
    assert_eq!(folds, (0..4).flat_map(|fold| [fold; 4]).collect::<Vec<_>>());
    assert!(calibration.unseen().is_some());
}

/// Times that weir itself predicts for a job that lies as a zig-zag, with 5 GB/s: from a snake and 3 GB/s both are found again, and are in the file. Along
/// which dimensions the sides lie makes no difference to these collectives; that it is no snake does.
#[test]
fn a_layout_is_found_with_the_bandwidth() {
    let machine = "[topology]\nkind = 'tofu'\nshape = [8, 8, 8]\nbandwidth = '3 GB/s'\nlatency = '100 ns'\n[mapping]\nkind = 'folded'\njob = [8, 4, 2]\n\
                   [engine]\nkind = 'flow'\n";
    let sets = ["mapping.axes=xzy", "mapping.fold=zig-zag", "topology.bandwidth=5 GB/s"].map(str::to_owned);
    let mut rows = "job_shape,collective,algorithm,bytes,median_ns\n".to_owned();
    for (algorithm, bytes) in
        [("recursive-halving", 1 << 20), ("recursive-halving", 1 << 24), ("ring", 1 << 20), ("ring", 1 << 24)]
    {
        let text = format!(
            "{machine}[workload]\nkind = 'collective'\noperation = 'reduce_scatter'\nmessage_size = '{bytes} B'\n"
        );
        let overrides = [&sets[..], &[format!("collectives.reduce_scatter={algorithm}")]].concat();
        let source = Source { overrides, ..Source::of_text("e.toml", text) };
        let run = run(&Scenario::load(&source).unwrap(), &mut |_| ()).unwrap();
        let nanoseconds = run.summary.simulated.as_ps() / 1000;
        rows += &format!("8x4x2,reduce_scatter,{algorithm},{bytes},{nanoseconds}\n");
    }
    let (_folder, request) = request(&rows, machine, &["topology.bandwidth"]);
    let found = calibrate(&Request { layouts: true, ..request }, &|_| ()).unwrap();
    assert_eq!(found.layouts.len(), 18);
    let chosen: Vec<_> = found.layouts.iter().filter(|tried| tried.chosen).collect();
    let [chosen] = chosen[..] else { panic!("{:?}", found.layouts) };
    let is_exact =
        |tried: &&weir_calibrate::TriedLayout| tried.errors.is_some_and(|errors| errors.ninth < 1e-3);
    assert!(is_exact(&chosen) && !found.layouts.iter().filter(is_exact).any(|tried| tried.fold == "snake"));
    assert!((found.estimates[0].value / 5e9 - 1.0).abs() < 1e-3, "{:?}", found.estimates[0]);
    let file = found.machine_file();
    let said = [format!("fold = \"{}\"", chosen.fold), format!("axes = \"{}\"", chosen.axes)];
    assert!(said.iter().all(|said| file.contains(said)), "{file}");
}

/// A log that has nothing weir can run is answered with the reason and how many lines have it.
#[test]
fn a_log_without_a_row_that_runs() {
    let bandwidth = "# OSU MPI Bandwidth Test v5.8\n# Size      Bandwidth (MB/s)\n1  0.90\n2  1.55\n";
    let uniband = "# Benchmarking Uniband\n# #processes = 2\n#bytes #repetitions   Mbytes/sec      Msg/sec\n 0  1000  0.00  8839028\n";
    for (log, why) in [
        (bandwidth, "2 left out: weir has no benchmark of Bandwidth"),
        (uniband, "1 left out: weir has no benchmark of Uniband"),
    ] {
        for keys in [&["auto"][..], &["topology.bandwidth"]] {
            let (_folder, request) = request(log, &machine(GUESS), keys);
            let error = calibrate(&request, &|_| ()).unwrap_err().to_string();
            assert!(error.contains("has no row that weir can run") && error.contains(why), "{error}");
        }
    }
}

#[test]
fn layouts_are_of_jobs() {
    let machine =
        "[topology]\nkind = 'torus'\nshape = [2, 2, 2]\nbandwidth = '3 GB/s'\n[engine]\nkind = 'flow'\n";
    let (_folder, request) = request(
        "job_shape,collective,algorithm,bytes,median_ns\n2x2x2,bcast,binomial,8,1000\n",
        machine,
        &["topology.bandwidth"],
    );
    let error = calibrate(&Request { layouts: true, ..request }, &|_| ()).unwrap_err().to_string();
    assert!(error.contains("there are no layouts to try"), "{error}");
}

/// Without keys named beforehand: what the times determine is found, with its values, and why the rest is not fitted is said. In all steps
/// a send and a receive go together; the links carry more than the interfaces send.
#[test]
fn keys_are_chosen_by_what_the_times_determine() {
    let found = fitted(&table(TRUE, |_| 1.0), &machine(GUESS), &["auto"]);
    for estimate in &found.estimates {
        assert_eq!(estimate.precision.verdict, Verdict::Determined, "{}", estimate.parameter.name);
    }
    let has = |key: &str| found.estimates.iter().any(|estimate| estimate.parameter.name == key);
    let why = |key: &str| found.passed_over.iter().find(|one| one.key == key).map(|one| one.why.as_str());
    assert!(has("node.nic_bandwidth") && has("node.combine_bandwidth"), "{:?}", found.estimates);
    assert_eq!(why("topology.bandwidth"), Some("no row depends on it"));
    let overheads = ["node.send_overhead", "node.receive_overhead", "topology.latency"].map(has);
    assert_eq!(overheads.iter().filter(|has| **has).count(), 1, "{:?}", found.passed_over);
    assert_eq!(why("node.memory_bandwidth"), Some("is not in the machine file: write a first guess"));
    assert!(found.fitted().ninth < 0.05, "{:?}", found.fitted());
    // Where times scatter, what the fit does not determine is left out behind it, and no key is lost.
    let scattered = table(TRUE, |place| if place % 3 == 0 { 6.0 } else { 0.5 });
    let few = some(&scattered, &|place| place < 8);
    let found = fitted(&few, &machine(GUESS), &["auto"]);
    assert!(found.passed_over.iter().any(|one| one.why == "the times know it to more than a factor of 2"));
    assert_eq!(found.estimates.len() + found.passed_over.len(), 8, "{:?}", found.passed_over);
}
