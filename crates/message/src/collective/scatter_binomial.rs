//! Scatter along a binomial tree: the way of the binomial gather backwards. Counted from the root, a rank receives
//! the blocks of its subtree and hands on those of its children, the largest subtree first. Workspace: blocks counted
//! from the own on; at the root then all blocks in rank order, where they come from.

use super::{Place, Round, Schedule, doublings};

pub(super) struct Binomial {
    pub(super) place: Place,
    pub(super) root: usize,
    pub(super) bytes: usize,
}

impl Schedule for Binomial {
    fn rounds(&self) -> usize {
        2
    }

    fn round(&self, index: usize, round: &mut Round) {
        let Place { rank, size } = self.place.relative_to(self.root);
        let absolute = |rank: usize| (rank + self.root) % size;
        let lowest = if rank == 0 { doublings(size) } else { rank.trailing_zeros() as usize };
        if index == 0 {
            if rank == 0 {
                let (all, turn) = (size * self.bytes, (size - self.root) * self.bytes);
                round.copy(all + self.root * self.bytes..2 * all, 0);
                round.copy(all..all + self.root * self.bytes, turn);
            } else {
                let blocks = (1 << lowest).min(size - rank);
                round.receive(absolute(rank & (rank - 1)), 0..blocks * self.bytes);
            }
            return;
        }
        for bit in (0..lowest).rev().map(|bit| 1 << bit).filter(|bit| rank + bit < size) {
            let blocks = bit.min(size - rank - bit);
            round.send(absolute(rank + bit), bit * self.bytes..(bit + blocks) * self.bytes);
        }
    }
}
