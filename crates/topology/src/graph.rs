//! Any network: vertices and one-way wires between them.
//!
//! # Model
//! A vertex is a node with cables to one router or several (`graph/cables.rs`), a router, or both: a router with a node of its own, attached
//! by the same [`NodeLink`] everywhere. A cable is two wires, which may have different capacities; a router may have more wires
//! in than out (paper 000, section 3.2).
//!
//! Routes are the shortest by a [`Metric`]. Where several wires begin a shortest way, source and destination choose, by names and
//! wires and not by the order in which vertices are given (`graph/spread.rs`, and decision 38). On a full fat tree this is the
//! destination-mod rule. Or every route is [given](GivenRoutes).
//!
//! # Memory
//! The links that begin a shortest way are kept per router that has nodes and is a destination, once somebody asks for such a route: 4 bytes
//! per router where all wires between routers are of one length, else a bit per wire. So a fat tree of 65,536 nodes with 2,048
//! leaves and 5,120 routers takes 42 MB, and a network of 10,000 routers with a node each 400 MB, with wires of several lengths 12.5
//! MB for each wire out of a router. Given routes take 8 bytes per pair of nodes and 4 per hop.

mod cables;
mod check;
mod given;
mod spread;

use crate::shortest::Ways;
use crate::{End, Link, NodeCables, NodeLink, Topology};
pub use cables::RouteSources;
use check::Wiring;
pub use check::{GraphMistake, GraphPlace, compare_names};
pub use given::{GivenRoutes, Hop, RouteMistake};
use spread::Spread;
use std::sync::{Arc, OnceLock};
use weir_units::{Bandwidth, Duration, LinkId, NodeId, RouterId};

/// The kind of a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VertexKind {
    /// A node with cables to routers: each is an injection and an ejection link.
    Node,
    /// A router.
    Router,
    /// A router with a node.
    #[default]
    Both,
}

/// A vertex of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vertex {
    /// Not empty, different for every vertex, and not beginning with `#`.
    pub name: String,
    /// The kind.
    pub kind: VertexKind,
}

/// A one-way wire of a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wire {
    /// Index of the vertex at which data enter.
    pub from: u32,
    /// Index of the vertex at which they leave.
    pub to: u32,
    /// The bandwidth.
    pub capacity: Bandwidth,
    /// The latency of a byte.
    pub latency: Duration,
}

/// The measure in which routes are shortest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// Sum of what 1 MiB takes on each link: its latency, and 1 MiB by its bandwidth; among equal ones, number of links.
    #[default]
    Time,
    /// Sum of the links' latencies; among equal ones, number of links.
    Latency,
    /// Number of links.
    Hops,
}

/// A network of any shape. Cheap to clone: copies share the network.
///
/// # Numbers of nodes, routers and links
/// Nodes and routers are numbered in the order of their vertices. With N nodes: `0 .. N` are the injection links and `N
/// .. 2N` the ejection links of the first cable of each, in the order of their nodes; then both links of each further cable, node by node in
/// the order given; the wires between routers follow in the order given.
#[derive(Clone, Debug)]
pub struct Graph {
    network: Arc<Network>,
    given: Option<Arc<GivenRoutes>>,
    node_link: NodeLink,
    node_cables: NodeCables,
}

#[derive(Debug)]
struct Network {
    vertices: Vec<Vertex>,
    metric: Metric,
    wiring: Wiring,
    /// Vertices in the [order of their names](compare_names), and the place of each.
    by_name: Vec<u32>,
    place_of: Vec<u32>,
    spread: Spread,
    /// To each router, computed when first asked for.
    ways: Vec<OnceLock<Ways>>,
}

impl Graph {
    /// A network of these vertices and wires; nodes of vertices that are [`VertexKind::Both`] have this cable.
    ///
    /// # Errors
    /// All mistakes, those of vertices, then of wires, then of nodes, then of the whole: names that are empty, begin with `#` or come twice; wires from a vertex to itself or between two
    /// nodes; nodes without a cable, or with wires that are not
    /// cables; no node at all; nodes that cannot reach each other; more links
    /// than can be numbered with 32 bits.
    ///
    /// # Panics
    /// When a wire begins or ends at a vertex that is not there.
    pub fn new(
        vertices: Vec<Vertex>,
        wires: &[Wire],
        metric: Metric,
        node_link: NodeLink,
    ) -> Result<Self, Vec<GraphMistake>> {
        let name = |v: u32| vertices[v as usize].name.as_str();
        let mut by_name: Vec<u32> = (0..).take(vertices.len()).collect();
        by_name.sort_by(|&a, &b| compare_names(name(a), name(b)));
        let mut place_of = vec![0; vertices.len()];
        (0..).zip(&by_name).for_each(|(place, &vertex)| place_of[vertex as usize] = place);
        let wiring = check::wire(&vertices, wires, &place_of, metric)?;
        let spread = Spread::of(&wiring, &by_name);
        let ways = (0..wiring.routers.len()).map(|_| OnceLock::new()).collect();
        let network = Network { vertices, metric, wiring, by_name, place_of, spread, ways };
        Ok(Self { network: Arc::new(network), given: None, node_link, node_cables: NodeCables::default() })
    }

    /// The same network with this cable at nodes of vertices that are [`VertexKind::Both`].
    pub fn with_node_link(&self, node_link: NodeLink) -> Self {
        Self { node_link, ..self.clone() }
    }

    /// The same network, of which the cables of vertices that are [`VertexKind::Node`] have this in common.
    pub fn with_node_cables(&self, node_cables: NodeCables) -> Self {
        Self { node_cables, ..self.clone() }
    }

    /// Returns whether vertices are [`VertexKind::Node`]: nodes with cables of their own.
    pub fn has_node_cables(&self) -> bool {
        self.network.vertices.iter().any(|vertex| vertex.kind == VertexKind::Node)
    }

    /// The same network with these routes.
    ///
    /// # Errors
    /// The pairs of nodes that have none, in the order of sources, then of destinations.
    ///
    /// # Panics
    /// When the routes are those of a machine with another number of nodes.
    pub fn with_routes(&self, routes: GivenRoutes) -> Result<Self, Vec<(NodeId, NodeId)>> {
        assert_eq!(routes.nodes(), self.nodes(), "routes of another machine");
        let missing: Vec<_> = routes.missing().collect();
        if missing.is_empty() {
            Ok(Self { given: Some(Arc::new(routes)), ..self.clone() })
        } else {
            Err(missing)
        }
    }

    /// The vertices, in the order given.
    pub fn vertices(&self) -> &[Vertex] {
        &self.network.vertices
    }

    /// The measure in which the routes are shortest, where they are not given.
    pub fn metric(&self) -> Metric {
        self.network.metric
    }

    /// Returns whether the routes are given.
    pub fn has_given_routes(&self) -> bool {
        self.given.is_some()
    }

    /// Returns whether the routes are given and say their classes of virtual channels.
    pub fn has_given_classes(&self) -> bool {
        self.given.as_ref().is_some_and(|given| given.has_classes())
    }

    /// The class of virtual channels of each link between routers of a route, if the routes are given and say it.
    pub fn given_classes(&self, from: NodeId, to: NodeId) -> Option<&[u8]> {
        self.given.as_ref()?.classes(from, to)
    }

    /// The links that are wires given, without the cables that all vertices that are both have; in the order of their
    /// numbers.
    pub fn wires(&self) -> impl Iterator<Item = Link> + '_ {
        let links = self.network.wiring.links.iter();
        links.filter_map(|link| Some(link.cable?.between(link.from, link.to)))
    }

    /// The node of the vertex with this name. O(log vertices).
    pub fn node_named(&self, name: &str) -> Option<NodeId> {
        let node = self.network.wiring.node_of[self.vertex_named(name)?];
        (node != u32::MAX).then_some(NodeId(node))
    }

    /// The router of the vertex with this name. O(log vertices).
    pub fn router_named(&self, name: &str) -> Option<RouterId> {
        let router = self.network.wiring.router_of[self.vertex_named(name)?];
        (router != u32::MAX).then_some(RouterId(router))
    }

    fn vertex_named(&self, name: &str) -> Option<usize> {
        let Network { by_name, vertices, .. } = &*self.network;
        let at = by_name.binary_search_by(|&v| compare_names(&vertices[v as usize].name, name)).ok()?;
        Some(by_name[at] as usize)
    }

    /// The links from one router straight to another, in the order of their numbers.
    pub fn links_between(&self, from: RouterId, to: RouterId) -> impl Iterator<Item = LinkId> + '_ {
        let wires = &self.network.wiring.wires;
        wires.out(from.0).iter().filter(move |&&link| wires.head(link) == to.0).map(|&link| LinkId(link))
    }

    /// The router of a node.
    pub(crate) fn home(&self, node: NodeId) -> RouterId {
        RouterId(self.network.wiring.home[node.index()])
    }

    pub(crate) fn nodes(&self) -> usize {
        self.network.wiring.home.len()
    }

    pub(crate) fn routers(&self) -> usize {
        self.network.wiring.routers.len()
    }

    pub(crate) fn links(&self) -> usize {
        self.network.wiring.links.len()
    }

    pub(crate) fn link(&self, id: LinkId) -> Link {
        let link =
            self.network.wiring.links.get(id.index()).unwrap_or_else(|| panic!("there is no link {id}"));
        let cable = match link.cable {
            Some(cable) if self.is_of_node(id) => self.node_cables.of(cable),
            Some(cable) => cable,
            None => self.node_link,
        };
        cable.between(link.from, link.to)
    }

    /// Returns whether a link joins a node with a router.
    pub(crate) fn is_of_node(&self, id: LinkId) -> bool {
        id.index() < 2 * (self.nodes() + self.network.wiring.further[self.nodes()] as usize)
    }

    /// The route between nodes with one cable each.
    pub(crate) fn route(&self, from: NodeId, to: NodeId, route: &mut Vec<LinkId>) {
        let nodes = self.nodes();
        assert!(
            from.index() < nodes && to.index() < nodes,
            "there is no route from node {from} to node {to}"
        );
        route.clear();
        if from == to {
            return;
        }
        if let Some(given) = &self.given {
            route.extend_from_slice(given.route(from, to));
            return;
        }
        let Network { wiring, spread, .. } = &*self.network;
        let ends = (wiring.home[from.index()], wiring.home[to.index()]);
        route.push(LinkId(from.0));
        self.ways(ends.1).walk(ends, &wiring.wires, spread.number(from, to), |_| 0, route);
        route.push(LinkId::new(nodes + to.index()));
    }

    /// The number that decides which of several equally short detours a pair of nodes takes.
    pub(crate) fn number_of_detour(&self, from: NodeId, to: NodeId) -> u64 {
        self.network.spread.number_of_detour(from, to)
    }

    /// The place of a router in the order of names.
    pub(crate) fn place_of(&self, router: RouterId) -> u32 {
        self.network.place_of[self.network.wiring.routers[router.index()] as usize]
    }

    pub(crate) fn parallel_before(&self, id: LinkId) -> usize {
        match self.link(id) {
            Link { from: End::Router(from), to: End::Router(to), .. } => {
                self.links_between(from, to).take_while(|&other| other != id).count()
            }
            Link { from, to, .. } => {
                let alike = |&other: &LinkId| {
                    let other = self.link(other);
                    (other.from, other.to) == (from, to)
                };
                let node = if let (End::Node(node), _) | (_, End::Node(node)) = (from, to) {
                    node
                } else {
                    return 0;
                };
                let whole = crate::Topology::Graph(self.clone());
                let cables = (0..self.cables_of(node))
                    .flat_map(|cable| [whole.injection_by(node, cable), whole.ejection_by(node, cable)]);
                cables.take_while(|&other| other != id).filter(alike).count()
            }
        }
    }

    /// The name of the vertex.
    pub(crate) fn address(&self, node: NodeId) -> String {
        self.network.vertices[self.network.wiring.nodes[node.index()] as usize].name.clone()
    }

    /// The number of an equal link, where several join the same two.
    pub(crate) fn link_suffix(&self, id: LinkId) -> String {
        match self.parallel_before(id) {
            0 => String::new(),
            before => format!(" ({})", before + 1),
        }
    }

    pub(crate) fn node_name(&self, node: NodeId) -> String {
        self.name_of_part("node", self.network.wiring.nodes[node.index()])
    }

    pub(crate) fn router_name(&self, router: RouterId) -> String {
        self.name_of_part("router", self.network.wiring.routers[router.index()])
    }

    /// The name of a vertex; of one that is both, `node NAME` or `router NAME`, or if some vertex is called so, with
    /// strokes: `node' NAME`.
    fn name_of_part(&self, part: &str, vertex: u32) -> String {
        let Vertex { name, kind } = &self.network.vertices[vertex as usize];
        if *kind != VertexKind::Both {
            return name.clone();
        }
        let with_strokes = |strokes| format!("{part}{} {name}", "'".repeat(strokes));
        let different = |name: &String| self.vertex_named(name).is_none();
        (0..).map(with_strokes).find(different).expect("there are fewer vertices than strokes")
    }

    /// The name of the vertex of a router.
    pub(crate) fn router_address(&self, router: RouterId) -> &str {
        let vertex = self.network.wiring.routers[router.index()];
        &self.network.vertices[vertex as usize].name
    }
}

impl PartialEq for Graph {
    /// Returns whether they are the same network, with the same cables and rules for routes.
    fn eq(&self, other: &Self) -> bool {
        let parts = |graph: &Self| (graph.network.metric, graph.node_link, graph.node_cables);
        let same_routes = match (&self.given, &other.given) {
            (Some(own), Some(others)) => own == others,
            (None, None) => true,
            _ => false,
        };
        parts(self) == parts(other)
            && same_routes
            && self.network.vertices == other.network.vertices
            && self.network.wiring.links == other.network.wiring.links
    }
}

impl Topology {
    /// The machine as a graph: first all nodes, then all routers, each in the order of their numbers; and all links, in
    /// the order of theirs. A graph made of these has the same nodes, routers and links; where all injection links come
    /// before all ejection links and both before the others, as in every kind but the fat tree, also the same numbers of
    /// links. Links that have failed are left out.
    ///
    /// A vertex of a graph keeps its name; one that is [`VertexKind::Both`] becomes two, see
    /// [`Self::node_name`].
    pub fn to_vertices_and_wires(&self) -> (Vec<Vertex>, Vec<Wire>) {
        let nodes = (0..self.nodes()).map(|v| self.node_name(NodeId::new(v)));
        let routers = (0..self.routers()).map(|r| self.router_name(RouterId::new(r)));
        let nodes = nodes.map(|name| Vertex { name, kind: VertexKind::Node });
        let routers = routers.map(|name| Vertex { name, kind: VertexKind::Router });
        let vertex = |end| match end {
            End::Node(node) => node.0,
            End::Router(router) => NodeId::new(self.nodes() + router.index()).0,
        };
        let failed = |&id: &LinkId| self.degraded().is_some_and(|degraded| degraded.has_failed(id));
        let wires = (0..self.links()).map(LinkId::new).filter(|id| !failed(id)).map(|id| {
            let link = self.link(id);
            Wire {
                from: vertex(link.from),
                to: vertex(link.to),
                capacity: link.capacity,
                latency: link.latency,
            }
        });
        (nodes.chain(routers).collect(), wires.collect())
    }
}

#[cfg(test)]
mod tests;
