//! Checks of routers and nodes.

use super::{Input, Nic, Output, PacketNetwork};
use crate::labels::MOST_LABELS;
use crate::{Nics, NodeModel, Refusal, Room, RouterModel, VcAllocation};
use weir_network::ServiceClasses;
use weir_topology::Topology;
use weir_units::{Bytes, NodeId};

/// A packet says its interface with four bits.
const MOST_NICS: u32 = 16;

/// A packet says its bytes with twenty bits.
const MOST_BYTES: u64 = (1 << 20) - 1;

impl RouterModel {
    /// All that is wrong with the routers by themselves, and with the lists by kind of router on a machine. Nothing is built for it:
    /// [`PacketNetwork::build`] refuses the same, and more.
    pub fn refusals(&self, machine: Option<&Topology>) -> Vec<Refusal> {
        let mut refusals = Vec::new();
        let mut refuse = |key, what: String, hint: &str| refusals.push(Refusal::new(key, what, hint));
        if self.mtu == Bytes::ZERO || self.mtu.0 > MOST_BYTES {
            refuse("packet.mtu", format!("is {}", self.mtu), "a packet has 1 to 1,048,575 bytes");
        }
        if !(1..=256).contains(&self.virtual_channels) {
            let (all, hint) = (self.virtual_channels, "a link has 1 to 256");
            match &self.services {
                None => refuse("packet.virtual_channels", format!("is {all}"), hint),
                Some(_) => refuse("classes.channels", format!("are {all} in all classes together"), hint),
            }
        }
        if !(1..=u32::from(u16::MAX)).contains(&self.input_buffer) {
            let what = format!("has room for {} packets", self.input_buffer);
            let hint = "virtual cut-through needs room for 1 to 65,535 whole packets";
            refuse("packet.input_buffer", what, hint);
        }
        if !(1..=u32::from(u16::MAX)).contains(&self.output_buffer) {
            let what = format!("has room for {} packets", self.output_buffer);
            refuse("packet.output_buffer", what, "it has room for 1 to 65,535 whole packets");
        }
        if self.flit().0 > MOST_BYTES || self.flit == Some(Bytes::ZERO) {
            refuse("packet.flit_size", format!("is {}", self.flit()), "a flit has 1 to 1,048,575 bytes");
        }
        refusals.extend(machine.into_iter().flat_map(|machine| self.refused_lists(machine)));
        refusals
    }

    /// Crossbars are all alike, or said for each kind of router.
    fn refused_lists(&self, machine: &Topology) -> Vec<Refusal> {
        let said = [
            ("packet.switch_delay", self.switch_delay.len()),
            ("packet.switch_bandwidth", self.switch_bandwidth.len().max(1)),
        ];
        if said.iter().all(|&(_, values)| values == 1) {
            return Vec::new();
        }
        let (kinds, _) = machine.router_kinds();
        let wrong = said.into_iter().filter(|&(_, values)| values != 1 && values != kinds.len());
        let refuse = |(key, values)| {
            let (which, hint) = match &kinds[..] {
                [_] => {
                    ("all routers of the machine are of one kind".to_owned(), "write one value".to_owned())
                }
                _ => (
                    format!("the machine has {} kinds of routers", kinds.len()),
                    format!("write one value, or one for each kind: {}", kinds.join(", ")),
                ),
            };
            Refusal::new(key, format!("has {values} values, and {which}"), hint)
        };
        wrong.map(refuse).collect()
    }
}

/// Checks of nodes and of what the engine cannot do, which do not depend on the machine.
fn unfit(routers: &RouterModel, node: &NodeModel) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    let mut refuse = |key, what: String, hint: &str| refusals.push(Refusal::new(key, what, hint));
    if !(node.packet_gap >= 0.0 && node.packet_gap <= 1e6) {
        refuse("node.packet_gap", format!("is {}", node.packet_gap), "from 0 to 1,000,000 packet times");
    }
    let of_services = routers.services.iter().flat_map(ServiceClasses::all).map(|class| class.channels).max();
    let most = of_services.unwrap_or(routers.virtual_channels);
    if let Some(channels) = node.injection_channels
        && !(1..=most).contains(&channels)
    {
        let what = format!("is {channels}, and packet.virtual_channels is {most}");
        refuse("node.injection_channels", what, "an interface uses 1 to all virtual channels of its link");
    }
    if routers.services.is_some() && routers.vc_allocation == VcAllocation::BeforeSwitch {
        let what =
            "is \"before-switch\", where virtual channels are taken in one order for all classes".to_owned();
        refuse("packet.vc_allocation", what, "service classes go with vc_allocation = \"with-switch\"");
    }
    if node.nics == Nics::Several(0) {
        refuse("node.nics", "is 0".into(), "a node has at least one interface");
    }
    refusals
}

/// Number of interfaces of a node, at most.
///
/// # Errors
/// All that is wrong with the routers and nodes as such.
pub(super) fn nics(
    routers: &RouterModel,
    node: &NodeModel,
    topology: &Topology,
) -> Result<u32, Vec<Refusal>> {
    let mut refusals = routers.refusals(Some(topology));
    refusals.extend(unfit(routers, node));
    let nics = node.nics.count(topology).unwrap_or_else(|| {
        let what = "is \"per-direction\" on a machine without directions";
        refusals.push(Refusal::new("node.nics", what, "write a number, or take a torus or mesh"));
        1
    });
    let with_cables = [
        // A limit is a gate at one router.
        ("node.nics", node.nics != Nics::Several(1), "each cable is an interface: leave it out"),
        ("node.injection_limit", node.injection_limit.is_some(), "give each cable the bandwidth that it has"),
        ("node.ejection_limit", node.ejection_limit.is_some(), "give each cable the bandwidth that it has"),
    ];
    for (key, _, hint) in
        with_cables.into_iter().filter(|&(_, is_set, _)| topology.most_cables() > 1 && is_set)
    {
        refusals.push(Refusal::new(key, "does not fit nodes with several cables of their own", hint));
    }
    if nics > MOST_NICS {
        let hint = format!("a node has at most {MOST_NICS} interfaces");
        refusals.push(Refusal::new("node.nics", format!("is {nics}"), hint));
    }
    if refusals.is_empty() { Ok(nics.max(1) * topology.most_cables()) } else { Err(refusals) }
}

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

/// Checks that the buffers of so many ports, all of the size that the model says, have no more places than can be numbered.
pub(super) fn check_places_of(ports: u64, model: &RouterModel) -> Result<(), Refusal> {
    let lanes = ports.saturating_mul(u64::from(model.virtual_channels));
    check_places(lanes.saturating_mul(u64::from(model.input_buffer)), model)
}

/// Checks that all buffers together have no more places than can be numbered.
pub(super) fn check_places(places: u64, model: &RouterModel) -> Result<(), Refusal> {
    if places <= MOST_LABELS as u64 / 2 {
        return Ok(());
    }
    let (what, hint) = match model.room {
        Room::Fixed => (format!("is {}", model.input_buffer), "take smaller buffers, or fewer nodes"),
        Room::RoundTrip => (
            "is a round trip of each link".to_owned(),
            "write how much there is, or take larger packets (packet.mtu)",
        ),
    };
    let what = format!("{what}: all buffers together have {places} places");
    Err(Refusal::new("packet.input_buffer", what, format!("a machine has at most 2^30 of them: {hint}")))
}

impl PacketNetwork {
    /// Memory in bytes that a run on such a machine takes at least: that of its ports and interfaces. Buffers, packets
    /// and programs come on top. Counts only, and is quick.
    pub fn least_memory(node: &NodeModel, topology: &Topology) -> u64 {
        let nics = node.nics.count(topology).unwrap_or(1).max(1) * topology.most_cables();
        let of_port = size_of::<Input>() + size_of::<Output>() + BYTES_PER_OUTPUT;
        let of_nics = topology.nodes() as u64 * u64::from(nics) * size_of::<Nic>() as u64;
        ports(topology, nics) * of_port as u64 + of_nics
    }
}
