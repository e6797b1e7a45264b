//! The named patterns.

use crate::{
    AllToAll, Broadcast, Bruck, Counted, Entry, Gap, Gather, Halo, HotSpot, Incast, Nicam, Order, Paced,
    Period, Permutation, RandomRing, RandomSizes, Ring, Script, Started, Uniform, Worked,
};
use std::sync::Arc;
use weir_units::{Bytes, Rank};

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
    Started(Box<Started<Pattern>>),
    /// Another pattern with gaps between packets.
    Paced(Box<Paced<Pattern>>),
    /// Another pattern with sizes that are drawn anew.
    RandomSizes(Box<RandomSizes<Pattern>>),
    /// Another pattern whose ranks take longer, or not as long, for what they compute.
    Worked(Box<Worked<Pattern>>),
    /// The entries are written out.
    Script(Arc<Script>),
}

impl Pattern {
    /// Whether a rank computes: pauses, or waits before it sends.
    #[must_use]
    pub fn computes(&self) -> bool {
        match self {
            Self::Started(pattern) => pattern.pauses() || pattern.inner().computes(),
            Self::Paced(pattern) => pattern.inner().computes(),
            Self::RandomSizes(pattern) => pattern.inner().computes(),
            Self::Worked(pattern) => pattern.inner().computes(),
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
            Self::Started(pattern) => &**pattern,
            Self::Paced(pattern) => &**pattern,
            Self::RandomSizes(pattern) => &**pattern,
            Self::Worked(pattern) => &**pattern,
            Self::Script(pattern) => &**pattern,
        }
    }
}

impl Order for Pattern {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        self.counted().entry(rank, index)
    }

    fn period(&self, rank: Rank) -> Option<Period> {
        self.counted().period(rank)
    }

    fn ranks(&self) -> usize {
        self.counted().ranks()
    }

    fn awaits(&self) -> bool {
        self.counted().awaits()
    }

    fn only_sends(&self) -> bool {
        self.counted().only_sends()
    }

    fn gap(&self, rank: Rank, index: u64) -> Option<Gap> {
        self.counted().gap(rank, index)
    }
}

impl Counted for Pattern {
    fn messages(&self) -> u64 {
        self.counted().messages()
    }

    fn bytes_total(&self) -> Bytes {
        self.counted().bytes_total()
    }

    fn uniform(&self) -> Option<Uniform> {
        self.counted().uniform()
    }

    fn bytes_at_most(&self) -> Bytes {
        self.counted().bytes_at_most()
    }
}
