//! One router, one window.

use super::{Carried, Delivery, Entry, Lane, NEVER, Port, Post, Sink, bits};
use crate::machine::{Input, Machine, Output};
use crate::parts::Shared;
use crate::slots::{Credit, Slot, find_credit};
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

/// A lane whose head packet could be granted within the window, as far as is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    pub(super) ready: u64,
    pub(super) lane: u16,
    output: u16,
    input: u16,
}

/// What a grant leaves for those who wait.
struct Granted {
    input: u16,
    /// When the crossbar takes the next packet from this input.
    input_free: u64,
    output: u16,
    /// When the output takes the next packet.
    available: u64,
}

impl Router<'_, '_> {
    /// Grants the packets that can be granted before `end`, one after the other; `due` are the lanes that could be, and will
    /// be empty, `next` is when another one could. Returns whether some lack a credit.
    #[inline]
    pub(super) fn run(
        &mut self,
        window: &Window,
        end: u64,
        due: &mut Vec<Due>,
        next: u64,
        sink: &mut impl Sink,
    ) -> bool {
        let mut next = next;
        let mut blocked = false;
        let (mut place, mut tie) = first(due);
        while let Some(&Due { ready, .. }) = due.get(place)
            && ready < end
        {
            if tie {
                place = self.break_tie(due, ready);
            }
            let lane = usize::from(due[place].lane);
            match self.credit(lane, ready, end) {
                Credit::Now(vc) => {
                    let granted = self.grant(lane, vc, ready, window, sink);
                    match self.look_at_head(lane) {
                        Some(now) if now.ready < end => due[place] = now,
                        after => {
                            next = next.min(after.map_or(NEVER, |after| after.ready));
                            due.swap_remove(place);
                        }
                    }
                    (place, tie) = hold_back(due, &granted);
                }
                Credit::At(later) => {
                    due[place].ready = later;
                    (place, tie) = first(due);
                }
                Credit::Later(known) => {
                    next = next.min(known);
                    due.swap_remove(place);
                    self.blocked[lane / 64] |= 1 << (lane % 64);
                    blocked = true;
                    (place, tie) = first(due);
                }
            }
        }
        for Due { ready, lane, .. } in due.drain(..) {
            self.lanes[usize::from(lane)].ready = ready;
            next = next.min(ready);
        }
        if next != NEVER {
            self.post.wake(self.number, next, window);
        }
        blocked
    }

    /// Takes notice of packets in lanes that were empty; then collects the lanes that could be granted before `end`, asks for
    /// the places their head packets will take, and returns when the first of the others could.
    #[inline]
    pub(super) fn prepare(&mut self, end: u64, due: &mut Vec<Due>) -> u64 {
        let mut next = NEVER;
        for (word, mask) in self.masks.clone().enumerate() {
            for bit in bits(self.post.take_news(mask) & !self.filled[word]) {
                self.look_at_head(word * 64 + bit as usize);
            }
            self.blocked[word] = 0;
            for bit in bits(self.filled[word]) {
                let lane = word * 64 + bit as usize;
                let state = &mut self.lanes[lane];
                if state.ready >= end {
                    next = next.min(state.ready);
                    continue;
                }
                let input = self.machine.input_of[lane];
                let free = self.input_free[usize::from(input)];
                let available = self.ports[usize::from(state.output)].available;
                let ready = state.ready.max(free).max(available);
                due.push(Due { ready, lane: lane as u16, output: state.output, input });
                let Lane { output, class, .. } = *state;
                let link = &self.links[usize::from(output)];
                if link.to & Output::NODE == 0 {
                    let vc = self.machine.class_range(class).0;
                    let tail = self.tails[usize::from(output) * self.machine.vcs as usize + vc as usize];
                    self.shared.slots.ask_for(link.lane + vc, tail, 1);
                }
            }
        }
        next
    }

    /// What the head packet of a lane needs, if there is one.
    #[inline]
    fn look_at_head(&mut self, lane: usize) -> Option<Due> {
        let slots = &self.shared.slots;
        let (word, bit) = (lane / 64, 1 << (lane % 64));
        let state = &mut self.lanes[lane];
        let place = slots.place(self.first_lane + lane as u32, state.head);
        let Slot::Taken(eligible) = slots.state(place) else {
            self.filled[word] &= !bit;
            return None;
        };
        self.filled[word] |= bit;
        let packet = slots.packet(place);
        let hop = self.machine.routing.hop(self.number, packet.address(), packet.nic());
        (state.output, state.class) = (hop.output, hop.class);
        let input = self.machine.input_of[lane];
        let available = self.ports[usize::from(hop.output)].available;
        state.ready = eligible.max(self.input_free[usize::from(input)]).max(available);
        Some(Due { ready: state.ready, lane: lane as u16, output: hop.output, input })
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
        let (input, number) = (self.machine.input_of[lane], self.first_lane + lane as u32);
        let link = self.links[usize::from(output)];
        let wire = &machine.wires[usize::from(link.wire)];
        let place = slots.place(number, head);
        let eligible = slots.instant(place);
        let packet = slots.packet(place);

        // Crossbar, output buffer, link: paper 003, section 3.1, with its maximum rule for the tail.
        let (passes, sends) = (machine.switch.time(packet.bytes()), wire.speed.time(packet.bytes()));
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
            carried.bytes += u64::from(packet.bytes());
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
                let before = std::mem::replace(&mut ring[usize::from(port.oldest)], ends);
                port.oldest = if usize::from(port.oldest) + 1 == others { 0 } else { port.oldest + 1 };
                before
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
            let packet = machine.routing.onward(packet);
            let to = Entry {
                router: link.to,
                mask: link.mask,
                lane: link.lane + vc,
                slot,
                bit: link.bit + vc as u16,
            };
            self.post.put(to, packet, ends - starts, starts + wire.latency + machine.pipeline, window);
        } else {
            let delivery = Delivery { node: NodeId(link.lane), packet, at: ends + wire.latency };
            self.post.deliver(delivery, sink);
        }

        self.note_queue(lane, number, now);
        slots.free(place, crossed + self.sources[usize::from(input)].credit);
        self.input_free[usize::from(input)] = crossed;
        self.lanes[lane].head = slots.after(head);
        Granted { input, input_free: crossed, output, available }
    }

    /// Looks whether more packets wait in a lane than ever before, the head packet included.
    #[inline]
    fn note_queue(&mut self, lane: usize, number: u32, now: u64) {
        let slots = &self.shared.slots;
        let Lane { head, longest, .. } = &mut self.lanes[lane];
        let waits = |behind: u16| {
            let slot = usize::from(*head) + usize::from(behind);
            let slot = if slot >= slots.depth() { slot - slots.depth() } else { slot };
            matches!(slots.state(slots.place(number, slot as u16)), Slot::Taken(eligible) if eligible <= now)
        };
        *longest = (*longest).max(1);
        // The one behind the head will be looked at anyway; further ones may be far away in memory.
        if slots.depth() > 1 && waits(1) {
            while usize::from(*longest) < slots.depth() && waits(*longest) {
                *longest += 1;
            }
        }
    }
}

/// The place of the one that is ready first, and whether others are ready at the same instant.
#[inline]
fn first(due: &[Due]) -> (usize, bool) {
    least_of(due.len(), |place| due[place].ready)
}

/// What waits for the same input port or the same output port as a packet that has been granted waits longer now. Then as
/// [`first`].
#[inline]
fn hold_back(due: &mut [Due], granted: &Granted) -> (usize, bool) {
    least_of(due.len(), |place| {
        let Due { ready, output, input, .. } = &mut due[place];
        let available = if *output == granted.output { granted.available } else { 0 };
        let free = if *input == granted.input { granted.input_free } else { 0 };
        *ready = (*ready).max(available).max(free);
        *ready
    })
}

/// The least of some instants, and whether another one is equal; without branches that cannot be foreseen.
#[inline(always)]
fn least_of(count: usize, mut ready: impl FnMut(usize) -> u64) -> (usize, bool) {
    let (mut least, mut second, mut first) = (NEVER, NEVER, 0);
    for place in 0..count {
        let own = ready(place);
        second = second.min(own.max(least));
        first = if own < least { place } else { first };
        least = least.min(own);
    }
    (first, least == second)
}
