//! Messages within a node, and the memory that they share with what the node sends and receives. By hand unless a test says otherwise:
//! links of 1 B/s, times in seconds. A byte within a node takes two of its memory, one that goes out or comes in takes one.

use crate::by_hand::{check, check_all, delivered, each_rule, line};
use crate::common::{RULES, UNIT, bandwidth};
use crate::laws::{Sends, case, script};
use proptest::prelude::*;
use std::sync::Arc;
use weir_flow::{Flow, FlowEnded, NodeModel, Sharing};
use weir_network::{Copying, Outcome, Placement, RunContext, WithinNode};
use weir_topology::Topology;
use weir_units::{Bandwidth, Bytes, Duration, NodeId, Rank};
use weir_workload::Queue;

/// Ranks that copy so fast, of nodes with so much memory bandwidth.
fn node(copying: Option<f64>, memory: Option<f64>) -> NodeModel {
    let [bandwidth, memory_limit] = [copying, memory].map(|rate| rate.and_then(Bandwidth::new));
    let within = WithinNode { bandwidth, copying: Copying::InTurn, memory_limit, ..WithinNode::default() };
    NodeModel { within, ..NodeModel::default() }
}

/// Ranks on these nodes send; the instants at which rank `to` gets what `from` has sent it, in order.
#[track_caller]
fn check_arrivals(
    nodes: &[u32],
    node: NodeModel,
    sends: &[&[(u64, u32, u64)]],
    expected: &[(usize, &[(f64, &str)])],
) {
    let placement = Placement::new(nodes.iter().copied().map(NodeId).collect());
    for flow in each_rule() {
        let events = delivered(flow, &line(Duration::ZERO), &placement, node, sends);
        let arrivals: Vec<Vec<_>> = events
            .into_iter()
            .map(|events| events.into_iter().filter(|(_, what)| what.starts_with("arrived")).collect())
            .collect();
        expected.iter().for_each(|(rank, expected)| check(&arrivals, *rank, expected));
    }
}

/// Four ranks of a node exchange 6 B in pairs, and a rank copies 2 B/s. By themselves: 3 s. Memory of 4 B/s: four copies of 1 B/s of it
/// each, which is half a byte of a message per second: 12 s. Where only one of each pair sends: 6 s. One alone: 3 s, as fast as it copies.
#[test]
fn ranks_of_a_node_exchange_in_pairs() {
    let both: [&[(u64, u32, u64)]; 4] = [&[(0, 1, 6)], &[(0, 0, 6)], &[(0, 3, 6)], &[(0, 2, 6)]];
    let one_way: [&[(u64, u32, u64)]; 4] = [&[(0, 1, 6)], &[], &[(0, 3, 6)], &[]];
    let alone: [&[(u64, u32, u64)]; 4] = [&[(0, 1, 6)], &[], &[], &[]];
    for (sends, memory, at) in
        [(both, None, 3.0), (both, Some(4.0), 12.0), (one_way, Some(4.0), 6.0), (alone, Some(4.0), 3.0)]
    {
        check_arrivals(&[0; 4], node(Some(2.0), memory), &sends, &[(1, &[(at, "arrived 0 of 0")])]);
    }
}

/// Rank 0 sends 4 B within its node and 3 B to the next one. Memory of 2 B/s: the interface has 1 B/s of it, the copy the other, which is
/// 1/2 B/s. At 3 the 3 B have left; the other 2.5 B have all of it, 1 B/s, and are there at 5.5. Memory of 1 B/s: both have half of it,
/// so the 3 B leave at 6, and the 2.5 B, at 1/2 B/s, are there at 11. Of what comes in the same holds.
#[test]
fn what_goes_out_and_what_comes_in_shares_memory_with_what_stays() {
    let out: [&[(u64, u32, u64)]; 3] = [&[(0, 1, 4), (0, 2, 3)], &[], &[]];
    let inwards: [&[(u64, u32, u64)]; 3] = [&[(0, 1, 4)], &[], &[(0, 0, 3)]];
    for (memory, through, within) in [(2.0, 3.0, 5.5), (1.0, 6.0, 11.0)] {
        let node = node(None, Some(memory));
        let within: &[(f64, &str)] = &[(within, "arrived 0 of 0")];
        check_arrivals(&[0, 0, 1], node, &out, &[(2, &[(through, "arrived 1 of 0")]), (1, within)]);
        check_arrivals(&[0, 0, 1], node, &inwards, &[(0, &[(through, "arrived 0 of 2")]), (1, within)]);
    }
}

/// Rank 1 copies one message after the other, at 1 B/s: 2 B of rank 0, 3 B of rank 2, and what has no bytes when its turn has come. Rank 0
/// copies meanwhile.
#[test]
fn a_rank_copies_one_message_at_a_time() {
    let sends: [&[(u64, u32, u64)]; 3] = [&[(0, 1, 2), (0, 1, 0)], &[(0, 0, 1)], &[(0, 1, 3)]];
    let there: &[(f64, &str)] = &[(2.0, "arrived 0 of 0"), (2.0, "arrived 1 of 0"), (5.0, "arrived 0 of 2")];
    for memory in [None, Some(100.0)] {
        let node = node(Some(1.0), memory);
        check_arrivals(&[0; 3], node, &sends, &[(1, there), (0, &[(1.0, "arrived 0 of 1")])]);
        // Each by itself, as it is without `InTurn`.
        let within = WithinNode { copying: Copying::Apart, memory_limit: None, ..node.within };
        let apart: &[(f64, &str)] =
            &[(2.0, "arrived 0 of 0"), (2.0, "arrived 1 of 0"), (3.0, "arrived 0 of 2")];
        check_arrivals(&[0; 3], NodeModel { within, ..node }, &sends, &[(1, apart)]);
    }
}

/// The latency within a node comes behind the copy; the sender is free before.
#[test]
fn a_message_is_there_a_latency_after_its_copy() {
    for memory in [None, Some(100.0)] {
        let mut node = node(Some(1.0), memory);
        node.within.latency = Duration::from_ns(700);
        let departed = [(2.0, "departed 0"), (2.0, "departed 1")];
        let arrived = [(2.000_000_7, "arrived 0 of 0"), (2.000_000_7, "arrived 1 of 0")];
        let sends: [&[(u64, u32, u64)]; 2] = [&[(0, 1, 2), (0, 1, 0)], &[]];
        check_all((&line(Duration::ZERO), &[0, 0]), node, &sends, &[(0, &departed), (1, &arrived)]);
    }
}

fn run(
    sharing: Sharing,
    topology: &Topology,
    placement: &Placement,
    node: NodeModel,
    sends: &Sends,
) -> FlowEnded {
    let mut programs = Queue::all(Arc::new(script(sends)));
    let flow = Flow { sharing, ..Flow::default() };
    let ended = flow.run(topology, &[], &mut programs, &node, RunContext::new(placement));
    assert_eq!(ended.ended.outcome, Outcome::Finished);
    ended
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Memory without end is none: runs take as long as with copies that share nothing. That is asked of one message of each rank: of
    /// several, a picosecond decides which message of a node is the next one. With an end no node's memory carries more than it
    /// can, and what links carry is the same.
    #[test]
    fn memory_carries_what_passes_it(
        (machine, placement, sends) in case(),
        copying in 1..9_u32,
        memory in 1..9_u32,
    ) {
        let mut passes = vec![0.0; machine.nodes()];
        for (rank, list) in sends.iter().enumerate() {
            for &(to, bytes, _) in list {
                for end in [rank, to] {
                    passes[placement.node(Rank::new(end)).index()] += Bytes(bytes).as_f64();
                }
            }
        }
        let firsts: Vec<Vec<_>> = sends.iter().map(|list| list.iter().take(1).copied().collect()).collect();
        let busiest = passes.into_iter().fold(0.0, f64::max);
        for rule in RULES {
            let of = |sends, memory| {
                run(rule, &machine, &placement, node(Some(f64::from(copying)), memory), sends)
            };
            let with = |memory| of(&sends, memory);
            let (none, endless, limited) = (with(None), with(Some(1e12)), with(Some(f64::from(memory))));
            let [one, other] =
                [None, Some(1e12)].map(|memory| of(&firsts, memory).ended.at.as_ps() as f64);
            prop_assert!((one - other).abs() <= 1e-6 * UNIT as f64, "{one} ps without, {other} ps with endless memory");
            prop_assert_eq!(&none.link_bytes, &endless.link_bytes);
            prop_assert_eq!(&none.link_bytes, &limited.link_bytes);
            let least = busiest / bandwidth(f64::from(memory)).bytes_per_second();
            prop_assert!(limited.ended.at.as_secs_f64() >= least * (1.0 - 1e-9), "memory of {memory} B/s");
        }
    }
}
