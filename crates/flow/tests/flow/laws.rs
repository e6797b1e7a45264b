//! What holds of every run, on random machines and workloads.

use crate::common::{RULES, UNIT, in_order, play_placed, torus, torus_of};
use crate::detours::{ruled, sharings};
use proptest::prelude::*;
use weir_flow::{Flow, NodeModel, Sharing};
use weir_network::harness::{Answerer, First};
use weir_network::{Outcome, Placement, RunContext};
use weir_topology::{Topology, Wrap};
use weir_units::{Bytes, Duration, NodeId, Rank};
use weir_workload::{Entry, Script};

/// Per rank: whom it sends how many bytes to after a wait of how many thirds of a second.
pub(crate) type Sends = Vec<Vec<(usize, u64, u64)>>;

/// Rings, tori, meshes and fat trees.
pub(crate) fn machines() -> impl Strategy<Value = Topology> {
    prop_oneof![
        (2u32..7).prop_map(|size| torus(&[size], Wrap::Torus, Duration::ZERO)),
        (2u32..5, 2u32..5).prop_map(|(x, y)| torus(&[x, y], Wrap::Torus, Duration::from_ns(3))),
        (2u32..4, 2u32..4, 2u32..4).prop_map(|(x, y, z)| torus(&[x, y, z], Wrap::Mesh, Duration::ZERO)),
        (1u32..3).prop_map(crate::common::fat_tree),
    ]
}

/// A machine, where its ranks are, and what they send.
pub(crate) fn case() -> impl Strategy<Value = (Topology, Placement, Sends)> {
    (machines(), 2usize..20).prop_flat_map(|(machine, ranks)| {
        let place = prop::collection::vec((0..machine.nodes()).prop_map(NodeId::new), ranks);
        let sends = prop::collection::vec((0..ranks, 0u64..5, 0u64..3), 0..6);
        (Just(machine), place.prop_map(Placement::new), prop::collection::vec(sends, ranks))
    })
}

pub(crate) fn script(sends: &[Vec<(usize, u64, u64)>]) -> Script {
    let entry = |&(to, bytes, wait): &(usize, u64, u64)| Entry::Send {
        to: Rank::new(to),
        bytes: Bytes(bytes),
        wait: Duration::from_ps(wait * UNIT / 3),
    };
    Script::new(sends.iter().map(|list| list.iter().map(entry).collect()).collect()).expect("all ranks exist")
}

pub(crate) fn firsts() -> impl Strategy<Value = Vec<(u32, First)>> {
    let times = prop_oneof![Just(0), (0..8_u64).prop_map(|i| i * 50_000), 0..400_000_u64];
    let bytes = prop_oneof![2 => Just(0), 3 => 1..64_u64, 1 => 0..4_000_u64];
    let first = (times, 0..4_u32, 0..4_u32, bytes, 0..4_u8);
    let first = first.prop_map(|(at, from, to, bytes, answers)| (from, First { at, to, bytes, answers }));
    prop::collection::vec(first, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Every message arrives, and its bytes have passed each link of its route and no other.
    #[test]
    fn bytes_are_conserved((machine, placement, sends) in case()) {
        let mut expected = vec![0.0; machine.links()];
        let mut messages = 0;
        let mut route = Vec::new();
        for (rank, list) in sends.iter().enumerate() {
            for &(to, bytes, _) in list {
                messages += 1;
                machine.route(placement.node(Rank::new(rank)), placement.node(Rank::new(to)), &mut route);
                for link in &route {
                    expected[link.index()] += bytes as f64;
                }
            }
        }
        for rule in RULES {
            let ended = play_placed(rule, &machine, &placement, script(&sends));
            prop_assert_eq!(ended.ended.traffic.messages, messages);
            prop_assert_eq!(&ended.link_bytes, &expected);
            prop_assert!(ended.solver_iterations == 0 || rule != Sharing::SinglePass, "it has no loop");
            let busiest = expected.iter().copied().fold(0.0, f64::max);
            prop_assert!(ended.ended.at.as_secs_f64() >= busiest * (1.0 - 1e-9), "faster than its links");
            for (share, bytes) in ended.link_share.iter().zip(&expected) {
                prop_assert_eq!(*share > 0, *bytes > 0.0);
            }
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Of two messages of a pair, what was sent first and handed to the interface first is delivered first; also where a rule chooses routes
    /// by their load.
    #[test]
    fn messages_of_a_pair_keep_their_order(
        all in firsts(),
        sharing in any::<prop::sample::Index>(),
        resolution in prop_oneof![Just(0), 1..500_000_u64],
        latency in prop_oneof![Just(0), Just(100)],
        network in prop::option::of(ruled()),
        is_shared: bool,
        homes in prop::collection::vec(any::<prop::sample::Index>(), 4),
    ) {
        let ring = || torus_of(1e9, &[4], Wrap::Torus, Duration::from_ns(latency));
        let topology = network.unwrap_or_else(ring);
        let homes = homes.into_iter().map(|home| NodeId::new(home.index(topology.nodes())));
        let placement = Placement::new(homes.collect::<Vec<_>>());
        let mut ranks = Answerer::all(4, all);
        let sharing = *sharing.get(sharings(&topology));
        let flow = Flow { sharing, resolution: Duration::from_ps(resolution), ..Flow::default() };
        let node = if is_shared { NodeModel::default() } else { in_order() };
        let ended = flow.run(&topology, &[], &mut ranks, &node, RunContext::new(&placement));
        prop_assert_eq!(ended.ended.outcome, Outcome::Finished);
        for (to, rank) in ranks.iter().enumerate() {
            prop_assert_eq!(rank.overtaken(), None, "to {}", to);
        }
    }
}
