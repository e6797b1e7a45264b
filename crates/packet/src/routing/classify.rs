//! Which class of virtual channels each hop of the routes of a graph has.
//!
//! Routes without circles need no classes, and then any virtual channel will do. With circles the class is the number of
//! links that a packet has passed, if there are virtual channels enough: a packet waits only for those that are further on
//! their ways, so there is no circle, and packets are spread over all classes. Else [`super::classes`] searches for as few
//! as possible. For detours around failed links it is that search at once. Links count in the order of the routers at their ends, so that results do not depend on the order in which
//! a file has its cables.

use super::classes::Dependencies;
use super::detours::Listed;
use super::stored::{MOST_CLASSES, Sources, check};
use crate::network::{Plan, Poll};
use crate::{ClassRule, Classes, DeadlockPolicy, Refusal};
use weir_topology::{End, Graph, Link, Topology};
use weir_units::{LinkId, NodeId};

/// The links of a route between routers.
pub(super) type Between<'a> = &'a [LinkId];

/// Takes the pair of nodes, the link of its route between routers, counted from 0, and the class of a hop.
pub(super) type Give<'a> = &'a mut dyn FnMut(u32, usize, u8);

/// The classes that there are, and what they follow from.
type Classified = Result<(Classes, u32), Refusal>;

/// Routes, and how their links are numbered here.
struct Routes<'a> {
    which: Which<'a>,
    /// By link: its place in the order of the ends.
    rank: Vec<u32>,
}

/// Which routes are looked at, each with a number.
enum Which<'a> {
    /// Those of all pairs of nodes, source by source.
    All(&'a Topology, Sources),
    Listed(&'a Listed),
}

/// All links in the order of the ends at which they begin, then of those at which they end; parallel ones as they are
/// numbered.
pub(crate) fn by_ends(topology: &Topology) -> Vec<LinkId> {
    let place = |end: End| match end {
        End::Node(node) => (0, node.0),
        End::Router(router) => (1, router.0),
    };
    let mut links: Vec<_> = (0..topology.links()).map(LinkId::new).collect();
    links.sort_by_cached_key(|&id| {
        let Link { from, to, .. } = topology.link(id);
        (place(from), place(to))
    });
    links
}

/// Calls `give` for each hop that is not in class 0. Returns how many classes there are, and what they follow from.
///
/// # Errors
/// When there are too many classes, or those that are given let packets wait for each other in a circle. When `poll` stops
/// it, with anything.
pub(super) fn classify(plan: &Plan<'_>, graph: Option<&Graph>, poll: Poll<'_>, give: Give<'_>) -> Classified {
    let &Plan { topology, model, .. } = plan;
    let sources = Sources::of(topology);
    let pairs = sources.pairs(topology) as u32;
    let routes = Routes { which: Which::All(topology, sources), rank: ranks(topology) };
    // Those of the file say nothing of routes around failed links.
    let has_detours = topology.degraded().is_some_and(|degraded| degraded.failed().next().is_some());
    if let Some(graph) = graph.filter(|graph| graph.has_given_classes() && !has_detours) {
        return routes.given(plan, graph, poll, give);
    }
    let mut links = Vec::new();
    let mut open = Vec::new();
    for pair in 0..pairs {
        go_on(pair as usize, poll)?;
        let links = routes.of(pair, &mut links);
        if links.len() > 1 {
            open.push((pair, 0, links.len() as u32));
        }
    }
    let longest = open.iter().map(|&(_, _, links)| links).max().unwrap_or(1);
    let dependencies = routes.dependencies(&open, poll)?;
    let enough = longest <= model.virtual_channels.min(MOST_CLASSES);
    let by_links = match model.classes {
        ClassRule::Automatic if !dependencies.has_circles() => return Ok((Classes::One, 1)),
        ClassRule::Automatic => enough,
        ClassRule::LinksPassed if longest > MOST_CLASSES => return Err(too_many()),
        ClassRule::LinksPassed => true,
        ClassRule::Fewest => false,
    };
    if by_links {
        for (pair, _, links) in open {
            (1..links).for_each(|link| give(pair, link as usize, link as u8));
        }
        return Ok((Classes::LinksPassed, longest));
    }
    let classes = routes.search(open, dependencies, poll, give)?;
    Ok((Classes::Fewest, classes))
}

/// By link: its place in the order of the ends.
fn ranks(topology: &Topology) -> Vec<u32> {
    let mut rank = vec![0; topology.links()];
    by_ends(topology).iter().zip(0..).for_each(|(link, place)| rank[link.index()] = place);
    rank
}

/// The fewest classes for parts of detours, of which a machine without faults knows nothing; calls `give` for those
/// that are not in class 0. Returns how many there are: none for no parts.
///
/// # Errors
/// When there are too many. When `poll` stops it, with anything.
pub(super) fn fewest(
    topology: &Topology,
    detours: &Listed,
    parts: Vec<Piece>,
    poll: Poll<'_>,
    give: Give<'_>,
) -> Result<u32, Refusal> {
    if parts.is_empty() {
        return Ok(0);
    }
    let routes = Routes { which: Which::Listed(detours), rank: ranks(topology) };
    for &(pair, begin, end) in &parts {
        (begin..end).for_each(|link| give(pair, link as usize, 0));
    }
    let dependencies = routes.dependencies(&parts, poll)?;
    routes.search(parts, dependencies, poll, give)
}

/// # Errors
/// When it is this route's turn to poll, and that stops everything: the error is not looked at.
fn go_on(place: usize, poll: Poll<'_>) -> Result<(), Refusal> {
    check(place, poll).map_err(|_| too_many())
}

fn too_many() -> Refusal {
    let what = format!("needs more than {MOST_CLASSES} classes of virtual channels");
    Refusal::new("topology.kind", what, "take other routes, or engine.kind = \"flow\"")
}

/// A part of a route: the pair of nodes, and which of the links between routers, from the first below the second.
pub(super) type Piece = (u32, u32, u32);

impl Routes<'_> {
    fn of<'l>(&'l self, pair: u32, links: &'l mut Vec<LinkId>) -> Between<'l> {
        match &self.which {
            Which::All(topology, sources) => sources.between(topology, pair, links),
            Which::Listed(detours) => detours.links(pair),
        }
    }

    fn dependencies(&self, open: &[Piece], poll: Poll<'_>) -> Result<Dependencies, Refusal> {
        let mut links = Vec::new();
        let mut dependencies = Dependencies::new(self.rank.len());
        for (place, &(pair, begin, end)) in open.iter().enumerate() {
            go_on(place, poll)?;
            let links = &self.of(pair, &mut links)[begin as usize..end as usize];
            let rank = |link: LinkId| self.rank[link.index()];
            links.windows(2).for_each(|pair| dependencies.add(rank(pair[0]), rank(pair[1])));
        }
        Ok(dependencies)
    }

    /// The classes of a file.
    fn given(&self, plan: &Plan<'_>, graph: &Graph, poll: Poll<'_>, give: Give<'_>) -> Classified {
        let nodes = plan.topology.nodes() as u32;
        let pairs = nodes * nodes;
        let classes_of = |pair: u32| {
            let classes = graph.given_classes(NodeId(pair / nodes), NodeId(pair % nodes));
            classes.unwrap_or(&[])
        };
        let classes = 1 + (0..pairs).flat_map(|pair| classes_of(pair).iter()).max().map_or(0, |&most| most);
        if u32::from(classes) > MOST_CLASSES {
            return Err(too_many());
        }
        let mut links = Vec::new();
        let mut dependencies = Dependencies::new(self.rank.len() * usize::from(classes));
        for pair in 0..pairs {
            go_on(pair as usize, poll)?;
            let (links, of_links) = (self.of(pair, &mut links), classes_of(pair));
            let channel = |hop: usize| {
                let class = of_links.get(hop).map_or(0, |&class| u32::from(class));
                self.rank[links[hop].index()] * u32::from(classes) + class
            };
            (1..links.len()).for_each(|hop| dependencies.add(channel(hop - 1), channel(hop)));
            of_links.iter().enumerate().for_each(|(hop, &class)| give(pair, hop, class));
        }
        if plan.model.deadlock == DeadlockPolicy::Refuse && dependencies.has_circles() {
            return Err(Refusal::new(
                "topology.routes",
                "packets could wait for each other in a circle and never move again, in the classes of this file",
                "leave the classes out to have them found; packet.allow_deadlock = true runs it all the same",
            ));
        }
        Ok((Classes::Given, classes.into()))
    }

    /// Searches for the fewest classes; returns how many.
    ///
    /// # Errors
    /// When there are too many.
    fn search(
        &self,
        mut open: Vec<Piece>,
        mut dependencies: Dependencies,
        poll: Poll<'_>,
        give: Give<'_>,
    ) -> Result<u32, Refusal> {
        let mut links = Vec::new();
        let mut classes = 1;
        let rank = |link: LinkId| self.rank[link.index()] as usize;
        while !open.is_empty() {
            let components = dependencies.cut();
            let order = dependencies.order();
            let mut higher = Vec::new();
            for (place, (pair, begin, end)) in open.into_iter().enumerate() {
                go_on(place, poll)?;
                let links = &self.of(pair, &mut links)[begin as usize..end as usize];
                let mut begin = begin;
                for piece in links.chunk_by(|&a, &b| components[rank(a)] == components[rank(b)]) {
                    let end = begin + piece.len() as u32;
                    let down = piece.windows(2).position(|pair| order[rank(pair[1])] < order[rank(pair[0])]);
                    if let Some(place) = down {
                        higher.push((pair, begin + place as u32 + 1, end));
                    }
                    begin = end;
                }
            }
            classes += u32::from(!higher.is_empty());
            if classes > MOST_CLASSES {
                return Err(too_many());
            }
            for &(pair, begin, end) in &higher {
                (begin..end).for_each(|link| give(pair, link as usize, (classes - 1) as u8));
            }
            dependencies = self.dependencies(&higher, poll)?;
            open = higher;
        }
        Ok(classes)
    }
}
