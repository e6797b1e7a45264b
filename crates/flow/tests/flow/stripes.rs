//! Messages that several interfaces of a node send, by hand unless a test says otherwise: times in seconds.

use crate::by_hand::check_all;
use crate::common::{RULES, UNIT, bandwidth, in_order, torus_of};
use crate::laws::{case, script};
use proptest::prelude::*;
use std::sync::Arc;
use weir_flow::{Flow, NodeModel};
use weir_network::{Outcome, RunContext, Striping};
use weir_topology::{NodeLink, Tie, Topology, Torus, Wrap};
use weir_units::{Bandwidth, Bytes, Duration, Rank};
use weir_workload::Queue;

/// Nodes of so many interfaces, over all of which messages from so many bytes on are striped.
fn striped(interfaces: u32, from: u64) -> NodeModel {
    let striping = Striping { over: interfaces, from: Bytes(from) };
    NodeModel { interfaces, striping, ..in_order() }
}

/// A line of three nodes with interfaces of 1 B/s and links of 4 B/s.
fn wide() -> Topology {
    let Topology::Torus(torus) = torus_of(4.0, &[3], Wrap::Mesh, Duration::ZERO) else {
        unreachable!("it is a torus")
    };
    let link = NodeLink { bandwidth: bandwidth(1.0), latency: Duration::ZERO };
    Topology::Torus(Torus::new(torus.dimensions().collect(), Tie::Spread, link).expect("a torus"))
}

/// Two interfaces of 1 B/s and a link of 4 B/s: 8 B take 4 s striped over both, instead of 8; with no more than 1 B/s for both together, on
/// either side, 8 again. 9 B have parts of 5 and 4, and are there at 5. Messages shorter than the limit go through one.
#[test]
fn a_message_leaves_by_both_interfaces() {
    let limited = |injection: Option<f64>, ejection: Option<f64>| {
        let [injection_limit, ejection_limit] =
            [injection, ejection].map(|limit| limit.and_then(Bandwidth::new));
        NodeModel { injection_limit, ejection_limit, ..striped(2, 0) }
    };
    for (node, bytes, at) in [
        (NodeModel { interfaces: 2, ..NodeModel::default() }, 8, 8.0),
        (striped(2, 0), 8, 4.0),
        (striped(2, 8), 8, 4.0),
        (striped(2, 9), 8, 8.0),
        (striped(2, 0), 9, 5.0),
        (striped(2, 0), 1, 1.0),
        (striped(4, 0), 8, 2.0),
        (limited(Some(1.0), None), 8, 8.0),
        (limited(None, Some(1.0)), 8, 8.0),
    ] {
        let expected: [(usize, &[_]); 2] = [(0, &[(at, "departed 0")]), (1, &[(at, "arrived 0 of 0")])];
        check_all((&wide(), &[0, 1, 2]), node, &[&[(0, 1, bytes)], &[], &[]], &expected);
    }
}

/// Parts have their turn at each interface: 3 B (2 and 1), 1 B through the next one in turn, the first, and 2 B on both, behind those. The
/// second interface is free at 1, and sends its byte of the last message until 2, the first one sends 2 + 1 + 1. So they have left at 2, 3
/// and 4. Messages of the pair keep their order.
#[test]
fn parts_wait_for_their_turn() {
    let departed = [(2.0, "departed 0"), (3.0, "departed 1"), (4.0, "departed 2")];
    let arrived = [(2.0, "arrived 0 of 0"), (3.0, "arrived 1 of 0"), (4.0, "arrived 2 of 0")];
    let sends: [&[(u64, u32, u64)]; 3] = [&[(0, 1, 3), (0, 1, 1), (0, 1, 2)], &[], &[]];
    check_all((&wide(), &[0, 1, 2]), striped(2, 2), &sends, &[(0, &departed), (1, &arrived)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Every message arrives, its bytes have passed each link of its route and no other, and no run is faster than its links. Of two
    /// cables between two routers of a torus interfaces take one or the other: they count as one.
    #[test]
    fn striped_bytes_are_conserved(
        (machine, placement, sends) in case(),
        interfaces in 2..5_u32,
        from in 0..4_u64,
    ) {
        let mut expected = vec![0.0; machine.links()];
        let (mut route, mut messages) = (Vec::new(), 0);
        for (rank, list) in sends.iter().enumerate() {
            for &(to, bytes, _) in list {
                messages += 1;
                machine.route(placement.node(Rank::new(rank)), placement.node(Rank::new(to)), &mut route);
                route.iter().for_each(|link| expected[link.index()] += bytes as f64);
            }
        }
        for sharing in RULES {
            let mut programs = Queue::all(Arc::new(script(&sends)));
            let (flow, context) = (Flow { sharing, ..Flow::default() }, RunContext::new(&placement));
            let run = flow.run(&machine, &[], &mut programs, &striped(interfaces, from), context);
            prop_assert_eq!(&run.ended.outcome, &Outcome::Finished);
            prop_assert_eq!(run.ended.traffic.messages, messages);
            prop_assert_eq!(together(&machine, &run.link_bytes), together(&machine, &expected));
            let between = (0..machine.links()).filter(|&link| {
                let link = machine.link(weir_units::LinkId::new(link));
                !matches!((link.from, link.to), (weir_topology::End::Node(_), _) | (_, weir_topology::End::Node(_)))
            });
            let both = together(&machine, &expected);
            let alone = |&link: &usize| beside(&machine, link).is_none();
            let busiest = between.map(|link| if alone(&link) { both[link] } else { both[link] / 2.0 }).fold(0.0, f64::max);
            prop_assert!(run.ended.at.as_ps() as f64 >= busiest * UNIT as f64 * (1.0 - 1e-9), "faster than its links");
        }
    }
}

/// The other one of two links from a router of a torus to the same other one.
fn beside(machine: &Topology, link: usize) -> Option<usize> {
    let Topology::Torus(torus) = machine else { return None };
    torus.beside(weir_units::LinkId::new(link)).map(weir_units::LinkId::index)
}

/// What links have, those of two such links together.
fn together(machine: &Topology, links: &[f64]) -> Vec<f64> {
    let both = |(link, bytes): (usize, &f64)| bytes + beside(machine, link).map_or(0.0, |other| links[other]);
    links.iter().enumerate().map(both).collect()
}
