//! Dragonflies and a HyperX as graphs with given routes beside CAMINOS 0.6.3 (Camarero et al.), another simulator that moves
//! every flit.
//!
//! Its settings: routers without delay, links of one cycle, packets of 8 flits, input buffers of 8 packets for each virtual
//! channel, output buffers of 4; the class is the number of links passed (dragonfly), or there is none (HyperX in dimension
//! order); in each cycle a node makes a packet with the same probability, not for itself. Here a cycle is 1 ns and a flit 1
//! byte. Minimal routes of a dragonfly have one local link, one global link and one local link, as far as they need them.
//!
//! # What differs
//! CAMINOS has a way through the crossbar for every virtual channel, so no packet waits for another one of its input port.
//! The engine has one for each port, twice as fast as a link here. With one as fast as a link a packet that follows its own
//! tail keeps the port from the others: then the HyperX carries 0.81 instead of 0.94, the dragonfly 0.71 instead of 0.91.
//! CAMINOS has an output buffer for every virtual channel, the engine one for all: as large as all of these.
//!
//! Both have latencies without load of their own, which are taken off. The engine's is measured at a load of 0.001; that of
//! CAMINOS is the latency at the lowest load of the row, less what the engine has waited there.

use crate::machines::{uniform, with_routers};
use crate::zoo::wired;
use weir_network::{Outcome, RunContext};
use weir_packet::{PacketNetwork, RouterModel, Synthetic, SyntheticEnded, TrafficPattern};
use weir_topology::{GivenRoutes, Hop, Metric, Topology};
use weir_units::{Bandwidth, Bytes, Duration, NodeId, RouterId};

/// How far waiting and accepted loads may be from CAMINOS, as a part; less than a cycle does not count.
const TOLERANCE: f64 = 0.05;
/// How far accepted loads may be from a limit that follows from the topology.
const EXACT: f64 = 0.01;

/// A cable between two routers, and how many cycles it takes.
type Cable = (usize, usize, u64);

/// Routers with so many nodes each; the routers of the route from one to another, both included.
fn network(
    routers: usize,
    nodes_each: usize,
    cables: &[Cable],
    route: impl Fn(usize, usize) -> Vec<usize>,
) -> Topology {
    let nodes = routers * nodes_each;
    let of_nodes = (0..nodes).map(|node| (node, nodes + node / nodes_each, 1));
    let between = cables.iter().map(|&(a, b, cycles)| (nodes + a, nodes + b, cycles));
    let all = of_nodes.chain(between).map(|(a, b, cycles)| (a as u32, b as u32, (1, cycles)));
    let graph = wired(nodes as u32, routers as u32, Metric::Hops, all.collect()).expect("connected");
    let mut routes = GivenRoutes::of(&graph);
    for from in 0..nodes {
        for to in (0..nodes).filter(|&to| to != from) {
            let hops = route(from / nodes_each, to / nodes_each);
            let hops: Vec<_> = hops.into_iter().map(|router| Hop::to(RouterId::new(router))).collect();
            routes.add(&graph, NodeId::new(from), NodeId::new(to), &hops).expect("a route");
        }
    }
    Topology::Graph(graph.with_routes(routes).expect("all routes"))
}

/// A balanced dragonfly of `h` global links a router, `2 h` routers a group, in palm tree arrangement; cycles of local and of
/// global links.
fn dragonfly(h: usize, (local, global): (u64, u64)) -> Topology {
    let a = 2 * h;
    let groups = a * h + 1;
    let mut cables = Vec::new();
    // By group and group: the routers at the ends of the link between them.
    let mut ends = vec![vec![(0, 0); groups]; groups];
    for (group, ends) in ends.iter_mut().enumerate() {
        for router in 0..a {
            let here = group * a + router;
            cables.extend((router + 1..a).map(|other| (here, group * a + other, local)));
            for port in 0..h {
                let far = (group + 1 + (a - 1 - router) * h + (h - 1 - port)) % groups;
                let there = far * a + (a - 1 - router);
                ends[far] = (here, there);
                if here < there {
                    cables.push((here, there, global));
                }
            }
        }
    }
    network(a * groups, h, &cables, |from, to| {
        let mut route = vec![from];
        if from / a != to / a {
            let (out, into) = ends[from / a][to / a];
            route.extend([out, into]);
        }
        route.push(to);
        route.dedup();
        route
    })
}

/// Four by four routers, each with a cable to all others of its row and of its column, and four nodes; first along the row.
fn hyperx() -> Topology {
    let row = |router: usize| (router + 1..16).filter(move |other| other / 4 == router / 4);
    let column = |router: usize| (router + 1..16).filter(move |other| other % 4 == router % 4);
    let cables = (0..16).flat_map(|router| row(router).chain(column(router)).map(move |to| (router, to, 1)));
    network(16, 4, &cables.collect::<Vec<_>>(), |from, to| {
        let mut route = vec![from, from / 4 * 4 + to % 4, to];
        route.dedup();
        route
    })
}

/// One curve.
struct Curve {
    name: &'static str,
    topology: Topology,
    virtual_channels: u32,
    /// Packets per virtual channel.
    input_buffer: u32,
    pattern: TrafficPattern,
    /// Offered flits per node and cycle, and the mean latency in cycles; the lowest load first.
    latencies: &'static [(f64, f64)],
    /// Offered, accepted, and how far the engine may be from that.
    saturated: (f64, f64, f64),
}

fn engine(topology: &Topology, virtual_channels: u32, input_buffer: u32) -> PacketNetwork {
    let routers = RouterModel {
        mtu: Bytes(8),
        virtual_channels,
        input_buffer,
        output_buffer: 4 * virtual_channels,
        route_delay: Duration::ZERO,
        vc_allocation_delay: Duration::ZERO,
        switch_allocation_delay: Duration::ZERO,
        switch_delay: Duration::ZERO,
        switch_bandwidth: Bandwidth::new(2e9),
        ..RouterModel::default()
    };
    with_routers(&routers, topology)
}

fn run(network: &PacketNetwork, pattern: TrafficPattern, offered_load: f64) -> SyntheticEnded {
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
    let network = engine(&curve.topology, virtual_channels, input_buffer);
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
        if judged && (found - waited).abs() > (TOLERANCE * waited).max(1.0) {
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
        topology: dragonfly(2, (1, 1)),
        virtual_channels: 3,
        input_buffer: 8,
        pattern: TrafficPattern::Uniform,
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
        topology: dragonfly(2, (10, 100)),
        virtual_channels: 3,
        input_buffer: 32,
        pattern: TrafficPattern::Uniform,
        latencies: &[(0.1, 114.7678), (0.3, 119.9364), (0.5, 128.3111), (0.7, 152.1021)],
        saturated: (0.9, 0.8771, TOLERANCE),
    });
}

/// All nodes of a group send into the next one, over one link: a router of it carries 1 / (a p) for each node.
#[test]
fn a_dragonfly_with_a_shift_by_one_group() {
    check(&Curve {
        name: "dragonfly of 72 nodes, minimal, into the next group",
        topology: dragonfly(2, (1, 1)),
        virtual_channels: 3,
        input_buffer: 8,
        pattern: TrafficPattern::GroupShift { group: 8, shift: 1 },
        latencies: &[(0.05, 14.4), (0.1, 30.2), (0.12, 73.5)],
        saturated: (0.5, 0.125, EXACT),
    });
}

#[test]
fn a_hyperx_in_dimension_order() {
    check(&Curve {
        name: "HyperX of 4 x 4 routers with 4 nodes each, dimension order, uniform",
        topology: hyperx(),
        virtual_channels: 4,
        input_buffer: 8,
        pattern: TrafficPattern::Uniform,
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

/// Limits that need no simulator: four nodes of a router send over one link, and 18 nodes of a group.
#[test]
fn limits_that_follow_from_the_topology() {
    let (hyperx, larger) = (hyperx(), dragonfly(3, (1, 1)));
    let groups = TrafficPattern::GroupShift { group: 18, shift: 1 };
    for (topology, pattern, limit) in
        [(&hyperx, TrafficPattern::Complement, 1.0 / 4.0), (&larger, groups, 1.0 / 18.0)]
    {
        let accepted = run(&engine(topology, 4, 8), pattern, 0.6).accepted_load;
        assert!((accepted / limit - 1.0).abs() < EXACT, "{pattern:?}: {accepted}, not {limit}");
    }
}
