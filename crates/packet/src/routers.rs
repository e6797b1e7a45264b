//! The routers of one part, and what they do in a window.

mod allocation;
mod announcing;
mod arbiter;
mod due;
mod kept;
mod kinds;
mod limits;
mod outbox;
mod remote;
mod router;
mod ruling;
mod saved;
mod series;
mod serving;
mod states;
mod turns;
mod waiting;

use crate::crossing::Sink;
use crate::network::{PacketNetwork, RouterPlace};
use crate::prefetch::{needed, prefetch, prefetch_all};
use crate::remote::{RemoteCounts, RemoteLoad};
use crate::shared::Shared;
use crate::slots::Slot;
use crate::stuck::WaitingLane;
use due::DueHeads;
use kept::History;
use kinds::{Classed, Held, Kind, More, Plain};
pub(crate) use limits::NodeLimits;
pub(crate) use outbox::{Entry, Outbox};
use router::{Before, Router};
use ruling::Undecided;
use series::RouterSeries;
use states::Mask;
pub(crate) use states::RouterStates;
use std::marker::PhantomData;
use weir_network::Requested;
use weir_pdes::Window;

/// The instant that never comes.
const NEVER: u64 = u64::MAX;

/// Which instants count, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeasuredPeriod {
    /// Loads of links are counted from here on.
    pub(crate) from: u64,
    /// The last instant at which anything happens.
    pub(crate) last: u64,
}

/// Choice of what a run keeps.
#[derive(Clone, Copy)]
pub(crate) struct Measurement<'w> {
    pub(crate) counted: MeasuredPeriod,
    /// Requests beside the counts.
    pub(crate) requested: Option<&'w Requested>,
}

impl MeasuredPeriod {
    /// Everything up to and with this instant.
    pub(crate) fn until(last: weir_units::Time) -> Self {
        Self { from: 0, last: last.as_ps() }
    }
}

pub(crate) struct Routers<'a> {
    pub(crate) network: &'a PacketNetwork,
    pub(crate) shared: &'a Shared<'a>,
    /// The output of routers.
    pub(crate) outbox: Outbox<'a>,
    state: RouterStates,
    counted: MeasuredPeriod,
    /// The window that is being run, and the first instant, in picoseconds, at which nothing happens in it any more.
    pub(crate) window: Window,
    pub(crate) end: u64,
    awake: Vec<u32>,
    /// Words of lanes of a router, where all have as many lanes.
    masks_each: usize,
    /// Work of routers that have been prepared.
    prepared: [Prepared; RUN + 1],
}

/// Work of a router in a window.
#[derive(Debug, Default)]
struct Prepared {
    /// Packets that could be granted.
    due: DueHeads,
    /// Packets whose way has not been decided.
    undecided: Vec<Undecided>,
    /// When the first of the others could be.
    next: u64,
}

/// A router is asked for the word that shows which of its lanes have packets; so many routers later for these lanes, and its ports; then for the
/// slots of their head packets. Then it is seen which of these can be granted when, with a look for the places that they take; and then they are.
const PORTS: usize = 4;
const HEADS: usize = 7;
const LOOK: usize = 10;
const RUN: usize = 12;

impl<'a> Routers<'a> {
    /// The routers of a part, with nothing in them, and what is requested of them while they run.
    pub(crate) fn new(
        network: &'a PacketNetwork,
        shared: &'a Shared<'a>,
        part: usize,
        Measurement { counted, requested }: Measurement<'_>,
    ) -> Self {
        let outbox = Outbox::new(network, shared, part);
        let mut state = RouterStates::new(network, shared, part, counted.from);
        let stays = requested.and_then(|requested| requested.stays.as_ref());
        state.extras.history = stays.map(|stays| Box::new(History::new(stays, network, &outbox.routers)));
        state.extras.series =
            requested.and_then(|requested| RouterSeries::new(network, &state, requested)).map(Box::new);
        let masks_each = state.masks.len().div_ceil(outbox.routers.len().max(1));
        Self {
            network,
            shared,
            outbox,
            state,
            counted,
            window: Window::default(),
            end: 0,
            awake: Vec::new(),
            masks_each,
            prepared: Default::default(),
        }
    }

    /// Begins a window: nothing happens behind its end, nor behind that of the run.
    pub(crate) fn enter(&mut self, window: Window) {
        self.window = window;
        self.end = window.end.as_ps().min(self.counted.last.saturating_add(1));
    }

    pub(crate) fn run(&mut self, sink: &mut dyn Sink) {
        if self.shared.remote.is_some() {
            self.run_remote();
        } else if self.network.services.is_some() {
            self.run_all::<Classed>(sink);
        } else if self.network.vc_turnaround.is_some() {
            self.run_all::<Held>(sink);
        } else if self.state.extras.is_none() {
            // Two is what tori need, and the default. Each number is compiled for every kind of endpoint, so there are no others.
            match self.network.vcs {
                2 => self.run_all::<Plain<2>>(sink),
                _ => self.run_all::<Plain<0>>(sink),
            }
        } else {
            self.run_all::<More>(sink);
        }
    }

    #[inline(never)]
    fn run_all<K: Kind>(&mut self, sink: &mut dyn Sink) {
        let mut awake = std::mem::take(&mut self.awake);
        let Self { network, outbox, state, window, .. } = self;
        outbox.begin(window, &mut awake, |router, output| state.unblock(network, router, output));
        let mut prepared = std::mem::take(&mut self.prepared);
        // Preparing a router depends on earlier windows only, so it may be done while others are run.
        for step in 0..awake.len() + RUN {
            let at = |before| awake.get(usize::wrapping_sub(step, before)).map(|&router| router as usize);
            if let Some(router) = at(0) {
                self.prefetch_masks(router);
            }
            if let Some(router) = at(PORTS) {
                self.prefetch_ports(router);
            }
            if let Some(router) = at(HEADS) {
                self.prefetch_heads(router);
            }
            if let Some(router) = at(LOOK) {
                let Prepared { due, undecided, next } = &mut prepared[(step - LOOK) % (RUN + 1)];
                *next = self.router::<K>(router, Stage::Look).look(due, undecided);
            }
            if let Some(router) = at(RUN) {
                let Prepared { due, undecided, next } = &mut prepared[(step - RUN) % (RUN + 1)];
                self.router::<K>(router, Stage::Run).run((due, undecided), *next, sink);
                let Self { network, outbox, state, .. } = self;
                for (router, output) in outbox.unblocked.drain(..) {
                    state.unblock(network, router, output);
                }
            }
        }
        (self.awake, self.prepared) = (awake, prepared);
        self.outbox.hand_over_all(sink);
        self.outbox.send(&self.window);
    }

    /// The first window from this one on that the routers need.
    pub(crate) fn next(&mut self, from: u64) -> Option<u64> {
        self.outbox.next(from)
    }

    /// Takes over what another processor has counted of these routers.
    pub(crate) fn take_counts(&mut self, counts: &RemoteCounts) {
        let RouterPlace { output, .. } = self.state.first;
        let outputs = counts.outputs.iter().skip(output as usize).zip(output..);
        for (port, (load, place)) in self.state.outputs.iter_mut().zip(outputs) {
            let RemoteLoad { link_free, packets, bytes, busy, waited } = *load;
            (port.link_free, port.bytes, port.busy, port.waited) = (link_free, bytes, busy, waited);
            port.packets = packets as u32;
            self.state.counts.hops += packets;
            // The count of packets has begun anew so many times.
            let router = self.network.routers.partition_point(|router| router.output <= place) - 1;
            let own = (router as u32, (place - self.network.routers[router].output) as u16);
            self.state.counts.wrapped.extend(std::iter::repeat_n(own, (packets >> u32::BITS) as usize));
        }
        let longest = counts.longest.iter().skip(self.outbox.lanes.start as usize);
        for (lane, &longest) in self.state.lanes.iter_mut().zip(longest) {
            lane.longest = longest;
        }
    }

    /// One router of this part, counted from its first, with those of its lists that a stage needs.
    #[inline(always)]
    fn router<K: Kind>(&mut self, local: usize, stage: Stage) -> Router<'_, 'a, K> {
        let position = local + self.outbox.routers.start;
        needed(&self.network.routers, position);
        let (place, after) = (self.network.routers[position], self.network.routers[position + 1]);
        let (first, vcs) = (self.state.first, K::vcs(self.network));
        let range = |place: u32, after: u32, first: u32| (place - first) as usize..(after - first) as usize;
        let masks = range(place.mask, after.mask, first.mask);
        let inputs = range(place.input, after.input, first.input);
        let outputs = range(place.output, after.output, first.output);
        let lanes = inputs.start * vcs..inputs.end * vcs;
        let of_outputs = |each: usize| outputs.start * each..outputs.end * each;
        let state = &mut self.state;
        Router {
            kind: PhantomData,
            network: self.network,
            crossbar: &self.network.crossbars[place.kind as usize],
            slots: &self.shared.slots,
            shared: self.shared,
            labels: &self.shared.labels,
            outbox: &mut self.outbox,
            masks: &mut state.masks[masks],
            lanes: &mut state.lanes[lanes.clone()],
            inputs: &mut state.inputs[inputs.clone()],
            outputs: &mut state.outputs[outputs.clone()],
            tails: &mut state.tails[of_outputs(vcs)],
            // Few machines have the one, and not all runs keep the other.
            leaves: if stage == Stage::Run {
                &mut state.leaves[of_outputs(state.leaves_each)]
            } else {
                &mut []
            },
            stalls: if stage == Stage::Run {
                state.stalls.get_mut(lanes.clone()).unwrap_or_default()
            } else {
                &mut []
            },
            counts: &mut state.counts,
            extras: &mut state.extras,
            window: &self.window,
            end: self.end,
            position: position as u32,
            place,
            first_lane: place.input * vcs as u32,
            before: Before { lanes: lanes.start, inputs: inputs.start, outputs: outputs.start },
        }
    }
}

/// Stages of the work of a router in a window.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Look,
    Run,
}

/// The places of the bits that are set, in ascending order.
#[inline(always)]
fn bits(word: u64) -> impl Iterator<Item = u32> {
    let mut left = word;
    std::iter::from_fn(move || {
        let bit = (left != 0).then(|| left.trailing_zeros());
        left &= left.wrapping_sub(1);
        bit
    })
}

impl Routers<'_> {
    /// The window in which the machine changes next; `None` if it does not.
    pub(crate) fn change_due(&self) -> Option<u64> {
        let change = self.network.change.as_ref()?;
        Some(self.network.width.number(change.at))
    }

    /// The same, if that is before the end.
    pub(crate) fn change_to_come(&self) -> Option<u64> {
        self.change_due().filter(|_| self.network.changes_at() <= self.counted.last)
    }

    /// The machine becomes another one, while there are no packets in it.
    pub(crate) fn change(&mut self) {
        self.network = self.network.changed();
        self.outbox.network = self.network;
        self.state.take_wires(self.network);
    }

    /// When the last packet has left a router, in picoseconds.
    pub(crate) fn last(&self) -> u64 {
        self.state.last().as_ps()
    }

    /// Ends a run: what the routers have counted is all that remains.
    pub(crate) fn end(self) -> RouterStates {
        self.state
    }

    /// Packets that interfaces of this part have sent, less those that its routers have handed to nodes. The sum over all parts is how
    /// many are in buffers.
    pub(crate) fn balance(&self) -> i64 {
        self.outbox.in_buffers
    }

    /// Every lane whose first packet has no credit.
    pub(crate) fn waiting(&self) -> Vec<WaitingLane> {
        let (network, slots) = (self.network, &self.shared.slots);
        let mut found = Vec::new();
        for position in self.outbox.routers.clone() {
            let (place, after) = (network.routers[position], network.routers[position + 1]);
            for mask in place.mask..after.mask {
                let Mask { waiting, blocked } = self.state.masks[(mask - self.state.first.mask) as usize];
                // Nothing moves any more: others that wait lack a virtual channel.
                let stopped = if self.state.extras.held.is_empty() { blocked } else { waiting };
                for bit in bits(stopped) {
                    let lane = place.input * network.vcs + (mask - place.mask) * 64 + bit;
                    let own = (lane - self.state.first.input * network.vcs) as usize;
                    let slot = slots.place(lane, self.state.lanes[own].head);
                    if let Slot::Free(_) = slots.state(slot) {
                        continue;
                    }
                    let packet = slots.packet(slot);
                    let nic = network.nic_of(packet, &self.shared.labels);
                    let channel = network.channels[(lane - place.input * network.vcs) as usize];
                    let hop = match &self.state.extras.ruling {
                        Some(ruling) => ruling.hop(own),
                        None => network.routing.hop(place.address, packet.address(), nic, channel),
                    };
                    let class = network.class_of_service(channel.vc, hop.class);
                    let vc = self.state.extras.held.of(own).unwrap_or(network.class_range(class).0);
                    let taken = |&slot: &u16| matches!(slots.state(slots.place(lane, slot)), Slot::Taken(_));
                    let packets = (0..slots.depth(lane) as u16).filter(taken).count() as u32;
                    let output = place.output + u32::from(hop.output);
                    found.push(WaitingLane { lane, packets, output, vc });
                }
            }
        }
        found
    }
}

impl Routers<'_> {
    /// Does something with all lanes of a router that may have something due; they are counted from the part's first.
    #[inline(always)]
    fn for_lanes_of(&self, local: usize, what: impl Fn(u32)) {
        let position = local + self.outbox.routers.start;
        let (place, after) = (self.network.routers[position], self.network.routers[position + 1]);
        let (first, vcs) = (self.state.first, self.network.vcs);
        let mut lane = (place.input - first.input) * vcs;
        let end = (after.input - first.input) * vcs;
        for mask in place.mask - first.mask..after.mask - first.mask {
            let mask = self.state.masks[mask as usize];
            let arrived = self.outbox.arrivals(lane, (end - lane).min(64));
            for bit in bits((mask.waiting | arrived) & !mask.blocked) {
                what(lane + bit);
            }
            lane += 64;
        }
    }

    #[inline(always)]
    fn prefetch_masks(&self, local: usize) {
        prefetch(&self.network.routers, local + self.outbox.routers.start);
        // A little wrong where routers have different numbers of lanes, and only slower then.
        prefetch_all(&self.state.masks, local * self.masks_each, (local + 1) * self.masks_each);
    }

    /// Asks for the lanes and ports of a router.
    #[inline(always)]
    fn prefetch_ports(&self, local: usize) {
        let position = local + self.outbox.routers.start;
        let (place, after) = (self.network.routers[position], self.network.routers[position + 1]);
        let (first, vcs, state) = (self.state.first, self.network.vcs as usize, &self.state);
        let (begin, end) = ((place.input - first.input) as usize, (after.input - first.input) as usize);
        prefetch_all(&state.inputs, begin, end);
        prefetch_all(&state.lanes, begin * vcs, end * vcs);
        if let Some(stays) = state.extras.series.as_ref().and_then(|series| series.lanes.as_ref()) {
            stays.prefetch(begin * vcs, end * vcs);
        }
        let (begin, end) = ((place.output - first.output) as usize, (after.output - first.output) as usize);
        prefetch_all(&state.outputs, begin, end);
        prefetch_all(&state.tails, begin * vcs, end * vcs);
    }

    #[inline(always)]
    fn prefetch_heads(&self, local: usize) {
        let first = self.state.first.input * self.network.vcs;
        self.for_lanes_of(local, |lane| {
            self.shared.slots.prefetch(first + lane, self.state.lanes[lane as usize].head);
            if let Some(ruling) = &self.state.extras.ruling {
                prefetch(&ruling.decided, lane as usize);
            }
        });
    }
}
