//! Ranks that a power of two leaves over (Thakur, Rabenseifner, Gropp 2005, section 4.5): the first ranks fold in
//! pairs, one of each pair gives its data to the other before and gets the result after; the others are the *core*,
//! as many as a power of two, and are counted anew. A member of the core stands for consecutive ranks.

use super::Place;

/// The greatest power of two up to this number of ranks.
pub(super) const fn core(ranks: usize) -> usize {
    (ranks + 1).next_power_of_two() / 2
}

/// How ranks fold into the core.
#[derive(Clone, Copy)]
pub(super) struct Folding {
    /// How many members the core has: the greatest power of two up to the number of ranks.
    pub(super) core: usize,
    /// How many pairs fold.
    pairs: usize,
    rank: usize,
    /// The rank that stays in its pair although it is even.
    kept: Option<usize>,
}

/// What a rank does when the pairs fold; when they unfold, the same backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    /// It is alone.
    Alone,
    /// It hands its data to this rank.
    Leaves(usize),
    /// It stays, and takes the data of this rank.
    Stays(usize),
}

/// What a round of an algorithm with folding is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Pairs fold; only if there are any.
    Fold,
    /// A step of the core.
    Step(usize),
    /// Pairs unfold; only if there are any.
    Unfold,
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

    /// What a round of such an algorithm is for.
    pub(super) fn stage(self, index: usize, steps: usize) -> Stage {
        match index.checked_sub(usize::from(self.pairs > 0)) {
            None => Stage::Fold,
            Some(step) if step < steps => Stage::Step(step),
            Some(_) => Stage::Unfold,
        }
    }

    /// What this rank does when pairs fold.
    pub(super) fn fold(self) -> Fold {
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

    /// Of a power of two all are the core: no rank folds, so there are no rounds for it.
    #[test]
    fn eight_ranks() {
        for rank in 0..8 {
            let all = Folding::new(Place { rank, size: 8 });
            assert_eq!(
                (all.doublings(), all.rounds(3), all.fold(), all.own()),
                (3, 3, Fold::Alone, Some(rank))
            );
            assert_eq!((all.stage(0, 3), all.stage(2, 3)), (Stage::Step(0), Stage::Step(2)));
        }
    }

    /// Seven ranks: 0 and 1, 2 and 3, 4 and 5 fold, 6 is alone.
    #[test]
    fn seven_ranks() {
        let at = |rank| Folding::keeping(Place { rank, size: 7 }, 2);
        let folds: Vec<Fold> = (0..7).map(|rank| at(rank).fold()).collect();
        let expected = [
            Fold::Leaves(1),
            Fold::Stays(0),
            Fold::Stays(3),
            Fold::Leaves(2),
            Fold::Leaves(5),
            Fold::Stays(4),
            Fold::Alone,
        ];
        assert_eq!(folds, expected);
        let members: Vec<Option<usize>> = (0..7).map(|rank| at(rank).own()).collect();
        assert_eq!(members, [None, Some(0), Some(1), None, None, Some(2), Some(3)]);
        assert_eq!((0..=4).map(|member| at(0).first_rank(member)).collect::<Vec<_>>(), [0, 2, 4, 6, 7]);
        assert_eq!(
            (at(0).rounds(2), at(0).stage(2, 2), at(0).stage(3, 2)),
            (4, Stage::Step(1), Stage::Unfold)
        );
    }
}
