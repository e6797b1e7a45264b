//! The memory of a node as a link that all cross that go in, go out, or stay.
//!
//! ```text
//!   out      memory of the node --> interface --> ... --> interface --> memory of the other
//!   within   the receiver's own copying --> memory of the node
//! ```
//! A byte that an interface sends is read once, and one that it receives is written once. A byte of a message within the node is read and
//! written: its flow has two bytes for each of the message. So memory is divided fairly by what each takes of *it*, and beside an interface
//! that is held back by nothing else a message within the node is half as fast. A rank copies one message at a time: it is a slot.

use weir_network::WithinNode;
use weir_units::{LinkId, NodeId, Rank};

/// Where the memories of nodes, and the ranks that copy, are among slots and links.
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
