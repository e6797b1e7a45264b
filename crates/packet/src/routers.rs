//! The routers of one part, and what they do in a window.

mod arbiter;
mod post;
mod router;

use crate::machine::{Machine, RouterPlace};
use crate::parts::Shared;
use crate::prefetch::prefetch;
use crate::slots::Packet;
pub(crate) use post::{Entry, Post};
use router::{Due, Router};
use std::ops::Range;
use std::sync::atomic::Ordering;
use weir_pdes::Window;
use weir_units::NodeId;

/// A packet that will have arrived at its node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivery {
    pub(crate) node: NodeId,
    pub(crate) packet: Packet,
    /// When its tail is there, in picoseconds: not in the window in which this is known.
    pub(crate) at: u64,
}

/// Whoever takes deliveries.
pub(crate) trait Sink {
    fn deliver(&mut self, delivery: Delivery);
}

/// The instant that never comes.
const NEVER: u64 = u64::MAX;

/// One virtual channel of an input port, as its router sees it.
#[derive(Clone, Copy, Debug)]
struct Lane {
    /// Before this its head packet cannot be granted, as far as is known; [`NEVER`] without a packet, or without a credit.
    ready: u64,
    /// The slot of the head packet.
    head: u16,
    /// Where the head packet goes.
    output: u16,
    /// The most packets that have waited here at a grant.
    longest: u16,
    class: u8,
}

/// An output port as its router sees it.
#[derive(Clone, Copy, Debug, Default)]
struct Port {
    /// When its link has sent all that was granted.
    link_free: u64,
    /// When the crossbar and the output buffer take the next packet.
    available: u64,
    /// When the packet before the last one leaves; with larger output buffers in `leaves`.
    leaves: u64,
    /// The lane granted last.
    last: u16,
    /// The virtual channel used last.
    last_vc: u16,
    /// Which of `leaves` is the oldest.
    oldest: u16,
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
    pub(crate) shared: &'a Shared,
    /// What goes out of a router.
    pub(crate) post: Post<'a>,
    state: State,
    counted: Counted,
    /// Routers with lanes that have no credit.
    retry: Vec<u32>,
    awake: Vec<u32>,
    /// Lanes that are due, of routers that have been prepared, and when others will be.
    prepared: [(Vec<Due>, u64); PREPARED_AHEAD + 1],
}

/// What routers know of themselves; each has its own part of every list.
struct State {
    /// The place of the part's first router in the machine's lists.
    first: RouterPlace,
    lanes: Vec<Lane>,
    /// By input port: when the crossbar takes the next packet from it.
    input_free: Vec<u64>,
    ports: Vec<Port>,
    carried: Vec<Carried>,
    /// By output and virtual channel: the sender's place in the ring.
    tails: Vec<u16>,
    /// By output: when the packets before the last one leave, a ring of `output_buffer - 1`, if that is more than one.
    leaves: Vec<u64>,
    /// How many for each output.
    more_leaves: usize,
    /// By mask word: lanes with a packet; of these, those without a credit.
    filled: Vec<u64>,
    blocked: Vec<u64>,
    /// Packet-hops.
    hops: u64,
}

/// So many routers before one is run its state is asked for, then the slots of its head packets, and then what it will need
/// to grant them.
const STATE_AHEAD: usize = 9;
const HEADS_AHEAD: usize = 5;
const PREPARED_AHEAD: usize = 2;

impl<'a> Routers<'a> {
    pub(crate) fn new(machine: &'a Machine, shared: &'a Shared, part: usize, counted: Counted) -> Self {
        let routers = shared.routers(part);
        let (first, after) = (machine.routers[routers.start], machine.routers[routers.end]);
        let inputs = (after.input - first.input) as usize;
        let outputs = (after.output - first.output) as usize;
        let masks = (after.mask - first.mask) as usize;
        let vcs = machine.vcs as usize;
        let more_leaves = match machine.output_buffer as usize - 1 {
            0 | 1 => 0,
            others => others,
        };
        let state = State {
            first,
            lanes: vec![Lane { ready: NEVER, head: 0, output: 0, longest: 0, class: 0 }; inputs * vcs],
            input_free: vec![0; inputs],
            ports: vec![Port::default(); outputs],
            carried: vec![Carried::default(); outputs],
            tails: vec![0; outputs * vcs],
            leaves: vec![0; outputs * more_leaves],
            more_leaves,
            filled: vec![0; masks],
            blocked: vec![0; masks],
            hops: 0,
        };
        let post = Post::new(machine, shared, part);
        Self {
            machine,
            shared,
            post,
            state,
            counted,
            retry: Vec::new(),
            awake: Vec::new(),
            prepared: Default::default(),
        }
    }

    /// Runs all routers that are awake in a window: those with something due, and those that lacked a credit.
    pub(crate) fn run(&mut self, window: &Window, sink: &mut impl Sink) {
        let end = window.end.as_ps().min(self.counted.last.saturating_add(1));
        let mut awake = std::mem::take(&mut self.awake);
        self.post.begin(window, &mut self.retry, &mut awake);
        let mut prepared = std::mem::take(&mut self.prepared);
        // Preparing a router depends on earlier windows only, so it may be done while others are run.
        for place in 0..awake.len() + STATE_AHEAD {
            if let Some(&router) = awake.get(place) {
                self.ask_for_state(router as usize);
            }
            if let Some(&router) = at_distance(&awake, place, STATE_AHEAD - HEADS_AHEAD) {
                self.ask_for_heads(router as usize, end);
            }
            if let Some(&router) = at_distance(&awake, place, STATE_AHEAD - PREPARED_AHEAD) {
                let (due, next) = &mut prepared[place % (PREPARED_AHEAD + 1)];
                *next = self.router(router as usize).prepare(end, due);
            }
            if let Some(&router) = at_distance(&awake, place, STATE_AHEAD) {
                let (due, next) = &mut prepared[(place + 1) % (PREPARED_AHEAD + 1)];
                let blocked = self.router(router as usize).run(window, end, due, *next, sink);
                if blocked {
                    self.retry.push(router);
                }
            }
        }
        (self.awake, self.prepared) = (awake, prepared);
        self.post.send(window);
    }

    /// The first window from this one on that the routers need.
    pub(crate) fn next(&mut self, from: u64) -> Option<u64> {
        self.post.next(from)
    }

    /// One router of this part, counted from its first.
    #[inline]
    fn router(&mut self, local: usize) -> Router<'_, 'a> {
        let number = local + self.post.routers.start;
        let (place, after) = (self.machine.routers[number], self.machine.routers[number + 1]);
        let state = &mut self.state;
        let vcs = self.machine.vcs as usize;
        let inputs = (place.input - state.first.input) as usize..(after.input - state.first.input) as usize;
        let outputs =
            (place.output - state.first.output) as usize..(after.output - state.first.output) as usize;
        let masks = (place.mask - state.first.mask) as usize..(after.mask - state.first.mask) as usize;
        let more_leaves = state.more_leaves;
        Router {
            machine: self.machine,
            shared: self.shared,
            post: &mut self.post,
            count_from: self.counted.from,
            number: number as u32,
            first_lane: place.input * self.machine.vcs,
            links: &self.machine.outputs[place.output as usize..after.output as usize],
            sources: &self.machine.inputs[place.input as usize..after.input as usize],
            lanes: &mut state.lanes[inputs.start * vcs..inputs.end * vcs],
            input_free: &mut state.input_free[inputs],
            ports: &mut state.ports[outputs.clone()],
            carried: &mut state.carried[outputs.clone()],
            tails: &mut state.tails[outputs.start * vcs..outputs.end * vcs],
            leaves: &mut state.leaves[outputs.start * more_leaves..outputs.end * more_leaves],
            filled: &mut state.filled[masks.clone()],
            blocked: &mut state.blocked[masks.clone()],
            masks,
            hops: &mut state.hops,
        }
    }

    #[inline]
    fn ask_for_state(&self, local: usize) {
        let number = local + self.post.routers.start;
        let (place, after) = (self.machine.routers[number], self.machine.routers[number + 1]);
        let (state, vcs) = (&self.state, self.machine.vcs as usize);
        let (input, inputs) =
            ((place.input - state.first.input) as usize, (after.input - place.input) as usize);
        let (output, outputs) =
            ((place.output - state.first.output) as usize, (after.output - place.output) as usize);
        ask_for(&state.lanes, input * vcs, inputs * vcs);
        ask_for(&state.input_free, input, inputs);
        ask_for(&state.ports, output, outputs);
        ask_for(&state.tails, output * vcs, outputs * vcs);
        ask_for(&self.machine.outputs, place.output as usize, outputs);
        ask_for(&self.machine.inputs, place.input as usize, inputs);
        ask_for(&state.carried, output, outputs);
    }

    #[inline]
    fn ask_for_heads(&self, local: usize, end: u64) {
        let number = local + self.post.routers.start;
        let (place, after) = (self.machine.routers[number], self.machine.routers[number + 1]);
        let (state, vcs) = (&self.state, self.machine.vcs);
        let first_lane = (place.input - state.first.input) * vcs;
        for mask in place.mask..after.mask {
            let word = (mask - state.first.mask) as usize;
            let news = self.post.news(word) & !state.filled[word];
            for bit in bits(state.filled[word] | news) {
                let lane = first_lane + (mask - place.mask) * 64 + bit;
                let Lane { head, ready, .. } = state.lanes[lane as usize];
                if ready < end || news >> bit & 1 == 1 {
                    self.shared.slots.ask_for(lane + state.first.input * vcs, head, 2);
                }
            }
        }
    }
}

/// The element so many places before this one.
fn at_distance(list: &[u32], place: usize, distance: usize) -> Option<&u32> {
    list.get(place.checked_sub(distance)?)
}

/// Asks for every cache line of some elements of a list.
#[inline(always)]
fn ask_for<T>(list: &[T], first: usize, count: usize) {
    let step = (64 / size_of::<T>()).max(1);
    let mut place = first;
    while place < first + count {
        prefetch(list, place);
        place += step;
    }
    prefetch(list, first + count - 1);
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
    pub(crate) fn hops(&self) -> u64 {
        self.state.hops
    }

    /// By output, numbered as in the machine: what its link has carried.
    pub(crate) fn carried(&self) -> impl Iterator<Item = (usize, Carried)> + '_ {
        let first = self.state.first.output as usize;
        self.state.carried.iter().enumerate().map(move |(place, &carried)| (first + place, carried))
    }

    /// By input, numbered as in the machine: the longest queue in one of its virtual channels.
    pub(crate) fn longest_queues(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let first = self.state.first.input as usize;
        let inputs = self.state.lanes.chunks(self.machine.vcs as usize).enumerate();
        inputs.map(move |(place, lanes)| {
            (first + place, lanes.iter().map(|lane| u32::from(lane.longest)).max().unwrap_or(0))
        })
    }

    /// Whether any packet is in a buffer.
    pub(crate) fn has_packets(&self) -> bool {
        self.state.filled.iter().any(|&word| word != 0)
    }

    /// Tells of every lane whose first packet has no credit: its number, the output it needs, and the first virtual channel
    /// of its class there.
    pub(crate) fn waiting(&mut self, mut tell: impl FnMut(u32, u32, u32)) {
        let routers: Range<usize> = self.post.routers.clone();
        let machine = self.machine;
        for local in 0..routers.len() {
            let first_output = machine.routers[routers.start + local].output;
            let router = self.router(local);
            for (word, &blocked) in router.blocked.iter().enumerate() {
                for bit in bits(blocked) {
                    let lane = word * 64 + bit as usize;
                    let Lane { output, class, .. } = router.lanes[lane];
                    let number = router.first_lane + lane as u32;
                    tell(number, first_output + u32::from(output), machine.class_range(class).0);
                }
            }
        }
    }
}
