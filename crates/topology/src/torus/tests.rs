use super::*;
use crate::Topology;
use crate::harness::{cable, check_laws, check_pairs, check_refused, grid, names, pairs, route};
use proptest::prelude::*;

fn torus(shape: &[u32], tie: Tie) -> Topology {
    grid(&shape.iter().map(|&size| (size, true)).collect::<Vec<_>>(), tie)
}

fn mesh(shape: &[u32]) -> Topology {
    grid(&shape.iter().map(|&size| (size, false)).collect::<Vec<_>>(), Tie::Plus)
}

#[test]
fn counts_equal_the_formulas() {
    let check = |machine: Topology, nodes, links| {
        let counts = (machine.nodes(), machine.routers(), machine.links(), machine.cables());
        assert_eq!(counts, (nodes, nodes, links, links / 2));
    };
    // Torus of N nodes and D dimensions larger than 1: 2 N + 2 D N links. Mesh X x Y: 2 N + 2 Y + 2 X (Y-1).
    check(torus(&[1], Tie::Plus), 1, 2);
    check(torus(&[4], Tie::Plus), 4, 16);
    check(torus(&[2, 2], Tie::Plus), 4, 24);
    check(torus(&[16, 16], Tie::Plus), 256, 1536);
    check(torus(&[4, 1, 3], Tie::Plus), 12, 72);
    check(torus(&[40, 32, 128], Tie::Plus), 163_840, 163_840 * 8);
    check(mesh(&[4]), 4, 8 + 6);
    check(mesh(&[4, 3]), 12, 24 + 18 + 16);
    check(mesh(&[1, 1]), 1, 2);
}

/// On 4 x 3: from (3,0) to (0,2) x goes on round the end, then y goes back round the end.
#[test]
fn routes_are_in_dimension_order_the_shorter_way() {
    assert_eq!(
        names(&torus(&[4, 3], Tie::Plus), 3, 8),
        [
            "node 3 -> router (3,0)",
            "router (3,0) -> router (0,0)",
            "router (0,0) -> router (0,2)",
            "router (0,2) -> node 8",
        ]
    );
    assert_eq!(
        names(&mesh(&[4, 3]), 3, 8),
        [
            "node 3 -> router (3,0)",
            "router (3,0) -> router (2,0)",
            "router (2,0) -> router (1,0)",
            "router (1,0) -> router (0,0)",
            "router (0,0) -> router (0,1)",
            "router (0,1) -> router (0,2)",
            "router (0,2) -> node 8",
        ]
    );
    assert!(names(&torus(&[4, 3], Tie::Plus), 5, 5).is_empty());
}

/// In a ring of four the opposite router is two hops off either way; the first hop shows which way was taken.
#[test]
fn ties_go_the_way_of_the_rule() {
    let check = |tie, from: u32, first_hop: u32| {
        let expected = format!("router ({from}) -> router ({first_hop})");
        assert_eq!(names(&torus(&[4], tie), from, (from + 2) % 4)[1], expected, "{tie:?}");
    };
    for from in 0..4 {
        check(Tie::Spread, from, (from + 1) % 4);
        check(Tie::Plus, from, (from + 1) % 4);
    }
    for (from, first_hop) in [(0, 1), (1, 2), (2, 1), (3, 2)] {
        check(Tie::Direct, from, first_hop);
    }
    for (from, first_hop) in [(0, 1), (1, 0), (2, 3), (3, 2)] {
        check(Tie::Parity, from, first_hop);
    }
}

/// A ring of two has two cables: its four links are 4 and 5 (positive way), 6 and 7 (negative way), behind the two
/// injection and two ejection links. Every way is a tie. Both cables are used by default: there is one step from node to node, so
/// the first interface of a node takes the positive way, and the second one the other.
#[test]
fn a_ring_of_two_has_two_cables() {
    let check = |tie, interface: u32, expected: [u32; 2]| {
        let machine = torus(&[2], tie);
        assert_eq!(machine.cables(), 4);
        let mut route = Vec::new();
        for (from, link) in (0..).zip(expected) {
            assert!(machine.find_route_by(NodeId(from), interface, NodeId(1 - from), &mut route));
            assert_eq!(route[1], LinkId(link), "{tie:?}, interface {interface} of node {from}");
        }
    };
    for interface in 0..3 {
        check(Tie::Spread, interface, if interface == 1 { [6, 7] } else { [4, 5] });
        check(Tie::Plus, interface, [4, 5]);
        check(Tie::Direct, interface, [4, 7]);
        check(Tie::Parity, interface, [4, 7]);
    }
    let beside = |tie| {
        let Topology::Torus(torus) = torus(&[2], tie) else { unreachable!() };
        [0, 4, 5, 6, 7].map(|link| torus.beside(LinkId(link)))
    };
    assert_eq!(beside(Tie::Plus), [None; 5]);
    assert_eq!(beside(Tie::Spread), [None, Some(6), Some(7), Some(4), Some(5)].map(|link| link.map(LinkId)));
    let machine = torus(&[2], Tie::Plus);
    let names = [4, 5, 6].map(|id| machine.link_name(LinkId(id)));
    let around = ["router (1) -> router (0) (wrap)", "router (0) -> router (1) (wrap)"];
    assert_eq!(names, ["router (0) -> router (1)", around[0], around[1]]);
}

/// Mesh of 3 x 2: injection 0..6, ejection 6..12, then x forwards from (0,0), (1,0), (0,1), (1,1), x backwards from
/// (1,0), (2,0), (1,1), (2,1), y forwards from the three routers of the first row and backwards from the others.
#[test]
fn links_are_numbered_without_gaps() {
    let machine = mesh(&[3, 2]);
    let from = [0, 1, 3, 4, 1, 2, 4, 5, 0, 1, 2, 3, 4, 5];
    let to = [1, 2, 4, 5, 0, 1, 3, 4, 3, 4, 5, 0, 1, 2];
    assert_eq!(machine.links(), 12 + from.len());
    for (id, (from, to)) in (12..).zip(from.into_iter().zip(to)) {
        let link = machine.link(LinkId(id));
        let expected = (End::Router(RouterId(from)), End::Router(RouterId(to)));
        assert_eq!((link.from, link.to), expected, "link {id}");
    }
    let node_link = |id| {
        let Link { from, to, capacity, latency } = machine.link(LinkId(id));
        (from, to, capacity.bytes_per_second(), latency)
    };
    let (node, router) = (End::Node(NodeId(5)), End::Router(RouterId(5)));
    assert_eq!(node_link(5), (node, router, 10.0, Duration::from_ns(10)));
    assert_eq!(node_link(11), (router, node, 10.0, Duration::from_ns(10)));
    let y = machine.link(LinkId(20));
    assert_eq!((y.capacity.bytes_per_second(), y.latency), (2.0, Duration::from_ns(2)));
}

#[test]
fn addresses_have_x_first() {
    let machine = torus(&[4, 3, 2], Tie::Plus);
    assert_eq!(machine.address(NodeId(23)), "(3,2,1)");
    assert_eq!(machine.address(NodeId(3 + 4 * (3 - 1))), "(3,2,0)");
    for text in ["23", " 23 ", "(3,2,1)", "3,2,1", "( 3, 2 ,1 )"] {
        assert_eq!(machine.parse_address(text), Some(NodeId(23)), "{text}");
    }
    for text in
        ["", "24", "-1", "+1", "(4,0,0)", "(3,2)", "(3,2,1", "3,2,1)", "(3,2,1,0)", "x", "1.0", "(,,)"]
    {
        assert_eq!(machine.parse_address(text), None, "{text}");
    }
}

#[test]
fn all_mistakes_are_named() {
    let build = |shape: &[u32]| {
        let NodeLink { bandwidth, latency } = cable(0);
        let dimension = |&size: &u32| Dimension { size, wrap: Wrap::Torus, bandwidth, latency };
        Torus::new(shape.iter().map(dimension).collect(), Tie::Plus, cable(9))
    };
    let check = |shape: &[u32], expected: &[&str]| check_refused(build(shape), "shape", expected);
    check(&[], &["has no dimension"]);
    let none = |i: u32| format!("has no routers in dimension {i}, counted from 0");
    check(&[0, 4, 0], &[&none(0), &none(2)]);
    let many = "gives 1073741824 nodes and 6442450944 links, more than the 4294967295 that can be numbered";
    check(&[32_768, 32_768], &[many]);
    assert!(build(&[u32::MAX; 9]).is_err());
}

fn any_shape() -> impl Strategy<Value = Vec<(u32, bool)>> {
    prop::collection::vec((1_u32..=5, any::<bool>()), 1..=4)
}

fn any_tie() -> impl Strategy<Value = Tie> {
    prop_oneof![Just(Tie::Spread), Just(Tie::Plus), Just(Tie::Direct), Just(Tie::Parity)]
}

/// Hops between routers: the distance in each dimension, the shorter way round where it is a ring.
fn distance(shape: &[(u32, bool)], mut from: u32, mut to: u32) -> u32 {
    let mut hops = 0;
    for &(size, wraps) in shape {
        let apart = (from % size).abs_diff(to % size);
        hops += if wraps { apart.min(size - apart) } else { apart };
        (from, to) = (from / size, to / size);
    }
    hops
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn routes_are_shortest_walks_in_dimension_order(shape in any_shape(), tie in any_tie()) {
        let machine = grid(&shape, tie);
        check_laws(&machine);
        check_pairs(&machine);
        for (from, to) in pairs(&machine).filter(|(from, to)| from != to) {
            let links: Vec<_> = route(&machine, from, to).into_iter().map(|id| machine.link(id)).collect();
            prop_assert_eq!(links.len() as u32, distance(&shape, from, to) + 2);
            // Link numbers between routers grow by dimension, so dimension order shows in the capacities.
            let between = &links[1..links.len() - 1];
            prop_assert!(between.windows(2).all(|pair| pair[0].capacity <= pair[1].capacity));
        }
    }

    /// Where another dimension has an even number of routers, both cables of a ring of two carry the same if each node sends to each
    /// other one, whether the ring is the first dimension or the last; where all others have an odd one, nearly the same.
    #[test]
    fn rings_of_two_use_both_cables(shape in any_shape(), at in 0_usize..4) {
        let mut shape = shape;
        shape.insert(at.min(shape.len()), (2, true));
        let machine = grid(&shape, Tie::Spread);
        let Topology::Torus(torus) = &machine else { unreachable!() };
        let mut loads = vec![0_u32; machine.links()];
        let nodes = machine.nodes() as u32;
        for (from, to) in pairs(&machine) {
            route(&machine, from, to).iter().for_each(|link| loads[link.index()] += 1);
        }
        for (id, load) in loads.iter().enumerate() {
            let Some(other) = torus.beside(LinkId::new(id)) else { continue };
            let sum = load + loads[other.index()];
            prop_assert_eq!(sum, nodes / 2, "all that goes from one half to the other at this place");
            let even = shape.iter().filter(|(size, _)| size % 2 == 0).count() > 1;
            // The displacements of a dimension of an odd size are even once more than odd.
            let most = if even { 0 } else { sum / shape.iter().map(|&(size, _)| size).product::<u32>().max(1) + 1 };
            prop_assert!(load.abs_diff(loads[other.index()]) <= most.max(u32::from(!even)), "{load} of {sum}");
        }
    }
}
