//! When a run is kept, and where.

use weir_network::{Checkpoints, Looks};
use weir_units::Time;

/// Where a run is kept, if it is, and when it asks whether to.
pub(crate) struct Keeping<'k> {
    checkpoints: Option<&'k mut dyn Checkpoints>,
    looks: Looks,
    /// How many instants there have been since it began or went on.
    instants: u64,
}

impl<'k> Keeping<'k> {
    pub(crate) fn new(checkpoints: Option<&'k mut dyn Checkpoints>) -> Self {
        Self { checkpoints, looks: Looks::default(), instants: 0 }
    }

    /// Whether the run may be kept at all.
    pub(crate) fn keeps(&self) -> bool {
        self.checkpoints.is_some()
    }

    /// What it goes on from, if it does.
    pub(crate) fn take(&mut self) -> Option<Vec<u8>> {
        self.checkpoints.as_mut()?.take()
    }

    /// Whether it is to be kept after this instant, which may be its last one for now.
    #[inline]
    pub(crate) fn is_due(&mut self, is_last: bool) -> bool {
        let Some(checkpoints) = &mut self.checkpoints else { return false };
        self.instants += 1;
        self.looks.are_due(self.instants) && checkpoints.is_due() || is_last
    }

    /// Keeps what it has reached before an instant.
    pub(crate) fn keep(&mut self, at: Time, state: &[u8]) {
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.keep(at, state);
        }
    }
}
