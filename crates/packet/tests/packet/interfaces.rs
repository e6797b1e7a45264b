//! Nodes with several interfaces: nothing is lost, messages of a pair stay in order, and interfaces share the work as
//! documented.

use crate::flit::Message;
use crate::machines::{fat_tree, grid, uniform};
use crate::recorder::{Handing, play};
use crate::zoo::{grids, messages, network, routers, tofu_of, topologies, tree};
use proptest::prelude::*;
use std::collections::BTreeMap;
use weir_network::{Outcome, RunContext};
use weir_packet::{Nics, NodeModel, RouterModel, Synthetic, TrafficPattern};
use weir_topology::{FatTreeRouting, Tie, Topology, Wrap};
use weir_units::{Duration, NodeId};

const CABLE: (u64, u64) = (8, 10);
/// A packet of 256 bytes on a link of 8 GB/s, in picoseconds.
const PACKET: u64 = 32_000;

fn node(nics: Nics) -> NodeModel {
    NodeModel { nics, ..NodeModel::default() }
}

/// Few nodes at both ends, so that many messages have the same sender and receiver.
fn crowd(messages: &[Message], nodes: usize) -> Vec<Message> {
    let few = nodes.min(3) as u32;
    let crowded =
        messages.iter().map(|&message| Message { from: message.from % few, to: message.to % few, ..message });
    crowded.filter(|message| message.from != message.to).collect()
}

#[track_caller]
fn check(topology: &Topology, routers: &RouterModel, nics: Nics, messages: &[Message], threads: usize) {
    let network = network(routers, &node(nics), topology);
    let nodes = topology.nodes();
    let mut expected = vec![(0, 0); topology.links()];
    let mut route = Vec::new();
    let mut handed_over = vec![0; nodes];
    for message in messages {
        // Of two cables between two routers the interfaces, which messages take in turn, take each in turn.
        let interface = match nics {
            Nics::Several(count) => handed_over[message.from as usize] % count,
            Nics::PerDirection => 0,
        };
        handed_over[message.from as usize] += 1;
        assert!(topology.find_route_by(NodeId(message.from), interface, NodeId(message.to), &mut route));
        for link in &route {
            expected[link.index()].0 += message.bytes.div_ceil(routers.mtu.0).max(1);
            expected[link.index()].1 += message.bytes;
        }
    }
    let one = play(&network, nodes, messages, Handing::AtTheStart, 1);
    for (threads, handing) in [(1, Handing::ByTimers), (threads, Handing::AtTheStart)] {
        let (ended, programs) = play(&network, nodes, messages, handing, threads);
        let found: Vec<_> = ended.counts.links.iter().map(|link| (link.packets, link.bytes)).collect();
        assert_eq!(found, expected);
        assert_eq!(ended.ended.traffic.messages, messages.len() as u64);
        for (program, first) in programs.iter().zip(&one.1) {
            assert_eq!(program.arrivals, first.arrivals);
            assert_eq!(program.departures, first.departures);
            let mut last: BTreeMap<u32, u64> = BTreeMap::new();
            for &(from, sequence, _) in &program.arrivals {
                let before = last.insert(from, sequence);
                assert!(
                    before.is_none_or(|before| before < sequence),
                    "messages of {from} overtake each other"
                );
            }
        }
        if handing == Handing::AtTheStart {
            assert_eq!(ended.ended.digest, one.0.ended.digest, "{threads} threads");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn several(
        (topology, messages) in topologies().prop_flat_map(|topology| {
            let messages = messages(topology.nodes());
            (Just(topology), messages)
        }),
        routers in routers(),
        nics in prop_oneof![Just(2_u32), Just(3), Just(16)],
        crowded: bool,
        threads in 2..=4_usize,
    ) {
        let messages = if crowded { crowd(&messages, topology.nodes()) } else { messages };
        check(&topology, &routers, Nics::Several(nics), &messages, threads);
    }

    #[test]
    fn one_per_direction(
        (topology, messages) in grids().prop_flat_map(|topology| {
            let messages = messages(topology.nodes());
            (Just(topology), messages)
        }),
        routers in routers(),
        crowded: bool,
        threads in 2..=4_usize,
    ) {
        let messages = if crowded { crowd(&messages, topology.nodes()) } else { messages };
        check(&topology, &routers, Nics::PerDirection, &messages, threads);
    }
}

/// When messages of one packet that are handed over together have left their node.
fn departures(topology: &Topology, nics: Nics, to: &[u32]) -> Vec<u64> {
    let messages: Vec<_> = to.iter().map(|&to| Message { at: 0, from: 0, to, bytes: 256 }).collect();
    let network = network(&RouterModel::default(), &node(nics), topology);
    play(&network, topology.nodes(), &messages, Handing::AtTheStart, 1).1.swap_remove(0).departures
}

/// Message n takes interface n modulo their number, wherever it goes.
#[test]
fn interfaces_take_turns() {
    let topology = grid(&[5, 5], Wrap::Torus, &[CABLE], CABLE, Tie::Plus);
    for nics in [1, 2, 3, 16] {
        let expected: Vec<_> = (0..40).map(|message| (message / u64::from(nics) + 1) * PACKET).collect();
        let to: Vec<_> = (0..40).map(|message| message % 24 + 1).collect();
        assert_eq!(departures(&topology, Nics::Several(nics), &to), expected, "{nics} interfaces");
    }
}

/// A message takes the interface of its first hop: it waits for those before it that go the same way, and for no others.
#[track_caller]
fn check_directions(topology: &Topology, interfaces: u32) {
    let node_model = node(Nics::PerDirection);
    assert_eq!(network(&RouterModel::default(), &node_model, topology).interfaces(), interfaces);
    let mut sent: BTreeMap<u32, u64> = BTreeMap::new();
    let mut route = Vec::new();
    let to: Vec<_> = (1..topology.nodes() as u32).collect();
    let expected = to.iter().map(|&to| {
        topology.route(NodeId(0), NodeId(to), &mut route);
        let before = sent.entry(route[1].0).or_default();
        *before += PACKET;
        *before
    });
    let expected: Vec<_> = expected.collect();
    assert_eq!(departures(topology, Nics::PerDirection, &to), expected);
}

#[test]
fn directions() {
    check_directions(&grid(&[5, 4, 2], Wrap::Torus, &[CABLE], CABLE, Tie::Parity), 6);
    check_directions(&grid(&[4, 1, 3], Wrap::Mesh, &[CABLE], CABLE, Tie::Plus), 4);
    let wraps = weir_topology::tofu::WRAPS;
    check_directions(&tofu_of([3, 2, 1], wraps, &[CABLE], CABLE, Tie::Plus), 10);
}

/// A fat tree has no directions.
#[test]
fn refusals() {
    let topology = fat_tree(4, &[CABLE], CABLE, FatTreeRouting::DestinationMod);
    let refused =
        weir_packet::PacketNetwork::new(&RouterModel::default(), &node(Nics::PerDirection), &topology);
    assert_eq!(refused.expect_err("it cannot be")[0].key, "node.nics");
}

/// Ports times virtual channels are numbered with 16 bits.
#[test]
fn routers_that_are_too_large() {
    let star = |nodes| tree(&[(nodes, 0)], &[CABLE], CABLE, FatTreeRouting::DestinationMod);
    for (nodes, virtual_channels, fits) in
        [(255, 256, true), (256, 256, false), (16_384, 4, false), (65_535, 1, true)]
    {
        let routers = RouterModel { virtual_channels, input_buffer: 1, ..RouterModel::default() };
        let network = weir_packet::PacketNetwork::new(&routers, &node(Nics::Several(1)), &star(nodes));
        match network {
            Ok(network) => {
                assert!(fits, "{nodes} ports, {virtual_channels} virtual channels");
                let message = Message { at: 0, from: nodes - 1, to: nodes - 2, bytes: 1 };
                let (ended, _) = play(&network, nodes as usize, &[message], Handing::AtTheStart, 1);
                assert_eq!(ended.counts.packets, 1);
            }
            Err(refusals) => {
                assert!(!fits, "{refusals:?}");
                assert_eq!(refusals[0].key, "packet.virtual_channels");
            }
        }
    }
}

/// Loads are parts of what the interface that sends can carry, however many there are.
#[test]
fn synthetic_loads_with_several_interfaces() {
    let topology = grid(&[4, 4], Wrap::Torus, &[CABLE], CABLE, Tie::Plus);
    for nics in [1, 2, 3] {
        let network = network(&RouterModel::default(), &node(Nics::Several(nics)), &topology);
        let traffic = Synthetic {
            pattern: TrafficPattern::Neighbor,
            offered_load: 0.3,
            warmup: Duration::from_ns(10_000),
            duration: Duration::from_ns(100_000),
            seed: 3,
            ..uniform()
        };
        let ended = network.run_synthetic(&traffic, RunContext::without_ranks());
        assert_eq!(ended.outcome, Outcome::Finished);
        assert!((ended.offered_load - 0.3).abs() < 0.01, "{nics} interfaces: {}", ended.offered_load);
        assert!((ended.accepted_load - 0.3).abs() < 0.01, "{nics} interfaces: {}", ended.accepted_load);
    }
}
