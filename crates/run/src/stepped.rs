//! Runs whose ranks are those of a program outside, which steps them.

use crate::engine::Run;
use crate::simulation::check_memory;
use crate::{Result, RunError, RunOptions};
use weir_experiment::{PreparationProgress, Prepared, Scenario};
use weir_message::Body;
use weir_network::{Ended, Program, RunContext, Watch};

/// Runs the programs of all ranks, which give whoever steps them ([`Program::stepper`]), on one thread; returns how the run ended. Nothing is
/// written.
///
/// # Errors
/// When a results folder is asked for, when there is not enough memory, or when the gaps between packets cannot be found.
///
/// # Panics
/// When there are not as many programs as ranks.
pub fn run_stepped<'p>(
    scenario: &Scenario,
    programs: &mut [&'p mut (dyn Program<Body = Body> + 'p)],
    watch: Watch<'_>,
) -> Result<Ended> {
    assert_eq!(programs.len(), scenario.workload.ranks, "a program for each rank");
    if scenario.output.dir.is_some() {
        let what =
            "output.dir: a run that a program outside steps writes no results folder\n\nhint: leave it away";
        return Err(RunError::Options(what.into()));
    }
    check_memory(scenario)?;
    let engine = match &scenario.prepared {
        Ok(engine) => engine,
        Err(limit) => return Err(RunError::Budget(limit.clone())),
    };
    let (limits, watch) = PreparationProgress::begin(scenario.limits(), watch).end();
    let services = scenario.services();
    let context = RunContext::new(scenario.placement()).limits(limits).watch(watch);
    let context = context.services(services.as_ref());
    if let Prepared::Packet(packets) = engine {
        // Others would wait in vain while the program outside computes.
        return Ok(packets.network.run_here(programs, context.threads(1)).ended);
    }
    let options = &RunOptions::default();
    Ok(Run { scenario, engine, options }.programs(programs, context).ended)
}
