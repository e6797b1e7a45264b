//! Random ring: one closed stroke through all ranks in random order (paper 002, section 3.1).

use crate::ring::{entry_of_stroke, messages_of_stroke};
use crate::{Counted, Entry, Order, Period, Steps, total};
use weir_topology::{Generator, permutation};
use weir_units::{Bytes, Rank};

/// A random permutation closed to a ring: rank `p[i]` sends to rank `p[i + 1]`, the last one to `p[0]`, so many times.
/// A single rank has no successor and sends nothing. The only tables are the two neighbours of each rank.
#[derive(Clone, Debug)]
pub struct RandomRing {
    /// Of each rank: the rank before it and the one behind it.
    neighbours: Vec<[Rank; 2]>,
    bytes: Bytes,
    messages: u64,
    steps: Steps,
}

impl RandomRing {
    /// So many ranks, each of which sends `messages` messages of so many bytes to its successor (10 in paper 002).
    /// Seed and generator are those of [`permutation`].
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
        let mut neighbours = vec![[Rank(0); 2]; ranks];
        for (i, &rank) in order.iter().enumerate() {
            let before = order[if i == 0 { ranks - 1 } else { i - 1 }];
            let next = order[if i == ranks - 1 { 0 } else { i + 1 }];
            neighbours[rank as usize] = [Rank(before), Rank(next)];
        }
        Self { neighbours, bytes, messages, steps }
    }

    /// Whom a rank sends to.
    ///
    /// # Panics
    /// When there is no such rank.
    #[must_use]
    pub fn successor(&self, rank: Rank) -> Rank {
        self.neighbours[rank.index()][1]
    }
}

impl Order for RandomRing {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        if self.neighbours.len() < 2 {
            return None;
        }
        entry_of_stroke(self.neighbours[rank.index()], self.bytes, self.messages, self.steps, index)
    }

    fn period(&self, _rank: Rank) -> Option<Period> {
        Period::of(self.steps.entries())
    }

    fn ranks(&self) -> usize {
        self.neighbours.len()
    }

    fn awaits(&self) -> bool {
        self.steps == Steps::Synchronised
    }
}

impl Counted for RandomRing {
    /// Messages of all ranks together: ranks times messages, none for a single rank; saturates.
    fn messages(&self) -> u64 {
        messages_of_stroke(Rank::new(self.neighbours.len()).0, self.messages)
    }

    /// Bytes of all messages together; saturates.
    fn bytes_total(&self) -> Bytes {
        total(self.messages(), self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
