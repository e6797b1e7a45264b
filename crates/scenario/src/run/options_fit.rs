//! Checks whether the requests beside the run make sense for a scenario.

use crate::{RunError, Scenario, Workload};
use weir_capi::Verify;
use weir_capi::executable::Kind;
use weir_flow::KeepCycles;

impl Scenario {
    /// Only the engine itself has cycles to keep.
    pub(crate) fn check_cycles(&self, keep: KeepCycles) -> Result<(), RunError> {
        if keep == KeepCycles::No || self.engine.lists_cycles() {
            return Ok(());
        }
        let why = "no list of cycles: only the flow engine with method = \"incremental\" keeps one";
        Err(RunError::Options(why.into()))
    }

    /// Only programs of `weir cc` can be asked.
    pub(crate) fn check_verify(&self, verify: Verify) -> Result<(), RunError> {
        let why = match &self.workload.kind {
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
}
