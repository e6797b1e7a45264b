//! A checked scenario runs: on its engine, in a process of its own, logged or watched; and leaves a report and a results folder.
//!
//! ```text
//!   Scenario ---- programs of ranks ----> engine ----> what is counted ----> Report, results folder
//! ```
//!
//! [`run`] runs a scenario, [`run_with`] with all that may be asked for beside. `simulation` has the steps in their order.

mod again;
mod alone;
mod band;
mod budget;
mod calls;
mod checkpoints;
mod child_process;
mod engine;
mod engine_result;
mod flow;
mod folder;
mod followed;
mod gpu;
mod graph;
mod jobs;
mod log;
mod mpi;
mod multi_process;
mod options;
mod packet;
mod profile;
mod results;
mod simulation;
pub mod skeleton;
mod stepped;
mod verdict;
pub mod what_if;

pub use budget::{Budget, Count, GpuBudget, Packets, allows, budget, packets_of_pattern, run};
pub use checkpoints::{build, checkpoint_of};
pub use child_process::{Printed, run_in_child, run_isolated, run_logged_apart, serve};
pub use folder::work_name;
pub use followed::Follower;
pub use gpu::{GpuBatch, GpuProcessor, SharedMachines};
pub use log::{Logged, log};
pub use multi_process::run_with;
pub use options::{Resume, RunOptions};
pub use simulation::{Report, RunDigest, run_into};
pub use stepped::run_stepped;
use weir_experiment::AnalysisError;
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
    /// The GPU has failed; says what it could not do.
    #[error("{0}")]
    Gpu(String),
}

/// Result of something about a run.
pub type Result<T, E = RunError> = std::result::Result<T, E>;

impl From<RecordError> for RunError {
    fn from(error: RecordError) -> Self {
        Self::Results(error.to_string())
    }
}

impl From<AnalysisError> for RunError {
    fn from(error: AnalysisError) -> Self {
        Self::Options(error.to_string())
    }
}

/// Without ranks and events, so that runs that end alike say the same; `None` for a run that finished.
pub fn why_unfinished(outcome: &Outcome) -> Option<String> {
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
