//! Graphs, and several networks with failed links: the routes of the topology, stored hop by hop, each with its class of virtual channels.
//!
//! Where a whole route fits the 32 bits of an address, packets carry it with them, and routers look nothing up: with `p` bits
//! for a port and a class, a route of up to `32 / p` hops. Else an address is a place in a list of all hops.

use super::Hop;
use super::classify::{Between, classify};
use crate::network::{POLL_EVERY, Plan, Poll};
use crate::prefetch::{needed, prefetch};
use crate::{Classes, Refusal};
use weir_topology::{End, Graph, RouteSources, Topology};
use weir_units::{LinkId, NodeId};

/// The routes of all pairs of nodes.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    /// Output port, and above it the class. Empty if packets carry their routes.
    hops: Vec<u16>,
    /// By row and destination: the place of the first hop, or the route, its first hop in the lowest bits.
    first: Vec<u32>,
    /// By node times interfaces with routes of their own, plus interface: where its row begins. Nodes of a router mostly share one where
    /// packets carry their routes, and where nodes have several cables.
    rows: Vec<usize>,
    /// Number of interfaces of a node that have rows.
    interfaces: usize,
    pub(super) classes: u32,
    pub(super) rule: Classes,
    /// Bits of a port, and of a hop in an address; the last are 0 if an address is a place.
    port_bits: u32,
    hop_bits: u32,
    /// In the place of a class: the hop leads to the node.
    ejection: u32,
}

pub(super) const CLASS_SHIFT: u32 = 12;
/// The most ports that a hop can name.
pub(super) const MOST_PORTS: u16 = 1 << CLASS_SHIFT;
pub(super) const MOST_CLASSES: u32 = 15;
/// In the place of a class: the hop leads to the node.
pub(super) const EJECTION: u16 = 15;
/// The most hops; they take 2 GiB.
pub(super) const MOST_HOPS: usize = 1 << 30;

impl Stored {
    /// The routes, all in class 0.
    ///
    /// # Errors
    /// When they have too many hops or ports, or `poll` stops it.
    pub(crate) fn new(plan: &Plan<'_>, outputs: &[u16], poll: Poll<'_>) -> Result<Self, String> {
        // Ports of cables are in the routes themselves.
        let (topology, nics) = (plan.topology, plan.each());
        let nodes = topology.nodes();
        let sources = Sources::of(topology);
        let pairs = sources.pairs(topology);
        if pairs > MOST_HOPS {
            return Err(format!("has {nodes} nodes: the routes of all pairs do not fit into 2 GiB"));
        }
        let (mut hops, mut first) = (Vec::new(), Vec::with_capacity(pairs));
        let mut route = Vec::new();
        for pair in 0..pairs {
            check(pair, poll)?;
            first.push(u32::try_from(hops.len()).expect("there are fewer hops than 2^30"));
            sources.route(topology, pair, &mut route);
            // None where failed links leave no way.
            for &link in route.get(1..).unwrap_or(&[]) {
                let port = outputs[link.index()];
                if u32::from(port) + nics > u32::from(MOST_PORTS) {
                    return Err(format!("needs more than {MOST_PORTS} ports at a router"));
                }
                let ejection = matches!(topology.link(link).to, End::Node(_));
                hops.push(if ejection { port | EJECTION << CLASS_SHIFT } else { port });
            }
            if hops.len() > MOST_HOPS {
                return Err(format!("has {nodes} nodes: the routes of all pairs do not fit into 2 GiB"));
            }
        }
        let (port_bits, ejection) = (CLASS_SHIFT, EJECTION.into());
        let rows = sources.0.group.iter().map(|&group| group as usize * nodes).collect();
        let interfaces = topology.most_cables() as usize;
        Ok(Self {
            hops,
            first,
            rows,
            interfaces,
            classes: 1,
            rule: Classes::One,
            port_bits,
            hop_bits: 0,
            ejection,
        })
    }

    /// Gives hops their classes, and packets their routes if they can carry them.
    ///
    /// # Errors
    /// When there are too many classes, or those that are given let packets wait for each other in a circle. When `poll` stops
    /// it, with anything.
    pub(crate) fn classify(
        &mut self,
        plan: &Plan<'_>,
        graph: Option<&Graph>,
        poll: Poll<'_>,
    ) -> Result<(), Refusal> {
        let Self { hops, first, .. } = self;
        let classified = classify(plan, graph, poll, &mut |pair, hop, class| {
            let hop = &mut hops[first[pair as usize] as usize + hop];
            *hop = (*hop % MOST_PORTS) | u16::from(class) << CLASS_SHIFT;
        })?;
        (self.rule, self.classes) = classified;
        self.pack();
        if self.hop_bits > 0 && self.interfaces == 1 {
            self.share_rows(plan.topology);
        }
        Ok(())
    }

    /// Puts whole routes in the place of places, if they fit.
    fn pack(&mut self) {
        let bits = |most: u32| (u32::BITS - most.leading_zeros()).max(1);
        let port = |hop: u16| u32::from(hop % MOST_PORTS);
        let port_bits = bits(self.hops.iter().map(|&hop| port(hop)).max().unwrap_or(0));
        // One more than there are classes: the last one is for the hop to the node.
        let hop_bits = port_bits + bits(self.classes);
        let ejection = (1 << (hop_bits - port_bits)) - 1;
        let ends = self.first.iter().skip(1).map(|&end| end as usize).chain([self.hops.len()]);
        let routes = || self.first.iter().map(|&first| first as usize).zip(ends.clone());
        let longest = routes().map(|(first, end)| end - first).max().unwrap_or(0);
        if longest as u32 * hop_bits > u32::BITS {
            return;
        }
        let pack = |(first, end): (usize, usize)| {
            self.hops[first..end].iter().rev().fold(0_u64, |route, &hop| {
                let class = match hop >> CLASS_SHIFT {
                    EJECTION => ejection,
                    class => class.into(),
                };
                route << hop_bits | u64::from(class << port_bits | port(hop))
            }) as u32
        };
        let packed = routes().map(pack).collect();
        (self.first, self.hops) = (packed, Vec::new());
        (self.port_bits, self.hop_bits, self.ejection) = (port_bits, hop_bits, ejection);
    }

    /// Keeps equal rows of nodes of one router only once, so that more of them are near.
    fn share_rows(&mut self, topology: &Topology) {
        let nodes = self.rows.len();
        let mut row_of_router = vec![None; topology.routers()];
        let mut kept: Vec<u32> = Vec::new();
        for source in 0..nodes {
            let row = &self.first[source * nodes..][..nodes];
            let End::Router(router) = topology.link(LinkId::new(source)).to else {
                unreachable!("the first links are those of injection")
            };
            let of_router = &mut row_of_router[router.index()];
            let begin = of_router.filter(|&begin: &usize| kept[begin..][..nodes] == *row);
            self.rows[source] = begin.unwrap_or_else(|| {
                kept.extend_from_slice(row);
                kept.len() - nodes
            });
            of_router.get_or_insert(self.rows[source]);
        }
        self.first = kept;
    }

    pub(crate) fn address(&self, from: NodeId, nic: u32, to: NodeId) -> u32 {
        let own = if self.interfaces == 1 { 0 } else { nic as usize };
        let place = self.rows[from.index() * self.interfaces + own] + to.index();
        needed(&self.first, place);
        self.first[place]
    }

    /// Asks for an address before it is needed.
    #[inline]
    pub(crate) fn prefetch(&self, from: NodeId, to: NodeId) {
        prefetch(&self.first, self.rows[from.index() * self.interfaces] + to.index());
    }

    #[inline(always)]
    pub(crate) fn hop(&self, address: u32, nic: u32) -> Hop {
        let hop = if self.hop_bits == 0 {
            self.hops[address as usize].into()
        } else {
            address & ((1_u64 << self.hop_bits) - 1) as u32
        };
        let (port, class) = (hop & ((1 << self.port_bits) - 1), hop >> self.port_bits);
        if class == self.ejection {
            Hop { output: (port + nic) as u16, class: 0 }
        } else {
            Hop { output: port as u16, class: class as u8 }
        }
    }

    /// The address behind a router.
    #[inline(always)]
    pub(crate) fn onward(&self, address: u32) -> u32 {
        match self.hop_bits {
            0 => address + 1,
            bits => (u64::from(address) >> bits) as u32,
        }
    }
}

/// # Errors
/// When it is this pair's turn to poll, and that stops everything.
pub(super) fn check(pair: usize, poll: Poll<'_>) -> Result<(), String> {
    let stops = pair.is_multiple_of(POLL_EVERY) && poll().is_break();
    if stops { Err("is not built to its end".into()) } else { Ok(()) }
}

/// Sources with routes of their own: all nodes, or where they have several cables, one interface of all that have the same routes.
pub(super) struct Sources(RouteSources);

impl Sources {
    pub(super) fn of(topology: &Topology) -> Self {
        if topology.most_cables() > 1 {
            return Self(topology.route_sources());
        }
        let nodes = || (0..topology.nodes()).map(NodeId::new);
        Self(RouteSources {
            first: nodes().map(|node| (node, 0)).collect(),
            group: nodes().map(|node| node.0).collect(),
        })
    }

    /// Number of pairs of a source and a node, source by source.
    pub(super) fn pairs(&self, topology: &Topology) -> usize {
        self.0.first.len() * topology.nodes()
    }

    /// The links of a pair; from a node to itself, to the router and back. None if there is no way.
    fn route(&self, topology: &Topology, pair: usize, route: &mut Vec<LinkId>) {
        let (from, interface) = self.0.first[pair / topology.nodes()];
        let to = NodeId::new(pair % topology.nodes());
        topology.find_route_by(from, interface, to, route);
        if from == to {
            route.extend([topology.injection_by(from, interface), topology.ejection_by(from, interface)]);
        }
    }

    /// The links of a pair between routers. All virtual channels of an injection link are alike, and no packet waits behind an
    /// ejection link.
    pub(super) fn between<'a>(
        &self,
        topology: &Topology,
        pair: u32,
        route: &'a mut Vec<LinkId>,
    ) -> Between<'a> {
        self.route(topology, pair as usize, route);
        route.get(1..route.len().max(2) - 1).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::graph;
    use crate::network::PacketNetwork;
    use crate::routing::Routing;
    use crate::{NodeModel, RouterModel};

    fn stored(routers: u32, joined: &[(u32, u32)], homes: &[u32], virtual_channels: u32) -> Stored {
        let model = RouterModel { virtual_channels, ..RouterModel::default() };
        let network = PacketNetwork::new(&model, &NodeModel::default(), &graph(routers, joined, homes));
        match network.expect("enough virtual channels").routing {
            Routing::Stored(stored) => stored,
            _ => unreachable!("a graph has stored routes"),
        }
    }

    /// In a line a router has three ports at most, two bits, and the class takes one. A route has a hop at each router: ten of
    /// them fit 32 bits. Longer ones are looked up.
    #[test]
    fn packets_carry_routes_that_fit() {
        for (routers, carried) in [(3, true), (9, true), (10, true), (11, false), (20, false)] {
            let joined: Vec<_> = (1..routers).map(|router| (router - 1, router)).collect();
            let homes: Vec<_> = (0..routers).collect();
            let stored = stored(routers, &joined, &homes, 1);
            let bits = if carried { (2, 3) } else { (CLASS_SHIFT, 0) };
            assert_eq!((stored.port_bits, stored.hop_bits), bits, "{routers} routers");
            assert_eq!(stored.hops.is_empty(), carried);
            assert_eq!(stored.first.len(), (routers * routers) as usize);
            // Along the line: by the only link of router 0, then by the second port of each, which is the node's of the last one.
            let mut address = stored.address(NodeId(0), 0, NodeId(routers - 1));
            for router in 0..routers {
                let Hop { output, class } = stored.hop(address, 0);
                let expected = (u16::from(router > 0), 0);
                assert_eq!((output, class), expected, "router {router} of {routers}");
                address = stored.onward(address);
            }
        }
    }
}
