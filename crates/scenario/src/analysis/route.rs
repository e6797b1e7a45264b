//! One route of a machine, link by link.

use weir_topology::{End, Topology};
use weir_units::{Bandwidth, Duration, LinkId, NodeId};

/// A link as a route passes it.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteLink {
    /// The link.
    pub id: LinkId,
    /// In words.
    pub name: String,
    /// Where it ends, in words: a router, or at last the node.
    pub to: String,
    /// Bandwidth of the link.
    pub bandwidth: Bandwidth,
    /// Latency of the link.
    pub latency: Duration,
}

/// The route from one node to another: the same for a pair on every run, and the one that messages take.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineRoute {
    /// The node it starts from.
    pub from: NodeId,
    /// The node it leads to.
    pub to: NodeId,
    /// Its links in the order in which they are passed, injection link first, ejection link last; none if both nodes are
    /// the same.
    pub links: Vec<RouteLink>,
}

impl MachineRoute {
    /// The route of a machine; `None` if failed links leave no way.
    ///
    /// # Panics
    /// When one of the nodes does not exist.
    #[must_use]
    pub fn of(machine: &Topology, from: NodeId, to: NodeId) -> Option<Self> {
        let mut route = Vec::new();
        if !machine.find_route(from, to, &mut route) {
            return None;
        }
        let passed = |id| {
            let link = machine.link(id);
            let to = match link.to {
                End::Node(node) => machine.node_name(node),
                End::Router(router) => machine.router_name(router),
            };
            let name = machine.link_name(id);
            RouteLink { id, name, to, bandwidth: link.capacity, latency: link.latency }
        };
        Some(Self { from, to, links: route.into_iter().map(passed).collect() })
    }

    /// Links between routers.
    #[must_use]
    pub fn hops(&self) -> usize {
        self.links.len().saturating_sub(2)
    }

    /// The latencies of all links together: how long a byte is on its way where nothing else is.
    #[must_use]
    pub fn zero_load_latency(&self) -> Duration {
        self.links.iter().fold(Duration::ZERO, |sum, link| sum + link.latency)
    }

    /// The bandwidth of the slowest link; `None` within a node.
    #[must_use]
    pub fn narrowest(&self) -> Option<Bandwidth> {
        self.links.iter().map(|link| link.bandwidth).reduce(Bandwidth::min)
    }
}
