//! Messages that several interfaces of a node send: packet after packet, in turn.
//!
//! Each interface has those packets of a message in its queue that are its own, as a message that has been handed over. The receiving
//! part counts packets whatever way they come. So all that is to be known is when the last of them has left.

use super::Hosts;
use super::queued::{Queued, Sending, Waiting};
use crate::network::PacketNetwork;
use crate::routers::Routers;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weir_network::{Program, Striping};
use weir_pdes::Window;
use weir_units::{Bytes, Rank};

/// The messages of which interfaces have packets, by sender and number.
#[derive(Clone, Debug, Default)]
pub(super) struct Stripes {
    messages: BTreeMap<(Rank, u64), Stripe>,
}

/// How far a message is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Stripe {
    /// Interfaces that have packets of it.
    left: u32,
    /// When the last packet of the others has left, in picoseconds.
    tail: u64,
}

impl Stripes {
    /// An interface has sent what it has of a message, at an instant in picoseconds: when all of it has left, if it has.
    #[inline]
    pub(super) fn leaves(&mut self, of: (Rank, u64), tail: u64) -> Option<u64> {
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

    /// All of them, for a checkpoint.
    pub(super) fn save(&self) -> Vec<(Rank, u64, Stripe)> {
        self.messages.iter().map(|(&(rank, sequence), &stripe)| (rank, sequence, stripe)).collect()
    }

    /// One of a checkpoint.
    pub(super) fn restore(&mut self, rank: Rank, sequence: u64, stripe: Stripe) {
        self.messages.insert((rank, sequence), stripe);
    }
}

impl PacketNetwork {
    /// Over how many interfaces a message is striped.
    #[inline]
    pub(super) fn parts(&self, bytes: Bytes) -> u32 {
        if self.per_direction { 1 } else { self.striping.parts(bytes, Bytes(u64::from(self.mtu))) }
    }
}

impl<P: Program> Hosts<'_, P> {
    /// A message that several interfaces of a node send has been handed over; `nic` is the first of them.
    pub(super) fn stripe(
        &mut self,
        waiting: Waiting<P::Body>,
        (node, nic): (u32, u32),
        parts: u32,
        window: &Window,
        routers: &mut Routers<'_>,
    ) {
        let nics = self.network.nics_per_node;
        let bytes = waiting.message.bytes;
        let whole = self.take_off(waiting);
        self.stripes.messages.insert((whole.from, whole.sequence), Stripe { left: parts, tail: 0 });
        // The next message begins behind the last of them.
        self.handed_over[node as usize] = (nic + parts) % nics;
        let shares = Striping::shares(parts, bytes, Bytes(u64::from(self.network.mtu)));
        for (behind, share) in (0..).zip(shares) {
            let place = node * nics + (nic + behind) % nics;
            let own = Sending { left: share.0, ..whole };
            if self.sending[place as usize].is_none() {
                self.sending[place as usize] = Some(own);
                self.pump(place, window, routers);
            } else {
                self.queues[place as usize].push_back(Queued::Flying(own));
            }
        }
    }
}
