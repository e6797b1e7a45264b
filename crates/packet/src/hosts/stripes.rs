//! Messages that several interfaces of a node send: packet after packet, in turn.
//!
//! Each interface has those packets of a message in its queue that are its own, as a message that has been handed over. The receiving
//! part counts packets whatever way they come. So all that is to be known is when the last of them has left.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weir_units::{Duration, Rank};

/// The messages of which interfaces have packets, by sender and number.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Stripes {
    pub(super) messages: BTreeMap<(Rank, u64), Stripe>,
}

/// Progress of a message.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Stripe {
    /// Interfaces that have packets of it.
    left: u32,
    /// When the last packet of the others has left, in picoseconds, and how long those of its interface have stalled.
    tail: (u64, Duration),
}

impl Stripes {
    /// An interface has sent what it has of a message, at an instant in picoseconds, after so much stalling: when all of it has left, if it
    /// has, and how long the packets of that interface had stalled.
    #[inline]
    pub(super) fn leaves(&mut self, of: (Rank, u64), tail: (u64, Duration)) -> Option<(u64, Duration)> {
        if self.messages.is_empty() {
            return Some(tail);
        }
        let Some(stripe) = self.messages.get_mut(&of) else { return Some(tail) };
        stripe.left -= 1;
        stripe.tail = stripe.tail.max(tail);
        let Stripe { left, tail } = *stripe;
        (left == 0).then(|| {
            self.messages.remove(&of);
            tail
        })
    }

    /// A message of which so many interfaces have packets.
    pub(super) fn add(&mut self, of: (Rank, u64), left: u32) {
        self.messages.insert(of, Stripe { left, tail: (0, Duration::ZERO) });
    }
}
