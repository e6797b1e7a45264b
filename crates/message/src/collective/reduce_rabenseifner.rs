//! Reduction by Rabenseifner's algorithm (Rabenseifner: "Optimization of collective reduction operations", 2004;
//! Thakur, Rabenseifner, Gropp 2005, section 4.5): a reduce-scatter by recursive halving ([`Halves`]), then a gather
//! of the parts along a binomial tree to the root. Ranks beyond a power of two fold before; in its pair the root is
//! the one that stays. The order of operands is kept. Workspace: the result, then room for what comes.

use super::allreduce_recursive_doubling::fold;
use super::folding::{Folding, Stage};
use super::halves::Halves;
use super::{MemoryBlocks, Place, Round, Schedule};

pub(super) struct Rabenseifner {
    halves: Halves,
    root: usize,
    is_root: bool,
}

impl Rabenseifner {
    pub(super) fn new(place: Place, root: usize, elements: usize, extent: usize) -> Self {
        let halves = Halves::new(Folding::keeping(place, root), elements, extent);
        Self { halves, root, is_root: place.rank == root }
    }

    /// Half of those that still have parts hand them to the others: in each step those on the other side of the root.
    fn gather(&self, step: usize, round: &mut Round) {
        let folding = self.halves.folding;
        let Some(own) = folding.own() else { return };
        let apart = own ^ folding.member(self.root);
        let other = own ^ (1 << step);
        if apart >> (step + 1) != 0 {
            return;
        }
        if apart & (1 << step) != 0 {
            round.send(folding.rank_of(other), self.halves.shared(own, step + 1));
        } else {
            round.receive(folding.rank_of(other), self.halves.shared(other, step + 1));
        }
    }
}

impl Schedule for Rabenseifner {
    fn rounds(&self) -> usize {
        self.halves.folding.rounds(2 * self.halves.folding.doublings())
    }

    fn round(&self, index: usize, round: &mut Round) {
        let folding = self.halves.folding;
        let steps = folding.doublings();
        match folding.stage(index, 2 * steps) {
            Stage::Fold => fold(folding.fold(), self.halves.parts.total(), round),
            Stage::Step(step) if step < steps => self.halves.halve(step, round),
            Stage::Step(step) => self.gather(2 * steps - 1 - step, round),
            // Those that have left get no result.
            Stage::Unfold => {}
        }
    }

    /// What comes, and what is combined where it is not the result (Open MPI 4.1, `tmp_buf` and `rbuf`).
    fn blocks(&self) -> Option<MemoryBlocks> {
        let bytes = self.halves.parts.total();
        Some([bytes, if self.is_root { 0 } else { bytes }, 0])
    }
}
