//! The network of a machine as arrays.

use super::{Memory, Placing, halves, pairs, words};
use crate::network::{Channel, Input, PacketNetwork, Sender};
use crate::rooms::Rooms;
use crate::{Arbiter, Refusal};
use std::iter;
use weir_units::{Duration, NodeId};

/// The network of a machine, whose arrays are in a memory: [runs](super::FlatRun) of it can share them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatNetwork {
    /// The words of its structure `Network`.
    pub words: Vec<u8>,
    /// The most virtual channels of all input ports of a router.
    pub lanes_of_router: usize,
    /// Number of routers.
    pub routers: usize,
    /// Number of nodes.
    pub nodes: usize,
    /// True if its rule decides for each packet.
    pub decides: bool,
}

/// The most classes of virtual channels and dimensions of a grid that have room in a structure `Network`.
const MOST_CLASSES: usize = 16;
pub(super) const MOST_AXES: usize = 8;
/// The most virtual channels of all input ports of a router: shared memory of a GPU has room for their heads.
const MOST_LANES: u32 = 768;

/// A packet passes a link in less than this, in picoseconds.
const MOST_TIME: u64 = 1 << 43;

const CPU: &str = "run it without --gpu";

impl PacketNetwork {
    /// All reasons why code that runs arrays cannot run this network.
    pub(super) fn not_flat(&self) -> Vec<Refusal> {
        let mut refusals = Vec::new();
        let mut refuse = |is: bool, key, what: &str| {
            if is {
                refusals.push(Refusal::new(key, what, CPU));
            }
        };
        refuse(self.services.is_some(), "classes", "are given, and routers on a GPU have no service classes");
        let before = self.vc_turnaround.is_some();
        refuse(before, "packet.vc_allocation", "is \"before-switch\", which routers on a GPU do not know");
        refuse(
            self.limits.is_some(),
            "node.injection_limit",
            "or the ejection limit is given, which a GPU does not know",
        );
        refuse(
            self.change.is_some(),
            "faults",
            "change the machine while it runs, which a GPU does not know",
        );
        refuse(
            self.ways.is_some(),
            "faults",
            "leave nodes without a way between them, which a GPU does not know",
        );
        refuse(self.cables.is_some(), "topology", "gives nodes several cables, which a GPU does not know");
        refuse(self.per_direction, "node.nics", "are one for each direction, which a GPU does not know");
        let may_stop = self.vcs < self.routing.classes();
        refuse(
            may_stop,
            "packet.allow_deadlock",
            "is true, and a GPU does not find out that packets wait in a circle",
        );
        let slow = self.wires.iter().any(|wire| wire.speed.range().1 >= MOST_TIME);
        refuse(slow, "topology.bandwidth", "is so low that a packet takes more than 8 seconds");
        refuse(
            self.width.duration().as_ps() >= 1 << 32,
            "topology.latency",
            "makes windows of more than 4 ms",
        );
        let lanes = self.routers.windows(2).map(|pair| (pair[1].input - pair[0].input) * self.vcs).max();
        let has_many = self.classes_of.len() > MOST_CLASSES || lanes > Some(MOST_LANES);
        refuse(has_many, "packet.virtual_channels", "are more than a router on a GPU has room for");
        let has_many = self.wires.len() > u16::MAX.into();
        refuse(
            has_many,
            "topology.bandwidth",
            "and latencies are of more kinds of links than a GPU has room for",
        );
        refusals.extend(self.routing.not_flat(self.routers()));
        refusals
    }

    /// All nodes in the order of the routers of their first interfaces.
    pub(super) fn nodes_by_router(&self) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = (0..self.nodes()).map(NodeId::new).collect();
        nodes.sort_by_key(|&node| self.router_of(node));
        nodes
    }

    /// Puts the arrays of the network into a memory.
    ///
    /// # Errors
    /// When there is no room.
    pub fn place<M: Memory>(&self, memory: &mut M) -> Result<FlatNetwork, M::Error> {
        let arbiter = match self.arbiter {
            Arbiter::RoundRobin => 0,
            Arbiter::TransitFirst => 1,
            Arbiter::InjectionFirst => 2,
            Arbiter::OldestFirst => 3,
            Arbiter::FixedPriority => 4,
        };
        let depth = if let Rooms::Same(depth) = self.rooms { depth } else { 0 };
        let mut network = Placing { words: vec![self.routers() as u64, self.nodes() as u64], memory };
        network.words.extend([self.vcs, depth].map(u64::from));
        network.words.extend([self.alike, self.keeps_lags].map(u64::from));
        network.words.extend([self.output_buffer.into(), arbiter, self.pipeline, self.turnaround]);
        let windows = [self.lookahead, self.width.duration()].map(Duration::as_ps);
        network.words.extend([windows[0], windows[1], self.nics_per_node.into()]);
        network.words.push(if let [credit] = self.credits[..] { credit } else { u64::MAX });
        match &self.rooms {
            Rooms::Same(_) => network.words.push(0),
            rooms @ Rooms::ByInput(_) => _ = network.put(&halves(rooms.starts(self.vcs)))?,
        }
        let places = self.routers.iter();
        network.put(&halves(places.flat_map(|at| [at.address, at.input, at.output, at.kind])))?;
        let is_from_node = |input: &Input| u32::from(matches!(input.from, Sender::Nic(_)));
        network.put(&halves(self.inputs.iter().map(is_from_node)))?;
        network.put(&words((0..self.inputs.len()).map(|input| self.credit(input))))?;
        let channel = |channel: &Channel| {
            u32::from(channel.input) << 16 | u32::from(channel.vc) << 8 | u32::from(channel.class)
        };
        network.put(&halves(self.channels.iter().map(channel)))?;
        network.put(&halves(self.nics.iter().flat_map(|nic| [nic.router, nic.lane, nic.wire, 0])))?;
        let nodes = self.nodes_by_router();
        let first = |router: usize| nodes.partition_point(|&node| self.router_of(node) < router) as u32;
        network.put(&halves((0..=self.routers()).map(first)))?;
        network.put(&halves(nodes.iter().map(|node| node.0)))?;
        let classes = |of: fn(&(u32, u32)) -> u32| {
            self.classes_of.iter().map(of).chain(iter::repeat(0)).take(MOST_CLASSES)
        };
        network.words.extend(pairs(classes(|range| range.0).chain(classes(|range| range.1))));
        self.routing.put(self, &mut network)?;
        let lanes = self.routers.windows(2).map(|pair| (pair[1].input - pair[0].input) * self.vcs);
        let lanes_of_router = lanes.max().unwrap_or(0) as usize;
        let words = words(network.words);
        let decides = self.routing.decides();
        Ok(FlatNetwork { words, lanes_of_router, routers: self.routers(), nodes: self.nodes(), decides })
    }
}
