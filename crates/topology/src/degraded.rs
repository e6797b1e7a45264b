//! Machines of which links have failed, or are slower or faster than the others.
//!
//! # Model
//! A degraded machine has the nodes, routers and links of the whole one, with the same numbers and names. A link that has
//! failed carries nothing; a slow one has a part of its bandwidth, a fast one a multiple.
//!
//! A pair of nodes whose route in the whole machine passes no failed link keeps it. Another one takes a *detour*: a
//! shortest way over the links that are left, by hops (in a graph by its metric). Where several links begin a shortest way, the
//! rule of graphs decides (decision 38): in a graph by source and destination, else with the number that decides in the whole
//! machine, the destination (of a fat tree with source-mod routing the source). In a torus or hypercrossbar only links of the lowest dimension
//! come into question, so a detour turns as seldom as it can.
//!
//! # Memory
//! 12 bytes per link. For detours what begins shortest ways to one destination takes 4 bytes per router, or a bit per link (see
//! [`crate::Graph`]); that of the destinations asked for last is kept, in up to 64 MiB. What is kept has no effect on routes.

use crate::coordinates::place_of;
use crate::shortest::{Ways, Wires, reach};
use crate::{End, FatTreeRouting, Graph, Link, Metric, NodeLink, Remaining, Switched, Topology, Wiring};
use std::collections::{BTreeMap, VecDeque};
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use weir_units::{LinkId, NodeId, RouterId};

/// A machine with faults. Cheap to clone: copies share it.
#[derive(Clone, Debug)]
pub struct Degraded(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    whole: Topology,
    /// Factors of the bandwidth of links that are not as in the whole machine.
    speeds: BTreeMap<LinkId, f64>,
    failed: Vec<bool>,
    /// The links between routers that have not failed.
    remaining: Wires,
    kept: Mutex<Kept>,
    /// The candidates that are left, where a rule chooses among ways.
    candidates: OnceLock<Option<Remaining>>,
}

/// Ways to the destinations asked for last.
#[derive(Debug, Default)]
struct Kept {
    by_router: BTreeMap<u32, Arc<Ways>>,
    order: VecDeque<u32>,
}

/// Ways are kept to as many destinations as take so many bytes.
const MOST_KEPT: usize = 64 << 20;

/// Nodes that cannot reach each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable {
    /// The first node, in the order of their numbers, that cannot reach all others.
    pub from: NodeId,
    /// The first one that it cannot reach.
    pub to: NodeId,
    /// Number of ordered pairs of nodes without a way.
    pub pairs: u64,
}

impl Degraded {
    /// A machine in which some links have so many times their bandwidth: 0 is a link that has failed, below 1 one that is slow, above 1
    /// one that is fast. O(links).
    ///
    /// # Panics
    /// When the machine is degraded already, a link does not exist or a speed is negative or infinite.
    pub fn new(whole: Topology, speeds: BTreeMap<LinkId, f64>) -> Self {
        assert!(!matches!(whole, Topology::Degraded(_)), "the machine is degraded already");
        let fits =
            |(link, speed): (&LinkId, &f64)| link.index() < whole.links() && (0.0..=f64::MAX).contains(speed);
        assert!(speeds.iter().all(fits), "no link of the machine, or no speed");
        let mut failed = vec![false; whole.links()];
        speeds.iter().filter(|&(_, &speed)| speed == 0.0).for_each(|(link, _)| failed[link.index()] = true);
        let remaining = remaining(&whole, &failed);
        let (kept, candidates) = (Mutex::default(), OnceLock::new());
        Self(Arc::new(Parts { whole, speeds, failed, remaining, kept, candidates }))
    }

    /// The machine without its faults.
    pub fn whole(&self) -> &Topology {
        &self.0.whole
    }

    /// The links that have failed, in the order of their numbers.
    pub fn failed(&self) -> impl Iterator<Item = LinkId> + '_ {
        self.0.speeds.iter().filter(|&(_, &speed)| speed == 0.0).map(|(&link, _)| link)
    }

    /// The links that are faster than in the whole machine, in the order of their numbers, with how many times as fast they are.
    pub fn fast(&self) -> impl Iterator<Item = (LinkId, f64)> + '_ {
        self.0.speeds.iter().filter(|&(_, &speed)| speed > 1.0).map(|(&link, &speed)| (link, speed))
    }

    /// The links that are slow, in the order of their numbers, with the part of their bandwidth that they have.
    pub fn slow(&self) -> impl Iterator<Item = (LinkId, f64)> + '_ {
        let slow = |&(_, &speed): &(&LinkId, &f64)| speed > 0.0 && speed < 1.0;
        self.0.speeds.iter().filter(slow).map(|(&link, &speed)| (link, speed))
    }

    /// The candidates that are left in a network whose rule chooses among ways, unless it is `minimal`; `None` where no link has failed.
    pub fn remaining_candidates(&self) -> Option<&Remaining> {
        let find = || {
            let network = self.0.whole.chosen().filter(|network| !network.rule().is_fixed())?;
            self.failed().next()?;
            Some(Remaining::of(network, |link| self.has_failed(link)))
        };
        self.0.candidates.get_or_init(find).as_ref()
    }

    /// Returns whether a link has failed.
    ///
    /// # Panics
    /// When there is no such link.
    pub fn has_failed(&self, link: LinkId) -> bool {
        self.0.failed[link.index()]
    }

    pub(crate) fn link(&self, id: LinkId) -> Link {
        let link = self.0.whole.link(id);
        match self.0.speeds.get(&id) {
            Some(&speed) if speed > 0.0 => Link { capacity: link.capacity.times(speed), ..link },
            _ => link,
        }
    }

    /// Like [`Topology::find_route_by`].
    pub(crate) fn find_route_by(&self, pair: (NodeId, u32, NodeId), route: &mut Vec<LinkId>) -> bool {
        let (from, _, to) = pair;
        match &self.0.whole {
            Topology::Graph(graph) if graph.has_several_cables() => {
                let failed = |link: &LinkId| self.has_failed(*link);
                if graph.find_route_by(pair, route) && !route.iter().any(failed) {
                    return true;
                }
                let (number, ways) = (graph.number_of_detour(from, to), |router| self.ways(router));
                let is_whole = |link| !self.has_failed(link);
                let found = graph.lead(pair, &self.0.remaining, ways, is_whole, number, route);
                if !found {
                    route.clear();
                }
                found
            }
            // Both cables between two routers are one way to others.
            Topology::Rails(_) if self.0.whole.most_cables() > 1 => self.find_route(pair, route),
            _ => self.find_route((from, 0, to), route),
        }
    }

    /// `false`, and no route, if there is no way.
    fn find_route(&self, (from, interface, to): (NodeId, u32, NodeId), route: &mut Vec<LinkId>) -> bool {
        if !self.0.whole.find_route_by(from, interface, to, route) {
            return false;
        }
        let failed = |link: &LinkId| self.has_failed(*link);
        if !route.iter().any(failed) {
            return true;
        }
        let (first, last) = (route[0], route[route.len() - 1]);
        route.clear();
        if failed(&first) || failed(&last) {
            return false;
        }
        let ends = (self.router_behind(first), self.router_before(last));
        let ways = self.ways(ends.1);
        if !ways.reach(ends, &self.0.remaining) {
            return false;
        }
        let decides = match &self.0.whole {
            Topology::Graph(graph) => graph.number_of_detour(from, to),
            Topology::FatTree(tree) if tree.routing() == FatTreeRouting::SourceMod => from.0.into(),
            Topology::Rails(machine) if machine.is_by_source(interface) => from.0.into(),
            _ => to.0.into(),
        };
        route.push(first);
        ways.walk(ends, &self.0.remaining, decides, |link| self.group(link), route);
        route.push(last);
        true
    }

    /// Calls `visit` with every pair of nodes that takes a detour, and its route: by destination, then by source. Pairs
    /// without a way are left out. In a torus, mesh or hypercrossbar only those pairs are looked at that share the coordinates
    /// of a failed link, in a fat tree those below it, in a network with a choice of ways
    /// those of the groups that it joins or at its ends. `poll` is asked at every destination whether to go on; `false` if it
    /// stopped.
    pub fn detours(
        &self,
        mut visit: impl FnMut(NodeId, NodeId, &[LinkId]),
        mut poll: impl FnMut() -> ControlFlow<()>,
    ) -> bool {
        let ends: Vec<_> = self.failed().flat_map(|link| Ends::of(self.whole(), link)).collect();
        let (mut sources, mut route) = (Vec::new(), Vec::new());
        for to in (0..self.whole().nodes()).map(NodeId::new) {
            if poll().is_break() {
                return false;
            }
            sources.clear();
            let of_link = ends.iter().filter(|ends| ends.destinations[to.index()]);
            of_link.for_each(|ends| sources.extend_from_slice(&ends.sources));
            sources.sort_unstable();
            sources.dedup();
            for &from in sources.iter().filter(|&&from| from != to) {
                self.whole().route(from, to, &mut route);
                let concerned = route.iter().any(|&link| self.has_failed(link));
                if concerned && self.find_route((from, 0, to), &mut route) {
                    visit(from, to, &route);
                }
            }
        }
        true
    }

    /// The dimension of a link between routers, where detours go through dimensions in their order.
    fn group(&self, link: u32) -> usize {
        let (machine, link) = match &self.0.whole {
            Topology::Rails(machine) => machine.machine_of(LinkId(link)),
            whole => (whole, LinkId(link)),
        };
        match machine {
            Topology::Torus(torus) => torus.dimension_of(link),
            Topology::Hypercrossbar(machine) => machine.dimension_of(link),
            _ => 0,
        }
    }

    fn router_behind(&self, injection: LinkId) -> u32 {
        self.0.whole.link(injection).to.router()
    }

    fn router_before(&self, ejection: LinkId) -> u32 {
        self.0.whole.link(ejection).from.router()
    }

    fn ways(&self, destination: u32) -> Arc<Ways> {
        let lock = || self.0.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ways) = lock().by_router.get(&destination) {
            return Arc::clone(ways);
        }
        let found = Arc::new(Ways::to(destination, &self.0.remaining));
        let mut kept = lock();
        if kept.by_router.insert(destination, Arc::clone(&found)).is_none() {
            kept.order.push_back(destination);
        }
        while kept.order.len() > 1 && kept.order.len().saturating_mul(found.bytes()) > MOST_KEPT {
            let oldest = kept.order.pop_front();
            oldest.map(|oldest| kept.by_router.remove(&oldest));
        }
        found
    }

    /// Returns whether a node has a cable out, and one in, that are whole.
    pub fn is_attached(&self, node: NodeId) -> bool {
        let whole = &self.0.whole;
        let mut cables = 0..whole.cables_of(node);
        cables.clone().any(|cable| !self.has_failed(whole.injection_by(node, cable)))
            && cables.any(|cable| !self.has_failed(whole.ejection_by(node, cable)))
    }

    /// Which of these nodes cannot reach each other; `None` if all can. Nodes that are there several times count once.
    pub fn unreachable(&self, nodes: impl IntoIterator<Item = NodeId>) -> Option<Unreachable> {
        let mut nodes: Vec<NodeId> = nodes.into_iter().collect();
        nodes.sort_unstable();
        nodes.dedup();
        if self.0.whole.most_cables() > 1 {
            return self.unreachable_by_cables(&nodes);
        }
        let mut found: Option<Unreachable> = None;
        let mut add = |from, to, pairs| match &mut found {
            Some(found) => found.pairs += pairs,
            None => found = Some(Unreachable { from, to, pairs }),
        };
        // Nodes whose routers reach each other reach the same ones: one look is enough for all of them.
        let mut seen: BTreeMap<u32, CutOff> = BTreeMap::new();
        for &from in &nodes {
            let home = self.router_behind(LinkId(from.0));
            if self.has_failed(LinkId(from.0)) {
                if let Some(&to) = nodes.iter().find(|&&to| to != from) {
                    add(from, to, nodes.len() as u64 - 1);
                }
                continue;
            }
            if !seen.contains_key(&home) {
                let there = reach(home, true, &self.0.remaining);
                let back = reach(home, false, &self.0.remaining);
                let cut_off = self.cut_off(&nodes, &there);
                let both =
                    (0_u32..).zip(there.iter().zip(&back)).filter(|(_, (there, back))| **there && **back);
                both.for_each(|(router, _)| _ = seen.insert(router, cut_off));
            }
            let CutOff { first, count } = seen[&home];
            // A node reaches itself, also where no other does.
            let itself = u64::from(self.has_failed(self.0.whole.ejection(from)));
            if let Some(to) = first.into_iter().flatten().find(|&to| to != from) {
                add(from, to, count - itself);
            }
        }
        found
    }

    /// The same where nodes have several cables: pair by pair.
    fn unreachable_by_cables(&self, nodes: &[NodeId]) -> Option<Unreachable> {
        let machine = Topology::Degraded(self.clone());
        let mut found: Option<Unreachable> = None;
        let mut route = Vec::new();
        // Destination by destination, because ways are kept to some of them only.
        for (&to, &from) in nodes.iter().flat_map(|to| nodes.iter().map(move |from| (to, from))) {
            if from != to && !machine.find_route(from, to, &mut route) {
                let pairs = found.map_or(0, |found| found.pairs) + 1;
                let first = found.map_or((from, to), |found| (found.from, found.to).min((from, to)));
                found = Some(Unreachable { from: first.0, to: first.1, pairs });
            }
        }
        found
    }

    /// Which nodes cannot be reached where these routers are.
    fn cut_off(&self, nodes: &[NodeId], reached: &[bool]) -> CutOff {
        let cut_off = |&&to: &&NodeId| {
            let ejection = self.0.whole.ejection(to);
            self.has_failed(ejection) || !reached[self.router_before(ejection) as usize]
        };
        let mut all = nodes.iter().filter(cut_off).copied();
        let first = [all.next(), all.next()];
        CutOff { first, count: first.iter().flatten().count() as u64 + all.count() as u64 }
    }
}

/// Nodes that cannot be reached from somewhere.
#[derive(Clone, Copy)]
struct CutOff {
    /// The first two, in the order of their numbers.
    first: [Option<NodeId>; 2],
    count: u64,
}

/// The links between routers that have not failed; in a graph those out of a router in the order of names.
fn remaining(whole: &Topology, failed: &[bool]) -> Wires {
    let graph = if let Topology::Graph(graph) = whole { Some(graph) } else { None };
    let metric = graph.map_or(Metric::Hops, Graph::metric);
    let between = |id: usize| {
        let Link { from: End::Router(from), to: End::Router(to), capacity, latency } =
            whole.link(LinkId::new(id))
        else {
            return None;
        };
        let length = metric.length(NodeLink { bandwidth: capacity, latency });
        Some((LinkId::new(id).0, from.0, to.0, length))
    };
    let between: Vec<_> = (0..failed.len()).filter(|&id| !failed[id]).filter_map(between).collect();
    Wires::new(whole.routers(), failed.len(), &between, |head| {
        graph.map_or(0, |graph| graph.place_of(RouterId(head)))
    })
}

/// Where routes over a link may begin and end: each of them does as one of its [`Ends`] says.
struct Ends {
    sources: Vec<NodeId>,
    destinations: Vec<bool>,
}

impl Ends {
    fn of(whole: &Topology, id: LinkId) -> Vec<Self> {
        match (whole, whole.link(id)) {
            (Topology::Switched(machine), Link { from: End::Router(from), to: End::Router(to), .. }) => {
                Self::of_switched(machine, id, [from, to])
            }
            _ => vec![Self::of_one(whole, id)],
        }
    }

    fn of_switched(machine: &Switched, id: LinkId, [from, to]: [RouterId; 2]) -> Vec<Self> {
        let nodes = || (0..machine.nodes()).map(NodeId::new);
        let at = |sources: &dyn Fn(RouterId) -> bool, destinations: &dyn Fn(RouterId) -> bool| Self {
            sources: nodes().filter(|&node| sources(machine.home(node))).collect(),
            destinations: nodes().map(|node| destinations(machine.home(node))).collect(),
        };
        match machine.wiring() {
            // In dimension order, with one link in each dimension.
            Wiring::HyperX(hyper_x) => {
                let (dimension, dimensions) = (machine.class_of(id), hyper_x.shape().len());
                let same = |range: Range<usize>, a: RouterId, b: RouterId| {
                    range.into_iter().all(|d| hyper_x.coordinate(a.0, d) == hyper_x.coordinate(b.0, d))
                };
                vec![at(&|home| same(dimension..dimensions, home, from), &|home| {
                    same(0..dimension + 1, home, to)
                })]
            }
            Wiring::Dragonfly(_) | Wiring::DragonflyPlus(_) if machine.class_of(id) == 1 => {
                let [from, to] = [from, to].map(|router| machine.group(router));
                vec![at(&|home| machine.group(home) == from, &|home| machine.group(home) == to)]
            }
            // The first link between routers or the last one.
            _ => vec![at(&|home| home == from, &|_| true), at(&|_| true, &|home| home == to)],
        }
    }

    fn of_one(whole: &Topology, id: LinkId) -> Self {
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
                let [from, to] = [from, to].map(at_a_node);
                let router = if (from as usize) < whole.nodes() { from } else { to };
                Self::in_order(whole, dimension, router, &sizes)
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
}

/// The number of a router that has a node, which is that of the node.
fn at_a_node(end: End) -> u32 {
    match end {
        End::Router(router) => router.0,
        End::Node(node) => node.0,
    }
}

#[cfg(test)]
mod tests;
