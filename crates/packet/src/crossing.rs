//! What passes the border between two processes.
//!
//! Each process has the buffers of all routers in its own memory, and uses those of its own routers and those that these send
//! to: *ghosts* of buffers of another process. What a sender writes into a slot and what a receiver makes of it when it frees
//! it, in one memory where both are in one process, are here letters that repeat it in the other one's memory.

use crate::labels::Label;
use crate::origins::Origin;

/// Something for a part of another process. A slot is named by its lane in the machine and its number in the lane.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) enum Crossing {
    /// A packet has been put into a slot.
    Packet(PacketCrossing),
    /// A slot is free again from an instant on, in picoseconds.
    Freed { lane: u32, slot: u16, from: u64 },
    /// The sender waits for a slot to be free.
    Awaited { lane: u32, slot: u16 },
}

/// A packet, with all that it says.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct PacketCrossing {
    pub(crate) router: u32,
    pub(crate) lane: u32,
    pub(crate) slot: u16,
    pub(crate) address: u32,
    pub(crate) label: Label,
    pub(crate) lag: u64,
    pub(crate) eligible: u64,
    /// If single packets are looked at.
    pub(crate) origin: Option<Origin>,
    /// How long it has stalled, if that is kept.
    pub(crate) stalled: u64,
}
