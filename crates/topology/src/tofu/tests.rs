use super::*;
use crate::Topology;
use crate::harness::{self, cable, check_laws, names, refused, route};
use weir_units::NodeId;

fn tofu(groups: [u32; 3]) -> Topology {
    harness::tofu(groups, WRAPS, Tie::Plus)
}

/// With N nodes 2 N links of nodes; along x, y, z (of two routers or more) and b 2 N each; along a and c N each, one out
/// of each router. The K computer has 24 x 18 x 17 groups, those that do input and output included.
#[test]
fn counts_equal_the_formulas() {
    let check = |groups, nodes: usize, links: usize| {
        let machine = tofu(groups);
        assert_eq!((machine.nodes(), machine.routers(), machine.links()), (nodes, nodes, links));
    };
    check([1, 1, 1], 12, 12 * (2 + 2 + 2));
    check([2, 1, 3], 72, 72 * (2 + 2 + 2 + 4));
    check([3, 4, 2], 288, 288 * (2 + 10));
    check([24, 18, 17], 88_128, 88_128 * (2 + 10));
}

/// (2,1,1,1,2,0) is node 2 + 3 (1 + 3 (1 + 2 (1 + 2 (2 + 3 x 0)))) = 104: back over the wrap of x, one hop along y, z and a,
/// back over the wrap of b.
#[test]
fn routes_pass_x_y_z_a_b_c() {
    let machine = tofu([3, 3, 2]);
    assert_eq!(machine.address(NodeId(104)), "(2,1,1,1,2,0)");
    let expected = [
        "node 0 -> router (0,0,0,0,0,0)",
        "router (0,0,0,0,0,0) -> router (2,0,0,0,0,0)",
        "router (2,0,0,0,0,0) -> router (2,1,0,0,0,0)",
        "router (2,1,0,0,0,0) -> router (2,1,1,0,0,0)",
        "router (2,1,1,0,0,0) -> router (2,1,1,1,0,0)",
        "router (2,1,1,1,0,0) -> router (2,1,1,1,2,0)",
        "router (2,1,1,1,2,0) -> node 104",
    ];
    assert_eq!(names(&machine, 0, 104), expected);
    let latencies: Vec<_> =
        route(&machine, 104, 0).into_iter().map(|id| machine.link(id).latency.as_ps() / 1000).collect();
    assert_eq!(latencies, [10, 1, 2, 3, 4, 5, 10], "of cables 9, 0, 1, 2, 3, 4, 9");
    let form = "a node from 0 to 215 or its coordinates from (0,0,0,0,0,0) to (2,2,1,1,2,1)";
    assert_eq!(machine.address_form(), form);
    check_laws(&machine);
}

/// 4 x 1 x 1 groups of 12: half of x are 2 x 12 cables of 1 B/s. Of the lines a and c, 24 cables of 4 and of 6 B/s.
#[test]
fn cuts_are_named_by_their_dimension() {
    let machine = tofu([4, 1, 1]);
    let cuts: Vec<_> = machine.cuts().into_iter().map(|cut| (cut.one_way(), cut.name)).collect();
    let expected = [
        (24.0, "between x = 1 and x = 2, and the wrap"),
        (24.0, "between x = 0 and x = 1, and between x = 2 and x = 3"),
        (4.0 * 24.0, "between a = 0 and a = 1"),
        (5.0 * 32.0, "between b = 0 and b = 1, and the wrap"),
        (5.0 * 32.0, "between b = 0 and b = 1, and between b = 1 and b = 2"),
        (5.0 * 32.0, "between b = 1 and b = 2, and the wrap"),
        (6.0 * 24.0, "between c = 0 and c = 1"),
    ];
    assert_eq!(cuts, expected.map(|(capacity, name)| (capacity, name.to_owned())));
}

#[test]
fn other_groups_are_refused() {
    let check = |sizes: &[u32], what: &str, hint: &str| {
        assert_eq!(refused(shape(sizes), "shape"), [(what.to_owned(), hint.to_owned())]);
    };
    assert_eq!(shape(&[4, 3, 2]).unwrap(), [4, 3, 2, 2, 3, 2]);
    assert_eq!(shape(&[4, 3, 2, 2, 3, 2]).unwrap(), [4, 3, 2, 2, 3, 2]);
    let three = "write how many groups of 12 nodes are along x, y and z, for example [4, 4, 2]";
    check(&[4, 4], "has 2 sizes; a Tofu has three or six", three);
    check(
        &[4, 3, 2, 3, 2, 2],
        "has groups of 3 x 2 x 2 nodes; those of a Tofu are 2 x 3 x 2",
        "write [4, 3, 2, 2, 3, 2], or only [4, 3, 2]; for other sizes take a torus",
    );
    let dimension =
        |size| Dimension { size, wrap: Wrap::Mesh, bandwidth: cable(0).bandwidth, latency: cable(0).latency };
    assert!(machine([4, 3, 2, 2, 2, 2].map(dimension), Tie::Plus, cable(9)).is_err());
    assert!(machine([4, 0, 2, 2, 3, 2].map(dimension), Tie::Plus, cable(9)).is_err());
}

/// Two classes of links of nodes, two along each of x, y, z and b, and one along a and c.
#[test]
fn a_tofu_looks_the_same_from_all_nodes() {
    let machine = tofu([3, 4, 2]);
    assert_eq!(machine.translations(), Some(vec![3, 4, 2, 2, 3, 2]));
    assert_eq!(machine.link_classes(), 2 + 8 + 2);
    assert_eq!(harness::tofu([3, 4, 2], WRAPS, Tie::Parity).translations(), None);
    assert!(harness::tofu([3, 5, 1], WRAPS, Tie::Parity).translations().is_some());
    assert_eq!(harness::tofu([3, 4, 2], [Wrap::Mesh; 6], Tie::Plus).translations(), None);
}
