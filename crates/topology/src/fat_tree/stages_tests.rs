//! Trees of other than three full stages.

use super::*;
use crate::Topology;
use crate::harness::{check_laws, check_refused, names, pairs, refused, route};
use proptest::prelude::*;
use weir_units::{Bandwidth, Duration};

/// The cables above stage i have bandwidth i + 2, those of the nodes 1.
fn build(stages: &[Switches], routing: FatTreeRouting) -> Topology {
    let cable = |i: usize| Stage {
        bandwidth: Bandwidth::new(i as f64).unwrap(),
        latency: Duration::from_ns(i as u64),
    };
    let cables: Vec<_> = (2..=stages.len()).map(cable).collect();
    let node_link = cable(1);
    Topology::FatTree(FatTree::new(stages, &cables, routing, node_link).unwrap())
}

fn counts(stages: &[Switches]) -> (usize, usize, usize) {
    let machine = build(stages, FatTreeRouting::DestinationMod);
    (machine.nodes(), machine.routers(), machine.cables())
}

/// Links up that leave one stage.
fn cables_above(machine: &Topology, stage: usize) -> usize {
    let links = (0..machine.links()).map(|id| machine.link(LinkId::new(id)));
    links.filter(|link| link.capacity.bytes_per_second() == (stage + 2) as f64).count() / 2
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

/// As in Roadrunner: half as many cables up as down at the leaves. Everything above is half of the full tree.
#[test]
fn half_bisection() {
    let mut stages = Switches::full(8, 3).unwrap();
    Switches::taper(&mut stages, &[0.5]).unwrap();
    let machine = build(&stages, FatTreeRouting::DestinationMod);
    assert_eq!((machine.nodes(), machine.routers()), (128, 32 + 16 + 8));
    assert_eq!([0, 1].map(|stage| cables_above(&machine, stage)), [64, 64]);
    check_laws(&machine);
}

#[test]
fn one_taper_per_pair_of_stages() {
    let mut stages = Switches::full(8, 4).unwrap();
    Switches::taper(&mut stages, &[1.0, 0.75, 0.5]).unwrap();
    assert_eq!(stages.iter().map(|s| s.up).collect::<Vec<_>>(), [4, 3, 2, 0]);
    let machine = build(&stages, FatTreeRouting::SourceMod);
    assert_eq!([0, 1, 2].map(|stage| cables_above(&machine, stage)), [512, 512 * 3 / 4, 512 * 3 / 8]);
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
        check_refused(switches::check(&stages), "stages", expected);
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
    let machine = build(&Switches::full(4, 4).unwrap(), FatTreeRouting::DestinationMod);
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
        names(&build(&[Switches { down: 3, up: 0 }], FatTreeRouting::SourceMod), 0, 2),
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
    for (stages, routing) in
        trees.iter().flat_map(|t| [FatTreeRouting::DestinationMod, FatTreeRouting::SourceMod].map(|r| (t, r)))
    {
        let machine = build(stages, routing);
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

/// All links up of a tapered tree carry the same number of routes of an all-to-all.
#[test]
fn a_tapered_tree_is_used_evenly() {
    let mut stages = Switches::full(8, 3).unwrap();
    Switches::taper(&mut stages, &[0.5]).unwrap();
    let machine = build(&stages, FatTreeRouting::DestinationMod);
    let mut load = vec![0_u32; machine.links()];
    pairs(&machine)
        .for_each(|(from, to)| route(&machine, from, to).iter().for_each(|id| load[id.index()] += 1));
    // Above the leaves 124 of 128 destinations are elsewhere, for 4 sources, over 2 cables; above the pods 112 for 16,
    // over 8.
    assert!(load[128..192].iter().all(|&load| load == 124 * 4 / 2));
    assert!(load[192..256].iter().all(|&load| load == 112 * 16 / 8));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn laws_hold(ports in proptest::collection::vec((1_u32..=4, 1_u32..=3), 1..=4)) {
        let mut stages: Vec<_> = ports.iter().map(|&(down, up)| Switches { down, up }).collect();
        stages.last_mut().unwrap().up = 0;
        for routing in [FatTreeRouting::DestinationMod, FatTreeRouting::SourceMod] {
            check_laws(&build(&stages, routing));
        }
    }
}
