//! The result of a reduction goes to a root that is not the first rank.

use super::{Round, Schedule};

/// One message from one rank to another, in place.
pub(super) struct HandOver {
    pub(super) rank: usize,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) bytes: usize,
}

impl Schedule for HandOver {
    fn rounds(&self) -> usize {
        usize::from(self.from != self.to && (self.rank == self.from || self.rank == self.to))
    }

    fn round(&self, _: usize, round: &mut Round) {
        if self.rank == self.from {
            round.send(self.to, 0..self.bytes);
        } else {
            round.receive(self.from, 0..self.bytes);
        }
    }
}
