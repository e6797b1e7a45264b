//! Hypercrossbars of any number of dimensions (paper 000, section 3.4).
//!
//! # Model
//! Every node has a router, its exchanger. The routers stand on a grid; in each dimension the routers of a line are
//! joined by a crossbar, which is a router without a node.
//!
//! ```text
//!   crossbar (*,1)  --- router (0,1) --- router (1,1) --- router (2,1)     each router has one cable to
//!   crossbar (*,0)  --- router (0,0) --- router (1,0) --- router (2,0)     each crossbar of its lines
//!                            |                |                |
//!                       crossbar (0,*)   crossbar (1,*)   crossbar (2,*)
//! ```
//!
//! Routes correct one coordinate after the other, x first, with two links for each that differs: to the crossbar of
//! the line and from it to the router with the destination's coordinate. A dimension of one router has no crossbar.

use crate::error::{self, Mistake};
use crate::{End, Link, NodeLink, coordinates};
use weir_units::{Bandwidth, Duration, LinkId, NodeId, RouterId};

/// One dimension of a hypercrossbar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossbarDimension {
    /// Number of routers in line; at least 1.
    pub size: u32,
    /// The bandwidth of each link between a router and a crossbar of this dimension.
    pub bandwidth: Bandwidth,
    /// Latency of each of these links.
    pub latency: Duration,
}

/// A hypercrossbar.
///
/// # Numbers of links and routers
/// With N nodes: `0 .. N` are the injection links and `N .. 2N` the ejection links, in the order of their nodes. Then
/// follow, for each dimension of more than one router (x first), N links from the routers to their crossbars and N
/// links from the crossbars to the routers, in the order of the routers. The routers of the nodes come first, then
/// the crossbars, dimension by dimension, in the order of their first routers.
#[derive(Clone, Debug)]
pub struct Hypercrossbar {
    axes: Vec<Axis>,
    nodes: u32,
    routers: u32,
    node_link: NodeLink,
}

/// A dimension with what follows from its place among the others.
#[derive(Clone, Debug)]
struct Axis {
    dimension: CrossbarDimension,
    /// Difference of the numbers of neighbors.
    stride: u32,
    /// Number of the first link, and of the first crossbar; of no use where there is only one router in line.
    first_link: u32,
    first_crossbar: u32,
}

impl Axis {
    fn coordinate(&self, router: u32) -> u32 {
        router / self.stride % self.dimension.size
    }

    fn crossbar(&self, router: u32) -> u32 {
        let line = router / self.stride / self.dimension.size;
        self.first_crossbar + router % self.stride + self.stride * line
    }
}

impl Hypercrossbar {
    /// A machine with these dimensions, x first.
    ///
    /// # Errors
    /// Names the key `shape` when there is no dimension, when one has no router, or when the links cannot be
    /// numbered with 32 bits.
    pub fn new(dimensions: Vec<CrossbarDimension>, node_link: NodeLink) -> Result<Self, Vec<Mistake>> {
        let nodes = dimensions.iter().fold(1_u128, |n, d| n.saturating_mul(u128::from(d.size)));
        let with_crossbars = dimensions.iter().filter(|d| d.size > 1).count() as u128;
        let links = nodes.saturating_mul(2 + 2 * with_crossbars);
        error::check_shape(dimensions.iter().map(|dimension| dimension.size), nodes, links)?;
        let nodes = u32::try_from(nodes).expect("there are not more nodes than links");
        let (mut stride, mut first_link, mut first_crossbar) = (1, 2 * nodes, nodes);
        let mut axes = Vec::with_capacity(dimensions.len());
        for dimension in dimensions {
            axes.push(Axis { dimension, stride, first_link, first_crossbar });
            stride *= dimension.size;
            if dimension.size > 1 {
                first_link += 2 * nodes;
                first_crossbar += nodes / dimension.size;
            }
        }
        Ok(Self { axes, nodes, routers: first_crossbar, node_link })
    }

    /// The dimensions, x first.
    pub fn dimensions(&self) -> impl ExactSizeIterator<Item = CrossbarDimension> + Clone + '_ {
        self.axes.iter().map(|axis| axis.dimension)
    }

    /// The routers of nodes, and the crossbars of each dimension that has some, each with the first one.
    pub(crate) fn kinds_of_routers(&self) -> Vec<(String, u32)> {
        let crossed = self.axes.iter().enumerate().filter(|(_, axis)| axis.dimension.size > 1);
        let crossbars = crossed.map(|(number, axis)| {
            (format!("crossbar of dimension {}", self.axis_name(number)), axis.first_crossbar)
        });
        std::iter::once(("router".into(), 0)).chain(crossbars).collect()
    }

    /// The name of a dimension, counted from 0: `x`, `y`, `z`, then `d3`, ...
    pub(crate) fn axis_name(&self, dimension: usize) -> String {
        coordinates::axis_name(&coordinates::AXES, dimension)
    }

    pub(crate) fn nodes(&self) -> usize {
        self.nodes as usize
    }

    pub(crate) fn routers(&self) -> usize {
        self.routers as usize
    }

    pub(crate) fn links(&self) -> usize {
        let with_crossbars = self.axes.iter().filter(|axis| axis.dimension.size > 1).count();
        self.nodes() * (2 + 2 * with_crossbars)
    }

    pub(crate) fn route(&self, from: NodeId, to: NodeId, route: &mut Vec<LinkId>) {
        assert!(from.0 < self.nodes && to.0 < self.nodes, "there is no route from node {from} to node {to}");
        route.clear();
        if from == to {
            return;
        }
        route.push(LinkId(from.0));
        let mut router = from.0;
        for axis in &self.axes {
            let (here, there) = (axis.coordinate(router), axis.coordinate(to.0));
            if here != there {
                route.push(LinkId(axis.first_link + router));
                router = router - axis.stride * here + axis.stride * there;
                route.push(LinkId(axis.first_link + self.nodes + router));
            }
        }
        route.push(LinkId(self.nodes + to.0));
    }

    /// The dimension of a link between a router and a crossbar, and its number within the dimension: less than N if
    /// it leads to the crossbar. `None` if it joins a node and its router.
    fn find(&self, id: LinkId) -> Option<(&Axis, u32)> {
        assert!(id.index() < self.links(), "there is no link {id}");
        let offset = id.0.checked_sub(2 * self.nodes)?;
        let mut axes = self.axes.iter().filter(|axis| axis.dimension.size > 1);
        let axis = axes.nth((offset / (2 * self.nodes)) as usize);
        Some((axis.expect("the number of links follows from the dimensions"), offset % (2 * self.nodes)))
    }

    pub(crate) fn link(&self, id: LinkId) -> Link {
        let router = |number| End::Router(RouterId(number));
        let node = End::Node(NodeId(id.0 % self.nodes));
        match self.find(id) {
            Some((axis, offset)) => {
                let at = offset % self.nodes;
                let CrossbarDimension { bandwidth, latency, .. } = axis.dimension;
                let cable = NodeLink { bandwidth, latency };
                let (router, crossbar) = (router(at), router(axis.crossbar(at)));
                if offset < self.nodes {
                    cable.between(router, crossbar)
                } else {
                    cable.between(crossbar, router)
                }
            }
            None if id.0 < self.nodes => self.node_link.between(node, router(id.0)),
            None => self.node_link.between(router(id.0 - self.nodes), node),
        }
    }

    /// A router beside which a crossbar can stand: one that it joins, so that crossbars of neighboring lines stand at
    /// different places of theirs. The router itself, if it is none.
    pub(crate) fn beside(&self, router: RouterId) -> RouterId {
        if router.0 < self.nodes {
            return router;
        }
        let (dimension, first) = self.line(router);
        let axis = &self.axes[dimension];
        let others: u32 = coordinates::of(self.sizes(), NodeId(first)).sum();
        RouterId(first + others % axis.dimension.size * axis.stride)
    }

    /// The dimension of a crossbar, and the first router that it joins.
    fn line(&self, crossbar: RouterId) -> (usize, u32) {
        let mut with_crossbars = self.axes.iter().enumerate().filter(|(_, axis)| axis.dimension.size > 1);
        let (dimension, axis) = with_crossbars
            .rfind(|(_, axis)| axis.first_crossbar <= crossbar.0)
            .expect("crossbars are numbered from the first dimension that has some");
        let line = crossbar.0 - axis.first_crossbar;
        (dimension, line % axis.stride + line / axis.stride * axis.stride * axis.dimension.size)
    }

    /// The dimension of a link between routers, counted from 0 among those that have crossbars.
    pub(crate) fn dimension_of(&self, id: LinkId) -> usize {
        self.link_class(id) / 2 - 1
    }

    /// Injection 0, ejection 1, then two per dimension that has links: to the crossbars, from the crossbars.
    pub(crate) fn link_class(&self, id: LinkId) -> usize {
        assert!(id.index() < self.links(), "there is no link {id}");
        id.index() / self.nodes()
    }

    pub(crate) fn link_classes(&self) -> usize {
        self.links() / self.nodes()
    }

    /// `router (1,0)` or `crossbar (*,0)`.
    pub(crate) fn router_name(&self, router: RouterId) -> String {
        assert!(router.0 < self.routers, "there is no router {router}");
        if router.0 < self.nodes {
            return format!("router {}", coordinates::address(self.sizes(), NodeId(router.0)));
        }
        let (dimension, first) = self.line(router);
        let place = coordinates::of(self.sizes(), NodeId(first)).enumerate();
        let place: Vec<_> =
            place.map(|(i, c)| if i == dimension { "*".into() } else { c.to_string() }).collect();
        format!("crossbar ({})", place.join(","))
    }

    pub(crate) fn sizes(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.axes.iter().map(|axis| axis.dimension.size)
    }
}

#[cfg(test)]
mod tests;
