//! The input buffers of all routers: link in flight, buffer and credit in one.
//!
//! Each lane is a ring of as many slots as its buffer holds packets, ring behind ring: where all buffers of a machine are alike, the
//! place of a ring follows from its number, else a list has it. A slot is either *free from* an instant or holds a
//! packet that is *eligible from* an instant. The sender writes a packet straight into the slot it will take in the
//! receiver's buffer, also while it is still on the link; the receiver frees the slot when the tail has left, from the instant
//! on at which the sender would know. So a slot that is free is a credit. Both pointers into a ring are private: the head
//! belongs to the receiver, the tail to the sender. A sender that lacks a credit marks the slot that it waits for as
//! *awaited*; who frees an awaited slot sends a credit to the sender.

use crate::labels::MOST_LABELS;
use crate::prefetch::{needed, prefetch};
use crate::rooms::Rooms;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};

/// A packet from hop to hop, in the one word in which slots keep it: address, label, size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packet(u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Mtu,
    /// The size in its label.
    Labeled,
}

const ADDRESS_SHIFT: u32 = 32;
const LABEL_SHIFT: u32 = 1;

impl Packet {
    /// A packet with an address for the routing rule, and the number of its label, below [`MOST_LABELS`].
    #[inline]
    pub(crate) fn new(address: u32, label: u32, size: Size) -> Self {
        debug_assert!((label as usize) < MOST_LABELS);
        let labeled = u64::from(size == Size::Labeled);
        Self(u64::from(address) << ADDRESS_SHIFT | u64::from(label) << LABEL_SHIFT | labeled)
    }

    /// The same packet with another address.
    #[inline]
    pub(crate) fn addressed(self, address: u32) -> Self {
        Self(u64::from(address) << ADDRESS_SHIFT | u64::from(self.0 as u32))
    }

    /// All of it but the address.
    #[inline]
    pub(crate) fn rest(self) -> u32 {
        self.0 as u32
    }

    /// A packet without an address, of which this is the rest.
    #[inline]
    pub(crate) fn of_rest(rest: u32) -> Self {
        Self(rest.into())
    }

    /// For the routing rule.
    #[inline]
    pub(crate) fn address(self) -> u32 {
        (self.0 >> ADDRESS_SHIFT) as u32
    }

    #[inline]
    pub(crate) fn label(self) -> u32 {
        self.0 as u32 >> LABEL_SHIFT
    }

    #[inline]
    pub(crate) fn size(self) -> Size {
        if self.0 & 1 == 0 { Size::Mtu } else { Size::Labeled }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// Free from this instant on.
    Free(u64),
    /// A packet that can leave from this instant on, if nothing else holds it back.
    Taken(u64),
}

/// A packet that has left a slot: its bytes, and when the sender knows that the first of them has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Departure(u64);

/// Packets have fewer bytes than a mebibyte.
pub(crate) const BYTES_BITS: u32 = 20;

impl Departure {
    /// A packet of so many bytes has left from an instant until another one, from which on the slot is free. One that needs more than 17
    /// seconds is taken to need so many.
    #[inline]
    pub(crate) fn new(bytes: u32, begins: u64, from: u64) -> Self {
        debug_assert!(bytes < 1 << BYTES_BITS);
        let lasts = from.saturating_sub(begins).min(u64::MAX >> BYTES_BITS);
        Self(lasts << BYTES_BITS | u64::from(bytes))
    }

    #[inline]
    pub(crate) fn bytes(self) -> u32 {
        self.0 as u32 & ((1 << BYTES_BITS) - 1)
    }

    /// When the sender knows that the first byte has left, if the slot is free from an instant on.
    #[inline]
    pub(crate) fn begins(self, from: u64) -> u64 {
        from - (self.0 >> BYTES_BITS)
    }
}

/// The lowest bits of the first word of a slot; the instant is above them.
const TAKEN: u64 = 1;
const AWAITED: u64 = 2;
const INSTANT_SHIFT: u32 = 2;

impl Slot {
    #[inline]
    fn of(word: u64) -> Self {
        let instant = word >> INSTANT_SHIFT;
        if word & TAKEN == 0 { Self::Free(instant) } else { Self::Taken(instant) }
    }
}

/// Slots of all lanes, shared by all threads.
#[derive(Debug)]
pub(crate) struct Slots<'m> {
    /// By slot: instant and state, and the packet.
    words: &'m [[AtomicU64; 2]],
    /// Distance of the tail behind the head; empty if that follows from the bytes.
    lags: &'m [AtomicU64],
    /// True if all rings have as many places: their depth.
    are_alike: bool,
    depth: usize,
    /// If not: where the ring of each lane begins, and where the last one ends.
    starts: Vec<u32>,
}

impl<'m> Slots<'m> {
    /// Slots for the lanes of so many input ports, all free, in a memory that is [as large as that](Self::words).
    pub(crate) fn new(memory: &'m [AtomicU64], rooms: &Rooms, (inputs, vcs): (usize, u32)) -> Self {
        let (words, lags) = memory.split_at(2 * rooms.places(inputs, vcs));
        let (words, _) = words.as_chunks();
        let (depth, starts) = match rooms {
            Rooms::Same(depth) => (*depth as usize, Vec::new()),
            Rooms::ByInput(_) => (0, rooms.starts(vcs)),
        };
        Self { words, lags, are_alike: starts.is_empty(), depth, starts }
    }

    /// Memory for so many slots, in words of eight bytes.
    pub(crate) fn words(slots: usize, with_lags: bool) -> usize {
        slots * if with_lags { 3 } else { 2 }
    }

    /// The number of a slot.
    #[inline(always)]
    pub(crate) fn place(&self, lane: u32, slot: u16) -> usize {
        let start =
            if self.are_alike { lane as usize * self.depth } else { self.starts[lane as usize] as usize };
        start + usize::from(slot)
    }

    /// The place after this one in the ring of a lane.
    #[inline(always)]
    pub(crate) fn after(&self, lane: u32, slot: u16) -> u16 {
        let next = slot + 1;
        if usize::from(next) == self.depth(lane) { 0 } else { next }
    }

    #[inline(always)]
    pub(crate) fn depth(&self, lane: u32) -> usize {
        if self.are_alike {
            return self.depth;
        }
        let [start, end] = [0, 1].map(|next| self.starts[lane as usize + next]);
        (end - start) as usize
    }

    #[inline]
    pub(crate) fn state(&self, place: usize) -> Slot {
        needed(self.words, place);
        Slot::of(self.words[place][0].load(Ordering::Acquire))
    }

    /// A slot with the packet in it, if there is one.
    #[inline(always)]
    pub(crate) fn look(&self, place: usize) -> (Slot, Packet) {
        needed(self.words, place);
        let [state, packet] = &self.words[place];
        (Slot::of(state.load(Ordering::Acquire)), Packet(packet.load(Ordering::Relaxed)))
    }

    /// Asks for a slot, and for the one behind it, before they are needed.
    #[inline]
    pub(crate) fn prefetch(&self, lane: u32, slot: u16) {
        let (place, after) = (self.place(lane, slot), usize::from(self.after(lane, slot)));
        prefetch(self.words, place);
        prefetch(self.words, place - usize::from(slot) + after);
    }

    #[inline]
    pub(crate) fn packet(&self, place: usize) -> Packet {
        Packet(self.words[place][1].load(Ordering::Relaxed))
    }

    /// The packet that has left a slot that is free now.
    #[inline]
    pub(crate) fn departure(&self, place: usize) -> Departure {
        Departure(self.words[place][1].load(Ordering::Relaxed))
    }

    /// Distance of the tail of the packet behind its head; `None` if that follows from its bytes.
    #[inline]
    pub(crate) fn lag(&self, place: usize) -> Option<u64> {
        self.lags.get(place).map(|lag| lag.load(Ordering::Relaxed))
    }

    /// By the sender: a packet will be eligible.
    #[inline]
    pub(crate) fn put(&self, place: usize, packet: Packet, lag: u64, eligible: u64) {
        let words = &self.words[place];
        words[1].store(packet.0, Ordering::Relaxed);
        if let Some(place) = self.lags.get(place) {
            place.store(lag, Ordering::Relaxed);
        }
        words[0].store(eligible << INSTANT_SHIFT | TAKEN, Ordering::Release);
    }

    /// By the sender, which lacks a credit: marks a slot as awaited, if it is taken still. Between two threads marking and
    /// freeing are steps of one order, so one of them sees the other.
    #[inline]
    pub(crate) fn mark(&self, place: usize, between_threads: bool) -> Slot {
        let word = &self.words[place][0];
        let before = if between_threads {
            word.fetch_or(AWAITED, Ordering::AcqRel)
        } else {
            let before = word.load(Ordering::Relaxed);
            word.store(before | AWAITED, Ordering::Relaxed);
            before
        };
        Slot::of(before)
    }

    /// By the receiver: the slot is free from an instant on, which its packet has left like this, where rules look at queues. Returns
    /// whether it is awaited.
    #[inline]
    pub(crate) fn free(
        &self,
        place: usize,
        (departure, from): (Option<Departure>, u64),
        between_threads: bool,
    ) -> bool {
        if let Some(Departure(word)) = departure {
            self.words[place][1].store(word, Ordering::Relaxed);
        }
        let (word, free) = (&self.words[place][0], from << INSTANT_SHIFT);
        let before = if between_threads {
            word.swap(free, Ordering::AcqRel)
        } else {
            let before = word.load(Ordering::Relaxed);
            word.store(free, Ordering::Release);
            before
        };
        before & AWAITED != 0
    }
}

/// That there is no credit now, and when there will be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoCredit {
    /// At this instant, within the window.
    Before(u64),
    /// Not before the end of the window; as far as is known at this instant, which may be never.
    Later(u64),
}

/// The sender's side of one link: the places it will fill next, by virtual channel.
#[derive(Clone, Copy)]
pub(crate) struct Filling<'s> {
    pub(crate) slots: &'s Slots<'s>,
    pub(crate) first_lane: u32,
    /// The tails of all links; those of this one begin at a place.
    pub(crate) tails: &'s [u16],
    pub(crate) first_tail: usize,
}

impl Filling<'_> {
    #[inline(always)]
    pub(crate) fn tail(self, vc: u32) -> u16 {
        self.tails[self.first_tail + vc as usize]
    }

    #[inline(always)]
    fn place(self, vc: u32) -> usize {
        self.slots.place(self.first_lane + vc, self.tail(vc))
    }

    /// Finds a virtual channel with a credit: the first one of the packet's class, beginning after the last one used. What
    /// the receiver frees in a window can be used after it only; so whether that is visible already makes no difference.
    #[inline(always)]
    pub(crate) fn find_credit(
        self,
        range: (u32, u32),
        last: u32,
        at: u64,
        end: u64,
    ) -> Result<u32, NoCredit> {
        // The first one that is tried has a credit nearly always.
        let (low, high) = range;
        let first = if last >= low && last + 1 < high { last + 1 } else { low };
        match self.slots.state(self.place(first)) {
            Slot::Free(from) if from <= at => Ok(first),
            _ => self.find_other_credit(range, first, at, end),
        }
    }

    #[inline(never)]
    fn find_other_credit(
        self,
        (low, high): (u32, u32),
        first: u32,
        at: u64,
        end: u64,
    ) -> Result<u32, NoCredit> {
        let mut soonest = u64::MAX;
        for vc in (first..high).chain(low..first) {
            match self.slots.state(self.place(vc)) {
                Slot::Free(from) if from <= at => return Ok(vc),
                Slot::Free(from) => soonest = soonest.min(from),
                Slot::Taken(_) => {}
            }
        }
        Err(if soonest < end { NoCredit::Before(soonest) } else { NoCredit::Later(soonest) })
    }

    /// Number of places of a virtual channel that are free at an instant, as far as `most`.
    pub(crate) fn places(self, vc: u32, most: usize, at: u64) -> usize {
        let (lane, mut slot) = (self.first_lane + vc, self.tail(vc));
        let mut free = 0;
        while free < most.min(self.slots.depth(lane)) {
            match self.slots.state(self.slots.place(lane, slot)) {
                Slot::Free(from) if from <= at => free += 1,
                _ => break,
            }
            slot = self.slots.after(lane, slot);
        }
        free
    }

    /// Without a credit: marks the places that it will fill next, in the virtual channels from `low` below `high`, as
    /// awaited. Returns from when on the first of them is free, if one is by now.
    pub(crate) fn mark_all(self, (low, high): (u32, u32), between_threads: bool) -> u64 {
        let mark = |vc: u32| match self.slots.mark(self.place(vc), between_threads) {
            Slot::Free(from) => from,
            Slot::Taken(_) => u64::MAX,
        };
        (low..high).map(mark).min().unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_packet_comes_out_as_it_was_put(
            address: u32, label in 0u32..1 << 31, at in 0u64..1 << 61, between_threads: bool,
            size in prop_oneof![Just(Size::Mtu), Just(Size::Labeled)], bytes in 0u32..1 << 20,
        ) {
            let words: Vec<AtomicU64> = (0..Slots::words(6, true)).map(|_| AtomicU64::new(0)).collect();
            let slots = Slots::new(&words, &Rooms::Same(3), (2, 1));
            let packet = Packet::new(address, label, size);
            prop_assert_eq!((packet.address(), packet.label(), packet.size()), (address, label, size));
            prop_assert_eq!(packet.addressed(7).addressed(address), packet);
            let place = slots.place(1, 2);
            slots.put(place, packet, 77, at);
            prop_assert_eq!(slots.state(place), Slot::Taken(at));
            prop_assert_eq!(slots.packet(place), packet);
            prop_assert_eq!(slots.lag(place), Some(77));
            prop_assert!(!slots.free(place, (None, at), between_threads));
            prop_assert_eq!(slots.state(place), Slot::Free(at));
            slots.put(place, packet, 77, at);
            prop_assert_eq!(slots.mark(place, between_threads), Slot::Taken(at));
            prop_assert_eq!(slots.state(place), Slot::Taken(at));
            let departure = Departure::new(bytes, at, at + 1);
            prop_assert!(slots.free(place, (Some(departure), at + 1), between_threads));
            prop_assert_eq!((slots.departure(place).bytes(), slots.departure(place).begins(at + 1)), (bytes, at));
            prop_assert_eq!(slots.mark(place, between_threads), Slot::Free(at + 1));
            prop_assert_eq!(slots.state(place), Slot::Free(at + 1));
        }
    }
}
