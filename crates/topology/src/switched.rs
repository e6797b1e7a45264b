//! Networks of routers whose cables follow a formula and leave a choice of ways: dragonflies, also of leaves and
//! spines, HyperX, Slim Fly and PolarFly.
//!
//! # Model
//! Each router of the first [`Switched::homes`] has `nodes_per_router` nodes: node = `nodes_per_router * router + i`. A router has
//! *ports*, one per cable to another router, numbered without gaps from 0. [`Switched::candidates`] are the ports that begin a
//! shortest way to another router; a [`Rule`] chooses among them, or takes a way around. So routes are decided, router by
//! router; [`Topology::route`](crate::Topology::route) gives those that the rule `minimal` decides: of the candidates, in a
//! HyperX of those in the first dimension that differs, the one with the number of the destination modulo their number.
//!
//! # Numbers of links
//! With N nodes: `0 .. N` are the injection links and `N .. 2N` the ejection links, in the order of their nodes. Then follow the
//! links between routers, router by router, and at each port by port.

mod detours;
mod dragonfly;
mod dragonfly_plus;
mod field;
mod global;
mod hyper_x;
mod polar_fly;
mod remaining;
mod rule;
mod shares;
mod slim_fly;

use crate::error::{self, Mistake};
use crate::{End, Link, NodeLink, coordinates};
pub use dragonfly::Dragonfly;
pub use dragonfly_plus::DragonflyPlus;
pub use global::Arrangement;
pub use hyper_x::HyperX;
pub use polar_fly::PolarFly;
pub use remaining::Remaining;
pub use rule::{Adaptive, Decide, Rule};
pub use shares::Shares;
pub use slim_fly::SlimFly;
use smallvec::SmallVec;
use std::fmt::Debug;
use std::sync::Arc;
use weir_units::{LinkId, NodeId, RouterId, mix, pick};

/// The cables between routers: a formula for each kind of network.
pub(crate) trait Wires: Debug + Send + Sync {
    /// Number of routers.
    fn routers(&self) -> u32;
    /// Number of routers that have nodes, which are the first ones.
    fn homes(&self) -> u32 {
        self.routers()
    }
    /// Number of ports of a router.
    fn ports(&self, router: u32) -> u32;
    /// The router and the port at the other end of a cable.
    fn neighbor(&self, router: u32, port: u32) -> (u32, u32);
    /// The class of the cable at a port, below [`Self::classes`]: cables of a class have one bandwidth and latency.
    fn class(&self, _router: u32, _port: u32) -> usize {
        0
    }
    /// The names of the classes.
    fn classes(&self) -> Vec<String> {
        vec!["network".into()]
    }
    /// Adds the ports that begin a shortest way to another router; a port that begins several is there several times.
    fn minimal(&self, from: u32, to: u32, found: &mut Candidates);
    /// No shortest way between routers that have nodes has more links than this.
    fn diameter(&self) -> u32;
    /// The length of the longest shortest way between routers with nodes, and the sum of all between ordered pairs of them.
    fn lengths(&self) -> (u64, u64);
    /// The group of a router: those that a way around avoids or seeks as a whole.
    fn group(&self, router: u32) -> u32 {
        router
    }
    /// Routers of one rack stand together.
    fn rack(&self, router: u32) -> u32 {
        self.group(router)
    }
    /// Where a router is: the numbers in its name, as people write them.
    fn place(&self, router: u32) -> Vec<u32> {
        vec![router]
    }
    /// The router at a place; `None` if it has none.
    fn router_at(&self, place: &[u32]) -> Option<u32> {
        place.first().copied()
    }
    /// The form of places of routers with nodes: a word for each of their numbers.
    fn place_form(&self) -> Vec<String> {
        vec!["router".into()]
    }
    /// The kinds of routers, each with its first router, in the order of their numbers.
    fn kinds_of_routers(&self) -> Vec<(String, u32)> {
        vec![("router".into(), 0)]
    }
    /// The name of a router.
    fn name(&self, router: u32) -> String {
        format!("router {}", coordinates::written(self.place(router)))
    }
    /// The link that leaves a router by a port, where the machine numbers its links otherwise than [`Switched`] does.
    fn link_at(&self, _router: u32, _port: u32) -> Option<LinkId> {
        None
    }
    /// The link to a node, likewise.
    fn ejection(&self, _node: NodeId) -> Option<LinkId> {
        None
    }
}

/// The ports that begin a shortest way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// The ports, in the order in which they are considered.
    pub ports: SmallVec<[u16; 16]>,
    /// The number of those, from the first on, that are considered where one way is to be taken always.
    pub leading: usize,
}

impl Candidates {
    fn clear(&mut self) {
        self.ports.clear();
        self.leading = 0;
    }

    /// Adds ports that are considered also where one way is to be taken always.
    pub(crate) fn lead(&mut self, ports: impl IntoIterator<Item = u32>) {
        self.ports.extend(ports.into_iter().map(|port| port as u16));
        self.leading = self.ports.len();
    }

    /// The port that the rule `minimal` takes to a node.
    ///
    /// # Panics
    /// When there are none.
    pub fn fixed(&self, to: NodeId) -> u16 {
        self.ports[to.index() % self.leading]
    }

    /// The port that the rule `hashed` takes at a router, with the number of a pair.
    ///
    /// # Panics
    /// When there are none.
    pub fn hashed(&self, hash: u32, router: RouterId) -> u16 {
        self.ports[pick(mix(u64::from(hash) << u32::BITS | u64::from(router.0)), self.ports.len())]
    }

    /// The number that the rule `hashed` draws for a pair of nodes and an interface, of [`Self::HASH_BITS`] bits.
    pub fn hash(from: NodeId, interface: u32, to: NodeId) -> u32 {
        let pair = u64::from(from.0) << u32::BITS | u64::from(to.0);
        (mix(mix(pair).wrapping_add(interface.into())) >> (u64::BITS - Self::HASH_BITS)) as u32
    }

    /// Bits of [`Self::hash`].
    pub const HASH_BITS: u32 = 8;
}

/// The kinds of networks.
#[derive(Clone, Debug)]
pub enum Wiring {
    /// Groups of routers, each joined to each within a group, and groups joined by global cables.
    Dragonfly(Dragonfly),
    /// Groups of leaves and spines, each leaf joined to each spine within a group, and spines of all groups joined by global cables.
    DragonflyPlus(DragonflyPlus),
    /// Routers on a grid, each joined to each along every dimension; a full mesh is one of one dimension.
    HyperX(HyperX),
    /// Any two routers are joined or have a common neighbor: the graphs of McKay, Miller and Siran.
    SlimFly(SlimFly),
    /// Any two routers are joined or have one common neighbor: the points of a projective plane.
    PolarFly(PolarFly),
    /// A fat tree whose switches choose the ports up.
    FatTree(Other),
    /// A torus or mesh whose routers choose the dimension.
    Torus(Other),
}

/// A machine of a kind of its own, as a rule sees it.
#[derive(Clone, Debug)]
pub struct Other(Arc<dyn Wires>);

impl Other {
    pub(crate) fn new(wires: impl Wires + 'static) -> Self {
        Self(Arc::new(wires))
    }
}

impl Wiring {
    /// The names of the classes of its cables, which may differ in bandwidth and latency: `local`, `global`, `dimension x`,
    /// `network`.
    pub fn classes(&self) -> Vec<String> {
        self.wires().classes()
    }

    fn wires(&self) -> &dyn Wires {
        match self {
            Self::Dragonfly(dragonfly) => dragonfly,
            Self::DragonflyPlus(dragonfly) => dragonfly,
            Self::HyperX(hyper_x) => hyper_x,
            Self::SlimFly(slim_fly) => slim_fly,
            Self::PolarFly(polar_fly) => polar_fly,
            Self::FatTree(other) | Self::Torus(other) => &*other.0,
        }
    }
}

/// A network of routers whose cables follow a formula. Cheap to clone: copies share it.
#[derive(Clone, Debug)]
pub struct Switched(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    wiring: Wiring,
    per_router: u32,
    nodes: u32,
    /// By class of cables.
    cables: Vec<NodeLink>,
    node_link: NodeLink,
    rule: Rule,
    /// By router, and one more: where its links begin among those between routers.
    first: Vec<u32>,
}

impl Switched {
    /// A network of this wiring, with so many nodes at each router that has some, a cable of each class, and a rule for its routes.
    ///
    /// # Errors
    /// Names the key `nodes_per_router` when it is 0 or the links cannot be numbered with 32 bits, and `routing` when the network does
    /// not have the rule.
    ///
    /// # Panics
    /// When there are not as many cables as classes.
    pub fn new(
        wiring: Wiring,
        per_router: u32,
        cables: Vec<NodeLink>,
        node_link: NodeLink,
        rule: Rule,
    ) -> Result<Self, Vec<Mistake>> {
        let wires = wiring.wires();
        assert_eq!(cables.len(), wires.classes().len(), "there is a cable of each class");
        let mut mistakes = Vec::new();
        let nodes = u64::from(wires.homes()) * u64::from(per_router);
        let (mut first, mut links) = (vec![0], 2 * nodes);
        for router in 0..wires.routers() {
            links += u64::from(wires.ports(router));
            first.push((links - 2 * nodes) as u32);
        }
        let mut refuse =
            |key, what: String, hint: &str| mistakes.push(Mistake { key, what, hint: hint.into() });
        if per_router == 0 {
            refuse("nodes_per_router", "is 0".into(), "a router has one node at least");
        } else if links > u64::from(u32::MAX) {
            let what = error::too_many(nodes.into(), links.into());
            refuse("nodes_per_router", what, "take a smaller machine");
        }
        if let Some((what, hint)) = rule.misfit(&wiring) {
            refuse("routing", what, &hint);
        }
        error::unless_empty(mistakes)?;
        let nodes = nodes as u32;
        Ok(Self(Arc::new(Parts { wiring, per_router, nodes, cables, node_link, rule, first })))
    }

    pub(crate) fn kinds_of_routers(&self) -> Vec<(String, u32)> {
        self.0.wiring.wires().kinds_of_routers()
    }

    /// The formula of its cables.
    pub fn wiring(&self) -> &Wiring {
        &self.0.wiring
    }

    /// The rule of its routes.
    pub fn rule(&self) -> Rule {
        self.0.rule
    }

    fn wires(&self) -> &dyn Wires {
        self.0.wiring.wires()
    }

    /// The longest route between two nodes, in links between routers, and the sum over all ordered pairs of nodes.
    pub(crate) fn route_lengths(&self) -> (u64, f64) {
        let (longest, sum) = self.wires().lengths();
        (longest, sum as f64 * f64::from(self.0.per_router).powi(2))
    }

    /// By class, the cables between routers.
    pub(crate) fn cables(&self) -> &[NodeLink] {
        &self.0.cables
    }

    /// Number of nodes of each router that has some.
    pub fn nodes_per_router(&self) -> u32 {
        self.0.per_router
    }

    /// Number of routers with nodes; they are the first ones.
    pub fn homes(&self) -> u32 {
        self.wires().homes()
    }

    /// The router of a node.
    pub fn home(&self, node: NodeId) -> RouterId {
        RouterId(node.0 / self.0.per_router)
    }

    /// Number of cables from a router to others.
    pub fn ports(&self, router: RouterId) -> u32 {
        self.0.first[router.index() + 1] - self.0.first[router.index()]
    }

    /// The router at the other end of the cable at a port.
    pub fn neighbor(&self, router: RouterId, port: u16) -> RouterId {
        RouterId(self.wires().neighbor(router.0, port.into()).0)
    }

    /// The class of the cable at a port.
    pub fn class(&self, router: RouterId, port: u16) -> usize {
        self.wires().class(router.0, port.into())
    }

    /// The link that leaves a router by a port.
    pub fn link_at(&self, router: RouterId, port: u16) -> LinkId {
        let own = || LinkId(2 * self.0.nodes + self.0.first[router.index()] + u32::from(port));
        self.wires().link_at(router.0, port.into()).unwrap_or_else(own)
    }

    /// The link to a node.
    fn ejection(&self, node: NodeId) -> LinkId {
        self.wires().ejection(node).unwrap_or(LinkId(self.0.nodes + node.0))
    }

    /// Replaces what is in `found` by the ports that begin a shortest way from a router to another one.
    pub fn candidates(&self, from: RouterId, to: RouterId, found: &mut Candidates) {
        found.clear();
        self.wires().minimal(from.0, to.0, found);
        debug_assert!(from == to || (found.leading > 0 && found.leading <= found.ports.len()));
    }

    /// No shortest way between routers that have nodes has more links than this.
    pub fn diameter(&self) -> u32 {
        self.wires().diameter()
    }

    /// The group of a router.
    pub fn group(&self, router: RouterId) -> u32 {
        self.wires().group(router.0)
    }

    /// The rack of a router.
    pub(crate) fn rack(&self, router: RouterId) -> u32 {
        self.wires().rack(router.0)
    }

    /// The names of the classes of cables between routers.
    pub(crate) fn class_names(&self) -> Vec<String> {
        self.wires().classes()
    }

    pub(crate) fn nodes(&self) -> usize {
        self.0.nodes as usize
    }

    pub(crate) fn routers(&self) -> usize {
        self.0.first.len() - 1
    }

    pub(crate) fn links(&self) -> usize {
        2 * self.nodes() + self.0.first[self.routers()] as usize
    }

    /// The router and the port of a link between routers; `None` for links of nodes.
    fn find(&self, id: LinkId) -> Option<(u32, u32)> {
        assert!(id.index() < self.links(), "there is no link {id}");
        let place = id.0.checked_sub(2 * self.0.nodes)?;
        let router = self.0.first.partition_point(|&first| first <= place) - 1;
        Some((router as u32, place - self.0.first[router]))
    }

    pub(crate) fn class_of(&self, id: LinkId) -> usize {
        self.find(id).map_or(0, |(router, port)| self.wires().class(router, port))
    }

    /// The grid that looks the same from all its nodes, where each router has one and routes do not depend on its number.
    pub(crate) fn alike(&self) -> Option<&HyperX> {
        match &self.0.wiring {
            Wiring::HyperX(hyper_x)
                if (self.0.per_router, hyper_x.links_per_pair(), self.0.rule) == (1, 1, Rule::Minimal) =>
            {
                Some(hyper_x)
            }
            _ => None,
        }
    }

    /// The class of a link of such a grid by its shifts.
    pub(crate) fn symmetry_class(&self, id: LinkId) -> usize {
        let (Some(hyper_x), Some((router, port))) = (self.alike(), self.find(id)) else {
            return usize::from(id.0 >= self.0.nodes);
        };
        2 + hyper_x.distance_class(router, port) as usize
    }

    pub(crate) fn link(&self, id: LinkId) -> Link {
        let router = |number| End::Router(RouterId(number));
        match self.find(id) {
            Some((from, port)) => {
                let cable = self.0.cables[self.wires().class(from, port)];
                cable.between(router(from), router(self.wires().neighbor(from, port).0))
            }
            None => {
                let node = NodeId(id.0 % self.0.nodes);
                let (node, home) = (End::Node(node), End::Router(self.home(node)));
                let (from, to) = if id.0 < self.0.nodes { (node, home) } else { (home, node) };
                self.0.node_link.between(from, to)
            }
        }
    }

    pub(crate) fn route(&self, from: NodeId, to: NodeId, route: &mut Vec<LinkId>) {
        self.route_choosing((from, to), None, route, |found, _| found.fixed(to));
    }

    fn route_choosing(
        &self,
        (from, to): (NodeId, NodeId),
        remaining: Option<&Remaining>,
        route: &mut Vec<LinkId>,
        choose: impl Fn(&Candidates, RouterId) -> u16,
    ) {
        assert!(from.0.max(to.0) < self.0.nodes, "there is no route from node {from} to node {to}");
        route.clear();
        if from == to {
            return;
        }
        route.push(LinkId(from.0));
        let (mut here, home) = (self.home(from), self.home(to));
        let mut found = Candidates::default();
        while here != home {
            self.candidates_left(remaining, (here, home), &mut found);
            let port = choose(&found, here);
            route.push(self.link_at(here, port));
            here = self.neighbor(here, port);
        }
        route.push(self.ejection(to));
    }

    /// All routers, with the capacity of each of their links to others and the router at its other end.
    pub(crate) fn between_routers(&self) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
        let wires = self.wires();
        let of_router = move |router| (0..wires.ports(router)).map(move |port| (router, port));
        (0..wires.routers()).flat_map(of_router).map(move |(router, port)| {
            let capacity = self.0.cables[wires.class(router, port)].bandwidth.bytes_per_second();
            (router, wires.neighbor(router, port).0, capacity)
        })
    }

    /// Number of links with smaller numbers that join the same two routers in the same direction.
    pub(crate) fn parallel_before(&self, id: LinkId) -> usize {
        let Some((router, port)) = self.find(id) else { return 0 };
        let to = self.wires().neighbor(router, port).0;
        (0..port).filter(|&other| self.wires().neighbor(router, other).0 == to).count()
    }

    pub(crate) fn router_name(&self, router: RouterId) -> String {
        assert!(router.index() < self.routers(), "there is no router {router}");
        self.wires().name(router.0)
    }

    /// The place of a node: that of its router, and its number there.
    pub(crate) fn address(&self, node: NodeId) -> String {
        let place = self.wires().place(self.home(node).0);
        coordinates::written(place.into_iter().chain([node.0 % self.0.per_router]))
    }

    /// The node at a place, with or without parentheses.
    pub(crate) fn parse_address(&self, text: &str) -> Option<NodeId> {
        let place = coordinates::numbers(text)?;
        let (&number, place) = place.split_last()?;
        let router = self.wires().router_at(place).filter(|&router| router < self.homes())?;
        (number < self.0.per_router).then(|| NodeId(router * self.0.per_router + number))
    }

    /// The form of the places of nodes, in words: `(group,router,node)`.
    pub(crate) fn address_form(&self) -> String {
        format!("({},node)", self.wires().place_form().join(","))
    }
}

#[cfg(test)]
mod tests;
