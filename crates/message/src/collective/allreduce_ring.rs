//! All-reduce along a ring (Patarasuk, Yuan: "Bandwidth optimal all-reduce algorithms for clusters of workstations",
//! 2009): the vector is cut into as many parts as there are ranks; size - 1 rounds reduce each part on its way around
//! the ring, and size - 1 more hand the results around. Operands meet in ring order, so the operation must commute.
//! Workspace: the vector, then room for one part.

use super::{Place, Round, Schedule, Side};
use std::ops::Range;

pub(super) struct Ring {
    pub(super) place: Place,
    pub(super) elements: usize,
    /// Bytes of an element: parts are whole elements.
    pub(super) extent: usize,
}

impl Ring {
    fn part(&self, number: usize) -> Range<usize> {
        let cut = |number: usize| number * self.elements / self.place.size * self.extent;
        cut(number)..cut(number + 1)
    }
}

impl Schedule for Ring {
    fn rounds(&self) -> usize {
        2 * (self.place.size - 1)
    }

    fn round(&self, index: usize, round: &mut Round) {
        let (next, previous) = (self.place.after(1), self.place.before(1));
        let reducing = index < self.place.size - 1;
        // Round i hands on the part i places back. The last round of the first half completes, at every rank, the
        // part of the next rank; that is where the second half begins, since places count modulo the size.
        let out = self.part(self.place.before(index));
        let into = self.part(self.place.before(index + 1));
        round.send(next, out);
        if reducing {
            let room = self.elements * self.extent;
            round.receive(previous, room..room + into.len());
            round.reduce(room..room + into.len(), into.start, Side::Left);
        } else {
            round.receive(previous, into);
        }
    }
}
