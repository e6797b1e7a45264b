use super::*;
use crate::Topology;
use crate::harness::{
    cable, check_laws, check_pairs, check_refused, extended_fat_tree, fat_tree, names, pairs, refused, route,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

const ROUTINGS: [FatTreeRouting; 2] = [FatTreeRouting::DestinationMod, FatTreeRouting::SourceMod];

fn of(stages: &[Switches], routing: FatTreeRouting) -> Topology {
    let ports: Vec<_> = stages.iter().map(|switches| (switches.down, switches.up)).collect();
    fat_tree(&ports, routing)
}

/// The full one of three stages with 2p ports.
fn tree(p: u32, routing: FatTreeRouting) -> Topology {
    of(&Switches::full(2 * p, 3).unwrap(), routing)
}

/// Table 3.1 of paper 002: nodes and cables of the trees with p = 8, 12, 20, 24, 32; and the 128 nodes of paper 000.
#[test]
fn counts_are_those_of_table_3_1() {
    let sizes = [
        (4, 128, 384),
        (8, 1024, 3072),
        (12, 3456, 10_368),
        (20, 16_000, 48_000),
        (24, 27_648, 82_944),
        (32, 65_536, 196_608),
    ];
    for (p, nodes, cables) in sizes {
        let machine = tree(p, FatTreeRouting::DestinationMod);
        let counts = (machine.nodes(), machine.cables(), machine.links());
        assert_eq!(counts, (nodes, cables, 2 * cables), "p = {p}");
        assert_eq!(machine.routers() as u32, 2 * p * p + 2 * p * p + p * p);
    }
}

/// Every switch has 2p links in and 2p out, but for the top switches, whose 2p ports all lead down.
#[test]
fn every_port_of_every_switch_is_used() {
    for p in 1..=4 {
        let machine = tree(p, FatTreeRouting::DestinationMod);
        let mut ports = vec![[0_u32; 2]; machine.routers()];
        for link in (0..machine.links()).map(|id| machine.link(LinkId::new(id))) {
            for (side, end) in [link.from, link.to].into_iter().enumerate() {
                if let End::Router(router) = end {
                    ports[router.index()][side] += 1;
                }
            }
        }
        assert!(ports.iter().all(|&ports| ports == [2 * p, 2 * p]), "p = {p}");
    }
}

/// Links in a route: 0 to oneself, 2 within a leaf, 4 within a pod, else 6; the longest is 6.
#[test]
fn routes_are_walks_of_the_right_length() {
    for (p, routing) in (1..=3).flat_map(|p| ROUTINGS.map(|routing| (p, routing))) {
        let machine = tree(p, routing);
        check_laws(&machine);
        check_pairs(&machine);
        for (from, to) in pairs(&machine) {
            let ids = route(&machine, from, to);
            let expected = if from == to {
                0
            } else if from / p == to / p {
                2
            } else if from / (p * p) == to / (p * p) {
                4
            } else {
                6
            };
            assert_eq!(ids.len(), expected, "from {from} to {to}");
            let links: Vec<_> = ids.iter().map(|&id| machine.link(id)).collect();
            let cables: Vec<_> = links.iter().map(|link| link.capacity.bytes_per_second()).collect();
            let up_and_down = [10.0, 1.0, 2.0, 2.0, 1.0, 10.0];
            let rest = expected / 2;
            assert_eq!(cables, [&up_and_down[..rest], &up_and_down[6 - rest..]].concat());
        }
    }
}

/// Reversing a route gives the route the other way with the other rule.
#[test]
fn the_rules_mirror_each_other() {
    let [destination, source] = ROUTINGS.map(|routing| tree(3, routing));
    for (from, to) in pairs(&destination) {
        let mut ends: Vec<_> =
            route(&source, to, from).iter().map(|&id| (source.link(id).to, source.link(id).from)).collect();
        ends.reverse();
        let there: Vec<_> = route(&destination, from, to)
            .iter()
            .map(|&id| (destination.link(id).from, destination.link(id).to))
            .collect();
        assert_eq!(there, ends);
    }
}

/// Two leaves of six nodes below two switches, three cables to each. Node 7 has its up port 1 and cable 0, node 11 port 1 and cable 2:
/// 11 / 2 mod 3; down they come by the same ones.
#[test]
fn parallel_cables_by_hand() {
    let machine = extended_fat_tree(&[(6, 2, 3), (2, 0, 1)], FatTreeRouting::DestinationMod);
    assert_eq!((machine.routers(), machine.cables()), (4, 12 + 2 * 2 * 3));
    assert_eq!(names(&machine, 0, 7)[1..3], ["leaf 0 -> top 1", "top 1 -> leaf 1"]);
    assert_eq!(names(&machine, 0, 11)[1..3], ["leaf 0 -> top 1 (3)", "top 1 -> leaf 1 (3)"]);
    let up = route(&machine, 0, 11)[1];
    assert_eq!((machine.link(up).capacity.bytes_per_second(), machine.parallel_before(up)), (1.0, 2));
    let source = extended_fat_tree(&[(6, 2, 3), (2, 0, 1)], FatTreeRouting::SourceMod);
    assert_eq!(names(&source, 4, 11)[1..3], ["leaf 0 -> top 0 (3)", "top 0 -> leaf 1 (3)"]);
    // Half of six nodes on each side of 6 cables; they are one bisection, as of six switches with one cable each.
    let alike = fat_tree(&[(6, 6), (2, 0)], FatTreeRouting::DestinationMod);
    assert_eq!(machine.bisection(), alike.bisection());
    assert_eq!(machine.route_lengths(), alike.route_lengths());
}

/// In a tree with as many cables up as down everywhere each link down carries the messages of one destination, or each link up those of one
/// source.
#[test]
fn parallel_cables_are_spread_over() {
    for ports in
        [&[(6, 2, 3), (6, 0, 1)][..], &[(4, 2, 2), (2, 2, 2), (4, 0, 1)], &[(8, 4, 2), (4, 4, 2), (3, 0, 1)]]
    {
        for routing in ROUTINGS {
            let machine = extended_fat_tree(ports, routing);
            check_laws(&machine);
            check_pairs(&machine);
            let mut decided = vec![BTreeSet::new(); machine.links()];
            for (from, to) in pairs(&machine) {
                for id in route(&machine, from, to) {
                    decided[id.index()].insert(if routing == ROUTINGS[0] { to } else { from });
                }
            }
            let (tree, leaf) = (machine.nodes(), |id: usize| machine.link(LinkId::new(id)));
            for (id, nodes) in decided.iter().enumerate().skip(tree) {
                let End::Router(from) = leaf(id).from else { continue };
                let leads_up = matches!(leaf(id).to, End::Router(to) if to > from);
                assert!(
                    leads_up == (routing == ROUTINGS[0]) || nodes.len() <= 1,
                    "{}",
                    machine.link_name(LinkId::new(id))
                );
            }
        }
    }
}

#[test]
fn all_mistakes_are_named() {
    let (down, up) = (4, 2);
    let stages = [Switches { down, up }, Switches { down, up: 0 }];
    let none = FatTree::with_parallel_cables(&stages, &[0], &[cable(0)], ROUTINGS[0], cable(9));
    check_refused(none, "stages", &["has no cables at the ports up in stage 1, counted from 1"]);
    let many = FatTree::with_parallel_cables(&stages, &[u32::MAX], &[cable(0)], ROUTINGS[0], cable(9));
    assert_eq!(refused(many, "stages").len(), 1);
    let full = |radix| Switches::full(radix, 3);
    let check = |radix, expected: &[&str]| check_refused(full(radix), "radix", expected);
    check(0, &["is 0"]);
    check(1, &["is 1, which is odd"]);
    check(
        1423,
        &[
            "is 1423, which is odd",
            "gives 718850862 nodes and 4313105172 links, more than the 4294967295 that can be numbered",
        ],
    );
    assert!(full(1420).is_ok() && full(1422).is_err() && full(u32::MAX).is_err());
}

fn counts(stages: &[Switches]) -> (usize, usize, usize) {
    let machine = of(stages, FatTreeRouting::DestinationMod);
    (machine.nodes(), machine.routers(), machine.cables())
}

/// Links up that leave one stage.
fn cables_above(machine: &Topology, stage: usize) -> usize {
    let links = (0..machine.links()).map(|id| machine.link(LinkId::new(id)));
    links.filter(|link| link.capacity.bytes_per_second() == (stage + 1) as f64).count() / 2
}

/// S full stages of 2p ports: 2 p^S nodes, 2 p^(S-1) switches in each stage but p^(S-1) at the top, S cables per node.
#[test]
fn full_trees_of_any_number_of_stages() {
    for (p, stages) in [(4, 1), (3, 2), (4, 3), (2, 4), (1, 5), (2, 6)] {
        let nodes = 2 * (p as usize).pow(stages);
        let switches = nodes / p as usize;
        let expected = (nodes, (stages as usize - 1) * switches + switches / 2, stages as usize * nodes);
        assert_eq!(counts(&Switches::full(2 * p, stages).unwrap()), expected, "p = {p}, {stages} stages");
    }
}

/// Radices 8, 8, 16: 4 * 4 * 16 nodes, 4 * 4 top switches, full bisection.
#[test]
fn a_radix_per_stage() {
    let stages = Switches::of_radices(&[8, 8, 16]).unwrap();
    assert_eq!(stages.iter().map(|s| (s.down, s.up)).collect::<Vec<_>>(), [(4, 4), (4, 4), (16, 0)]);
    assert_eq!(counts(&stages), (256, 64 + 64 + 16, 3 * 256));
    assert_eq!(Switches::of_radices(&[7]).unwrap(), [Switches { down: 7, up: 0 }]);
    let switches = ["7 ports, which is odd, in stage 2", "no ports, in stage 3"];
    let expected = switches.map(|switches| format!("has switches with {switches}, counted from 1"));
    check_refused(Switches::of_radices(&[8, 7, 0]), "stages", &expected.each_ref().map(String::as_str));
}

/// As in Roadrunner: half as many cables up as down at the leaves, so that everything above is half of the full tree. All links up
/// carry the same number of routes of an all-to-all: above the leaves 124 of 128 destinations are elsewhere, for 4 sources, over 2
/// cables; above the pods 112 for 16, over 8.
#[test]
fn half_bisection() {
    let mut stages = Switches::full(8, 3).unwrap();
    Switches::taper(&mut stages, &[0.5]).unwrap();
    let machine = of(&stages, FatTreeRouting::DestinationMod);
    assert_eq!((machine.nodes(), machine.routers()), (128, 32 + 16 + 8));
    assert_eq!([0, 1].map(|stage| cables_above(&machine, stage)), [64, 64]);
    let mut load = vec![0_u32; machine.links()];
    for (from, to) in pairs(&machine) {
        route(&machine, from, to).iter().for_each(|id| load[id.index()] += 1);
    }
    assert_eq!(load[128..256], [[124 * 4 / 2; 64], [112 * 16 / 8; 64]].concat());
    Switches::taper(&mut stages, &[0.25, 0.75]).unwrap();
    assert_eq!(stages.iter().map(|s| s.up).collect::<Vec<_>>(), [1, 3, 0]);
}

#[test]
fn a_taper_gives_whole_cables() {
    let possible = [(0.6, "2.4", "0.5 (2 of 4) and 0.75 (3 of 4)"), (0.1, "0.4", "0.25 (1 of 4)")];
    for (taper, up, possible) in possible {
        let made = Switches::taper(&mut Switches::full(8, 3).unwrap(), &[taper]);
        let what = format!("of {taper} gives {up} cables up for 4 down, in stage 1, counted from 1");
        let hint = format!("the nearest possible are {possible}");
        assert_eq!(refused(made, "taper"), [(what, hint)]);
    }
}

#[test]
fn trees_that_cannot_be() {
    let check = |stages: &[(u32, u32)], expected: &[&str]| {
        let stages: Vec<_> = stages.iter().map(|&(down, up)| Switches { down, up }).collect();
        check_refused(switches::check(&stages, &[]), "stages", expected);
    };
    check(&[], &["has no stage"]);
    check(&[(0, 2), (4, 0)], &["has no ports down in stage 1, counted from 1"]);
    check(&[(4, 0), (4, 0)], &["has no ports up in stage 1, counted from 1"]);
    check(&[(4, 4)], &["has ports up in stage 1, the top one"]);
    check(
        &[(1000, 1000), (1000, 1000), (1000, 0)],
        &["gives 1000000000 nodes and 6000000000 links, more than the 4294967295 that can be numbered"],
    );
    let last = Switches::full(4, 40).unwrap_err().pop().unwrap();
    assert_eq!((last.key, last.what.as_str()), ("stages", "is 40"));
    assert!(Switches::full(4, 0).is_err());
    let hint = &refused(Switches::full(1000, 4), "radix")[0].1;
    assert_eq!(hint, "the largest possible radix is 254");
}

/// Four stages of 4 ports, 32 nodes: from node 1 to node 30 = 11110b by the bits of 30 from below: 0, 1, 1. Three
/// stages up to top 011b, and down.
#[test]
fn routes_of_four_stages() {
    let machine = of(&Switches::full(4, 4).unwrap(), FatTreeRouting::DestinationMod);
    assert_eq!(
        names(&machine, 1, 30),
        [
            "node 1 -> leaf 0",
            "leaf 0 -> stage-2 0",
            "stage-2 0 -> stage-3 1",
            "stage-3 1 -> top 3",
            "top 3 -> stage-3 13",
            "stage-3 13 -> stage-2 14",
            "stage-2 14 -> leaf 15",
            "leaf 15 -> node 30"
        ]
    );
    assert_eq!(
        names(&of(&[Switches { down: 3, up: 0 }], FatTreeRouting::SourceMod), 0, 2),
        ["node 0 -> leaf 0", "leaf 0 -> node 2"]
    );
}

/// Paper 000, section 4: in every full tree, at every step of the regular all-to-all no link has more than one route.
#[test]
fn the_regular_all_to_all_meets_no_contention_in_full_trees() {
    let trees = [
        Switches::full(4, 4).unwrap(),
        Switches::full(6, 2).unwrap(),
        Switches::full(6, 3).unwrap(),
        Switches::of_radices(&[4, 6, 8]).unwrap(),
    ];
    for (stages, routing) in trees.iter().flat_map(|t| ROUTINGS.map(|r| (t, r))) {
        let machine = of(stages, routing);
        let nodes = machine.nodes() as u32;
        for step in 1..nodes {
            let mut load = vec![0_u32; machine.links()];
            for source in 0..nodes {
                route(&machine, source, (source + step) % nodes).iter().for_each(|id| load[id.index()] += 1);
            }
            assert!(load.iter().all(|&load| load <= 1), "{stages:?}, {routing:?}, step {step}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn laws_hold(ports in proptest::collection::vec((1_u32..=4, 1_u32..=3), 1..=4)) {
        let mut stages: Vec<_> = ports.iter().map(|&(down, up)| Switches { down, up }).collect();
        stages.last_mut().unwrap().up = 0;
        for routing in ROUTINGS {
            check_laws(&of(&stages, routing));
        }
    }
}
