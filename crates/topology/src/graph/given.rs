//! Routes that somebody gives, checked one by one.

use super::Graph;
use weir_units::{LinkId, NodeId, RouterId};

/// A router that a given route passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The router.
    pub router: RouterId,
    /// Which of several links from the router before it: 0 is the first. Of no use for the first router.
    pub parallel: u32,
    /// The class of virtual channels on the link from the router before it; `None`: 0, if other hops have one.
    pub class: Option<u8>,
}

impl Hop {
    /// Over the first link from the router before it.
    pub fn to(router: RouterId) -> Self {
        Self { router, parallel: 0, class: None }
    }
}

/// Why a route cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteMistake {
    /// The mistake, as a sentence.
    pub what: String,
    /// A remedy.
    pub hint: Option<String>,
}

/// A route for pairs of nodes of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenRoutes {
    nodes: usize,
    /// First link and number of links, for each pair; no link where there is no route yet.
    spans: Vec<(u32, u32)>,
    links: Vec<LinkId>,
    /// By link of the list above: the class on it.
    classes: Vec<u8>,
    has_classes: bool,
}

impl GivenRoutes {
    /// None yet, for the nodes of a graph.
    pub fn of(graph: &Graph) -> Self {
        let nodes = graph.nodes();
        Self {
            nodes,
            spans: vec![(0, 0); nodes * nodes],
            links: Vec::new(),
            classes: Vec::new(),
            has_classes: false,
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.nodes
    }

    fn pair(&self, source: NodeId, destination: NodeId) -> usize {
        source.index() * self.nodes + destination.index()
    }

    pub(super) fn route(&self, source: NodeId, destination: NodeId) -> &[LinkId] {
        let (first, count) = self.spans[self.pair(source, destination)];
        &self.links[first as usize..][..count as usize]
    }

    pub(super) fn has_classes(&self) -> bool {
        self.has_classes
    }

    /// The classes of the links between routers, if any route says them.
    pub(super) fn classes(&self, source: NodeId, destination: NodeId) -> Option<&[u8]> {
        let (first, count) = self.spans[self.pair(source, destination)];
        let classes = &self.classes[first as usize..][..count as usize];
        (self.has_classes && count > 1).then(|| &classes[1..classes.len() - 1])
    }

    pub(super) fn missing(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let pairs =
            (0..self.nodes).flat_map(|a| (0..self.nodes).map(move |b| (NodeId::new(a), NodeId::new(b))));
        pairs.filter(|&(a, b)| a != b && self.spans[self.pair(a, b)].1 == 0)
    }

    /// Adds the route of a pair: the routers from that of the source to that of the destination.
    ///
    /// # Errors
    /// When the pair has a route already or is one node twice; when the route begins or ends at another router, passes
    /// a router twice, or takes a link that is not there. Such a route is not added.
    ///
    /// # Panics
    /// When a node or a router is not there, or the graph is another one.
    pub fn add(
        &mut self,
        graph: &Graph,
        source: NodeId,
        destination: NodeId,
        hops: &[Hop],
    ) -> Result<(), RouteMistake> {
        assert_eq!(self.nodes, graph.nodes(), "routes of another machine");
        let wrong =
            |what: String, hint: Option<&str>| Err(RouteMistake { what, hint: hint.map(str::to_owned) });
        let name = |router: RouterId| graph.router_address(router);
        let (from, to) = (graph.address(source), graph.address(destination));
        if source == destination {
            return wrong(format!("node {from:?} needs no route to itself"), None);
        }
        if self.spans[self.pair(source, destination)].1 != 0 {
            return wrong(format!("there is a route from {from:?} to {to:?} already"), None);
        }
        let whole = Some("a route lists all routers, from that of the source to that of the destination");
        let (Some(first), Some(last)) = (hops.first(), hops.last()) else {
            return wrong(format!("the route from {from:?} to {to:?} passes no router"), whole);
        };
        let ends = [
            ("begins", first.router, from, graph.home(source)),
            ("ends", last.router, to, graph.home(destination)),
        ];
        for (verb, router, node, home) in ends {
            if router != home {
                let what =
                    format!("the route {verb} at {:?}, but {node:?} is at {:?}", name(router), name(home));
                return wrong(what, whole);
            }
        }
        let start = self.links.len();
        let mut links = vec![LinkId(source.0)];
        for (i, pair) in hops.windows(2).enumerate() {
            let (here, next) = (pair[0].router, pair[1].router);
            if hops[..=i].iter().any(|hop| hop.router == next) {
                return wrong(format!("the route passes {:?} twice", name(next)), None);
            }
            let count = graph.links_between(here, next).count();
            match graph.links_between(here, next).nth(pair[1].parallel as usize) {
                Some(link) => links.push(link),
                None if count == 0 => {
                    let what = format!("there is no cable from {:?} to {:?}", name(here), name(next));
                    return wrong(what, None);
                }
                None => {
                    let which = u64::from(pair[1].parallel) + 1;
                    let (here, next) = (name(here), name(next));
                    return wrong(
                        format!("from {here:?} to {next:?} there is no link #{which}, only {count}"),
                        None,
                    );
                }
            }
        }
        links.push(LinkId::new(self.nodes + destination.index()));
        let (Ok(first), Ok(count)) = (u32::try_from(start), u32::try_from(links.len())) else {
            return wrong("the routes have more hops than can be numbered".into(), None);
        };
        let pair = self.pair(source, destination);
        self.spans[pair] = (first, count);
        let classes = hops[1..].iter().map(|hop| hop.class.unwrap_or(0));
        self.classes.extend(std::iter::once(0).chain(classes).chain([0]));
        self.has_classes |= hops[1..].iter().any(|hop| hop.class.is_some());
        self.links.append(&mut links);
        Ok(())
    }
}
