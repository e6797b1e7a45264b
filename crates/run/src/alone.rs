//! Each of several jobs once more, without the others.

use crate::{Printed, Result, RunDigest, run_isolated};
use std::num::NonZeroUsize;
use weir_experiment::Scenario;
use weir_record::JobCounts;
use weir_units::{Duration, side_by_side};

/// Runs each job again without the others, at the same place, and notes its time.
pub(crate) fn add_alone(scenario: &Scenario, counts: &mut [JobCounts]) -> Result<()> {
    let alone: Vec<usize> =
        (0..counts.len()).filter(|&job| counts[job].is_over && !counts[job].is_endless).collect();
    let found = side_by_side(&alone, NonZeroUsize::new(scenario.engine.threads()), |&job| {
        let (run, _) = run_isolated(scenario.with_job_alone(job), Printed::Kept);
        let counts = |run: RunDigest| {
            let job = &run.summary["jobs"][job];
            (job["time_ps"].as_u64().map(Duration::from_ps), job["messages"].as_u64())
        };
        run.map(counts)
    });
    for (job, found) in alone.into_iter().zip(found) {
        let (time, messages) = found?;
        // A job of a list ends at its time, whatever it has done by then.
        match counts[job].submit {
            Some(_) => counts[job].alone_messages = messages,
            None => counts[job].alone = time,
        }
    }
    Ok(())
}
