//! What holds of every run: nothing is lost, no buffer is beyond its size, and packets never stop moving.

use crate::agreement::network;
use crate::flit::Message;
use crate::machines::{Case, cases, grid, plain, uniform, with_routers};
use crate::recorder::{Handing, play};
use proptest::prelude::*;
use weir_network::{Outcome, Placement, RunContext};
use weir_packet::{
    Arbiter, PacketNetwork, RouterModel, Synthetic, SyntheticEnded, TrafficPattern, VcAllocation,
};
use weir_topology::{Tie, Topology, Wrap};
use weir_units::{Bytes, Duration, NodeId};

/// Bytes and packets that pass each link.
fn expected_links(case: &Case) -> Vec<(u64, u64)> {
    let mut links = vec![(0, 0); case.topology.links()];
    let mut route = Vec::new();
    for message in &case.messages {
        case.topology.route(NodeId(message.from), NodeId(message.to), &mut route);
        for link in &route {
            links[link.index()].0 += message.bytes;
            links[link.index()].1 += message.bytes.div_ceil(case.settings.mtu).max(1);
        }
    }
    links
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Every packet passes the links of its route and no other; links are held for no longer than the run and for no less
    /// than the bytes need; no buffer holds more than it has room for.
    #[test]
    fn bytes_packets_and_room(case in cases()) {
        let network = network(&case.topology, &case.settings);
        let (ended, _) = play(&network, case.topology.nodes(), &case.messages, Handing::AtTheStart, 1);
        let found: Vec<_> = ended.counts.links.iter().map(|link| (link.bytes, link.packets)).collect();
        prop_assert_eq!(found, expected_links(&case));
        prop_assert_eq!(ended.ended.traffic.messages, case.messages.len() as u64);
        prop_assert_eq!(ended.ended.traffic.bytes, Bytes(case.messages.iter().map(|m| m.bytes).sum()));
        for (id, link) in ended.counts.links.iter().enumerate() {
            let capacity = case.topology.link(weir_units::LinkId::new(id)).capacity;
            prop_assert!(link.busy >= capacity.serialization_time(Bytes(link.bytes)));
            prop_assert!(link.busy <= ended.until.since(weir_units::Time::ZERO), "held for longer than the run");
            prop_assert!(link.longest_queue as usize <= case.settings.room(&case.topology, weir_units::LinkId::new(id)));
        }
    }
}

const RING_LINK: (u64, u64) = (8, 100);

fn ring(shape: &[u32]) -> Topology {
    grid(shape, Wrap::Torus, &[RING_LINK], RING_LINK, Tie::Plus)
}

fn synthetic(pattern: TrafficPattern, offered_load: f64) -> Synthetic {
    Synthetic {
        pattern,
        offered_load,
        warmup: Duration::from_ns(5_000),
        duration: Duration::from_ns(20_000),
        ..uniform()
    }
}

fn run_synthetic(network: &PacketNetwork, traffic: &Synthetic, threads: usize) -> SyntheticEnded {
    network.run_synthetic(traffic, RunContext::without_ranks().threads(threads))
}

/// Ten times more than the links can carry, through buffers of one packet.
#[test]
fn tori_never_get_stuck() {
    let shapes: [&[u32]; 4] = [&[8], &[4, 4], &[5, 4], &[4, 4, 4]];
    for shape in shapes {
        for arbiter in [
            Arbiter::RoundRobin,
            Arbiter::TransitFirst,
            Arbiter::InjectionFirst,
            Arbiter::OldestFirst,
            Arbiter::FixedPriority,
        ] {
            // Each allocation with two arbiters at least.
            let vc_allocation = match arbiter {
                Arbiter::RoundRobin | Arbiter::InjectionFirst => VcAllocation::WithSwitch,
                _ => VcAllocation::BeforeSwitch,
            };
            let routers = RouterModel {
                input_buffer: 1,
                output_buffer: 1,
                arbiter,
                vc_allocation,
                ..RouterModel::default()
            };
            let network = with_routers(&routers, &ring(shape));
            for pattern in [TrafficPattern::Uniform, TrafficPattern::Tornado, TrafficPattern::BitComplement] {
                let shown = format!("{shape:?} {arbiter:?} {pattern:?}");
                // Complements of bits need a power of two.
                if shape.contains(&5) && pattern == TrafficPattern::BitComplement {
                    continue;
                }
                let ended = run_synthetic(&network, &synthetic(pattern, 1.0), 1);
                assert!(ended.stuck.is_none(), "{shown}");
                assert_eq!(ended.outcome, Outcome::Finished, "{shown}");
                assert!(ended.saturated && ended.accepted_load > 0.005, "{shown}: {}", ended.accepted_load);
            }
        }
    }
}

/// Nodes 0 and 1 of a ring send to node 3 and meet at router 1, where the packets of node 0 have two virtual channels, those
/// of class 0, and those of node 1 all four. Each gets half of the link all the same.
#[test]
fn a_node_gets_no_more_than_its_neighbors() {
    let routers = RouterModel { virtual_channels: 4, input_buffer: 4, ..RouterModel::default() };
    let network = with_routers(&routers, &ring(&[8]));
    let messages = [0, 1].map(|from| Message { at: 0, from, to: 3, bytes: 256 * 400 });
    let (_, programs) = play(&network, 8, &messages, Handing::AtTheStart, 1);
    let arrived: Vec<u64> = programs[3].arrivals.iter().map(|&(_, _, at)| at).collect();
    let [first, last] = [arrived.iter().min(), arrived.iter().max()].map(|at| *at.expect("two") as f64);
    assert!(first > 0.98 * last, "{arrived:?}");
}

/// With a turnaround that is longer than any run the second packet of a virtual channel stays: a limit, no deadlock.
#[test]
fn a_turnaround_that_does_not_end() {
    let routers = RouterModel { turnaround_delay: Duration::from_ps(u64::MAX), ..RouterModel::default() };
    let network = with_routers(&routers, &ring(&[8]));
    // One packet for each of the two virtual channels of the injection link, and one behind the first. The next router has
    // the first two in one channel.
    let messages = [Message { at: 0, from: 0, to: 1, bytes: 256 * 3 }];
    for threads in [1, 2] {
        let mut programs = crate::recorder::Recorder::all(8, &messages, Handing::AtTheStart);
        let placement = Placement::one_per_node(8);
        let ended = network.run(&mut programs, RunContext::new(&placement).threads(threads));
        assert!(matches!(ended.ended.outcome, Outcome::Limit(_)), "{:?}", ended.ended.outcome);
        assert!(ended.stuck.is_none());
        assert_eq!(ended.counts.packets, 1);
    }
}

/// Below saturation what is offered is carried, and a node offers what it was set to.
#[test]
fn what_is_offered_is_carried() {
    let network = plain(&ring(&[8, 8]));
    let traffic =
        Synthetic { duration: Duration::from_ns(200_000), ..synthetic(TrafficPattern::Uniform, 0.2) };
    let ended = run_synthetic(&network, &traffic, 1);
    assert!(!ended.saturated);
    assert!((ended.offered_load - 0.2).abs() < 0.004, "{}", ended.offered_load);
    assert!((ended.accepted_load - ended.offered_load).abs() < 0.004, "{}", ended.accepted_load);
}
