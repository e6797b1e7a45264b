//! Reduce-scatter by pairwise exchange (Thakur, Rabenseifner, Gropp 2005, section 4): in step p a rank sends the one
//! p places on its block, and combines what comes from the one p places back. Operands come from the ranks before, the
//! nearest first, then from the last rank down to the next; these two are combined apart and meet at the end, so the
//! order of operands is kept. Workspace: all blocks in rank order, the combination of the ranks behind, then room for
//! what comes.

use super::{Blocks, MemoryBlocks, Place, Round, Schedule, Side};

pub(super) struct Pairwise {
    pub(super) place: Place,
    pub(super) blocks: Blocks,
}

impl Schedule for Pairwise {
    fn rounds(&self) -> usize {
        self.place.size - 1
    }

    fn round(&self, index: usize, round: &mut Round) {
        let Place { rank, size } = self.place;
        let (to, from) = (self.place.after(index + 1), self.place.before(index + 1));
        let own = self.blocks.range(rank);
        let behind = self.blocks.total()..self.blocks.total() + own.len();
        let room = behind.end..behind.end + own.len();
        round.send(to, self.blocks.range(to));
        if from < rank {
            round.receive(from, room.clone());
            round.reduce(room, own.start, Side::Left);
        } else if from == size - 1 {
            round.receive(from, behind.clone());
        } else {
            round.receive(from, room.clone());
            round.reduce(room, behind.start, Side::Left);
        }
        if index + 2 == size && rank + 1 < size {
            round.reduce(behind, own.start, Side::Right);
        }
    }

    /// Room for what comes (MPICH 4.2, `tmp_recvbuf`).
    fn blocks(&self) -> Option<MemoryBlocks> {
        Some([self.blocks.length(self.place.rank), 0, 0])
    }
}
