//! Checks for the tests of all topologies.

pub(crate) mod networks;

use crate::{
    CrossbarDimension, Dimension, End, FatTree, FatTreeRouting, Graph, GraphMistake, Hypercrossbar, Metric,
    Mistake, NodeLink, Rule, Stage, Switches, Tie, Topology, Torus, Vertex, VertexKind, Wire, Wrap, tofu,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use weir_units::{Bandwidth, Duration, LinkId, NodeId, RouterId};

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

/// The fewest hops between all routers, one by one, over links that have not failed; [`u32::MAX`] / 2 where there is no way.
pub(crate) fn hops(machine: &Topology) -> Vec<Vec<u32>> {
    let routers = machine.routers();
    let mut hops = vec![vec![u32::MAX / 2; routers]; routers];
    (0..routers).for_each(|router| hops[router][router] = 0);
    let failed = |&id: &LinkId| machine.degraded().is_some_and(|degraded| degraded.has_failed(id));
    for id in (0..machine.links()).map(LinkId::new).filter(|id| !failed(id)) {
        if let (End::Router(a), End::Router(b)) = (machine.link(id).from, machine.link(id).to) {
            hops[a.index()][b.index()] = 1;
        }
    }
    for via in 0..routers {
        for a in 0..routers {
            for b in 0..routers {
                hops[a][b] = hops[a][b].min(hops[a][via] + hops[via][b]);
            }
        }
    }
    hops
}

/// The mistakes for which something is refused, with their hints; all are of this key.
#[track_caller]
pub(crate) fn refused<T>(made: Result<T, Vec<Mistake>>, key: &str) -> Vec<(String, String)> {
    let Err(mistakes) = made else { panic!("it is made") };
    assert!(mistakes.iter().all(|mistake| mistake.key == key && !mistake.hint.is_empty()));
    mistakes.into_iter().map(|mistake| (mistake.what, mistake.hint)).collect()
}

/// Checks that something is refused for these mistakes.
#[track_caller]
pub(crate) fn check_refused<T>(made: Result<T, Vec<Mistake>>, key: &str, expected: &[&str]) {
    let found: Vec<_> = refused(made, key).into_iter().map(|(what, _)| what).collect();
    assert_eq!(found, expected);
}

/// Checks what holds in every machine: numbers without gaps, the place of injection links, different names, and routes that
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

/// Checks that each link has one the other way.
#[track_caller]
pub(crate) fn check_pairs(machine: &Topology) {
    let links: Vec<_> = (0..machine.links()).map(|id| machine.link(LinkId::new(id))).collect();
    for link in &links {
        assert_ne!(link.from, link.to);
        let ways = |from, to| links.iter().filter(|other| (other.from, other.to) == (from, to)).count();
        assert_eq!(ways(link.from, link.to), ways(link.to, link.from));
    }
}

/// A cable that differs from others by its bandwidth and latency.
pub(crate) fn cable(i: usize) -> NodeLink {
    let bandwidth = Bandwidth::new(i as f64 + 1.0).expect("positive");
    NodeLink { bandwidth, latency: Duration::from_ns(i as u64 + 1) }
}

/// A torus, a mesh, or a mixture; dimension i has cable i.
pub(crate) fn grid(shape: &[(u32, bool)], tie: Tie) -> Topology {
    let dimensions = shape.iter().enumerate().map(|(i, &(size, wraps))| Dimension {
        size,
        wrap: if wraps { Wrap::Torus } else { Wrap::Mesh },
        bandwidth: cable(i).bandwidth,
        latency: cable(i).latency,
    });
    Topology::Torus(Torus::new(dimensions.collect(), tie, cable(9)).expect("a small torus"))
}

/// A Tofu of so many groups; dimension i has cable i.
pub(crate) fn tofu(groups: [u32; 3], wraps: [Wrap; 6], tie: Tie) -> Topology {
    let sizes = tofu::shape(&groups).expect("three sizes");
    let dimension = |i: usize| {
        let NodeLink { bandwidth, latency } = cable(i);
        Dimension { size: sizes[i], wrap: wraps[i], bandwidth, latency }
    };
    let dimensions = [0, 1, 2, 3, 4, 5].map(dimension);
    Topology::Torus(tofu::machine(dimensions, tie, cable(9)).expect("a small Tofu"))
}

/// Dimension i has cable i.
pub(crate) fn hypercrossbar(shape: &[u32]) -> Topology {
    let dimensions = shape.iter().enumerate().map(|(i, &size)| CrossbarDimension {
        size,
        bandwidth: cable(i).bandwidth,
        latency: cable(i).latency,
    });
    Topology::Hypercrossbar(
        Hypercrossbar::new(dimensions.collect(), cable(9)).expect("a small hypercrossbar"),
    )
}

/// Above stage i is cable i, once at each port up.
pub(crate) fn fat_tree(ports: &[(u32, u32)], routing: FatTreeRouting) -> Topology {
    let ports: Vec<_> = ports.iter().map(|&(down, up)| (down, up, 1)).collect();
    extended_fat_tree(&ports, routing)
}

/// Stages of ports down, ports up, and cables at each port up.
pub(crate) fn extended_fat_tree(ports: &[(u32, u32, u32)], routing: FatTreeRouting) -> Topology {
    let mut stages: Vec<_> = ports.iter().map(|&(down, up, _)| Switches { down, up }).collect();
    let parallel: Vec<_> = ports[1..].iter().zip(ports).map(|(_, &(.., parallel))| parallel).collect();
    stages.last_mut().expect("at least one stage").up = 0;
    let cables = (1..stages.len()).map(|i| cable(i - 1));
    let cables: Vec<_> = cables.map(|c| Stage { bandwidth: c.bandwidth, latency: c.latency }).collect();
    let tree = FatTree::with_parallel_cables(&stages, &parallel, &cables, routing, cable(9));
    Topology::FatTree(tree.expect("a small tree"))
}

/// Nodes n0, n1, ... with a cable to each of these routers, and cables between routers; cables are numbered, those of nodes first.
pub(crate) fn graph(
    homes: &[Vec<u32>],
    routers: u32,
    between: &[(u32, u32)],
) -> Result<Topology, Vec<GraphMistake>> {
    let nodes = homes.len() as u32;
    let vertex = |kind, letter: &str, number| Vertex { name: format!("{letter}{number}"), kind };
    let vertices = (0..nodes).map(|number| vertex(VertexKind::Node, "n", number));
    let vertices = vertices.chain((0..routers).map(|number| vertex(VertexKind::Router, "r", number)));
    let of_nodes =
        (0..).zip(homes).flat_map(|(node, homes)| homes.iter().map(move |home| (node, nodes + home)));
    let cables = of_nodes.chain(between.iter().map(|&(a, b)| (nodes + a, nodes + b)));
    let wires: Vec<Wire> = cables
        .flat_map(|(a, b)| {
            let NodeLink { bandwidth: capacity, latency } = cable(0);
            [(a, b), (b, a)].map(|(from, to)| Wire { from, to, capacity, latency })
        })
        .collect();
    Graph::new(vertices.collect(), &wires, Metric::Hops, cable(9)).map(Topology::Graph)
}

/// The machine as a graph, with computed routes.
pub(crate) fn as_graph(machine: &Topology) -> Topology {
    let (vertices, wires) = machine.to_vertices_and_wires();
    Topology::Graph(Graph::new(vertices, &wires, Metric::Hops, cable(9)).expect("the graph of a machine"))
}

/// Small machines of every kind with a formula.
pub(crate) fn machines() -> impl Strategy<Value = Topology> {
    let ties = prop_oneof![Just(Tie::Spread), Just(Tie::Plus), Just(Tie::Direct), Just(Tie::Parity)];
    let shapes = proptest::collection::vec((1_u32..=5, any::<bool>()), 1..=3);
    let sizes = proptest::collection::vec(1_u32..=5, 1..=3);
    let ports = proptest::collection::vec((1_u32..=4, 1_u32..=3, 1_u32..=2), 1..=3);
    prop_oneof![
        (shapes, ties).prop_map(|(shape, tie)| grid(&shape, tie)),
        sizes.prop_map(|shape| hypercrossbar(&shape)),
        ports.prop_map(|ports| extended_fat_tree(&ports, FatTreeRouting::DestinationMod)),
        (networks::wirings(), 1..3_u32).prop_map(|(wiring, nodes)| networks::made(
            wiring,
            nodes,
            Rule::Minimal
        )),
    ]
}
