//! A checked scenario runs: on its engine, in a process of its own, logged or watched; and leaves a report and a results folder.

mod band;
pub(crate) mod budget;
pub(crate) mod calls;
pub(crate) mod checkpoints;
pub(crate) mod child_process;
pub mod contest;
pub(crate) mod context;
pub(crate) mod engine_result;
pub(crate) mod followed;
pub(crate) mod log;
pub(crate) mod memory;
pub(crate) mod mpi;
pub(crate) mod multi_process;
pub(crate) mod options;
pub(crate) mod preparation;
pub(crate) mod results;
pub(crate) mod simulation;
pub mod skeleton;

use crate::{Scenario, Workload};
use weir_capi::Verify;
use weir_capi::executable::Kind;
use weir_flow::KeepCycles;
use weir_network::Outcome;
use weir_record::RecordError;

/// Why a scenario cannot be run although nothing is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The program cannot be loaded; says why.
    #[error("{0}")]
    Program(String),
    /// A request beside the run makes no sense for this scenario; says why, and what would.
    #[error("{0}")]
    Options(String),
    /// The results cannot be written; says which file, and why.
    #[error("{0}")]
    Results(String),
    /// There is not enough memory, or it takes longer than allowed; says how much is needed, and how much there is.
    #[error("{0}")]
    Budget(String),
    /// The process of the run was lost; says how it ended.
    #[error("{0}")]
    Process(String),
}

impl From<RecordError> for RunError {
    fn from(error: RecordError) -> Self {
        Self::Results(error.to_string())
    }
}

/// Without ranks and events, so that runs that end alike say the same; `None` for a run that finished.
pub(crate) fn why_unfinished(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Finished => None,
        // What a collective says of itself.
        Outcome::Aborted { why, .. } => {
            Some(why.split_once("MPI_ERR_OTHER: ").map_or(why.as_str(), |(_, said)| said).to_owned())
        }
        Outcome::Deadlock(_) => Some("ranks wait for ever".to_owned()),
        Outcome::Limit(which) => Some(format!("limit: {which}")),
    }
}

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
