use super::*;
use crate::harness::{as_graph, check_laws, fat_tree, grid, names, pairs, route};
use crate::{FatTreeRouting, Switches, Tie, Topology};
use proptest::prelude::*;

fn bandwidth(bytes_per_second: f64) -> Bandwidth {
    Bandwidth::new(bytes_per_second).unwrap()
}

fn node_link() -> NodeLink {
    NodeLink { bandwidth: bandwidth(8.0), latency: Duration::from_ns(9) }
}

fn wire(from: u32, to: u32, latency: u64) -> Wire {
    Wire { from, to, capacity: bandwidth(1.0), latency: Duration::from_ns(latency) }
}

/// Cables in both directions, of 1 ns.
fn cables(list: &[(u32, u32)]) -> Vec<Wire> {
    list.iter().flat_map(|&(a, b)| [wire(a, b, 1), wire(b, a, 1)]).collect()
}

/// Vertices named a, b, c, ...
fn vertices(kinds: &[VertexKind]) -> Vec<Vertex> {
    ('a'..).zip(kinds).map(|(name, &kind)| Vertex { name: name.into(), kind }).collect()
}

fn build(kinds: &[VertexKind], wires: &[Wire], metric: Metric) -> Result<Graph, Vec<GraphMistake>> {
    Graph::new(vertices(kinds), wires, metric, node_link())
}

use VertexKind::{Both, Node, Router};

/// Two nodes at a router with more wires in than out, and a reverse link of another bandwidth: paper 000, section 3.2.
///
/// ```text
///   a (node) == b (router) --2--> c (router) == d (node)
///                          <--5--
///                          <--1--
/// ```
#[test]
fn an_asymmetric_switch() {
    let of = |from, to, capacity| Wire { capacity: bandwidth(capacity), ..wire(from, to, 1) };
    let wires = [
        of(0, 1, 3.0),
        of(1, 0, 4.0),
        of(1, 2, 2.0),
        of(2, 1, 5.0),
        of(2, 1, 1.0),
        of(2, 3, 6.0),
        of(3, 2, 7.0),
    ];
    let machine = Topology::Graph(build(&[Node, Router, Router, Node], &wires, Metric::Time).unwrap());
    let capacities = |from, to| -> Vec<f64> {
        route(&machine, from, to).iter().map(|&id| machine.link(id).capacity.bytes_per_second()).collect()
    };
    assert_eq!((machine.nodes(), machine.routers(), machine.links()), (2, 2, 7));
    assert_eq!(capacities(0, 1), [3.0, 2.0, 6.0]);
    assert_eq!(capacities(1, 0), [7.0, 5.0, 4.0]);
    let back: Vec<_> = (4..7).map(|id| machine.link_name(LinkId(id))).collect();
    assert_eq!(back, ["b -> c", "c -> b", "c -> b (2)"]);
    check_laws(&machine);
}

/// Straight from a to c takes 5 ns, by b 2 ns; hops prefer the straight cable. 1 MiB takes the same on every link, so two links
/// take longer than one; but not if the straight one carries a third of what the others do.
#[test]
fn latency_or_time_may_decide() {
    let mut wires = cables(&[(0, 1), (1, 2)]);
    wires.extend([wire(0, 2, 5), wire(2, 0, 5)]);
    let length = |metric, wires: &[Wire]| {
        route(&Topology::Graph(build(&[Both; 3], wires, metric).unwrap()), 0, 2).len()
    };
    let lengths =
        |wires: &[Wire]| [Metric::Hops, Metric::Latency, Metric::Time].map(|metric| length(metric, wires));
    assert_eq!(lengths(&wires), [3, 4, 3]);
    wires[4..].iter_mut().for_each(|wire| wire.capacity = bandwidth(1.0 / 3.0));
    assert_eq!(lengths(&wires), [3, 4, 4]);
    // Of two cables the faster one, and of two equally fast ones the one with fewer hops.
    let mut wires = cables(&[(0, 1), (0, 1)]);
    wires[2].capacity = bandwidth(2.0);
    let machine = Topology::Graph(build(&[Both; 2], &wires, Metric::Time).unwrap());
    assert_eq!(names(&machine, 0, 1)[1], "router a -> router b (2)");
    let mut wires = cables(&[(0, 1), (1, 2), (0, 2)]);
    wires[4..]
        .iter_mut()
        .for_each(|wire| (wire.capacity, wire.latency) = (bandwidth(0.5), Duration::from_ns(2)));
    assert_eq!(length(Metric::Time, &wires), 3);
}

/// A full fat tree without its routes finds those of destination-mod.
#[test]
fn full_fat_trees_find_their_routes() {
    for (radix, stages) in [(4, 3), (6, 3), (4, 4), (8, 2)] {
        let switches = Switches::full(radix, stages).unwrap();
        let ports: Vec<_> = switches.iter().map(|switches| (switches.down, switches.up)).collect();
        let tree = fat_tree(&ports, FatTreeRouting::DestinationMod);
        let graph = as_graph(&tree);
        for (from, to) in pairs(&tree) {
            assert_eq!(names(&graph, from, to), names(&tree, from, to));
        }
    }
}

#[test]
fn machines_become_graphs_with_the_same_links() {
    let shapes =
        [&[(4, true), (3, true)][..], &[(2, false), (1, false), (3, false)], &[(2, true), (2, true)]];
    for machine in shapes.map(|shape| grid(shape, Tie::Plus)) {
        let graph = as_graph(&machine);
        assert_eq!((graph.nodes(), graph.routers()), (machine.nodes(), machine.routers()));
        for id in (0..machine.links()).map(LinkId::new) {
            assert_eq!(graph.link(id), machine.link(id));
        }
        let again = as_graph(&graph);
        let (Topology::Graph(a), Topology::Graph(b)) = (graph, again) else { panic!() };
        assert_eq!(a, b, "a graph of nodes and routers stays what it is");
    }
}

/// Vertices that are both are taken apart, under names that are not in use.
#[test]
fn combined_vertices_are_taken_apart() {
    let mut vertices = vertices(&[Both, Both, Node]);
    vertices[2].name = "node a".into();
    let graph = Graph::new(vertices, &cables(&[(0, 1), (1, 2)]), Metric::Hops, node_link()).unwrap();
    let (vertices, wires) = Topology::Graph(graph).to_vertices_and_wires();
    let names: Vec<_> = vertices.iter().map(|vertex| vertex.name.as_str()).collect();
    assert_eq!(names, ["node' a", "node b", "node a", "router a", "router b"]);
    assert_eq!(wires.len(), 8);
    assert_eq!(wires[0].capacity, bandwidth(8.0));
}

/// The node and the router of a vertex; one that is both has both.
#[test]
fn vertices_are_found_by_name() {
    let graph = build(&[Router, Both, Node, Both], &cables(&[(0, 1), (0, 2), (0, 3)]), Metric::Hops).unwrap();
    let found = ["a", "b", "c", "d", "e"].map(|name| {
        (graph.node_named(name).map(|node| node.0), graph.router_named(name).map(|router| router.0))
    });
    assert_eq!(
        found,
        [(None, Some(0)), (Some(0), Some(1)), (Some(1), None), (Some(2), Some(2)), (None, None)]
    );
    assert!(
        graph.has_node_cables()
            && !build(&[Both, Router], &cables(&[(0, 1)]), Metric::Hops).unwrap().has_node_cables()
    );
}

/// Two graphs are equal if vertices, wires, cables, metric and given routes are.
#[test]
fn graphs_differ_by_any_of_their_parts() {
    let of = |kind, list: &[(u32, u32)], metric| build(&[kind, Both], &cables(list), metric).unwrap();
    let graph = of(Both, &[(0, 1)], Metric::Hops);
    let with = |class| {
        let mut routes = GivenRoutes::of(&graph);
        for (from, to) in [(0, 1), (1, 0)] {
            let hops = [Hop::to(RouterId(from)), Hop { class, ..Hop::to(RouterId(to)) }];
            routes.add(&graph, NodeId(from), NodeId(to), &hops).unwrap();
        }
        graph.with_routes(routes).unwrap()
    };
    let (given, of_class) = (with(None), with(Some(3)));
    assert!(!given.has_given_classes() && of_class.has_given_classes());
    assert_eq!(
        (graph.given_classes(NodeId(0), NodeId(1)), given.given_classes(NodeId(0), NodeId(1))),
        (None, None)
    );
    assert_eq!(of_class.given_classes(NodeId(1), NodeId(0)), Some(&[3][..]));
    let different = [
        graph.clone(),
        of(Router, &[(0, 1)], Metric::Hops),
        of(Both, &[(0, 1), (0, 1)], Metric::Hops),
        of(Both, &[(0, 1)], Metric::Time),
        graph.with_node_link(NodeLink { latency: Duration::from_ns(8), ..node_link() }),
        graph.with_node_cables(NodeCables { latency: Some(Duration::from_ns(8)), ..NodeCables::default() }),
        given,
        of_class,
    ];
    for (a, one) in different.iter().enumerate() {
        for (b, other) in different.iter().enumerate() {
            assert_eq!(one == other, a == b, "{a} and {b}");
        }
    }
}

#[test]
fn names_are_stronger_than_numbers() {
    let mut vertices = vertices(&[Both; 3]);
    vertices[0].name = "2".into();
    let graph = Graph::new(vertices, &cables(&[(0, 1), (1, 2)]), Metric::Hops, node_link()).unwrap();
    let machine = Topology::Graph(graph);
    assert_eq!(machine.parse_address("2"), Some(NodeId(0)));
    assert_eq!(machine.parse_address("1"), Some(NodeId(1)));
    assert_eq!(machine.parse_address(" c "), Some(NodeId(2)));
    assert_eq!(machine.parse_address("d"), None);
}

/// The square a - b - c - d - a; a to c by d instead of b.
#[test]
fn routes_may_be_given() {
    let wires = cables(&[(0, 1), (1, 2), (2, 3), (3, 0), (0, 3)]);
    let graph = build(&[Both; 4], &wires, Metric::Hops).unwrap();
    let mut routes = GivenRoutes::of(&graph);
    let hops = |list: &[(u32, u32)]| -> Vec<Hop> {
        list.iter().map(|&(router, parallel)| Hop { parallel, ..Hop::to(RouterId(router)) }).collect()
    };
    let add = |routes: &mut GivenRoutes, from, to, list: &[(u32, u32)]| {
        routes.add(&graph, NodeId(from), NodeId(to), &hops(list)).map_err(|mistake| mistake.what)
    };
    let refused = |routes: &mut GivenRoutes, list: &[(u32, u32)], expected: &str| {
        assert_eq!(add(routes, 0, 2, list).unwrap_err(), expected);
    };
    refused(&mut routes, &[], "the route from \"a\" to \"c\" passes no router");
    refused(&mut routes, &[(1, 0), (2, 0)], "the route begins at \"b\", but \"a\" is at \"a\"");
    refused(&mut routes, &[(0, 0), (1, 0)], "the route ends at \"b\", but \"c\" is at \"c\"");
    refused(&mut routes, &[(0, 0), (2, 0)], "there is no cable from \"a\" to \"c\"");
    refused(&mut routes, &[(0, 0), (1, 0), (0, 0), (3, 0), (2, 0)], "the route passes \"a\" twice");
    refused(&mut routes, &[(0, 0), (3, 2), (2, 0)], "from \"a\" to \"d\" there is no link #3, only 2");
    assert_eq!(add(&mut routes, 1, 1, &[(1, 0)]).unwrap_err(), "node \"b\" needs no route to itself");
    add(&mut routes, 0, 2, &[(0, 0), (3, 1), (2, 0)]).unwrap();
    refused(&mut routes, &[(0, 0), (1, 0), (2, 0)], "there is a route from \"a\" to \"c\" already");

    let missing = graph.with_routes(routes.clone()).unwrap_err();
    assert_eq!((missing.len(), missing[0]), (11, (NodeId(0), NodeId(1))));
    for (from, to) in missing {
        let back =
            if to.0 > from.0 { (from.0..=to.0).collect::<Vec<_>>() } else { (to.0..=from.0).rev().collect() };
        add(&mut routes, from.0, to.0, &back.iter().map(|&r| (r, 0)).collect::<Vec<_>>()).unwrap();
    }
    let machine = Topology::Graph(graph.with_routes(routes).unwrap());
    let expected =
        ["node a -> router a", "router a -> router d (2)", "router d -> router c", "router c -> node c"];
    assert_eq!(names(&machine, 0, 2), expected);
    assert_eq!(route(&machine, 0, 3).len(), 5);
    check_laws(&machine);
}

#[test]
fn all_mistakes_are_named() {
    let check = |kinds: &[VertexKind], wires: &[Wire], expected: &[(GraphPlace, &str)]| {
        let mistakes = build(kinds, wires, Metric::Hops).unwrap_err();
        let found: Vec<_> = mistakes.iter().map(|m| (m.place, m.what.as_str())).collect();
        assert_eq!(found, expected);
    };
    let (v, w) = (GraphPlace::Vertex, GraphPlace::Wire);
    check(&[Router], &[], &[(GraphPlace::Whole, "the graph has no node")]);
    check(&[Both], &[wire(0, 0, 1)], &[(w(0), "a cable joins \"a\" with itself")]);
    check(
        &[Node, Node],
        &cables(&[(0, 1)])[..1],
        &[
            (w(0), "a cable joins the nodes \"a\" and \"b\" without a router"),
            (v(0), "node \"a\" has no wire in"),
            (v(1), "node \"b\" has no wire out"),
        ],
    );
    check(
        &[Node, Router, Router],
        &[cables(&[(0, 1), (1, 2)]), vec![wire(0, 2, 1)]].concat(),
        &[(v(0), "node \"a\" has 2 wires out and 1 in, which are not as many to and from each router")],
    );
    check(&[Node, Both], &[], &[(v(0), "node \"a\" has no cable")]);
    check(
        &[Both, Both, Both],
        &cables(&[(1, 2)]),
        &[
            (GraphPlace::Whole, "node \"a\" cannot reach \"b\", \"c\""),
            (GraphPlace::Whole, "node \"a\" cannot be reached from \"b\", \"c\""),
        ],
    );
    check(&[Both, Both], &[wire(1, 0, 1)], &[(GraphPlace::Whole, "node \"a\" cannot reach \"b\"")]);
    let mut bad = vertices(&[Both; 5]);
    for (vertex, name) in bad.iter_mut().zip(["x", "x", "", "#1", "a\0b"]) {
        vertex.name = name.into();
    }
    let mistakes = Graph::new(bad, &[], Metric::Hops, node_link()).unwrap_err();
    let expected = [
        "vertex \"x\" is there twice; expected different names",
        "a vertex has an empty name",
        "vertex \"#1\": a name must not begin with #",
        "vertex \"a\\0b\": a name must not have control characters",
    ];
    assert!(mistakes.iter().map(|mistake| &mistake.what).eq(expected), "{mistakes:?}");
    let many = &build(&[Both; 9], &[], Metric::Hops).unwrap_err()[0].what;
    assert!(many.contains("cannot reach \"b\", \"c\", \"d\", \"e\", \"f\" and 3 more"), "{many}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A random network: a ring through all routers, so that it holds together, and wires at random, all of random
    /// latencies and bandwidths. Routes are walks, and no way is shorter than the shortest found by trying all links again and
    /// again.
    #[test]
    fn routes_are_shortest(
        size in 2_u32..10,
        ring in proptest::collection::vec((0_u64..2, 1_u32..3), 10),
        many in any::<bool>(),
        chords in proptest::collection::vec((0_u32..10, 0_u32..10, 0_u64..4, 1_u32..4), 0..20),
    ) {
        let of = |from, to, latency, speed: u32| {
            // So that there are few different lengths, or many.
            let latency = if many { 4 * latency + u64::from(from) } else { latency % 2 };
            Wire { capacity: bandwidth(f64::from(speed) * 1e9), ..wire(from, to, latency) }
        };
        let mut wires: Vec<_> =
            (0..size).zip(ring).map(|(v, (latency, speed))| of(v, (v + 1) % size, latency, speed)).collect();
        let chords = chords.iter().map(|&(a, b, latency, speed)| of(a % size, b % size, latency, speed));
        wires.extend(chords.filter(|wire| wire.from != wire.to));
        for metric in [Metric::Hops, Metric::Latency, Metric::Time] {
            let machine = Topology::Graph(build(&vec![Both; size as usize], &wires, metric).unwrap());
            check_laws(&machine);
            // 1 MiB at 1 GB/s takes 1,048,576 ns, at 3 GB/s 349,525.333 ns.
            let cost = |latency: Duration, capacity: Bandwidth| match metric {
                Metric::Hops => 1,
                Metric::Latency => latency.as_ps() * 1000 + 1,
                Metric::Time => {
                    let carried = (1_048_576_000_000.0 / (capacity.bytes_per_second() / 1e6)).ceil();
                    (latency.as_ps() + carried as u64) * 1000 + 1
                }
            };
            let mut best = vec![vec![u64::MAX; size as usize]; size as usize];
            best.iter_mut().enumerate().for_each(|(v, row)| row[v] = 0);
            for _ in 0..size {
                for wire in &wires {
                    for row in &mut best {
                        let through = row[wire.from as usize].saturating_add(cost(wire.latency, wire.capacity));
                        row[wire.to as usize] = row[wire.to as usize].min(through);
                    }
                }
            }
            for (from, to) in pairs(&machine).filter(|(from, to)| from != to) {
                let ids = route(&machine, from, to);
                let between = ids[1..ids.len() - 1].iter().map(|&id| machine.link(id));
                let found: u64 = between.map(|link| cost(link.latency, link.capacity)).sum();
                prop_assert_eq!(found, best[from as usize][to as usize]);
            }
        }
    }
}
