//! The run once more, with less of each cause: what a prediction is worth.

use super::ps;
use super::remedies::{Remedy, What};
use crate::text;
use anyhow::{Result, anyhow};
use serde_json::Value;
use std::path::Path;
use weir_network::Outcome;
use weir_scenario::what_if::{self, Change};
use weir_scenario::{OwnProcess, Printed, Scenario, Source};
use weir_units::{Duration, Time};

/// Runs the experiment of a summary again: as it was, and with less of each cause; with `keys` for each key alone, too. Returns whether
/// that could be done; if not, why not has been said.
///
/// # Errors
/// When a run does not come to its end.
pub(super) fn check(
    summary: &Path,
    run: &Value,
    remedies: &mut [Remedy],
    less: f64,
    keys: bool,
) -> Result<bool> {
    let Some(same) = simulated(summary, Vec::new())? else { return Ok(false) };
    if ps(&run["simulated_ps"]) != Some(same) {
        eprintln!(
            "error: run again as it was it takes {same}, so what a change does cannot be seen\n\nhint: measured work differs from run \
             to run (workload.compute); a program or file may have changed since"
        );
        return Ok(false);
    }
    let experiment = &run["experiment"];
    for Remedy { what, rerun, .. } in remedies {
        let all = match what {
            What::Cause(cause) => what_if::improvements(experiment, *cause, less),
            What::Class(class) => what_if::of_class(experiment, class, less),
            What::Work(rank) => {
                rank.parse().map_or(Vec::new(), |rank| what_if::of_rank(experiment, rank, less))
            }
            What::Link(_) | What::Call(_) => Vec::new(),
        };
        if all.is_empty() {
            continue;
        }
        rerun.set = all.into_iter().map(|change| change.assignment).collect();
        rerun.time = simulated(summary, rerun.set.clone())?;
        if let What::Cause(cause) = what
            && keys
        {
            for Change { key, assignment } in what_if::single_improvements(experiment, *cause, less) {
                rerun.keys.extend(simulated(summary, vec![assignment])?.map(|time| (key, time)));
            }
            rerun.keys.sort_by(|one, other| one.1.cmp(&other.1).then_with(|| one.0.cmp(&other.0)));
        }
    }
    Ok(true)
}

/// What the run takes with changes; `None` where it is refused, which has been said.
fn simulated(summary: &Path, mut set: Vec<String>) -> Result<Option<Duration>> {
    set.push("output.causes=false".into());
    let source = Source { experiment: Some(summary.to_owned()), overrides: set, ..Source::default() };
    // What it warns of it has warned of before.
    let scenario = match Scenario::load(&source) {
        Ok(scenario) => scenario,
        Err(problems) => {
            eprintln!("error: {problems}");
            return Ok(None);
        }
    };
    let run = scenario.run_beside(OwnProcess::default(), Printed::Kept).0?;
    match run.outcome {
        Outcome::Finished => Ok(Some(run.simulated.since(Time::ZERO))),
        _ => Err(anyhow!("run again, {}", text::outcome(&run))),
    }
}
