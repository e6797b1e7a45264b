//! Patterns with a gap for each message.

use crate::forward::forward;
use crate::{Counted, Gap, Order};
use std::sync::Arc;
use weir_units::Rank;

/// Another pattern whose messages have gaps between their packets.
#[derive(Clone, Debug)]
pub struct WithGaps<O> {
    order: O,
    /// By rank and entry; a list is shorter where its last entries have none.
    gaps: Arc<Vec<Vec<Option<Gap>>>>,
}

impl<O: Order> WithGaps<O> {
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

impl<O: Order> Order for WithGaps<O> {
    forward!(self, self.order; entry period ranks awaits only_sends);

    fn gap(&self, rank: Rank, index: u64) -> Option<Gap> {
        *self.gaps.get(rank.index())?.get(usize::try_from(index).ok()?)?
    }
}

impl<O: Counted> Counted for WithGaps<O> {
    forward!(self, self.order; counted);
}
