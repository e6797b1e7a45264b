//! State of the routers of a part from one window to the next.

use super::bits;
use super::kept::{HeldChannels, History};
use super::limits::Gates;
use super::ruling::Ruling;
use super::series::RouterSeries;
use super::turns::Turns;
use super::waiting::RouterWaits;
use crate::counts::Counts;
use crate::labels::Stall;
use crate::network::check::BYTES_PER_OUTPUT;
use crate::network::{Input, Output, PacketNetwork, RouterPlace, Sender};
use crate::routing::Hop;
use crate::shared::Shared;
use crate::slots::{Slot, Slots};
use serde::{Deserialize, Serialize};
use weir_units::{Duration, LinkId, Time};

/// One virtual channel of an input port, as its router sees it.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Lane {
    /// The slot of the head packet.
    pub(super) head: u16,
    /// The most packets that have waited here at a grant.
    pub(super) longest: u16,
    /// The next step of the head packet, once it is known.
    #[serde(skip)]
    pub(super) needs: Needs,
    /// Since when it waits, for arbiters by which packets go in turn; its head packet itself may have come later. When a packet of its class
    /// has gone by its port to the output that its head packet needs.
    pub(super) turn: u64,
    /// When a packet has gone from it.
    pub(super) granted: u64,
}

/// The next step of a packet, and where the sender of its lane is, in one word: lanes of a port with the same word need the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needs(u32);

impl Needs {
    /// No output of a router has this number.
    const NO_OUTPUT: u32 = u16::MAX as u32;

    fn nothing(from: From) -> Self {
        Self(Self::NO_OUTPUT << 16 | from as u32)
    }

    #[inline(always)]
    pub(super) fn set(&mut self, hop: Hop) {
        self.0 = u32::from(hop.output) << 16 | u32::from(hop.class) << 8 | self.0 & 0xff;
    }

    /// The packet has gone.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.0 |= Self::NO_OUTPUT << 16;
    }

    pub(super) fn output(self) -> u32 {
        self.0 >> 16
    }

    #[inline(always)]
    pub(super) fn from(self) -> From {
        match self.0 & 0xff {
            0 => From::Here,
            1 => From::Thread,
            _ => From::Process,
        }
    }
}

impl Default for Needs {
    fn default() -> Self {
        Self::nothing(From::Here)
    }
}

/// Where the sender of an input port is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum From {
    /// In the same part.
    #[default]
    Here,
    /// In another part of the same process.
    Thread,
    /// In another process.
    Process,
}

/// An output port as its router sees it: all that a grant needs, in one cache line.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[repr(align(64))]
pub(super) struct OutputPort {
    /// When its link has sent all that was granted.
    pub(super) link_free: u64,
    /// When the crossbar and the output buffer take the next packet.
    pub(super) available: u64,
    /// Load of its link, see [`LinkCounts`](crate::LinkCounts): bytes, and picoseconds.
    pub(super) bytes: u64,
    pub(super) busy: u64,
    pub(super) waited: u64,
    pub(super) packets: u32,
    /// Where it leads, see [`Output`].
    pub(super) to: u32,
    pub(super) lane: u32,
    pub(super) wire: u32,
    /// The virtual channel used last.
    pub(super) last_vc: u16,
}

impl OutputPort {
    /// Counts a packet that keeps the link for so long and has waited for so long; whether the count of packets begins anew.
    #[inline(always)]
    pub(super) fn count(&mut self, bytes: u32, busy: u64, waited: u64) -> bool {
        self.bytes += u64::from(bytes);
        self.busy += busy;
        self.waited += waited;
        self.packets = self.packets.wrapping_add(1);
        self.packets == 0
    }
}

const _: () = assert!(size_of::<OutputPort>() == BYTES_PER_OUTPUT);

impl OutputPort {
    fn new(output: &Output) -> Self {
        let &Output { to, lane, wire, .. } = output;
        Self { to, lane, wire, ..Self::default() }
    }
}

/// Sixty-four lanes of a router.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mask {
    /// Those with a packet that is eligible, and perhaps others.
    pub(super) waiting: u64,
    /// Those of them without a credit: nothing to do until the output gets one.
    pub(super) blocked: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PartCounts {
    /// Loads of links are counted from this instant on.
    pub(super) from: u64,
    /// Packet-hops, all of them.
    pub(super) hops: u64,
    /// Positions of routers, and their outputs, whose count of packets has begun again, after 2^32 of them.
    pub(super) wrapped: Vec<(u32, u16)>,
}

/// State of routers; each has its own part of every list. A checkpoint does not keep when a router has something to do: where a run goes
/// on, all routers with packets look at them in the first window, as after any credit.
#[derive(Serialize, Deserialize)]
pub(crate) struct RouterStates {
    /// The place of the part's first router in the machine's lists.
    pub(super) first: RouterPlace,
    pub(super) lanes: Vec<Lane>,
    /// By lane: whether its head packet stalls. Empty if that is not kept.
    pub(super) stalls: Vec<Stall>,
    /// By input port: when the crossbar takes the next packet from it.
    pub(super) inputs: Vec<u64>,
    pub(super) outputs: Vec<OutputPort>,
    /// By output and virtual channel: the place in the ring that is filled next.
    pub(super) tails: Vec<u16>,
    /// By output, where a buffer has more than two places: see [`words_of_leaves`].
    pub(super) leaves: Vec<u64>,
    #[serde(skip)]
    pub(super) leaves_each: usize,
    #[serde(skip)]
    pub(super) masks: Vec<Mask>,
    pub(super) counts: PartCounts,
    pub(super) extras: Extras,
}

/// State of routers that most machines and runs do not have.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Extras {
    /// By lane: before this instant its head packet is not granted, because another one was there before, or it is not its turn at the gate of
    /// its node. Empty if a router needs no time between them, no virtual channel before the crossbar, and there are no gates.
    pub(super) turned: Vec<u64>,
    /// Gates of the nodes behind them, if these have limits.
    pub(super) gates: Option<Box<Gates>>,
    /// The decisions, if a rule decides for each packet.
    pub(super) ruling: Option<Box<Ruling>>,
    /// The turns of service classes, if there are several.
    pub(super) turns: Option<Box<Turns>>,
    /// Which virtual channels packets have before the crossbar; empty if none.
    pub(super) held: HeldChannels,
    /// For whom packets of jobs wait, if that is asked for.
    pub(super) waits_of_jobs: Option<Box<RouterWaits>>,
    /// If samples of intervals are requested.
    #[serde(skip)]
    pub(super) series: Option<Box<RouterSeries>>,
    /// If stays of packets are requested.
    #[serde(skip)]
    pub(super) history: Option<Box<History>>,
}

impl Extras {
    /// Returns whether there is none of it.
    pub(super) fn is_none(&self) -> bool {
        let Self { turned, gates, ruling, turns, held, waits_of_jobs, series, history } = self;
        turned.is_empty()
            && gates.is_none()
            && ruling.is_none()
            && turns.is_none()
            && held.is_empty()
            && waits_of_jobs.is_none()
            && series.is_none()
            && history.is_none()
    }
}

impl RouterStates {
    /// The routers of a part, with nothing in them. What links carry is counted from an instant on.
    pub(super) fn new(network: &PacketNetwork, shared: &Shared<'_>, part: usize, from: u64) -> Self {
        let routers = shared.routers(part);
        let (first, after) = (network.routers[routers.start], network.routers[routers.end]);
        let inputs = &network.inputs[first.input as usize..after.input as usize];
        let outputs = &network.outputs[first.output as usize..after.output as usize];
        let vcs = network.vcs as usize;
        let leaves_each = words_of_leaves(network.output_buffer as usize);
        let empty = |input: &Input| {
            let sender = match input.from {
                Sender::Router(router, _) => shared.part_of(router),
                Sender::Nic(nic) => shared.home(network.node_of(nic)),
                Sender::None => part,
            };
            let from = match sender {
                sender if sender == part => From::Here,
                sender if shared.division.is_here(sender) => From::Thread,
                _ => From::Process,
            };
            Lane { needs: Needs::nothing(from), ..Lane::default() }
        };
        let lanes: Vec<Lane> =
            inputs.iter().flat_map(|input| std::iter::repeat_n(empty(input), vcs)).collect();
        let senders = inputs.iter().map(|input| match input.from {
            Sender::Nic(nic) => Some(network.node_of(nic).0),
            Sender::Router(..) | Sender::None => None,
        });
        let receivers = outputs.iter().map(|output| (output.to & Output::NODE != 0).then_some(output.lane));
        let extras = Extras {
            gates: Gates::new(&network.limits, senders, receivers, lanes.len()),
            turned: if network.turnaround == 0
                && network.vc_turnaround.is_none()
                && network.limits.injection.is_none()
            {
                Vec::new()
            } else {
                vec![0; lanes.len()]
            },
            ruling: Ruling::new(network, lanes.len(), outputs.len()),
            turns: Turns::new(network, outputs.len()),
            held: HeldChannels::new(network, lanes.len(), outputs.len()),
            waits_of_jobs: shared.labels.jobs.as_ref().map(|_| RouterWaits::new(lanes.len(), outputs.len())),
            series: None,
            history: None,
        };
        Self {
            first,
            stalls: if shared.labels.stalls.is_some() {
                vec![Stall::default(); lanes.len()]
            } else {
                Vec::new()
            },
            lanes,
            tails: vec![0; outputs.len() * vcs],
            leaves: vec![0; outputs.len() * leaves_each],
            leaves_each,
            inputs: vec![0; inputs.len()],
            outputs: outputs.iter().map(OutputPort::new).collect(),
            masks: vec![Mask::default(); (after.mask - first.mask) as usize],
            counts: PartCounts { from, hops: 0, wrapped: Vec::new() },
            extras,
        }
    }

    /// An output of a router of this part will have a credit: the packets that need one are looked at again.
    pub(super) fn unblock(&mut self, network: &PacketNetwork, router: u32, output: u16) {
        let place = network.routers[router as usize];
        let lanes = ((place.input - self.first.input) * network.vcs) as usize;
        let masks =
            (place.mask - self.first.mask)..(network.routers[router as usize + 1].mask - self.first.mask);
        for (word, mask) in masks.enumerate() {
            let blocked = &mut self.masks[mask as usize].blocked;
            for bit in bits(*blocked) {
                if self.lanes[lanes + word * 64 + bit as usize].needs.output() == output.into() {
                    *blocked &= !(1 << bit);
                }
            }
        }
    }

    /// Outputs get the wires that they have on the machine as it is from now on.
    pub(super) fn take_wires(&mut self, network: &PacketNetwork) {
        let outputs = network.outputs[self.first.output as usize..].iter();
        self.outputs.iter_mut().zip(outputs).for_each(|(port, output)| port.wire = output.wire);
    }

    /// When the last packet has left a router.
    pub(crate) fn last(&self) -> Time {
        Time::from_ps(self.outputs.iter().map(|port| port.link_free).max().unwrap_or(0))
    }

    /// Adds what these routers have counted.
    pub(crate) fn count(&self, network: &PacketNetwork, counts: &mut Counts) {
        counts.packet_hops += self.counts.hops;
        let RouterPlace { input, output, .. } = self.first;
        for (port, Output { link, .. }) in self.outputs.iter().zip(&network.outputs[output as usize..]) {
            if let Some(link) = counts.links.get_mut(*link as usize) {
                link.packets += u64::from(port.packets);
                link.bytes += port.bytes;
                link.busy += Duration::from_ps(port.busy);
                link.waited += Duration::from_ps(port.waited);
            }
        }
        for (place, Output { link, .. }) in (0..self.outputs.len()).zip(&network.outputs[output as usize..]) {
            let waits = self.extras.waits_of_jobs.iter().flat_map(|waits| waits.of_output(place));
            waits.filter(|_| (*link as usize) < network.links).for_each(|((job, behind), ps)| {
                counts.waits.add((job, LinkId(*link)), behind, Duration::from_ps(ps));
            });
        }
        for &(router, output) in &self.counts.wrapped {
            let place = network.routers[router as usize].output as usize + usize::from(output);
            if let Some(link) = counts.links.get_mut(network.outputs[place].link as usize) {
                link.packets += 1 << 32;
            }
        }
        let ever = |lane: usize| self.extras.series.as_ref().map_or(0, |series| series.ever[lane]);
        let vcs = network.vcs as usize;
        let inputs = &network.inputs[input as usize..][..self.inputs.len()];
        for (input, first) in inputs.iter().zip((0..).step_by(vcs)) {
            if let Some(link) = counts.links.get_mut(input.link as usize) {
                let longest = (first..first + vcs).map(|lane| self.lanes[lane].longest.max(ever(lane)));
                link.longest_queue = link.longest_queue.max(longest.max().unwrap_or(0).into());
            }
        }
    }
}

/// The most packets that have waited in a lane, now that the one that has just been granted and the head do.
#[inline]
pub(super) fn longest_queue(slots: &Slots<'_>, lane: Lane, number: u32, now: u64) -> u16 {
    let depth = slots.depth(number);
    let waits = |behind: u16| {
        let slot = usize::from(lane.head) + usize::from(behind);
        let slot = if slot >= depth { slot - depth } else { slot };
        matches!(slots.state(slots.place(number, slot as u16)), Slot::Taken(eligible) if eligible <= now)
    };
    let mut longest = lane.longest.max(2);
    while usize::from(longest) < depth && waits(longest - 1) {
        longest += 1;
    }
    longest
}

/// Number of words of an output in [`RouterStates::leaves`]: a ring of the instants at which the packets before the last two leave,
/// behind the place of the oldest one.
fn words_of_leaves(output_buffer: usize) -> usize {
    match output_buffer {
        0..=2 => 0,
        more => more - 1,
    }
}

/// A packet leaves an output buffer of so many places at an instant, the one before it at another: when the buffer has room for the
/// next one, which is when the packet that is as many places before it has left.
#[inline(always)]
pub(super) fn room_from(leaves: &mut [u64], (output, places): (usize, u32), ends: u64, before: u64) -> u64 {
    match places {
        1 => ends,
        2 => before,
        _ => exchange_leaves(leaves, output, places as usize - 2, before),
    }
}

/// Puts an instant into the ring of `size` places of an output, and takes out the oldest one.
fn exchange_leaves(leaves: &mut [u64], output: usize, size: usize, instant: u64) -> u64 {
    let (oldest, ring) =
        leaves[output * (size + 1)..][..=size].split_first_mut().expect("there is one word at least");
    let before = std::mem::replace(&mut ring[*oldest as usize], instant);
    *oldest = if *oldest as usize + 1 == size { 0 } else { *oldest + 1 };
    before
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::grid;
    use crate::shared::Homes;
    use crate::{LinkCounts, NodeModel, RouterModel};
    use weir_topology::Wrap;

    /// Three routers in a line, of which the second part has the last two or the last one: outputs and inputs have the numbers of the
    /// machine, and a count of packets that has begun again goes on.
    #[test]
    fn counts_of_a_part_have_the_numbers_of_the_machine() {
        let topology = grid(&[3], Wrap::Mesh, 8e9, (100, 100));
        let model = (RouterModel::default(), NodeModel::default());
        let network = PacketNetwork::new(&model.0, &model.1, &topology).expect("a machine");
        for threads in [2, 3] {
            let division = network.division(threads, 0, 1);
            let mut memory = Shared::memory(&network, division);
            let shared = Shared::new(&mut memory, &network, division, Homes::WithRouters);
            let part = shared.parts() - 1;
            // Two ways and a node each: the last router is the second or the only one of the part.
            let local = 3 * (2 - shared.routers(part).start);
            let mut state = RouterStates::new(&network, &shared, part, 0);
            let port = &mut state.outputs[local + 1];
            (port.packets, port.bytes, port.busy, port.waited, port.link_free) = (7, 70, 700, 30, 9000);
            state.counts.wrapped.extend([(2, 1), (2, 1)]);
            // Of the channels of an input the longest queue counts.
            (state.lanes[2 * (local + 2)].longest, state.lanes[2 * (local + 2) + 1].longest) = (3, 5);
            let mut counts =
                Counts { links: vec![LinkCounts::default(); network.links], ..Counts::default() };
            state.count(&network, &mut counts);
            let LinkCounts { packets, bytes, busy, waited, .. } =
                counts.links[network.outputs[7].link as usize];
            assert_eq!((packets, bytes, busy.as_ps(), waited.as_ps()), (7 + (2 << 32), 70, 700, 30));
            assert_eq!(counts.links[network.inputs[8].link as usize].longest_queue, 5);
            assert_eq!(state.last(), Time::from_ps(9000));
        }
    }
}
