use super::*;
use crate::Topology;
use crate::harness::{cable, check_laws, check_pairs, hops, names, refused};
use proptest::prelude::*;

fn made(wiring: Wiring, per_router: u32, rule: Rule) -> Topology {
    let cables = (0..wiring.wires().classes().len()).map(cable).collect();
    Topology::Switched(Switched::new(wiring, per_router, cables, cable(9), rule).expect("a small network"))
}

fn dragonfly(routers: (u32, u32), groups: (u32, u32), arrangement: Arrangement) -> Wiring {
    Wiring::Dragonfly(Dragonfly::new(routers, groups, arrangement).expect("a small dragonfly"))
}

fn hyper_x(shape: &[u32], links_per_pair: u32) -> Wiring {
    Wiring::HyperX(HyperX::new(shape, links_per_pair).expect("a small HyperX"))
}

/// Small networks of every kind.
pub(crate) fn wirings() -> impl Strategy<Value = Wiring> {
    let arrangements = prop::sample::select(vec![
        Arrangement::PalmTree,
        Arrangement::Absolute,
        Arrangement::Relative,
        Arrangement::Random,
    ]);
    let dragonflies = (1..5_u32, 1..4_u32, 1..3_u32, any::<prop::sample::Index>(), arrangements).prop_map(
        |(routers, global, per_pair, groups, arrangement)| {
            let most = (routers * global / per_pair + 1).min(7);
            dragonfly((routers, global), (1 + groups.index(most as usize) as u32, per_pair), arrangement)
        },
    );
    let grids =
        (prop::collection::vec(1..5_u32, 1..4), 1..3_u32).prop_map(|(shape, links)| hyper_x(&shape, links));
    prop_oneof![dragonflies, grids]
}

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

    /// Candidates begin shortest ways: by hops in a HyperX; in a dragonfly among those that pass one global cable at most. Each leads one
    /// link nearer, no way is longer than the diameter, and all cables that begin such a way are there.
    #[test]
    fn candidates_begin_shortest_ways(wiring in wirings()) {
        let machine = made(wiring, 1, Rule::Minimal);
        let network = switched(&machine);
        let (routers, all) = (network.routers() as u32, hops(&machine));
        let is_hierarchical = matches!(network.wiring(), Wiring::Dragonfly(_));
        let mut found = Candidates::default();
        let mut lengths = vec![vec![0; routers as usize]; routers as usize];
        for (from, to) in (0..routers).flat_map(|from| (0..routers).map(move |to| (from, to))) {
            let (mut here, mut length) = (RouterId(from), 0);
            while here.0 != to {
                network.candidates(here, RouterId(to), &mut found);
                here = network.neighbor(here, found.ports[0]);
                length += 1;
                prop_assert!(length <= network.diameter());
            }
            prop_assert!(length >= all[from as usize][to as usize]);
            prop_assert!(is_hierarchical || length == all[from as usize][to as usize]);
            lengths[from as usize][to as usize] = length;
        }
        for (from, to) in (0..routers).flat_map(|from| (0..routers).map(move |to| (from, to))).filter(|(a, b)| a != b) {
            network.candidates(RouterId(from), RouterId(to), &mut found);
            let length = lengths[from as usize][to as usize];
            let nearer = |port: u16| lengths[network.neighbor(RouterId(from), port).index()][to as usize] + 1 == length;
            prop_assert!(found.ports.iter().all(|&port| nearer(port)));
            if !is_hierarchical {
                let expected: Vec<u16> = (0..network.ports(RouterId(from)) as u16).filter(|&port| nearer(port)).collect();
                let mut ports = found.ports.clone();
                ports.sort_unstable();
                prop_assert_eq!(ports, expected);
            }
        }
    }

    /// Any two groups of a dragonfly are joined by as many cables as it says.
    #[test]
    fn groups_are_joined_alike(wiring in wirings()) {
        let Wiring::Dragonfly(dragonfly) = &wiring else { return Ok(()) };
        let groups = dragonfly.groups() as usize;
        let mut joined = vec![vec![0; groups]; groups];
        for router in 0..dragonfly.routers() {
            for port in 0..dragonfly.ports(router) {
                let (a, b) = (dragonfly.group(router), dragonfly.group(dragonfly.neighbor(router, port).0));
                joined[a as usize][b as usize] += u32::from(a != b);
            }
        }
        for (a, b) in (0..groups).flat_map(|a| (0..groups).map(move |b| (a, b))) {
            prop_assert_eq!(joined[a][b], if a == b { 0 } else { dragonfly.links_per_pair() });
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
