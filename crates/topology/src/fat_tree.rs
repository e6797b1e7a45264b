//! The three-stage fat tree with full bisection bandwidth of papers 000 (section 4.1) and 002 (table 3.1).
//!
//! # Model
//! Switches of `2p` ports in three stages: `2p` pods, each with `p` leaf and `p` middle switches, and `p^2` top
//! switches; `p` nodes at each leaf, `N = 2 p^3` in all.
//!
//! ```text
//!   top     T(m,u)         p^2 switches, 2p down ports: one to the middle switch m of every pod
//!            |    one cable per (pod, m, u)
//!   middle  M(P,m)         up port u to T(m,u), down port l to leaf l of its pod
//!            |    one cable per (pod, l, m)
//!   leaf    L(P,l)         up port m to M(P,m), down port h to its node h
//!            |
//!   node    v = P p^2 + l p + h
//! ```
//!
//! Two nodes of one leaf meet in the leaf, two of one pod in a middle switch, others in a top switch. The way up is
//! a choice of m and u, and the way down follows from it. Destination-mod takes m and u from the destination's h and
//! l, so each link down carries the messages of only one destination; source-mod takes them from the source's, so
//! each link up carries those of only one source. Both make the regular all-to-all, in which every rank sends to the
//! one at the same distance, free of contention.

use crate::error::{Mistake, TopologyError};
use crate::{End, Link, NodeLink};
use weir_units::{Bandwidth, Duration, LinkId, NodeId, RouterId};

/// How the way up is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FatTreeRouting {
    /// By the destination: straight down. Nearer to paper 000's figures.
    #[default]
    DestinationMod,
    /// By the source: straight up.
    SourceMod,
}

/// The cables between two stages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// How much each link of these cables can carry.
    pub bandwidth: Bandwidth,
    /// Latency of each link of these cables.
    pub latency: Duration,
}

/// A three-stage fat tree.
///
/// # Numbers of links
/// Six blocks of N links each (N nodes):
///
/// | block | links | number within the block |
/// |---|---|---|
/// | 0 | node to leaf (injection) | node |
/// | 1 | leaf to middle | leaf `* p +` up port |
/// | 2 | middle to top | middle `* p +` up port |
/// | 3 | top to middle | top `* 2p +` pod |
/// | 4 | middle to leaf | middle `* p +` leaf within the pod |
/// | 5 | leaf to node (ejection) | node |
///
/// with leaf = pod `* p + l`, middle = pod `* p + m`, top = `m * p + u`. Routers are numbered leaves first, then
/// middle, then top switches.
#[derive(Clone, Debug)]
pub struct FatTree {
    /// Half the ports of a switch.
    p: u32,
    nodes: u32,
    stages: [Stage; 2],
    routing: FatTreeRouting,
    node_link: NodeLink,
}

/// A node's pod, leaf within the pod, and place at the leaf.
#[derive(Clone, Copy)]
struct Place {
    pod: u32,
    leaf: u32,
    at: u32,
}

/// What a link joins: the numbers within the stages.
#[derive(Clone, Copy)]
enum Ends {
    NodeLeaf(u32, u32),
    LeafMiddle(u32, u32),
    MiddleTop(u32, u32),
    TopMiddle(u32, u32),
    MiddleLeaf(u32, u32),
    LeafNode(u32, u32),
}

impl FatTree {
    /// A fat tree of switches with `radix = 2p` ports; `stages` are the cables between leaf and middle and between
    /// middle and top switches.
    ///
    /// # Errors
    /// Names the key `radix` when it is odd or less than 2, or when the links cannot be numbered with 32 bits.
    pub fn new(
        radix: u32,
        stages: [Stage; 2],
        routing: FatTreeRouting,
        node_link: NodeLink,
    ) -> Result<Self, TopologyError> {
        let mut mistakes = Vec::new();
        let mut refuse = |what, hint: String| mistakes.push(Mistake { key: "radix", what, hint });
        let p = u128::from(radix / 2);
        let nodes = 2 * p * p * p;
        if radix == 0 {
            refuse("is 0".into(), "the smallest switch has 2 ports".into());
        }
        if !radix.is_multiple_of(2) {
            let (below, above) = (u64::from(radix) - 1, u64::from(radix) + 1);
            let even = if below == 0 { format!("{above}") } else { format!("{below} or {above}") };
            refuse(
                format!("is {radix}, which is odd"),
                format!("half the ports lead up and half down: try {even}"),
            );
        }
        if 6 * nodes > u128::from(u32::MAX) {
            refuse(
                format!(
                    "gives {nodes} nodes and {} links, more than the {} that can be numbered",
                    6 * nodes,
                    u32::MAX
                ),
                "the largest possible radix is 1420".into(),
            );
        }
        TopologyError::unless_empty(mistakes)?;
        let nodes = u32::try_from(nodes).expect("there are not more nodes than links");
        Ok(Self { p: radix / 2, nodes, stages, routing, node_link })
    }

    /// Ports per switch.
    #[must_use]
    pub fn radix(&self) -> u32 {
        2 * self.p
    }

    pub(crate) fn nodes(&self) -> usize {
        self.nodes as usize
    }

    pub(crate) fn routers(&self) -> usize {
        let p = self.p as usize;
        5 * p * p
    }

    pub(crate) fn links(&self) -> usize {
        6 * self.nodes as usize
    }

    fn place(&self, node: NodeId) -> Place {
        let (leaf, at) = (node.0 / self.p, node.0 % self.p);
        Place { pod: leaf / self.p, leaf: leaf % self.p, at }
    }

    pub(crate) fn route(&self, from: NodeId, to: NodeId, route: &mut Vec<LinkId>) {
        assert!(from.0 < self.nodes && to.0 < self.nodes, "there is no route from node {from} to node {to}");
        route.clear();
        if from == to {
            return;
        }
        let (p, n) = (self.p, self.nodes);
        let (source, destination) = (self.place(from), self.place(to));
        let Place { leaf: u, at: m, .. } = match self.routing {
            FatTreeRouting::DestinationMod => destination,
            FatTreeRouting::SourceMod => source,
        };
        route.push(LinkId(from.0));
        let same_pod = source.pod == destination.pod;
        if !(same_pod && source.leaf == destination.leaf) {
            route.push(LinkId(n + (source.pod * p + source.leaf) * p + m));
            if !same_pod {
                route.push(LinkId(2 * n + (source.pod * p + m) * p + u));
                route.push(LinkId(3 * n + (m * p + u) * 2 * p + destination.pod));
            }
            route.push(LinkId(4 * n + (destination.pod * p + m) * p + destination.leaf));
        }
        route.push(LinkId(5 * n + to.0));
    }

    fn ends(&self, id: LinkId) -> Ends {
        let (p, offset) = (self.p, id.0 % self.nodes);
        let pod = offset / (p * p);
        match id.0 / self.nodes {
            0 => Ends::NodeLeaf(offset, offset / p),
            1 => Ends::LeafMiddle(offset / p, pod * p + offset % p),
            2 => Ends::MiddleTop(offset / p, offset / p % p * p + offset % p),
            3 => {
                let (top, pod) = (offset / (2 * p), offset % (2 * p));
                Ends::TopMiddle(top, pod * p + top / p)
            }
            4 => Ends::MiddleLeaf(offset / p, pod * p + offset % p),
            5 => Ends::LeafNode(offset / p, offset),
            _ => panic!("there is no link {id}"),
        }
    }

    pub(crate) fn link(&self, id: LinkId) -> Link {
        let per_stage = 2 * self.p * self.p;
        let node = |v| End::Node(NodeId(v));
        let leaf = |i| End::Router(RouterId(i));
        let middle = |i| End::Router(RouterId(per_stage + i));
        let top = |i| End::Router(RouterId(2 * per_stage + i));
        let [low, high] = self.stages.map(|Stage { bandwidth, latency }| NodeLink { bandwidth, latency });
        match self.ends(id) {
            Ends::NodeLeaf(from, to) => self.node_link.between(node(from), leaf(to)),
            Ends::LeafMiddle(from, to) => low.between(leaf(from), middle(to)),
            Ends::MiddleTop(from, to) => high.between(middle(from), top(to)),
            Ends::TopMiddle(from, to) => high.between(top(from), middle(to)),
            Ends::MiddleLeaf(from, to) => low.between(middle(from), leaf(to)),
            Ends::LeafNode(from, to) => self.node_link.between(leaf(from), node(to)),
        }
    }

    pub(crate) fn link_name(&self, id: LinkId) -> String {
        match self.ends(id) {
            Ends::NodeLeaf(from, to) => format!("node {from} -> leaf {to}"),
            Ends::LeafMiddle(from, to) => format!("leaf {from} -> middle {to}"),
            Ends::MiddleTop(from, to) => format!("middle {from} -> top {to}"),
            Ends::TopMiddle(from, to) => format!("top {from} -> middle {to}"),
            Ends::MiddleLeaf(from, to) => format!("middle {from} -> leaf {to}"),
            Ends::LeafNode(from, to) => format!("leaf {from} -> node {to}"),
        }
    }
}

#[cfg(test)]
mod tests;
