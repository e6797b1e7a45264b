//! All-reduce by recursive doubling (Thakur, Rabenseifner, Gropp: "Optimization of collective communication
//! operations in MPICH", 2005, section 4.5): partners at distance 1, 2, 4, ... exchange partial results. If the
//! number of ranks is not a power of two, the first ranks fold in pairs before, and unfold after. Every partial
//! result covers consecutive ranks, so the order of operands is kept. Workspace: the result, then room for what comes.

use super::{Place, Round, Schedule, Side};

pub(super) struct RecursiveDoubling {
    pub(super) place: Place,
    pub(super) bytes: usize,
}

impl RecursiveDoubling {
    /// Ranks that take part in the doubling, a power of two, and how many pairs fold.
    fn core(&self) -> (usize, usize) {
        let core = (self.place.size + 1).next_power_of_two() / 2;
        (core, self.place.size - core)
    }
}

impl Schedule for RecursiveDoubling {
    fn rounds(&self) -> usize {
        let (core, pairs) = self.core();
        core.trailing_zeros() as usize + if pairs > 0 { 2 } else { 0 }
    }

    fn round(&self, index: usize, round: &mut Round) {
        let (core, pairs) = self.core();
        let (result, room) = (0..self.bytes, self.bytes..2 * self.bytes);
        let rank = self.place.rank;
        let folds = rank < 2 * pairs;
        let doubling = if pairs > 0 { index.wrapping_sub(1) } else { index };
        if doubling < core.trailing_zeros() as usize {
            if folds && rank.is_multiple_of(2) {
                return;
            }
            let own = if folds { rank / 2 } else { rank - pairs };
            let other = own ^ (1 << doubling);
            let partner = if other < pairs { 2 * other + 1 } else { other + pairs };
            round.send(partner, result);
            round.receive(partner, room.clone());
            round.reduce(room, 0, if other < own { Side::Left } else { Side::Right });
        } else if folds {
            let (even, first) = (rank.is_multiple_of(2), index == 0);
            match (even, first) {
                (true, true) => round.send(rank + 1, result),
                (true, false) => round.receive(rank + 1, result),
                (false, true) => {
                    round.receive(rank - 1, room.clone());
                    round.reduce(room, 0, Side::Left);
                }
                (false, false) => round.send(rank - 1, result),
            }
        }
    }
}
