use super::*;
use crate::harness::networks::{dragonfly, dragonfly_plus, hyper_x, made, polar_fly, slim_fly, wirings};
use crate::harness::{cable, check_laws, check_pairs, extended_fat_tree, grid, names, refused};
use crate::{FatTreeRouting, Tie, Topology};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn switched(machine: &Topology) -> &Switched {
    let Topology::Switched(switched) = machine else { panic!("it is switched") };
    switched
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Links have their numbers and names, each has one the other way, and the port at its other end leads back.
    #[test]
    fn laws_hold(wiring in wirings(), per_router in 1..3_u32) {
        let machine = made(wiring, per_router, Rule::Minimal);
        check_laws(&machine);
        check_pairs(&machine);
        let network = switched(&machine);
        for router in (0..network.routers()).map(RouterId::new) {
            for port in 0..network.ports(router) {
                let (other, back) = network.wires().neighbor(router.0, port);
                prop_assert!(back < network.ports(RouterId(other)));
                prop_assert_eq!(network.wires().neighbor(other, back), (router.0, port));
                prop_assert_eq!(network.wires().class(other, back), network.wires().class(router.0, port));
                prop_assert_eq!(network.find(network.link_at(router, port as u16)), Some((router.0, port)));
            }
        }
    }

    /// Candidates are the ports that begin a shortest way: of all ways, in networks of groups of those that pass one global cable at
    /// most. Those that are considered first are among them, and between nodes no way is longer than the diameter.
    #[test]
    fn candidates_begin_shortest_ways(wiring in wirings()) {
        let machine = made(wiring, 1, Rule::Minimal);
        let network = switched(&machine);
        let routers = network.routers() as u32;
        let has_groups = matches!(network.wiring(), Wiring::Dragonfly(_) | Wiring::DragonflyPlus(_));
        // A global cable takes one of those that may be passed.
        let least = if has_groups { vec![0, 1] } else { vec![0] };
        let next = |(router, left): (u32, u32)| (0..network.ports(RouterId(router))).filter_map(move |port| {
            let (other, _) = network.wires().neighbor(router, port);
            let is_global = has_groups && network.wires().class(router, port) == 1;
            Some((port as u16, (other, left.checked_sub(u32::from(is_global))?)))
        });
        let mut found = Candidates::default();
        for to in 0..routers {
            let mut lengths = vec![[u32::MAX - 1; 2]; routers as usize];
            lengths[to as usize] = [0, 0];
            for (router, &left) in (0..2 * routers).flat_map(|_| (0..routers).flat_map(|r| least.iter().map(move |left| (r, left)))) {
                let through = next((router, left)).map(|(_, (other, left))| lengths[other as usize][left as usize] + 1).min();
                let length = &mut lengths[router as usize][left as usize];
                *length = (*length).min(through.unwrap_or(u32::MAX));
            }
            let most = least[least.len() - 1];
            for from in (0..routers).filter(|&from| from != to) {
                network.candidates(RouterId(from), RouterId(to), &mut found);
                let length = lengths[from as usize][most as usize];
                prop_assert!(from.max(to) >= network.homes() || length <= network.diameter());
                let nearer = next((from, most)).filter(|&(_, (other, left))| lengths[other as usize][left as usize] + 1 == length);
                let expected: Vec<u16> = nearer.map(|(port, _)| port).collect();
                let mut ports = found.ports.to_vec();
                ports.sort_unstable();
                ports.dedup();
                prop_assert_eq!(ports.to_vec(), expected, "from {} to {}", from, to);
                prop_assert!((1..=found.ports.len()).contains(&found.leading));
            }
        }
    }

    /// Any two groups are joined by as many cables as the wiring says.
    #[test]
    fn groups_are_joined_alike(wiring in wirings()) {
        let (groups, links_per_pair) = match &wiring {
            Wiring::Dragonfly(dragonfly) => (dragonfly.groups() as usize, dragonfly.links_per_pair()),
            Wiring::DragonflyPlus(dragonfly) => (dragonfly.groups() as usize, dragonfly.links_per_pair()),
            _ => return Ok(()),
        };
        let wires = wiring.wires();
        let mut joined = vec![vec![0; groups]; groups];
        for router in 0..wires.routers() {
            for port in 0..wires.ports(router) {
                let (a, b) = (wires.group(router), wires.group(wires.neighbor(router, port).0));
                prop_assert_eq!(a != b, wires.class(router, port) == 1);
                joined[a as usize][b as usize] += u32::from(a != b);
            }
        }
        for (a, b) in (0..groups).flat_map(|a| (0..groups).map(move |b| (a, b))) {
            prop_assert_eq!(joined[a][b], if a == b { 0 } else { links_per_pair });
        }
    }
}

/// The dragonfly of 72 nodes of the reference curves: in the palm tree group g, router o, global port j leads to group
/// g + 1 + (3 - o) 2 + (1 - j), router 3 - o; in the absolute one port k = 2 o + j leads to group k, and from g on to k + 1.
#[test]
fn the_balanced_dragonfly_of_nine_groups() {
    for arrangement in [Arrangement::PalmTree, Arrangement::Absolute] {
        let wiring = dragonfly((4, 2), (9, 1), arrangement);
        for (group, router, port) in
            (0..9).flat_map(|g| (0..4).flat_map(move |o| (0..2).map(move |j| (g, o, j))))
        {
            let (found, _) = wiring.wires().neighbor(4 * group + router, 3 + port);
            if arrangement == Arrangement::PalmTree {
                let other = (group + 1 + (3 - router) * 2 + (1 - port)) % 9;
                assert_eq!(found, 4 * other + 3 - router, "group {group}, router {router}, port {port}");
            } else {
                let k = 2 * router + port;
                assert_eq!(
                    found / 4,
                    k + u32::from(k >= group),
                    "group {group}, router {router}, port {port}"
                );
            }
        }
    }
    // From node 0 of router 0 of group 0 to the last node: group 8 is at place 0, by router 0; there it is place 7, of router 3.
    let machine = made(dragonfly((4, 2), (9, 1), Arrangement::PalmTree), 2, Rule::Minimal);
    let route = [
        "node 0 -> router 0 of group 0",
        "router 0 of group 0 -> router 3 of group 8",
        "router 3 of group 8 -> node 71",
    ];
    assert_eq!(names(&machine, 0, 71), route);
}

/// Three groups of two leaves and two spines, a cable from each spine to each other group: node 1, of leaf 0 of group 0, sends by
/// spine 5 mod 2 to node 5, of leaf 1 of group 1, whose group is place 1 of spine 1 in a palm tree, and from where group 0 is place 0.
#[test]
fn a_dragonfly_of_leaves_and_spines_by_hand() {
    let wiring = dragonfly_plus((2, 2, 2), (3, 2), Arrangement::PalmTree);
    assert_eq!((wiring.wires().homes(), wiring.wires().routers()), (6, 12));
    assert_eq!(wiring.wires().neighbor(7, 2 + 1), (9, 2), "spine 1 of group 0 and spine 1 of group 1");
    let machine = made(wiring, 2, Rule::Minimal);
    let route = [
        "node 1 -> leaf 0 of group 0",
        "leaf 0 of group 0 -> spine 1 of group 0",
        "spine 1 of group 0 -> spine 1 of group 1",
        "spine 1 of group 1 -> leaf 1 of group 1",
        "leaf 1 of group 1 -> node 7",
    ];
    assert_eq!(names(&machine, 1, 7), route);
    let within = ["leaf 0 of group 0 -> spine 0 of group 0", "spine 0 of group 0 -> leaf 1 of group 0"];
    assert_eq!(names(&machine, 1, 2)[1..3], within);
}

/// In all networks of these kinds that there are up to a size, by counting ways of one and of two links.
fn check_diameter_two(wiring: &Wiring, degrees: &[u32], most_common: usize) {
    let wires = wiring.wires();
    let routers = wires.routers();
    let near: Vec<Vec<u32>> = (0..routers)
        .map(|router| (0..wires.ports(router)).map(|port| wires.neighbor(router, port).0).collect())
        .collect();
    let mut found = Candidates::default();
    for from in 0..routers {
        let mut ways = vec![0; routers as usize];
        assert!(degrees.contains(&(near[from as usize].len() as u32)), "{}", wires.name(from));
        for &through in &near[from as usize] {
            assert_ne!(through, from);
            near[through as usize].iter().for_each(|&to| ways[to as usize] += 1);
        }
        for to in (0..routers).filter(|&to| to != from) {
            let expected = match near[from as usize].iter().filter(|&&other| other == to).count() {
                0 => ways[to as usize],
                joined => joined,
            };
            found.clear();
            wires.minimal(from, to, &mut found);
            assert!(expected > 0 && found.ports.len() == expected && found.leading == expected);
            assert!(ways[to as usize] <= most_common, "{} and {}", wires.name(from), wires.name(to));
            let is_way = |port: &u16| {
                let next = wires.neighbor(from, (*port).into()).0;
                next == to || near[next as usize].contains(&to)
            };
            assert!(found.ports.iter().all(is_way));
        }
    }
}

/// Number of cables of a router of a Slim Fly: (3 q - d) / 2.
fn slim_degree(q: u32) -> u32 {
    [3 * q, 3 * q - 1, 0, 3 * q + 1][(q % 4) as usize] / 2
}

/// Besta and Hoefler, section II: 2 q^2 routers. That of q = 5 is the graph of Hoffman and Singleton, of girth 5: no two routers
/// have two common neighbors, and joined ones none.
#[test]
fn slim_flies_have_diameter_two() {
    for q in [3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19] {
        let wiring = slim_fly(q);
        assert_eq!(wiring.wires().routers(), 2 * q * q);
        check_diameter_two(&wiring, &[slim_degree(q)], if q == 5 { 1 } else { usize::MAX });
    }
}

/// Of the larger ones, from one router of each half: shifts of x, of m and of y and c carry each router of a half into each.
#[test]
fn large_slim_flies_have_diameter_two() {
    for q in [23, 25, 27, 29, 31, 32, 37, 41, 43] {
        let wiring = slim_fly(q);
        let wires = wiring.wires();
        for from in [0, wires.routers() - 1] {
            let near = |router| (0..wires.ports(router)).map(move |port| wires.neighbor(router, port).0);
            let reached: BTreeSet<u32> = near(from).chain(near(from).flat_map(near)).chain([from]).collect();
            assert_eq!((reached.len() as u32, near(from).count() as u32), (2 * q * q, slim_degree(q)));
        }
    }
}

/// Lakhotia et al.: q^2 + q + 1 routers, of which q + 1 are absolute; no two have two common neighbors, so there is no
/// cycle of four.
#[test]
fn polar_flies_have_diameter_two() {
    for q in [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25] {
        let wiring = polar_fly(q);
        let wires = wiring.wires();
        let absolute = (0..wires.routers()).filter(|&router| wires.ports(router) == q).count() as u32;
        assert_eq!((wires.routers(), absolute), (q * q + q + 1, q + 1));
        check_diameter_two(&wiring, &[q, q + 1], 1);
    }
}

/// Two nodes at each router: the first and the last one of each kind by their places, and texts that name none.
#[test]
fn nodes_have_places() {
    let forms = [
        (dragonfly((4, 2), (9, 1), Arrangement::PalmTree), "(group,router,node)", "(8,3,1)", 71),
        (dragonfly_plus((3, 2, 2), (3, 1), Arrangement::PalmTree), "(group,leaf,node)", "(2,2,1)", 17),
        (hyper_x(&[4, 3], 1), "(x,y,node)", "(3,2,1)", 23),
        (slim_fly(5), "(half,x,y,node)", "(1,4,4,1)", 99),
        (polar_fly(3), "(x,y,z,node)", "(0,0,1,1)", 25),
    ];
    for (wiring, form, last, number) in forms {
        let machine = made(wiring, 2, Rule::Minimal);
        assert_eq!(machine.address(NodeId(number)), last);
        let expected = format!("a node from 0 to {number} or its place {form}, of which {last} is the last");
        assert_eq!(machine.address_form(), expected);
        let found = |text: &str| machine.parse_address(text).map(|node| node.0);
        assert_eq!(
            [found(last), found(&last[1..last.len() - 1]), found("1")],
            [Some(number), Some(number), Some(1)]
        );
        let further = last.replace(",1)", ",2)");
        for none in [&further, "(9,9,9,0)", "(9,0,0)", "(0,0,0,0,0)", "()", "(0)", &(number + 1).to_string()]
        {
            assert_eq!(found(none), None, "{none} of {form}");
        }
    }
    let grid = made(hyper_x(&[4, 3], 1), 2, Rule::Minimal);
    assert_eq!(grid.parse_address("(1,2,0)"), Some(NodeId(2 * (1 + 4 * 2))));
    let polar = made(polar_fly(3), 1, Rule::Minimal);
    assert_eq!(["(2,0,1,0)", "(0,2,1,0)", "(0,0,0,0)"].map(|place| polar.parse_address(place)), [None; 3]);
    let spine = made(dragonfly_plus((1, 2, 2), (3, 1), Arrangement::PalmTree), 1, Rule::Minimal);
    assert_eq!(spine.parse_address("(0,1,0)"), None, "that would be the place of a spine");
}

#[test]
fn all_mistakes_are_named() {
    let keys = |made: Result<Dragonfly, Vec<Mistake>>| -> Vec<&str> {
        made.err().unwrap().iter().map(|mistake| mistake.key).collect()
    };
    assert_eq!(
        keys(Dragonfly::new((0, 1), (3, 0), Arrangement::PalmTree)),
        ["routers_per_group", "links_per_pair"]
    );
    let few = refused(Dragonfly::new((4, 2), (10, 1), Arrangement::PalmTree), "groups");
    let what = "is 10: a group needs 9 global cables, 1 to each other group, and has 4 routers with 2 each";
    assert_eq!(few, [(what.to_owned(), "take at most 9 groups, or more global_links".to_owned())]);
    let few = refused(DragonflyPlus::new((2, 2, 1), (4, 1), Arrangement::PalmTree), "groups");
    let what = "is 4: a group needs 3 global cables, 1 to each other group, and has 2 spines with 1 each";
    assert_eq!(few, [(what.to_owned(), "take at most 3 groups, or more global_links".to_owned())]);
    refused(DragonflyPlus::new((0, 2, 1), (3, 1), Arrangement::PalmTree), "leaves");
    refused(DragonflyPlus::new((2, 0, 1), (1, 1), Arrangement::PalmTree), "spines");
    refused(DragonflyPlus::new((60_000, 6_000, 60_000), (1, 1), Arrangement::PalmTree), "leaves");
    let no_prime = refused(SlimFly::new(24), "q");
    let what = "is 24, which is no prime power from 3 to 43";
    assert_eq!(no_prime, [(what.to_owned(), "take 23 or 25".to_owned())]);
    assert_eq!(refused(SlimFly::new(2), "q")[0].1, "take 3");
    assert_eq!(refused(SlimFly::new(u32::MAX), "q")[0].1, "take 43");
    assert_eq!(refused(PolarFly::new(6), "q")[0].1, "take 5 or 7");
    assert_eq!(refused(PolarFly::new(0), "q")[0].1, "take 2");
    let wide = refused(HyperX::new(&[4, 4], 0), "links_per_pair");
    assert_eq!(wide[0].0, "is 0");
    refused(HyperX::new(&[4, 0], 1), "shape");
    let misfit = |wiring, rule| {
        refused(Switched::new(wiring, 1, vec![cable(0); 2], cable(1), rule), "routing")[0].0.clone()
    };
    let what = "is \"dimwar\", which needs the dimensions of a HyperX or full mesh";
    assert_eq!(
        misfit(dragonfly((4, 2), (9, 1), Arrangement::PalmTree), Rule::DimWar(Adaptive::default())),
        what
    );
    let what = "is \"par\", which needs groups of routers, as a dragonfly has";
    assert_eq!(misfit(hyper_x(&[3, 3], 1), Rule::Par(Adaptive::default())), what);
    refused(Switched::new(hyper_x(&[3], 1), 0, vec![cable(0)], cable(1), Rule::Minimal), "nodes_per_router");
}

/// Fat trees and grids whose rule decides for each packet.
fn others() -> impl Strategy<Value = Topology> {
    let ports = prop::collection::vec((1_u32..=4, 1_u32..=3, 1_u32..=3), 1..=3);
    let trees = (ports, prop::bool::ANY).prop_map(|(ports, adapts)| {
        extended_fat_tree(&ports, if adapts { FatTreeRouting::AdaptiveUp } else { FatTreeRouting::RandomUp })
    });
    let grids = prop::collection::vec((1_u32..=6, any::<bool>()), 1..=3).prop_map(|shape| {
        let Topology::Torus(torus) = grid(&shape, Tie::Spread) else { unreachable!("it is a grid") };
        Topology::Torus(torus.with_chosen_ways())
    });
    prop_oneof![trees, grids]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The network that a rule sees has the links of the machine: a port is a link of its router to the router behind, and the candidates
    /// between the routers of nodes are all links that come nearer.
    #[test]
    fn ports_of_other_machines_are_their_links(machine in others()) {
        let network = machine.chosen().expect("it has a rule");
        let between = |id: LinkId| match machine.link(id) {
            Link { from: End::Router(from), to: End::Router(to), .. } => Some((from, to)),
            _ => None,
        };
        let links: Vec<_> = (0..machine.links()).map(LinkId::new).filter_map(|id| Some((id, between(id)?))).collect();
        let mut found = Candidates::default();
        for to in (0..network.homes()).map(RouterId) {
            let mut far = vec![u32::MAX - 1; machine.routers()];
            far[to.index()] = 0;
            for _ in 0..machine.routers() {
                for &(_, (from, next)) in &links {
                    far[from.index()] = far[from.index()].min(far[next.index()] + 1);
                }
            }
            for from in (0..network.homes()).map(RouterId).filter(|&from| from != to) {
                prop_assert!(far[from.index()] <= network.diameter());
                network.candidates(from, to, &mut found);
                let ids: BTreeSet<_> = found.ports.iter().map(|&port| network.link_at(from, port)).collect();
                let nearer = links.iter().filter(|(_, (begin, next))| *begin == from && far[next.index()] < far[from.index()]);
                let nearer: BTreeSet<_> = nearer.map(|&(id, _)| id).collect();
                prop_assert_eq!(&ids, &nearer);
                prop_assert_eq!(ids.len(), found.ports.len());
                for &port in &found.ports {
                    prop_assert_eq!(between(network.link_at(from, port)), Some((from, network.neighbor(from, port))));
                    prop_assert!(u32::from(port) < network.ports(from));
                }
            }
        }
    }

    /// As much leaves a router as comes in, all leaves the source and all comes to the destination, by shortest ways.
    #[test]
    fn shares_of_other_machines_flow(machine in others()) {
        let mut shares = Shares::default();
        let nodes = machine.nodes() as u32;
        for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (NodeId(from), NodeId(to)))) {
            prop_assert!(machine.find_shares_by(from, 0, to, &mut shares));
            let mut left = std::collections::BTreeMap::new();
            for (id, part) in shares.iter() {
                let link = machine.link(id);
                *left.entry(format!("{:?}", link.from)).or_insert(0.0) += part;
                *left.entry(format!("{:?}", link.to)).or_insert(0.0) -= part;
            }
            for (end, left) in left {
                let expected = f64::from(i8::from(end == format!("{:?}", End::Node(from))))
                    - f64::from(i8::from(end == format!("{:?}", End::Node(to))));
                prop_assert!((left - expected).abs() < 1e-9, "{} {} {}", end, left, expected);
            }
            let mut route = Vec::new();
            machine.route(from, to, &mut route);
            let length: f64 = shares.iter().map(|(_, part)| part).sum();
            prop_assert!((length - route.len() as f64).abs() < 1e-9);
        }
    }
}

/// Of the four ways of the tree below a cable up and the other switch are lost: of the four cables up one is left, and both down.
#[test]
fn shares_of_what_is_left() {
    let machine = extended_fat_tree(&[(2, 2, 2), (2, 0, 1)], FatTreeRouting::AdaptiveUp);
    let lost = ["leaf 0 -> top 0 (2)", "top 1 -> leaf 1", "top 1 -> leaf 1 (2)"];
    let is_lost = |id: &LinkId| lost.contains(&&*machine.link_name(*id));
    let speeds = (0..machine.links()).map(LinkId::new).filter(is_lost).map(|id| (id, 0.0)).collect();
    let degraded = Topology::Degraded(crate::Degraded::new(machine.clone(), speeds));
    let mut shares = Shares::default();
    assert!(degraded.find_shares_by(NodeId(0), 0, NodeId(3), &mut shares));
    let names: Vec<_> = shares.iter().map(|(id, part)| (machine.link_name(id), part)).collect();
    let expected = [
        ("node 0 -> leaf 0", 1.0),
        ("leaf 0 -> top 0", 1.0),
        ("top 0 -> leaf 1", 0.5),
        ("top 0 -> leaf 1 (2)", 0.5),
        ("leaf 1 -> node 3", 1.0),
    ];
    assert_eq!(names, expected.map(|(name, part)| (name.to_owned(), part)));
    // The other way all is left but one cable up and the other switch.
    assert!(degraded.find_shares_by(NodeId(3), 0, NodeId(0), &mut shares));
    assert_eq!(shares.links.len(), 2 + 4 + 4);
}

/// In a tree of two leaves of two nodes, two switches above them and two cables each, a node of the other leaf gets a quarter by each of
/// the four cables up, and by each of those down.
#[test]
fn shares_up_a_tree_by_hand() {
    let machine = extended_fat_tree(&[(2, 2, 2), (2, 0, 1)], FatTreeRouting::RandomUp);
    let mut shares = Shares::default();
    machine.find_shares_by(NodeId(0), 0, NodeId(3), &mut shares);
    let names: Vec<_> = shares.iter().map(|(id, part)| (machine.link_name(id), part)).collect();
    let part = |name: &str| (name.to_owned(), 0.25);
    let up = ["leaf 0 -> top 0", "leaf 0 -> top 0 (2)", "leaf 0 -> top 1", "leaf 0 -> top 1 (2)"].map(part);
    let down = ["top 0 -> leaf 1", "top 0 -> leaf 1 (2)", "top 1 -> leaf 1", "top 1 -> leaf 1 (2)"].map(part);
    let ends = [("node 0 -> leaf 0".to_owned(), 1.0), ("leaf 1 -> node 3".to_owned(), 1.0)];
    assert_eq!(names, [&ends[..1], &up, &down, &ends[1..]].concat());
}
