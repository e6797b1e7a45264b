//! All-to-all: every rank sends one message to every other.

use crate::{Entry, Order, Steps, WorkloadError, total};
use weir_units::{Bytes, Rank};

/// In which order a rank serves the others (paper 000, section 6.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Step p sends to `(src + p) mod N` (equation 1; A2ASS there).
    #[default]
    SimpleSpread,
    /// Step p exchanges with `src xor p` (equation 3; A2APW there). N must be a power of two.
    Pairwise,
}

/// The all-to-all pattern: steps `p = 1 .. N - 1`.
#[derive(Clone, Debug)]
pub struct AllToAll {
    ranks: u32,
    bytes: Bytes,
    algorithm: Algorithm,
    steps: Steps,
}

impl AllToAll {
    /// So many ranks with a message of so many bytes for each other.
    ///
    /// # Errors
    /// When the algorithm is pairwise and the number of ranks is not a power of two.
    ///
    /// # Panics
    /// When there are 2^32 ranks or more.
    pub fn new(
        ranks: usize,
        bytes: Bytes,
        algorithm: Algorithm,
        steps: Steps,
    ) -> Result<Self, WorkloadError> {
        if algorithm == Algorithm::Pairwise && !ranks.is_power_of_two() {
            return Err(WorkloadError::NotPowerOfTwo { ranks });
        }
        Ok(Self { ranks: Rank::new(ranks).0, bytes, algorithm, steps })
    }

    /// Messages of all ranks together: `N (N - 1)`.
    #[must_use]
    pub fn messages(&self) -> u64 {
        u64::from(self.ranks) * u64::from(self.ranks.saturating_sub(1))
    }

    /// Bytes of all messages together; saturates.
    #[must_use]
    pub fn bytes_total(&self) -> Bytes {
        total(self.messages(), self.bytes)
    }

    /// Whom a rank sends to in a step.
    fn destination(&self, rank: Rank, step: u32) -> Rank {
        match self.algorithm {
            Algorithm::SimpleSpread => self.shifted(rank, step),
            Algorithm::Pairwise => Rank(rank.0 ^ step),
        }
    }

    /// Who sends to a rank in a step.
    fn source(&self, rank: Rank, step: u32) -> Rank {
        match self.algorithm {
            Algorithm::SimpleSpread => self.shifted(rank, self.ranks - step),
            Algorithm::Pairwise => Rank(rank.0 ^ step),
        }
    }

    fn shifted(&self, rank: Rank, by: u32) -> Rank {
        let n = u64::from(self.ranks);
        Rank(((u64::from(rank.0) + u64::from(by)) % n) as u32)
    }
}

impl Order for AllToAll {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        let step = u32::try_from(index / self.steps.entries() + 1).ok().filter(|&step| step < self.ranks)?;
        Some(if index.is_multiple_of(self.steps.entries()) {
            Entry::send(self.destination(rank, step), self.bytes)
        } else {
            Entry::Await { from: self.source(rank, step) }
        })
    }

    fn ranks(&self) -> usize {
        self.ranks as usize
    }

    fn awaits(&self) -> bool {
        self.steps == Steps::Synchronised
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destinations(algorithm: Algorithm) -> Vec<u32> {
        let pattern = AllToAll::new(16, Bytes(1), algorithm, Steps::FreeRunning).unwrap();
        let entries = (0..).map_while(|index| pattern.entry(Rank(1), index));
        entries
            .map(|entry| match entry {
                Entry::Send { to, .. } => to.0,
                Entry::Await { .. } => panic!("free-running steps have no awaits"),
            })
            .collect()
    }

    /// Paper 000, figure 5: node 1 of the 4 x 4 torus, 15 steps.
    #[test]
    fn the_order_is_that_of_figure_5() {
        assert_eq!(
            destinations(Algorithm::SimpleSpread),
            [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0]
        );
        assert_eq!(destinations(Algorithm::Pairwise), [0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14]);
    }

    /// Rank 1 of 4: step 1 to 2 and from 0, step 2 to 3 and from 3, step 3 to 0 and from 2; pairwise with 0, 3, 2.
    #[test]
    fn synchronised_steps_await_their_own_message() {
        let check = |algorithm, expected: [(u32, u32); 3]| {
            let pattern = AllToAll::new(4, Bytes(5), algorithm, Steps::Synchronised).unwrap();
            let entries: Vec<_> = (0..).map_while(|index| pattern.entry(Rank(1), index)).collect();
            let step = |(to, from)| [Entry::send(Rank(to), Bytes(5)), Entry::Await { from: Rank(from) }];
            assert_eq!(entries, expected.map(step).concat(), "{algorithm:?}");
        };
        check(Algorithm::SimpleSpread, [(2, 0), (3, 3), (0, 2)]);
        check(Algorithm::Pairwise, [(0, 0), (3, 3), (2, 2)]);
    }

    #[test]
    fn pairwise_needs_a_power_of_two() {
        let error = AllToAll::new(225, Bytes(20), Algorithm::Pairwise, Steps::FreeRunning).unwrap_err();
        assert_eq!(
            error.to_string(),
            "pairwise needs a number of ranks that is a power of two, and 225 is not"
        );
        assert_eq!(
            (error.key(), error.hint()),
            ("algorithm", "use simple-spread, which takes any number of ranks")
        );
        assert!(AllToAll::new(225, Bytes(20), Algorithm::SimpleSpread, Steps::FreeRunning).is_ok());
        assert!(AllToAll::new(256, Bytes(20), Algorithm::Pairwise, Steps::FreeRunning).is_ok());
    }

    #[test]
    fn counts_equal_the_formulas() {
        let check = |ranks, messages, bytes| {
            let pattern =
                AllToAll::new(ranks, Bytes(20), Algorithm::SimpleSpread, Steps::FreeRunning).unwrap();
            assert_eq!(
                (pattern.messages(), pattern.bytes_total()),
                (messages, Bytes(bytes)),
                "{ranks} ranks"
            );
        };
        check(0, 0, 0);
        check(1, 0, 0);
        check(225, 225 * 224, 225 * 224 * 20);
        check(1_000_000, 999_999_000_000, 19_999_980_000_000);
    }
}
