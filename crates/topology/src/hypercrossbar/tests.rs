use super::*;
use crate::harness::{cable, check_laws, check_refused, hypercrossbar, names, pairs, refused, route};
use proptest::prelude::*;

/// X Y nodes; X Y exchangers, Y crossbars along x and X along y; 2 links per node and, in each dimension, per
/// exchanger.
#[test]
fn counts_equal_the_formulas() {
    let check = |shape: &[u32], nodes, routers, links| {
        let machine = hypercrossbar(shape);
        assert_eq!((machine.nodes(), machine.routers(), machine.links()), (nodes, routers, links));
    };
    check(&[4], 4, 5, 16);
    check(&[4, 3], 12, 12 + 3 + 4, 12 * 6);
    check(&[4, 1, 3], 12, 12 + 3 + 4, 12 * 6);
    check(&[1], 1, 1, 2);
    // The hypercrossbar of CP-PACS: 8 x 17 x 16 nodes.
    check(&[8, 17, 16], 2176, 2176 + 17 * 16 + 8 * 16 + 8 * 17, 2176 * 8);
}

/// On 4 x 3 from (3,0) to (0,2): x by the crossbar of row 0, then y by the crossbar of column 0.
#[test]
fn routes_are_in_dimension_order() {
    assert_eq!(
        names(&hypercrossbar(&[4, 3]), 3, 8),
        [
            "node 3 -> router (3,0)",
            "router (3,0) -> crossbar (*,0)",
            "crossbar (*,0) -> router (0,0)",
            "router (0,0) -> crossbar (0,*)",
            "crossbar (0,*) -> router (0,2)",
            "router (0,2) -> node 8",
        ]
    );
    assert_eq!(
        names(&hypercrossbar(&[2, 1, 2]), 1, 3),
        [
            "node 1 -> router (1,0,0)",
            "router (1,0,0) -> crossbar (1,0,*)",
            "crossbar (1,0,*) -> router (1,0,1)",
            "router (1,0,1) -> node 3",
        ]
    );
    let machine = hypercrossbar(&[4, 3]);
    let capacities = route(&machine, 3, 8).into_iter().map(|id| machine.link(id).capacity.bytes_per_second());
    assert_eq!(capacities.collect::<Vec<_>>(), [10.0, 1.0, 1.0, 2.0, 2.0, 10.0]);
}

#[test]
fn all_mistakes_are_named() {
    let NodeLink { bandwidth, latency } = cable(0);
    let build = |shape: &[u32]| {
        let dimension = |&size: &u32| CrossbarDimension { size, bandwidth, latency };
        Hypercrossbar::new(shape.iter().map(dimension).collect(), cable(9))
    };
    check_refused(build(&[]), "shape", &["has no dimension"]);
    check_refused(build(&[4, 0]), "shape", &["has no routers in dimension 1, counted from 0"]);
    let (many, most) = (&refused(build(&[100_000; 2]), "shape")[0].0, "more than the 4294967295");
    assert!(many.contains(most), "{many}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn laws_hold(shape in proptest::collection::vec(1_u32..=4, 1..=3)) {
        let machine = hypercrossbar(&shape);
        check_laws(&machine);
        for (from, to) in pairs(&machine).filter(|(from, to)| from != to) {
            let different = coordinates::of(shape.iter().copied(), NodeId(from))
                .zip(coordinates::of(shape.iter().copied(), NodeId(to)))
                .filter(|(a, b)| a != b);
            prop_assert_eq!(route(&machine, from, to).len(), 2 + 2 * different.count());
        }
    }
}
