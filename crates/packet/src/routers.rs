//! The routers of one part, and what they do in a window.

mod allocation;
mod announcing;
mod arbiter;
mod kept;
mod limits;
mod outbox;
mod router;
mod ruling;
mod saved;
mod series;
mod serving;
mod states;
mod turns;
mod waiting;

use crate::crossing::Sink;
use crate::network::PacketNetwork;
use crate::prefetch::{needed, prefetch, prefetch_all};
use crate::shared::Shared;
use crate::slots::Slot;
use crate::stuck::WaitingLane;
use kept::History;
pub(crate) use limits::NodeLimits;
pub(crate) use outbox::{Entry, Outbox};
use router::{Due, Router};
use ruling::Undecided;
use series::RouterSeries;
use states::Mask;
pub(crate) use states::RouterStates;
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
    due: Vec<Due>,
    /// Packets whose way has not been decided.
    undecided: Vec<Undecided>,
    /// When the first of the others could be.
    next: u64,
}

/// A router is asked for the word that shows which of its lanes have packets; so many routers later for these lanes, then for the
/// slots of their head packets. Then these are collected, with a look for what they need; then it is seen which can be
/// granted when; and then they are.
const LANES: usize = 4;
const HEADS: usize = 7;
const COLLECT: usize = 10;
const AIM: usize = 12;
const RUN: usize = 14;

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
        state.history = stays.map(|stays| Box::new(History::new(stays, network, &outbox.routers)));
        state.series =
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

    pub(crate) fn run(&mut self, sink: &mut impl Sink) {
        if self.network.services.is_some() {
            self.run_all::<false, true>(sink);
        } else if self.network.vc_turnaround.is_some() {
            self.run_all::<true, false>(sink);
        } else {
            self.run_all::<false, false>(sink);
        }
    }

    /// `HELD`: packets take virtual channels before the crossbar. `CLASSED`: there are service classes.
    fn run_all<const HELD: bool, const CLASSED: bool>(&mut self, sink: &mut impl Sink) {
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
            if let Some(router) = at(LANES) {
                self.prefetch_lanes(router);
            }
            if let Some(router) = at(HEADS) {
                self.prefetch_heads(router);
            }
            if let Some(router) = at(COLLECT) {
                let place = (step - COLLECT) % (RUN + 1);
                let Prepared { due, undecided, .. } = &mut prepared[place];
                self.router::<HELD, CLASSED>(router).collect(due, undecided);
            }
            if let Some(router) = at(AIM) {
                let Prepared { due, next, .. } = &mut prepared[(step - AIM) % (RUN + 1)];
                *next = self.router::<HELD, CLASSED>(router).aim(due);
            }
            if let Some(router) = at(RUN) {
                let Prepared { due, undecided, next } = &mut prepared[(step - RUN) % (RUN + 1)];
                self.router::<HELD, CLASSED>(router).run((due, undecided), *next, sink);
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

    /// One router of this part, counted from its first.
    #[inline(always)]
    fn router<const HELD: bool, const CLASSED: bool>(
        &mut self,
        local: usize,
    ) -> Router<'_, 'a, HELD, CLASSED> {
        let position = local + self.outbox.routers.start;
        needed(&self.network.routers, position);
        let (place, after) = (self.network.routers[position], self.network.routers[position + 1]);
        let (first, vcs) = (self.state.first, self.network.vcs);
        Router {
            network: self.network,
            crossbar: &self.network.crossbars[place.kind as usize],
            slots: &self.shared.slots,
            shared: self.shared,
            labels: &self.shared.labels,
            outbox: &mut self.outbox,
            position: position as u32,
            address: place.address,
            first_lane: place.input * vcs,
            lanes: (place.input - first.input) * vcs,
            lane_count: (after.input - place.input) * vcs,
            inputs: place.input - first.input,
            outputs: place.output - first.output,
            outputs_end: after.output - first.output,
            masks: place.mask - first.mask,
            state: &mut self.state,
            window: &self.window,
            end: self.end,
        }
    }
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

    /// Packets put into buffers of any part, less those taken from buffers of this one. The sum over all parts is how many
    /// are in buffers.
    pub(crate) fn balance(&self) -> i64 {
        self.outbox.puts.wrapping_sub(self.state.counts.hops) as i64
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
                let stopped = if self.state.held.is_empty() { blocked } else { waiting };
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
                    let hop = match &self.state.ruling {
                        Some(ruling) => ruling.hop(own),
                        None => network.routing.hop(place.address, packet.address(), nic, channel),
                    };
                    let class = network.class_of_service(channel.vc, hop.class);
                    let vc = self.state.held.of(own).unwrap_or(network.class_range(class).0);
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

    #[inline(always)]
    fn prefetch_lanes(&self, local: usize) {
        let position = local + self.outbox.routers.start;
        let (place, after) = (self.network.routers[position], self.network.routers[position + 1]);
        let (first, vcs) = (self.state.first.input, self.network.vcs);
        let (begin, end) = ((place.input - first) as usize, (after.input - first) as usize);
        prefetch_all(&self.state.inputs, begin, end);
        prefetch_all(&self.state.lanes, begin * vcs as usize, end * vcs as usize);
        if let Some(stays) = self.state.series.as_ref().and_then(|series| series.lanes.as_ref()) {
            stays.prefetch(begin * vcs as usize, end * vcs as usize);
        }
    }

    #[inline(always)]
    fn prefetch_heads(&self, local: usize) {
        let first = self.state.first.input * self.network.vcs;
        self.for_lanes_of(local, |lane| {
            self.shared.slots.prefetch(first + lane, self.state.lanes[lane as usize].head);
            if let Some(ruling) = &self.state.ruling {
                prefetch(&ruling.decided, lane as usize);
            }
        });
    }
}
