//! Machines of every kind, given and random, and what runs on them.

mod classes;
mod models;
mod wirings;

use crate::flit::Message;
use crate::machines::{Cable, bandwidth, node_link};
pub(crate) use models::{changing, escapes, network, of_kinds, routers};
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeMap;
use weir_packet::{DeadlockPolicy, NodeModel, PacketNetwork, RouterModel, channels_of};
use weir_topology::{
    Adaptive, CrossbarDimension, Decide, Degraded, Dimension, End, FatTree, FatTreeRouting, GivenRoutes,
    Graph, Hop, Hypercrossbar, Link, Metric, NodeLink, Rule, Stage, Switched, Switches, Tie, Topology, Torus,
    Vertex, VertexKind, Wire, Wrap, tofu,
};
use weir_units::{Duration, LinkId, NodeId, RouterId, Time};

/// Dimensions of this size and kind, with these cables in turn.
pub(crate) fn dimensions(sizes: &[(u32, Wrap)], cables: &[Cable]) -> Vec<Dimension> {
    let cables = cables.iter().map(|&cable| node_link(cable)).cycle();
    let dimension =
        |(&(size, wrap), NodeLink { bandwidth, latency })| Dimension { size, wrap, bandwidth, latency };
    sizes.iter().zip(cables).map(dimension).collect()
}

/// A grid of such dimensions.
pub(crate) fn mixed(sizes: &[(u32, Wrap)], cables: &[Cable], node: Cable, tie: Tie) -> Topology {
    Topology::Torus(Torus::new(dimensions(sizes, cables), tie, node_link(node)).expect("a small grid"))
}

/// A Tofu of so many groups along x, y and z, with these kinds of dimensions.
pub(crate) fn tofu_of(
    groups: [u32; 3],
    wraps: [Wrap; 6],
    cables: &[Cable],
    node: Cable,
    tie: Tie,
) -> Topology {
    let [x, y, z] = groups;
    let sizes: Vec<_> = [x, y, z, 2, 3, 2].into_iter().zip(wraps).collect();
    let dimensions = dimensions(&sizes, cables).try_into().expect("there are six");
    Topology::Torus(tofu::machine(dimensions, tie, node_link(node)).expect("a small Tofu"))
}

/// A fat tree of stages with so many ports down and up; the top stage has none up, whatever is said of it.
pub(crate) fn tree(
    stages: &[(u32, u32)],
    cables: &[Cable],
    node: Cable,
    routing: FatTreeRouting,
) -> Topology {
    let stages: Vec<_> = stages.iter().map(|&(down, up)| (down, up, 1)).collect();
    extended_tree(&stages, cables, node, routing)
}

/// The same, with so many parallel cables at each port up.
pub(crate) fn extended_tree(
    stages: &[(u32, u32, u32)],
    cables: &[Cable],
    node: Cable,
    routing: FatTreeRouting,
) -> Topology {
    let mut switches: Vec<_> = stages.iter().map(|&(down, up, _)| Switches { down, up }).collect();
    let parallel: Vec<_> = stages[1..].iter().zip(stages).map(|(_, stage)| stage.2).collect();
    switches.last_mut().expect("there is a stage").up = 0;
    let cables = cables.iter().cycle().take(stages.len() - 1).map(|&cable| {
        let NodeLink { bandwidth, latency } = node_link(cable);
        Stage { bandwidth, latency }
    });
    let cables: Vec<_> = cables.collect();
    let tree = FatTree::with_parallel_cables(&switches, &parallel, &cables, routing, node_link(node));
    Topology::FatTree(tree.expect("a small fat tree"))
}

/// A hypercrossbar of this shape.
pub(crate) fn hypercrossbar(sizes: &[u32], cables: &[Cable], node: Cable) -> Topology {
    let cables = cables.iter().map(|&cable| node_link(cable)).cycle();
    let dimension = |(&size, NodeLink { bandwidth, latency })| CrossbarDimension { size, bandwidth, latency };
    let dimensions = sizes.iter().zip(cables).map(dimension).collect();
    Topology::Hypercrossbar(Hypercrossbar::new(dimensions, node_link(node)).expect("a small hypercrossbar"))
}

/// A graph of so many routers with these cables between them, and a node at each of the routers `homes`.
pub(crate) fn graph(
    routers: u32,
    joined: &[(u32, u32)],
    homes: &[u32],
    cables: &[Cable],
    node: Cable,
) -> Graph {
    let nodes = homes.len() as u32;
    let of_nodes = (0..).zip(homes).map(|(number, &home)| (number, nodes + home, node));
    let between = joined.iter().zip(cables.iter().cycle());
    let between = between.map(|(&(a, b), &cable)| (nodes + a, nodes + b, cable));
    let all = of_nodes.chain(between).collect();
    wired(nodes, routers, Metric::Hops, all).expect("a connected graph")
}

/// So many nodes, then so many routers, and cables between these vertices.
pub(crate) fn wired(
    nodes: u32,
    routers: u32,
    metric: Metric,
    cables: Vec<(u32, u32, Cable)>,
) -> Option<Graph> {
    let vertex = |kind, letter, number| Vertex { name: format!("{letter}{number}"), kind };
    let vertices = (0..nodes).map(|number| vertex(VertexKind::Node, 'n', number));
    let vertices = vertices.chain((0..routers).map(|number| vertex(VertexKind::Router, 'r', number)));
    let wires = cables.iter().flat_map(|&(a, b, cable)| {
        let NodeLink { bandwidth: capacity, latency } = node_link(cable);
        [(a, b), (b, a)].map(|(from, to)| Wire { from, to, capacity, latency })
    });
    Graph::new(vertices.collect(), &wires.collect::<Vec<_>>(), metric, node_link(cables[0].2)).ok()
}

/// Nodes with a cable to the router of each plane, of which each has such cables.
pub(crate) fn planes(nodes: u32, cables: &[Cable]) -> Topology {
    let homes: Vec<Vec<u32>> = (0..nodes).map(|_| (0..cables.len() as u32).collect()).collect();
    Topology::Graph(
        with_cables(cables.len() as u32, &[], &homes, |router| cables[router as usize]).expect("planes"),
    )
}

/// A graph of so many routers, and nodes with a cable to each of these routers, of a kind that follows from the router.
fn with_cables(
    routers: u32,
    joined: &[(u32, u32)],
    homes: &[Vec<u32>],
    cable: impl Fn(u32) -> Cable,
) -> Option<Graph> {
    let nodes = homes.len() as u32;
    let of_nodes = (0..).zip(homes).flat_map(|(node, homes)| homes.iter().map(move |&home| (node, home)));
    let of_nodes = of_nodes.map(|(node, home)| (node, nodes + home, cable(home)));
    let between = joined.iter().map(|&(a, b)| (nodes + a, nodes + b, cable(a)));
    wired(nodes, routers, Metric::Time, of_nodes.chain(between).collect())
}

/// Graphs of which nodes have one to three cables, to one router or several, joined or not, and reach each other; and several networks.
pub(crate) fn several_cables() -> impl Strategy<Value = Topology> {
    let homes = prop::collection::vec(prop::collection::vec(0..4_u32, 1..=3), 2..=7);
    let joined = prop::collection::vec((0..4_u32, 1..4_u32), 0..=6);
    let graphs =
        (homes, joined, cables()).prop_filter_map("nodes reach each other", |(homes, joined, cables)| {
            let joined: Vec<_> = joined.into_iter().map(|(from, step)| (from, (from + step) % 4)).collect();
            let cable = |router: u32| cables[router as usize % cables.len()];
            with_cables(4, &joined, &homes, cable).map(Topology::Graph)
        });
    prop_oneof![graphs, crate::rails::several()]
}

/// The same machine as a graph that computes its routes.
pub(crate) fn as_graph(topology: &Topology) -> Graph {
    let (vertices, wires) = topology.to_vertices_and_wires();
    let node = NodeLink { bandwidth: bandwidth(1), latency: Duration::ZERO };
    Graph::new(vertices, &wires, Metric::Hops, node).expect("a machine is a connected graph")
}

/// The same machine as a graph, with its own routes given.
pub(crate) fn as_graph_with_routes(topology: &Topology) -> Graph {
    let graph = as_graph(topology);
    let mut routes = GivenRoutes::of(&graph);
    let mut route = Vec::new();
    for (from, to) in pairs(topology.nodes()) {
        topology.route(from, to, &mut route);
        let hops = route[..route.len() - 1].iter().map(|&link| {
            let End::Router(router) = topology.link(link).to else {
                unreachable!("only the last link ends at a node")
            };
            Hop { parallel: topology.parallel_before(link) as u32, ..Hop::to(router) }
        });
        let hops: Vec<_> = hops.collect();
        routes.add(&graph, from, to, &hops).expect("a route of the machine");
    }
    graph.with_routes(routes).expect("a route for every pair")
}

/// The same graph with routes along a tree: most of them detours.
pub(crate) fn with_routes_along_a_tree(graph: &Graph, root: RouterId) -> Graph {
    let routers = graph_routers(graph);
    let mut above = vec![None; routers];
    let mut queue = vec![root];
    let mut next = 0;
    while let Some(&here) = queue.get(next) {
        next += 1;
        for there in (0..routers).map(RouterId::new) {
            if there != root && above[there.index()].is_none() && graph.links_between(here, there).count() > 0
            {
                above[there.index()] = Some(here);
                queue.push(there);
            }
        }
    }
    let up = |from| std::iter::successors(Some(from), |here: &RouterId| above[here.index()]);
    let topology = Topology::Graph(graph.clone());
    let mut routes = GivenRoutes::of(graph);
    for (from, to) in pairs(topology.nodes()) {
        let [first, last] = [from, to].map(|node| router_of(&topology, node));
        let top = up(first).find(|&here| up(last).any(|other| other == here)).expect("they meet at the root");
        let down: Vec<_> = up(last).take_while(|&here| here != top).collect();
        let rising = up(first).take_while(|&here| here != top).chain([top]);
        let hops: Vec<_> = rising.chain(down.into_iter().rev()).map(Hop::to).collect();
        routes.add(graph, from, to, &hops).expect("a route along the tree");
    }
    graph.with_routes(routes).expect("a route for every pair")
}

fn graph_routers(graph: &Graph) -> usize {
    Topology::Graph(graph.clone()).routers()
}

/// The router of a node.
pub(crate) fn router_of(topology: &Topology, node: NodeId) -> RouterId {
    match topology.link(weir_units::LinkId(node.0)) {
        Link { to: End::Router(router), .. } => router,
        link => unreachable!("an injection link ends at a router: {link:?}"),
    }
}

/// All ordered pairs of different nodes.
pub(crate) fn pairs(nodes: usize) -> impl Iterator<Item = (NodeId, NodeId)> {
    let all = move || (0..nodes).map(NodeId::new);
    all().flat_map(move |from| all().filter(move |&to| to != from).map(move |to| (from, to)))
}

/// A machine on which random parts have failed or are slow.
pub(crate) fn some_faults(machine: &Topology, draws: &[(Index, u8)]) -> Topology {
    let cables = machine.router_cables();
    let mut speeds = BTreeMap::new();
    for (index, kind) in draws {
        let links = match (kind, cables.is_empty()) {
            (0..=1, false) => cables[index.index(cables.len())].to_vec(),
            (2, _) => machine.links_at(RouterId::new(index.index(machine.routers()))),
            _ => vec![LinkId::new(index.index(machine.links()))],
        };
        links.into_iter().for_each(|link| _ = speeds.insert(link, if *kind == 4 { 0.5 } else { 0.0 }));
    }
    Topology::Degraded(Degraded::new(machine.clone(), speeds))
}

/// What a machine becomes up to three times, at instants of the first microsecond; in the end it is whole.
pub(crate) fn changes(machine: &Topology) -> impl Strategy<Value = Vec<(Time, Topology)>> + use<> {
    let machine = machine.clone();
    let faults = prop::collection::vec((any::<Index>(), 0..=4_u8), 0..5);
    let instants = prop_oneof![Just(1_u64), 1..100_000_u64, 1..1_000_000_u64];
    prop::collection::btree_map(instants, faults, 2..=4).prop_map(move |faults| {
        let last = faults.len() - 1;
        let made = faults.into_iter().enumerate().map(|(number, (at, draws))| {
            let failed = if number == last { machine.clone() } else { some_faults(&machine, &draws) };
            let slow = || {
                let draws: Vec<_> = draws.iter().map(|&(index, _)| (index, 4)).collect();
                some_faults(&machine, &draws)
            };
            (Time::from_ps(at), if has_ways(&failed) { failed } else { slow() })
        });
        made.collect()
    })
}

/// Returns whether the rule of a machine has ways without what has failed.
fn has_ways(machine: &Topology) -> bool {
    let routers = RouterModel {
        virtual_channels: channels_of(machine),
        deadlock: DeadlockPolicy::Allow,
        ..RouterModel::default()
    };
    let refused = PacketNetwork::new(&routers, &NodeModel::default(), machine).err().unwrap_or_default();
    refused.iter().all(|refusal| refusal.key != "topology.routing")
}

/// Also speeds at which a byte does not take whole picoseconds.
fn cables() -> impl Strategy<Value = Vec<Cable>> {
    let cable = (prop_oneof![Just(8_u64), 1..12_u64], 1..40_u64);
    prop::collection::vec(cable, 1..4)
}

fn ties() -> impl Strategy<Value = Tie> {
    prop_oneof![Just(Tie::Spread), Just(Tie::Plus), Just(Tie::Direct), Just(Tie::Parity)]
}

fn wraps() -> impl Strategy<Value = Wrap> {
    prop_oneof![Just(Wrap::Torus), Just(Wrap::Mesh)]
}

/// Tori, meshes and mixtures of up to 96 nodes.
pub(crate) fn grids() -> impl Strategy<Value = Topology> {
    let shapes = prop_oneof![
        prop::collection::vec((1..=9_u32, wraps()), 1..=2),
        prop::collection::vec((1..=4_u32, wraps()), 3..=3),
        prop::collection::vec((1..=3_u32, wraps()), 4..=4),
    ];
    let grids = (shapes, cables(), ties());
    let grids = grids.prop_map(|(shape, cables, tie)| mixed(&shape, &cables, cables[0], tie));
    let groups = [1..=2_u32, 1..=2, 1..=2];
    let all_wraps = [wraps(), wraps(), wraps(), wraps(), wraps(), wraps()];
    let tofus = (groups, all_wraps, cables(), ties());
    let tofus =
        tofus.prop_map(|(groups, wraps, cables, tie)| tofu_of(groups, wraps, &cables, cables[0], tie));
    prop_oneof![3 => grids, 1 => tofus]
}

fn trees(routings: [FatTreeRouting; 2]) -> impl Strategy<Value = Topology> {
    let routings = prop::sample::select(routings.to_vec());
    let parallel = || prop_oneof![2 => Just(1_u32), 1 => 2..=3_u32];
    let stages = prop::collection::vec((1..=3_u32, 1..=3_u32, parallel()), 1..=4);
    let stages =
        prop_oneof![3 => stages, 1 => prop::collection::vec((1..=9_u32, 1..=9_u32, parallel()), 1..=2)];
    (stages, cables(), routings)
        .prop_map(|(stages, cables, routing)| extended_tree(&stages, &cables, cables[0], routing))
}

/// Fat trees whose routes follow from source or destination.
fn fixed_trees() -> impl Strategy<Value = Topology> {
    trees([FatTreeRouting::DestinationMod, FatTreeRouting::SourceMod])
}

fn hypercrossbars() -> impl Strategy<Value = Topology> {
    let shapes =
        prop_oneof![prop::collection::vec(1..=3_u32, 1..=4), prop::collection::vec(1..=7_u32, 1..=2)];
    (shapes, cables()).prop_map(|(shape, cables)| hypercrossbar(&shape, &cables, cables[0]))
}

prop_compose! {
    /// Networks with a choice of ways, of up to 192 nodes, under one of these rules that fits.
    fn switched(rules: Vec<Rule>)(
        wiring in wirings::wirings(),
        rules in Just(rules).prop_shuffle(),
        per_router in 1..=3_u32,
        cables in cables(),
    ) -> Topology {
        let classes = wiring.classes().len();
        let made = rules.into_iter().find_map(|rule| {
            let of_class = cables.iter().cycle().take(classes).map(|&cable| node_link(cable)).collect();
            Switched::new(wiring.clone(), per_router, of_class, node_link(cables[0]), rule).ok()
        });
        Topology::Switched(made.expect("a rule fits"))
    }
}

/// Networks whose routes are decided packet by packet, by rules of all kinds.
pub(crate) fn deciding() -> impl Strategy<Value = Topology> {
    let decide = prop::sample::select(vec![Decide::Injection, Decide::SourceRouter, Decide::EachRouter]);
    let weights = (prop_oneof![Just(0_u64), Just(1), 0..300_u64], 1..3_u32, 1..3_u32, 1..3_u32, decide);
    weights.prop_flat_map(|(threshold, minimal_weight, detour_weight, candidates, decide)| {
        let adaptive = Adaptive { threshold, minimal_weight, detour_weight, candidates, decide };
        let switched = switched(Rule::all(adaptive).into_iter().filter(|rule| rule.decides()).collect());
        let trees = trees([FatTreeRouting::RandomUp, FatTreeRouting::AdaptiveUp]);
        let grids = grids().prop_map(|machine| match machine {
            Topology::Torus(torus) => Topology::Torus(torus.with_chosen_ways()),
            other => other,
        });
        prop_oneof![4 => switched, 1 => trees, 2 => grids]
    })
}

/// Messages between any two nodes, many of them at the same instants, sorted by time.
pub(crate) fn messages(nodes: usize) -> impl Strategy<Value = Vec<Message>> {
    let nodes = nodes as u32;
    let times = prop_oneof![Just(0), (0..8_u64).prop_map(|i| i * 10_000), 0..200_000_u64];
    let sizes = prop_oneof![Just(0), Just(512), 0..=400_u64];
    let message = (times, 0..nodes, 1..nodes.max(2), sizes)
        .prop_map(move |(at, from, step, bytes)| Message { at, from, to: (from + step) % nodes, bytes });
    prop::collection::vec(message, 1..60).prop_map(|mut messages| {
        messages.retain(|message| message.from != message.to);
        messages.sort_by_key(|message| message.at);
        messages
    })
}

/// Connected graphs of 2 to 12 routers, also with parallel cables; routers have no, one or several nodes.
pub(crate) fn graphs() -> impl Strategy<Value = Graph> {
    (2..=12_u32).prop_flat_map(|routers| {
        // Each router but the first is joined to one before it.
        let joined: Vec<_> = (1..routers).map(|router| (0..router, Just(router))).collect();
        let more = prop::collection::vec((0..routers, 1..routers), 0..=2 * routers as usize);
        let homes = prop::collection::vec(0..routers, 2..=12);
        (joined, more, homes, cables()).prop_map(move |(mut joined, more, homes, cables)| {
            joined.extend(more.into_iter().map(|(from, step)| (from, (from + step) % routers)));
            graph(routers, &joined, &homes, &cables, cables[0])
        })
    })
}

/// Machines of all kinds with a formula, in which the route of a pair is always the same.
pub(crate) fn formulas() -> impl Strategy<Value = Topology> {
    prop_oneof![grids(), fixed_trees(), hypercrossbars(), switched(vec![Rule::Minimal])]
}

/// Machines of all kinds.
pub(crate) fn topologies() -> impl Strategy<Value = Topology> {
    let small = prop_oneof![grids(), fixed_trees(), hypercrossbars()];
    let small = small.prop_filter("few nodes", |topology| topology.nodes() <= 40);
    let detours = (graphs(), any::<prop::sample::Index>()).prop_map(|(graph, root)| {
        with_routes_along_a_tree(&graph, RouterId::new(root.index(graph_routers(&graph))))
    });
    prop_oneof![
        2 => grids(),
        2 => fixed_trees(),
        2 => hypercrossbars(),
        2 => switched(vec![Rule::Minimal]),
        2 => graphs().prop_map(Topology::Graph),
        1 => detours.prop_map(Topology::Graph),
        1 => small.prop_map(|topology| Topology::Graph(as_graph_with_routes(&topology))),
    ]
}
