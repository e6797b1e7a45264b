//! Ranks that have sent messages for later and answer others before: answers overtake what waits, and messages of a pair are
//! delivered in an order that is defined all the same.

use crate::flit::Message;
use crate::invariance::nodes;
use crate::recorder::{Handing, play};
use crate::zoo::{graph, network, routers, topologies};
use proptest::prelude::*;
use proptest::sample::Index;
use weir_network::harness::{Answerer, First};
use weir_network::{Digest, Outcome, Placement, RunContext};
use weir_packet::{Nics, NodeModel, PacketNetwork, RouterModel};
use weir_topology::Topology;
use weir_units::{Bytes, NodeId};

#[derive(Clone, Debug)]
struct Case {
    network: PacketNetwork,
    placement: Placement,
    ranks: Vec<Answerer>,
}

impl Case {
    fn run(&self, threads: usize) -> (Digest, Vec<Answerer>) {
        let mut ranks = self.ranks.clone();
        let ended = self.network.run(&mut ranks, RunContext::new(&self.placement).threads(threads));
        assert_eq!(ended.ended.outcome, Outcome::Finished);
        (ended.ended.digest, ranks)
    }
}

fn firsts(ranks: u32) -> impl Strategy<Value = (u32, First)> {
    let times = prop_oneof![Just(0), (0..8_u64).prop_map(|i| i * 50_000), 0..400_000_u64];
    let bytes = prop_oneof![2 => Just(0), 3 => 1..64_u64, 1 => 0..4_000_u64];
    (times, 0..ranks, 0..ranks, bytes, 0..4_u8)
        .prop_map(|(at, from, to, bytes, answers)| (from, First { at, to, bytes, answers }))
}

/// 2 to 4 ranks, also on the same node, with many messages.
fn cases() -> impl Strategy<Value = Case> {
    let homes = prop::collection::vec(any::<Index>(), 2..=4);
    let parts = (topologies(), routers(), nodes(), homes);
    parts.prop_flat_map(|(topology, routers, node, homes)| {
        let firsts = prop::collection::vec(firsts(homes.len() as u32), 1..60);
        let placement: Vec<_> = homes.iter().map(|home| NodeId::new(home.index(topology.nodes()))).collect();
        let network = network(&routers, &node, &topology);
        (Just(network), Just(Placement::new(placement)), firsts).prop_map(|(network, placement, all)| {
            let ranks = Answerer::all(placement.ranks(), all);
            Case { network, placement, ranks }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    /// Of two messages of a pair, what was sent first and handed to the interface first is delivered first. What comes at one instant
    /// comes by number, but for what is handed over at that very instant and takes no time: it comes in the round after.
    #[test]
    fn messages_of_a_pair_have_an_order(case in cases(), threads in 2..=3_usize) {
        let (digest, ranks) = case.run(1);
        for (rank, answerer) in ranks.iter().enumerate() {
            prop_assert_eq!(answerer.overtaken(), None, "to {}", rank);
            for (place, &(from, number, _, at)) in answerer.arrivals.iter().enumerate() {
                for &(_, later, posted_later, at_later) in
                    answerer.arrivals[place + 1..].iter().filter(|later| later.0 == from)
                {
                    let in_order = at < at_later || number < later || posted_later == at_later;
                    prop_assert!(in_order, "{} to {}: {} by number", from, rank, later);
                }
            }
        }
        prop_assert_eq!(case.run(threads).0, digest);
    }
}

/// Two nodes at one router. A packet of 64 KiB takes 8192 ns of each link: with 2 cables of 100 ns and 146 ns in the router it has
/// arrived after 8538 ns, and that is known as soon as its head is at the router. A message of a byte takes off by the other
/// interface then, and is there long before; it arrives with the first one all the same, and behind it.
#[test]
fn a_message_does_not_overtake_one_whose_arrival_is_known() {
    let topology = Topology::Graph(graph(1, &[], &[0, 0], &[(8, 100)], (8, 100)));
    let routers = RouterModel { mtu: Bytes(1 << 16), ..RouterModel::default() };
    let node = NodeModel { nics: Nics::Several(2), ..NodeModel::default() };
    let network = PacketNetwork::new(&routers, &node, &topology).expect("a machine");
    let messages = [(0, 1 << 16), (1_000_000, 1)].map(|(at, bytes)| Message { at, from: 0, to: 1, bytes });
    for (handing, threads) in [(Handing::AtTheStart, 1), (Handing::ByTimers, 1), (Handing::ByTimers, 2)] {
        let (_, programs) = play(&network, 2, &messages, handing, threads);
        assert_eq!(programs[1].arrivals, [(0, 0, 8_538_000), (0, 1, 8_538_000)]);
    }
}
