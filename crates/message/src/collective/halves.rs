//! The two halves of Rabenseifner's all-reduce (Rabenseifner: "Optimization of collective reduction operations", 2004;
//! Thakur, Rabenseifner, Gropp 2005, section 4.5), for a core that is a power of two ([`Folding`]). Halving: partners
//! at distance 1, 2, 4, ... exchange the halves of what they share, so that each keeps a part, combined over all.
//! Partial results cover consecutive ranks, so the order of operands is kept. Doubling: the same backwards, without
//! combining. Workspace: the vector, then room for what comes.

use super::folding::Folding;
use super::schedule::side_of;
use super::{Blocks, Round};
use std::ops::Range;

/// The vector, cut into a part for each member of the core.
#[derive(Clone)]
pub(super) struct Halves {
    pub(super) folding: Folding,
    pub(super) parts: Blocks,
}

impl Halves {
    /// `elements` of `extent` bytes each, cut into whole elements.
    pub(super) fn new(folding: Folding, elements: usize, extent: usize) -> Self {
        Self { folding, parts: Blocks::Shares { count: folding.core, elements, extent } }
    }

    /// The bytes that a member of the core shares after so many steps: half of them with each.
    pub(super) fn shared(&self, member: usize, steps: usize) -> Range<usize> {
        let (mut first, mut count) = (0, self.folding.core);
        for step in 0..steps {
            count /= 2;
            if member & (1 << step) != 0 {
                first += count;
            }
        }
        self.parts.ranges(first..first + count)
    }

    /// A step of the halving at member `own` of the core.
    pub(super) fn halve(&self, own: usize, step: usize, round: &mut Round) {
        let other = own ^ (1 << step);
        let (keep, give) = (self.shared(own, step + 1), self.shared(other, step + 1));
        let room = self.parts.total()..self.parts.total() + keep.len();
        round.send(self.folding.rank_of(other), give);
        round.receive_operand(self.folding.rank_of(other), room, keep.start, side_of(other, own));
    }

    /// A step of the doubling; the steps go down to 0.
    pub(super) fn double(&self, own: usize, step: usize, round: &mut Round) {
        let other = own ^ (1 << step);
        let (out, into) = (self.shared(own, step + 1), self.shared(other, step + 1));
        round.exchange(self.folding.rank_of(other), out, into);
    }
}
