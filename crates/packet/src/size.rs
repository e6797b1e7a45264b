//! Size of a machine: counted before it is made.

use crate::labels::MOST_LABELS;
use crate::network::{Input, Nic, Output, PacketNetwork};
use crate::{NodeModel, Refusal, Room, RouterModel};
use weir_topology::Topology;
use weir_units::NodeId;

/// Bytes that a router keeps for each of its outputs: a cache line.
pub(crate) const BYTES_PER_OUTPUT: usize = 64;

/// Input ports of all routers; output ports are as many.
pub(crate) fn ports(topology: &Topology, nics: u32) -> u64 {
    let (nodes, links) = (topology.nodes() as u64, topology.links() as u64);
    if topology.most_cables() > 1 {
        let cables = |node| u64::from(topology.cables_of(NodeId::new(node)));
        return links.saturating_sub((0..topology.nodes()).map(cables).sum());
    }
    let between = match topology.whole() {
        // All routers of a grid have the same ports.
        Topology::Torus(torus) => {
            2 * torus.dimensions().filter(|d| d.size > 1).count() as u64 * topology.routers() as u64
        }
        _ => links.saturating_sub(2 * nodes),
    };
    between + nodes * u64::from(nics)
}

/// Says so if all buffers together have more places than can be numbered, none being larger than the model says.
pub(crate) fn too_large(ports: u64, model: &RouterModel) -> Option<Refusal> {
    let lanes = ports.saturating_mul(u64::from(model.virtual_channels));
    too_many(lanes.saturating_mul(u64::from(model.input_buffer)), model)
}

/// Says so of so many places.
pub(crate) fn too_many(places: u64, model: &RouterModel) -> Option<Refusal> {
    (places > MOST_LABELS as u64 / 2).then(|| Refusal {
        key: "packet.input_buffer",
        what: match model.room {
            Room::Fixed => format!("is {}: all buffers together have {places} places", model.input_buffer),
            Room::RoundTrip => {
                format!("is a round trip of each link: all buffers together have {places} places")
            }
        },
        hint: match model.room {
            Room::Fixed => "a machine has at most 2^30 of them: take smaller buffers, or fewer nodes",
            Room::RoundTrip => {
                "a machine has at most 2^30 of them: write how much there is, or take larger packets (packet.mtu)"
            }
        }
        .into(),
    })
}

impl PacketNetwork {
    /// Memory in bytes that a run on such a machine takes at least: that of its ports and interfaces. Buffers, packets
    /// and programs come on top. Counts only, and is quick.
    #[must_use]
    pub fn least_memory(node: &NodeModel, topology: &Topology) -> u64 {
        let nics = node.nics.count(topology).unwrap_or(1).max(1) * topology.most_cables();
        let of_port = size_of::<Input>() + size_of::<Output>() + BYTES_PER_OUTPUT;
        let of_nics = topology.nodes() as u64 * u64::from(nics) * size_of::<Nic>() as u64;
        ports(topology, nics) * of_port as u64 + of_nics
    }
}
