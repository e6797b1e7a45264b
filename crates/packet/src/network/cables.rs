//! Nodes with several cables of their own: each is an interface, at the router at which it ends.

use super::PacketNetwork;
use weir_topology::Topology;
use weir_units::NodeId;

/// The cables of nodes, where they have several.
#[derive(Clone, Debug)]
pub(crate) struct Cables {
    /// By node.
    counts: Vec<u32>,
    /// If some of them do not lead to all nodes: the machine, to ask for ways.
    topology: Option<Topology>,
}

impl Cables {
    /// Cables of a machine; `None` if each node has one.
    pub(super) fn of(topology: &Topology) -> Option<Box<Self>> {
        let counts = || (0..topology.nodes()).map(|node| topology.cables_of(NodeId::new(node))).collect();
        let asked = || (!topology.cables_reach_all()).then(|| topology.clone());
        (topology.most_cables() > 1).then(|| Box::new(Self { counts: counts(), topology: asked() }))
    }
}

impl PacketNetwork {
    #[inline]
    pub(crate) fn interfaces_of(&self, node: NodeId) -> u32 {
        self.cables.as_ref().map_or(self.nics_per_node, |cables| cables.counts[node.index()])
    }

    /// The interfaces of a node by which a message can be sent to another one.
    pub(crate) fn interfaces_to(&self, from: NodeId, to: NodeId) -> Vec<u32> {
        match self.cables.as_ref().and_then(|cables| cables.topology.as_ref()) {
            Some(topology) => topology.cables_to(from, to),
            None => (0..self.interfaces_of(from)).collect(),
        }
    }

    /// Returns whether an interface leads to a node, where that is not so of all.
    pub(crate) fn leads(&self, from: NodeId, nic: u32, to: NodeId) -> bool {
        let asked = self.cables.as_ref().and_then(|cables| cables.topology.as_ref());
        asked.is_none_or(|topology| topology.find_route_by(from, nic, to, &mut Vec::new()))
    }

    /// The number of an interface at its node as the rule of routes knows it: the ports of cables are in the routes themselves.
    #[inline]
    pub(crate) fn nic_of_route(&self, nic: u32) -> u32 {
        if self.cables.is_some() { 0 } else { nic }
    }
}
