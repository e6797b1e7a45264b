//! Reduce-scatter along a ring (Patarasuk, Yuan: "Bandwidth optimal all-reduce algorithms for clusters of
//! workstations", 2009; Open MPI 4.1 `coll/base`, `ompi_coll_base_reduce_scatter_intra_ring`): the partial result for a rank
//! begins at the one behind it, goes once around the ring, and ends at that rank. Operands meet in ring order, so the
//! operation must commute. With several rings each block is cut into as many strands, which go around at the same time, each by a rail of
//! its own. Workspace: all blocks in rank order, then room for one that comes.

use super::{Blocks, MemoryBlocks, Place, Round, Schedule, Side, strand};

pub(super) struct Ring {
    pub(super) place: Place,
    pub(super) blocks: Blocks,
    /// Bytes of an element: strands are whole elements.
    pub(super) extent: usize,
    pub(super) rings: usize,
}

impl Ring {
    /// Bytes of the workspace.
    pub(super) fn workspace(&self) -> usize {
        // All blocks come here but the one that begins here.
        let begins = self.place.before(1);
        let coming = (0..self.place.size).filter(|&rank| rank != begins);
        self.blocks.total() + coming.map(|rank| self.blocks.length(rank)).max().unwrap_or(0)
    }
}

impl Schedule for Ring {
    fn rounds(&self) -> usize {
        self.place.size - 1
    }

    fn round(&self, index: usize, round: &mut Round) {
        let out = self.blocks.range(self.place.before(index + 1));
        let into = self.blocks.range(self.place.before(index + 2));
        for ring in (0..self.rings).map(|ring| (ring, self.rings)) {
            let own = strand(&into, self.extent, ring);
            let room = self.blocks.total() + own.start - into.start;
            let room = room..room + own.len();
            round.send_around(ring, self.place.after(1), strand(&out, self.extent, ring));
            round.receive(self.place.before(1), room.clone());
            round.reduce(room, own.start, Side::Left);
        }
    }

    /// What is combined, and two rooms for what comes (Open MPI 4.1, `accumbuf` and `inbuf`).
    fn blocks(&self) -> Option<MemoryBlocks> {
        let longest = (0..self.place.size).map(|rank| self.blocks.length(rank)).max().unwrap_or(0);
        Some([self.blocks.total(), longest, if self.place.size > 2 { longest } else { 0 }])
    }
}
