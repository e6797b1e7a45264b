//! The same pattern once more: with max-min beside Mode N or Mode F, and with ties broken in other ways.

use crate::simulation::run_once;
use crate::{Report, Result, RunError, RunOptions, verdict};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use weir_experiment::{Scenario, Workload};
use weir_flow::{Compare, Sharing, Ties};
use weir_network::Outcome;
use weir_record::TieSensitivity;
use weir_units::{Time, mix, side_by_side};

/// Only a rule that is not max-min can be compared with it.
pub(crate) fn check_comparison(scenario: &Scenario, compare: Compare) -> Result<()> {
    let why = match scenario.engine.refuses_comparison() {
        Some(why) if compare == Compare::WithMaxMin => why,
        _ => return Ok(()),
    };
    let hint = "take engine.kind = \"flow\" with engine.sharing = \"single-pass\", \"iterative\" or \"iterative-literal\"";
    Err(RunError::Options(format!("there is nothing to compare with max-min: {why}\n  hint: {hint}")))
}

/// Runs the same pattern with max-min. An MPI program is not run again: what it does would be done twice.
pub(crate) fn add_max_min(scenario: &Scenario, report: &mut Report) -> Result<()> {
    if matches!(scenario.workload.kind, Workload::Program(_)) {
        return Ok(());
    }
    let options = RunOptions { sharing: Some(Sharing::MaxMin), ..RunOptions::default() };
    let fair = run_once(scenario, &options, &mut |_| ())?;
    if fair.outcome != Outcome::Finished {
        report.end_as(fair.outcome);
        return Ok(());
    }
    let simulated = fair.summary.simulated;
    if let Some(fairness) = report.summary.counts.flow_mut().and_then(|flow| flow.fairness.as_mut()) {
        fairness.max_min = Some(simulated);
    }
    Ok(())
}

/// Only patterns on the flow engine have ties that can be perturbed, and only if all nodes are there.
pub(crate) fn check_tie_runs(scenario: &Scenario, runs: usize) -> Result<()> {
    let why = match (scenario.engine.refuses_perturbed_ties(), &scenario.workload.kind) {
        _ if runs == 0 => return Ok(()),
        (Some(why), _) => why,
        (None, Workload::Program(_)) => "an MPI program runs once; a pattern can be run again and again",
        (None, _) => return Ok(()),
    };
    let hint = "take a pattern and engine.kind = \"flow\", without engine.method";
    Err(RunError::Options(format!("no tie sensitivity: {why}\n  hint: {hint}")))
}

/// Runs the pattern so many times with perturbed ties, on as many threads as `engine.threads` allows. The runs
/// are independent, and listed by seed, so the number of threads changes nothing.
pub(crate) fn add_tie_sensitivity(scenario: &Scenario, runs: usize, report: &mut Report) -> Result<()> {
    let seeds: Vec<u64> = (0..runs as u64).map(|run| mix(scenario.seed ^ mix(run))).collect();
    // After a run that has not finished, no further one begins.
    let is_over = AtomicBool::new(false);
    let results = side_by_side(&seeds, NonZeroUsize::new(scenario.engine.threads()), |&seed| {
        let options = RunOptions { ties: Ties::Perturbed { seed }, ..RunOptions::default() };
        let begins = !is_over.load(Ordering::Relaxed);
        let result = begins.then(|| run_once(scenario, &options, &mut |_| ()));
        let finished = matches!(&result, Some(Ok(run)) if run.outcome == Outcome::Finished);
        is_over.fetch_or(!finished, Ordering::Relaxed);
        result
    });
    let (mut perturbed, mut jitters): (Vec<Time>, Vec<f64>) = (Vec::new(), Vec::new());
    for run in results.into_iter().flatten() {
        let run = run?;
        if run.outcome != Outcome::Finished {
            report.end_as(run.outcome);
            return Ok(());
        }
        perturbed.push(run.summary.simulated);
        jitters.push(run.summary.counts.flow().map_or(0.0, |flow| flow.jitter));
    }
    let simulated = std::iter::once(report.summary.simulated).chain(perturbed).collect();
    if let Some(flow) = report.summary.counts.flow_mut() {
        let jitter = jitters.into_iter().fold(0.0, f64::max);
        let ties = TieSensitivity { jitter, simulated };
        report.summary.verdict.splice(0..0, verdict::ties(&ties));
        report.summary.verdict.truncate(verdict::MOST);
        flow.ties = Some(ties);
    }
    Ok(())
}
