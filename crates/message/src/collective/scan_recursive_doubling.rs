//! Prefix reduction by doubling (Hillis, Steele: "Data parallel algorithms", 1986): in round k a rank hands what it
//! has to the one 2^k places on; log2(size) rounds. Workspace: the inclusive prefix, room for what comes, the
//! exclusive prefix.

use super::{Place, Round, Schedule, Side, doublings};

pub(super) struct RecursiveDoubling {
    pub(super) place: Place,
    pub(super) bytes: usize,
}

impl Schedule for RecursiveDoubling {
    fn rounds(&self) -> usize {
        doublings(self.place.size)
    }

    fn round(&self, index: usize, round: &mut Round) {
        let (distance, rank) = (1 << index, self.place.rank);
        let (prefix, room, exclusive) = (0..self.bytes, self.bytes..2 * self.bytes, 2 * self.bytes);
        if rank + distance < self.place.size {
            round.send(rank + distance, prefix);
        }
        if rank >= distance {
            round.receive(rank - distance, room.clone());
            round.reduce(room.clone(), 0, Side::Left);
            if index == 0 {
                round.copy(room, exclusive);
            } else {
                round.reduce(room, exclusive, Side::Left);
            }
        }
    }
}
