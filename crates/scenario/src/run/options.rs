//! What is asked for beside the run itself.

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

/// What is asked for beside the run itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// Whether the rates of the sharing rule are compared with max-min all the way, and the simulated time of a pattern
    /// with that of max-min.
    pub compare: Compare,
    /// How many more runs with perturbed ties there are.
    pub tie_runs: usize,
    /// Whether the cycles of the flow engine are kept.
    pub keep: KeepCycles,
    /// Whether an MPI program is asked at its end what it has left behind.
    pub verify: Verify,
    /// Whether it goes on from the checkpoint in its results folder.
    pub resume: Resume,
}

/// One of the runs that options ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Variation {
    /// How messages share links, if not as the experiment says.
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
