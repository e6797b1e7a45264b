//! All-reduce by Rabenseifner's algorithm (Rabenseifner: "Optimization of collective reduction operations", 2004;
//! Thakur, Rabenseifner, Gropp 2005, section 4.5): a reduce-scatter by recursive halving, then an all-gather by
//! recursive doubling ([`Halves`]). Ranks beyond a power of two fold before and unfold after. The order of operands is
//! kept. Workspace: the result, then room for what comes.

use super::allreduce_recursive_doubling::{fold, unfold};
use super::folding::{Folding, Stage};
use super::halves::Halves;
use super::{Place, Round, Schedule};

pub(super) struct Rabenseifner {
    halves: Halves,
}

impl Rabenseifner {
    pub(super) fn new(place: Place, elements: usize, extent: usize) -> Self {
        Self { halves: Halves::new(Folding::new(place), elements, extent) }
    }
}

impl Schedule for Rabenseifner {
    fn rounds(&self) -> usize {
        self.halves.folding.rounds(2 * self.halves.folding.doublings())
    }

    fn round(&self, index: usize, round: &mut Round) {
        let (folding, bytes) = (self.halves.folding, self.halves.parts.total());
        let steps = folding.doublings();
        match folding.stage(index, 2 * steps) {
            Stage::Fold => fold(folding.fold(), bytes, round),
            Stage::Step(step) if step < steps => self.halves.halve(step, round),
            Stage::Step(step) => self.halves.double(2 * steps - 1 - step, round),
            Stage::Unfold => unfold(folding.fold(), 0..bytes, round),
        }
    }
}
