//! Reduction along a binomial tree: in round k a rank whose bit k is set hands its partial result to the one without
//! it. Counted from rank 0 a partial result covers consecutive ranks, so the order of operands is kept; for a root
//! other than 0 ranks are counted from the root, which only operations that commute allow (`Plan::reduce` sees to
//! it). Workspace: the partial result, then room for the one that comes.

use super::{Place, Round, Schedule, Side, doublings};

pub(super) struct Binomial {
    pub(super) place: Place,
    pub(super) root: usize,
    pub(super) bytes: usize,
}

impl Schedule for Binomial {
    fn rounds(&self) -> usize {
        let rank = self.place.relative_to(self.root).rank;
        if rank == 0 { doublings(self.place.size) } else { rank.trailing_zeros() as usize + 1 }
    }

    fn round(&self, index: usize, round: &mut Round) {
        let Place { rank, size } = self.place.relative_to(self.root);
        let absolute = |rank: usize| (rank + self.root) % size;
        let bit = 1 << index;
        if rank & bit != 0 {
            round.send(absolute(rank - bit), 0..self.bytes);
        } else if rank + bit < size {
            round.receive(absolute(rank + bit), self.bytes..2 * self.bytes);
            round.reduce(self.bytes..2 * self.bytes, 0, Side::Right);
        }
    }
}
