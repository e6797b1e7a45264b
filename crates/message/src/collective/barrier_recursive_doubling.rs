//! Barrier by recursive doubling (Open MPI 4.1 `coll/base`, `ompi_coll_base_barrier_intra_recursivedoubling`): partners at
//! distance 1, 2, 4, ... exchange empty messages. Ranks from the greatest power of two on report to the rank that is so
//! far below before, and are released by it after.

use super::folding::core;
use super::{Place, Round, Schedule};

pub(super) struct RecursiveDoubling {
    pub(super) place: Place,
}

impl RecursiveDoubling {
    /// The rank with which this one goes through the barrier, where there are more than a power of two.
    fn partner(&self) -> Option<usize> {
        let (Place { rank, size }, core) = (self.place, core(self.place.size));
        if rank >= core { Some(rank - core) } else { Some(rank + core).filter(|&other| other < size) }
    }
}

impl Schedule for RecursiveDoubling {
    fn rounds(&self) -> usize {
        let core = core(self.place.size);
        let steps = if self.place.rank >= core { 0 } else { core.trailing_zeros() as usize };
        steps + if self.partner().is_some() { 2 } else { 0 }
    }

    fn round(&self, index: usize, round: &mut Round) {
        let reports = self.place.rank >= core(self.place.size);
        let last = index + 1 == self.rounds();
        match self.partner() {
            Some(other) if index == 0 || last => {
                if reports == (index == 0) {
                    round.send(other, 0..0);
                } else {
                    round.receive(other, 0..0);
                }
            }
            partner => {
                let step = index - usize::from(partner.is_some());
                let other = self.place.rank ^ (1 << step);
                round.send(other, 0..0);
                round.receive(other, 0..0);
            }
        }
    }
}
