//! Scatter by the root alone: the flat gather backwards, one message from the root to each. Workspace as there.

use super::{Round, Schedule, gather_flat};

pub(super) struct Flat(pub(super) gather_flat::Flat);

impl Schedule for Flat {
    fn rounds(&self) -> usize {
        self.0.rounds()
    }

    fn round(&self, index: usize, round: &mut Round) {
        self.0.round(index, round);
        std::mem::swap(&mut round.sends, &mut round.receives);
    }
}
