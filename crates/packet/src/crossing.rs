//! Mail between parts, and letters between processes.

use crate::labels::{Label, Origin};
use crate::slots::Departure;
use weir_units::NodeId;

/// Something for a part of another process. A slot is named by its lane in the machine and its number in the lane.
///
/// Each process has the buffers of all routers in its own memory, and uses those of its own routers and those that these send
/// to: *ghosts* of buffers of another process. What a sender writes into a slot and what a receiver makes of it when it frees
/// it, in one memory where both are in one process, are here letters that repeat it in the other one's memory.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) enum Crossing {
    /// A packet has been put into a slot.
    Packet(PacketCrossing),
    /// A slot is free again from an instant on, in picoseconds; and how its packet left it, where rules look at queues.
    Freed { lane: u32, slot: u16, departure: Option<Departure>, from: u64 },
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
    /// Time for which it has stalled, if that is kept.
    pub(crate) stalled: u64,
    /// Its job, if that is kept.
    pub(crate) job: u32,
}

/// A packet that will have arrived at its node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivery {
    pub(crate) node: NodeId,
    pub(crate) label: Label,
    /// When its tail is there, in picoseconds: not in the window in which this is known.
    pub(crate) at: u64,
    /// Time for which it has stalled, if that is kept.
    pub(crate) stalled: u64,
}

/// Whoever takes deliveries.
pub(crate) trait Sink {
    fn deliver(&mut self, delivery: Delivery);

    /// An interface that lacks a credit has one in a window after this one. It is named by its number in the machine.
    fn credit(&mut self, nic: u32, window: u64);
}

/// Wakes a router of another part in a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WakeUp {
    pub(crate) router: u32,
    /// The window that it concerns.
    pub(crate) due: u64,
    pub(crate) reason: WakeReason,
}

/// Why a router is woken.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WakeReason {
    /// A packet in this lane will be eligible.
    Packet(u32),
    /// This output will have a credit, for which a packet waits.
    Credit(u16),
}
