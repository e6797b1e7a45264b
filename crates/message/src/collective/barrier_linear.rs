//! Barrier at rank 0 (Open MPI 4.1 `coll/base`, `ompi_coll_base_barrier_intra_basic_linear`): all report to it, and when all
//! have, it releases them.

use super::{Place, Round, Schedule};

pub(super) struct Linear {
    pub(super) place: Place,
}

impl Schedule for Linear {
    fn rounds(&self) -> usize {
        if self.place.size == 1 { 0 } else { 2 }
    }

    fn round(&self, index: usize, round: &mut Round) {
        match (self.place.rank, index) {
            (0, 0) => (1..self.place.size).for_each(|rank| round.receive(rank, 0..0)),
            (0, _) => (1..self.place.size).for_each(|rank| round.send(rank, 0..0)),
            (_, 0) => round.send(0, 0..0),
            (_, _) => round.receive(0, 0..0),
        }
    }
}
