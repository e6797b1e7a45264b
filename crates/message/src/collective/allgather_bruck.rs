//! All-gather by Bruck's algorithm (Bruck et al.: "Efficient algorithms for all-to-all communications in multiport
//! message-passing systems", 1997): in round k a rank sends all blocks it has to the one 2^k places back; log2(size)
//! rounds. Workspace: blocks counted from the own on, then all blocks in rank order.

use super::{Place, Round, Schedule, doublings};

pub(super) struct Bruck {
    pub(super) place: Place,
    pub(super) bytes: usize,
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
            round.copy(0..turn, all + rank * self.bytes);
            round.copy(turn..all, all);
        }
    }
}
