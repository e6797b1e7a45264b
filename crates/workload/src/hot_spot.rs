//! Many ranks send to one: incast, and hot spots among random messages.

use crate::error::root_of;
use crate::random::{Purpose, below, bits, fraction};
use crate::{Counted, Entry, Order, Period, WorkloadError, total};
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

impl Order for Incast {
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

impl Counted for Incast {
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

impl Order for HotSpot {
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

impl Counted for HotSpot {
    /// N times the messages of each; none for a single rank.
    fn messages(&self) -> u64 {
        if self.ranks < 2 { 0 } else { u64::from(self.ranks).saturating_mul(self.messages) }
    }

    fn bytes_total(&self) -> Bytes {
        total(self.messages(), self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_others_send_to_the_root() {
        let pattern = Incast::new(3, Bytes(4), Rank(1), 2).unwrap();
        let list = |rank| (0..).map_while(|index| pattern.entry(Rank(rank), index)).collect::<Vec<_>>();
        let message = Entry::send(Rank(1), Bytes(4));
        assert_eq!([list(0), list(1), list(2)], [vec![message; 2], vec![], vec![message; 2]]);
        assert_eq!((pattern.messages(), pattern.bytes_total()), (4, Bytes(16)));
        assert!(Incast::new(3, Bytes(4), Rank(3), 2).is_err());
    }

    fn destinations(pattern: &HotSpot, rank: u32) -> Vec<u32> {
        let entries = (0..).map_while(|index| pattern.entry(Rank(rank), index));
        entries
            .map(|entry| match entry {
                Entry::Send { to, .. } => to.0,
                _ => panic!("a hot spot only sends"),
            })
            .collect()
    }

    #[test]
    fn the_share_of_the_root_is_the_fraction() {
        let check = |fraction, least, most| {
            let pattern = HotSpot::new(64, Bytes(1), Rank(5), fraction, 1000, 7).unwrap();
            let all: Vec<u32> =
                (0..64).filter(|&rank| rank != 5).flat_map(|rank| destinations(&pattern, rank)).collect();
            let hot = all.iter().filter(|&&to| to == 5).count();
            assert!((least..=most).contains(&hot), "{fraction}: {hot} of {}", all.len());
        };
        // 63,000 messages. Of the cold ones 1 in 63 goes to the root as well: 1000 of 63,000 where all are cold.
        check(0.0, 850, 1150);
        check(0.1, 6300 + 900 - 300, 6300 + 900 + 300);
        check(1.0, 63_000, 63_000);
    }

    #[test]
    fn cold_messages_reach_everybody_but_the_sender() {
        let pattern = HotSpot::new(5, Bytes(1), Rank(0), 0.0, 200, 1).unwrap();
        for rank in 0..5 {
            let mut reached = destinations(&pattern, rank);
            reached.sort_unstable();
            reached.dedup();
            assert_eq!(reached, (0..5).filter(|&other| other != rank).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_message_follows_from_its_seed_and_number() {
        let with = |messages, seed| HotSpot::new(9, Bytes(1), Rank(0), 0.3, messages, seed).unwrap();
        assert_eq!(destinations(&with(5, 1), 3), destinations(&with(50, 1), 3)[..5]);
        assert_ne!(destinations(&with(50, 1), 3), destinations(&with(50, 2), 3));
        assert_eq!((with(5, 1).messages(), with(5, 1).bytes_total()), (45, Bytes(45)));
        let alone = HotSpot::new(1, Bytes(1), Rank(0), 0.3, 5, 1).unwrap();
        assert_eq!((alone.messages(), alone.entry(Rank(0), 0)), (0, None));
    }
}
