//! Nodes with several cables of their own.

use crate::flit::Message;
use crate::recorder::{Handing, play};
use crate::zoo::{messages, network, planes, routers, several_cables};
use proptest::prelude::*;
use weir_network::{Choose, Striping};
use weir_packet::{NodeModel, RouterModel};
use weir_topology::Topology;
use weir_units::{Bytes, LinkId, NodeId};

fn rule(choose: Choose) -> NodeModel {
    NodeModel { choose, ..NodeModel::default() }
}

fn striped(over: u32) -> NodeModel {
    NodeModel { striping: Striping { over, from: Bytes::ZERO }, ..NodeModel::default() }
}

/// The bytes that each cable of node 0 has carried out, and each of node 1 in.
fn carried(machine: &Topology, node: &NodeModel, messages: &[Message]) -> [Vec<u64>; 2] {
    let network = network(&RouterModel::default(), node, machine);
    let (ended, _) = play(&network, machine.nodes(), messages, Handing::AtTheStart, 1);
    let cables = 0..machine.cables_of(NodeId(0));
    let bytes = |link: LinkId| ended.counts.links[link.index()].bytes;
    [
        cables.clone().map(|cable| bytes(machine.injection_by(NodeId(0), cable))).collect(),
        cables.map(|cable| bytes(machine.ejection_by(NodeId(1), cable))).collect(),
    ]
}

/// Planes of 8, 8 and 16 GB/s; node 0 sends node 1 messages of four packets. They arrive by the planes by which they have left.
#[test]
fn rules() {
    let machine = planes(4, &[(8, 10), (8, 10), (16, 10)]);
    let messages = [Message { at: 0, from: 0, to: 1, bytes: 1024 }; 4];
    for (node, expected) in [
        (rule(Choose::RoundRobin), [2048, 1024, 1024]),
        (rule(Choose::ByDestination), [0, 4096, 0]),
        // The fast one first; of all three it would be done with a second one as soon as the others with one: the next in turn.
        (rule(Choose::LeastLoaded), [1024, 1024, 2048]),
        (striped(3), [1024, 1024, 2048]),
        (striped(2), [1280, 1280, 1536]),
    ] {
        assert_eq!(carried(&machine, &node, &messages), [expected.to_vec(), expected.to_vec()], "{node:?}");
    }
}

/// By how much striping over planes is faster for a long message: as fast as all of them, but for a packet or two.
#[test]
fn a_message_over_all_planes() {
    let time = |speeds: &[(u64, u64)], node: &NodeModel| {
        let machine = planes(2, speeds);
        let network = network(&RouterModel::default(), node, &machine);
        let messages = [Message { at: 0, from: 0, to: 1, bytes: 1 << 20 }];
        play(&network, 2, &messages, Handing::AtTheStart, 1).0.until.as_ps() as f64
    };
    let one = time(&[(8, 10)], &NodeModel::default());
    let four = time(&[(8, 10); 4], &striped(4));
    assert!((3.9..4.0).contains(&(one / four)), "{}", one / four);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever machine: all messages are there, those of a pair in order, and the links of nodes have carried them.
    #[test]
    fn nothing_is_lost(
        (machine, messages) in several_cables().prop_flat_map(|machine| {
            let messages = messages(machine.nodes());
            (Just(machine), messages)
        }),
        routers in routers(),
        choose in crate::invariance::choices(),
        over in 1..4_u32,
    ) {
        let nodes = machine.nodes() as u32;
        let node = NodeModel { choose, ..striped(over) };
        let network = network(&routers, &node, &machine);
        let (ended, programs) = play(&network, nodes as usize, &messages, Handing::ByTimers, 2);
        for node in 0..nodes {
            let of = |link: LinkId| ended.counts.links[link.index()].bytes;
            let cables = || 0..machine.cables_of(NodeId(node));
            let sent: u64 = cables().map(|cable| of(machine.injection_by(NodeId(node), cable))).sum();
            let received: u64 = cables().map(|cable| of(machine.ejection_by(NodeId(node), cable))).sum();
            let all = |own: &dyn Fn(&Message) -> u32| -> u64 {
                messages.iter().filter(|message| own(message) == node).map(|message| message.bytes).sum()
            };
            prop_assert_eq!((sent, received), (all(&|message| message.from), all(&|message| message.to)));
            let arrivals = &programs[node as usize].arrivals;
            for from in 0..nodes {
                let sequences = arrivals.iter().filter(|arrival| arrival.0 == from).map(|arrival| arrival.1);
                prop_assert!(sequences.is_sorted());
            }
        }
    }
}
