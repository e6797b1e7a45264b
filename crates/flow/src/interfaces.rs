//! The interfaces of nodes: by which one a message leaves, and what those of a node share.
//!
//! ```text
//!           out 0 --.                                        .-- in 0
//!   node            |-- injection link --> ... --> ejection link --|            node
//!           out 1 --'   (all of them)              (all)     '-- in 1
//! ```
//! An interface sends one message at a time: it is a slot. With several, each has a link of its own on either side of the node's
//! cable, and the cable carries what all of them have, or what the node has for all together. Messages take them in turn; one that is
//! there before another of the same two ranks that left before waits for it, as MPI asks.

use crate::node::NodeModel;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use weir_network::Message;
use weir_topology::{End, Topology};
use weir_units::{Bandwidth, LinkId, NodeId, Rank, Time};

/// Where the interfaces of all nodes are among slots and links.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interfaces {
    /// Of each node.
    count: usize,
    nodes: usize,
    /// Links of the machine; those of interfaces follow.
    links: usize,
    injection_limit: Option<Bandwidth>,
    ejection_limit: Option<Bandwidth>,
}

/// Whose turn it is at each node, and the order in which messages of several interfaces have to be there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Turns<B> {
    /// By node: the interface that is next.
    next: Vec<u32>,
    /// By sender and receiver: what has been handed over and is not on its way, in this order.
    order: BTreeMap<(Rank, Rank), VecDeque<Handed<B>>>,
}

/// A message that has been handed over.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Handed<B> {
    sequence: u64,
    /// The message once it has left, and when it is there.
    left: Option<(Message<B>, Time)>,
}

impl<B> Default for Turns<B> {
    fn default() -> Self {
        Self { next: Vec::new(), order: BTreeMap::new() }
    }
}

impl Interfaces {
    pub(crate) fn new(topology: &Topology, node: &NodeModel) -> Self {
        Self {
            count: node.interfaces as usize,
            nodes: topology.nodes(),
            links: topology.links(),
            injection_limit: node.injection_limit,
            ejection_limit: node.ejection_limit,
        }
    }

    /// How many slots there are: one for each interface, those of a node side by side.
    pub(crate) fn slots(&self) -> usize {
        self.nodes * self.count
    }

    /// The node of a slot.
    pub(crate) fn node(&self, slot: usize) -> NodeId {
        NodeId::new(if self.count == 1 { slot } else { slot / self.count })
    }

    /// How many links flows can cross.
    pub(crate) fn links(&self) -> usize {
        if self.count == 1 { self.links } else { self.links + 2 * self.slots() }
    }

    /// What a link can carry, in bytes per second: of the cables of nodes, what all their interfaces can.
    pub(crate) fn capacity(&self, topology: &Topology, link: usize) -> f64 {
        if let Some(behind) = link.checked_sub(self.links) {
            let slot = behind % self.slots();
            let node = self.node(slot);
            let cable = if behind < self.slots() { LinkId(node.0) } else { topology.ejection(node) };
            return topology.link(cable).capacity.bytes_per_second();
        }
        let link = topology.link(LinkId::new(link));
        let limit = match (link.from, link.to) {
            (End::Node(_), _) => self.injection_limit,
            (_, End::Node(_)) => self.ejection_limit,
            _ => return link.capacity.bytes_per_second(),
        };
        let all = self.count as f64 * link.capacity.bytes_per_second();
        limit.map_or(all, |limit| all.min(limit.bytes_per_second()))
    }

    /// Puts the links of the interfaces at both ends of a route, if it is one.
    pub(crate) fn extend(&self, slot: usize, to: NodeId, route: &mut Vec<LinkId>) {
        if self.count == 1 || route.is_empty() {
            return;
        }
        let arrives_at = to.index() * self.count + slot % self.count;
        route.insert(0, LinkId::new(self.links + slot));
        route.push(LinkId::new(self.links + self.slots() + arrives_at));
    }

    /// The slot of a message that its node has got now.
    pub(crate) fn slot<B>(&self, turns: &mut Turns<B>, from: NodeId, message: &Message<B>) -> usize {
        if self.count == 1 {
            return from.index();
        }
        turns.next.resize(self.nodes, 0);
        let next = &mut turns.next[from.index()];
        let interface = *next as usize;
        *next = (*next + 1) % self.count as u32;
        let handed = Handed { sequence: message.sequence, left: None };
        turns.order.entry((message.from, message.to)).or_default().push_back(handed);
        from.index() * self.count + interface
    }

    /// A message has left, and would be there at an instant. Those that can be there now, each with its instant, in their order.
    pub(crate) fn arrivals<B>(
        &self,
        turns: &mut Turns<B>,
        message: Message<B>,
        at: Time,
        mut arrives: impl FnMut(Message<B>, Time),
    ) {
        if self.count == 1 {
            return arrives(message, at);
        }
        let pair = (message.from, message.to);
        let handed = turns.order.get_mut(&pair).expect("what leaves has been handed over");
        let own = handed.iter_mut().find(|handed| handed.sequence == message.sequence);
        own.expect("what leaves has been handed over").left = Some((message, at));
        let mut last = at;
        while let Some(first) = handed.front_mut()
            && let Some((message, at)) = first.left.take()
        {
            last = last.max(at);
            arrives(message, last);
            handed.pop_front();
        }
        if handed.is_empty() {
            turns.order.remove(&pair);
        }
    }
}
