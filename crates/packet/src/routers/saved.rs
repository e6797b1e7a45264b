//! Routers in a checkpoint.
//!
//! Everything is kept under its number in the machine, routers under their positions, between two windows, when no mail is on its way. What says when a router
//! has something to do is not: where a run goes on, all routers with packets look at them in the first window, as after any credit.

use super::states::{Lane, OutputPort};
use super::{Entry, NEVER, Routers};
use crate::crossing::PacketCrossing;
use crate::network::{Channel, Output};
use crate::slots::{Packet, Size, Slot};
use crate::stalls::Stall;
use serde::{Deserialize, Serialize};
use weir_pdes::Window;
use weir_units::NodeId;

/// The routers of a part.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedRouters {
    first_output: u32,
    outputs: Vec<SavedOutput>,
    first_input: u32,
    inputs: Vec<u64>,
    /// When the gates of the nodes behind them are free.
    input_gates: Vec<u64>,
    /// Of the input ports.
    lanes: Vec<SavedLane>,
    /// Of all lanes.
    slots: Vec<SavedSlot>,
    hops: u64,
    puts: u64,
    wrapped: Vec<(u32, u16)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedOutput {
    link_free: u64,
    available: u64,
    bytes: u64,
    busy: u64,
    waited: u64,
    packets: u32,
    begin: u16,
    last_vc: u16,
    tails: Vec<u16>,
    leaves: Vec<u64>,
    /// Of virtual channels that packets have before the crossbar: by channel, and where turns begin.
    held: Vec<u64>,
    held_begin: u16,
    /// When the gate of the node behind it is free.
    gate: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedLane {
    head: u16,
    longest: u16,
    begin: u8,
    turned: u64,
    stall: Stall,
    held: u16,
    /// Whether its head packet has had its turn at the gate of its node.
    has_turned: bool,
}

/// A slot that is not just free.
#[derive(Debug, Serialize, Deserialize)]
enum SavedSlot {
    /// Free from an instant on that is not over.
    Free { lane: u32, slot: u16, from: u64 },
    /// A packet, and the part of its node.
    Taken(PacketCrossing, usize),
}

impl Routers<'_> {
    /// Takes the mail for a window before it is run.
    pub(crate) fn take_mail(&mut self, window: &Window) {
        let Self { network, post, state, .. } = self;
        post.take_mail(window, |router, output| state.unblock(network, router, output));
    }

    /// What these routers are before a window, when their mail has been taken.
    pub(crate) fn save(&self, window: &Window) -> SavedRouters {
        let (network, state) = (self.network, &self.state);
        let vcs = network.vcs as usize;
        let words = state.leaves.len().checked_div(state.outputs.len()).unwrap_or(0);
        let output = |(place, port): (usize, &OutputPort)| {
            let &OutputPort { link_free, available, bytes, busy, waited, packets, begin, last_vc, .. } = port;
            let (held, held_begin) = state.held.save_output(place, vcs);
            SavedOutput {
                link_free,
                available,
                bytes,
                busy,
                waited,
                packets,
                begin,
                last_vc,
                tails: state.tails[place * vcs..][..vcs].to_vec(),
                leaves: state.leaves[place * words..][..words].to_vec(),
                held,
                held_begin,
                gate: state.gates.as_ref().map_or(0, |gates| gates.of_output(place)),
            }
        };
        let lane = |(place, lane): (usize, &Lane)| {
            let &Lane { head, longest, begin, .. } = lane;
            let turned = state.turned.get(place).copied().unwrap_or(0);
            let stall = state.stalls.get(place).copied().unwrap_or_default();
            let has_turned = state.gates.as_ref().is_some_and(|gates| gates.has_turned(place));
            SavedLane { head, longest, begin, turned, stall, held: state.held.save_lane(place), has_turned }
        };
        let gates = state.gates.iter();
        let input_gates = gates.flat_map(|gates| (0..state.inputs.len()).map(|input| gates.of_input(input)));
        SavedRouters {
            first_output: state.first.output,
            outputs: state.outputs.iter().enumerate().map(output).collect(),
            first_input: state.first.input,
            inputs: state.inputs.clone(),
            input_gates: input_gates.collect(),
            lanes: state.lanes.iter().enumerate().map(lane).collect(),
            slots: self.save_slots(window),
            hops: state.counts.hops,
            puts: self.post.puts,
            wrapped: state.counts.wrapped.clone(),
        }
    }

    fn save_slots(&self, window: &Window) -> Vec<SavedSlot> {
        let (network, slots) = (self.network, &self.shared.slots);
        let mut saved = Vec::new();
        for router in self.post.routers.clone() {
            let lanes =
                network.routers[router].input * network.vcs..network.routers[router + 1].input * network.vcs;
            for lane in lanes.clone() {
                for slot in 0..slots.depth(lane) as u16 {
                    let place = slots.place(lane, slot);
                    match slots.state(place) {
                        Slot::Free(from) if from >= window.start.as_ps() => {
                            saved.push(SavedSlot::Free { lane, slot, from })
                        }
                        Slot::Free(_) => {}
                        Slot::Taken(eligible) => {
                            let packet = slots.packet(place);
                            let channel = network.channels[(lane - lanes.start) as usize];
                            let to = self.shared.home(self.destination(router, packet, channel));
                            let lag = slots.lag(place).unwrap_or(0);
                            let at = Entry { router: router as u32, lane, slot };
                            saved.push(SavedSlot::Taken(self.post.written(at, packet, lag, eligible), to));
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
        loop {
            let nic = network.nic_of(packet, &self.shared.labels);
            let hop = network.routing.hop(network.routers[router].here, packet.address(), nic, channel);
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

    /// Takes over what the routers of this part were before a window, and what this process sees of those that they send to;
    /// `None` if that is not this machine. `word` is what a packet says of its message now, and `with_counts` says whether what these
    /// have counted together is added.
    pub(crate) fn restore(
        &mut self,
        saved: &SavedRouters,
        window: &Window,
        with_counts: bool,
        word: impl Fn(u64, usize) -> Option<u64>,
    ) -> Option<()> {
        let (vcs, first) = (self.network.vcs as usize, self.state.first);
        let own = |first: u32, number: usize, count: usize| -> Option<usize> {
            number.checked_sub(first as usize).filter(|&place| place < count)
        };
        for (number, output) in (saved.first_output as usize..).zip(&saved.outputs) {
            if let Some(place) = own(first.output, number, self.state.outputs.len()) {
                self.restore_output(place, output)?;
            }
        }
        for (number, &free) in (saved.first_input as usize..).zip(&saved.inputs) {
            if let Some(place) = own(first.input, number, self.state.inputs.len()) {
                self.state.inputs[place] = free;
            }
        }
        for (number, &free) in (saved.first_input as usize..).zip(&saved.input_gates) {
            if let Some(place) = own(first.input, number, self.state.inputs.len()) {
                self.state.gates.iter_mut().for_each(|gates| gates.restore_input(place, free));
            }
        }
        for (number, lane) in (saved.first_input as usize * vcs..).zip(&saved.lanes) {
            if let Some(place) = own(first.input * vcs as u32, number, self.state.lanes.len()) {
                let &SavedLane { head, longest, begin, turned, stall, held, has_turned } = lane;
                let state = &mut self.state;
                state.lanes[place] = Lane { head, longest, begin, ..state.lanes[place] };
                state.turned.get_mut(place).into_iter().for_each(|own| *own = turned);
                state.stalls.get_mut(place).into_iter().for_each(|own| *own = stall);
                state.held.restore_lane(place, held);
                state.gates.iter_mut().for_each(|gates| gates.restore_lane(place, has_turned));
            }
        }
        for slot in &saved.slots {
            self.restore_slot(slot, window, &word)?;
        }
        if with_counts {
            self.state.counts.hops += saved.hops;
            self.post.puts += saved.puts;
            self.state.counts.wrapped.extend(&saved.wrapped);
        }
        Some(())
    }

    fn restore_output(&mut self, place: usize, saved: &SavedOutput) -> Option<()> {
        let vcs = self.network.vcs as usize;
        let (state, words) = (&mut self.state, saved.leaves.len());
        let &SavedOutput { link_free, available, bytes, busy, waited, packets, begin, last_vc, .. } = saved;
        state.gates.iter_mut().for_each(|gates| gates.restore_output(place, saved.gate));
        let port = &mut state.outputs[place];
        *port = OutputPort { link_free, available, bytes, busy, waited, packets, begin, last_vc, ..*port };
        state.tails.get_mut(place * vcs..)?.get_mut(..saved.tails.len())?.copy_from_slice(&saved.tails);
        state.leaves.get_mut(place * words..)?.get_mut(..words)?.copy_from_slice(&saved.leaves);
        state.held.restore_output(place, &saved.held, saved.held_begin)
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
        let is_own = self.post.lanes.contains(&lane);
        if !is_own && !self.post.fills(lane) {
            return Some(());
        }
        match saved {
            // All threads of a process that know the slot write the same.
            SavedSlot::Free { from, .. } => _ = slots.free(place, *from, false),
            &SavedSlot::Taken(mut packet, to) => {
                if is_own {
                    packet.label.message = word(packet.label.message, to)?;
                    self.post.take_in(packet, window);
                } else if !self.post.is_here(packet.router) {
                    let PacketCrossing { address, lag, eligible, .. } = packet;
                    slots.put(place, Packet::new(address, 0, Size::Mtu), lag, eligible);
                }
            }
        }
        Some(())
    }
}

const _: () = assert!(NEVER == u64::MAX);
