//! What the tests of all topologies ask.

use crate::{End, Topology};
use std::collections::BTreeSet;
use weir_units::{LinkId, NodeId, RouterId};

/// The route between two nodes.
pub(crate) fn route(machine: &Topology, from: u32, to: u32) -> Vec<LinkId> {
    let mut route = Vec::new();
    machine.route(NodeId(from), NodeId(to), &mut route);
    route
}

/// The names of its links.
pub(crate) fn names(machine: &Topology, from: u32, to: u32) -> Vec<String> {
    route(machine, from, to).into_iter().map(|id| machine.link_name(id)).collect()
}

/// All ordered pairs of nodes, those of a node and itself as well.
pub(crate) fn pairs(machine: &Topology) -> impl Iterator<Item = (u32, u32)> + use<> {
    let nodes = machine.nodes() as u32;
    (0..nodes).flat_map(move |from| (0..nodes).map(move |to| (from, to)))
}

/// What holds in every machine: numbers without gaps, the place of injection links, different names, and routes that
/// are walks from injection link to ejection link without a router twice.
#[track_caller]
pub(crate) fn check_laws(machine: &Topology) {
    let nodes = machine.nodes() as u32;
    let links: Vec<_> = (0..machine.links()).map(|id| machine.link(LinkId::new(id))).collect();
    for (v, link) in (0..nodes).zip(&links) {
        assert_eq!(link.from, End::Node(NodeId(v)), "the injection link of node {v}");
    }
    let all: BTreeSet<_> = (0..links.len()).map(|id| machine.link_name(LinkId::new(id))).collect();
    assert_eq!(all.len(), links.len(), "names of links");
    let routers: BTreeSet<_> =
        (0..machine.routers()).map(|r| machine.router_name(RouterId::new(r))).collect();
    assert_eq!(routers.len(), machine.routers(), "names of routers");
    for v in 0..nodes {
        assert_eq!(machine.parse_address(&machine.address(NodeId(v))), Some(NodeId(v)));
    }
    for (from, to) in pairs(machine) {
        let route: Vec<_> = route(machine, from, to).iter().map(|id| links[id.index()]).collect();
        if from == to {
            assert!(route.is_empty());
            continue;
        }
        let ends = (route[0].from, route[route.len() - 1].to);
        assert_eq!(ends, (End::Node(NodeId(from)), End::Node(NodeId(to))), "from {from} to {to}");
        assert!(route.windows(2).all(|pair| pair[0].to == pair[1].from), "from {from} to {to}");
        let passed: BTreeSet<_> = route[1..]
            .iter()
            .map(|link| match link.from {
                End::Router(router) => router,
                End::Node(node) => panic!("a route passes through node {node}"),
            })
            .collect();
        assert_eq!(passed.len(), route.len() - 1, "a router twice from {from} to {to}");
    }
}
