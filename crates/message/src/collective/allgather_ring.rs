//! All-gather along a ring: in each of size - 1 rounds every rank hands the block it got last to the next rank.
//! Blocks may have different lengths. With several rings each block is cut into as many strands, which go around at the same time, each
//! by a rail of its own. Workspace: all blocks in rank order.

use super::{Blocks, Place, Round, Schedule, strand};

pub(super) struct Ring {
    pub(super) place: Place,
    pub(super) blocks: Blocks,
    pub(super) rings: usize,
}

impl Schedule for Ring {
    fn rounds(&self) -> usize {
        self.place.size - 1
    }

    fn round(&self, index: usize, round: &mut Round) {
        let out = self.blocks.range(self.place.before(index));
        let into = self.blocks.range(self.place.before(index + 1));
        for ring in (0..self.rings).map(|ring| (ring, self.rings)) {
            round.send_around(ring, self.place.after(1), strand(&out, 1, ring));
            round.receive(self.place.before(1), strand(&into, 1, ring));
        }
    }
}
