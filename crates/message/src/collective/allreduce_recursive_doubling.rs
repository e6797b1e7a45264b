//! All-reduce by recursive doubling (Thakur, Rabenseifner, Gropp: "Optimization of collective communication
//! operations in MPICH", 2005, section 4.5): partners at distance 1, 2, 4, ... exchange partial results. If the
//! number of ranks is not a power of two, the first ranks fold in pairs before, and unfold after. Every partial
//! result covers consecutive ranks, so the order of operands is kept. Workspace: the result, then room for what comes.

use super::folding::{Fold, Folding, Stage};
use super::{Place, Round, Schedule, Side};

pub(super) struct RecursiveDoubling {
    pub(super) place: Place,
    pub(super) bytes: usize,
}

impl Schedule for RecursiveDoubling {
    fn rounds(&self) -> usize {
        let folding = Folding::new(self.place);
        folding.rounds(folding.doublings())
    }

    fn round(&self, index: usize, round: &mut Round) {
        let folding = Folding::new(self.place);
        match folding.stage(index, folding.doublings()) {
            Stage::Fold => fold(folding.fold(), self.bytes, round),
            Stage::Step(step) => {
                let Some(own) = folding.own() else { return };
                let other = own ^ (1 << step);
                let partner = folding.rank_of(other);
                let room = self.bytes..2 * self.bytes;
                round.send(partner, 0..self.bytes);
                round.receive(partner, room.clone());
                round.reduce(room, 0, if other < own { Side::Left } else { Side::Right });
            }
            Stage::Unfold => unfold(folding.fold(), 0..self.bytes, round),
        }
    }
}

/// Pairs fold: the operand, the first `bytes` of the workspace, is combined into that of the rank that stays. Room for
/// what comes is behind.
pub(super) fn fold(fold: Fold, bytes: usize, round: &mut Round) {
    match fold {
        Fold::Alone => {}
        Fold::Leaves(partner) => round.send(partner, 0..bytes),
        Fold::Stays(partner) => {
            round.receive(partner, bytes..2 * bytes);
            round.reduce(
                bytes..2 * bytes,
                0,
                if partner.is_multiple_of(2) { Side::Left } else { Side::Right },
            );
        }
    }
}

/// Pairs unfold: the rank that stayed hands the result over.
pub(super) fn unfold(fold: Fold, result: std::ops::Range<usize>, round: &mut Round) {
    match fold {
        Fold::Alone => {}
        Fold::Leaves(partner) => round.receive(partner, result),
        Fold::Stays(partner) => round.send(partner, result),
    }
}
