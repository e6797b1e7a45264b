//! Messages at an interface: the one that it sends, and those that wait behind it.

use crate::nic::Parcel;
use serde::{Deserialize, Serialize};
use weir_network::{Message, Notice};
use weir_units::{NodeId, Rank};

/// A message that an interface sends.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Sending {
    pub(super) ready: u64,
    /// Bytes that have not left.
    pub(super) left: u64,
    /// Bytes that it was given.
    pub(super) share: u64,
    pub(super) to: NodeId,
    /// None if there is no way now.
    pub(super) address: Option<u32>,
    /// Pause of the interface behind each packet, in times that the packet takes.
    pub(super) gap: f64,
    /// True if the message itself asks for this gap.
    pub(super) has_own_gap: bool,
    /// Time for which its packets have stalled at the interface, in picoseconds.
    pub(super) stalled: u64,
    pub(super) flight: u64,
    pub(super) from: Rank,
    pub(super) sequence: u64,
    pub(super) notice: Notice,
}

impl Sending {
    /// The next packet, of so many bytes; none without a way.
    pub(super) fn parcel(&self, bytes: u64) -> Option<Parcel> {
        let Self { to, flight, gap, stalled, .. } = *self;
        Some(Parcel { address: self.address?, to, message: flight, bytes: bytes as u32, gap, stalled })
    }
}

/// Entry of the queue of an interface.
#[derive(Serialize, Deserialize)]
pub(super) enum Queued<B> {
    Waiting(Waiting<B>),
    /// Its receiver knows of it already.
    InFlight(Sending),
}

/// A message that has been handed over.
#[derive(Serialize, Deserialize)]
pub(super) struct Waiting<B> {
    pub(super) message: Message<B>,
    pub(super) notice: Notice,
    pub(super) ready: u64,
    pub(super) address: Option<u32>,
}
