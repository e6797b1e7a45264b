//! Patterns with a gap for each message.

use crate::{Counted, Entry, Gap, Order, Period};
use std::sync::Arc;
use weir_units::{Bytes, Rank};

/// Another pattern whose messages have gaps between their packets.
#[derive(Clone, Debug)]
pub struct Paced<O> {
    order: O,
    /// By rank and entry; a list is shorter where its last entries have none.
    gaps: Arc<Vec<Vec<Option<Gap>>>>,
}

impl<O: Order> Paced<O> {
    /// The pattern `order`, in which entry `i` of rank `r` has the gap `gaps[r][i]`; `None` where the machine says it.
    #[must_use]
    pub fn new(order: O, gaps: impl Into<Arc<Vec<Vec<Option<Gap>>>>>) -> Self {
        Self { order, gaps: gaps.into() }
    }

    /// The pattern within.
    pub(crate) fn inner(&self) -> &O {
        &self.order
    }
}

impl<O: Order> Order for Paced<O> {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        self.order.entry(rank, index)
    }

    fn gap(&self, rank: Rank, index: u64) -> Option<Gap> {
        *self.gaps.get(rank.index())?.get(usize::try_from(index).ok()?)?
    }

    fn period(&self, rank: Rank) -> Option<Period> {
        self.order.period(rank)
    }

    fn ranks(&self) -> usize {
        self.order.ranks()
    }

    fn awaits(&self) -> bool {
        self.order.awaits()
    }

    fn only_sends(&self) -> bool {
        self.order.only_sends()
    }
}

impl<O: Counted> Counted for Paced<O> {
    fn messages(&self) -> u64 {
        self.order.messages()
    }

    fn bytes_total(&self) -> Bytes {
        self.order.bytes_total()
    }

    fn bytes_at_most(&self) -> Bytes {
        self.order.bytes_at_most()
    }
}
