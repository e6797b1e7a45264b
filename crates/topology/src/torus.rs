//! Tori, meshes and mixtures of both, with any number of dimensions.
//!
//! # Model
//! Each node has its own router, of the same number: `node = x + X (y + Y z)`, and so on for more dimensions. In
//! each dimension a router has a link to its neighbor in the positive way and one in the negative way. In a torus
//! dimension the ends are joined by a wrap-around cable; in a mesh dimension the routers at the borders lack the
//! links that would lead out. A dimension of one router has no links at all. A torus dimension of two routers has two
//! parallel cables, as in a k-ary n-cube with k = 2: the links of the positive and of the negative way are different
//! wires although they lead to the same neighbor.
//!
//! Routes are in dimension order, x first, in each dimension the shorter way round. Half way round a torus dimension
//! of even size both ways are equally long; [`Tie`] decides (paper 000 does not say; see there). With [`Tie::Spread`] both cables
//! between two routers are used: that of the positive way where source and destination differ by an odd number of steps in all
//! dimensions together, counted in the positive ways, else the other; and of a node with several interfaces every second one
//! does it the other way round. So all nodes still have the same routes, shifted.
//!
//! Under the rule [`Rule::MinimalAdaptive`] packets go on in any dimension in which they are not yet where they go, half way round either
//! way; routes are still those of dimension order.

mod ways;

use crate::error::{self, Mistake};
use crate::switched::Other;
use crate::{End, Link, NodeLink, Rule, Switched, Wiring, coordinates};
use weir_units::{Bandwidth, Duration, LinkId, NodeId, RouterId};

/// Says whether the ends of a dimension are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    /// They are: the dimension is a ring.
    Torus,
    /// They are not: the dimension is a line.
    Mesh,
}

/// One dimension of a torus or mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dimension {
    /// Number of routers in line; at least 1.
    pub size: u32,
    /// Says whether the ends are joined.
    pub wrap: Wrap,
    /// The bandwidth of each link of this dimension.
    pub bandwidth: Bandwidth,
    /// Latency of each link of this dimension.
    pub latency: Duration,
}

/// Which way to go when the destination is half way round a torus dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tie {
    /// In a dimension of two routers by both cables, which then carry the same (see [`Torus`]); else the positive way.
    #[default]
    Spread,
    /// The positive way; fits the run times in table 2 of paper 000 best.
    Plus,
    /// The way that does not use the wrap-around link.
    Direct,
    /// The positive way if the source's coordinate in this dimension is even, else the negative way.
    Parity,
}

/// A torus, a mesh, or a mixture of both.
///
/// # Numbers of links
/// With N nodes: `0 .. N` are the injection links and `N .. 2N` the ejection links, in the order of their nodes. Then
/// follow, dimension by dimension (x first), first the links of the positive way, then those of the negative way,
/// each in the order of the routers they start from (leaving out the routers of a mesh border that have no such
/// link).
#[derive(Clone, Debug)]
pub struct Torus {
    axes: Vec<Axis>,
    /// Names of the first axes; the others have a number.
    names: &'static [&'static str],
    tie: Tie,
    node_link: NodeLink,
    nodes: u32,
    links: u32,
    /// The same torus as a network under its rule, where it has one.
    chosen: Option<Switched>,
}

/// A dimension with what follows from its place among the others.
#[derive(Clone, Debug)]
struct Axis {
    dimension: Dimension,
    /// Difference of the numbers of neighbors.
    stride: u32,
    /// Links per line of routers and way.
    per_line: u32,
    /// Number of the first link of each way.
    first: [u32; 2],
    /// Links per way.
    count: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Plus = 0,
    Minus = 1,
}

impl Axis {
    fn coordinate(&self, router: u32) -> u32 {
        router / self.stride % self.dimension.size
    }

    /// Returns whether it is a line of two routers: exchanging them carries the links of one way into those of the other.
    fn is_pair(&self) -> bool {
        self.dimension.wrap == Wrap::Mesh && self.dimension.size == 2
    }

    fn link_classes(&self) -> usize {
        if self.is_pair() { 1 } else { 2 * usize::from(self.count > 0) }
    }

    /// The difference between the coordinate that a link starts from and its place in its line: in a mesh the first
    /// link of the negative way starts from the second router.
    fn skipped(&self, way: Way) -> u32 {
        u32::from(way == Way::Minus && self.dimension.wrap == Wrap::Mesh)
    }

    /// Returns whether it is a ring of two routers, with two cables between them.
    fn has_two_cables(&self) -> bool {
        self.dimension.wrap == Wrap::Torus && self.dimension.size == 2
    }

    /// Which way to go and how many hops; `of_two` in a ring of two.
    fn way(&self, here: u32, there: u32, tie: Tie, of_two: Way) -> (Way, u32) {
        if self.dimension.wrap == Wrap::Mesh {
            return if there >= here { (Way::Plus, there - here) } else { (Way::Minus, here - there) };
        }
        if tie == Tie::Spread && self.has_two_cables() {
            return (of_two, here.abs_diff(there));
        }
        let size = self.dimension.size;
        let ahead = if there >= here { there - here } else { there + size - here };
        let back = size - ahead;
        let plus = match (ahead.cmp(&back), tie) {
            (std::cmp::Ordering::Less, _) | (std::cmp::Ordering::Equal, Tie::Plus | Tie::Spread) => true,
            (std::cmp::Ordering::Greater, _) => false,
            (std::cmp::Ordering::Equal, Tie::Direct) => there > here,
            (std::cmp::Ordering::Equal, Tie::Parity) => here.is_multiple_of(2),
        };
        if plus { (Way::Plus, ahead) } else { (Way::Minus, back) }
    }

    /// The coordinate one hop on.
    fn step(&self, coordinate: u32, way: Way) -> u32 {
        let last = self.dimension.size - 1;
        match way {
            Way::Plus if coordinate == last => 0,
            Way::Plus => coordinate + 1,
            Way::Minus if coordinate == 0 => last,
            Way::Minus => coordinate - 1,
        }
    }

    /// Appends the links from one coordinate to another one, in the line of routers with this number among those that are `below` in the
    /// dimensions before.
    fn walk(
        &self,
        (here, there): (u32, u32),
        (below, line): (u32, u32),
        (tie, of_two): (Tie, Way),
        route: &mut Vec<LinkId>,
    ) {
        let (way, hops) = self.way(here, there, tie, of_two);
        let base = self.first[way as usize] + below + self.stride * self.per_line * line;
        let mut coordinate = here;
        for _ in 0..hops {
            route.push(LinkId(base + self.stride * (coordinate - self.skipped(way))));
            coordinate = self.step(coordinate, way);
        }
    }

    /// The routers a link joins, and whether it is the one that closes the ring.
    fn ends(&self, way: Way, offset: u32) -> (u32, u32, bool) {
        let below = offset % self.stride;
        let from = offset / self.stride % self.per_line + self.skipped(way);
        let line = offset / self.stride / self.per_line;
        let to = self.step(from, way);
        let router = |coordinate| below + self.stride * (coordinate + self.dimension.size * line);
        (router(from), router(to), (way == Way::Plus) == (to < from))
    }
}

impl Torus {
    /// A machine with these dimensions, x first.
    ///
    /// # Errors
    /// Names the key `shape` when there is no dimension, when one has no router, or when the links cannot be
    /// numbered with 32 bits.
    pub fn new(dimensions: Vec<Dimension>, tie: Tie, node_link: NodeLink) -> Result<Self, Vec<Mistake>> {
        let (nodes, links) = Self::count(&dimensions);
        error::check_shape(dimensions.iter().map(|dimension| dimension.size), nodes, links)?;
        let nodes = u32::try_from(nodes).expect("there are not more nodes than links");
        let mut axes = Vec::with_capacity(dimensions.len());
        let mut stride = 1;
        let mut links = 2 * nodes;
        for dimension in dimensions {
            let per_line = Self::per_line(&dimension);
            let count = nodes / dimension.size * per_line;
            axes.push(Axis { dimension, stride, per_line, first: [links, links + count], count });
            stride *= dimension.size;
            links += 2 * count;
        }
        Ok(Self { axes, names: &coordinates::AXES, tie, node_link, nodes, links, chosen: None })
    }

    /// The same machine under the rule [`Rule::MinimalAdaptive`].
    #[must_use]
    pub fn with_chosen_ways(self) -> Self {
        let (wiring, link) = (Wiring::Torus(Other::new(self.clone())), self.node_link);
        let made = Switched::new(wiring, 1, vec![link], link, Rule::MinimalAdaptive);
        Self { chosen: Some(made.expect("a torus has ways to choose")), ..self }
    }

    /// The same machine with fixed routes that go half way round the positive way.
    #[must_use]
    pub fn in_order(&self) -> Self {
        Self { tie: Tie::Plus, chosen: None, ..self.clone() }
    }

    /// The same machine as a network whose rule decides for each packet, where it has one.
    pub fn chosen(&self) -> Option<&Switched> {
        self.chosen.as_ref()
    }

    /// Links of one way per line of routers.
    fn per_line(dimension: &Dimension) -> u32 {
        match (dimension.size, dimension.wrap) {
            (0 | 1, _) => 0,
            (size, Wrap::Torus) => size,
            (size, Wrap::Mesh) => size - 1,
        }
    }

    /// Nodes and links, saturating.
    fn count(dimensions: &[Dimension]) -> (u128, u128) {
        let nodes = dimensions.iter().fold(1_u128, |n, d| n.saturating_mul(u128::from(d.size)));
        let between = dimensions
            .iter()
            .filter(|d| d.size > 0)
            .map(|d| (nodes / u128::from(d.size)).saturating_mul(2 * u128::from(Self::per_line(d))))
            .fold(0, u128::saturating_add);
        (nodes, nodes.saturating_mul(2).saturating_add(between))
    }

    /// The same machine with other names of the first dimensions.
    pub(crate) fn with_axis_names(self, names: &'static [&'static str]) -> Self {
        Self { names, ..self }
    }

    /// The name of a dimension, counted from 0: `x`, `y`, `z`, then `d3`, `d4`, ...; in a
    /// [Tofu](crate::tofu) `x`, `y`, `z`, `a`, `b`, `c`.
    pub fn axis_name(&self, dimension: usize) -> String {
        coordinates::axis_name(self.names, dimension)
    }

    /// The dimensions, x first.
    pub fn dimensions(&self) -> impl ExactSizeIterator<Item = Dimension> + '_ {
        self.axes.iter().map(|axis| axis.dimension)
    }

    /// Which way to go half way round.
    pub fn tie(&self) -> Tie {
        self.tie
    }

    /// Returns whether it looks the same from every router.
    pub(crate) fn is_alike(&self) -> bool {
        self.chosen.is_none()
            && self.dimensions().all(|dimension| {
                let no_ties = matches!(self.tie, Tie::Spread | Tie::Plus) || dimension.size % 2 == 1;
                match dimension.wrap {
                    Wrap::Torus => dimension.size == 1 || no_ties,
                    Wrap::Mesh => dimension.size <= 2,
                }
            })
    }

    pub(crate) fn nodes(&self) -> usize {
        self.nodes as usize
    }

    pub(crate) fn routers(&self) -> usize {
        self.nodes()
    }

    pub(crate) fn links(&self) -> usize {
        self.links as usize
    }

    pub(crate) fn router_name(&self, router: RouterId) -> String {
        assert!(router.0 < self.nodes, "there is no router {router}");
        format!("router {}", coordinates::address(self.sizes(), NodeId(router.0)))
    }

    pub(crate) fn route(&self, from: NodeId, interface: u32, to: NodeId, route: &mut Vec<LinkId>) {
        assert!(from.0 < self.nodes && to.0 < self.nodes, "there is no route from node {from} to node {to}");
        route.clear();
        if from == to {
            return;
        }
        route.push(LinkId(from.0));
        let negative = self.uses_both_cables() && self.takes_negative_ways(from, interface, to);
        let rules = (self.tie, if negative { Way::Minus } else { Way::Plus });
        // What is left of both numbers when the dimensions before are taken off, and how far these have led.
        let (mut line, mut target, mut below) = (from.0, to.0, 0);
        for axis in &self.axes {
            if line == target {
                break;
            }
            let size = axis.dimension.size;
            let (here, there) = (line % size, target % size);
            (line, target) = (line / size, target / size);
            if here != there {
                axis.walk((here, there), (below, line), rules, route);
            }
            below += axis.stride * there;
        }
        route.push(LinkId(self.nodes + to.0));
    }

    /// Returns whether there is a dimension of two routers of which routes use both cables.
    pub fn uses_both_cables(&self) -> bool {
        self.tie == Tie::Spread && self.axes.iter().any(Axis::has_two_cables)
    }

    /// Returns whether an interface of a node sends to another node by the negative way in dimensions of two routers of which routes
    /// use both cables.
    pub fn takes_negative_ways(&self, from: NodeId, interface: u32, to: NodeId) -> bool {
        let steps = |axis: &Axis| {
            let (here, there) = (axis.coordinate(from.0), axis.coordinate(to.0));
            if there >= here { there - here } else { there + axis.dimension.size - here }
        };
        let odd = self.axes.iter().fold(interface & 1, |odd, axis| odd ^ steps(axis) & 1);
        odd == 0
    }

    /// In a dimension of two routers of which routes use both cables, the other link from the same router to the other one.
    pub fn beside(&self, id: LinkId) -> Option<LinkId> {
        let (axis, way, offset) = self.find(id)?;
        (self.tie == Tie::Spread && axis.has_two_cables())
            .then(|| LinkId(axis.first[1 - way as usize] + offset))
    }

    pub(crate) fn link(&self, id: LinkId) -> Link {
        if let Some((axis, way, offset)) = self.find(id) {
            let (from, to, _) = axis.ends(way, offset);
            let Dimension { bandwidth, latency, .. } = axis.dimension;
            let (from, to) = (End::Router(RouterId(from)), End::Router(RouterId(to)));
            return Link { from, to, capacity: bandwidth, latency };
        }
        let node = End::Node(NodeId(id.0 % self.nodes));
        let router = End::Router(RouterId(id.0 % self.nodes));
        if id.0 < self.nodes {
            self.node_link.between(node, router)
        } else {
            self.node_link.between(router, node)
        }
    }

    /// The dimension and way of a link and its number among those; `None` if it joins a node and its router.
    fn find(&self, id: LinkId) -> Option<(&Axis, Way, u32)> {
        assert!(id.0 < self.links, "there is no link {id}");
        if id.0 < 2 * self.nodes {
            return None;
        }
        let axis = self
            .axes
            .iter()
            .find(|axis| id.0 < axis.first[1] + axis.count)
            .expect("the last axis ends at links");
        let way = if id.0 < axis.first[1] { Way::Plus } else { Way::Minus };
        Some((axis, way, id.0 - axis.first[way as usize]))
    }

    /// The dimension of a link between routers, counted from 0.
    ///
    /// # Panics
    /// When the link belongs to a node.
    pub(crate) fn dimension_of(&self, id: LinkId) -> usize {
        let holds = |axis: &Axis| (axis.first[0]..axis.first[1] + axis.count).contains(&id.0);
        self.axes.iter().position(holds).expect("the link is one between routers")
    }

    /// Injection 0, ejection 1, then for each dimension that has links the positive way and the negative way, in a line of
    /// two both as one.
    pub(crate) fn link_class(&self, id: LinkId) -> usize {
        match self.find(id) {
            None => usize::from(id.0 >= self.nodes),
            Some((axis, way, _)) => {
                let before = self.axes.iter().filter(|other| other.first[0] < axis.first[0]);
                let first = 2 + before.map(Axis::link_classes).sum::<usize>();
                if axis.is_pair() { first } else { first + way as usize }
            }
        }
    }

    pub(crate) fn link_classes(&self) -> usize {
        2 + self.axes.iter().map(Axis::link_classes).sum::<usize>()
    }

    /// Distinguishes the two links from one router to the other in a dimension of two.
    pub(crate) fn link_suffix(&self, id: LinkId) -> String {
        match self.find(id) {
            Some((axis, way, offset)) if axis.dimension.size == 2 && axis.ends(way, offset).2 => {
                " (wrap)".into()
            }
            _ => String::new(),
        }
    }

    /// In a dimension of two, the link of the negative way comes after the one of the positive way.
    pub(crate) fn parallel_before(&self, id: LinkId) -> usize {
        match self.find(id) {
            Some((axis, Way::Minus, _)) => {
                usize::from(axis.dimension.size == 2 && axis.dimension.wrap == Wrap::Torus)
            }
            _ => 0,
        }
    }

    pub(crate) fn sizes(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.axes.iter().map(|axis| axis.dimension.size)
    }
}

#[cfg(test)]
mod tests;
