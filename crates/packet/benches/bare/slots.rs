//! The buffers of all virtual channels: rings of slots, each of which is link, buffer and credit in one.

use crate::Nanoseconds;
use crate::lanes::NEVER;
use std::sync::atomic::{AtomicU64, Ordering};

/// Packets in the buffer of a virtual channel.
pub(crate) const DEPTH: usize = 16;
/// Two virtual channels of each of six links. The number of one is twice that of the link, and its class.
pub(crate) const CHANNELS: usize = 12;

/// The place of a packet. The first word has the state, and above it where the packet goes; the second one has the rest.
pub(crate) type Slot = [AtomicU64; 2];

/// The state of a slot is the instant from which on it is free; or with this bit, the one from which on its packet is eligible.
const TAKEN: u32 = 1 << 31;

/// A packet from router to router.
#[derive(Clone, Copy, Default)]
pub(crate) struct Packet {
    /// The destination: three coordinates of eight bits each; then for each dimension a bit that is set if the packet
    /// goes up.
    pub(crate) header: u32,
    /// When it was made.
    pub(crate) birth: Nanoseconds,
    /// Its number among those of its node.
    pub(crate) serial: u32,
}

/// The place of the ring of a lane of a router.
#[inline(always)]
pub(crate) fn ring(router: usize, lane: usize) -> usize {
    (router * CHANNELS + lane) * DEPTH
}

/// The place of a slot in its ring. The numbers of slots go on from one turn of a ring to the next.
#[inline(always)]
pub(crate) fn place(ring: usize, slot: u8) -> usize {
    ring + usize::from(slot) % DEPTH
}

/// Returns the header of the packet in a slot and from when on it is eligible, if that is before an instant.
#[inline(always)]
pub(crate) fn packet_before(slot: &Slot, end: Nanoseconds) -> Option<(u32, Nanoseconds)> {
    let word = slot[0].load(Ordering::Acquire);
    let state = word as u32 ^ TAKEN;
    (state < end as u32).then_some(((word >> 32) as u32, state as Nanoseconds))
}

/// Returns from when on a slot is free: never, as far as is known, if there is a packet in it.
#[inline(always)]
pub(crate) fn free_from(slot: &Slot) -> Nanoseconds {
    let state = slot[0].load(Ordering::Acquire) as u32;
    if state & TAKEN == 0 { state as Nanoseconds } else { NEVER }
}

/// By the sender: a packet will be eligible.
#[inline(always)]
pub(crate) fn put(slot: &Slot, packet: Packet, eligible: Nanoseconds) {
    slot[1].store(u64::from(packet.serial) << 32 | u64::from(packet.birth as u32), Ordering::Relaxed);
    let state = TAKEN | eligible as u32;
    slot[0].store(u64::from(packet.header) << 32 | u64::from(state), Ordering::Release);
}

/// By the receiver: the packet goes, and the slot is free from an instant on.
#[inline(always)]
pub(crate) fn take(slot: &Slot, free: Nanoseconds) -> Packet {
    let [first, second] = [0, 1].map(|word| slot[word].load(Ordering::Relaxed));
    slot[0].store(u64::from(free as u32), Ordering::Release);
    Packet { header: (first >> 32) as u32, birth: second as Nanoseconds, serial: (second >> 32) as u32 }
}

/// Asks for memory before it is needed, if there is such a place.
#[inline(always)]
pub(crate) fn prefetch<T>(thing: Option<&T>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(thing) = thing {
        safe_arch::prefetch_t0(thing);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = thing;
}
