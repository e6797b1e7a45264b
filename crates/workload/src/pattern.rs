//! The named patterns.

use crate::forward::forward;
use crate::{
    AllToAll, Broadcast, Bruck, Counted, Gather, Halo, HotSpot, Incast, Nicam, Order, Permutation,
    RandomRing, RandomSizes, Ring, ScaledWork, Script, WithGaps, WithStartTimes,
};
use std::sync::Arc;

/// One of the patterns a scenario can name.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Every rank sends one message to every other.
    AllToAll(AllToAll),
    /// The same in few steps, by way of other ranks.
    Bruck(Bruck),
    /// Every rank sends to the next.
    Ring(Ring),
    /// Every rank sends to the next in a random order.
    RandomRing(RandomRing),
    /// One rank has something for all others.
    Broadcast(Broadcast),
    /// One block of every rank to a root, or one for every rank from it.
    Gather(Gather),
    /// Every rank sends to its neighbours on a grid.
    Halo(Halo),
    /// Every rank sends to one other.
    Permutation(Permutation),
    /// All others send to one rank.
    Incast(Incast),
    /// Random messages, many of them to one rank.
    HotSpot(HotSpot),
    /// The halo exchange of an icosahedral grid.
    Nicam(Nicam),
    /// Another pattern, begun at different instants.
    WithStartTimes(Box<WithStartTimes<Pattern>>),
    /// Another pattern with gaps between packets.
    WithGaps(Box<WithGaps<Pattern>>),
    /// Another pattern with sizes that are drawn anew.
    RandomSizes(Box<RandomSizes<Pattern>>),
    /// Another pattern whose ranks take longer, or not as long, for what they compute.
    ScaledWork(Box<ScaledWork<Pattern>>),
    /// The entries are written out.
    Script(Arc<Script>),
}

impl Pattern {
    /// Returns whether a rank computes: pauses, or waits before it sends.
    #[must_use]
    pub fn computes(&self) -> bool {
        match self {
            Self::WithStartTimes(pattern) => pattern.pauses() || pattern.inner().computes(),
            Self::WithGaps(pattern) => pattern.inner().computes(),
            Self::RandomSizes(pattern) => pattern.inner().computes(),
            Self::ScaledWork(pattern) => pattern.inner().computes(),
            Self::Script(pattern) => pattern.computes(),
            Self::AllToAll(_)
            | Self::Bruck(_)
            | Self::Ring(_)
            | Self::RandomRing(_)
            | Self::Broadcast(_)
            | Self::Gather(_)
            | Self::Halo(_)
            | Self::Permutation(_)
            | Self::Incast(_)
            | Self::HotSpot(_)
            | Self::Nicam(_) => false,
        }
    }

    fn counted(&self) -> &dyn Counted {
        match self {
            Self::AllToAll(pattern) => pattern,
            Self::Bruck(pattern) => pattern,
            Self::Ring(pattern) => pattern,
            Self::RandomRing(pattern) => pattern,
            Self::Broadcast(pattern) => pattern,
            Self::Gather(pattern) => pattern,
            Self::Halo(pattern) => pattern,
            Self::Permutation(pattern) => pattern,
            Self::Incast(pattern) => pattern,
            Self::HotSpot(pattern) => pattern,
            Self::Nicam(pattern) => pattern,
            Self::WithStartTimes(pattern) => &**pattern,
            Self::WithGaps(pattern) => &**pattern,
            Self::RandomSizes(pattern) => &**pattern,
            Self::ScaledWork(pattern) => &**pattern,
            Self::Script(pattern) => &**pattern,
        }
    }
}

impl Order for Pattern {
    forward!(self, self.counted(); order);
}

impl Counted for Pattern {
    forward!(self, self.counted(); counted uniform);
}
