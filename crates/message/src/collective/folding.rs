//! Ranks that a power of two leaves over (Thakur, Rabenseifner, Gropp 2005, section 4.5): the first ranks fold in
//! pairs, one of each pair gives its data to the other before and gets the result after; the others are the *core*,
//! as many as a power of two, and are counted anew. A member of the core stands for consecutive ranks.

use super::schedule::side_of;
use super::{Place, Round, Schedule};
use std::ops::Range;

/// The greatest power of two up to this number of ranks.
pub(super) const fn core(ranks: usize) -> usize {
    (ranks + 1).next_power_of_two() / 2
}

#[derive(Clone, Copy)]
pub(super) struct Folding {
    /// Members of the core: the greatest power of two up to the number of ranks.
    pub(super) core: usize,
    pairs: usize,
    rank: usize,
    /// The rank that stays in its pair although it is even.
    kept: Option<usize>,
}

/// The part of a rank when the pairs fold, and backwards when they unfold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    /// It is alone.
    Alone,
    /// It hands its data to this rank.
    Leaves(usize),
    /// It stays, and takes the data of this rank.
    Stays(usize),
}

impl Fold {
    /// The rank that leaves hands its block to the one that stays; `block`: that of a rank.
    pub(super) fn hand_over(self, round: &mut Round, block: impl Fn(usize) -> Range<usize>) {
        match self {
            Self::Alone => {}
            Self::Leaves(partner) => round.send(partner, block(partner ^ 1)),
            Self::Stays(partner) => round.receive(partner, block(partner)),
        }
    }

    /// The rank that stayed hands a block to the one that has left; `block`: that for a rank.
    pub(super) fn hand_back(self, round: &mut Round, block: impl Fn(usize) -> Range<usize>) {
        self.hand_over(round, block);
        std::mem::swap(&mut round.sends, &mut round.receives);
    }

    /// The operand of the rank that leaves, the first `bytes` of the workspace, is combined into that of the rank that stays. Room for
    /// what comes is behind.
    pub(super) fn combine(self, round: &mut Round, bytes: usize) {
        match self {
            Self::Alone => {}
            Self::Leaves(partner) => round.send(partner, 0..bytes),
            Self::Stays(partner) => {
                round.receive_operand(partner, bytes..2 * bytes, 0, side_of(partner, partner ^ 1));
            }
        }
    }
}

/// A round of an algorithm with folding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Pairs fold; only if there are any.
    Fold(Fold),
    /// A step of the core, at this member of it.
    Step(usize, usize),
    /// Pairs unfold; only if there are any.
    Unfold(Fold),
}

impl Folding {
    /// The odd rank of each pair stays.
    pub(super) fn new(place: Place) -> Self {
        let core = core(place.size);
        Self { core, pairs: place.size - core, rank: place.rank, kept: None }
    }

    /// The odd rank of each pair stays, or this one.
    pub(super) fn keeping(place: Place, rank: usize) -> Self {
        Self { kept: Some(rank), ..Self::new(place) }
    }

    /// Steps of an algorithm that doubles a distance in the core.
    pub(super) fn doublings(self) -> usize {
        self.core.trailing_zeros() as usize
    }

    /// Rounds of an algorithm that folds, takes so many steps in the core and unfolds.
    pub(super) fn rounds(self, steps: usize) -> usize {
        steps + if self.pairs > 0 { 2 } else { 0 }
    }

    /// The schedule of such an algorithm. A rank that has left takes no part in the steps.
    pub(super) fn schedule(self, steps: usize, stage: impl Fn(Stage, &mut Round) + 'static) -> Schedule {
        self.schedule_of(self.rounds(steps), steps, stage)
    }

    /// The same with so many rounds: those behind the steps unfold.
    pub(super) fn schedule_of(
        self,
        rounds: usize,
        steps: usize,
        stage: impl Fn(Stage, &mut Round) + 'static,
    ) -> Schedule {
        Schedule::new(rounds, move |index, round| {
            if let Some(of_round) = self.stage(index, steps) {
                stage(of_round, round);
            }
        })
    }

    /// The stage that a round of such an algorithm is; `None` for a step without this rank.
    fn stage(self, index: usize, steps: usize) -> Option<Stage> {
        match index.checked_sub(usize::from(self.pairs > 0)) {
            None => Some(Stage::Fold(self.fold())),
            Some(step) if step < steps => Some(Stage::Step(self.own()?, step)),
            Some(_) => Some(Stage::Unfold(self.fold())),
        }
    }

    /// The part of this rank when pairs fold.
    fn fold(self) -> Fold {
        let partner = self.rank ^ 1;
        if self.rank >= 2 * self.pairs {
            Fold::Alone
        } else if self.rank_of(self.rank / 2) == self.rank {
            Fold::Stays(partner)
        } else {
            Fold::Leaves(partner)
        }
    }

    /// The number in the core of a rank, or of the one it folds with.
    pub(super) fn member(self, rank: usize) -> usize {
        if rank < 2 * self.pairs { rank / 2 } else { rank - self.pairs }
    }

    /// The number of this rank in the core, if it belongs to it.
    pub(super) fn own(self) -> Option<usize> {
        (!matches!(self.fold(), Fold::Leaves(_))).then(|| self.member(self.rank))
    }

    /// The rank of a member of the core.
    pub(super) fn rank_of(self, member: usize) -> usize {
        if member >= self.pairs {
            member + self.pairs
        } else if self.kept == Some(2 * member) {
            2 * member
        } else {
            2 * member + 1
        }
    }

    /// The first rank that a member of the core stands for; of the number behind the last member, the number of ranks.
    pub(super) fn first_rank(self, member: usize) -> usize {
        member + member.min(self.pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All of a power of two are the core: no rank folds, so there are no rounds for it.
    #[test]
    fn eight_ranks() {
        for rank in 0..8 {
            let all = Folding::new(Place { rank, size: 8 });
            let found = (all.doublings(), all.rounds(3), all.fold(), all.own());
            assert_eq!(found, (3, 3, Fold::Alone, Some(rank)));
            assert_eq!(
                [0, 2].map(|index| all.stage(index, 3)),
                [0, 2].map(|step| Some(Stage::Step(rank, step)))
            );
        }
    }

    /// Seven ranks: 0 and 1, 2 and 3, 4 and 5 fold, 6 is alone.
    #[test]
    fn seven_ranks() {
        use Fold::{Alone, Leaves, Stays};
        let at = |rank| Folding::keeping(Place { rank, size: 7 }, 2);
        let folds = [0, 1, 2, 3, 4, 5, 6].map(|rank| at(rank).fold());
        assert_eq!(folds, [Leaves(1), Stays(0), Stays(3), Leaves(2), Leaves(5), Stays(4), Alone]);
        let members = [0, 1, 2, 3, 4, 5, 6].map(|rank| at(rank).own());
        assert_eq!(members, [None, Some(0), Some(1), None, None, Some(2), Some(3)]);
        assert_eq!([0, 1, 2, 3, 4].map(|member| at(0).first_rank(member)), [0, 2, 4, 6, 7]);
        assert_eq!((at(0).rounds(2), at(0).stage(2, 2)), (4, None));
        assert_eq!(
            (at(6).stage(2, 2), at(0).stage(3, 2)),
            (Some(Stage::Step(3, 1)), Some(Stage::Unfold(Leaves(1))))
        );
    }
}
