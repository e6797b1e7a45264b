//! Exchange with the neighbours of a virtual topology: all messages at once, in one round. Workspace: blocks to send,
//! then blocks received, both in the order of the neighbours.

use super::{Blocks, Round, Schedule};
use crate::virtual_topology::Neighbours;

pub(super) struct Exchange {
    pub(super) neighbours: Neighbours,
    pub(super) out: Blocks,
    pub(super) into: Blocks,
}

impl Schedule for Exchange {
    fn rounds(&self) -> usize {
        1
    }

    fn round(&self, _: usize, round: &mut Round) {
        let given = self.out.total();
        for (block, &to) in self.neighbours.destinations.iter().enumerate() {
            if let Ok(to) = usize::try_from(to) {
                round.send(to, self.out.range(block));
            }
        }
        for &block in &self.neighbours.arrival {
            if let Ok(from) = usize::try_from(self.neighbours.sources[block]) {
                let range = self.into.range(block);
                round.receive(from, given + range.start..given + range.end);
            }
        }
    }
}
