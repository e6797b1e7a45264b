//! Dragonflies and a HyperX beside CAMINOS 0.6.3 (Camarero et al.), another simulator that moves every flit.
//!
//! Its settings: routers without delay, links of one cycle, packets of 8 flits, input buffers of 8 packets for each virtual
//! channel, output buffers of 4; the class is the number of links passed (dragonfly), or there is none (HyperX in dimension
//! order); in each cycle a node makes a packet with the same probability, not for itself. Here a cycle is 1 ns and a flit 1
//! byte. Minimal routes of a dragonfly have one local link, one global link and one local link, as far as they need them.
//!
//! # What differs
//! CAMINOS has a way through the crossbar for every virtual channel, so no packet waits for another one of its input port.
//! The engine has one for each port, here two thirds as fast as a link for each virtual channel. With one as fast as a link a packet that follows its own
//! tail keeps the port from the others: then the HyperX carries 0.81 instead of 0.94, the dragonfly 0.71 instead of 0.91.
//! CAMINOS evaluates a rule in each cycle until a packet goes, the engine once, when it is the first of its lane. Evaluating once more when
//! it could go brings the engine no nearer: under OmniWAR, whose detours need one packet, it waits 25 % and 38 % longer at 0.4 and 0.5 with one
//! evaluation, and 57 % and 60 % longer with two.
//! CAMINOS has an output buffer of 32 flits for every virtual channel, the engine one for all: as large as all of these. Under UGAL-L
//! into the next group that decides, since the threshold is 31 flits: nodes of the router whose link is full take a detour if more than that
//! wait in front of it. In the engine their detours begin sooner, and its latency at 0.3 is a quarter less; with 5 packets in its
//! buffer it is the same, and with 4 it carries no more than 0.27. UGAL-L is compared at the loads that CAMINOS has drawn, since its latency
//! is steep in them.
//! The fat tree under adaptive-up waits up to 8 % longer; its packets take any of two channels, so there the crossbar is so fast that
//! no packet waits for another one of its input port.
//!
//! Both have latencies without load of their own, which are taken off. The engine's is measured at a load of 0.001; that of
//! CAMINOS is the latency at the lowest load of the row, less what the engine has waited there.

use crate::machines::{uniform, with_routers};
use crate::zoo::tree;
use weir_network::{Outcome, RunContext};
use weir_packet::{PacketNetwork, RouterModel, Synthetic, SyntheticEnded, TrafficPattern};
use weir_topology::{
    Adaptive, Arrangement, Decide, Dragonfly, FatTreeRouting, HyperX, NodeLink, Rule, Switched, Topology,
    Wiring,
};
use weir_units::{Bandwidth, Bytes, Duration};

/// How far waiting and accepted loads may be from CAMINOS, as a part; less than a cycle does not count.
const TOLERANCE: f64 = 0.05;
/// How far accepted loads may be from a limit that follows from the topology.
const EXACT: f64 = 0.01;

fn network(wiring: Wiring, nodes_each: u32, cycles: [u64; 2], rule: Rule) -> Topology {
    let cable = |cycles| NodeLink {
        bandwidth: Bandwidth::new(1e9).expect("positive"),
        latency: Duration::from_ns(cycles),
    };
    let network = Switched::new(wiring, nodes_each, cycles.map(cable).to_vec(), cable(1), rule);
    Topology::Switched(network.expect("a network"))
}

/// A balanced dragonfly of `h` global links a router, `2 h` routers a group, in palm tree arrangement; cycles of local and of
/// global links.
pub(crate) fn dragonfly(h: u32, cycles: [u64; 2], rule: Rule) -> Topology {
    let wiring = Dragonfly::new((2 * h, h), (2 * h * h + 1, 1), Arrangement::PalmTree);
    network(Wiring::Dragonfly(wiring.expect("a dragonfly")), h, cycles, rule)
}

/// Four by four routers, each with a cable to all others of its row and of its column, and four nodes.
pub(crate) fn hyper_x(rule: Rule) -> Topology {
    let wiring = HyperX::new(&[4, 4], 1).expect("a HyperX");
    network(Wiring::HyperX(wiring), 4, [1, 1], rule)
}

/// A detour is taken if the shortest way has more than twice its flits in front, and so many.
fn weights(threshold: u64) -> Adaptive {
    Adaptive { threshold, ..Adaptive::default() }
}

/// How many times as fast as a link a port of the crossbar is for each virtual channel.
const TWO_THIRDS: f64 = 2.0 / 3.0;

/// One curve.
struct Curve {
    name: &'static str,
    topology: Topology,
    virtual_channels: u32,
    /// Packets per virtual channel.
    input_buffer: u32,
    /// How many times as fast as a link a port of the crossbar is for each virtual channel.
    crossbar: f64,
    pattern: TrafficPattern,
    /// How far waiting may be from CAMINOS, as a part.
    tolerance: f64,
    /// Offered flits per node and cycle, and the mean latency in cycles; the lowest load first.
    latencies: &'static [(f64, f64)],
    /// Offered, accepted, and how far the engine may be from that.
    saturated: (f64, f64, f64),
}

pub(crate) fn engine(topology: &Topology, virtual_channels: u32, input_buffer: u32) -> PacketNetwork {
    with_crossbar(topology, (virtual_channels, input_buffer), TWO_THIRDS)
}

/// With a port of the crossbar so many times as fast as a link for each virtual channel.
fn with_crossbar(
    topology: &Topology,
    (virtual_channels, input_buffer): (u32, u32),
    per_channel: f64,
) -> PacketNetwork {
    let routers = RouterModel {
        mtu: Bytes(8),
        virtual_channels,
        input_buffer,
        output_buffer: 4 * virtual_channels,
        route_delay: Duration::ZERO,
        vc_allocation_delay: Duration::ZERO,
        switch_allocation_delay: Duration::ZERO,
        switch_delay: vec![Duration::ZERO],
        switch_bandwidth: Vec::from_iter(Bandwidth::new(1e9 * per_channel * f64::from(virtual_channels))),
        ..RouterModel::default()
    };
    with_routers(&routers, topology)
}

pub(crate) fn run(network: &PacketNetwork, pattern: TrafficPattern, offered_load: f64) -> SyntheticEnded {
    let traffic = Synthetic {
        pattern,
        offered_load,
        packet: Bytes(8),
        warmup: Duration::from_ns(5_000),
        duration: Duration::from_ns(if offered_load < 0.01 { 200_000 } else { 30_000 }),
        ..uniform()
    };
    let ended = network.run_synthetic(&traffic, RunContext::without_ranks());
    assert_eq!(ended.outcome, Outcome::Finished);
    ended
}

#[track_caller]
#[expect(clippy::print_stdout, reason = "the comparison, for `cargo test caminos -- --nocapture`")]
fn check(curve: &Curve) {
    let &Curve { virtual_channels, input_buffer, pattern, latencies, .. } = curve;
    let network = with_crossbar(&curve.topology, (virtual_channels, input_buffer), curve.crossbar);
    println!("{}: {:?}", curve.name, network.class_rule());
    let mean = |load| run(&network, pattern, load).generation_latency.mean() * 1e9;
    let idle = mean(0.001);
    let (lowest, at_lowest) = latencies[0];
    let idle_of_caminos = at_lowest - (mean(lowest) - idle);
    let (offered, expected, tolerance) = curve.saturated;
    let mut far = Vec::new();
    for &(load, latency) in &latencies[1..] {
        let (found, waited) = (mean(load) - idle, latency - idle_of_caminos);
        let judged = load <= 0.6 * expected;
        println!(
            "  load {load}: waits {found:.2} cycles, CAMINOS {waited:.2} ({:+.1} %){}",
            100.0 * (found / waited - 1.0),
            if judged { "" } else { ", above 60 % of saturation" }
        );
        if judged && (found - waited).abs() > (curve.tolerance * waited).max(1.0) {
            far.push(format!("waits {found} cycles at {load}, CAMINOS {waited}"));
        }
    }
    let accepted = run(&network, pattern, offered).accepted_load;
    let apart = accepted / expected - 1.0;
    println!("  load {offered}: accepted {accepted:.4}, CAMINOS {expected} ({:+.1} %)", 100.0 * apart);
    if apart.abs() > tolerance {
        far.push(format!("accepted {accepted} of {offered}, CAMINOS {expected}"));
    }
    assert!(far.is_empty(), "{}: {far:#?}", curve.name);
}

#[test]
fn a_dragonfly_with_uniform_traffic() {
    check(&Curve {
        name: "dragonfly of 72 nodes, minimal, uniform",
        topology: dragonfly(2, [1, 1], Rule::Minimal),
        virtual_channels: 3,
        input_buffer: 8,
        crossbar: TWO_THIRDS,
        pattern: TrafficPattern::Uniform,
        tolerance: TOLERANCE,
        latencies: &[
            (0.05, 12.0588),
            (0.1, 12.8805),
            (0.2, 14.6556),
            (0.3, 17.3804),
            (0.4, 21.0249),
            (0.5, 26.1637),
            (0.6, 34.8250),
            (0.7, 47.9560),
        ],
        saturated: (1.0, 0.9121, TOLERANCE),
    });
}

#[test]
fn a_dragonfly_with_long_links() {
    check(&Curve {
        name: "dragonfly of 72 nodes, links of 10 and 100 cycles, minimal, uniform",
        topology: dragonfly(2, [10, 100], Rule::Minimal),
        virtual_channels: 3,
        input_buffer: 32,
        crossbar: TWO_THIRDS,
        pattern: TrafficPattern::Uniform,
        tolerance: TOLERANCE,
        latencies: &[(0.1, 114.7678), (0.3, 119.9364), (0.5, 128.3111), (0.7, 152.1021)],
        saturated: (0.9, 0.8771, TOLERANCE),
    });
}

/// All nodes of a group send into the next one, over one link: a router of it carries 1 / (a p) for each node.
#[test]
fn a_dragonfly_with_a_shift_by_one_group() {
    check(&Curve {
        name: "dragonfly of 72 nodes, minimal, into the next group",
        topology: dragonfly(2, [1, 1], Rule::Minimal),
        virtual_channels: 3,
        input_buffer: 8,
        crossbar: TWO_THIRDS,
        pattern: TrafficPattern::GroupShift { group: 8, shift: 1 },
        tolerance: TOLERANCE,
        latencies: &[(0.05, 14.4), (0.1, 30.2), (0.12, 73.5)],
        saturated: (0.5, 0.125, EXACT),
    });
}

#[test]
fn a_hyperx_in_dimension_order() {
    check(&Curve {
        name: "HyperX of 4 x 4 routers with 4 nodes each, dimension order, uniform",
        topology: hyper_x(Rule::Minimal),
        virtual_channels: 4,
        input_buffer: 8,
        crossbar: TWO_THIRDS,
        pattern: TrafficPattern::Uniform,
        tolerance: TOLERANCE,
        latencies: &[
            (0.05, 11.0871),
            (0.1, 11.7826),
            (0.2, 13.3454),
            (0.3, 15.5873),
            (0.4, 18.3379),
            (0.5, 22.6213),
            (0.6, 28.6765),
            (0.7, 39.5759),
        ],
        saturated: (1.0, 0.9376, TOLERANCE),
    });
}

#[test]
fn a_dragonfly_under_valiant() {
    check(&Curve {
        name: "dragonfly of 72 nodes, Valiant, uniform",
        topology: dragonfly(2, [1, 1], Rule::Valiant),
        virtual_channels: 6,
        input_buffer: 8,
        crossbar: TWO_THIRDS,
        pattern: TrafficPattern::Uniform,
        tolerance: TOLERANCE,
        latencies: &[
            (0.0506, 15.0586),
            (0.1014, 17.4206),
            (0.2034, 23.4366),
            (0.2945, 33.361),
            (0.3979, 58.292),
        ],
        saturated: (1.0, 0.5128, TOLERANCE),
    });
}

#[test]
fn a_dragonfly_under_ugal() {
    check(&Curve {
        name: "dragonfly of 72 nodes, UGAL-L, uniform",
        topology: dragonfly(2, [1, 1], Rule::UgalL(weights(31))),
        virtual_channels: 6,
        input_buffer: 8,
        crossbar: TWO_THIRDS,
        pattern: TrafficPattern::Uniform,
        tolerance: TOLERANCE,
        latencies: &[
            (0.05, 12.044),
            (0.1, 12.8602),
            (0.2, 14.8551),
            (0.3, 17.2724),
            (0.4, 20.8310),
            (0.5, 25.8650),
            (0.6, 33.6640),
        ],
        saturated: (1.0, 0.9307, TOLERANCE),
    });
}

#[test]
fn a_dragonfly_under_ugal_with_a_shift_by_one_group() {
    check(&Curve {
        name: "dragonfly of 72 nodes, UGAL-L, into the next group",
        topology: dragonfly(2, [1, 1], Rule::UgalL(weights(31))),
        virtual_channels: 6,
        input_buffer: 8,
        crossbar: TWO_THIRDS,
        pattern: TrafficPattern::GroupShift { group: 8, shift: 1 },
        tolerance: 0.15,
        latencies: &[(0.0515, 14.6063), (0.1028, 27.0830), (0.2003, 94.641), (0.2965, 143.64)],
        saturated: (1.0, 0.3845, TOLERANCE),
    });
}

#[test]
fn a_hyper_x_under_omniwar() {
    check(&Curve {
        name: "HyperX of 4 x 4 routers with 4 nodes each, OmniWAR, uniform",
        topology: hyper_x(Rule::OmniWar(weights(1))),
        virtual_channels: 4,
        input_buffer: 8,
        crossbar: TWO_THIRDS,
        pattern: TrafficPattern::Uniform,
        tolerance: TOLERANCE,
        latencies: &[(0.0501, 10.989), (0.0989, 11.610), (0.1971, 12.8197), (0.2999, 15.0285)],
        saturated: (1.0, 0.9016, TOLERANCE),
    });
}

/// Limits that need no simulator: four nodes of a router send over one link, and 18 nodes of a group.
#[test]
fn limits_that_follow_from_the_topology() {
    let (hyper_x, larger) = (hyper_x(Rule::Minimal), dragonfly(3, [1, 1], Rule::Minimal));
    let groups = TrafficPattern::GroupShift { group: 18, shift: 1 };
    for (topology, pattern, limit) in
        [(&hyper_x, TrafficPattern::Complement, 1.0 / 4.0), (&larger, groups, 1.0 / 18.0)]
    {
        let accepted = run(&engine(topology, 4, 8), pattern, 0.6).accepted_load;
        assert!((accepted / limit - 1.0).abs() < EXACT, "{pattern:?}: {accepted}, not {limit}");
    }
}

/// A tree of three stages of four ports down and up, whose packets take the port up with the fewest bytes on both channels.
#[test]
fn a_fat_tree_up_by_what_waits() {
    check(&Curve {
        name: "fat tree of 64 nodes, adaptive-up, uniform",
        topology: tree(&[(4, 4), (4, 4), (4, 0)], &[(1, 1)], (1, 1), FatTreeRouting::AdaptiveUp),
        virtual_channels: 2,
        input_buffer: 8,
        crossbar: 3.0,
        pattern: TrafficPattern::Uniform,
        tolerance: 0.08,
        latencies: &[
            (0.0504, 13.0273),
            (0.1016, 13.6834),
            (0.1992, 15.2504),
            (0.3, 17.351),
            (0.3955, 19.7373),
            (0.4972, 23.6236),
            (0.5994, 29.8919),
            (0.7014, 39.2166),
        ],
        saturated: (1.0, 0.9086, TOLERANCE),
    });
}

/// UGAL-G sees the full cable behind the next router, two to three cycles late as this machine announces each nanosecond: into the next group it
/// waits less than half as long as UGAL-L, which sees that only once the buffers up to its own router are full. So does UGAL-L where each
/// router decides, and then more is accepted. For uniform traffic all three wait alike.
#[test]
fn whole_ways_beside_first_ports() {
    let ran = |rule, pattern, load| run(&engine(&dragonfly(2, [1, 1], rule), 8, 8), pattern, load);
    let waits = |rule, pattern, load| ran(rule, pattern, load).generation_latency.mean() * 1e9;
    let next_group = TrafficPattern::GroupShift { group: 8, shift: 1 };
    let local = Rule::UgalL(weights(31));
    let far = Rule::UgalG(Adaptive { detour_weight: 1, ..weights(31) });
    let each = Rule::UgalL(Adaptive { decide: Decide::EachRouter, ..weights(31) });
    for load in [0.2, 0.3] {
        let [local, far, each] = [local, far, each].map(|rule| waits(rule, next_group, load) - 12.0);
        assert!(far < 0.5 * local && each < 0.6 * local, "{load}: {local} {far} {each}");
    }
    let [local_full, far_full, each_full] =
        [local, far, each].map(|rule| ran(rule, next_group, 1.0).accepted_load);
    assert!(
        far_full > 0.95 * local_full && each_full > 1.1 * local_full,
        "{local_full} {far_full} {each_full}"
    );
    let [local, far, each] = [local, far, each].map(|rule| waits(rule, TrafficPattern::Uniform, 0.3));
    assert!((far / local - 1.0).abs() < 0.01 && (each / local - 1.0).abs() < 0.01, "{local} {far} {each}");
}
