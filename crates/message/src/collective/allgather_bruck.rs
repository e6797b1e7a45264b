//! All-gather by Bruck's algorithm (Bruck et al.: "Efficient algorithms for all-to-all communications in multiport
//! message-passing systems", 1997): in round k a rank sends all blocks it has to the one 2^k places back; log2(size)
//! rounds; then the blocks are turned into rank order, one part of them by way of another place (as Open MPI 4.1 `coll/base` does). Workspace: blocks counted from the own
//! on, which become those in rank order, then room to turn them.

use super::{Place, Round, Schedule, doublings};

pub(super) struct Bruck {
    pub(super) place: Place,
    pub(super) bytes: usize,
}

impl Bruck {
    /// Bytes of the workspace.
    pub(super) fn workspace(&self) -> usize {
        let Place { rank, size } = self.place;
        self.bytes * if rank == 0 { size } else { 2 * size - rank }
    }
}

impl Schedule for Bruck {
    fn rounds(&self) -> usize {
        doublings(self.place.size) + 1
    }

    fn round(&self, index: usize, round: &mut Round) {
        let Place { rank, size } = self.place;
        if index < doublings(size) {
            let have = 1 << index;
            let blocks = have.min(size - have);
            round.send(self.place.before(have), 0..blocks * self.bytes);
            round.receive(self.place.after(have), have * self.bytes..(have + blocks) * self.bytes);
        } else {
            let (all, turn) = (size * self.bytes, (size - rank) * self.bytes);
            if rank > 0 {
                round.copy(0..turn, all);
                round.copy(turn..all, 0);
                round.copy(all..all + turn, rank * self.bytes);
            }
        }
    }
}
