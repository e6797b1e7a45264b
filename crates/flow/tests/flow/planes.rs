//! Nodes with several cables, by hand unless a test says otherwise: times in seconds.

use crate::by_hand::{check_all, delivered};
use crate::common::{UNIT, bandwidth};
use proptest::prelude::*;
use weir_flow::{Flow, NodeModel};
use weir_network::{Choose, Placement, Striping};
use weir_topology::{Graph, Metric, NodeLink, Topology, Vertex, VertexKind, Wire};
use weir_units::{Bytes, Duration};

/// So many nodes, each with a cable to the router of each plane; a plane's cables carry so many bytes per second.
fn planes(nodes: u32, speeds: &[f64]) -> Topology {
    let vertex = |kind, letter: &str, number| Vertex { name: format!("{letter}{number}"), kind };
    let vertices = (0..nodes).map(|number| vertex(VertexKind::Node, "n", number));
    let vertices =
        vertices.chain((0..speeds.len() as u32).map(|number| vertex(VertexKind::Router, "r", number)));
    let cables =
        (0..nodes).flat_map(|node| (nodes..).zip(speeds).map(move |(router, &speed)| (node, router, speed)));
    let wires: Vec<_> = cables
        .flat_map(|(a, b, speed)| {
            let wire = |from, to| Wire { from, to, capacity: bandwidth(speed), latency: Duration::ZERO };
            [wire(a, b), wire(b, a)]
        })
        .collect();
    let unused = NodeLink { bandwidth: bandwidth(1.0), latency: Duration::ZERO };
    Topology::Graph(Graph::new(vertices.collect(), &wires, Metric::Time, unused).expect("planes"))
}

fn striped(over: u32) -> NodeModel {
    NodeModel { striping: Striping { over, from: Bytes::ZERO }, ..NodeModel::default() }
}

/// Planes of 1 B/s and 2 B/s. Node 0 sends 6 B to node 1 and 6 B to node 2: in turn by the first and the second plane; to node 1 by the
/// second one, as its number says, and to node 2 by the first; or first by the plane where it is done first, at 3, and then by the other, which is
/// done at 6 as well as the first one would be. Striped, 6 B are 2 and 4, done at 2 if no other message is there.
#[test]
fn rules() {
    let machine = planes(3, &[1.0, 2.0]);
    let rule = |choose| NodeModel { choose, ..NodeModel::default() };
    let both: [&[(u64, u32, u64)]; 3] = [&[(0, 1, 6), (0, 2, 6)], &[], &[]];
    let one: [&[(u64, u32, u64)]; 3] = [&[(0, 1, 6)], &[], &[]];
    for (node, first, second) in [
        (rule(Choose::RoundRobin), 6.0, 3.0),
        (rule(Choose::ByDestination), 3.0, 6.0),
        (rule(Choose::LeastLoaded), 3.0, 6.0),
    ] {
        let expected: [(usize, &[_]); 2] =
            [(1, &[(first, "arrived 0 of 0")]), (2, &[(second, "arrived 1 of 0")])];
        check_all((&machine, &[0, 1, 2]), node, &both, &expected);
    }
    // At 10 nothing is left of the first message.
    let later: [&[(u64, u32, u64)]; 3] = [&[(0, 1, 6), (10, 1, 6)], &[], &[]];
    let arrived = [(3.0, "arrived 0 of 0"), (13.0, "arrived 1 of 0")];
    check_all((&machine, &[0, 1, 2]), rule(Choose::LeastLoaded), &later, &[(1, &arrived)]);
    let expected: [(usize, &[_]); 2] = [(0, &[(2.0, "departed 0")]), (1, &[(2.0, "arrived 0 of 0")])];
    check_all((&machine, &[0, 1, 2]), striped(2), &one, &expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// With striping, so many planes are as fast as one of their speed together, whoever sends to whom.
    #[test]
    fn planes_are_as_fast_as_their_sum(
        speeds in prop::collection::vec(1..4_u32, 1..5),
        nodes in 2..5_u32,
        sends in prop::collection::vec((0..5_u32, 1..5_u32, 1..4_u64), 1..6),
    ) {
        let all = speeds.iter().sum::<u32>();
        let speeds: Vec<_> = speeds.into_iter().map(f64::from).collect();
        let mut lists = vec![Vec::new(); nodes as usize];
        for (from, step, amount) in sends {
            let (from, step) = (from % nodes, 1 + step % (nodes - 1));
            lists[from as usize].push((0, (from + step) % nodes, amount * 60 * u64::from(all)));
        }
        let lists: Vec<_> = lists.iter().map(Vec::as_slice).collect();
        let placement = Placement::one_per_node(nodes as usize);
        let last = |machine: &Topology, node| {
            let events = delivered(Flow::default(), machine, &placement, node, &lists);
            events.into_iter().flatten().map(|(at, _)| at).max().unwrap_or(0)
        };
        let several = last(&planes(nodes, &speeds), striped(speeds.len() as u32));
        let one = last(&planes(nodes, &[f64::from(all)]), NodeModel::default());
        prop_assert!(several.abs_diff(one) <= UNIT / 1000, "{} and {}", several, one);
    }
}
