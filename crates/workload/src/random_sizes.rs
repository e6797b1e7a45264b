//! Messages of random sizes, around those of another pattern.

use crate::forward::forward;
use crate::random::{Purpose, bits, fraction};
use crate::{Counted, Entry, Order};
use weir_units::{Bytes, Rank};

/// Another pattern with the size of each message drawn anew: uniformly from size x [1 - spread, 1 + spread), rounded to
/// whole bytes, at least 1 where it was not 0. A function of the seed, the sender and the number of its entry.
#[derive(Clone, Debug)]
pub struct RandomSizes<O> {
    order: O,
    spread: f64,
    seed: u64,
}

impl<O: Order> RandomSizes<O> {
    /// The pattern `order` with sizes spread around its own; `spread` is from 0 on, below 1.
    ///
    /// # Panics
    /// When the spread is not in its range.
    #[must_use]
    pub fn new(order: O, spread: f64, seed: u64) -> Self {
        assert!((0.0..1.0).contains(&spread), "a spread of {spread} leaves no size");
        Self { order, spread, seed }
    }

    fn size(&self, bytes: Bytes, rank: Rank, index: u64) -> Bytes {
        if bytes == Bytes::ZERO {
            return bytes;
        }
        let drawn = fraction(bits(self.seed, rank, index, Purpose::Size));
        let factor = 1.0 - self.spread + 2.0 * self.spread * drawn;
        Bytes(((bytes.as_f64() * factor).round() as u64).max(1))
    }

    /// The pattern within.
    pub(crate) fn inner(&self) -> &O {
        &self.order
    }
}

impl<O: Order> Order for RandomSizes<O> {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        Some(match self.order.entry(rank, index)? {
            Entry::Send { to, bytes, wait } => Entry::Send { to, bytes: self.size(bytes, rank, index), wait },
            Entry::Post { to, bytes, wait } => Entry::Post { to, bytes: self.size(bytes, rank, index), wait },
            other @ (Entry::Await { .. } | Entry::Pause { .. }) => other,
        })
    }

    forward!(self, self.order; gap ranks awaits only_sends);
}

impl<O: Counted> Counted for RandomSizes<O> {
    forward!(self, self.order; messages);

    /// O(entries): there is no formula.
    fn bytes_total(&self) -> Bytes {
        let ranks = (0..self.ranks()).map(Rank::new);
        let entries = ranks.flat_map(|rank| (0..).map_while(move |index| self.entry(rank, index)));
        let sizes = entries.map(|entry| match entry {
            Entry::Send { bytes, .. } | Entry::Post { bytes, .. } => bytes.0,
            Entry::Await { .. } | Entry::Pause { .. } => 0,
        });
        Bytes(sizes.fold(0, u64::saturating_add))
    }

    /// Every message is less than double its size, or one byte.
    fn bytes_at_most(&self) -> Bytes {
        let doubled = self.order.bytes_at_most().0.saturating_mul(2);
        Bytes(doubled.saturating_add(self.messages()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ring, Steps};

    fn sizes(bytes: u64, spread: f64, seed: u64) -> Vec<u64> {
        let pattern = RandomSizes::new(Ring::new(2, Bytes(bytes), 1000, Steps::Synchronised), spread, seed);
        let entries = (0..).map_while(|index| pattern.entry(Rank(1), index));
        let sizes = entries.filter_map(|entry| match entry {
            Entry::Send { bytes, .. } => Some(bytes.0),
            _ => None,
        });
        sizes.collect()
    }

    #[test]
    fn sizes_are_spread_evenly_over_their_range() {
        let drawn = sizes(1000, 0.5, 3);
        assert_eq!(drawn.len(), 1000);
        assert!(drawn.iter().all(|size| (500..=1500).contains(size)));
        // 1000 draws with a standard deviation of 1000 / sqrt(12): the mean is off by 9 at one sigma.
        let mean = drawn.iter().sum::<u64>() / 1000;
        assert!((960..=1040).contains(&mean), "{mean}");
        assert!((0..10).all(|tenth| {
            let range = 500 + 100 * tenth..600 + 100 * tenth;
            (60..150).contains(&drawn.iter().filter(|size| range.contains(*size)).count())
        }));
    }

    #[test]
    fn sizes_follow_from_the_seed() {
        assert_eq!(sizes(1000, 0.5, 3), sizes(1000, 0.5, 3));
        assert_ne!(sizes(1000, 0.5, 3), sizes(1000, 0.5, 4));
        assert_eq!(sizes(1000, 0.0, 3), [1000; 1000]);
    }

    #[test]
    fn a_message_has_a_byte_unless_it_had_none() {
        assert!(sizes(1, 0.9, 3).iter().all(|&size| size == 1 || size == 2));
        assert_eq!(sizes(0, 0.9, 3), [0; 1000]);
    }

    #[test]
    fn the_bound_holds() {
        let pattern = RandomSizes::new(Ring::new(9, Bytes(1), 100, Steps::FreeRunning), 0.99, 3);
        assert_eq!(pattern.messages(), 900);
        assert!(pattern.bytes_total() <= pattern.bytes_at_most());
    }
}
