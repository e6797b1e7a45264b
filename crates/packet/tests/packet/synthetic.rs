//! Synthetic traffic that can be computed by hand: with a slot as long as a packet and a load of 1 a packet is made in every
//! slot, and nothing is left to chance.

use crate::machines::{fat_tree, grid, plain, uniform, with_routers};
use std::time::{Duration as WallTime, Instant};
use weir_network::{Digest, Limits, Outcome, RunContext};
use weir_packet::{
    Injection, PacketNetwork, RouterModel, SelfTraffic, Synthetic, SyntheticEnded, TrafficPattern,
};
use weir_topology::{FatTreeRouting, Tie, Wrap};
use weir_units::{Bytes, Duration, NodeId, Time};

/// Two routers with a node each, all links of 8 GB/s and 100 ns: a packet of 256 B takes 32 ns of each, 6 ns before a crossbar
/// and 140 ns through it.
fn network() -> PacketNetwork {
    let topology = grid(&[2], Wrap::Mesh, &[(8, 100)], (8, 100), Tie::Plus);
    plain(&topology)
}

/// A packet every 32 ns from each node, measured from 1 us on for 3.2 us.
fn every_slot(pattern: TrafficPattern) -> Synthetic {
    Synthetic {
        pattern,
        offered_load: 1.0,
        injection: Injection::Bernoulli { slot: Some(Duration::from_ns(32)) },
        self_traffic: SelfTraffic::Allowed,
        warmup: Duration::from_ns(1000),
        duration: Duration::from_ns(3200),
        seed: 5,
        ..uniform()
    }
}

fn run(traffic: &Synthetic, limits: Limits, threads: usize) -> SyntheticEnded {
    network().run_synthetic(traffic, RunContext::without_ranks().limits(limits).threads(threads))
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
}

/// Packet k of each node is made at 32 k ns and leaves at once. It is granted the link to the other router 106 ns later, the
/// ejection link 352 ns later, and has arrived after 624 ns: 3 cables of 100, 2 routers of 146, and 32.
///
/// | counted from 1000 to 4200 ns | first k | last k |
/// |---|---|---|
/// | made, on the injection link | 32 | 131 |
/// | on the link between routers | 28 | 127 |
/// | on the ejection link | 21 | 120 |
/// | arrived | 12 | 111 |
///
/// So 100 of each, which is all that links can carry. 624 ns are 2437.5 units of 256 ps, of which a packet is made in 125.
#[test]
fn a_packet_in_every_slot() {
    for threads in [1, 2] {
        let ended = run(&every_slot(TrafficPattern::Neighbor), Limits::default(), threads);
        assert_eq!((ended.outcome, ended.until), (Outcome::Finished, Time::from_ps(4_200_000)));
        near(ended.offered_load, 1.0);
        near(ended.accepted_load, 1.0);
        assert!(!ended.saturated && ended.stuck.is_none());
        // Packets and their hops are those of the whole run, 0 to 111 of each node. On their way are 112 to 131: those up
        // to 120 have begun both hops, those up to 127 the first.
        assert_eq!((ended.counts.packets, ended.counts.packet_hops), (2 * 112, 2 * (128 + 121)));
        let latency = &ended.counts.latency;
        assert_eq!(
            (latency.count(), latency.least(), latency.most()),
            (200, latency.most(), Duration::from_ns(624))
        );
        let made = &ended.generation_latency;
        assert_eq!(
            (made.count(), made.least(), made.most()),
            (200, made.most(), Duration::from_ps(2437 * 256))
        );
        for (number, link) in ended.counts.links.iter().enumerate() {
            assert_eq!(
                (link.packets, link.bytes, link.busy),
                (100, 25_600, Duration::from_ns(3200)),
                "link {number}"
            );
            assert_eq!(link.waited, Duration::ZERO);
        }
        // Runs are compared by it, also those of other versions.
        assert_eq!(ended.digest, Digest(0x9566_6691_1f5b_ffb9));
        // Injection links, ejection links, and those between the routers; the first and the last end in input buffers.
        let queues: Vec<_> = ended.counts.links.iter().map(|link| link.longest_queue).collect();
        assert_eq!(queues, [1, 1, 0, 0, 1, 1]);
    }
}

/// A limit of 2 us: from 1 us on packets 32 to 62 are made, and 12 to 42 arrive, 31 of the 31.25 that links can carry.
#[test]
fn a_limit_cuts_what_is_measured() {
    let limits = Limits { simulated: Time::from_ps(2_000_000), ..Limits::default() };
    for threads in [1, 2] {
        let ended = run(&every_slot(TrafficPattern::Neighbor), limits, threads);
        assert!(matches!(ended.outcome, Outcome::Limit(_)), "{:?}", ended.outcome);
        assert_eq!(ended.until, limits.simulated);
        near(ended.offered_load, 0.992);
        near(ended.accepted_load, 0.992);
        assert_eq!((ended.counts.packets, ended.counts.latency.count()), (2 * 43, 2 * 31));
    }
}

/// What the clock on the wall cuts is measured until then: packets of the rest, years of them, are not drawn.
#[test]
fn a_limit_of_wall_time_ends_what_is_measured() {
    let traffic = Synthetic {
        duration: Duration::from_ns(86_400 * 1_000_000_000),
        ..every_slot(TrafficPattern::Neighbor)
    };
    for threads in [1, 2] {
        let begin = Instant::now();
        let limits = Limits { wall: WallTime::from_millis(200), ..Limits::default() };
        let ended = run(&traffic, limits, threads);
        assert!(begin.elapsed() < WallTime::from_secs(10), "{:?}", begin.elapsed());
        assert!(matches!(ended.outcome, Outcome::Limit(_)), "{:?}", ended.outcome);
        let measured = ended.until.as_ps() - 1_000_000;
        // A window is drawn before it is over, and what is under way has not arrived.
        let close = |load: f64| (load - 1.0).abs() * measured as f64 <= 1_000_000.0;
        assert!(close(ended.offered_load) && close(ended.accepted_load), "{ended:?}");
        assert!(!ended.saturated);
    }
}

/// Both nodes send to node 0: its ejection link carries half of what they offer, and each of them gets half of that.
#[test]
fn half_of_what_is_offered() {
    let ended =
        run(&every_slot(TrafficPattern::HotSpot { node: NodeId(0), part: 1.0 }), Limits::default(), 1);
    near(ended.offered_load, 1.0);
    near(ended.accepted_load, 0.5);
    assert!(ended.saturated);
    let busy: Vec<_> = ended.counts.links.iter().map(|link| link.busy).collect();
    // The ejection links.
    assert_eq!(busy[2..4], [Duration::from_ns(3200), Duration::ZERO]);
    // Packets wait for it, and for the link to its router when the buffers there are full.
    let waited: Vec<_> = ended.counts.links.iter().map(|link| link.waited > Duration::ZERO).collect();
    assert_eq!(waited, [false, false, true, false, false, true]);
}

/// Whatever chance draws, nodes offer what they are to, and no packet is made twice in a slot. A node that may not send to
/// itself and has no other destination sends nothing.
#[test]
fn loads_by_chance() {
    let traffic = |injection, offered_load| Synthetic {
        injection,
        offered_load,
        duration: Duration::from_ns(400_000),
        ..every_slot(TrafficPattern::Neighbor)
    };
    let slots = |ns| Injection::Bernoulli { slot: Some(Duration::from_ns(ns)) };
    for injection in [Injection::Bernoulli { slot: None }, slots(1), slots(16), Injection::Exponential] {
        for load in [0.1, 0.5] {
            let ended = run(&traffic(injection, load), Limits::default(), 1);
            let expected = load * 2.0 * 400_000.0 / 32.0;
            // Five times the standard deviation of as many independent packets.
            let tolerance = load * 5.0 / expected.sqrt();
            assert!(
                (ended.offered_load - load).abs() < tolerance,
                "{injection:?} {load}: {}",
                ended.offered_load
            );
        }
    }
    let alone =
        Synthetic { self_traffic: SelfTraffic::Skipped, ..every_slot(TrafficPattern::Shift { shift: 2 }) };
    let ended = run(&alone, Limits::default(), 1);
    assert_eq!((ended.counts.packets, ended.offered_load, ended.accepted_load), (0, 0.0, 0.0));
    assert!(!ended.saturated);
    assert_eq!(ended.outcome, Outcome::Finished);
}

/// Packets of 64 KiB at 1 B/ns take 65,536,000 ps, a number of 26 bits: when they were made is counted in units of 2^18 ps, of
/// which they take 250. They have arrived after 66,128,000 ps, 252 units and a bit.
#[test]
fn slow_packets_are_counted_in_longer_units() {
    let topology = grid(&[2], Wrap::Mesh, &[(1, 100)], (1, 100), Tie::Plus);
    let routers = RouterModel { mtu: Bytes(1 << 16), ..RouterModel::default() };
    let network = with_routers(&routers, &topology);
    let traffic = Synthetic {
        injection: Injection::Bernoulli { slot: Some(Duration::from_ns(1 << 16)) },
        packet: Bytes(1 << 16),
        duration: Duration::from_ns(20 << 16),
        ..every_slot(TrafficPattern::Neighbor)
    };
    let ended = network.run_synthetic(&traffic, RunContext::without_ranks());
    let (latency, made) = (ended.counts.latency, ended.generation_latency);
    assert_eq!((latency.least(), latency.most()), (latency.most(), Duration::from_ns(66_128)));
    assert_eq!((made.least(), made.most()), (made.most(), Duration::from_ps(252 << 18)));
}

/// A node that may not send to itself draws again if there is anybody else, and sends nothing if not: which nodes send.
#[test]
fn nodes_without_another() {
    let check = |nodes: u32, pattern, expected: &[bool]| {
        let topology = grid(&[nodes], Wrap::Mesh, &[(8, 100)], (8, 100), Tie::Plus);
        let network = plain(&topology);
        let traffic =
            Synthetic { self_traffic: SelfTraffic::Skipped, offered_load: 0.2, ..every_slot(pattern) };
        let ended = network.run_synthetic(&traffic, RunContext::without_ranks());
        let sends: Vec<_> =
            ended.counts.links[..nodes as usize].iter().map(|link| link.packets > 0).collect();
        assert_eq!(sends, expected, "{pattern:?} among {nodes}");
    };
    let hot_spot = |part| TrafficPattern::HotSpot { node: NodeId(0), part };
    check(1, TrafficPattern::Uniform, &[false]);
    check(2, TrafficPattern::Uniform, &[true, true]);
    check(1, hot_spot(0.5), &[false]);
    check(2, hot_spot(0.5), &[true, true]);
    check(3, hot_spot(1.0), &[false, true, true]);
    check(4, TrafficPattern::GroupShift { group: 1, shift: 0 }, &[false; 4]);
    check(4, TrafficPattern::GroupShift { group: 2, shift: 0 }, &[true; 4]);
    check(4, TrafficPattern::Shift { shift: 4 }, &[false; 4]);
    check(3, TrafficPattern::Complement, &[true, false, true]);
}

/// A digest is another one for packets that are made, sent or received at another time, by others or for others.
#[test]
fn digests_distinguish_runs() {
    let every = every_slot(TrafficPattern::Neighbor);
    let later = Synthetic { injection: Injection::Exponential, ..every.clone() };
    let others = Synthetic { pattern: TrafficPattern::Shift { shift: 0 }, ..every.clone() };
    let longer = Synthetic { duration: Duration::from_ns(3300), ..every.clone() };
    let seed = Synthetic { seed: 6, ..later.clone() };
    let mut digests =
        [every, later, others, longer, seed].map(|traffic| run(&traffic, Limits::default(), 1).digest.0);
    digests.sort_unstable();
    assert!(digests.windows(2).all(|pair| pair[0] != pair[1]), "{digests:x?}");
}

/// A full tree of three stages of switches with four ports has 16 nodes, two at each leaf. With a shift by one leaf all go up to the
/// second stage; where that stage joins leaves 0 and 1, and 2 and 3, every other pair goes up to the third. A permutation sends every node
/// as much as it makes, and so much arrives.
#[test]
fn permutations_reach_each_node_alike() {
    let topology = fat_tree(4, &[(8, 100), (8, 100)], (8, 100), FatTreeRouting::DestinationMod);
    let network = plain(&topology);
    let shift = TrafficPattern::RouterShift { shift: 1 };
    for (pattern, seed) in
        [(shift, 1), (TrafficPattern::RandomPermutation, 1), (TrafficPattern::RandomPermutation, 2)]
    {
        let traffic = Synthetic { seed, offered_load: 0.5, ..every_slot(pattern) };
        let ended = network.run_synthetic(&traffic, RunContext::without_ranks());
        let nodes = topology.nodes();
        let packets = |first: usize| {
            let links = &ended.counts.links[first..first + nodes];
            links.iter().map(|link| link.packets).collect::<Vec<_>>()
        };
        let received: Vec<u64> = (0..nodes)
            .map(|node| ended.counts.links[topology.ejection(NodeId::new(node)).index()].packets)
            .collect();
        let sent = packets(0);
        if pattern == shift {
            for node in 0..nodes {
                let to = (node + 2) % nodes;
                assert!(received[to].abs_diff(sent[node]) < 15, "{node}: {} of {}", received[to], sent[node]);
                assert!(sent[node] > 30, "{sent:?}");
            }
        }
        assert!(received.iter().all(|&packets| packets > 10), "{pattern:?}, {seed}: {received:?}");
    }
    let runs = [1, 2].map(|seed| {
        let traffic = Synthetic { seed, ..every_slot(TrafficPattern::RandomPermutation) };
        network.run_synthetic(&traffic, RunContext::without_ranks()).digest
    });
    assert_ne!(runs[0], runs[1]);
}
