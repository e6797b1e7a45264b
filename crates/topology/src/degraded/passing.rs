//! Between which nodes routes may pass a link: not all pairs have to be looked at.

use crate::coordinates::place_of;
use crate::{End, Link, Topology};
use weir_units::{LinkId, NodeId};

/// Where routes over a link may begin and end.
pub(super) struct Ends {
    pub(super) sources: Vec<NodeId>,
    destinations: Vec<bool>,
}

impl Ends {
    pub(super) fn of(whole: &Topology, id: LinkId) -> Self {
        let Link { from, to, .. } = whole.link(id);
        let nodes = || (0..whole.nodes()).map(NodeId::new);
        let among = |sources: &dyn Fn(NodeId) -> bool, destinations: &dyn Fn(NodeId) -> bool| Self {
            sources: nodes().filter(|&node| sources(node)).collect(),
            destinations: nodes().map(destinations).collect(),
        };
        if let End::Node(node) = from {
            return among(&|source| source == node, &|_| true);
        }
        if let End::Node(node) = to {
            return among(&|_| true, &|destination| destination == node);
        }
        match whole {
            Topology::Torus(torus) => {
                let sizes: Vec<u32> = torus.dimensions().map(|dimension| dimension.size).collect();
                Self::in_order(whole, torus.dimension_of(id), at_a_node(from), &sizes)
            }
            Topology::Hypercrossbar(machine) => {
                let mut dimensions =
                    machine.dimensions().enumerate().filter(|(_, dimension)| dimension.size > 1);
                let (dimension, _) = dimensions.nth(machine.dimension_of(id)).expect("it has crossbars");
                let sizes: Vec<u32> = machine.dimensions().map(|dimension| dimension.size).collect();
                // The other end is a crossbar, which all routers of a line have.
                let router = if is_at_a_node(whole, from) { from } else { to };
                Self::in_order(whole, dimension, at_a_node(router), &sizes)
            }
            Topology::FatTree(tree) => {
                let (below, leads_up) = tree.below(id);
                let inside = |node: NodeId| below.contains(&node.0);
                if leads_up { among(&inside, &|_| true) } else { among(&|_| true, &inside) }
            }
            _ => among(&|_| true, &|_| true),
        }
    }

    /// In dimension order a route has, where it goes through dimension `i`, the coordinates of its destination in the
    /// dimensions before and those of its source in the ones behind.
    fn in_order(whole: &Topology, dimension: usize, router: u32, sizes: &[u32]) -> Self {
        let here = place_of(router, sizes);
        let place = |node: NodeId| place_of(node.0, sizes);
        let nodes = || (0..whole.nodes()).map(NodeId::new);
        Self {
            sources: nodes().filter(|&node| place(node)[dimension + 1..] == here[dimension + 1..]).collect(),
            destinations: nodes().map(|node| place(node)[..dimension] == here[..dimension]).collect(),
        }
    }

    pub(super) fn may_lead_to(&self, node: NodeId) -> bool {
        self.destinations[node.index()]
    }
}

/// The number of a router that has a node, which is that of the node.
fn at_a_node(end: End) -> u32 {
    match end {
        End::Router(router) => router.0,
        End::Node(node) => node.0,
    }
}

fn is_at_a_node(whole: &Topology, end: End) -> bool {
    (at_a_node(end) as usize) < whole.nodes()
}
