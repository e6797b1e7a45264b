//! All-gather along a ring: in each of size - 1 rounds every rank hands the block it got last to the next rank.
//! Blocks may have different lengths. Workspace: all blocks in rank order.

use super::{Blocks, Place, Round, Schedule};

pub(super) struct Ring {
    pub(super) place: Place,
    pub(super) blocks: Blocks,
}

impl Schedule for Ring {
    fn rounds(&self) -> usize {
        self.place.size - 1
    }

    fn round(&self, index: usize, round: &mut Round) {
        round.send(self.place.after(1), self.blocks.range(self.place.before(index)));
        round.receive(self.place.before(1), self.blocks.range(self.place.before(index + 1)));
    }
}
