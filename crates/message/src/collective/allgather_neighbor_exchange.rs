//! All-gather by neighbor exchange (Chen, Zhang, Zhang, Yuan: "Performance evaluation of allgather algorithms on
//! terascale Linux cluster with fast Ethernet", 2005): ranks lie in a ring and deal with their two neighbors in turn.
//! First pairs exchange their blocks; then each step hands on the two blocks that the step before has brought. Half as
//! many steps as along a ring; the number of ranks must be even. Blocks may have different lengths. Workspace: all
//! blocks in rank order.

use super::{Blocks, Place, Round, Schedule};
use std::ops::Range;

pub(super) struct NeighborExchange {
    pub(super) place: Place,
    pub(super) blocks: Blocks,
}

impl NeighborExchange {
    /// The pair of blocks that step `index` brings; step 0 completes the own pair. Even ranks look ahead for pairs in
    /// even steps and back in odd ones, odd ranks the other way round.
    fn pair(&self, index: usize) -> Range<usize> {
        let Place { rank, size } = self.place;
        let own = Place { rank: rank - rank % 2, size };
        let distance = 2 * index.div_ceil(2);
        let ahead = rank.is_multiple_of(2) == index.is_multiple_of(2);
        let first = if ahead { own.after(distance) } else { own.before(distance) };
        self.blocks.ranges(first..first + 2)
    }
}

impl Schedule for NeighborExchange {
    fn rounds(&self) -> usize {
        self.place.size / 2
    }

    fn round(&self, index: usize, round: &mut Round) {
        let ahead = self.place.rank.is_multiple_of(2) == index.is_multiple_of(2);
        let neighbor = if ahead { self.place.after(1) } else { self.place.before(1) };
        if index == 0 {
            round.send(neighbor, self.blocks.range(self.place.rank));
            round.receive(neighbor, self.blocks.range(neighbor));
        } else {
            round.send(neighbor, self.pair(index - 1));
            round.receive(neighbor, self.pair(index));
        }
    }
}
