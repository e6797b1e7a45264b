//! One router, one window.

use super::{Carried, Delivery, Entry, Lane, NEVER, Port, Post, Sink, bits};
use crate::machine::{Input, Machine, Output};
use crate::parts::Shared;
use crate::slots::{Credit, Packet, Slot, find_credit};
use std::ops::Range;
use weir_pdes::Window;
use weir_units::NodeId;

/// A router with all that belongs to it.
pub(super) struct Router<'r, 'a> {
    pub(super) machine: &'a Machine,
    pub(super) shared: &'a Shared,
    pub(super) post: &'r mut Post<'a>,
    pub(super) count_from: u64,
    pub(super) number: u32,
    /// The number of its first lane in the machine.
    pub(super) first_lane: u32,
    pub(super) links: &'a [Output],
    pub(super) sources: &'a [Input],
    pub(super) lanes: &'r mut [Lane],
    pub(super) input_free: &'r mut [u64],
    pub(super) ports: &'r mut [Port],
    pub(super) carried: &'r mut [Carried],
    pub(super) tails: &'r mut [u16],
    pub(super) leaves: &'r mut [u64],
    pub(super) filled: &'r mut [u64],
    pub(super) blocked: &'r mut [u64],
    /// Its mask words, counted from the part's first.
    pub(super) masks: Range<usize>,
    pub(super) hops: &'r mut u64,
}

/// The lane that is ready first.
#[derive(Clone, Copy)]
struct First {
    lane: usize,
    ready: u64,
    /// Whether others are ready at the same instant.
    tie: bool,
}

/// What a grant leaves for those who wait.
struct Granted {
    input: usize,
    /// When the crossbar takes the next packet from this input.
    input_free: u64,
    output: u16,
    /// When the output takes the next packet.
    available: u64,
}

impl Router<'_, '_> {
    /// Grants the packets that can be granted before `end`, one after the other. Returns whether some lack a credit.
    #[inline]
    pub(super) fn run(&mut self, window: &Window, end: u64, sink: &mut impl Sink) -> bool {
        self.look_at_blocked();
        let mut known = NEVER;
        let mut first = self.first();
        while first.ready < end {
            let lane = if first.tie { self.break_tie(first.ready) } else { first.lane };
            first = match self.credit(lane, first.ready, end) {
                Credit::Now(vc) => {
                    let granted = self.grant(lane, vc, first.ready, window, sink);
                    self.hold_back(&granted)
                }
                Credit::At(later) => {
                    self.lanes[lane].ready = later;
                    self.first()
                }
                Credit::Later(later) => {
                    known = known.min(later);
                    self.lanes[lane].ready = NEVER;
                    self.blocked[lane / 64] |= 1 << (lane % 64);
                    self.first()
                }
            };
        }
        let next = first.ready.min(known);
        if next != NEVER {
            self.post.wake(self.number, next, window);
        }
        self.blocked.iter().any(|&word| word != 0)
    }

    /// Takes notice of packets in lanes that were empty.
    #[inline]
    pub(super) fn look_at_news(&mut self) {
        for (word, mask) in self.masks.clone().enumerate() {
            for bit in bits(self.post.take_news(mask) & !self.filled[word]) {
                let lane = word * 64 + bit as usize;
                if self.look_at_head(lane) {
                    let Lane { output, class, .. } = self.lanes[lane];
                    let link = &self.links[usize::from(output)];
                    if link.to & Output::NODE == 0 {
                        let vc = self.machine.class_range(class).0;
                        let tail = self.tails[usize::from(output) * self.machine.vcs as usize + vc as usize];
                        self.shared.slots.ask_for(link.lane + vc, tail);
                    }
                }
            }
        }
    }

    /// Lanes that lacked a credit have another try.
    #[inline]
    fn look_at_blocked(&mut self) {
        for word in 0..self.blocked.len() {
            for bit in bits(std::mem::take(&mut self.blocked[word])) {
                self.look_at_head(word * 64 + bit as usize);
            }
        }
    }

    /// What the head packet of a lane needs; whether there is one.
    #[inline]
    fn look_at_head(&mut self, lane: usize) -> bool {
        let slots = &self.shared.slots;
        let (word, bit) = (lane / 64, 1 << (lane % 64));
        let state = &mut self.lanes[lane];
        let place = slots.place(self.first_lane + lane as u32, state.head);
        let Slot::Taken(eligible) = slots.state(place) else {
            state.ready = NEVER;
            self.filled[word] &= !bit;
            return false;
        };
        let (address, nic) = slots.address_and_nic(place);
        let hop = self.machine.routing.hop(self.number, address, nic);
        (state.output, state.class) = (hop.output, hop.class);
        let input = lane / self.machine.vcs as usize;
        state.ready = eligible.max(self.input_free[input]).max(self.ports[usize::from(hop.output)].available);
        self.filled[word] |= bit;
        true
    }

    #[inline]
    fn first(&self) -> First {
        let mut first = First { lane: 0, ready: NEVER, tie: false };
        for (word, &filled) in self.filled.iter().enumerate() {
            for bit in bits(filled) {
                let lane = word * 64 + bit as usize;
                first.take(lane, self.lanes[lane].ready);
            }
        }
        first
    }

    /// A place in the next input buffer for the head packet of a lane. Nodes take everything.
    #[inline]
    fn credit(&self, lane: usize, ready: u64, end: u64) -> Credit {
        let Lane { output, class, .. } = self.lanes[lane];
        let output = usize::from(output);
        let link = &self.links[output];
        if link.to & Output::NODE != 0 {
            return Credit::Now(0);
        }
        let vcs = self.machine.vcs as usize;
        let tails = &self.tails[output * vcs..(output + 1) * vcs];
        let last = u32::from(self.ports[output].last_vc);
        let range = self.machine.class_range(class);
        find_credit(&self.shared.slots, (link.lane, tails), range, last, ready, end)
    }

    /// Sends the head packet of a lane on its way.
    #[inline]
    fn grant(&mut self, lane: usize, vc: u32, now: u64, window: &Window, sink: &mut impl Sink) -> Granted {
        let (machine, slots) = (self.machine, &self.shared.slots);
        let vcs = machine.vcs as usize;
        let Lane { head, output, .. } = self.lanes[lane];
        let (input, number) = (lane / vcs, self.first_lane + lane as u32);
        let link = self.links[usize::from(output)];
        let wire = &machine.wires[usize::from(link.wire)];
        let place = slots.place(number, head);
        let eligible = slots.instant(place);
        let packet = slots.packet(place);

        // Crossbar, output buffer, link: paper 003, section 3.1, with its maximum rule for the tail.
        let (passes, sends) = (machine.switch.time(packet.bytes), wire.speed.time(packet.bytes));
        let crossed = if machine.alike {
            now + passes
        } else {
            (now + passes).max(eligible - machine.pipeline + slots.lag(place))
        };
        let port = &mut self.ports[usize::from(output)];
        let starts = (now + machine.switch_delay).max(port.link_free);
        let ends = (starts + sends).max(crossed + machine.switch_delay);
        if now >= self.count_from {
            let carried = &mut self.carried[usize::from(output)];
            carried.packets += 1;
            carried.bytes += u64::from(packet.bytes);
            carried.busy += ends - starts;
            carried.waited += now - eligible;
        }
        *self.hops += 1;
        // The buffer has room for the next one when the packet `output_buffer` places before it has left.
        let leaves = match machine.output_buffer {
            1 => ends,
            2 => std::mem::replace(&mut port.leaves, ends),
            buffer => {
                let others = buffer as usize - 1;
                let ring = &mut self.leaves[usize::from(output) * others..][..others];
                ring[usize::from(port.oldest)] = ends;
                port.oldest = if usize::from(port.oldest) + 1 == others { 0 } else { port.oldest + 1 };
                ring[usize::from(port.oldest)]
            }
        };
        port.link_free = ends;
        port.available = crossed.max(leaves.saturating_sub(machine.switch_delay));
        port.last = lane as u16;
        let available = port.available;

        if link.to & Output::NODE == 0 {
            port.last_vc = vc as u16;
            let tail = &mut self.tails[usize::from(output) * vcs + vc as usize];
            let slot = std::mem::replace(tail, slots.after(*tail));
            let packet = Packet { address: machine.routing.onward(packet.address), ..packet };
            let to = Entry { router: link.to, lane: link.lane + vc, slot, bit: link.bit + vc as u16 };
            self.post.put(to, packet, ends - starts, starts + wire.latency + machine.pipeline, window);
        } else {
            let delivery = Delivery { node: NodeId(link.lane), packet, at: ends + wire.latency };
            self.post.deliver(delivery, sink);
        }

        self.note_queue(lane, number, now);
        slots.free(place, crossed + self.sources[input].credit);
        self.input_free[input] = crossed;
        self.lanes[lane].head = slots.after(head);
        self.look_at_head(lane);
        Granted { input, input_free: crossed, output, available }
    }

    /// What waits for the same input port or the same output port waits longer now; then finds who is first.
    #[inline]
    fn hold_back(&mut self, granted: &Granted) -> First {
        let vcs = self.machine.vcs as usize;
        let own = granted.input * vcs..(granted.input + 1) * vcs;
        let mut first = First { lane: 0, ready: NEVER, tie: false };
        for (word, &filled) in self.filled.iter().enumerate() {
            for bit in bits(filled) {
                let lane = word * 64 + bit as usize;
                let state = &mut self.lanes[lane];
                let output = if state.output == granted.output { granted.available } else { 0 };
                let input = if own.contains(&lane) { granted.input_free } else { 0 };
                state.ready = state.ready.max(output).max(input);
                first.take(lane, state.ready);
            }
        }
        first
    }

    /// Looks whether more packets wait in a lane than ever before, the head packet included.
    #[inline]
    fn note_queue(&mut self, lane: usize, number: u32, now: u64) {
        let slots = &self.shared.slots;
        let Lane { head, longest, .. } = &mut self.lanes[lane];
        while usize::from(*longest) < slots.depth() {
            let slot = usize::from(*head) + usize::from(*longest);
            let slot = if slot >= slots.depth() { slot - slots.depth() } else { slot };
            match slots.state(slots.place(number, slot as u16)) {
                Slot::Taken(eligible) if eligible <= now => *longest += 1,
                _ => break,
            }
        }
    }
}

impl First {
    #[inline(always)]
    fn take(&mut self, lane: usize, ready: u64) {
        if ready < self.ready {
            *self = Self { lane, ready, tie: false };
        } else if ready == self.ready {
            self.tie = true;
        }
    }
}
