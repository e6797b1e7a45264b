use super::*;
use crate::harness::networks;
use crate::harness::{
    as_graph, cable, check_laws, fat_tree, grid, hops, hypercrossbar, machines, names, pairs,
};
use crate::{Arrangement, Graph, Part, RouteLengths, Rule, Tie, Vertex, VertexKind, Wire};
use proptest::prelude::*;

/// The machine without these cables, links and routers.
fn without(machine: Topology, names: &[&str]) -> Topology {
    let links = machine.parts_named(names).into_iter().flat_map(|part| match part {
        Some(Part::Link(link)) => vec![link],
        Some(Part::Cable(links)) => links.to_vec(),
        Some(Part::Router(router)) => machine.links_at(router),
        None => panic!("one of {names:?} is no part"),
    });
    let speeds = links.map(|link| (link, 0.0)).collect();
    Topology::Degraded(Degraded::new(machine, speeds))
}

fn link(machine: &Topology, name: &str) -> LinkId {
    match machine.parts_named(&[name])[0] {
        Some(Part::Link(link)) => link,
        _ => panic!("{name} is no link"),
    }
}

fn unreachable(machine: &Topology) -> Option<Unreachable> {
    machine.degraded().unwrap().unreachable((0..machine.nodes()).map(NodeId::new))
}

/// Of two nodes only the first reaches the other: one pair counts.
#[test]
fn lengths_of_the_routes_that_are_left() {
    let line = without(grid(&[(2, false)], Tie::Plus), &["router (1) -> router (0)"]);
    let RouteLengths { longest, mean, obtained } = line.route_lengths();
    assert_eq!((longest, mean, obtained), (1, 1.0, crate::Obtained::AllPairs));
}

/// On a ring of six with one cable cut there is only the other way round.
#[test]
fn a_ring_with_a_cut() {
    let ring = without(grid(&[(6, true)], Tie::Plus), &["router (1) - router (2)"]);
    check_laws(&ring);
    assert_eq!(names(&ring, 0, 2).len(), 2 + 4);
    assert_eq!(names(&ring, 2, 3).len(), 3, "routes that do not pass the cut are as they were");
    // A line of six: distances sum up to 6 (36 - 1) / 3 over all pairs; the six from one half of the cut to the other stay.
    let RouteLengths { longest, mean, .. } = ring.route_lengths();
    assert_eq!((longest, mean), (5, 70.0 / 30.0));
    assert_eq!(unreachable(&ring), None);
}

/// One link of a cable: only that way is cut. A second cut divides the ring into routers 2, 3, 4 and 5, 0, 1.
#[test]
fn one_way_and_two_halves() {
    let ring = without(grid(&[(6, true)], Tie::Plus), &["router (1) -> router (2)"]);
    assert_eq!([names(&ring, 1, 2).len(), names(&ring, 2, 1).len()], [7, 3]);
    let halves =
        without(grid(&[(6, true)], Tie::Plus), &["router (1) - router (2)", "router (4) - router (5)"]);
    let found = unreachable(&halves);
    assert_eq!(found, Some(Unreachable { from: NodeId(0), to: NodeId(2), pairs: 18 }));
    let of = |nodes: &[u32]| halves.degraded().unwrap().unreachable(nodes.iter().map(|&v| NodeId(v)));
    assert_eq!(of(&[1, 0, 5, 5]), None);
    assert_eq!(of(&[3, 1]), Some(Unreachable { from: NodeId(1), to: NodeId(3), pairs: 2 }));
    let mut route = vec![LinkId(0)];
    assert!(!halves.find_route(NodeId(0), NodeId(3), &mut route) && route.is_empty());
    assert!(halves.find_route(NodeId(0), NodeId(5), &mut route));
}

/// In a torus a detour leaves the dimension at the cut, by parity of the destination one side or the other, and goes on in the
/// order of dimensions: x, y, x, y back.
#[test]
fn around_a_cable_of_a_torus() {
    let torus = without(grid(&[(12, true), (8, true)], Tie::Plus), &["router (2,0) - router (3,0)"]);
    check_laws(&torus);
    let routers = |to| -> Vec<String> {
        let names = names(&torus, 0, to);
        names.iter().map(|name| name.split(" -> ").nth(1).unwrap().replace("router ", "")).collect()
    };
    assert_eq!(routers(4)[..7].join(" "), "(0,0) (1,0) (2,0) (2,1) (3,1) (4,1) (4,0)");
    assert_eq!(routers(3)[..6].join(" "), "(0,0) (1,0) (2,0) (2,7) (3,7) (3,0)");
    // Where the way has to turn anyway, it turns earlier.
    assert_eq!(routers(12 + 3)[..5].join(" "), "(0,0) (1,0) (2,0) (2,1) (3,1)");
}

/// Leaves of two nodes with two ways up, at each of two stages. Node 7 is reached by the second way up from leaf 0, then by the
/// second of the next; without that cable by the first of the next. Without the first switch only one way is left.
#[test]
fn other_ways_up_a_fat_tree() {
    let tree = || fat_tree(&[(2, 2), (2, 2), (2, 1)], crate::FatTreeRouting::DestinationMod);
    assert_eq!(names(&tree(), 0, 7)[1..3], ["leaf 0 -> middle 1", "middle 1 -> top 3"]);
    let cut = without(tree(), &["middle 1 - top 3"]);
    check_laws(&cut);
    assert_eq!(names(&cut, 0, 7)[1..3], ["leaf 0 -> middle 1", "middle 1 -> top 2"]);
    let cut = without(tree(), &["middle 1"]);
    check_laws(&cut);
    assert_eq!(names(&cut, 0, 7)[1], "leaf 0 -> middle 0");
    assert_eq!(names(&cut, 2, 7)[1], "leaf 1 -> middle 0");
    // With up and down by the source, its number decides among what is left.
    let tree = || fat_tree(&[(2, 3), (2, 1)], crate::FatTreeRouting::SourceMod);
    let cut = without(tree(), &["leaf 0 - top 2"]);
    check_laws(&cut);
    assert_eq!([0, 1].map(|from| names(&cut, from, 3)[1].clone()), ["leaf 0 -> top 0", "leaf 0 -> top 1"]);
    assert_eq!(names(&without(tree(), &["leaf 0 - top 1"]), 1, 3)[1], "leaf 0 -> top 2");
}

/// Without the way from a router to its crossbar a packet goes to another line and back.
#[test]
fn around_a_crossbar() {
    let machine = without(hypercrossbar(&[3, 2]), &["router (0,0) -> crossbar (*,0)"]);
    check_laws(&machine);
    let names = names(&machine, 0, 2);
    let crossbars: Vec<_> = names.iter().filter_map(|name| name.split_once(" -> crossbar ")).collect();
    assert_eq!(crossbars.iter().map(|&(_, name)| name).collect::<Vec<_>>(), ["(0,*)", "(*,1)", "(2,*)"]);
}

/// In a dragonfly of nine groups of four routers group 1 meets group 0 by router 0, place 0 of its palm tree, and router 3. Without that
/// cable there is none between these groups: the 8 x 8 pairs of their nodes, both ways, go by a third group. A full mesh goes by one other
/// router.
#[test]
fn around_the_cable_of_two_groups() {
    let whole = networks::dragonfly((4, 2), (9, 1), Arrangement::PalmTree);
    let whole = networks::made(whole, 2, Rule::Minimal);
    let machine = without(whole, &["router 0 of group 1 - router 3 of group 0"]);
    check_laws(&machine);
    let mut pairs = 0;
    machine.degraded().unwrap().detours(
        |from, to, route| {
            assert_eq!([from, to].map(|node| node.0 / 8 <= 1), [true; 2]);
            assert!((4..=7).contains(&route.len()) && from.0 / 8 != to.0 / 8);
            pairs += 1;
        },
        || ControlFlow::Continue(()),
    );
    assert_eq!(pairs, 2 * 8 * 8);
    let mesh = networks::made(networks::hyper_x(&[4], 1), 1, Rule::Minimal);
    assert_eq!(names(&without(mesh, &["router (0) - router (1)"]), 0, 1).len(), 2 + 2);
}

/// A node whose router has failed, and one with half a cable.
#[test]
fn nodes_that_are_cut_off() {
    let torus = || grid(&[(4, true), (4, true)], Tie::Plus);
    let machine = without(torus(), &["router (1,0)"]);
    let degraded = machine.degraded().unwrap();
    assert_eq!(degraded.failed().count(), 10);
    assert!(!degraded.is_attached(NodeId(1)) && degraded.is_attached(NodeId(0)));
    assert_eq!(unreachable(&machine), Some(Unreachable { from: NodeId(0), to: NodeId(1), pairs: 30 }));
    assert_eq!(degraded.unreachable((0..16).filter(|&v| v != 1).map(NodeId)), None);
    for (from, to) in pairs(&machine).filter(|&(from, to)| from != 1 && to != 1) {
        let names = names(&machine, from, to);
        assert!(names.iter().all(|name| !name.contains("(1,0)")), "{names:?}");
    }
    let machine = without(torus(), &["router (1,0) -> node 1"]);
    assert_eq!(unreachable(&machine), Some(Unreachable { from: NodeId(0), to: NodeId(1), pairs: 15 }));
    let machine = without(torus(), &["node 1 -> router (1,0)"]);
    assert_eq!(unreachable(&machine), Some(Unreachable { from: NodeId(1), to: NodeId(0), pairs: 15 }));
}

/// In a graph detours are shortest in its own metric: a-b fails; a-c-b takes 2 + 2, a-d-e-b takes 1 + 1 + 1 ns.
#[test]
fn the_metric_of_a_graph_counts() {
    let vertices = ["a", "b", "c", "d", "e"].map(|name| Vertex { name: name.into(), kind: VertexKind::Both });
    let joined = [(0, 1, 0), (0, 2, 1), (2, 1, 1), (0, 3, 0), (3, 4, 0), (4, 1, 0)];
    let wire = |from, to, kind| {
        let cable = cable(kind);
        Wire { from, to, capacity: cable.bandwidth, latency: cable.latency }
    };
    let wires: Vec<_> =
        joined.iter().flat_map(|&(a, b, kind)| [wire(a, b, kind), wire(b, a, kind)]).collect();
    for (metric, hops) in [(Metric::Hops, 2), (Metric::Latency, 3)] {
        let graph = Graph::new(vertices.to_vec(), &wires, metric, cable(9)).unwrap();
        let machine = without(Topology::Graph(graph), &["router a - router b"]);
        assert_eq!(names(&machine, 0, 1).len(), hops + 2, "{metric:?}");
    }
}

/// Four cables cross a torus of 4 x 4 at each of two places: 8 of 1 B/s. A slow one of half speed and a failed one leave 6.5.
#[test]
fn what_is_slow_or_fast() {
    let torus = grid(&[(4, true), (4, true)], Tie::Plus);
    let [slow, failed, whole, fast] = [
        "router (1,0) -> router (2,0)",
        "router (1,1) -> router (2,1)",
        "node 3 -> router (3,0)",
        "router (3,1) -> node 7",
    ]
    .map(|name| link(&torus, name));
    let speeds = [(slow, 0.5), (failed, 0.0), (whole, 1.0), (fast, 3.0)];
    let machine = Topology::Degraded(Degraded::new(torus.clone(), speeds.into()));
    let degraded = machine.degraded().unwrap();
    assert!(
        degraded.slow().eq([(slow, 0.5)])
            && degraded.failed().eq([failed])
            && degraded.fast().eq([(fast, 3.0)])
    );
    assert_eq!([slow, fast].map(|id| machine.link(id).capacity.bytes_per_second()), [0.5, 30.0]);
    assert_eq!(machine.link(failed), torus.link(failed), "a failed link is still there");
    let cut = machine.cuts().into_iter().find(|cut| cut.side(NodeId(1)) != cut.side(NodeId(2))).unwrap();
    let (less, all) = (cut.forward.min(cut.backward), cut.forward.max(cut.backward));
    assert_eq!((less, all), (6.5, 8.0));
    assert_eq!(machine.translations(), None);
}

/// What is kept is only kept: with room for one table routes are the same, in any order.
#[test]
fn routes_do_not_depend_on_what_is_kept() {
    let cut = || {
        without(grid(&[(5, true), (4, true)], Tie::Plus), &["router (1,0) - router (2,0)", "router (1,2)"])
    };
    let (a, b) = (cut(), cut());
    let there = |machine: &Topology, from, to| {
        let mut route = Vec::new();
        machine.find_route(NodeId(from), NodeId(to), &mut route).then_some(route)
    };
    let forward: Vec<_> = pairs(&a).map(|(from, to)| there(&a, from, to)).collect();
    let mut backward: Vec<_> =
        pairs(&b).collect::<Vec<_>>().into_iter().rev().map(|(from, to)| there(&b, from, to)).collect();
    backward.reverse();
    assert_eq!(forward, backward);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Routes keep what they can: none passes a failed link; those that passed none before are as they were; the others are
    /// walks from node to node, no router twice, as short as what is left allows; and where there is none, there is no way.
    #[test]
    fn routes_lead_around_failed_links(
        machine in machines(), graph: bool,
        draws in proptest::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..8),
    ) {
        let whole = if graph { as_graph(&machine) } else { machine };
        let cables = whole.router_cables();
        let links = draws.iter().flat_map(|(index, cable)| match (cable, cables.is_empty()) {
            (true, false) => cables[index.index(cables.len())].to_vec(),
            _ => vec![LinkId::new(index.index(whole.links()))],
        });
        let speeds = links.map(|link| (link, 0.0)).collect();
        let machine = Topology::Degraded(Degraded::new(whole.clone(), speeds));
        let degraded = machine.degraded().unwrap();
        let hops = hops(&machine);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let mut without_way = Vec::new();
        let mut detours = BTreeMap::new();
        let to_its_end = degraded.detours(
            |from, to, route| _ = detours.insert((from, to), route.to_vec()),
            || ControlFlow::Continue(()),
        );
        prop_assert!(to_its_end);
        for (from, to) in pairs(&machine).filter(|(from, to)| from != to) {
            let (from, to) = (NodeId(from), NodeId(to));
            whole.route(from, to, &mut before);
            let homes = [before[0], before[before.len() - 1]].map(|id| whole.link(id));
            let (End::Router(first), End::Router(last)) = (homes[0].to, homes[1].from) else { unreachable!() };
            let attached = !degraded.has_failed(before[0]) && !degraded.has_failed(before[before.len() - 1]);
            let left = hops[first.index()][last.index()];
            if !machine.find_route(from, to, &mut after) {
                prop_assert!(!attached || left > machine.routers() as u32);
                without_way.push((from, to));
                continue;
            }
            prop_assert!(after.iter().all(|&id| !degraded.has_failed(id)));
            if before.iter().all(|&id| !degraded.has_failed(id)) {
                prop_assert_eq!(&before, &after);
                prop_assert!(!detours.contains_key(&(from, to)));
                continue;
            }
            let visited = detours.remove(&(from, to));
            prop_assert_eq!(visited.as_ref(), Some(&after));
            prop_assert_eq!(after.len() as u32 - 2, left);
            let links: Vec<_> = after.iter().map(|&id| machine.link(id)).collect();
            prop_assert_eq!((links[0].from, links[links.len() - 1].to), (End::Node(from), End::Node(to)));
            prop_assert!(links.windows(2).all(|pair| pair[0].to == pair[1].from));
        }
        prop_assert!(detours.is_empty());
        let expected = without_way.first().map(|&(from, to)| Unreachable { from, to, pairs: without_way.len() as u64 });
        prop_assert_eq!(unreachable(&machine), expected);
    }
}
