//! Prefetches before routers are run.

use super::{Routers, bits};
use crate::prefetch::{prefetch, prefetch_all};

impl Routers<'_> {
    /// Does something with all lanes of a router that may have something due; they are counted from the part's first.
    #[inline(always)]
    fn for_lanes_of(&self, local: usize, what: impl Fn(u32)) {
        let position = local + self.outbox.routers.start;
        let (place, after) = (self.network.routers[position], self.network.routers[position + 1]);
        let (first, vcs) = (self.state.first, self.network.vcs);
        let mut lane = (place.input - first.input) * vcs;
        let end = (after.input - first.input) * vcs;
        for mask in place.mask - first.mask..after.mask - first.mask {
            let mask = self.state.masks[mask as usize];
            let arrived = self.outbox.arrivals(lane, (end - lane).min(64));
            for bit in bits((mask.waiting | arrived) & !mask.blocked) {
                what(lane + bit);
            }
            lane += 64;
        }
    }

    #[inline(always)]
    pub(super) fn prefetch_masks(&self, local: usize) {
        prefetch(&self.network.routers, local + self.outbox.routers.start);
        // A little wrong for routers of more than sixty-four lanes, and only slower then.
        prefetch(&self.state.masks, local);
    }

    #[inline(always)]
    pub(super) fn prefetch_lanes(&self, local: usize) {
        let position = local + self.outbox.routers.start;
        let (place, after) = (self.network.routers[position], self.network.routers[position + 1]);
        let (first, vcs) = (self.state.first.input, self.network.vcs);
        let (begin, end) = ((place.input - first) as usize, (after.input - first) as usize);
        prefetch_all(&self.state.inputs, begin, end);
        prefetch_all(&self.state.lanes, begin * vcs as usize, end * vcs as usize);
        if let Some(stays) = self.state.series.as_ref().and_then(|series| series.lanes.as_ref()) {
            stays.prefetch(begin * vcs as usize, end * vcs as usize);
        }
    }

    #[inline(always)]
    pub(super) fn prefetch_heads(&self, local: usize) {
        let first = self.state.first.input * self.network.vcs;
        self.for_lanes_of(local, |lane| {
            self.shared.slots.prefetch(first + lane, self.state.lanes[lane as usize].head);
        });
    }
}
