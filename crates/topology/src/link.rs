//! The wires of a machine.

use weir_units::{Bandwidth, Duration, NodeId, RouterId};

/// A one-way wire. A cable is two of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Where data enter.
    pub from: End,
    /// Where data leave.
    pub to: End,
    /// The bandwidth.
    pub capacity: Bandwidth,
    /// The latency of a byte.
    pub latency: Duration,
}

/// An end of a link.
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
    /// The bandwidth of each of the two links.
    pub bandwidth: Bandwidth,
    /// Latency of each of the two links.
    pub latency: Duration,
}

/// The common part of the cables of all nodes, where a [`crate::Graph`] has the cable of each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeCables {
    /// The bandwidth of each; `None`: each its own.
    pub bandwidth: Option<Bandwidth>,
    /// The latency of each; `None`: each its own.
    pub latency: Option<Duration>,
    /// None carries more than this; `None`: no limit.
    pub limit: Option<Bandwidth>,
}

impl NodeCables {
    /// A cable as it is with them.
    pub(crate) fn of(self, cable: NodeLink) -> NodeLink {
        let bandwidth = self.bandwidth.unwrap_or(cable.bandwidth);
        let bandwidth = self.limit.map_or(bandwidth, |limit| bandwidth.min(limit));
        NodeLink { bandwidth, latency: self.latency.unwrap_or(cable.latency) }
    }
}

impl NodeLink {
    /// The link from one end to the other.
    pub(crate) fn between(self, from: End, to: End) -> Link {
        Link { from, to, capacity: self.bandwidth, latency: self.latency }
    }
}
