//! Many ranks send to one: incast, and hot spots among random messages.

use crate::order::root_of;
use crate::wrapped::{Purpose, below, bits, fraction};
use crate::{Entry, Period, Sequence, Totals, WorkloadError, total};
use weir_units::{Bytes, Rank};

/// All other ranks send to the root at the same time, one message after the other.
#[derive(Clone, Debug)]
pub struct Incast {
    ranks: u32,
    bytes: Bytes,
    root: Rank,
    messages: u64,
}

impl Incast {
    /// A pattern of so many messages of so many bytes from each of so many ranks but the root.
    ///
    /// # Errors
    /// When there is no such root.
    ///
    /// # Panics
    /// When there are 2^32 ranks or more.
    pub fn new(ranks: usize, bytes: Bytes, root: Rank, messages: u64) -> Result<Self, WorkloadError> {
        Ok(Self { ranks: Rank::new(ranks).0, bytes, root: root_of(ranks, root)?, messages })
    }
}

impl Sequence for Incast {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        (rank != self.root && index < self.messages).then(|| Entry::send(self.root, self.bytes))
    }

    fn period(&self, _rank: Rank) -> Option<Period> {
        Period::of(1)
    }

    fn ranks(&self) -> usize {
        self.ranks as usize
    }

    fn awaits(&self) -> bool {
        false
    }
}

impl Totals for Incast {
    /// `N - 1` times the messages of each.
    fn messages(&self) -> u64 {
        u64::from(self.ranks - 1).saturating_mul(self.messages)
    }

    fn bytes_total(&self) -> Bytes {
        total(self.messages(), self.bytes)
    }
}

/// Every rank sends messages, each with a certain probability to the root and otherwise to any other rank, all of them
/// equally likely; the root always does the latter. A function of the seed: which message goes where does not depend on
/// the number of messages.
#[derive(Clone, Debug)]
pub struct HotSpot {
    ranks: u32,
    bytes: Bytes,
    root: Rank,
    fraction: f64,
    messages: u64,
    seed: u64,
}

impl HotSpot {
    /// A pattern of so many messages of so many bytes from each of so many ranks; `fraction` is the probability, from 0 to 1, that
    /// a message is meant for the root.
    ///
    /// # Errors
    /// When there is no such root.
    ///
    /// # Panics
    /// When there are 2^32 ranks or more, or when the fraction is not from 0 to 1.
    pub fn new(
        ranks: usize,
        bytes: Bytes,
        root: Rank,
        fraction: f64,
        messages: u64,
        seed: u64,
    ) -> Result<Self, WorkloadError> {
        assert!((0.0..=1.0).contains(&fraction), "{fraction} is not a probability");
        Ok(Self { ranks: Rank::new(ranks).0, bytes, root: root_of(ranks, root)?, fraction, messages, seed })
    }

    fn destination(&self, rank: Rank, index: u64) -> Rank {
        let chosen = fraction(bits(self.seed, rank, index, Purpose::Choice)) < self.fraction;
        if chosen && rank != self.root {
            return self.root;
        }
        let other = below(bits(self.seed, rank, index, Purpose::Destination), self.ranks - 1);
        Rank(if other < rank.0 { other } else { other + 1 })
    }
}

impl Sequence for HotSpot {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        let sends = self.ranks > 1 && index < self.messages;
        sends.then(|| Entry::send(self.destination(rank, index), self.bytes))
    }

    fn ranks(&self) -> usize {
        self.ranks as usize
    }

    fn awaits(&self) -> bool {
        false
    }
}

impl Totals for HotSpot {
    /// N times the messages of each; none for a single rank.
    fn messages(&self) -> u64 {
        if self.ranks < 2 { 0 } else { u64::from(self.ranks).saturating_mul(self.messages) }
    }

    fn bytes_total(&self) -> Bytes {
        total(self.messages(), self.bytes)
    }
}
