use super::*;
use crate::Topology;
use crate::harness::{check_laws, check_refused, names, pairs, refused, route};
use proptest::prelude::*;

/// Dimension i has bandwidth i + 1 and latency i + 1 ns.
fn build(shape: &[u32]) -> Result<Hypercrossbar, Vec<Mistake>> {
    let bandwidth = |bytes_per_second| Bandwidth::new(bytes_per_second).unwrap();
    let dimension = |(i, &size): (usize, &u32)| CrossbarDimension {
        size,
        bandwidth: bandwidth(i as f64 + 1.0),
        latency: Duration::from_ns(i as u64 + 1),
    };
    let node_link = NodeLink { bandwidth: bandwidth(8.0), latency: Duration::from_ns(9) };
    Hypercrossbar::new(shape.iter().enumerate().map(dimension).collect(), node_link)
}

fn machine(shape: &[u32]) -> Topology {
    Topology::Hypercrossbar(build(shape).unwrap())
}

/// X Y nodes; X Y exchangers, Y crossbars along x and X along y; 2 links per node and, in each dimension, per
/// exchanger.
#[test]
fn counts_equal_the_formulas() {
    let check = |shape: &[u32], nodes, routers, links| {
        let machine = machine(shape);
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
        names(&machine(&[4, 3]), 3, 8),
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
        names(&machine(&[2, 1, 2]), 1, 3),
        [
            "node 1 -> router (1,0,0)",
            "router (1,0,0) -> crossbar (1,0,*)",
            "crossbar (1,0,*) -> router (1,0,1)",
            "router (1,0,1) -> node 3",
        ]
    );
}

#[test]
fn links_have_what_their_dimension_has() {
    let machine = machine(&[4, 3]);
    let capacities: Vec<_> =
        route(&machine, 3, 8).iter().map(|&id| machine.link(id).capacity.bytes_per_second()).collect();
    assert_eq!(capacities, [8.0, 1.0, 1.0, 2.0, 2.0, 8.0]);
    assert_eq!(machine.link(LinkId(12 * 4)).latency, Duration::from_ns(2));
}

/// A crossbar is shared at its output ports only: in a single line, shifts by any distance meet no contention.
#[test]
fn a_line_is_one_crossbar() {
    let machine = machine(&[5]);
    for step in 1..5 {
        let mut load = vec![0; machine.links()];
        (0..5).for_each(|from| {
            route(&machine, from, (from + step) % 5).iter().for_each(|id| load[id.index()] += 1)
        });
        assert!(load.iter().all(|&load| load <= 1));
    }
}

#[test]
fn all_mistakes_are_named() {
    check_refused(build(&[]), "shape", &["has no dimension"]);
    check_refused(build(&[4, 0]), "shape", &["has no routers in dimension 1, counted from 0"]);
    let (many, most) = (&refused(build(&[100_000; 2]), "shape")[0].0, "more than the 4294967295");
    assert!(many.contains(most), "{many}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn laws_hold(shape in proptest::collection::vec(1_u32..=4, 1..=3)) {
        let machine = machine(&shape);
        check_laws(&machine);
        for (from, to) in pairs(&machine).filter(|(from, to)| from != to) {
            let different = coordinates::of(shape.iter().copied(), NodeId(from))
                .zip(coordinates::of(shape.iter().copied(), NodeId(to)))
                .filter(|(a, b)| a != b);
            prop_assert_eq!(route(&machine, from, to).len(), 2 + 2 * different.count());
        }
    }
}
