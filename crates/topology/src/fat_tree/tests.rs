use super::*;
use crate::Topology;
use crate::harness::{check_laws, check_pairs, check_refused, names, pairs, route};
use proptest::prelude::*;
use weir_units::{Bandwidth, Duration};

const ROUTINGS: [FatTreeRouting; 2] = [FatTreeRouting::DestinationMod, FatTreeRouting::SourceMod];

/// Capacity and latency distinguish the cables: 1 at the nodes, 2 below and 3 above the middle switches.
fn build(radix: u32, routing: FatTreeRouting) -> Result<FatTree, Vec<Mistake>> {
    let cable = |i: u32| (Bandwidth::new(f64::from(i)).unwrap(), Duration::from_ns(u64::from(i)));
    let stages = [2, 3].map(|i| Stage { bandwidth: cable(i).0, latency: cable(i).1 });
    FatTree::new(
        &Switches::full(radix, 3)?,
        &stages,
        routing,
        NodeLink { bandwidth: cable(1).0, latency: cable(1).1 },
    )
}

fn tree(p: u32, routing: FatTreeRouting) -> Topology {
    Topology::FatTree(build(2 * p, routing).unwrap())
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

/// p = 2: node v = 4 P + 2 l + h. From node 1 (P=0 l=0 h=1) to node 14 (P=3 l=1 h=0). By destination: m = 0, u = 1,
/// so leaf 0, middle 0 of pod 0, top 0*2+1 = 1, middle 0 of pod 3 = 6, leaf 7. By source: m = 1, u = 0, so middle 1,
/// top 1*2+0 = 2, middle 1 of pod 3 = 7, leaf 7.
#[test]
fn routes_by_hand() {
    assert_eq!(
        names(&tree(2, FatTreeRouting::DestinationMod), 1, 14),
        [
            "node 1 -> leaf 0",
            "leaf 0 -> middle 0",
            "middle 0 -> top 1",
            "top 1 -> middle 6",
            "middle 6 -> leaf 7",
            "leaf 7 -> node 14"
        ]
    );
    assert_eq!(
        names(&tree(2, FatTreeRouting::SourceMod), 1, 14),
        [
            "node 1 -> leaf 0",
            "leaf 0 -> middle 1",
            "middle 1 -> top 2",
            "top 2 -> middle 7",
            "middle 7 -> leaf 7",
            "leaf 7 -> node 14"
        ]
    );
    let destination = tree(2, FatTreeRouting::DestinationMod);
    assert_eq!(
        names(&destination, 1, 2),
        ["node 1 -> leaf 0", "leaf 0 -> middle 0", "middle 0 -> leaf 1", "leaf 1 -> node 2"]
    );
    assert_eq!(names(&destination, 1, 0), ["node 1 -> leaf 0", "leaf 0 -> node 0"]);
    assert!(names(&destination, 1, 1).is_empty());
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
            let up_and_down = [1.0, 2.0, 3.0, 3.0, 2.0, 1.0];
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

#[test]
fn addresses_are_numbers() {
    let machine = tree(2, FatTreeRouting::DestinationMod);
    assert_eq!(machine.address(NodeId(5)), "5");
    assert_eq!(machine.parse_address(" 15 "), Some(NodeId(15)));
    for text in ["16", "(5)", "1,2", "", "-1"] {
        assert_eq!(machine.parse_address(text), None, "{text}");
    }
}

#[test]
fn all_mistakes_are_named() {
    let built = |radix| build(radix, FatTreeRouting::DestinationMod);
    let check = |radix, expected: &[&str]| check_refused(built(radix), "radix", expected);
    check(0, &["is 0"]);
    check(1, &["is 1, which is odd"]);
    check(
        1423,
        &[
            "is 1423, which is odd",
            "gives 718850862 nodes and 4313105172 links, more than the 4294967295 that can be numbered",
        ],
    );
    assert!(built(1420).is_ok() && built(1422).is_err() && built(u32::MAX).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn long_routes_are_walks_in_large_trees(p in 4_u32..=100, a: u32, b: u32) {
        for routing in ROUTINGS {
            let machine = tree(p, routing);
            let nodes = machine.nodes() as u32;
            let links: Vec<_> = route(&machine, a % nodes, b % nodes).into_iter().map(|id| machine.link(id)).collect();
            prop_assert!(links.windows(2).all(|pair| pair[0].to == pair[1].from));
        }
    }
}
