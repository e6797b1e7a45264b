use super::*;
use crate::Graph;
use crate::harness::networks;
use crate::harness::{self, as_graph, cable, fat_tree, grid, hypercrossbar, machines};
use crate::{
    Arrangement, Degraded, FatTreeRouting, Metric, Rule, Side, Through, Tie, Vertex, VertexKind, Wire,
};
use proptest::prelude::*;
use weir_units::{Bandwidth, mix};

/// Of so many ranges of equal length of an order: the most links that lead out of one.
fn most_out(machine: &Topology, order: &[RouterId], parts: usize) -> usize {
    let mut part_of = vec![0; order.len()];
    let places = order.iter().enumerate();
    places.for_each(|(place, router)| part_of[router.index()] = place * parts / order.len());
    let mut out = vec![0; parts];
    for link in (0..machine.links()).map(|id| machine.link(LinkId::new(id))) {
        if let (End::Router(from), End::Router(to)) = (link.from, link.to)
            && part_of[from.index()] != part_of[to.index()]
        {
            out[part_of[from.index()]] += 1;
        }
    }
    out.into_iter().max().expect("there are parts")
}

/// A graph of so many routers with a node each, and these cables between them.
fn graph(routers: usize, cables: impl Iterator<Item = (usize, usize)>) -> Topology {
    let homes: Vec<_> = (0..routers as u32).map(|router| vec![router]).collect();
    let cables: Vec<_> = cables.map(|(a, b)| (a as u32, b as u32)).collect();
    harness::graph(&homes, routers as u32, &cables).expect("a graph")
}

/// A dragonfly of groups of so many routers, each with so many cables to other groups; its routers are numbered by lot.
fn dragonfly(group: usize, global: usize) -> Topology {
    let groups = group * global + 1;
    let numbers = permutation(group * groups, 5, Generator::SplitMix);
    let router = move |of_group: usize, place: usize| numbers[of_group * group + place] as usize;
    let within = (0..groups)
        .flat_map(|of_group| (0..group).flat_map(move |a| (0..a).map(move |b| (of_group, a, of_group, b))));
    let between = (0..groups).flat_map(|one| {
        (0..one).map(move |other| {
            // The ports of a group to the groups behind it, one after the other.
            let [from, to] = [one - other, groups + other - one].map(|ahead| (ahead - 1) / global);
            (other, from, one, to)
        })
    });
    let cables: Vec<_> = within.chain(between).map(|(g, a, h, b)| (router(g, a), router(h, b))).collect();
    graph(group * groups, cables.into_iter())
}

/// A random graph in which every router has so many cables.
fn random(routers: usize, cables: usize) -> Topology {
    let rings = (0..cables / 2).flat_map(|seed| {
        let ring = permutation(routers, seed as u64, Generator::SplitMix);
        (0..routers).map(move |place| (ring[place] as usize, ring[(place + 1) % routers] as usize))
    });
    graph(routers, rings)
}

/// Border links of the parts with most of them, by number and in the compact order, for 2, 4, 16, 64 and 1,024 parts. The table
/// of docs/concepts/scaling.md.
#[track_caller]
fn check(name: &str, machine: &Topology, expected: [[usize; 2]; 5]) {
    let numbers: Vec<_> = (0..machine.routers()).map(RouterId::new).collect();
    let compact = machine.compact_order();
    let found =
        [2, 4, 16, 64, 1024].map(|parts| [&numbers, &compact].map(|order| most_out(machine, order, parts)));
    assert_eq!(found, expected, "{name}");
}

/// Blocks of whole rows: in 16 parts they are 64 x 8 x 8, in 64 parts 64 x 4 x 4, with 4 faces of 64 x 4. Longer rows are cut: the
/// halves and quarters of 128 x 256 are 128 x 128 and 64 x 128, with one face or two of a mesh. So are rows across which there are far
/// fewer links. A Tofu is cut across y and z.
#[test]
fn blocks_of_grids() {
    let torus = grid(&[(64, true), (32, true), (32, true)], Tie::Plus);
    check("torus", &torus, [[4096, 4096], [4096, 4096], [4096, 2048], [2176, 1024], [256, 256]]);
    let most = |machine: &Topology, parts| most_out(machine, &machine.compact_order(), parts);
    let mesh = grid(&[(128, false), (256, false)], Tie::Plus);
    assert_eq!([2, 4].map(|parts| most(&mesh, parts)), [128, 128 + 64]);
    let tofu = grid(&[(16, true), (8, true), (8, true), (2, false), (3, true), (2, false)], Tie::Plus);
    assert_eq!([2, 4].map(|parts| most(&tofu, parts)), [2 * 16 * 8 * 12; 2]);
    let pipe = grid(&[(64, true), (4, true), (2, true)], Tie::Plus);
    assert_eq!(most(&pipe, 2), 2 * 4 * 2);
}

/// Where nothing has to be cut the order is that of the numbers.
#[test]
fn small_machines_keep_their_numbers() {
    for machine in [grid(&[(32, true)], Tie::Plus), as_graph(&grid(&[(4, false), (8, true)], Tie::Plus))] {
        assert!(machine.compact_order().into_iter().eq((0..32).map(RouterId)));
    }
}

/// Pods. Of two parts each has half of the pods and half of the top switches: 4,096 links lead up from a half, half of them to the
/// other one, and as many down.
#[test]
fn pods_of_fat_trees() {
    let tree = fat_tree(&[(16, 16), (16, 16), (32, 0)], FatTreeRouting::DestinationMod);
    check("fat tree", &tree, [[8192, 4096], [10240, 3072], [2560, 960], [640, 384], [64, 46]]);
    // Pods of two leaves and two middle switches, and a top switch between the leaves of each of the four.
    let tree = fat_tree(&[(2, 2), (2, 2), (4, 0)], FatTreeRouting::DestinationMod);
    let names: Vec<_> = tree.compact_order().iter().map(|&router| tree.router_name(router)).collect();
    let pod = |pod: u32| {
        let (a, b) = (2 * pod, 2 * pod + 1);
        [
            format!("leaf {a}"),
            format!("middle {a}"),
            format!("top {pod}"),
            format!("leaf {b}"),
            format!("middle {b}"),
        ]
    };
    assert_eq!(names, (0..4).flat_map(pod).collect::<Vec<_>>());
}

/// Each crossbar stands beside a router that it joins; those of a plane beside different ones.
#[test]
fn crossbars_stand_beside_routers() {
    let machine = hypercrossbar(&[3, 2]);
    let names: Vec<_> = machine.compact_order().iter().map(|&router| machine.router_name(router)).collect();
    let expected = [
        "router (0,0)",
        "crossbar (*,0)",
        "crossbar (0,*)",
        "router (1,0)",
        "router (2,0)",
        "crossbar (2,*)",
        "router (0,1)",
        "router (1,1)",
        "crossbar (*,1)",
        "crossbar (1,*)",
        "router (2,1)",
    ];
    assert_eq!(names, expected);
}

/// Groups are found however the routers are numbered: of 129, each joined to every other once, 64 and a half are a half, and at
/// least 64 64 links lead out of it. Of a random graph parts have fewer links than by chance, where 1 / 2, 3 / 4, ... of them lead out.
#[test]
fn groups_of_graphs() {
    check("dragonfly", &dragonfly(16, 8), [[11862, 4170], [8944, 3148], [2807, 989], [757, 286], [69, 67]]);
    check(
        "random graph",
        &random(2048, 16),
        [[8190, 5204], [6168, 4258], [1946, 1488], [512, 422], [32, 32]],
    );
}

/// A small graph drawn by lot: a ring through all routers, each with a node or none, and chords; every wire has a capacity of its own.
fn drawn(seed: u64) -> Topology {
    let mut drawn = mix(seed);
    let mut below = |bound: u32| {
        drawn = mix(drawn);
        (drawn % u64::from(bound)) as u32
    };
    let routers = 2 + below(7);
    let kinds = (0..routers)
        .map(|router| if router < 2 || below(3) > 0 { VertexKind::Both } else { VertexKind::Router });
    let vertices = kinds.zip('a'..).map(|(kind, name)| Vertex { name: name.into(), kind }).collect();
    let chords = (0..below(10)).map(|_| (below(routers), 1 + below(routers - 1))).collect::<Vec<_>>();
    let ring = (0..routers).map(|router| (router, 1)).chain(chords);
    let wires: Vec<_> = ring
        .map(|(from, step)| Wire {
            from,
            to: (from + step) % routers,
            capacity: Bandwidth::new(f64::from(1 + below(4))).unwrap(),
            latency: cable(0).latency,
        })
        .collect();
    Topology::Graph(Graph::new(vertices, &wires, Metric::Hops, cable(9)).unwrap())
}

/// All ways to put the routers of a graph on two sides: the difference of the nodes, what leads out of the first side and into it, and
/// the sides.
fn all_halves(machine: &Topology) -> Vec<(usize, f64, f64, Vec<bool>)> {
    let links: Vec<_> = (0..machine.links()).map(|id| machine.link(LinkId::new(id))).collect();
    let halves = (0_u32..1 << machine.routers()).map(|bits| {
        let first: Vec<bool> = (0..machine.routers()).map(|router| bits >> router & 1 == 1).collect();
        let (mut nodes, mut out, mut into) = (0, 0.0, 0.0);
        for link in &links {
            match (link.from, link.to) {
                (End::Node(_), End::Router(home)) => nodes += if first[home.index()] { 1 } else { -1_i32 },
                (End::Router(from), End::Router(to)) if first[from.index()] && !first[to.index()] => {
                    out += link.capacity.bytes_per_second()
                }
                (End::Router(from), End::Router(to)) if first[to.index()] && !first[from.index()] => {
                    into += link.capacity.bytes_per_second()
                }
                _ => {}
            }
        }
        (nodes.unsigned_abs() as usize, out, into, first)
    });
    halves.collect()
}

/// Of small graphs the most equal halves are found, with the capacity between them, and mostly those with the least between them.
#[test]
fn halves_of_small_graphs() {
    let is_best = |seed: &u64| {
        let machine = drawn(*seed);
        let Topology::Graph(graph) = &machine else { unreachable!() };
        let (all, cut) = (all_halves(&machine), bisect(&machine).unwrap());
        let side = |node| cut.side(NodeId::new(node)) == Side::First;
        let sides: Vec<bool> = (0..machine.nodes()).map(side).collect();
        let difference = cut.nodes[0].abs_diff(cut.nodes[1]);
        assert_eq!(Some(difference), all.iter().map(|half| half.0).min(), "graph {seed}");
        let here = |(_, out, into, first): &(usize, f64, f64, Vec<bool>)| {
            let of_nodes = (0..machine.nodes()).map(|node| first[graph.home(NodeId::new(node)).index()]);
            (*out, *into) == (cut.forward, cut.backward) && of_nodes.eq(sides.iter().copied())
        };
        assert!(all.iter().any(here), "graph {seed}: {cut:?}");
        let equal = all.iter().filter(|half| half.0 == difference);
        equal.map(|half| half.1 + half.2).fold(f64::MAX, f64::min) == cut.forward + cut.backward
    };
    assert_eq!((0..100).filter(is_best).count(), 100);
}

/// Node a gives 2 and takes 9, b gives 3 and takes 5, c gives 4 and takes 1: all a gives goes to b and c, which give 7 to a.
#[test]
fn halves_of_nodes_at_one_router() {
    let vertex = |name: &str, kind| Vertex { name: name.into(), kind };
    let nodes = ["a", "b", "c"].map(|name| vertex(name, VertexKind::Node));
    let router = vertex("r", VertexKind::Router);
    let wire = |from, to, capacity| Wire {
        from,
        to,
        capacity: Bandwidth::new(capacity).unwrap(),
        latency: cable(0).latency,
    };
    let wires = [(0, 2.0, 9.0), (1, 3.0, 5.0), (2, 4.0, 1.0)];
    let wires: Vec<_> =
        wires.into_iter().flat_map(|(node, out, into)| [wire(node, 3, out), wire(3, node, into)]).collect();
    let vertices = nodes.into_iter().chain([router]).collect();
    let machine = Topology::Graph(Graph::new(vertices, &wires, Metric::Hops, cable(9)).unwrap());
    let cut = machine.bisection().unwrap().cut;
    assert_eq!((cut.forward, cut.backward, cut.nodes, cut.through), (2.0, 7.0, [1, 2], Through::Nodes));
    assert_eq!(cut.name, "the cables of one half of the nodes, all at one router");
    let rails = harness::graph(&vec![vec![0, 1]; 5], 2, &[]).unwrap().bisection().unwrap().cut;
    assert_eq!(
        (rails.forward, rails.backward, rails.nodes, rails.through),
        (4.0, 4.0, [2, 3], Through::Nodes)
    );
    assert_eq!(rails.name, "the cables of one half of the nodes");
}

/// Groups stand together, spines too: out of each of four lead its 12 cables to others. So do the racks of a Slim Fly: each row of
/// routers has four cables to each row of the other half, so out of two racks lead 2 x 2 x 4 cables from the rows of either half.
#[test]
fn groups_and_racks_stand_together() {
    let plus = networks::dragonfly_plus((3, 4, 3), (4, 4), Arrangement::PalmTree);
    let plus = networks::made(plus, 1, Rule::Minimal);
    assert_eq!(most_out(&plus, &plus.compact_order(), 4), 12);
    let slim = networks::made(networks::slim_fly(4), 1, Rule::Minimal);
    assert_eq!(most_out(&slim, &slim.compact_order(), 2), 2 * (2 * 2 * 4));
}

proptest! {
    /// Every router is there once; faults change nothing.
    #[test]
    fn an_order_has_every_router_once(machine in machines(), large: bool, graph: bool) {
        let machine = if large { grid(&[(5, true), (machine.nodes() as u32, false)], Tie::Plus) } else { machine };
        let machine = if graph { as_graph(&machine) } else { machine };
        let order = machine.compact_order();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        prop_assert!(sorted.into_iter().eq((0..machine.routers()).map(RouterId::new)));
        let last = LinkId::new(machine.links() - 1);
        let degraded = Topology::Degraded(Degraded::new(machine, [(last, 0.5)].into()));
        prop_assert_eq!(degraded.compact_order(), order);
    }
}
