//! Networks on which a rule chooses among ways, computed by hand. Links of 1 B/s; times in seconds.

use crate::by_hand::delivered;
use crate::common::{UNIT, bandwidth, in_order, run};
use std::sync::Arc;
use weir_flow::{Flow, FlowEnded, Sharing};
use weir_network::Placement;
use weir_topology::{Arrangement, Dragonfly, HyperX, NodeLink, Rule, Shares, Switched, Topology, Wiring};
use weir_units::{Bytes, Duration, NodeId, Rank};
use weir_workload::{Entry, Queue, Script};

/// Nodes have links of `node` B/s.
pub(crate) fn network(
    wiring: Wiring,
    per_router: u32,
    latencies: [u64; 2],
    node: f64,
    rule: Rule,
) -> Topology {
    let link = |bytes_per_s, latency| NodeLink {
        bandwidth: bandwidth(bytes_per_s),
        latency: Duration::from_ps(latency * UNIT),
    };
    let cables = (0..wiring.classes().len()).map(|class| link(1.0, latencies[class.min(1)])).collect();
    Topology::Switched(Switched::new(wiring, per_router, cables, link(node, 0), rule).expect("a network"))
}

/// Nine groups of four routers with two nodes and two global cables each: 72 nodes.
pub(crate) fn dragonfly(latencies: [u64; 2], rule: Rule) -> Topology {
    let wiring = Dragonfly::new((4, 2), (9, 1), Arrangement::PalmTree).expect("a dragonfly");
    network(Wiring::Dragonfly(wiring), 2, latencies, 1.0, rule)
}

fn hyper_x(node: f64, rule: Rule) -> Topology {
    network(Wiring::HyperX(HyperX::new(&[3, 3], 1).expect("a HyperX")), 1, [0, 0], node, rule)
}

/// Each node sends so many bytes to another.
pub(crate) fn send(
    flow: Flow,
    topology: &Topology,
    bytes: impl Fn(u32) -> u64,
    to: impl Fn(u32) -> u32,
) -> FlowEnded {
    let entry =
        |from| vec![Entry::Send { to: Rank(to(from)), bytes: Bytes(bytes(from)), wait: Duration::ZERO }];
    let script = Script::new((0..topology.nodes() as u32).map(entry).collect()).expect("all ranks exist");
    let mut programs = Queue::all(Arc::new(script));
    run(flow, topology, &Placement::one_per_node(topology.nodes()), &mut programs)
}

/// Each node sends so many bytes to the node that is `shift` further.
fn shifted(topology: &Topology, shift: u32, bytes: u64) -> FlowEnded {
    let nodes = topology.nodes() as u32;
    send(Flow::default(), topology, |_| bytes, |from| (from + shift) % nodes)
}

/// The rate of each node of the dragonfly that sends into the next group.
fn rate_into_the_next_group(rule: Rule) -> f64 {
    let bytes = 1_000_000;
    bytes as f64 * UNIT as f64 / shifted(&dragonfly([0, 0], rule), 8, bytes).ended.at.as_ps() as f64
}

/// All eight nodes of a group send over the one cable to the next group.
///
/// Under Valiant each of 36 routers is in between for 1/36, and four are in each group. The cable from group A to group B carries what
/// the eight nodes of A send by B's routers, 8 * 4 / 36, and what group B - 1 sends by those of A, as much: 16/9 of a node's
/// rate. The cable from router s to router x of one group carries, in parts of that rate:
///
/// ```text
///   from the 2 nodes of s by the 2 * 4 routers behind the global cables of x, and by x    2 * 9 / 36
///   by x, from the 2 * 8 nodes of the groups behind the global cables of s                    16 / 36
///   by s, to the 2 * 8 nodes of the groups behind the global cables of x                      16 / 36
///   to the 2 nodes of x by the 2 * 4 routers behind the global cables of s, and by s      2 * 9 / 36
///   in all                                                                                    17 / 9
/// ```
#[test]
fn limits_of_a_dragonfly() {
    for rule in [Rule::Minimal, Rule::MinimalRandom, Rule::MinimalAdaptive, Rule::Hashed] {
        assert!((rate_into_the_next_group(rule) - 1.0 / 8.0).abs() < 1e-9, "{rule:?}");
    }
    let valiant = rate_into_the_next_group(Rule::Valiant);
    assert!((valiant - 9.0 / 17.0).abs() < 1e-9, "{valiant}");
}

/// From a corner of a grid to the one across: two ways of which each carries half, so a node twice as fast as a cable is not held back;
/// a fixed way holds it back to 1 B/s.
#[test]
fn two_ways_carry_twice_as_much() {
    let placement = Placement::one_per_node(9);
    for (rule, seconds) in
        [(Rule::Minimal, 12), (Rule::Hashed, 12), (Rule::MinimalRandom, 6), (Rule::MinimalAdaptive, 6)]
    {
        let sends: [&[(u64, u32, u64)]; 9] = [&[(0, 4, 12)], &[], &[], &[], &[], &[], &[], &[], &[]];
        let seen = delivered(Flow::default(), &hyper_x(2.0, rule), &placement, in_order(), &sends);
        assert_eq!(seen[4], [(seconds * UNIT, "arrived 0 of 0".to_owned())], "{rule:?}");
    }
}

/// A permutation of a HyperX with one node a router, one further in both dimensions: the link along x from (x, y) carries half of what (x, y)
/// sends, and half of what comes from (x, y - 1); so every node has a whole cable.
#[test]
fn a_permutation_of_a_hyper_x() {
    for rule in [Rule::Minimal, Rule::MinimalRandom] {
        let topology = hyper_x(1.0, rule);
        let to = |from: u32| (from % 3 + 1) % 3 + 3 * ((from / 3 + 1) % 3);
        let ended = send(Flow::default(), &topology, |_| 90, to);
        assert_eq!(ended.ended.at.as_ps(), 90 * UNIT, "{rule:?}");
    }
}

/// Links carry their part of the bytes, whatever the rates were on the way; as much as shares say.
#[test]
fn links_carry_parts_of_bytes() {
    for rule in [Rule::MinimalRandom, Rule::Hashed, Rule::Valiant, Rule::ValiantGroup] {
        let topology = dragonfly([0, 0], rule);
        let ended = shifted(&topology, 13, 1000);
        let mut expected = vec![0.0; topology.links()];
        let mut shares = Shares::default();
        for from in 0..72 {
            topology.find_shares_by(NodeId(from), 0, NodeId((from + 13) % 72), &mut shares);
            shares.iter().for_each(|(link, part)| expected[link.index()] += 1000.0 * part);
        }
        for (carried, expected) in ended.link_bytes.iter().zip(expected) {
            assert!((carried - expected).abs() < 1e-6, "{rule:?}: {carried}, not {expected}");
        }
    }
}

/// A message alone, with links of 7 s in a group and 900 s between groups: it arrives the mean latency after it has left.
#[test]
fn a_message_has_the_mean_latency() {
    for rule in [Rule::Minimal, Rule::Hashed, Rule::Valiant, Rule::ValiantGroup] {
        let topology = dragonfly([7, 900], rule);
        let mut shares = Shares::default();
        topology.find_shares_by(NodeId(1), 0, NodeId(50), &mut shares);
        let latency = |(link, part)| part * topology.link(link).latency.as_ps() as f64;
        let mean: f64 = shares.iter().map(latency).sum();
        assert!(mean > 900.0 * UNIT as f64);
        let mut sends: Vec<&[(u64, u32, u64)]> = vec![&[]; 72];
        sends[1] = &[(0, 50, 100)];
        let seen = delivered(Flow::default(), &topology, &Placement::one_per_node(72), in_order(), &sends);
        // Its own injection link is what holds it back: 100 s.
        let expected = 100.0 * UNIT as f64 + mean;
        assert!((seen[50][0].0 as f64 - expected).abs() <= 1.0, "{rule:?}: {seen:?}, not {expected}");
    }
}

#[test]
#[should_panic(expected = "only max-min shares several routes")]
fn other_sharings_are_refused() {
    let flow = Flow { sharing: Sharing::SinglePass, ..Flow::default() };
    send(flow, &dragonfly([0, 0], Rule::Valiant), |_| 1, |from| (from + 8) % 72);
}
