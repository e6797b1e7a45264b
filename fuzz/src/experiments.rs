//! Experiments: read, checked, written with all their defaults and read again; small ones are run.

use crate::made::{self, Values};
use libfuzzer_sys::arbitrary::Unstructured;
use weir_analysis::bounds;
use weir_experiment::{ExperimentText, MachineDescription, Problems, Scenario, Source, Workload};
use weir_network::Outcome;
use weir_run::{Report, RunError};

/// Any text as TOML. Lines behind a zero byte are overrides.
pub(crate) fn text(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (text, overrides) = text.split_once('\0').unwrap_or((text, ""));
    let overrides: Vec<String> = overrides.lines().map(str::to_owned).collect();
    load(&Source { overrides, ..named("text.toml", text) });
}

/// Any text as JSON.
pub(crate) fn json(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    load(&named("text.json", text));
}

/// Known keys with meant and odd values.
pub(crate) fn keys(bytes: &[u8]) {
    let Ok(source) = made::source(&mut Unstructured::new(bytes), Values::Odd) else { return };
    load(&source);
}

/// Known keys with values that are meant; if it is a small experiment, it is run with one thread and with two.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(mut source) = made::source(&mut Unstructured::new(bytes), Values::Meant) else { return };
    source.overrides.push("limits.wall_time=500 ms".into());
    let Some(scenario) = load(&source) else { return };
    source.overrides.push("engine.threads=2".into());
    let Ok(threaded) = Scenario::load(&source) else { return };
    check_runs(&scenario, &threaded);
}

fn named(name: &str, text: &str) -> Source {
    let text = ExperimentText { name: name.into(), text: text.into() };
    Source { experiment_text: Some(text), ..Source::default() }
}

/// Runs two scenarios that differ in nothing that results depend on.
pub(crate) fn check_runs(scenario: &Scenario, other: &Scenario) {
    let few = |count: Option<u64>| count.is_none_or(|count| count <= 3000);
    let is_small = scenario.workload.ranks <= 200 && scenario.nodes() <= 200 && few(scenario.messages());
    if !is_small || matches!(scenario.workload.kind, Workload::Program(_)) {
        return;
    }
    let _ = bounds(&scenario, &mut |_, _| ());
    let (Some(one), Some(two)) = (finished(scenario), finished(other)) else { return };
    assert_eq!(one.summary.digest, two.summary.digest, "the same run");
    assert_eq!(one.summary.simulated, two.summary.simulated);
}

/// `None` for a run that a limit ended, or that cannot be: what is asked for is not there.
fn finished(scenario: &Scenario) -> Option<Report> {
    let report = match weir_run::run(scenario, &mut |_| ()) {
        Ok(report) => report,
        Err(RunError::Options(why) | RunError::Budget(why)) => {
            assert!(!why.is_empty());
            return None;
        }
        Err(other) => panic!("{other}"),
    };
    (!matches!(report.outcome, Outcome::Limit(_))).then_some(report)
}

/// Loads it; what is loaded reads the same when it is written and read again, and what is refused is refused with words that
/// say where. So is its machine.
fn load(source: &Source) -> Option<Scenario> {
    if let Err(problems) = MachineDescription::load(source) {
        check_problems(&problems);
    }
    match Scenario::load(source) {
        Ok(scenario) => {
            let resolved = serde_json::to_string(&scenario.resolved()).expect("JSON");
            let again = Scenario::load(&named("again.json", &resolved));
            let again = again.unwrap_or_else(|problems| panic!("{problems}\n{resolved}"));
            let _ = scenario.warnings();
            // A limit of milliseconds may be over while one of the two is read.
            if scenario.limits.wall_time.is_none() {
                assert_eq!(again, scenario, "{resolved}");
            }
            Some(scenario)
        }
        Err(problems) => {
            check_problems(&problems);
            None
        }
    }
}

/// A mistake is at a key or on a line, but for what is one of a whole file, or of an override that is no key.
fn check_problems(problems: &Problems) {
    for problem in problems.list() {
        assert!(!problem.what.is_empty() && !problem.file.is_empty(), "{problem:?}");
        let is_placed = !problem.key.is_empty() || problem.line.is_some();
        let of_whole = !["text.toml", "made.toml"].contains(&problem.file.as_str());
        assert!(is_placed || of_whole, "{problem:?}");
    }
    let text = problems.to_string();
    assert!(text.len() < 200_000, "{} bytes of mistakes", text.len());
}
