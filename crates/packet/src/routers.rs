//! The routers of one part, and what they do in a window.

mod ahead;
mod arbiter;
mod leaves;
mod post;
mod router;

use crate::machine::{Machine, Output, RouterPlace};
use crate::parts::Shared;
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

/// An input port as its router sees it.
#[derive(Clone, Copy, Debug)]
struct InputPort {
    /// When the crossbar takes the next packet from it.
    free: u64,
    /// From a place in its buffers becoming free to the sender knowing.
    credit: u64,
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
    mask: u32,
    bit: u16,
    wire: u16,
    /// The lane granted last.
    last: u16,
    /// The virtual channel used last.
    last_vc: u16,
}

impl OutputPort {
    fn new(output: &Output) -> Self {
        let &Output { to, lane, bit, wire, mask, .. } = output;
        Self {
            link_free: 0,
            available: 0,
            bytes: 0,
            busy: 0,
            waited: 0,
            packets: 0,
            to,
            lane,
            mask,
            bit,
            wire,
            last: 0,
            last_vc: 0,
        }
    }
}

/// Sixty-four lanes of a router.
#[derive(Clone, Copy, Debug, Default)]
struct Mask {
    /// Those with a packet.
    filled: u64,
    /// Of these, those without a credit.
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
    inputs: Vec<InputPort>,
    outputs: Vec<OutputPort>,
    tails: Vec<u16>,
    leaves: Vec<u64>,
    masks: Vec<Mask>,
    counts: PartCounts,
}

/// So many routers before one is run it is asked for what tells which of its lanes have packets, then for these lanes, for
/// the slots of their head packets, and for the outputs that these need; and then it is prepared.
const MASKS_AHEAD: usize = 13;
const LANES_AHEAD: usize = 9;
const HEADS_AHEAD: usize = 6;
const OUTPUTS_AHEAD: usize = 4;
const PREPARED_AHEAD: usize = 2;

impl<'a> Routers<'a> {
    pub(crate) fn new(machine: &'a Machine, shared: &'a Shared<'a>, part: usize, counted: Counted) -> Self {
        let routers = shared.routers(part);
        let (first, after) = (machine.routers[routers.start], machine.routers[routers.end]);
        let inputs = machine.inputs[first.input as usize..after.input as usize].iter();
        let outputs = machine.outputs[first.output as usize..after.output as usize].iter();
        let vcs = machine.vcs as usize;
        let state = State {
            first,
            lanes: vec![Lane { ready: NEVER, head: 0, output: 0, longest: 0, class: 0 }; inputs.len() * vcs],
            tails: vec![0; outputs.len() * vcs],
            leaves: vec![0; outputs.len() * leaves::words(machine.output_buffer as usize)],
            inputs: inputs.map(|input| InputPort { free: 0, credit: input.credit }).collect(),
            outputs: outputs.map(OutputPort::new).collect(),
            masks: vec![Mask::default(); (after.mask - first.mask) as usize],
            counts: PartCounts { from: counted.from, hops: 0, wrapped: Vec::new() },
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
        for place in 0..awake.len() + MASKS_AHEAD {
            let ahead =
                |distance| place.checked_sub(MASKS_AHEAD - distance).and_then(|place| awake.get(place));
            if let Some(&router) = ahead(MASKS_AHEAD) {
                self.ask_for_masks(router as usize);
            }
            if let Some(&router) = ahead(LANES_AHEAD) {
                self.ask_for_lanes(router as usize);
            }
            if let Some(&router) = ahead(HEADS_AHEAD) {
                self.ask_for_heads(router as usize, end);
            }
            if let Some(&router) = ahead(OUTPUTS_AHEAD) {
                self.ask_for_outputs(router as usize);
            }
            if let Some(&router) = ahead(PREPARED_AHEAD) {
                let (due, next) = &mut prepared[place % (PREPARED_AHEAD + 1)];
                *next = self.router(router as usize).prepare(end, due);
            }
            if let Some(&router) = ahead(0) {
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
        let leaves = match self.machine.output_buffer {
            0..=2 => &mut [],
            more => &mut state.leaves[outputs.start * leaves::words(more as usize)..],
        };
        Router {
            machine: self.machine,
            slots: &self.shared.slots,
            post: &mut self.post,
            counts: &mut state.counts,
            number: number as u32,
            first_lane: place.input * self.machine.vcs,
            lanes: &mut state.lanes[inputs.start * vcs..inputs.end * vcs],
            inputs: &mut state.inputs[inputs],
            tails: &mut state.tails[outputs.start * vcs..outputs.end * vcs],
            leaves,
            outputs: &mut state.outputs[outputs],
            first_mask: masks.start,
            masks: &mut state.masks[masks],
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
    pub(crate) fn hops(&self) -> u64 {
        self.state.counts.hops
    }

    /// By output, numbered as in the machine: what its link has carried.
    pub(crate) fn carried(&self) -> impl Iterator<Item = (usize, Carried)> + '_ {
        let first = self.state.first.output as usize;
        let ports = self.state.outputs.iter().enumerate().map(move |(place, port)| {
            let &OutputPort { packets, bytes, busy, waited, .. } = port;
            (first + place, Carried { packets: packets.into(), bytes, busy, waited })
        });
        let wrapped = self.state.counts.wrapped.iter().map(|&(router, output)| {
            let place = self.machine.routers[router as usize].output as usize + usize::from(output);
            (place, Carried { packets: 1 << 32, ..Carried::default() })
        });
        ports.chain(wrapped)
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
        self.state.masks.iter().any(|mask| mask.filled != 0)
    }

    /// Tells of every lane whose first packet has no credit: its number, the output it needs, and the first virtual channel
    /// of its class there.
    pub(crate) fn waiting(&mut self, mut tell: impl FnMut(u32, u32, u32)) {
        let routers: Range<usize> = self.post.routers.clone();
        let machine = self.machine;
        for local in 0..routers.len() {
            let first_output = machine.routers[routers.start + local].output;
            let router = self.router(local);
            for (word, mask) in router.masks.iter().enumerate() {
                for bit in bits(mask.blocked) {
                    let lane = word * 64 + bit as usize;
                    let Lane { output, class, .. } = router.lanes[lane];
                    let number = router.first_lane + lane as u32;
                    tell(number, first_output + u32::from(output), machine.class_range(class).0);
                }
            }
        }
    }
}
