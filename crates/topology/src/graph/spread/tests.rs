use crate::harness::{cable, check_laws, pairs, route};
use crate::{Degraded, End, Graph, Metric, Topology, Vertex, VertexKind, Wire};
use proptest::prelude::*;
use std::collections::BTreeMap;
use weir_units::{LinkId, NodeId};

/// A network by the names of its vertices: cables, all alike, each so many times.
fn network(nodes: &[String], cables: &[(String, String, usize)], listing: &[usize]) -> Topology {
    let mut names: Vec<&str> = cables.iter().flat_map(|(a, b, _)| [a.as_str(), b.as_str()]).collect();
    names.sort_unstable();
    names.dedup();
    let mut shuffled: Vec<&str> = Vec::new();
    for index in listing {
        shuffled.push(names.remove(index % names.len()));
        if names.is_empty() {
            break;
        }
    }
    shuffled.append(&mut names);
    let kind = |name: &str| {
        if nodes.iter().any(|node| node == name) { VertexKind::Node } else { VertexKind::Router }
    };
    let number = |name: &str| shuffled.iter().position(|&other| other == name).unwrap() as u32;
    let mut wires = Vec::new();
    for (a, b, times) in cables {
        for _ in 0..*times {
            let (from, to) = (number(a), number(b));
            let wire = Wire { from, to, capacity: cable(0).bandwidth, latency: cable(0).latency };
            wires.extend([wire, Wire { from: to, to: from, ..wire }]);
        }
    }
    // The order of cables counts no more than that of vertices.
    let by = listing.first().map_or(0, |&first| 2 * (first % (wires.len() / 2)));
    wires.rotate_left(by);
    let vertices = shuffled.iter().map(|&name| Vertex { name: name.into(), kind: kind(name) }).collect();
    Topology::Graph(Graph::new(vertices, &wires, Metric::Time, cable(9)).unwrap())
}

/// Leaves with so many nodes each, joined to each spine by so many cables; nodes are called after `name`.
fn two_stages(
    (leaves, nodes, spines, times): (usize, usize, usize, usize),
    name: impl Fn(usize, usize) -> String,
    listing: &[usize],
) -> Topology {
    let (mut all, mut cables) = (Vec::new(), Vec::new());
    for leaf in 0..leaves {
        for port in 0..nodes {
            all.push(name(leaf, port));
            cables.push((name(leaf, port), format!("leaf{leaf}"), 1));
        }
        cables.extend((0..spines).map(|spine| (format!("leaf{leaf}"), format!("spine{spine}"), times)));
    }
    network(&all, &cables, listing)
}

fn by_leaf(leaf: usize, port: usize) -> String {
    format!("h{leaf}.{port}")
}

/// How many of these pairs pass each link between routers.
fn loads(machine: &Topology, pairs: impl Iterator<Item = (u32, u32)>) -> Vec<usize> {
    let mut loads = vec![0; machine.links()];
    for (from, to) in pairs {
        route(machine, from, to).iter().for_each(|link| loads[link.index()] += 1);
    }
    let between = |&id: &usize| {
        let link = machine.link(LinkId::new(id));
        matches!((link.from, link.to), (End::Router(_), End::Router(_)))
    };
    (0..machine.links()).filter(between).map(|id| loads[id]).collect()
}

fn node(machine: &Topology, name: &str) -> u32 {
    machine.parse_address(name).unwrap().0
}

/// Any permutation that sends the nodes of each leaf to those of another one finds ways of its own for all, up and down,
/// whether a leaf is joined to each spine by one cable or by several, and however its nodes are called.
#[test]
fn leaves_do_not_meet() {
    let mixed = |leaf: usize, port: usize| {
        format!("n{}", (leaf * 7 + port * 5 + leaf * port * 3) * 64 + leaf * 8 + port)
    };
    for shape in
        [(4, 4, 4, 1), (3, 18, 2, 9), (5, 6, 3, 2), (3, 4, 2, 4), (4, 8, 16, 1), (4, 5, 4, 2), (2, 4, 1, 4)]
    {
        for name in [&by_leaf as &dyn Fn(usize, usize) -> String, &mixed] {
            let (leaves, nodes, ..) = shape;
            let machine = two_stages(shape, name, &[]);
            for step in 1..leaves {
                let pairs = (0..leaves * nodes).map(|i| (i / nodes, i % nodes)).map(|(leaf, port)| {
                    let there = ((leaf + step) % leaves, (port + step * leaf) % nodes);
                    (node(&machine, &name(leaf, port)), node(&machine, &name(there.0, there.1)))
                });
                let most = loads(&machine, pairs).into_iter().max();
                assert_eq!(most, Some(1), "{shape:?}, leaf to leaf + {step}");
            }
        }
    }
}

/// From every node to every other the links between routers carry the same, or differ by as little as there are ways too
/// many: in two stages and three, tapered or not, with one cable or more.
#[test]
fn all_pairs_load_links_alike() {
    let check = |machine: &Topology, what: &str, most: f64| {
        let found = loads(machine, pairs(machine).filter(|(from, to)| from != to));
        let mean = found.iter().sum::<usize>() as f64 / found.len() as f64;
        let worst = *found.iter().max().unwrap() as f64 / mean;
        assert!(worst <= most, "{what}: {worst} times the mean");
    };
    let shapes = [
        ((16, 16, 16, 1), 1.0),
        ((2, 18, 2, 9), 1.0),
        ((6, 3, 2, 1), 1.07),
        ((5, 8, 2, 2), 1.0),
        // Five nodes, eight cables: each node has one, three are idle on the way down.
        ((7, 5, 4, 2), 1.6),
        ((9, 1, 4, 1), 1.01),
        ((9, 2, 4, 3), 1.13),
        ((9, 1, 1, 4), 1.0),
    ];
    for (shape, most) in shapes {
        check(&two_stages(shape, by_leaf, &[3, 1, 4, 1, 5, 9, 2, 6]), &format!("{shape:?}"), most);
    }
    // Three stages of switches with 8 ports; the names of nodes and leaves say nothing of pods.
    let scrambled = |i: usize| (i * 37 + 11) % 128;
    let (mut nodes, mut cables) = (Vec::new(), Vec::new());
    for leaf in 0..32 {
        let pod = leaf / 4;
        let name = format!("leaf{}", scrambled(leaf));
        for port in 0..4 {
            nodes.push(format!("node{}", scrambled(4 * leaf + port)));
            cables.push((nodes[nodes.len() - 1].clone(), name.clone(), 1));
            cables.push((name.clone(), format!("middle{pod}.{port}"), 1));
        }
        let cores =
            (0..4).map(|core| (format!("middle{pod}.{}", leaf % 4), format!("core{}.{core}", leaf % 4), 1));
        cables.extend(cores);
    }
    // Each link at a leaf is passed by 124 pairs, each above by 112.
    check(&network(&nodes, &cables, &[5, 3, 8]), "three stages", 124.0 / 118.0);
}

/// With a cable of 4 cut, those that took it are spread over the three that are left.
#[test]
fn detours_use_every_cable_that_is_left() {
    let machine = two_stages((5, 4, 1, 4), by_leaf, &[]);
    let all: Vec<_> = pairs(&machine).filter(|(from, to)| from != to).collect();
    let before = loads(&machine, all.iter().copied());
    assert!(before.iter().all(|&load| load == 16), "{before:?}");
    let cut = machine.parts_named(&["leaf2 - spine0"]).remove(0).unwrap();
    let crate::Part::Cable(links) = cut else { panic!() };
    let speeds = links.map(|link| (link, 0.0)).into();
    let degraded = Topology::Degraded(Degraded::new(machine.clone(), speeds));
    let mut after = loads(&degraded, all.iter().copied());
    after.sort_unstable();
    // 16 pairs each way take three cables now, the others of that leaf. Each of the 16 that went up by the cable went down to one
    // of four nodes by the same cable of its leaf; of four from different nodes each takes another one now.
    assert_eq!(after[..2], [0, 0]);
    assert_eq!(after[2..34], [[13; 8].as_slice(), &[17; 24]].concat());
    assert!(after[34..].iter().all(|load| (20..=22).contains(load)), "{:?}", &after[34..]);
    assert_eq!(after.iter().sum::<usize>(), before.iter().sum::<usize>());
}

/// The routes of all pairs of nodes, by names; of several links to the same router all are alike, and each is called by who
/// takes it.
fn by_names(machine: &Topology) -> BTreeMap<(String, String), Vec<String>> {
    let mut all = BTreeMap::new();
    for (from, to) in pairs(machine) {
        let names = route(machine, from, to).iter().map(|&id| machine.link_name(id)).collect();
        let [from, to] = [from, to].map(|node| machine.address(NodeId(node)));
        all.insert((from, to), names);
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// However a file lists its vertices and cables, the routes are the same.
    #[test]
    fn no_listing_changes_routes(
        names in prop::collection::btree_set("[ab]?[0-9]{1,2}", 2..12),
        draws in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1_usize..4), 0..12),
        kinds in prop::collection::vec(any::<bool>(), 12),
        listing in prop::collection::vec(0_usize..100, 1..20),
    ) {
        let names: Vec<String> = names.into_iter().collect();
        // A chain of routers, some of which have nodes beside them, and cables at random.
        let mut cables: Vec<_> = names.windows(2).map(|pair| (pair[0].clone(), pair[1].clone(), 1)).collect();
        for (a, b, times) in draws {
            let (a, b) = (a.get(&names), b.get(&names));
            if a != b {
                cables.push((a.clone(), b.clone(), times));
            }
        }
        let mut nodes = Vec::new();
        for (name, _) in names.iter().zip(kinds).filter(|(name, kind)| *kind || **name == names[0]) {
            for node in [format!("x{name}"), format!("y{name}")] {
                cables.push((node.clone(), name.clone(), 1));
                nodes.push(node);
            }
        }
        let first = network(&nodes, &cables, &[]);
        check_laws(&first);
        prop_assert_eq!(by_names(&first), by_names(&network(&nodes, &cables, &listing)));
    }
}
