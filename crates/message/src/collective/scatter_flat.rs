//! Scatter by the root alone: one message to each. Blocks may have different lengths. Workspace: at the root all
//! blocks in rank order, elsewhere the own block.

use super::{Blocks, Place, Round, Schedule};

pub(super) struct Flat {
    pub(super) place: Place,
    pub(super) root: usize,
    pub(super) blocks: Blocks,
}

impl Schedule for Flat {
    fn rounds(&self) -> usize {
        1
    }

    fn round(&self, _: usize, round: &mut Round) {
        if self.place.rank != self.root {
            let bytes = self.blocks.length(self.place.rank);
            if bytes > 0 {
                round.receive(self.root, 0..bytes);
            }
            return;
        }
        for rank in 0..self.place.size {
            let block = self.blocks.range(rank);
            if rank != self.root && !block.is_empty() {
                round.send(rank, block);
            }
        }
    }
}
