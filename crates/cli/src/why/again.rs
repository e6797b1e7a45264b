//! The run once more, with less of each cause and with other algorithms: what a prediction is worth, and what would help.

use super::ps;
use super::remedies::{Remedy, Rerun, What, whole_call};
use crate::status::{OrRefused, refused};
use crate::text;
use anyhow::{Result, anyhow};
use serde_json::Value;
use std::path::Path;
use weir_network::Outcome;
use weir_scenario::what_if::{self, Alternative, Change};
use weir_scenario::{Printed, Problems, Scenario, Source};
use weir_units::{Duration, Time};

/// Runs the experiment of a summary again: as it was, with less of each cause, and with each other algorithm of a collective; with `keys`
/// for each key alone, too.
///
/// # Errors
/// When a run is refused, takes another time than it did, or does not come to its end.
pub(super) fn check(
    summary: &Path,
    run: &Value,
    remedies: &mut Vec<Remedy>,
    less: f64,
    keys: bool,
) -> Result<()> {
    let same = simulated(summary, Vec::new())?;
    if ps(&run["simulated_ps"]) != Some(same) {
        return Err(refused(format!(
            "the run cannot be repeated exactly: run again as it was it takes {same}\n\nhint: measured work differs from run to run \
             (workload.compute): weir log, then weir replay; a program or file may have changed since"
        )));
    }
    let experiment = &run["experiment"];
    for Remedy { what, rerun, .. } in &mut *remedies {
        let all = match what {
            What::Cause(cause) => what_if::improvements(experiment, *cause, less),
            What::Class(class) => what_if::of_class(experiment, class, less),
            What::Work(rank) => {
                rank.parse().map_or(Vec::new(), |rank| what_if::of_rank(experiment, rank, less))
            }
            What::Call(call) => {
                *rerun = with_others(summary, what_if::of_call(experiment, call), keys);
                continue;
            }
            What::Link(link) => what_if::of_link(experiment, link, less),
        };
        if all.is_empty() {
            continue;
        }
        rerun.set = all.into_iter().map(|change| change.assignment).collect();
        rerun.time = changed(summary, rerun.set.clone())?;
        if let What::Cause(cause) = what
            && keys
        {
            for Change { key, assignment } in what_if::single_improvements(experiment, *cause, less) {
                rerun.keys.extend(changed(summary, vec![assignment])?.map(|time| (key, time)));
            }
            rerun.keys.sort_by(|one, other| one.1.cmp(&other.1).then_with(|| one.0.cmp(&other.0)));
        }
    }
    // Where one collective is all of the run there is nothing to say of it but which algorithm is better.
    if let Some(Remedy { what: What::Call(call), time, at_best, .. }) = whole_call(run, less) {
        let rerun = with_others(summary, what_if::of_call(experiment, &call), keys);
        let is_tried = rerun.time.is_some();
        remedies.extend(is_tried.then_some(Remedy { what: What::Call(call), time, at_best, rerun }));
    }
    Ok(())
}

/// The run with each of these algorithms that the machine and the number of ranks allow; with `keys` the times of all are kept.
fn with_others(summary: &Path, others: Vec<Alternative>, keys: bool) -> Rerun {
    let mut times = Vec::new();
    for Alternative { name, changes } in others {
        let set: Vec<String> = changes.into_iter().map(|change| change.assignment).collect();
        if let Ok(scenario) = load(summary, set.clone())
            && let Ok(time) = finished(scenario)
        {
            times.push((time, name, set));
        }
    }
    times.sort_by_key(|(time, ..)| *time);
    let Some((time, best, set)) = times.first().cloned() else { return Rerun::default() };
    let algorithms = Some((best, times.len()));
    let all = times.into_iter().map(|(time, _, set)| (set[0].replace('"', ""), time));
    let keys = if keys { all.collect() } else { Vec::new() };
    Rerun { time: Some(time), set, keys, algorithms }
}

fn simulated(summary: &Path, set: Vec<String>) -> Result<Duration> {
    finished(load(summary, set).or_refused()?)
}

/// Simulated time with changes; `None` where they are refused, which is printed.
fn changed(summary: &Path, set: Vec<String>) -> Result<Option<Duration>> {
    let loaded = load(summary, set).map_err(|problems| eprintln!("error: {problems}"));
    loaded.ok().map(finished).transpose()
}

/// The experiment with changes, without an account of its time. What it warns of it has warned of before.
fn load(summary: &Path, mut set: Vec<String>) -> Result<Scenario, Problems> {
    set.push("output.causes=false".into());
    Scenario::load(&Source { experiment: Some(summary.to_owned()), overrides: set, ..Source::default() })
}

/// Simulated time of a run that comes to its end.
fn finished(scenario: Scenario) -> Result<Duration> {
    let run = scenario.run_beside(Printed::Kept).0?;
    match run.outcome {
        Outcome::Finished => Ok(run.simulated.since(Time::ZERO)),
        _ => Err(anyhow!("run again, {}", text::outcome(&run))),
    }
}
