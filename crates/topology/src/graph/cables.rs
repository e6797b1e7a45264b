//! Nodes with several cables: which one a route ends with, and which sources have the same routes. Those of [`crate::Rails`] end in the network in which they begin.
//!
//! # Model
//! Each cable of a node is an interface, and routes pass no node. So what leaves by a cable stays in the networks that its router belongs to:
//! it arrives by the cable of the destination that is nearest. Where several are equally near, the router is that of the cable with the
//! number of the first one, and the cable one of those at this router that the cables of the source at its own router take in turn: as
//! parallel cables of one plane, or of one rail, are used. Sources with fewer cables than that begin in different places.

use super::Graph;
use crate::shortest::{Ways, Wires};
use crate::{End, Topology};
use std::collections::BTreeMap;
use std::ops::Deref;
use weir_units::{LinkId, NodeId};

/// By which cable of its destination a route arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Arrival {
    interface: u32,
    router: u32,
    /// Says whether another node with the same cables could arrive by another one.
    depends_on_source: bool,
}

/// Which interfaces have the same routes to all nodes, so that they have to be known only once.
#[derive(Clone, Debug)]
pub struct RouteSources {
    /// One interface of each group, with its node.
    pub first: Vec<(NodeId, u32)>,
    /// By node times the most interfaces of a node, plus interface: its group. One that a node does not have is in that of its first.
    pub group: Vec<u32>,
}

impl Topology {
    /// Number of a node's own cables: 1, but for nodes of graphs and of several networks. The links of one may stand for several interfaces that are equal.
    pub fn cables_of(&self, node: NodeId) -> u32 {
        match self.whole() {
            Self::Graph(graph) => graph.cables_of(node),
            Self::Rails(machine) => machine.count() as u32,
            _ => 1,
        }
    }

    /// The largest number of cables of a node.
    pub fn most_cables(&self) -> u32 {
        match self.whole() {
            Self::Graph(graph) => graph.most_cables(),
            Self::Rails(machine) => machine.count() as u32,
            _ => 1,
        }
    }

    /// The link from a node to a router that is that of the cable with this number; of the first one if it has fewer.
    pub fn injection_by(&self, node: NodeId, interface: u32) -> LinkId {
        match self.whole() {
            Self::Graph(graph) => graph.injection(node, interface).unwrap_or(LinkId(node.0)),
            Self::Rails(machine) if interface < self.most_cables() => machine.injection(node, interface),
            _ => LinkId(node.0),
        }
    }

    /// The link back.
    pub fn ejection_by(&self, node: NodeId, interface: u32) -> LinkId {
        match self.whole() {
            Self::Graph(graph) if interface > 0 && interface < graph.cables_of(node) => {
                LinkId(graph.further(node, interface) + 1)
            }
            Self::Rails(machine) if interface < self.most_cables() => machine.ejection(node, interface),
            _ => self.ejection(node),
        }
    }

    /// The number of the cable of a node to which a link of it belongs; 0 for all other links.
    pub fn cable_of(&self, id: LinkId) -> u32 {
        let graph = match self.whole() {
            Self::Graph(graph) => graph,
            Self::Rails(machine) => return machine.cable_of(id),
            _ => return 0,
        };
        let wiring = &graph.network.wiring;
        let Some(behind) = id.index().checked_sub(2 * graph.nodes()) else { return 0 };
        let node = match wiring.links.get(id.index()).map(|link| (link.from, link.to)) {
            Some((End::Node(node), _) | (_, End::Node(node))) => node,
            _ => return 0,
        };
        1 + behind as u32 / 2 - wiring.further[node.index()]
    }

    /// Returns whether there is one cable only by which a node sends another one, so that its route follows from the pair.
    pub fn has_one_way(&self) -> bool {
        match self.whole() {
            Self::Rails(machine) => machine.has_one_way(),
            whole => whole.most_cables() == 1,
        }
    }

    /// Returns whether every cable of every node leads to all nodes, so that a message can take any.
    pub fn cables_reach_all(&self) -> bool {
        match self {
            Self::Graph(graph) => graph.network.wiring.cables_reach_all,
            Self::Rails(machine) => machine.reach_all(),
            Self::Degraded(degraded) if degraded.failed().next().is_none() => {
                degraded.whole().cables_reach_all()
            }
            Self::Degraded(_) => false,
            _ => true,
        }
    }

    /// The cables of a node by which there is a way to another one, by their numbers. Where there is none, because of faults, those by which
    /// there is one without faults: what waits there goes on when all is whole again.
    pub fn cables_to(&self, from: NodeId, to: NodeId) -> Vec<u32> {
        let leading = |machine: &Self| -> Vec<u32> {
            (0..self.cables_of(from)).filter(|&cable| machine.leads_by(from, cable, to)).collect()
        };
        let found = leading(self);
        if found.is_empty() { leading(self.whole()) } else { found }
    }

    /// Returns whether there is a way from a node to another one by an interface.
    pub fn leads_by(&self, from: NodeId, interface: u32, to: NodeId) -> bool {
        match self {
            Self::Rails(machine) => machine.leads(from, interface, to),
            _ => self.find_route_by(from, interface, to, &mut Vec::new()),
        }
    }

    /// Which interfaces have the same routes, where nodes have cables of their own.
    pub fn route_sources(&self) -> RouteSources {
        let most = self.most_cables();
        let shares = match self {
            Self::Graph(graph) if !graph.network.spread.depends_on_source() => Some(graph),
            _ => None,
        };
        let mut sources = RouteSources { first: Vec::new(), group: Vec::new() };
        let mut known: BTreeMap<(u32, u32, u32, u32, u32), u32> = BTreeMap::new();
        for node in (0..self.nodes()).map(NodeId::new) {
            let begin = sources.group.len();
            for interface in 0..most {
                if interface >= self.cables_of(node) {
                    sources.group.push(sources.group[begin]);
                    continue;
                }
                let key = shares.map(|graph| graph.place_among_cables(node, interface));
                let found = key.and_then(|key| known.get(&key).copied());
                let group = found.unwrap_or_else(|| {
                    sources.first.push((node, interface));
                    sources.first.len() as u32 - 1
                });
                if let (None, Some(graph), Some(key)) = (found, shares, key)
                    && !graph.depends_on_source(node, interface)
                {
                    known.insert(key, group);
                }
                sources.group.push(group);
            }
        }
        sources
    }
}

impl Graph {
    /// The largest number of cables of a node.
    pub fn most_cables(&self) -> u32 {
        self.network.wiring.most_cables
    }

    /// Returns whether a node has more than one cable.
    pub(crate) fn has_several_cables(&self) -> bool {
        self.network.wiring.most_cables > 1
    }

    pub(crate) fn cables_of(&self, node: NodeId) -> u32 {
        let further = &self.network.wiring.further;
        1 + further[node.index() + 1] - further[node.index()]
    }

    /// The injection link of a cable that is not the first; the ejection link is behind it.
    fn further(&self, node: NodeId, interface: u32) -> u32 {
        let wiring = &self.network.wiring;
        2 * (wiring.home.len() as u32 + wiring.further[node.index()] + interface - 1)
    }

    fn injection(&self, node: NodeId, interface: u32) -> Option<LinkId> {
        match interface {
            0 => Some(LinkId(node.0)),
            _ if interface < self.cables_of(node) => Some(LinkId(self.further(node, interface))),
            _ => None,
        }
    }

    fn ejection(&self, node: NodeId, interface: u32) -> LinkId {
        match interface {
            0 => LinkId::new(self.nodes() + node.index()),
            _ => LinkId(self.further(node, interface) + 1),
        }
    }

    /// The router of a cable of a node.
    fn router_of(&self, node: NodeId, interface: u32) -> u32 {
        let wiring = &self.network.wiring;
        match interface {
            0 => wiring.home[node.index()],
            _ => wiring.links[self.further(node, interface) as usize].to.router(),
        }
    }

    /// Like [`Topology::find_route_by`].
    pub(crate) fn find_route_by(&self, pair: (NodeId, u32, NodeId), route: &mut Vec<LinkId>) -> bool {
        let (from, _, to) = pair;
        if !self.has_several_cables() {
            self.route(from, to, route);
            return true;
        }
        let number = self.network.spread.number(from, to);
        let ways = |router| self.ways(router);
        self.lead(pair, &self.network.wiring.wires, ways, |_| true, number, route)
    }

    pub(super) fn ways(&self, router: u32) -> &Ways {
        let wiring = &self.network.wiring;
        self.network.ways[router as usize].get_or_init(|| Ways::to(router, &wiring.wires))
    }

    /// Replaces what is in `route` by the links of a route from a cable of a node to another node, over these links between routers; `false` if
    /// there is none. `is_whole` says which links of nodes can be used.
    pub(crate) fn lead<W: Deref<Target = Ways>>(
        &self,
        (from, interface, to): (NodeId, u32, NodeId),
        wires: &Wires,
        ways: impl Fn(u32) -> W,
        is_whole: impl Fn(LinkId) -> bool,
        number: u64,
        route: &mut Vec<LinkId>,
    ) -> bool {
        route.clear();
        if from == to {
            return true;
        }
        let Some(first) = self.injection(from, interface).filter(|&link| is_whole(link)) else {
            return false;
        };
        let here = self.router_of(from, interface);
        let length = |router| ways(router).length((here, router), wires);
        let Some(arrival) = self.arrival((from, interface), to, length, is_whole) else { return false };
        route.push(first);
        ways(arrival.router).walk((here, arrival.router), wires, number, |_| 0, route);
        route.push(self.ejection(to, arrival.interface));
        true
    }

    /// By which cable a route arrives, if there is one.
    fn arrival<L: Ord + Copy>(
        &self,
        (from, interface): (NodeId, u32),
        to: NodeId,
        length: impl Fn(u32) -> Option<L>,
        is_whole: impl Fn(LinkId) -> bool,
    ) -> Option<Arrival> {
        // All that are nearest, those of one router side by side.
        let (mut nearest, mut least): (Vec<(u32, u32)>, Option<L>) = (Vec::new(), None);
        let mut last: Option<(u32, Option<L>)> = None;
        for cable in (0..self.cables_of(to)).filter(|&cable| is_whole(self.ejection(to, cable))) {
            let router = self.router_of(to, cable);
            let found = match last {
                Some((known, length)) if known == router => length,
                _ => length(router),
            };
            last = Some((router, found));
            let Some(found) = found else { continue };
            if least.is_none_or(|least| found < least) {
                nearest.clear();
                least = Some(found);
            }
            if least == Some(found) {
                nearest.push((router, cable));
            }
        }
        nearest.sort_by_key(|&(router, _)| {
            self.network.place_of[self.network.wiring.routers[router as usize] as usize]
        });
        let by_router: Vec<_> = nearest.chunk_by(|a, b| a.0 == b.0).collect();
        let (own, at_router, place) = self.own_cables(from, interface);
        let same = by_router.iter().position(|cables| cables.iter().any(|&(_, cable)| cable == interface));
        let few = (by_router.len() as u32) > own;
        let which = match same {
            Some(same) if !few => same,
            _ => in_turn(by_router.len(), from, own, interface),
        };
        let cables = *by_router.get(which)?;
        let fewer = cables.len() as u32 > at_router;
        let same = cables.iter().position(|&(_, cable)| cable == interface);
        let which = match same {
            Some(same) if !fewer => same,
            _ => in_turn(cables.len(), from, at_router, place),
        };
        let (router, interface) = cables[which];
        Some(Arrival { interface, router, depends_on_source: few || fewer })
    }

    /// Number of cables of a node, of those at the router of this one, and of those of them before it.
    fn own_cables(&self, node: NodeId, interface: u32) -> (u32, u32, u32) {
        let (own, router) = (self.cables_of(node), self.router_of(node, interface));
        let here = |cables: std::ops::Range<u32>| {
            cables.filter(|&cable| self.router_of(node, cable) == router).count() as u32
        };
        (own, here(0..own), here(0..interface))
    }

    /// The numbers from which the routes of an interface follow, where they do not depend on its node.
    fn place_among_cables(&self, node: NodeId, interface: u32) -> (u32, u32, u32, u32, u32) {
        let (own, here, before) = self.own_cables(node, interface);
        (self.router_of(node, interface), interface, own, here, before)
    }

    /// Returns whether routes of an interface depend on which node has it.
    fn depends_on_source(&self, node: NodeId, interface: u32) -> bool {
        let here = self.router_of(node, interface);
        let length = |router| self.ways(router).length((here, router), &self.network.wiring.wires);
        let arrival = |to| self.arrival((node, interface), to, length, |_| true);
        (0..self.nodes()).map(NodeId::new).filter_map(arrival).any(|arrival| arrival.depends_on_source)
    }
}

/// Which of several a source takes with one of its own: where it has fewer, all sources together take each.
fn in_turn(count: usize, from: NodeId, own: u32, place: u32) -> usize {
    let (own, place) = (own as usize, place as usize);
    let number = if own >= count { place } else { from.index() * own + place };
    number % count.max(1)
}

#[cfg(test)]
mod tests;
