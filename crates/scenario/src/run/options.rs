//! Requests beside the run itself.

use std::time::Duration as WallTime;
use weir_capi::Verify;
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Variation {
    /// Rule by which messages share links, if not that of the experiment.
    pub(crate) sharing: Option<Sharing>,
    pub(crate) compare: Compare,
    pub(crate) ties: Ties,
    pub(crate) keep: KeepCycles,
    pub(crate) verify: Verify,
    /// Ends it after so long on the clock on the wall, counted from when the engine begins.
    pub(crate) ends_after: Option<WallTime>,
    /// Leaves out all but one of so many messages of a pattern in which ranks only send.
    pub(crate) one_of: Option<u64>,
}
