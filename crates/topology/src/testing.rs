//! What the tests of all topologies ask.

use crate::Topology;
use weir_units::{LinkId, NodeId};

/// The route between two nodes.
pub(crate) fn route(machine: &Topology, from: u32, to: u32) -> Vec<LinkId> {
    let mut route = Vec::new();
    machine.route(NodeId(from), NodeId(to), &mut route);
    route
}

/// The names of its links.
pub(crate) fn names(machine: &Topology, from: u32, to: u32) -> Vec<String> {
    route(machine, from, to).into_iter().map(|id| machine.link_name(id)).collect()
}
