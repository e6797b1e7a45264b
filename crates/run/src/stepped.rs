//! Runs whose ranks are those of a program outside, which steps them.

use crate::engine::Run;
use crate::folder::begin_folder;
use crate::simulation::{Around, run_observed};
use crate::{Report, Result, Resume, RunError, RunOptions};
use weir_experiment::Scenario;
use weir_message::Body;
use weir_network::{Program, RunContext, Watch};
use weir_pdes::OneProcess;

/// Runs the programs of all ranks, which give whoever steps them ([`Program::stepper`]), on one thread; returns what the run has counted. If the
/// scenario has a results folder it is written as by [`run_with`](crate::run_with): tables while the run goes on, and the summary at its end.
///
/// # Errors
/// When checkpoints or a band are asked for, when there is not enough memory, when the gaps between packets cannot be found, or when the results
/// cannot be written.
///
/// # Panics
/// When there are not as many programs as ranks.
pub fn run_stepped<'p>(
    scenario: &Scenario,
    programs: &mut [&'p mut (dyn Program<Body = Body> + 'p)],
    watch: Watch<'_>,
) -> Result<Report> {
    assert_eq!(programs.len(), scenario.workload.ranks, "a program for each rank");
    let asked =
        [(scenario.output.checkpoint_every.is_some(), "checkpoint_every"), (scenario.output.band, "band")];
    if let Some((_, key)) = asked.into_iter().find(|(is_asked, _)| *is_asked) {
        let hint = "leave it away: the run would have to be made again, and only that program knows what its ranks do";
        return Err(RunError::Options(format!(
            "output.{key}: a run that a program outside steps has none\n\nhint: {hint}"
        )));
    }
    if let Err(limit) = &scenario.prepared {
        return Err(RunError::Budget(limit.clone()));
    }
    let folder = begin_folder(scenario, Resume::No)?;
    // Other threads would wait in vain while the program outside computes.
    let mut outside = |run: Run<'_>, context: RunContext<'_>| run.programs(programs, context.threads(1));
    let around = Around {
        folder: folder.as_ref(),
        observer: None,
        processes: &mut OneProcess,
        checkpoints: None,
        outside: Some(&mut outside),
    };
    let report = run_observed(scenario, &RunOptions::default(), around, watch)?;
    if let Some(folder) = folder {
        report.summary.write(&folder)?;
    }
    Ok(report)
}
