//! Dissemination barrier (Hensgen, Finkel, Manber: "Two algorithms for barrier synchronization", 1988): in round k
//! every rank sends to the one 2^k places on; after log2(size) rounds each depends, through others, on all.

use super::{Place, Round, Schedule, doublings};

pub(super) struct Dissemination {
    pub(super) place: Place,
}

impl Schedule for Dissemination {
    fn rounds(&self) -> usize {
        doublings(self.place.size)
    }

    fn round(&self, index: usize, round: &mut Round) {
        round.send(self.place.after(1 << index), 0..0);
        round.receive(self.place.before(1 << index), 0..0);
    }
}
