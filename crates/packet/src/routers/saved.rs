//! Routers in a checkpoint.
//!
//! Everything is kept under its number in the machine, routers under their positions, between two windows, when no mail is on its way. What says when a router
//! has something to do is not: where a run goes on, all routers with packets look at them in the first window, as after any credit.

use super::states::{Extras, Needs};
use super::{Entry, RouterStates, Routers};
use crate::crossing::PacketCrossing;
use crate::network::{Channel, Output};
use crate::slots::{Departure, Packet, Size, Slot};
use serde::{Deserialize, Serialize};
use weir_pdes::Window;
use weir_units::NodeId;

/// A slot that is not just free.
#[derive(Debug, Serialize, Deserialize)]
enum SavedSlot {
    /// Free from an instant on that is not over, see [`Crossing::Freed`](crate::crossing::Crossing).
    Free { lane: u32, slot: u16, departure: Option<Departure>, from: u64 },
    /// A packet, and the part of its node.
    Taken(PacketCrossing, usize),
}

impl Routers<'_> {
    /// Takes the mail for a window before it is run.
    pub(crate) fn take_mail(&mut self, window: &Window) {
        let Self { network, outbox, state, .. } = self;
        outbox.take_mail(window, |router, output| state.unblock(network, router, output));
    }

    /// The routers before a window, when their mail has been taken, in bytes.
    pub(crate) fn save(&mut self, window: &Window) -> Vec<u8> {
        self.look_at_queues(window);
        let outputs = |position: usize| self.network.routers[position].output;
        let routers = &self.outbox.routers;
        let announced = self.shared.announced.words(outputs(routers.start)..outputs(routers.end));
        let saved = (&self.state, self.save_slots(window), self.outbox.in_buffers, announced);
        postcard::to_stdvec(&saved).expect("memory takes all that is written")
    }

    /// Slots that have been free for long are not kept: no queue may have to look at them again.
    fn look_at_queues(&mut self, window: &Window) {
        let RouterStates { extras: Extras { ruling: Some(ruling), .. }, outputs, .. } = &mut self.state
        else {
            return;
        };
        for (place, port) in outputs.iter().enumerate() {
            let slots = (&self.shared.slots, port.lane);
            ruling.queues.at(place, self.network.vcs as usize, slots, window.start.as_ps());
        }
    }

    fn save_slots(&self, window: &Window) -> Vec<SavedSlot> {
        let (network, slots) = (self.network, &self.shared.slots);
        let mut saved = Vec::new();
        for router in self.outbox.routers.clone() {
            let lanes =
                network.routers[router].input * network.vcs..network.routers[router + 1].input * network.vcs;
            for lane in lanes.clone() {
                for slot in 0..slots.depth(lane) as u16 {
                    let place = slots.place(lane, slot);
                    match slots.state(place) {
                        Slot::Free(from) if from >= window.start.as_ps() => {
                            let departure =
                                self.state.extras.ruling.is_some().then(|| slots.departure(place));
                            saved.push(SavedSlot::Free { lane, slot, departure, from })
                        }
                        Slot::Free(_) => {}
                        Slot::Taken(eligible) => {
                            let packet = slots.packet(place);
                            let channel = network.channels[(lane - lanes.start) as usize];
                            let to = self.shared.home(self.destination(router, packet, channel));
                            let lag = slots.lag(place).unwrap_or(0);
                            let at = Entry { router: router as u32, lane, slot };
                            saved.push(SavedSlot::Taken(self.outbox.written(at, packet, lag, eligible), to));
                        }
                    }
                }
            }
        }
        saved
    }

    /// Where a packet goes that is at a router: it is followed there.
    fn destination(&self, mut router: usize, mut packet: Packet, mut channel: Channel) -> NodeId {
        let network = self.network;
        let destination = network.routing.destination(network.routers[router].address, packet.address());
        if let Some(node) = destination {
            return node;
        }
        loop {
            let nic = network.nic_of(packet, &self.shared.labels);
            let hop = network.routing.hop(network.routers[router].address, packet.address(), nic, channel);
            let output = &network.outputs[network.routers[router].output as usize + usize::from(hop.output)];
            if output.to & Output::NODE != 0 {
                return NodeId(output.lane);
            }
            packet = network.routing.onward(packet);
            router = output.to as usize;
            let lane = output.lane + network.class_range(hop.class).0;
            channel = network.channels[(lane - network.routers[router].input * network.vcs) as usize];
        }
    }

    /// Takes over the state of the routers of this part before a window, and what this process sees of those that they send to;
    /// `None` if that is not this machine. `word` is the word of a packet for its message now, and `with_counts` says whether the common
    /// counts are added.
    pub(crate) fn restore(
        &mut self,
        bytes: &[u8],
        window: &Window,
        with_counts: bool,
        word: impl Fn(u64, usize) -> Option<u64>,
    ) -> Option<()> {
        let saved: (RouterStates, Vec<SavedSlot>, i64, Vec<(u32, u64)>) = postcard::from_bytes(bytes).ok()?;
        let (state, slots, in_buffers, announced) = saved;
        // All threads write the same.
        announced.iter().for_each(|&(output, word)| self.shared.announced.note(output, word));
        if self.network.routing.announces() {
            // What waits may be on links, and is announced all the same.
            self.outbox.wake_all(window);
        }
        if with_counts {
            self.state.counts.hops += state.counts.hops;
            self.state.counts.wrapped.extend(&state.counts.wrapped);
            self.outbox.in_buffers += in_buffers;
        }
        self.state.take_over(state, self.network.vcs as usize);
        slots.iter().try_for_each(|slot| self.restore_slot(slot, window, &word))
    }

    fn restore_slot(
        &mut self,
        saved: &SavedSlot,
        window: &Window,
        word: &impl Fn(u64, usize) -> Option<u64>,
    ) -> Option<()> {
        let slots = &self.shared.slots;
        let (SavedSlot::Free { lane, slot, .. } | SavedSlot::Taken(PacketCrossing { lane, slot, .. }, _)) =
            *saved;
        if lane as usize >= self.network.lanes() || usize::from(slot) >= slots.depth(lane) {
            return None;
        }
        let place = slots.place(lane, slot);
        let is_own = self.outbox.lanes.contains(&lane);
        if !is_own && !self.outbox.fills(lane) {
            return Some(());
        }
        match saved {
            // All threads of a process that know the slot write the same.
            SavedSlot::Free { departure, from, .. } => _ = slots.free(place, (*departure, *from), false),
            &SavedSlot::Taken(mut packet, to) => {
                if is_own {
                    packet.label.message = word(packet.label.message, to)?;
                    self.outbox.take_in(packet, window);
                } else if !self.outbox.is_here(packet.router) {
                    let PacketCrossing { address, lag, eligible, .. } = packet;
                    slots.put(place, Packet::new(address, 0, Size::Mtu), lag, eligible);
                }
            }
        }
        Some(())
    }
}

impl RouterStates {
    /// Takes over the ports that another part has had, whatever parts there were.
    fn take_over(&mut self, saved: Self, vcs: usize) {
        let inputs = [self.first.input, saved.first.input];
        let outputs = [self.first.output, saved.first.output];
        overlay(&mut self.outputs, saved.outputs, outputs, 1);
        overlay(&mut self.tails, saved.tails, outputs, vcs);
        overlay(&mut self.leaves, saved.leaves, outputs, self.leaves_each);
        overlay(&mut self.inputs, saved.inputs, inputs, 1);
        overlay(&mut self.stalls, saved.stalls, inputs, vcs);
        // Where senders are depends on the parts.
        let needs: Vec<Needs> = self.lanes.iter().map(|lane| lane.needs).collect();
        overlay(&mut self.lanes, saved.lanes, inputs, vcs);
        self.lanes.iter_mut().zip(needs).for_each(|(lane, needs)| lane.needs = needs);
        self.extras.take_over(saved.extras, (inputs, outputs), vcs);
    }
}

impl Extras {
    /// Takes over what belongs to the same ports, which begin with these numbers, here and in the other one.
    fn take_over(&mut self, saved: Self, (inputs, outputs): ([u32; 2], [u32; 2]), vcs: usize) {
        overlay(&mut self.turned, saved.turned, inputs, vcs);
        if let (Some(own), Some(saved)) = (&mut self.ruling, saved.ruling) {
            overlay(&mut own.decided, saved.decided, inputs, vcs);
            overlay(&mut own.queues.channels, saved.queues.channels, outputs, vcs);
            overlay(&mut own.queues.fronts, saved.queues.fronts, outputs, 1);
            if let (Some(own), Some(saved)) = (&mut own.last_announced, saved.last_announced) {
                overlay(own, saved, outputs, 1);
            }
        }
        if let (Some(own), Some(saved)) = (&mut self.turns, saved.turns) {
            let services = own.services;
            overlay(&mut own.tags, saved.tags, outputs, services);
            overlay(&mut own.last, saved.last, outputs, services);
        }
        if let (Some(own), Some(saved)) = (&mut self.waits_of_jobs, saved.waits_of_jobs) {
            overlay(&mut own.lanes, saved.lanes, inputs, vcs);
            overlay(&mut own.outputs, saved.outputs, outputs, 1);
            overlay(&mut own.waits, saved.waits, outputs, 1);
        }
        let (own, held) = (&mut self.held, saved.held);
        overlay(&mut own.of_lanes, held.of_lanes, inputs, vcs);
        overlay(&mut own.free, held.free, outputs, vcs);
        if let (Some(own), Some(saved)) = (&mut self.gates, saved.gates) {
            own.take_over(&saved, inputs, outputs);
            overlay(&mut own.turned, saved.turned, inputs, vcs);
        }
    }
}

/// Takes over what two lists by port have in common: both begin with the number of their first port, and have so many entries for each.
fn overlay<T>(own: &mut [T], saved: Vec<T>, firsts: [u32; 2], width: usize) {
    let [first, then] = firsts.map(|first| first as usize * width);
    let saved = saved.into_iter().skip(first.saturating_sub(then));
    own.iter_mut().skip(then.saturating_sub(first)).zip(saved).for_each(|(own, saved)| *own = saved);
}
