//! The slots of each interface: one for each message that it sends at once.
//!
//! ```text
//!   slots    0 .. fixed - 1         one for each interface, and one for each rank that copies within its node
//!            fixed ..               more for interfaces that send several messages at once, added when they are first needed
//! ```
//! A slot belongs to one interface for good, so that a message to the destination of the one before it in its slot takes the same links.

use serde::{Deserialize, Serialize};
use weir_network::Serving;
use weir_units::Bytes;

/// Which slots are whose, and which of them are free.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Lanes {
    fixed: usize,
    /// Number of the fixed ones that are interfaces.
    interfaces: usize,
    serving: Serving,
    /// By fixed slot.
    homes: Vec<Home>,
    /// By slot: the free slot behind it.
    next_free: Vec<u32>,
    /// By slot behind the fixed ones: whose it is.
    owners: Vec<u32>,
}

/// The slots of an interface, or of a rank that copies within its node.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Home {
    /// Number of messages that take a place now.
    sending: u32,
    first_free: u32,
}

const NONE: u32 = u32::MAX;

impl Lanes {
    /// All fixed slots are free; the first ones are interfaces.
    pub(crate) fn new(fixed: usize, interfaces: usize, serving: Serving) -> Self {
        Self {
            fixed,
            interfaces,
            serving,
            homes: (0..fixed as u32).map(|slot| Home { sending: 0, first_free: slot }).collect(),
            next_free: vec![NONE; fixed],
            owners: Vec::new(),
        }
    }

    /// Returns whether these are of the same nodes, and as many slots as there are.
    pub(crate) fn fit(&self, other: &Self, slots: usize) -> bool {
        let shape = |lanes: &Self| (lanes.fixed, lanes.interfaces, lanes.serving);
        shape(self) == shape(other) && self.next_free.len() == slots
    }

    /// The fixed slot that a slot belongs to.
    pub(crate) fn home(&self, slot: usize) -> usize {
        slot.checked_sub(self.fixed).map_or(slot, |place| self.owners[place] as usize)
    }

    /// Returns whether a message of so many bytes is one of those of which a fixed slot serves only so many at once.
    pub(crate) fn takes_place(&self, home: usize, bytes: Bytes) -> bool {
        home >= self.interfaces || self.serving.takes_place(bytes)
    }

    /// Returns whether no more messages that take a place are served at once.
    pub(crate) fn is_full(&self, home: usize) -> bool {
        let at_once = if home < self.interfaces { self.serving.at_once() } else { 1 };
        self.homes[home].sending >= at_once
    }

    /// A slot for a message, which takes a place or does not. It may be a new one, behind all others. O(1), amortized.
    pub(crate) fn take(&mut self, home: usize, takes_place: bool) -> usize {
        self.homes[home].sending += u32::from(takes_place);
        let free = self.homes[home].first_free;
        if free != NONE {
            self.homes[home].first_free = std::mem::replace(&mut self.next_free[free as usize], NONE);
            return free as usize;
        }
        self.owners.push(home as u32);
        self.next_free.push(NONE);
        self.next_free.len() - 1
    }

    /// The message of a slot, which took a place, has left.
    pub(crate) fn leave(&mut self, slot: usize) {
        let home = self.home(slot);
        self.homes[home].sending -= 1;
    }

    /// The slot keeps its place for the message that is next at its interface.
    pub(crate) fn keep(&mut self, slot: usize) {
        let home = self.home(slot);
        self.homes[home].sending += 1;
    }

    /// A slot has nothing to send.
    pub(crate) fn free(&mut self, slot: usize) {
        let home = self.home(slot);
        self.next_free[slot] = std::mem::replace(&mut self.homes[home].first_free, slot as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A slot that is taken is free, belongs to the interface that takes it, and there are only as many as were needed at a time.
        #[test]
        fn slots_are_taken_once(calls in prop::collection::vec((0usize..3, any::<prop::sample::Index>(), any::<bool>()), 1..200)) {
            let mut lanes = Lanes::new(4, 3, Serving::Shared { at_once: 5 });
            let mut taken = vec![Vec::new(); 3];
            let (mut slots, mut most) = (4, [1; 3]);
            for (home, which, takes) in calls {
                if takes {
                    let slot = lanes.take(home, true);
                    slots = slots.max(slot + 1);
                    prop_assert_eq!(lanes.home(slot), home);
                    prop_assert!(!taken.iter().flatten().any(|&other| other == slot));
                    taken[home].push(slot);
                    most[home] = most[home].max(taken[home].len());
                } else if !taken[home].is_empty() {
                    let place = which.index(taken[home].len());
                    let slot = taken[home].swap_remove(place);
                    lanes.leave(slot);
                    lanes.free(slot);
                }
                prop_assert_eq!(lanes.is_full(home), taken[home].len() >= 5);
                prop_assert_eq!(slots, 1 + most.iter().sum::<usize>());
            }
        }
    }
}
