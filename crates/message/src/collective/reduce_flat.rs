//! Reduction by the root alone: it receives from all and combines in rank order. Workspace: the result, then room
//! for one operand of every rank.

use super::{Place, Round, Schedule, Side};

pub(super) struct Flat {
    pub(super) place: Place,
    pub(super) root: usize,
    pub(super) bytes: usize,
}

impl Flat {
    fn slot(&self, rank: usize) -> std::ops::Range<usize> {
        self.bytes * (rank + 1)..self.bytes * (rank + 2)
    }
}

impl Schedule for Flat {
    fn rounds(&self) -> usize {
        1
    }

    fn round(&self, _: usize, round: &mut Round) {
        if self.place.rank != self.root {
            round.send(self.root, 0..self.bytes);
            return;
        }
        round.copy(0..self.bytes, self.slot(self.root).start);
        for rank in 0..self.place.size {
            if rank != self.root {
                round.receive(rank, self.slot(rank));
            }
        }
        round.copy(self.slot(0), 0);
        (1..self.place.size).for_each(|rank| round.reduce(self.slot(rank), 0, Side::Right));
    }
}
