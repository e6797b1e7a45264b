//! A rank's record of its sampled blocks.

use crate::skeleton::blocks::{Scope, Statistics};
use weir_units::Duration;

#[derive(Debug, Default)]
pub(crate) struct Samples {
    pub(super) open: Option<Open>,
    /// Measurements of the rank itself, by number of block.
    pub(super) own: Vec<Statistics>,
}

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
    /// The rank's computing time until the block began, where nothing is said of its work.
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
