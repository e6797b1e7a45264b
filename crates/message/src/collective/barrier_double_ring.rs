//! Barrier along a ring (Open MPI 4.1 `coll/base`, `ompi_coll_base_barrier_intra_doublering`): an empty message goes around
//! the ring from rank 0 twice; the first time each rank holds it until it has come itself, the second time it releases
//! them.

use super::{Place, Round, Schedule};

pub(super) struct DoubleRing {
    pub(super) place: Place,
}

impl Schedule for DoubleRing {
    fn rounds(&self) -> usize {
        if self.place.size == 1 { 0 } else { 4 }
    }

    fn round(&self, index: usize, round: &mut Round) {
        // Rank 0 begins each time around; the others wait for it first.
        let sends = (self.place.rank == 0) == index.is_multiple_of(2);
        if sends {
            round.send(self.place.after(1), 0..0);
        } else {
            round.receive(self.place.before(1), 0..0);
        }
    }
}
