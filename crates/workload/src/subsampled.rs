//! A few of the messages of a pattern, from all of it.

use crate::{Entry, Gap, Order};
use std::sync::Arc;
use weir_units::{Rank, mix};

/// One of so many entries of a pattern in which ranks only send: of every so many in a row one that is drawn, the same one for
/// all ranks, so that what ranks send together stays together. What a rank has at the end of its entries may be left out.
#[derive(Clone, Debug)]
pub struct Subsampled<O> {
    order: Arc<O>,
    one_of: u64,
}

impl<O: Order> Subsampled<O> {
    /// One of `one_of` entries of `order`.
    ///
    /// # Panics
    /// When `one_of` is 0, or ranks do more than send: an await would wait for a message that is left out.
    #[must_use]
    pub fn new(order: Arc<O>, one_of: u64) -> Self {
        assert!(one_of > 0 && order.only_sends());
        Self { order, one_of }
    }

    /// The entry of the pattern that is this one here.
    fn index(&self, index: u64) -> u64 {
        index.saturating_mul(self.one_of).saturating_add(mix(index) % self.one_of)
    }
}

impl<O: Order> Order for Subsampled<O> {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        self.order.entry(rank, self.index(index))
    }

    fn gap(&self, rank: Rank, index: u64) -> Option<Gap> {
        self.order.gap(rank, self.index(index))
    }

    fn ranks(&self) -> usize {
        self.order.ranks()
    }

    fn awaits(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Algorithm, AllToAll, Counted, Steps};
    use weir_units::Bytes;

    #[test]
    fn one_of_so_many_is_left_and_all_ranks_have_the_same() {
        let whole = Arc::new(AllToAll::new(64, Bytes(8), Algorithm::SimpleSpread, Steps::default()).unwrap());
        for one_of in [1, 2, 7, 1000] {
            let few = Subsampled::new(Arc::clone(&whole), one_of);
            let shifts = |rank: usize| -> Vec<usize> {
                let to = (0..).map_while(|index| match few.entry(Rank::new(rank), index)? {
                    Entry::Send { to, .. } => Some((to.index() + 64 - rank) % 64),
                    _ => None,
                });
                to.collect()
            };
            let of_first = shifts(0);
            assert!((1..64).all(|rank| shifts(rank) == of_first));
            let least = whole.messages() / 64 / one_of;
            assert!((least..=least + 1).contains(&(of_first.len() as u64)), "{one_of}: {of_first:?}");
            assert!(of_first.windows(2).all(|two| two[0] < two[1]));
        }
    }
}
