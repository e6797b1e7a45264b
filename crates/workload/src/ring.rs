//! Rings: every rank sends to the next, in the order of ranks or in random order (paper 002, section 3.1).

use crate::forward::forward;
use crate::{Counted, Order, Permutation, Steps};
use weir_topology::{Generator, permutation};
use weir_units::{Bytes, Rank};

/// Every rank sends to rank + 1, the last one to rank 0, so many times. A single rank has no next one and sends
/// nothing.
#[derive(Clone, Debug)]
pub struct Ring(Permutation);

impl Ring {
    /// A pattern of so many ranks, each of which sends `messages` messages of so many bytes. A synchronised step is a
    /// send to the next rank, then the receipt of one message from the rank before.
    ///
    /// # Panics
    /// When there are 2^32 ranks or more.
    #[must_use]
    pub fn new(ranks: usize, bytes: Bytes, messages: u64, steps: Steps) -> Self {
        Self(Permutation::shift(ranks, bytes, 1, messages, steps))
    }
}

impl Order for Ring {
    forward!(self, self.0; order);
}

impl Counted for Ring {
    forward!(self, self.0; counted uniform);
}

/// A random permutation closed to a ring: rank `p[i]` sends to rank `p[i + 1]`, the last one to `p[0]`, so many times.
/// A single rank has no successor and sends nothing. The only table has the two neighbours of each rank.
#[derive(Clone, Debug)]
pub struct RandomRing(Permutation);

impl RandomRing {
    /// A pattern of so many ranks, each of which sends `messages` messages of so many bytes to its successor (10 in
    /// paper 002). Seed and generator are those of [`permutation`].
    ///
    /// # Panics
    /// When there are 2^32 ranks or more.
    #[must_use]
    pub fn new(
        ranks: usize,
        bytes: Bytes,
        messages: u64,
        steps: Steps,
        seed: u64,
        generator: Generator,
    ) -> Self {
        let order = permutation(ranks, seed, generator);
        let next = order.iter().copied().cycle().skip(1);
        let pairs = order.iter().copied().zip(next);
        Self(Permutation::table(ranks, bytes, pairs, messages, steps))
    }

    /// The rank that a rank sends to.
    ///
    /// # Panics
    /// When there is no such rank.
    #[must_use]
    pub fn successor(&self, rank: Rank) -> Rank {
        self.0.neighbours(rank)[1]
    }
}

impl Order for RandomRing {
    forward!(self, self.0; order);
}

impl Counted for RandomRing {
    forward!(self, self.0; counted uniform);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Entry;
    use proptest::prelude::*;

    #[test]
    fn each_rank_sends_to_the_next() {
        let check = |steps, rank, expected: &[Entry]| {
            let ring = Ring::new(3, Bytes(7), 2, steps);
            let entries: Vec<_> = (0..).map_while(|index| ring.entry(Rank(rank), index)).collect();
            assert_eq!(entries, expected, "{steps:?}, rank {rank}");
        };
        let send = |to| Entry::send(Rank(to), Bytes(7));
        let receive = |from| Entry::Await { from: Rank(from) };
        check(Steps::FreeRunning, 0, &[send(1), send(1)]);
        check(Steps::FreeRunning, 2, &[send(0), send(0)]);
        check(Steps::Synchronised, 0, &[send(1), receive(2), send(1), receive(2)]);
        check(Steps::Synchronised, 2, &[send(0), receive(1), send(0), receive(1)]);
    }

    #[test]
    fn counts_equal_the_formulas() {
        let check = |ranks, messages, expected| {
            let ring = Ring::new(ranks, Bytes(3), messages, Steps::FreeRunning);
            assert_eq!((ring.messages(), ring.bytes_total()), (expected, Bytes(3 * expected)));
            let sent =
                (0..ranks).map(Rank::new).map(|rank| (0..).map_while(|i| ring.entry(rank, i)).count() as u64);
            assert_eq!(sent.sum::<u64>(), expected);
        };
        check(0, 10, 0);
        check(1, 10, 0);
        check(2, 10, 20);
        check(100, 0, 0);
        check(100, 10, 1000);
    }

    /// The permutation of 5 with seed 1 is 3 2 0 1 4, so 3 sends to 2, 2 to 0, 0 to 1, 1 to 4 and 4 to 3.
    #[test]
    fn the_stroke_follows_the_permutation() {
        let ring = RandomRing::new(5, Bytes(2), 10, Steps::Synchronised, 1, Generator::Lcg);
        let successors: Vec<_> = (0..5).map(|rank| ring.successor(Rank(rank)).0).collect();
        assert_eq!(successors, [1, 4, 0, 2, 3]);
        assert_eq!(ring.entry(Rank(0), 18), Some(Entry::send(Rank(1), Bytes(2))));
        assert_eq!(ring.entry(Rank(0), 19), Some(Entry::Await { from: Rank(2) }));
        assert_eq!(ring.entry(Rank(0), 20), None);
        assert_eq!((ring.messages(), ring.bytes_total()), (50, Bytes(100)));
        let alone = RandomRing::new(1, Bytes(2), 10, Steps::FreeRunning, 1, Generator::Lcg);
        assert_eq!((alone.messages(), alone.entry(Rank(0), 0)), (0, None));
    }

    proptest! {
        #[test]
        fn one_closed_stroke_passes_all_ranks(ranks in 2_usize..200, seed: u64) {
            let ring = RandomRing::new(ranks, Bytes(1), 1, Steps::FreeRunning, seed, Generator::SplitMix);
            let stroke = std::iter::successors(Some(Rank(0)), |&rank| Some(ring.successor(rank)));
            let back = stroke.skip(1).position(|rank| rank == Rank(0));
            prop_assert_eq!(back, Some(ranks - 1));
        }
    }
}
