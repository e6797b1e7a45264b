//! The named patterns.

use crate::{AllToAll, Entry, Order, RandomRing, Ring, Script};
use weir_units::{Bytes, Rank};

/// One of the patterns a scenario can name.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Every rank sends one message to every other.
    AllToAll(AllToAll),
    /// Every rank sends to the next.
    Ring(Ring),
    /// Every rank sends to the next in a random order.
    RandomRing(RandomRing),
    /// The entries are written out.
    Script(Script),
}

impl Pattern {
    /// Messages of all ranks together.
    #[must_use]
    pub fn messages(&self) -> u64 {
        match self {
            Self::AllToAll(pattern) => pattern.messages(),
            Self::Ring(pattern) => pattern.messages(),
            Self::RandomRing(pattern) => pattern.messages(),
            Self::Script(pattern) => pattern.messages(),
        }
    }

    /// Bytes of all messages together; saturates.
    #[must_use]
    pub fn bytes_total(&self) -> Bytes {
        match self {
            Self::AllToAll(pattern) => pattern.bytes_total(),
            Self::Ring(pattern) => pattern.bytes_total(),
            Self::RandomRing(pattern) => pattern.bytes_total(),
            Self::Script(pattern) => pattern.bytes_total(),
        }
    }

    fn order(&self) -> &dyn Order {
        match self {
            Self::AllToAll(pattern) => pattern,
            Self::Ring(pattern) => pattern,
            Self::RandomRing(pattern) => pattern,
            Self::Script(pattern) => pattern,
        }
    }
}

impl Order for Pattern {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        self.order().entry(rank, index)
    }

    fn ranks(&self) -> usize {
        self.order().ranks()
    }

    fn awaits(&self) -> bool {
        self.order().awaits()
    }
}
