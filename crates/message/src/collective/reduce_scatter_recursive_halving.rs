//! Reduce-scatter by recursive halving (Thakur, Rabenseifner, Gropp 2005, section 4): partners at distance n/2, n/4,
//! ..., 1 exchange the blocks of each other's half, so that the last step leaves each its own. Ranks beyond a power of
//! two fold before; after, the one that stayed hands over the other's block. Operands of distant ranks meet first, so
//! the operation must commute. Workspace: all blocks in rank order, then room for what comes.

use super::allreduce_recursive_doubling::fold;
use super::folding::{Fold, Folding, Stage};
use super::{Blocks, MemoryBlocks, Place, Round, Schedule, Side};
use std::ops::Range;

pub(super) struct RecursiveHalving {
    folding: Folding,
    blocks: Blocks,
    rank: usize,
}

impl RecursiveHalving {
    pub(super) fn new(place: Place, blocks: Blocks) -> Self {
        Self { folding: Folding::new(place), blocks, rank: place.rank }
    }

    /// Bytes of the blocks of the ranks that `count` members of the core stand for, those around this one.
    fn around(&self, member: usize, count: usize) -> Range<usize> {
        let first = member & !(count - 1);
        self.blocks.ranges(self.folding.first_rank(first)..self.folding.first_rank(first + count))
    }
}

impl Schedule for RecursiveHalving {
    fn rounds(&self) -> usize {
        self.folding.rounds(self.folding.doublings())
    }

    fn round(&self, index: usize, round: &mut Round) {
        let total = self.blocks.total();
        let steps = self.folding.doublings();
        match self.folding.stage(index, steps) {
            Stage::Fold => fold(self.folding.fold(), total, round),
            Stage::Step(step) => {
                let Some(own) = self.folding.own() else { return };
                let distance = 1 << (steps - 1 - step);
                let other = own ^ distance;
                let (keep, give) = (self.around(own, distance), self.around(other, distance));
                let room = total..total + keep.len();
                round.send(self.folding.rank_of(other), give);
                round.receive(self.folding.rank_of(other), room.clone());
                round.reduce(room, keep.start, if other < own { Side::Left } else { Side::Right });
            }
            Stage::Unfold => match self.folding.fold() {
                Fold::Alone => {}
                Fold::Leaves(partner) => round.receive(partner, self.blocks.range(self.rank)),
                Fold::Stays(partner) => round.send(partner, self.blocks.range(partner)),
            },
        }
    }

    /// What is combined, and what comes (Open MPI 4.1 `coll/base`, `recv_buf` and `result_buf`; MPICH 4.2 likewise).
    fn blocks(&self) -> Option<MemoryBlocks> {
        Some([self.blocks.total(), self.blocks.total(), 0])
    }
}
