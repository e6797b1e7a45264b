//! The interfaces of nodes: by which one a message leaves, and what those of a node share.
//!
//! ```text
//!           out 0 --.                                        .-- in 0
//!   node            |-- injection link --> ... --> ejection link --|            node
//!           out 1 --'   (all of them)              (all)     '-- in 1
//! ```
//! An interface is a slot, with service classes one for each of them, and has more where it sends several messages at once (`lanes.rs`). With several interfaces, each has a link of
//! its own on either side of the node's cable, and the cable carries what all of them have, or what the node has for all together.
//! Where nodes have cables of their own, several of them, each is an interface, with the links that it has in the machine. Which one a
//! message takes is the choice of its node ([`Choice`]). Where the memory of nodes is shared, its slots and links follow those of the
//! interfaces ([`Memory`]).

use crate::lanes::Lanes;
use serde::{Deserialize, Serialize};
use weir_network::{Candidates, Choice, Choose, Chosen, Message, Serving, Striping, WithinNode};
use weir_topology::{End, Topology};
use weir_units::{Bandwidth, Bytes, LinkId, NodeId, Rank};

/// Where the interfaces of all nodes are among slots and links.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interfaces {
    /// Number of interfaces of each node; where they have cables of their own, of the one that has most.
    count: usize,
    /// True if they are cables of the machine.
    are_cables: bool,
    nodes: usize,
    /// Links of the machine; those of interfaces follow.
    links: usize,
    choice: Choice,
    serving: Serving,
    /// Number of service classes.
    services: usize,
    injection_limit: Option<Bandwidth>,
    ejection_limit: Option<Bandwidth>,
    /// If what passes the memory of a node shares it.
    memory: Option<Memory>,
}

/// Whose turn it is at each node.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Turns {
    /// By node: the interface that is next.
    next: Vec<u32>,
    /// By slot of an interface: the bytes of messages that it has got and that have not left, where the rule asks for them.
    loads: Vec<u64>,
}

impl Turns {
    /// An interface, by its slot, has got so many bytes.
    pub(crate) fn load(&mut self, slot: usize, bytes: Bytes) {
        if let Some(load) = self.loads.get_mut(slot) {
            *load += bytes.0;
        }
    }

    pub(crate) fn unload(&mut self, slot: usize, bytes: Bytes) {
        if let Some(load) = self.loads.get_mut(slot) {
            *load -= bytes.0;
        }
    }
}

/// The smallest part of a message, as far as it can be divided.
const BYTE: Bytes = Bytes(1);

impl Interfaces {
    pub(crate) fn new(topology: &Topology, node: &NodeModel, ranks: usize, services: usize) -> Self {
        let own = Self {
            count: (node.interfaces * topology.most_cables()) as usize,
            are_cables: topology.most_cables() > 1,
            nodes: topology.nodes(),
            links: topology.links(),
            choice: Choice { choose: node.choose, striping: node.striping },
            serving: node.serving,
            services,
            injection_limit: node.injection_limit,
            ejection_limit: node.ejection_limit,
            memory: None,
        };
        let memory = Memory::new(&node.within, (own.of_classes(), ranks), (own.own_links(), own.nodes));
        Self { memory, ..own }
    }

    /// The slots of all interfaces and memories.
    pub(crate) fn lanes(&self) -> Lanes {
        Lanes::new(self.slots(), self.of_classes(), self.serving)
    }

    /// Returns whether a message may leave before one that was handed over earlier, so that it has to be in order when it arrives.
    pub(crate) fn has_to_be_ordered<B>(&self, message: &Message<B>) -> bool {
        let takes_turns = self.serving.is_shared() || self.services > 1;
        if takes_turns { message.keeps_order() } else { self.count > 1 }
    }

    /// Number of slots at least: one for each interface and service class, those of a node side by side, and those of memories.
    pub(crate) fn slots(&self) -> usize {
        self.of_classes() + self.memory.map_or(0, |memory| memory.slots())
    }

    fn of_interfaces(&self) -> usize {
        self.nodes * self.count
    }

    fn of_classes(&self) -> usize {
        self.of_interfaces() * self.services
    }

    /// The slot of a service class of an interface, which is numbered among all.
    pub(crate) fn slot(&self, interface: u32, service: usize) -> usize {
        interface as usize * self.services + service
    }

    /// The interface of a slot.
    pub(crate) fn interface(&self, slot: usize) -> usize {
        slot / self.services
    }

    /// The service class of a slot.
    pub(crate) fn service(&self, slot: usize) -> usize {
        slot % self.services
    }

    /// The memories of nodes, if what passes them shares them.
    pub(crate) fn memory(&self) -> Option<&Memory> {
        self.memory.as_ref()
    }

    /// Returns whether a slot is that of a rank whose messages from its own node pass the memory, and not of an interface.
    pub(crate) fn is_of_memory(&self, slot: usize) -> bool {
        slot >= self.of_classes()
    }

    pub(crate) fn node(&self, slot: usize) -> NodeId {
        self.node_of(self.interface(slot))
    }

    fn node_of(&self, interface: usize) -> NodeId {
        NodeId::new(if self.count == 1 { interface } else { interface / self.count })
    }

    /// The number of an interface's slot among those of its node.
    pub(crate) fn number(&self, slot: usize) -> u32 {
        (self.interface(slot) % self.count) as u32
    }

    /// Number of links that flows can cross.
    pub(crate) fn links(&self) -> usize {
        self.own_links() + self.memory.map_or(0, |memory| memory.links())
    }

    /// Returns whether interfaces have links beside those of the machine.
    fn has_own_links(&self) -> bool {
        self.count > 1 && !self.are_cables
    }

    /// Those of the machine and of interfaces.
    fn own_links(&self) -> usize {
        if self.has_own_links() { self.links + 2 * self.of_interfaces() } else { self.links }
    }

    /// The classes of the links of interfaces, where they have their own: those of injection links, 0, and of ejection links, 1.
    pub(crate) fn own_classes(&self) -> impl Iterator<Item = u8> + use<> {
        let count = if self.has_own_links() { self.of_interfaces() } else { 0 };
        std::iter::repeat_n(0, count).chain(std::iter::repeat_n(1, count))
    }

    /// Capacity of a link, in bytes per second: of the cables of nodes, for all their interfaces.
    pub(crate) fn capacity(&self, topology: &Topology, link: usize) -> f64 {
        if let Some(capacity) = self.memory.and_then(|memory| memory.capacity(link)) {
            return capacity;
        }
        if let Some(behind) = link.checked_sub(self.links) {
            let node = self.node_of(behind % self.of_interfaces());
            let cable = if behind < self.of_interfaces() { LinkId(node.0) } else { topology.ejection(node) };
            return topology.link(cable).capacity.bytes_per_second();
        }
        let link = topology.link(LinkId::new(link));
        let limit = match (link.from, link.to) {
            (End::Node(_), _) => self.injection_limit,
            (_, End::Node(_)) => self.ejection_limit,
            _ => return link.capacity.bytes_per_second(),
        };
        let interfaces = if self.are_cables { 1 } else { self.count };
        let all = interfaces as f64 * link.capacity.bytes_per_second();
        limit.map_or(all, |limit| all.min(limit.bytes_per_second()))
    }

    /// Returns whether a link leads to a node, or is the receiving end of an interface.
    pub(crate) fn is_into_node(&self, topology: &Topology, link: usize) -> bool {
        match link.checked_sub(self.links) {
            None => matches!(topology.link(LinkId::new(link)).to, End::Node(_)),
            Some(behind) => (self.of_interfaces()..self.own_links() - self.links).contains(&behind),
        }
    }

    /// Puts the links of the interfaces, and the memories behind them, at both ends of a route, if it is one.
    pub(crate) fn extend(&self, slot: usize, to: NodeId, route: &mut Vec<LinkId>) {
        if route.is_empty() {
            return;
        }
        if self.has_own_links() {
            let interface = self.interface(slot);
            let arrives_at = to.index() * self.count + interface % self.count;
            route.insert(0, LinkId::new(self.links + interface));
            route.push(LinkId::new(self.links + self.of_interfaces() + arrives_at));
        }
        if let Some(memory) = self.memory {
            route.insert(0, memory.link(self.node(slot)));
            route.push(memory.link(to));
        }
    }

    /// Fills in what the state of turns needs.
    pub(crate) fn turns(&self) -> Turns {
        let counts = self.choice.choose == Choose::LeastLoaded && self.count > 1;
        let next = if self.count > 1 { vec![0; self.nodes] } else { Vec::new() };
        Turns { next, loads: if counts { vec![0; self.of_interfaces()] } else { Vec::new() } }
    }

    /// The interfaces that send a message that its node has got now, by their numbers among all.
    pub(crate) fn choose<B>(
        &self,
        topology: &Topology,
        turns: &mut Turns,
        (from, to): (NodeId, NodeId),
        message: &Message<B>,
    ) -> Chosen {
        if self.count == 1 {
            return Chosen::One(from.0);
        }
        let Turns { next, loads } = turns;
        let first = from.index() * self.count;
        let count = if self.are_cables { topology.cables_of(from) } else { self.count as u32 };
        let usable: Vec<u32> = if self.are_cables && !topology.cables_reach_all() {
            topology.cables_to(from, to)
        } else {
            (0..count).collect()
        };
        let load = |number: u32| loads.get(first + number as usize).copied().unwrap_or(0);
        let speed = |number: u32| {
            let cable = if self.are_cables { number } else { 0 };
            topology.link(topology.injection_by(from, cable)).capacity.bytes_per_second()
        };
        let candidates = Candidates { usable: &usable, count, load: &load, speed: &speed };
        let slot = |number: u32| first as u32 + number;
        match self.choice.choose(message, to, BYTE, &mut next[from.index()], &candidates) {
            Chosen::One(number) => Chosen::One(slot(number)),
            Chosen::Several(shares) => {
                Chosen::Several(shares.into_iter().map(|(number, share)| (slot(number), share)).collect())
            }
        }
    }
}

/// Model of a node for the messages of its ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeModel {
    /// Model of messages between its ranks. With a [limit](WithinNode::memory_limit) they are flows, and share the memory of the node
    /// with what its interfaces send and receive; without one they meet nothing.
    pub within: WithinNode,
    /// Number of interfaces of a node, at least 1, each as fast as the node's cable: a message arrives by the one of the number of the one
    /// by which it leaves, but not before those handed over earlier between the same two ranks. Where nodes have several cables of
    /// their own, each of these is an interface, and this is 1.
    pub interfaces: u32,
    /// Which of them a message takes.
    pub choose: Choose,
    /// Order in which each of them serves its messages.
    pub serving: Serving,
    /// Which messages several of them send together.
    pub striping: Striping,
    /// Highest rate at which all of them together send; `None`: what they can.
    pub injection_limit: Option<Bandwidth>,
    /// Highest rate at which all of them together receive; `None`: what they can.
    pub ejection_limit: Option<Bandwidth>,
}

impl Default for NodeModel {
    /// One interface, and nothing else that limits messages.
    fn default() -> Self {
        Self {
            within: WithinNode::default(),
            interfaces: 1,
            choose: Choose::default(),
            serving: Serving::default(),
            striping: Striping::default(),
            injection_limit: None,
            ejection_limit: None,
        }
    }
}

/// The memory of a node as a link that all cross that go in, go out, or stay.
///
/// ```text
///   out      memory of the node --> interface --> ... --> interface --> memory of the other
///   within   the receiver's own copying --> memory of the node
/// ```
/// A byte that an interface sends is read once, and one that it receives is written once. A byte of a message within the node is read and
/// written: its flow has two bytes for each of the message. So memory is divided fairly by what each takes of *it*, and beside an interface
/// that is held back by nothing else a message within the node is half as fast. A rank copies one message at a time: it is a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// Limit of a node, in bytes per second.
    limit: f64,
    /// Speed at which a rank copies, in bytes of messages per second; infinite if nothing else holds it back.
    copying: f64,
    first_slot: usize,
    ranks: usize,
    first_link: usize,
    nodes: usize,
}

/// Bytes of a flow for each byte of a message within a node.
pub(crate) const PASSES: f64 = WithinNode::PASSES as f64;

impl Memory {
    /// Behind so many other slots and links, of so many ranks and nodes; `None` without a limit.
    pub(crate) fn new(
        within: &WithinNode,
        (first_slot, ranks): (usize, usize),
        (first_link, nodes): (usize, usize),
    ) -> Option<Self> {
        let copying = within.bandwidth.map_or(f64::INFINITY, |bandwidth| bandwidth.bytes_per_second());
        let limit = within.memory_limit?.bytes_per_second();
        Some(Self { limit, copying, first_slot, ranks, first_link, nodes })
    }

    /// Number of slots: one for each rank, which receives.
    pub(crate) fn slots(&self) -> usize {
        self.ranks
    }

    /// Number of links: the memory of each node, and the copying of each rank if that has a limit.
    pub(crate) fn links(&self) -> usize {
        self.nodes + if self.copying.is_finite() { self.ranks } else { 0 }
    }

    /// In bytes per second of flows; `None` if the link is none of these.
    pub(crate) fn capacity(&self, link: usize) -> Option<f64> {
        let behind = link.checked_sub(self.first_link)?;
        Some(if behind < self.nodes { self.limit } else { PASSES * self.copying })
    }

    pub(crate) fn link(&self, node: NodeId) -> LinkId {
        LinkId::new(self.first_link + node.index())
    }

    /// The slot of what others of its node send to a rank.
    pub(crate) fn slot(&self, to: Rank) -> usize {
        self.first_slot + to.index()
    }

    /// Fills in the links that a message within a node crosses.
    pub(crate) fn route(&self, slot: usize, node: NodeId, route: &mut Vec<LinkId>) {
        route.clear();
        if self.copying.is_finite() {
            route.push(LinkId::new(self.first_link + self.nodes + slot - self.first_slot));
        }
        route.push(self.link(node));
    }
}
