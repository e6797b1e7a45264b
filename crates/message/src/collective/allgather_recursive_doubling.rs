//! All-gather by recursive doubling (Thakur, Rabenseifner, Gropp 2005, section 4): partners at distance 1, 2, 4, ...
//! exchange all they have. If the number of ranks is not a power of two, the first ranks fold in pairs before, and
//! unfold after. Blocks may have different lengths. Workspace: all blocks in rank order.

use super::allreduce_recursive_doubling::unfold;
use super::folding::{Fold, Folding, Stage};
use super::{Blocks, Place, Round, Schedule};
use std::ops::Range;

pub(super) struct RecursiveDoubling {
    pub(super) place: Place,
    pub(super) blocks: Blocks,
}

impl RecursiveDoubling {
    /// What a member of the core has after the steps up to this distance.
    fn has(&self, folding: Folding, member: usize, distance: usize) -> Range<usize> {
        let first = member & !(distance - 1);
        self.blocks.ranges(folding.first_rank(first)..folding.first_rank(first + distance))
    }
}

impl Schedule for RecursiveDoubling {
    fn rounds(&self) -> usize {
        let folding = Folding::new(self.place);
        folding.rounds(folding.doublings())
    }

    fn round(&self, index: usize, round: &mut Round) {
        let folding = Folding::new(self.place);
        match folding.stage(index, folding.doublings()) {
            Stage::Fold => match folding.fold() {
                Fold::Alone => {}
                Fold::Leaves(partner) => round.send(partner, self.blocks.range(self.place.rank)),
                Fold::Stays(partner) => round.receive(partner, self.blocks.range(partner)),
            },
            Stage::Step(step) => {
                let Some(own) = folding.own() else { return };
                let distance = 1 << step;
                let other = own ^ distance;
                let partner = folding.rank_of(other);
                round.send(partner, self.has(folding, own, distance));
                round.receive(partner, self.has(folding, other, distance));
            }
            Stage::Unfold => unfold(folding.fold(), 0..self.blocks.total(), round),
        }
    }
}
