//! Fat trees of any number of stages: the three-stage one with full bisection bandwidth of papers 000 (section 4.1) and
//! 002 (table 3.1), and those with other radices, bandwidths and numbers of cables in each stage.
//!
//! # Model
//! A generalized fat tree (Öhring, Ibel, Das, Kumar: "On generalized fat trees", IPPS 1995). A switch of stage i has
//! `down_i` ports down and `up_i` ports up; at the ports down of stage 0, the leaves, are the nodes, and the top stage
//! has no ports up. `N = down_0 down_1 ...` nodes. With `down = up = p` below and `down = 2p` at the top, three stages
//! give the tree of the papers: `N = 2 p^3`, with `2p` pods of `p` leaf and `p` middle switches, and `p^2` top
//! switches:
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
//! Two nodes meet in the lowest stage that has both below one switch. The way up is a choice of ports, and the way
//! down follows from it. With `w_i = up_0 ... up_(i-1)`, destination-mod takes at stage i the port `destination / w_i
//! mod up_i`, and source-mod the same of the source (Zahavi: "D-Mod-K routing", Technion CCIT report 776, 2010): in the
//! full tree these are the digits h and l of the node. So in a full tree each link down carries the messages of only
//! one destination, or each link up those of only one source, and both rules make the regular all-to-all, in which
//! every rank sends to the one at the same distance, free of contention.
//!
//! Instead of one cable each port up may have several *parallel* ones to the same switch. The way up then chooses the cable numbered
//! `destination / w_(i+1) mod parallel_i` of those of its port, and the way down the one with this number too (the parallel-ports
//! generalized fat trees of the same report): so the nodes below a switch with as many cables up have one each.
//!
//! Where a [rule](crate::Rule) decides for each packet, all cables of all ports up come into question, and down all of one port. Routes
//! are those of destination-mod then, of which each pair has one.

mod switches;
mod ways;

use crate::error::Mistake;
use crate::switched::Other;
use crate::{End, Link, NodeLink, Rule, Switched, Wiring};
pub use switches::Switches;
use weir_units::{LinkId, NodeId, RouterId};

/// The choice of the way up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FatTreeRouting {
    /// By the destination: straight down. Nearer to paper 000's figures.
    #[default]
    DestinationMod,
    /// By the source: straight up.
    SourceMod,
    /// By nothing: each packet draws a port at every switch.
    RandomUp,
    /// By what waits: each packet takes the port with the shortest queue.
    AdaptiveUp,
}

impl FatTreeRouting {
    /// The rule, where the way of each packet is decided switch by switch.
    pub fn rule(self) -> Option<Rule> {
        match self {
            Self::DestinationMod | Self::SourceMod => None,
            Self::RandomUp => Some(Rule::RandomUp),
            Self::AdaptiveUp => Some(Rule::AdaptiveUp),
        }
    }
}

/// The cables between two stages.
pub type Stage = NodeLink;

/// A fat tree.
///
/// # Numbers of links
/// Blocks, each from the first switch of a stage to the last, and within a switch port by port:
///
/// | block | links |
/// |---|---|
/// | first | node to leaf (injection), in the order of the nodes |
/// | one per pair of stages, from the bottom | up |
/// | one per pair of stages, from the top | down |
/// | last | leaf to node (ejection), in the order of the nodes |
///
/// In the three-stage tree of the papers these are six blocks of N links each. A switch of stage i is `b + w_i s` with
/// s the subtree it belongs to and b the ports by which leaves of that subtree reach it, the lowest stage's port first:
/// leaf = pod `* p + l`, middle = pod `* p + m`, top = `m * p + u`. Routers are numbered stage by stage, leaves first.
#[derive(Clone, Debug)]
pub struct FatTree {
    /// From the leaves up.
    levels: Vec<Level>,
    routing: FatTreeRouting,
    pub(crate) node_link: NodeLink,
    nodes: u32,
    links: u32,
    /// The same tree as a network under its rule, where it has one.
    chosen: Option<Switched>,
}

/// A stage of switches with what follows from its place among the others.
#[derive(Clone, Debug)]
struct Level {
    switches: Switches,
    /// The cables of its up ports; of no use in the top stage.
    above: Stage,
    /// Each of these ports has so many.
    parallel: u32,
    /// Nodes below one of its down ports.
    under_port: u32,
    /// Switches of this stage above one leaf.
    width: u32,
    first_router: u32,
    first_up: u32,
    first_down: u32,
}

impl Level {
    fn under_switch(&self) -> u32 {
        self.under_port * self.switches.down
    }

    /// The link up from a switch by one of the cables of a port.
    fn link_up(&self, switch: u32, port: u32, cable: u32) -> LinkId {
        LinkId(self.first_up + (switch * self.switches.up + port) * self.parallel + cable)
    }
}

/// An end of a link: a stage, the number of a switch in it, one of its ports, and the cable there.
struct At {
    stage: usize,
    switch: u32,
    port: u32,
    cable: u32,
    up: bool,
}

impl FatTree {
    /// A fat tree of these stages of switches, from the leaves to the top, with the cables above each stage but the
    /// top one.
    ///
    /// # Errors
    /// Names the key `stages` when there is none, when a stage has no port down or no port up, when the top stage has
    /// ports up, or when the links cannot be numbered with 32 bits.
    ///
    /// # Panics
    /// When the cables are not one fewer than the stages.
    pub fn new(
        stages: &[Switches],
        cables: &[Stage],
        routing: FatTreeRouting,
        node_link: NodeLink,
    ) -> Result<Self, Vec<Mistake>> {
        Self::with_parallel_cables(stages, &vec![1; cables.len()], cables, routing, node_link)
    }

    /// Like [`Self::new`], with so many parallel cables at each port up of each stage but the top one.
    ///
    /// # Errors
    /// Like [`Self::new`], and where there is a port up without a cable.
    ///
    /// # Panics
    /// When the cables, or the numbers of parallel ones, are not one fewer than the stages.
    pub fn with_parallel_cables(
        stages: &[Switches],
        parallel: &[u32],
        cables: &[Stage],
        routing: FatTreeRouting,
        node_link: NodeLink,
    ) -> Result<Self, Vec<Mistake>> {
        switches::check(stages, parallel)?;
        let are_between = [cables.len(), parallel.len()] == [stages.len() - 1; 2];
        assert!(are_between, "there are cables between any two neighboring stages");
        let unused = node_link;
        let nodes: u32 = stages.iter().map(|s| s.down).product();
        let mut levels: Vec<Level> = Vec::with_capacity(stages.len());
        let (mut under_port, mut width, mut first_router, mut link) = (1, 1, 0, nodes);
        for (i, &switches) in stages.iter().enumerate() {
            let above = cables.get(i).copied().unwrap_or(unused);
            let parallel = parallel.get(i).copied().unwrap_or(1);
            let (first_up, first_down) = (link, 0);
            let level =
                Level { switches, above, parallel, under_port, width, first_router, first_up, first_down };
            let count = nodes / level.under_switch() * width;
            under_port = level.under_switch();
            width *= switches.up;
            first_router += count;
            link += count * switches.up * parallel;
            levels.push(level);
        }
        for stage in (0..levels.len()).rev() {
            let parallel = Self::parallel_below(&levels, stage);
            let level = &mut levels[stage];
            level.first_down = link;
            link += nodes / level.under_port * level.width * parallel;
        }
        let mut tree = Self { levels, routing, node_link, nodes, links: link, chosen: None };
        if let Some(rule) = routing.rule() {
            let per_leaf = tree.levels[0].switches.down;
            let made = Switched::new(
                Wiring::FatTree(Other::new(tree.clone())),
                per_leaf,
                vec![node_link],
                node_link,
                rule,
            );
            tree.chosen = Some(made?);
        }
        Ok(tree)
    }

    /// The same tree as a network whose rule decides for each packet, where it has one.
    pub fn chosen(&self) -> Option<&Switched> {
        self.chosen.as_ref()
    }

    /// Number of cables at each port down of a stage.
    fn parallel_below(levels: &[Level], stage: usize) -> u32 {
        stage.checked_sub(1).map_or(1, |below| levels[below].parallel)
    }

    /// Number of parallel cables at each port up of each stage but the top one, from the leaves up.
    pub fn parallel_cables(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.levels[..self.levels.len() - 1].iter().map(|level| level.parallel)
    }

    /// The stages of switches, from the leaves to the top.
    pub fn stages(&self) -> impl ExactSizeIterator<Item = Switches> + DoubleEndedIterator + '_ {
        self.levels.iter().map(|level| level.switches)
    }

    /// The cables above each stage but the top one, from the leaves up.
    pub fn cables(&self) -> impl ExactSizeIterator<Item = Stage> + '_ {
        self.levels[..self.levels.len() - 1].iter().map(|level| level.above)
    }

    /// The stages by name, each with its first switch.
    pub(crate) fn kinds_of_switches(&self) -> Vec<(String, u32)> {
        (1..).zip(&self.levels).map(|(stage, level)| (format!("stage {stage}"), level.first_router)).collect()
    }

    /// The choice of the way up.
    pub fn routing(&self) -> FatTreeRouting {
        self.routing
    }

    pub(crate) fn nodes(&self) -> usize {
        self.nodes as usize
    }

    pub(crate) fn routers(&self) -> usize {
        let top = self.levels.last().expect("there is at least one stage");
        (top.first_router + top.width * (self.nodes / top.under_switch())) as usize
    }

    pub(crate) fn links(&self) -> usize {
        self.links as usize
    }

    pub(crate) fn route(&self, from: NodeId, to: NodeId, route: &mut Vec<LinkId>) {
        assert!(from.0 < self.nodes && to.0 < self.nodes, "there is no route from node {from} to node {to}");
        route.clear();
        if from == to {
            return;
        }
        route.push(LinkId(from.0));
        // Divided by the ports passed so far; the port up comes from what remains of the node that decides.
        let (mut source, mut destination) = (from.0, to.0);
        let mut decides = match self.routing {
            FatTreeRouting::SourceMod => from.0,
            _ => to.0,
        };
        let (mut stage, mut ports_taken) = (0, 0);
        // By stage passed: which of the parallel cables.
        let mut cables = [0; switches::MOST_STAGES as usize];
        loop {
            let level = &self.levels[stage];
            let Switches { down, up } = level.switches;
            (source, destination) = (source / down, destination / down);
            if source == destination {
                break;
            }
            let port = decides % up;
            decides /= up;
            cables[stage] = decides % level.parallel;
            route.push(level.link_up(source * level.width + ports_taken, port, cables[stage]));
            ports_taken = ports_taken * up + port;
            stage += 1;
        }
        loop {
            let Level { switches: Switches { down, .. }, width, first_down, under_port, .. } =
                self.levels[stage];
            let below = to.0 / under_port;
            let port = (destination * width + ports_taken) * down + (below - destination * down);
            let Some(next) = stage.checked_sub(1) else {
                route.push(LinkId(first_down + port));
                break;
            };
            route.push(LinkId(first_down + port * self.levels[next].parallel + cables[next]));
            (stage, destination) = (next, below);
            ports_taken /= self.levels[stage].switches.up;
        }
    }

    /// The link to a node.
    pub(crate) fn ejection(&self, node: NodeId) -> LinkId {
        LinkId(self.levels[0].first_down + node.0)
    }

    /// Where a switch stands along the leaves: in the middle of those below it, or beside it where there are several above the
    /// same leaves. In 2^32nds of the way from one node to the next, and behind that the number of the switch.
    pub(crate) fn place_along_leaves(&self, router: RouterId) -> (u128, RouterId) {
        let stage = self.levels.iter().rposition(|level| level.first_router <= router.0).unwrap_or_default();
        let level = &self.levels[stage];
        // The way along the leaves of a subtree is shared among the switches above it.
        let share = u128::from(level.under_switch()) << 32;
        let switch = u128::from(router.0 - level.first_router);
        ((2 * switch + 1) * share / (2 * u128::from(level.width)), router)
    }

    /// The nodes below a link between switches, and whether it leads up.
    pub(crate) fn below(&self, id: LinkId) -> (std::ops::Range<u32>, bool) {
        let At { stage, switch, port, up, .. } = self.at(id).expect("a link between switches");
        let level = &self.levels[stage];
        let subtree = switch / level.width;
        let (first, nodes) = match up {
            true => (subtree * level.under_switch(), level.under_switch()),
            false => ((subtree * level.switches.down + port) * level.under_port, level.under_port),
        };
        (first..first + nodes, up)
    }

    /// Where a link starts, or where it ends if it is an injection link; `up` unless it leads down.
    fn at(&self, id: LinkId) -> Option<At> {
        assert!(id.0 < self.links, "there is no link {id}");
        if id.0 < self.nodes {
            return None;
        }
        let goes_up = |level: &Level| {
            let count = self.nodes / level.under_switch() * level.width * level.switches.up * level.parallel;
            (level.first_up..level.first_up + count).contains(&id.0)
        };
        if let Some((stage, level)) = self.levels.iter().enumerate().find(|(_, level)| goes_up(level)) {
            let (up, offset) = (level.switches.up, id.0 - level.first_up);
            let (place, cable) = (offset / level.parallel, offset % level.parallel);
            return Some(At { stage, switch: place / up, port: place % up, cable, up: true });
        }
        let (stage, level) = self
            .levels
            .iter()
            .enumerate()
            .find(|(_, level)| id.0 >= level.first_down)
            .expect("links that lead down are numbered from the top stage to the leaves");
        let (down, offset) = (level.switches.down, id.0 - level.first_down);
        let parallel = Self::parallel_below(&self.levels, stage);
        let (place, cable) = (offset / parallel, offset % parallel);
        Some(At { stage, switch: place / down, port: place % down, cable, up: false })
    }

    /// Number of links with smaller numbers that join the same two switches in the same direction.
    pub(crate) fn parallel_before(&self, id: LinkId) -> usize {
        self.at(id).map_or(0, |at| at.cable as usize)
    }

    /// The lower one of the stages that a link joins, counted from 0, the leaves; `None` if it belongs to a node.
    pub(crate) fn lower_stage(&self, id: LinkId) -> Option<usize> {
        let At { stage, up, .. } = self.at(id)?;
        if up { Some(stage) } else { stage.checked_sub(1) }
    }

    pub(crate) fn link(&self, id: LinkId) -> Link {
        let router = |stage: usize, switch| End::Router(RouterId(self.levels[stage].first_router + switch));
        let Some(At { stage, switch, port, up, .. }) = self.at(id) else {
            let leaf = id.0 / self.levels[0].switches.down;
            return self.node_link.between(End::Node(NodeId(id.0)), router(0, leaf));
        };
        let level = &self.levels[stage];
        let (subtree, ports_taken) = (switch / level.width, switch % level.width);
        let here = router(stage, switch);
        if up {
            let above = &self.levels[stage + 1];
            let there = subtree / above.switches.down * above.width + ports_taken * level.switches.up + port;
            return level.above.between(here, router(stage + 1, there));
        }
        let Some(below) = stage.checked_sub(1) else {
            return self.node_link.between(here, End::Node(NodeId(switch * level.switches.down + port)));
        };
        let lower = &self.levels[below];
        let there = (subtree * level.switches.down + port) * lower.width + ports_taken / lower.switches.up;
        lower.above.between(here, router(below, there))
    }

    /// `leaf 3`, `middle 5` (the middle one of three stages), `stage-2 7` (counted from 1, the leaves), `top 0`.
    pub(crate) fn router_name(&self, router: RouterId) -> String {
        assert!(router.index() < self.routers(), "there is no router {router}");
        let stage = self.levels.iter().rposition(|level| level.first_router <= router.0).unwrap_or_default();
        let switch = router.0 - self.levels[stage].first_router;
        match (stage, self.levels.len()) {
            (0, _) => format!("leaf {switch}"),
            (1, 3) => format!("middle {switch}"),
            (stage, stages) if stage + 1 == stages => format!("top {switch}"),
            (stage, _) => format!("stage-{} {switch}", stage + 1),
        }
    }
}

#[cfg(test)]
mod tests;
