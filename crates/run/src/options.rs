//! Requests beside the run itself.

use crate::{Follower, GpuProcessor, Result, RunError};
use std::time::Duration as WallTime;
use weir_capi::Verify;
use weir_capi::executable::Kind;
use weir_experiment::{Scenario, Workload};
use weir_flow::{Compare, KeepCycles, Sharing, Ties};

/// Where a run begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resume {
    /// At its beginning.
    #[default]
    No,
    /// Where the checkpoint in its results folder is.
    Yes,
}

/// Requests beside the run itself.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Comparison of the rates of the sharing rule with max-min all the way, and of the simulated time of a pattern
    /// with that of max-min.
    pub compare: Compare,
    /// Number of additional runs with perturbed ties.
    pub tie_runs: usize,
    /// Keeping of the cycles of the flow engine.
    pub keep: KeepCycles,
    /// Check of an MPI program at its end for objects that it has left behind.
    pub verify: Verify,
    /// Start from the checkpoint in its results folder.
    pub resume: Resume,
    /// Who sees what links carry while it runs, in intervals that `output.sample_interval` asks for.
    pub follow: Option<Follower>,
    /// Rule by which messages share links, if not that of the experiment.
    pub sharing: Option<Sharing>,
    /// Order of messages that nothing decides.
    pub ties: Ties,
    /// Ends it after so long on the clock on the wall, counted from when the engine begins.
    pub ends_after: Option<WallTime>,
    /// Runs the routers on this GPU: synthetic traffic on the packet engine, with the results of a run on cores.
    pub gpu: Option<GpuProcessor>,
    /// Leaves out all but one of so many messages of a pattern in which ranks only send.
    pub one_of: Option<u64>,
}

/// Only the engine itself has cycles to keep.
pub(crate) fn check_cycles(scenario: &Scenario, keep: KeepCycles) -> Result<()> {
    if keep == KeepCycles::No || scenario.engine.lists_cycles() {
        return Ok(());
    }
    let why = "no list of cycles: only the flow engine with method = \"incremental\" keeps one";
    Err(RunError::Options(why.into()))
}

/// Only programs of `weir cc` can be asked.
pub(crate) fn check_verify(scenario: &Scenario, verify: Verify) -> Result<()> {
    let why = match &scenario.workload.kind {
        _ if verify == Verify::No => return Ok(()),
        Workload::Program(program) if program.kind == Kind::Separate => {
            "nothing verified: a program whose ranks are processes of their own cannot be asked what it has left \
             behind; build it with weir cc"
        }
        Workload::Program(_) => return Ok(()),
        _ => "nothing to verify: the workload is not an MPI program",
    };
    Err(RunError::Options(why.into()))
}
