//! What a rank keeps of its sampled blocks.

use crate::skeleton::blocks::{Scope, Statistics};
use weir_units::Duration;

/// What a rank keeps of its sampled blocks.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    pub(super) open: Option<Open>,
    /// What the rank itself has measured, by number of block.
    pub(super) own: Vec<Statistics>,
}

/// An execution that is being measured.
#[derive(Debug)]
pub(super) enum Open {
    /// This one.
    Measured(Execution),
    /// Its beginning was a mistake.
    Refused,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Execution {
    pub(super) block: usize,
    pub(super) scope: Scope,
    pub(super) iterations: f64,
    /// What the rank had computed until its beginning, where nothing is said of its work.
    pub(super) computed: Duration,
    /// Calls of MPI until its beginning.
    pub(super) mpi_calls: u64,
}

impl Samples {
    pub(super) fn own(&mut self, block: usize) -> &mut Statistics {
        if self.own.len() <= block {
            self.own.resize(block + 1, Statistics::default());
        }
        &mut self.own[block]
    }
}
