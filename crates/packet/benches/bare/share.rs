//! The routers of one thread, window by window.
//!
//! A router knows in a window what its neighbors have done before it. What they do meanwhile can be visible already, but says only what will
//! be after the window. So routers of one window can be run in any order and by any thread.

use crate::lanes::{Due, LANES, NEVER};
use crate::router::{EJECTION, Machine, NO_OUTPUT, OPPOSITE, Router, SOURCE, bits};
use crate::slots::{Packet, free_from, packet_before, place, prefetch, put, ring, take};
use crate::{CREDIT, HOP, Nanoseconds, SERIALIZATION, WINDOW};
use std::sync::atomic::{AtomicU64, Ordering};

/// One window: its number and its end.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    number: u32,
    end: Nanoseconds,
}

/// By window, for four of them: the lanes of a router at which packets arrive, as bits.
type Arrivals = u64;

impl Window {
    pub(crate) fn new(number: u32) -> Self {
        Self { number, end: (number as Nanoseconds + 1) * WINDOW }
    }

    #[inline(always)]
    fn shift(number: u32) -> u32 {
        number % 4 * LANES as u32
    }

    /// The lanes at which packets arrive in this window.
    #[inline(always)]
    fn lanes(self, arrivals: Arrivals) -> u32 {
        u32::from((arrivals >> Self::shift(self.number)) as u16)
    }

    /// Everything but this window.
    #[inline(always)]
    fn others(self) -> Arrivals {
        !(0xffff << Self::shift(self.number))
    }

    /// A packet that is sent in this window arrives at a lane, in the next window or in the one after it.
    #[inline(always)]
    fn arrival(self, lane: usize, eligible: Nanoseconds) -> Arrivals {
        let number = self.number + if eligible < self.end + WINDOW { 1 } else { 2 };
        1 << (Self::shift(number) + lane as u32)
    }
}

/// What has happened.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) hops: u64,
    /// The sum of the fingerprints of all packets that were delivered, each with its times.
    pub(crate) hash: u64,
}

impl Tally {
    #[inline(always)]
    fn deliver(&mut self, packet: Packet, at: Nanoseconds, position: u32) {
        let arrival = (at as u64) << 32 | u64::from(position);
        let origin = (packet.birth as u64) << 20 ^ u64::from(packet.serial);
        let mixed = arrival.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ origin.wrapping_mul(0xD1B5_4A32_D192_ED03);
        self.hash = self.hash.wrapping_add(mixed);
    }

    pub(crate) fn join(&mut self, other: Self) {
        self.hops += other.hops;
        self.hash = self.hash.wrapping_add(other.hash);
    }
}

/// The routers of one thread.
pub(crate) struct Share<'m> {
    machine: &'m Machine<'m>,
    /// By router of the machine: the lanes at which packets arrive that other threads have sent.
    from_others: Option<&'m [AtomicU64]>,
    /// The number of its first router.
    first: usize,
    routers: &'m mut [Router],
    /// By router: the lanes at which packets arrive that the same thread has sent.
    arrivals: Vec<Arrivals>,
    /// By router: nothing can be granted sooner, of what is known.
    next: Vec<Nanoseconds>,
    pub(crate) tally: Tally,
}

/// How many routers before it is run a router's state is asked for, then the packets that arrive; and how many before it is
/// prepared.
const STATE_AHEAD: usize = 6;
const PACKETS_AHEAD: usize = 3;
const PREPARED_AHEAD: usize = 2;

impl<'m> Share<'m> {
    /// Some routers of a machine, from the first one on; with what other threads send, if there are some.
    pub(crate) fn new(
        machine: &'m Machine<'m>,
        (first, routers): (usize, &'m mut [Router]),
        from_others: Option<&'m [AtomicU64]>,
    ) -> Self {
        let (arrivals, next) = (vec![0; routers.len()], vec![0; routers.len()]);
        Self { machine, from_others, first, routers, arrivals, next, tally: Tally::default() }
    }

    pub(crate) fn run_window(&mut self, window: Window) {
        let mut can_act = [false; 4];
        for index in 0..self.routers.len() + PREPARED_AHEAD {
            self.prefetch_state(index + STATE_AHEAD, window);
            self.prefetch_packets(index + PACKETS_AHEAD, window);
            if index < self.routers.len() {
                can_act[index % 4] = self.prepare(index, window);
            }
            if index >= PREPARED_AHEAD && can_act[(index - PREPARED_AHEAD) % 4] {
                self.grant_all(index - PREPARED_AHEAD, window);
            }
        }
    }

    #[inline(always)]
    fn prefetch_state(&self, index: usize, window: Window) {
        if let (Some(arrivals), Some(router)) = (self.arrivals.get(index), self.routers.get(index))
            && window.lanes(*arrivals) != 0
        {
            prefetch(Some(&router.due));
            prefetch(Some(&router.outputs));
            prefetch(Some(&router.output));
            prefetch(Some(&router.neighbors));
        }
    }

    #[inline(always)]
    fn prefetch_packets(&self, index: usize, window: Window) {
        if let (Some(arrivals), Some(router)) = (self.arrivals.get(index), self.routers.get(index)) {
            for lane in bits(window.lanes(*arrivals)) {
                let place = place(ring(self.first + index, lane), router.heads[lane % LANES]);
                prefetch(self.machine.slots.get(place));
            }
        }
    }

    /// Takes note of the packets that arrive at a router in a window. Returns whether something can happen there.
    #[inline(always)]
    fn prepare(&mut self, index: usize, window: Window) -> bool {
        let number = self.first + index;
        let mut lanes = window.lanes(self.arrivals[index]);
        self.arrivals[index] &= window.others();
        if let Some(from_others) = self.from_others {
            let more = window.lanes(from_others[number].load(Ordering::Relaxed));
            if more != 0 {
                from_others[number].fetch_and(window.others(), Ordering::Relaxed);
                lanes |= more;
            }
        }
        if lanes == 0 && self.next[index] >= window.end {
            return false;
        }
        let (router, machine) = (&mut self.routers[index], self.machine);
        for lane in bits(lanes).map(|lane| lane % LANES) {
            let ring = ring(number, lane);
            if router.output[lane] == NO_OUTPUT
                && let Some((header, eligible)) =
                    packet_before(&machine.slots[place(ring, router.heads[lane])], window.end)
            {
                router.prefetch_behind(machine, ring, lane);
                router.due[lane] = router.come_to_front(machine, lane, header, eligible);
            }
        }
        if router.blocked != 0 {
            router.look_for_credits(machine, number);
        }
        true
    }

    /// Grants packets at a router, one after the other, until nothing can be granted before the window ends.
    #[inline(always)]
    fn grant_all(&mut self, index: usize, window: Window) {
        let (machine, number) = (self.machine, self.first + index);
        let router = &mut self.routers[index];
        let mut due = Due::load(&router.due);
        loop {
            let at = due.earliest();
            if at >= window.end {
                due.store(&mut router.due);
                self.next[index] = if router.blocked == 0 { at } else { window.end };
                return;
            }
            let lane = router.choose(due.lanes_at(at));
            let channel = usize::from(router.output[lane]) % LANES;
            let there = (channel < EJECTION).then(|| &machine.slots[router.place_after_link(channel)]);
            if let Some(slot) = there {
                let from = free_from(slot);
                if from > at {
                    router.blocked |= u32::from(from == NEVER) << channel;
                    due.postpone(router.lanes_to(channel), from);
                    continue;
                }
            }
            let (end, ring) = (at + SERIALIZATION, ring(number, lane));
            let packet = if lane == SOURCE {
                router.source
            } else {
                take(&machine.slots[place(ring, router.heads[lane])], end + CREDIT)
            };
            self.tally.hops += 1;
            due.postpone(router.occupy(lane, channel, end), end);
            if let Some(slot) = there {
                put(slot, packet, at + HOP);
                let neighbor = router.fill_slot(channel);
                let arrival = window.arrival(channel ^ OPPOSITE, at + HOP);
                // A router of another thread is none of this list, whatever its number.
                if let Some(arrivals) = self.arrivals.get_mut(neighbor.wrapping_sub(self.first)) {
                    *arrivals |= arrival;
                } else if let Some(from_others) = self.from_others {
                    from_others[neighbor].fetch_or(arrival, Ordering::Relaxed);
                }
            } else if at < machine.until {
                self.tally.deliver(packet, at, router.position);
            }
            let next = if lane == SOURCE {
                router.make_packet(machine)
            } else {
                router.move_up(machine, (ring, lane), window.end)
            };
            due.postpone(1 << lane, next);
        }
    }
}
