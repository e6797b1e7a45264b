//! The routers of one part, and what they do in a window.

mod ahead;
mod arbiter;
mod leaves;
mod post;
mod router;

use crate::labels::Label;
use crate::machine::{Machine, Output, RouterPlace, Sender};
use crate::parts::Shared;
use crate::prefetch::prefetch;
use post::Ejected;
pub(crate) use post::{Call, Entry, Post};
use router::{Due, Router};
use weir_pdes::Window;
use weir_units::{NodeId, Time};

/// A packet that will have arrived at its node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivery {
    pub(crate) node: NodeId,
    pub(crate) label: Label,
    /// When its tail is there, in picoseconds: not in the window in which this is known.
    pub(crate) at: u64,
}

/// Whoever takes deliveries.
pub(crate) trait Sink {
    fn deliver(&mut self, delivery: Delivery);

    /// An interface that lacks a credit has one in a window after this one. It is named by its number in the machine.
    fn credit(&mut self, nic: u32, window: u64);
}

/// The instant that never comes.
const NEVER: u64 = u64::MAX;

/// One virtual channel of an input port, as its router sees it.
#[derive(Clone, Copy, Debug)]
struct Lane {
    /// The slot of the head packet.
    head: u16,
    /// The most packets that have waited here at a grant.
    longest: u16,
    /// The output that the head packet needs, while it has no credit.
    output: u16,
    /// Whether the sender is in another part.
    between_threads: bool,
}

/// An output port as its router sees it: all that a grant needs, in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct OutputPort {
    /// When its link has sent all that was granted.
    link_free: u64,
    /// When the crossbar and the output buffer take the next packet.
    available: u64,
    /// What its link has carried, see [`Carried`].
    bytes: u64,
    busy: u64,
    waited: u64,
    packets: u32,
    /// Where it leads, see [`Output`].
    to: u32,
    lane: u32,
    wire: u16,
    /// The lane granted last.
    last: u16,
    /// The virtual channel used last.
    last_vc: u16,
}

impl OutputPort {
    fn new(output: &Output) -> Self {
        let &Output { to, lane, wire, .. } = output;
        Self {
            link_free: 0,
            available: 0,
            bytes: 0,
            busy: 0,
            waited: 0,
            packets: 0,
            to,
            lane,
            wire,
            last: 0,
            last_vc: 0,
        }
    }
}

/// Sixty-four lanes of a router.
#[derive(Clone, Copy, Debug, Default)]
struct Mask {
    /// Those with a packet that is eligible, and perhaps others.
    waiting: u64,
    /// Of these, those without a credit: nothing to do until the output gets one.
    blocked: u64,
}

/// What a part counts.
#[derive(Clone, Debug)]
struct PartCounts {
    /// What links carry is counted from this instant on.
    from: u64,
    /// Packet-hops, all of them.
    hops: u64,
    /// Routers and their outputs whose count of packets has begun again, after 2^32 of them.
    wrapped: Vec<(u32, u16)>,
}

/// What is counted of a link.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Carried {
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
    /// Held by packets, in picoseconds.
    pub(crate) busy: u64,
    /// From eligible to granted, all packets together, in picoseconds.
    pub(crate) waited: u64,
}

/// Which instants count, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    /// What links carry is counted from here on.
    pub(crate) from: u64,
    /// The last instant at which anything happens.
    pub(crate) last: u64,
}

impl Counted {
    /// Everything up to and with this instant.
    pub(crate) fn until(last: weir_units::Time) -> Self {
        Self { from: 0, last: last.as_ps() }
    }
}

/// The routers of one part.
pub(crate) struct Routers<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) shared: &'a Shared<'a>,
    /// What goes out of a router.
    pub(crate) post: Post<'a>,
    state: RouterStates,
    counted: Counted,
    awake: Vec<u32>,
    /// What routers have to do that have been prepared.
    prepared: [Prepared; RUN + 1],
}

/// What a router has to do in a window.
#[derive(Debug, Default)]
struct Prepared {
    /// Packets that could be granted.
    due: Vec<Due>,
    /// When the first of the others could be.
    next: u64,
}

/// What routers know of themselves; each has its own part of every list.
pub(crate) struct RouterStates {
    /// The place of the part's first router in the machine's lists.
    first: RouterPlace,
    lanes: Vec<Lane>,
    /// By lane: before this instant its head packet is not granted, because another one was there before. Empty if a
    /// router needs no time between them.
    turned: Vec<u64>,
    /// By input port: when the crossbar takes the next packet from it.
    inputs: Vec<u64>,
    outputs: Vec<OutputPort>,
    /// By output and virtual channel: the place in the ring that is filled next.
    tails: Vec<u16>,
    /// By output, see [`leaves`].
    leaves: Vec<u64>,
    masks: Vec<Mask>,
    counts: PartCounts,
}

/// Steps before a router is run, in routers: it is asked for what tells which of its lanes have packets, then for these
/// lanes, then for the slots of their head packets. Then these are collected, with a look for what they need, and then it
/// is seen which can be granted when.
const LANES: usize = 4;
const HEADS: usize = 7;
const COLLECT: usize = 10;
const AIM: usize = 12;
const RUN: usize = 14;

impl<'a> Routers<'a> {
    pub(crate) fn new(machine: &'a Machine, shared: &'a Shared<'a>, part: usize, counted: Counted) -> Self {
        let routers = shared.routers(part);
        let (first, after) = (machine.routers[routers.start], machine.routers[routers.end]);
        let inputs = &machine.inputs[first.input as usize..after.input as usize];
        let outputs = machine.outputs[first.output as usize..after.output as usize].iter();
        let vcs = machine.vcs as usize;
        let post = Post::new(machine, shared, part);
        let mut lanes = Vec::with_capacity(inputs.len() * vcs);
        for input in inputs {
            let between_threads = match input.from {
                Sender::Router(router, _) => !post.is_own(router),
                Sender::Nic(nic) => shared.home(machine.node_of(nic)) != part,
                Sender::Nobody => false,
            };
            let lane = Lane { head: 0, longest: 0, output: 0, between_threads };
            lanes.resize(lanes.len() + vcs, lane);
        }
        let state = RouterStates {
            first,
            turned: if machine.turnaround == 0 { Vec::new() } else { vec![0; lanes.len()] },
            lanes,
            tails: vec![0; outputs.len() * vcs],
            leaves: vec![0; outputs.len() * leaves::words(machine.output_buffer as usize)],
            inputs: vec![0; inputs.len()],
            outputs: outputs.map(OutputPort::new).collect(),
            masks: vec![Mask::default(); (after.mask - first.mask) as usize],
            counts: PartCounts { from: counted.from, hops: 0, wrapped: Vec::new() },
        };
        Self { machine, shared, post, state, counted, awake: Vec::new(), prepared: Default::default() }
    }

    /// Runs all routers that are awake in a window.
    pub(crate) fn run(&mut self, window: &Window, sink: &mut impl Sink) {
        let end = window.end.as_ps().min(self.counted.last.saturating_add(1));
        let mut awake = std::mem::take(&mut self.awake);
        let Self { machine, post, state, .. } = self;
        post.begin(window, &mut awake, |router, output| state.unblock(machine, router, output));
        let mut prepared = std::mem::take(&mut self.prepared);
        // Preparing a router depends on earlier windows only, so it may be done while others are run.
        for step in 0..awake.len() + RUN {
            let at = |before| awake.get(usize::wrapping_sub(step, before)).map(|&router| router as usize);
            if let Some(router) = at(0) {
                self.ask_for_masks(router);
            }
            if let Some(router) = at(LANES) {
                self.ask_for_lanes(router);
            }
            if let Some(router) = at(HEADS) {
                self.ask_for_heads(router);
            }
            if let Some(router) = at(COLLECT) {
                let place = (step - COLLECT) % (RUN + 1);
                self.router(router).collect(window, &mut prepared[place].due);
            }
            if let Some(router) = at(AIM) {
                let Prepared { due, next } = &mut prepared[(step - AIM) % (RUN + 1)];
                *next = self.router(router).aim(window, end, due);
            }
            if let Some(router) = at(RUN) {
                let Prepared { due, next } = &mut prepared[(step - RUN) % (RUN + 1)];
                self.router(router).run(window, end, due, *next, sink);
            }
        }
        (self.awake, self.prepared) = (awake, prepared);
        self.post.hand_over_all(sink);
        self.post.send(window);
    }

    /// The first window from this one on that the routers need.
    pub(crate) fn next(&mut self, from: u64) -> Option<u64> {
        self.post.next(from)
    }

    /// One router of this part, counted from its first.
    #[inline(always)]
    fn router(&mut self, local: usize) -> Router<'_, 'a> {
        let number = local + self.post.routers.start;
        let (place, after) = (self.machine.routers[number], self.machine.routers[number + 1]);
        let (first, vcs) = (self.state.first, self.machine.vcs);
        Router {
            machine: self.machine,
            slots: &self.shared.slots,
            labels: &self.shared.labels,
            post: &mut self.post,
            number: number as u32,
            first_lane: place.input * vcs,
            lanes: (place.input - first.input) * vcs,
            lane_count: (after.input - place.input) * vcs,
            inputs: place.input - first.input,
            outputs: place.output - first.output,
            masks: place.mask - first.mask,
            state: &mut self.state,
        }
    }
}

impl RouterStates {
    /// Asks for an output, and for the places that it fills next.
    #[inline(always)]
    fn ask_for_output(&self, output: usize, vcs: u32) {
        prefetch(&self.outputs, output);
        prefetch(&self.tails, output * vcs as usize);
    }

    /// An output of a router of this part will have a credit: the packets that need one are looked at again.
    fn unblock(&mut self, machine: &Machine, router: u32, output: u16) {
        let place = machine.routers[router as usize];
        let lanes = ((place.input - self.first.input) * machine.vcs) as usize;
        let masks =
            (place.mask - self.first.mask)..(machine.routers[router as usize + 1].mask - self.first.mask);
        for (word, mask) in masks.enumerate() {
            let blocked = &mut self.masks[mask as usize].blocked;
            for bit in bits(*blocked) {
                if self.lanes[lanes + word * 64 + bit as usize].output == output {
                    *blocked &= !(1 << bit);
                }
            }
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

impl RouterStates {
    pub(crate) fn hops(&self) -> u64 {
        self.counts.hops
    }

    /// When the last packet has left a router.
    pub(crate) fn last(&self) -> Time {
        Time::from_ps(self.outputs.iter().map(|port| port.link_free).max().unwrap_or(0))
    }

    /// By output, numbered as in the machine: what its link has carried.
    pub(crate) fn carried(&self, machine: &Machine) -> impl Iterator<Item = (usize, Carried)> {
        let first = self.first.output as usize;
        let ports = self.outputs.iter().enumerate().map(move |(place, port)| {
            let &OutputPort { packets, bytes, busy, waited, .. } = port;
            (first + place, Carried { packets: packets.into(), bytes, busy, waited })
        });
        let wrapped = self.counts.wrapped.iter().map(|&(router, output)| {
            let place = machine.routers[router as usize].output as usize + usize::from(output);
            (place, Carried { packets: 1 << 32, ..Carried::default() })
        });
        ports.chain(wrapped)
    }

    /// By input, numbered as in the machine: the longest queue in one of its virtual channels.
    pub(crate) fn longest_queues(&self, machine: &Machine) -> impl Iterator<Item = (usize, u32)> {
        let first = self.first.input as usize;
        let inputs = self.lanes.chunks(machine.vcs as usize).enumerate();
        inputs.map(move |(place, lanes)| {
            (first + place, lanes.iter().map(|lane| u32::from(lane.longest)).max().unwrap_or(0))
        })
    }
}

impl Routers<'_> {
    /// Ends a run: what the routers have counted is all that is left.
    pub(crate) fn end(self) -> RouterStates {
        self.state
    }

    /// Packets put into buffers of any part, less those taken from buffers of this one. The sum over all parts is how many
    /// are in buffers.
    pub(crate) fn balance(&self) -> i64 {
        self.post.puts.wrapping_sub(self.state.counts.hops) as i64
    }

    /// Tells of every lane whose first packet has no credit: its number, the output it needs, and the first virtual channel
    /// of its class there.
    pub(crate) fn waiting(&self, mut tell: impl FnMut(u32, u32, u32)) {
        let machine = self.machine;
        for number in self.post.routers.clone() {
            let (place, after) = (machine.routers[number], machine.routers[number + 1]);
            for mask in place.mask..after.mask {
                for bit in bits(self.state.masks[(mask - self.state.first.mask) as usize].blocked) {
                    let lane = place.input * machine.vcs + (mask - place.mask) * 64 + bit;
                    let head = self.state.lanes[(lane - self.state.first.input * machine.vcs) as usize].head;
                    let packet = self.shared.slots.packet(self.shared.slots.place(lane, head));
                    let nic = machine.nic_of(packet, &self.shared.labels);
                    let hop = machine.routing.hop(number as u32, packet.address(), nic);
                    tell(lane, place.output + u32::from(hop.output), machine.class_range(hop.class).0);
                }
            }
        }
    }
}
