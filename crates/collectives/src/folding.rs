//! Ranks that a power of two leaves over (Thakur, Rabenseifner, Gropp 2005, section 4.5): the first ranks fold in
//! pairs, one of each pair gives its data to the other before and gets the result after; the others are the *core*,
//! as many as a power of two, and are counted anew. A member of the core stands for consecutive ranks.

use super::schedule::side_of;
use super::{Blocks, Place, Round, Schedule};
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
    pub(super) fn schedule(
        self,
        steps: usize,
        stage: impl Fn(Stage, &mut Round) + Send + Sync + 'static,
    ) -> Schedule {
        self.schedule_of(self.rounds(steps), steps, stage)
    }

    /// The same with so many rounds: those behind the steps unfold.
    pub(super) fn schedule_of(
        self,
        rounds: usize,
        steps: usize,
        stage: impl Fn(Stage, &mut Round) + Send + Sync + 'static,
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

    /// Bytes of the most that comes to this rank at once: all when it folds, else what it keeps of its first step in the core, where two or
    /// more are left.
    pub(super) fn room(self, all: usize, kept: impl Fn(usize) -> usize) -> usize {
        match (self.fold(), self.own()) {
            (Fold::Stays(_), _) => all,
            (Fold::Alone, Some(own)) if self.core > 1 => kept(own),
            _ => 0,
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

/// The vector, cut into a part for each member of the core, for the two halves of Rabenseifner's all-reduce (Rabenseifner: "Optimization of
/// collective reduction operations", 2004; Thakur, Rabenseifner, Gropp 2005, section 4.5). Halving: partners at distance 1, 2, 4, ... exchange
/// the halves of what they share, so that each keeps a part, combined over all. Partial results cover consecutive ranks, so the order of
/// operands is kept. Doubling: the same backwards, without combining. Workspace: the vector, then room for what comes.
#[derive(Clone)]
pub(super) struct Halves {
    pub(super) folding: Folding,
    pub(super) parts: Blocks,
}

impl Halves {
    /// `elements` of `extent` bytes each, cut into whole elements.
    pub(super) fn new(folding: Folding, elements: usize, extent: usize) -> Self {
        Self { folding, parts: Blocks::Shares { count: folding.core, elements, extent } }
    }

    /// The bytes that a member of the core shares after so many steps: half of them with each.
    pub(super) fn shared(&self, member: usize, steps: usize) -> Range<usize> {
        let (mut first, mut count) = (0, self.folding.core);
        for step in 0..steps {
            count /= 2;
            if member & (1 << step) != 0 {
                first += count;
            }
        }
        self.parts.ranges(first..first + count)
    }

    /// A step of the halving at member `own` of the core.
    pub(super) fn halve(&self, own: usize, step: usize, round: &mut Round) {
        let other = own ^ (1 << step);
        let (keep, give) = (self.shared(own, step + 1), self.shared(other, step + 1));
        let room = self.parts.total()..self.parts.total() + keep.len();
        round.send(self.folding.rank_of(other), give);
        round.receive_operand(self.folding.rank_of(other), room, keep.start, side_of(other, own));
    }

    /// A step of the doubling; the steps go down to 0.
    pub(super) fn double(&self, own: usize, step: usize, round: &mut Round) {
        let other = own ^ (1 << step);
        let (out, into) = (self.shared(own, step + 1), self.shared(other, step + 1));
        round.exchange(self.folding.rank_of(other), out, into);
    }
}
