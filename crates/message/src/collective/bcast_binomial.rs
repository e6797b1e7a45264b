//! Broadcast along a binomial tree: counted from the root, a rank receives from the one without its lowest set bit,
//! and passes on to those with one lower bit more, the farthest first.

use super::{Place, Round, Schedule, doublings};

pub(super) struct Binomial {
    pub(super) place: Place,
    pub(super) root: usize,
    pub(super) bytes: usize,
}

impl Schedule for Binomial {
    fn rounds(&self) -> usize {
        if self.place.size == 1 { 0 } else { 2 }
    }

    fn round(&self, index: usize, round: &mut Round) {
        let Place { rank, size } = self.place.relative_to(self.root);
        let absolute = |rank: usize| (rank + self.root) % size;
        let lowest = if rank == 0 { doublings(size) } else { rank.trailing_zeros() as usize };
        if index == 0 {
            if rank != 0 {
                round.receive(absolute(rank & (rank - 1)), 0..self.bytes);
            }
        } else {
            let children = (0..lowest).rev().map(|bit| rank | 1 << bit).filter(|&child| child < size);
            children.for_each(|child| round.send(absolute(child), 0..self.bytes));
        }
    }
}
