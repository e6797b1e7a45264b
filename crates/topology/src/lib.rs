//! Machines: routers, links, routes, and the mapping of ranks to nodes.
//!
//! A [`Topology`] is a set of nodes and routers joined by one-way [`Link`]s, with one route from every node to every
//! other. Nothing is stored per pair or per link: routes and links are formulas of the indices, so a machine of a
//! million nodes costs as much memory as one of four. Only a [`Graph`], for which there is no formula, is stored, and the
//! links of a [`Degraded`] machine, on which routes lead around those that have failed. A machine is described once, cannot be changed afterward, and knows nothing of simulated time; a latency is just a
//! property of a wire.
//!
//! Every route starts with the injection link of its first node and ends with the ejection link of its last. Links
//! are numbered without gaps from zero: all injection links first (link `v` belongs to node `v`, and is that of its first cable), then what
//! is between routers, in the order that [`Torus`], [`Hypercrossbar`], [`FatTree`], [`Switched`], [`Rails`] and [`Graph`] document.

pub mod coordinates;
mod cut;
mod degraded;
mod error;
mod fat_tree;
mod folding;
mod graph;
#[cfg(test)]
mod harness;
mod hypercrossbar;
mod link;
pub mod mapping;
mod partition;
mod parts;
mod rails;
mod router_kinds;
mod shortest;
mod switched;
pub mod tofu;
mod torus;

pub use cut::{Bisection, Cut, Obtained, RouteLengths, Side, Through};
pub use degraded::{Degraded, Unreachable};
pub use error::Mistake;
pub use fat_tree::{FatTree, FatTreeRouting, Stage, Switches};
pub use folding::{Fold, Folding};
pub use graph::{
    GivenRoutes, Graph, GraphMistake, GraphPlace, Hop, Metric, RouteMistake, RouteSources, Vertex,
    VertexKind, Wire, compare_names,
};
pub use hypercrossbar::{CrossbarDimension, Hypercrossbar};
pub use link::{End, Link, LinkClasses, NodeCables, NodeLink};
pub use mapping::{Generator, MappingError, permutation};
pub use parts::Part;
pub use rails::{Rail, Rails, Within};
pub use switched::{
    Adaptive, Arrangement, Candidates, Decide, Dragonfly, DragonflyPlus, HyperX, Other, PolarFly, Remaining,
    Rule, Shares, SlimFly, Switched, Wiring,
};
pub use torus::{Dimension, Tie, Torus, Wrap};
use weir_units::{LinkId, NodeId, RouterId};

/// A machine of one of the known kinds.
#[derive(Clone, Debug)]
pub enum Topology {
    /// A torus, a mesh, or a mixture of both; a [Tofu](tofu) as well.
    Torus(Torus),
    /// A fat tree of any number of stages.
    FatTree(FatTree),
    /// A hypercrossbar.
    Hypercrossbar(Hypercrossbar),
    /// A network with a choice of ways: a dragonfly, with or without spines, a HyperX, a Slim Fly, a PolarFly.
    Switched(Switched),
    /// Several of these, in each of which every node has an interface.
    Rails(Rails),
    /// Any network.
    Graph(Graph),
    /// Any of these with links that have failed or are slow.
    Degraded(Degraded),
}

/// The value of an expression for the whole machine of each kind; a new kind is one line here.
macro_rules! whole {
    ($topology:expr, $machine:ident => $value:expr) => {
        match $topology.whole() {
            Topology::Torus($machine) => $value,
            Topology::FatTree($machine) => $value,
            Topology::Hypercrossbar($machine) => $value,
            Topology::Switched($machine) => $value,
            Topology::Rails($machine) => $value,
            Topology::Graph($machine) => $value,
            Topology::Degraded(_) => unreachable!("a whole machine has no faults"),
        }
    };
}

impl Topology {
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        whole!(self, machine => machine.nodes())
    }

    /// Number of routers.
    pub fn routers(&self) -> usize {
        whole!(self, machine => machine.routers())
    }

    /// Number of links; their ids are `0 .. links()`. Links are one-way: two per cable.
    pub fn links(&self) -> usize {
        whole!(self, machine => machine.links())
    }

    /// Number of cables, those between nodes and routers included.
    pub fn cables(&self) -> usize {
        self.links() / 2
    }

    /// Returns a link by its number. O(dimensions) or O(stages).
    ///
    /// # Panics
    /// When there is no such link.
    pub fn link(&self, id: LinkId) -> Link {
        match self {
            Self::Torus(torus) => torus.link(id),
            Self::FatTree(tree) => tree.link(id),
            Self::Hypercrossbar(machine) => machine.link(id),
            Self::Switched(machine) => machine.link(id),
            Self::Rails(machine) => machine.link(id),
            Self::Graph(graph) => graph.link(id),
            Self::Degraded(degraded) => degraded.link(id),
        }
    }

    /// Replaces what is in `route` by the links from one node to another, in the order in which they are passed:
    /// injection link first, ejection link last. Empty if both are the same node. O(hops); on a degraded machine a route
    /// around failed links may take O(links).
    ///
    /// # Panics
    /// When one of the nodes does not exist, or they cannot reach each other: see [`Self::find_route`].
    pub fn route(&self, from: NodeId, to: NodeId, route: &mut Vec<LinkId>) {
        let found = self.find_route(from, to, route);
        assert!(found, "there is no way from node {from} to node {to}");
    }

    /// Like [`Self::route`]; `false`, and no links, if there is no way because of links that have failed.
    ///
    /// # Panics
    /// When one of the nodes does not exist.
    pub fn find_route(&self, from: NodeId, to: NodeId, route: &mut Vec<LinkId>) -> bool {
        (0..self.cables_of(from)).any(|interface| self.find_route_by(from, interface, to, route))
    }

    /// Like [`Self::find_route`], for what the interface of a node with this number sends. Where nodes of a graph have several cables, or there
    /// are several networks, each is an interface, and there may be no way by one of them. Where both cables between two
    /// routers of a torus are used and nothing has failed, interfaces take them in turn; else all take the route of the first one.
    ///
    /// # Panics
    /// When one of the nodes does not exist.
    pub fn find_route_by(&self, from: NodeId, interface: u32, to: NodeId, route: &mut Vec<LinkId>) -> bool {
        match self {
            Self::Torus(torus) => torus.route(from, interface, to, route),
            Self::FatTree(tree) => tree.route(from, to, route),
            Self::Hypercrossbar(machine) => machine.route(from, to, route),
            Self::Switched(machine) => machine.route(from, to, route),
            Self::Rails(machine) => return machine.find_route_by(from, interface, to, route),
            Self::Graph(graph) => return graph.find_route_by((from, interface, to), route),
            Self::Degraded(degraded) if degraded.failed().next().is_none() => {
                return degraded.whole().find_route_by(from, interface, to, route);
            }
            Self::Degraded(degraded) => return degraded.find_route_by((from, interface, to), route),
        }
        true
    }

    /// Finds the parts of what an interface of one node sends to another that pass each link, in the mean over what the
    /// [rule](Rule) of the machine draws; one route where it draws nothing. Where links have failed, a pair takes the ways that are left, and where
    /// there is none one way around. Returns whether there is a way.
    ///
    /// # Panics
    /// When one of the nodes does not exist.
    pub fn find_shares_by(&self, from: NodeId, interface: u32, to: NodeId, shares: &mut Shares) -> bool {
        let leads = match (self.chosen(), self.whole()) {
            (Some(machine), _) => {
                let remaining = self.degraded().and_then(Degraded::remaining_candidates);
                machine.shares((from, interface, to), remaining, shares);
                true
            }
            (_, Self::Rails(machine)) => machine.find_shares_by(from, interface, to, shares),
            _ => false,
        };
        if leads {
            let failed = |link: &LinkId| self.degraded().is_some_and(|degraded| degraded.has_failed(*link));
            if !shares.links.iter().any(failed) {
                return true;
            }
        }
        shares.weights.clear();
        self.find_route_by(from, interface, to, &mut shares.links)
    }

    /// The ways around from an interface of one node to another node that a [rule](Rule) which weighs queues may take, each as its links between
    /// routers, without those that pass a link that has failed.
    ///
    /// # Panics
    /// When one of the nodes does not exist.
    pub fn detours(&self, from: NodeId, interface: u32, to: NodeId) -> Vec<Vec<LinkId>> {
        let mut ways = match self.whole() {
            Self::Switched(machine) => machine.detours(from, to),
            Self::Rails(machine) => machine.detours(from, interface, to),
            _ => Vec::new(),
        };
        if let Some(degraded) = self.degraded() {
            ways.retain(|way| !way.iter().any(|&link| degraded.has_failed(link)));
        }
        ways
    }

    /// Number of links of nodes, which are the first ones in machines whose rules weigh queues.
    pub fn links_of_nodes(&self) -> usize {
        let networks = if let Self::Rails(machine) = self.whole() { machine.count() } else { 1 };
        2 * self.nodes() * networks
    }

    /// The rules that choose among ways, of each network that has one.
    pub fn rules(&self) -> Vec<Rule> {
        match self.whole() {
            Self::Rails(machine) => machine.networks().flat_map(|(machine, _)| machine.rules()).collect(),
            _ => self.chosen().map(Switched::rule).into_iter().collect(),
        }
    }

    /// The machine as a network whose rule chooses among ways, where it has one.
    pub fn chosen(&self) -> Option<&Switched> {
        match self.whole() {
            Self::Switched(machine) => Some(machine),
            Self::FatTree(tree) => tree.chosen(),
            Self::Torus(torus) => torus.chosen(),
            _ => None,
        }
    }

    /// The machine without its faults: itself, if it has none.
    pub fn whole(&self) -> &Self {
        match self {
            Self::Degraded(degraded) => degraded.whole(),
            whole => whole,
        }
    }

    /// Its faults, if it has some.
    pub fn degraded(&self) -> Option<&Degraded> {
        if let Self::Degraded(degraded) = self { Some(degraded) } else { None }
    }

    /// The link from a router to a node.
    pub fn ejection(&self, node: NodeId) -> LinkId {
        match self.whole() {
            Self::FatTree(tree) => tree.ejection(node),
            // Of the first network.
            whole => LinkId::new(whole.nodes() + node.index()),
        }
    }

    /// A link in words, different for every link: `node 5 -> router (1,0)`, `router (3,2) -> router (0,2)`,
    /// `leaf 3 -> middle 7`. Of the two links from one router to another in a torus dimension of two routers, the
    /// one that closes the ring has `(wrap)` behind it.
    ///
    /// # Panics
    /// When there is no such link.
    pub fn link_name(&self, id: LinkId) -> String {
        let [from, to] = self.end_names(id);
        format!("{from} -> {to}{}", self.link_suffix(id))
    }

    /// Where a link starts and where it ends, in words.
    fn end_names(&self, id: LinkId) -> [String; 2] {
        let Link { from, to, .. } = self.link(id);
        [from, to].map(|end| match end {
            End::Node(node) => self.node_name(node),
            End::Router(router) => self.router_name(router),
        })
    }

    /// The end of [`Self::link_name`], behind the names of the routers; mostly empty. ` (2)` is the second of several parallel links.
    ///
    /// # Panics
    /// When there is no such link.
    pub fn link_suffix(&self, id: LinkId) -> String {
        match self.whole() {
            Self::Torus(torus) => torus.link_suffix(id),
            Self::FatTree(_) | Self::Switched(_) => match self.parallel_before(id) {
                0 => String::new(),
                before => format!(" ({})", before + 1),
            },
            Self::Graph(graph) => graph.link_suffix(id),
            Self::Rails(machine) => {
                let (machine, id) = machine.machine_of(id);
                machine.link_suffix(id)
            }
            _ => String::new(),
        }
    }

    /// Number of links with smaller numbers that join the same two routers in the same direction: 0 for the only one, and
    /// for links of nodes.
    ///
    /// # Panics
    /// When there is no such link.
    pub fn parallel_before(&self, id: LinkId) -> usize {
        match self.whole() {
            Self::Torus(torus) => torus.parallel_before(id),
            Self::FatTree(tree) => tree.parallel_before(id),
            Self::Switched(machine) => machine.parallel_before(id),
            Self::Graph(graph) => graph.parallel_before(id),
            Self::Rails(machine) => {
                let (machine, id) = machine.machine_of(id);
                machine.parallel_before(id)
            }
            _ => 0,
        }
    }

    /// A node in words, different for every node and from every router: `node 5`. In a graph the name of its vertex; if
    /// that is both node and router, `node NAME`.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn node_name(&self, node: NodeId) -> String {
        assert!(node.index() < self.nodes(), "there is no node {node}");
        match self.whole() {
            Self::Graph(graph) => graph.node_name(node),
            _ => format!("node {node}"),
        }
    }

    /// A router in words, different for every router: `router (1,0)`, `leaf 3`, `crossbar (*,0)`. In a graph the name of
    /// its vertex; if that is both node and router, `router NAME`.
    ///
    /// # Panics
    /// When there is no such router.
    pub fn router_name(&self, router: RouterId) -> String {
        whole!(self, machine => machine.router_name(router))
    }

    /// Where a node is: coordinates such as `(3,0,2)`, x first, in a torus or hypercrossbar; in a network with a choice of ways the
    /// place of its router and its number there, `(group,router,node)` in a dragonfly; its number in a fat tree; the name of its
    /// vertex in a graph; of several networks in the first one that joins all nodes.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn address(&self, node: NodeId) -> String {
        assert!(node.index() < self.nodes(), "there is no node {node}");
        match self.whole() {
            Self::Torus(torus) => coordinates::address(torus.sizes(), node),
            Self::Hypercrossbar(machine) => coordinates::address(machine.sizes(), node),
            Self::Graph(graph) => graph.address(node),
            Self::Switched(machine) => machine.address(node),
            Self::Rails(machine) => machine.address(node),
            Self::FatTree(_) | Self::Degraded(_) => node.to_string(),
        }
    }

    /// The node with this address: its number, or its coordinates or place as [`Self::address`] has them, with or without
    /// parentheses, and in a graph the name of its vertex, which is stronger than a number. `None` if it is neither, or if there is no such node.
    pub fn parse_address(&self, text: &str) -> Option<NodeId> {
        let text = text.trim();
        let by_number = || number(text).filter(|&v| (v as usize) < self.nodes()).map(NodeId);
        match self.whole() {
            Self::Torus(torus) => by_number().or_else(|| coordinates::parse(torus.sizes(), text)),
            Self::Hypercrossbar(machine) => by_number().or_else(|| coordinates::parse(machine.sizes(), text)),
            Self::Graph(graph) => graph.node_named(text).or_else(by_number),
            Self::Switched(machine) => by_number().or_else(|| machine.parse_address(text)),
            Self::Rails(machine) => by_number().or_else(|| machine.parse_address(text)),
            Self::FatTree(_) | Self::Degraded(_) => by_number(),
        }
    }

    /// The form that [`Self::parse_address`] takes, in words.
    pub fn address_form(&self) -> String {
        let largest = self.nodes() - 1;
        match self.whole() {
            Self::Torus(_) | Self::Hypercrossbar(_) => {
                let [first, last] = [0, largest].map(|node| self.address(NodeId::new(node)));
                format!("a node from 0 to {largest} or its coordinates from {first} to {last}")
            }
            Self::Switched(machine) => {
                let last = self.address(NodeId::new(largest));
                format!(
                    "a node from 0 to {largest} or its place {}, of which {last} is the last",
                    machine.address_form()
                )
            }
            Self::Rails(machine) => machine.main().address_form(),
            Self::FatTree(_) => format!("a node from 0 to {largest}"),
            Self::Graph(_) | Self::Degraded(_) => {
                format!("the name of a node in the graph, or its number from 0 to {largest}")
            }
        }
    }
}

/// A number written with digits only: no sign, no exponent.
fn number(text: &str) -> Option<u32> {
    if text.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None }
}
