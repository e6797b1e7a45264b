//! Prefix reduction one rank after the other. Workspace: the inclusive prefix, room for what comes, the exclusive
//! prefix.

use super::{Place, Round, Schedule, Side};

pub(super) struct Linear {
    pub(super) place: Place,
    pub(super) bytes: usize,
}

impl Schedule for Linear {
    fn rounds(&self) -> usize {
        2
    }

    fn round(&self, index: usize, round: &mut Round) {
        let rank = self.place.rank;
        if index == 0 && rank > 0 {
            let room = self.bytes..2 * self.bytes;
            round.receive(rank - 1, room.clone());
            round.reduce(room.clone(), 0, Side::Left);
            round.copy(room, 2 * self.bytes);
        }
        if index == 1 && rank + 1 < self.place.size {
            round.send(rank + 1, 0..self.bytes);
        }
    }
}
