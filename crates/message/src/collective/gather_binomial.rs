//! Gather along a binomial tree: counted from the root, in round k a rank whose bit k is set hands the blocks of its
//! subtree, which are those of consecutive ranks, to the one without that bit. Workspace: blocks counted from the
//! root on, beginning with the own; at the root then all blocks in rank order.

use super::{Place, Round, Schedule, doublings};

pub(super) struct Binomial {
    pub(super) place: Place,
    pub(super) root: usize,
    pub(super) bytes: usize,
}

impl Binomial {
    /// How many blocks pass through a rank (counted from the root).
    pub(super) fn subtree(place: Place, root: usize) -> usize {
        let Place { rank, size } = place.relative_to(root);
        if rank == 0 { size } else { (1 << rank.trailing_zeros()).min(size - rank) }
    }
}

impl Schedule for Binomial {
    fn rounds(&self) -> usize {
        let rank = self.place.relative_to(self.root).rank;
        if rank == 0 { doublings(self.place.size).max(1) } else { rank.trailing_zeros() as usize + 1 }
    }

    fn round(&self, index: usize, round: &mut Round) {
        let Place { rank, size } = self.place.relative_to(self.root);
        let absolute = |rank: usize| (rank + self.root) % size;
        let bit = 1 << index;
        if rank & bit != 0 {
            round.send(absolute(rank - bit), 0..bit.min(size - rank) * self.bytes);
        } else if rank + bit < size {
            let blocks = bit.min(size - rank - bit);
            round.receive(absolute(rank + bit), bit * self.bytes..(bit + blocks) * self.bytes);
        }
        if rank == 0 && index + 1 == self.rounds() {
            // The blocks stand as root, root + 1, ..., 0, 1, ...: turn them into rank order, behind.
            let (all, turn) = (size * self.bytes, (size - self.root) * self.bytes);
            round.copy(turn..all, all);
            round.copy(0..turn, all + self.root * self.bytes);
        }
    }
}
