//! The wires of a machine.

use weir_units::{Bandwidth, Duration, NodeId, RouterId};

/// A one-way wire. A cable is two of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Where data enter.
    pub from: End,
    /// Where data leave.
    pub to: End,
    /// How much it can carry.
    pub capacity: Bandwidth,
    /// How long a byte is on its way.
    pub latency: Duration,
}

/// What a link is attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The endpoint of a node.
    Node(NodeId),
    /// A router.
    Router(RouterId),
}

/// The cable between a node and its router: both the injection and the ejection link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeLink {
    /// How much each of the two links can carry.
    pub bandwidth: Bandwidth,
    /// Latency of each of the two links.
    pub latency: Duration,
}

impl NodeLink {
    /// The link from one end to the other.
    pub(crate) fn between(self, from: End, to: End) -> Link {
        Link { from, to, capacity: self.bandwidth, latency: self.latency }
    }
}
