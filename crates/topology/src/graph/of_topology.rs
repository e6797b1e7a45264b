//! Any machine as vertices and wires.

use super::{Vertex, VertexKind, Wire};
use crate::{End, Topology};
use weir_units::{LinkId, NodeId, RouterId};

impl Topology {
    /// The machine as a graph: first all nodes, then all routers, each in the order of their numbers; and all links, in
    /// the order of theirs. A graph made of these has the same nodes, routers and links; where all injection links come
    /// before all ejection links and both before the others, as in every kind but the fat tree, also the same numbers of
    /// links. Links that have failed are left out.
    ///
    /// A vertex of a graph keeps its name; one that is [`VertexKind::Both`] becomes two, see
    /// [`Self::node_name`].
    #[must_use]
    pub fn to_vertices_and_wires(&self) -> (Vec<Vertex>, Vec<Wire>) {
        let nodes = (0..self.nodes()).map(|v| self.node_name(NodeId::new(v)));
        let routers = (0..self.routers()).map(|r| self.router_name(RouterId::new(r)));
        let nodes = nodes.map(|name| Vertex { name, kind: VertexKind::Node });
        let routers = routers.map(|name| Vertex { name, kind: VertexKind::Router });
        let vertex = |end| match end {
            End::Node(node) => node.0,
            End::Router(router) => NodeId::new(self.nodes() + router.index()).0,
        };
        let failed = |&id: &LinkId| self.degraded().is_some_and(|degraded| degraded.has_failed(id));
        let wires = (0..self.links()).map(LinkId::new).filter(|id| !failed(id)).map(|id| {
            let link = self.link(id);
            Wire {
                from: vertex(link.from),
                to: vertex(link.to),
                capacity: link.capacity,
                latency: link.latency,
            }
        });
        (nodes.chain(routers).collect(), wires.collect())
    }
}
