//! One router, one window.

use super::{
    Delivery, Entry, InputPort, Lane, Mask, NEVER, OutputPort, PartCounts, Post, Sink, bits, leaves,
};
use crate::machine::{Machine, Output};
use crate::routing::Hop;
use crate::slots::{NoCredit, Slot, Slots, find_credit};
use weir_pdes::Window;
use weir_units::NodeId;

/// A router with all that belongs to it.
pub(super) struct Router<'r, 'a> {
    pub(super) machine: &'a Machine,
    pub(super) slots: &'a Slots<'a>,
    pub(super) post: &'r mut Post<'a>,
    pub(super) counts: &'r mut PartCounts,
    pub(super) number: u32,
    /// The number of its first lane in the machine.
    pub(super) first_lane: u32,
    pub(super) lanes: &'r mut [Lane],
    pub(super) inputs: &'r mut [InputPort],
    pub(super) outputs: &'r mut [OutputPort],
    /// By output and virtual channel: the place in the ring that is filled next.
    pub(super) tails: &'r mut [u16],
    /// By output, see [`super::leaves`].
    pub(super) leaves: &'r mut [u64],
    pub(super) masks: &'r mut [Mask],
    /// Its mask words, counted from the part's first.
    pub(super) first_mask: usize,
}

/// A lane whose head packet could be granted within the window, as far as is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    pub(super) ready: u64,
    pub(super) lane: u16,
    pub(super) output: u16,
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
        let (mut place, mut tie) = first(due);
        while let Some(&Due { ready, .. }) = due.get(place)
            && ready < end
        {
            if tie {
                place = self.break_tie(due, ready);
            }
            let lane = usize::from(due[place].lane);
            match self.grant(lane, ready, window, end, sink) {
                Ok(granted) => {
                    match self.look_at_head(lane) {
                        Some(now) if now.ready < end => due[place] = now,
                        after => {
                            next = next.min(after.map_or(NEVER, |after| after.ready));
                            due.swap_remove(place);
                        }
                    }
                    (place, tie) = hold_back(due, &granted);
                }
                Err(NoCredit::Before(later)) => {
                    due[place].ready = later;
                    (place, tie) = first(due);
                }
                Err(NoCredit::Later(known)) => {
                    next = next.min(known);
                    due.swap_remove(place);
                    self.masks[lane / 64].blocked |= 1 << (lane % 64);
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
        self.masks.iter().any(|mask| mask.blocked != 0)
    }

    /// Takes notice of packets in lanes that were empty; then collects the lanes that could be granted before `end`, asks for
    /// the places their head packets will take, and returns when the first of the others could.
    #[inline]
    pub(super) fn prepare(&mut self, end: u64, due: &mut Vec<Due>) -> u64 {
        let mut next = NEVER;
        for word in 0..self.masks.len() {
            for bit in bits(self.post.take_news(self.first_mask + word) & !self.masks[word].filled) {
                self.look_at_head(word * 64 + bit as usize);
            }
            for bit in bits(self.masks[word].blocked) {
                next = next.min(self.look_at_blocked(word * 64 + bit as usize, end));
            }
            let Mask { filled, blocked } = self.masks[word];
            for bit in bits(filled & !blocked) {
                let lane = word * 64 + bit as usize;
                let Lane { ready, output, class, .. } = self.lanes[lane];
                if ready >= end {
                    next = next.min(ready);
                    continue;
                }
                let (input, port) = (self.machine.input_of[lane], &self.outputs[usize::from(output)]);
                let ready = ready.max(self.inputs[usize::from(input)].free).max(port.available);
                due.push(Due { ready, lane: lane as u16, output, input });
                if port.to & Output::NODE == 0 {
                    let vc = self.machine.class_range(class).0;
                    let tail = self.tails[usize::from(output) * self.machine.vcs as usize + vc as usize];
                    self.slots.ask_for(port.lane + vc, tail, 1);
                }
            }
        }
        next
    }

    /// A lane without a credit stays blocked if there cannot be one before `end`; when there will be one, if that is known.
    #[inline]
    fn look_at_blocked(&mut self, lane: usize, end: u64) -> u64 {
        let Lane { output, class, .. } = self.lanes[lane];
        let (output, vcs) = (usize::from(output), self.machine.vcs as usize);
        let (low, high) = self.machine.class_range(class);
        let first_lane = self.outputs[output].lane;
        let soonest = (low..high).map(|vc| {
            let place = self.slots.place(first_lane + vc, self.tails[output * vcs + vc as usize]);
            match self.slots.state(place) {
                Slot::Free(from) => from,
                Slot::Taken(_) => NEVER,
            }
        });
        let soonest = soonest.min().unwrap_or(NEVER);
        if soonest < end {
            self.masks[lane / 64].blocked &= !(1 << (lane % 64));
            return NEVER;
        }
        soonest
    }

    /// What the head packet of a lane needs, if there is one.
    #[inline]
    fn look_at_head(&mut self, lane: usize) -> Option<Due> {
        let state = &mut self.lanes[lane];
        let (mask, bit) = (&mut self.masks[lane / 64], 1 << (lane % 64));
        let place = self.slots.place(self.first_lane + lane as u32, state.head);
        let Slot::Taken(eligible) = self.slots.state(place) else {
            mask.filled &= !bit;
            return None;
        };
        mask.filled |= bit;
        let packet = self.slots.packet(place);
        let Hop { output, class } = self.machine.routing.hop(self.number, packet.address(), packet.nic());
        let input = self.machine.input_of[lane];
        let free = self.inputs[usize::from(input)].free;
        let ready = eligible.max(free).max(self.outputs[usize::from(output)].available);
        (state.output, state.class, state.ready) = (output, class, ready);
        Some(Due { ready, lane: lane as u16, output, input })
    }

    /// Sends the head packet of a lane on its way, if there is a place for it in the next input buffer. Nodes take everything.
    #[inline]
    fn grant(
        &mut self,
        lane: usize,
        now: u64,
        window: &Window,
        end: u64,
        sink: &mut impl Sink,
    ) -> Result<Granted, NoCredit> {
        let (machine, slots) = (self.machine, self.slots);
        let vcs = machine.vcs as usize;
        let state = &mut self.lanes[lane];
        let output = usize::from(state.output);
        let port = &mut self.outputs[output];
        let tails = &mut self.tails[output * vcs..][..vcs];
        let to_node = port.to & Output::NODE != 0;
        let mut vc = 0;
        if !to_node {
            let range = machine.class_range(state.class);
            vc = find_credit(slots, (port.lane, tails), range, u32::from(port.last_vc), now, end)?;
        }
        let number = self.first_lane + lane as u32;
        let place = slots.place(number, state.head);
        let eligible = slots.instant(place);
        let packet = slots.packet(place);
        let wire = &machine.wires[usize::from(port.wire)];
        let input = machine.input_of[lane];
        let source = &mut self.inputs[usize::from(input)];

        // Crossbar, output buffer, link: paper 003, section 3.1, with its maximum rule for the tail.
        let passes = machine.switch.time(packet.bytes());
        let (sends, crossed) = if machine.alike {
            (passes, now + passes)
        } else {
            let tail = eligible - machine.pipeline + slots.lag(place);
            (wire.speed.time(packet.bytes()), tail.max(now + passes))
        };
        let starts = port.link_free.max(now + machine.switch_delay);
        let ends = (starts + sends).max(crossed + machine.switch_delay);
        // The buffer has room for the next one when the packet `output_buffer` places before it has left.
        let leaves = match machine.output_buffer {
            1 => ends,
            2 => port.link_free,
            buffer => leaves::exchange(self.leaves, output, buffer as usize - 2, port.link_free),
        };
        port.link_free = ends;
        port.available = crossed.max(leaves.saturating_sub(machine.switch_delay));
        port.last = lane as u16;
        if now >= self.counts.from {
            port.bytes += u64::from(packet.bytes());
            port.busy += ends - starts;
            port.waited += now - eligible;
            port.packets = port.packets.wrapping_add(1);
            if port.packets == 0 {
                self.counts.wrapped.push((self.number, state.output));
            }
        }
        self.counts.hops += 1;
        let granted = Granted { input, input_free: crossed, output: state.output, available: port.available };

        if to_node {
            let delivery = Delivery { node: NodeId(port.lane), packet, at: ends + wire.latency };
            self.post.deliver(delivery, sink);
        } else {
            port.last_vc = vc as u16;
            let tail = &mut tails[vc as usize];
            let slot = std::mem::replace(tail, slots.after(*tail));
            let to = Entry {
                router: port.to,
                mask: port.mask,
                lane: port.lane + vc,
                slot,
                bit: port.bit + vc as u16,
            };
            let packet = machine.routing.onward(packet);
            self.post.put(to, packet, ends - starts, starts + wire.latency + machine.pipeline, window);
        }

        note_queue(slots, state, number, now);
        slots.free(place, crossed + source.credit);
        source.free = crossed;
        state.head = slots.after(state.head);
        Ok(granted)
    }
}

/// Looks whether more packets wait in a lane than ever before, the head packet included.
#[inline]
fn note_queue(slots: &Slots<'_>, lane: &mut Lane, number: u32, now: u64) {
    let Lane { head, longest, .. } = lane;
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
