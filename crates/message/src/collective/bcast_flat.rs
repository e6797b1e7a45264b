//! Broadcast by the root alone: one message to each, from the next rank on.

use super::{Place, Round, Schedule};

pub(super) struct Flat {
    pub(super) place: Place,
    pub(super) root: usize,
    pub(super) bytes: usize,
}

impl Schedule for Flat {
    fn rounds(&self) -> usize {
        1
    }

    fn round(&self, _: usize, round: &mut Round) {
        if self.place.rank == self.root {
            (1..self.place.size).for_each(|distance| round.send(self.place.after(distance), 0..self.bytes));
        } else {
            round.receive(self.root, 0..self.bytes);
        }
    }
}
