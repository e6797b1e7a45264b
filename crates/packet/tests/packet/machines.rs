//! Machines and random cases that several tests use.

use crate::flit::{Message, Precedence, Settings, longest_route};
use crate::zoo::{graph, mixed, tree};
use proptest::prelude::*;
use weir_packet::{
    Dateline, Injection, NodeModel, PacketNetwork, RouterModel, SelfTraffic, Synthetic, TrafficPattern,
};
use weir_topology::{FatTreeRouting, NodeLink, Tie, Topology, Wrap};
use weir_units::{Bandwidth, Bytes, Duration};

/// So many bytes per nanosecond.
pub(crate) fn bandwidth(gb_per_s: u64) -> Bandwidth {
    Bandwidth::new(gb_per_s as f64 * 1e9).expect("positive")
}

/// So many bytes per nanosecond, so many nanoseconds.
pub(crate) type Cable = (u64, u64);

pub(crate) fn node_link((gb_per_s, ns): Cable) -> NodeLink {
    NodeLink { bandwidth: bandwidth(gb_per_s), latency: Duration::from_ns(ns) }
}

/// A torus or mesh whose dimensions have these cables in turn.
pub(crate) fn grid(shape: &[u32], wrap: Wrap, cables: &[Cable], node: Cable, tie: Tie) -> Topology {
    mixed(&shape.iter().map(|&size| (size, wrap)).collect::<Vec<_>>(), cables, node, tie)
}

/// The fat tree of 2p-port switches with 2 p^3 nodes.
pub(crate) fn fat_tree(radix: u32, cables: &[Cable], node: Cable, routing: FatTreeRouting) -> Topology {
    let half = radix / 2;
    tree(&[(half, half), (half, half), (radix, 0)], cables, node, routing)
}

/// The network of this machine with the default models.
pub(crate) fn plain(topology: &Topology) -> PacketNetwork {
    with_routers(&RouterModel::default(), topology)
}

/// The network of this machine with the default nodes.
#[track_caller]
pub(crate) fn with_routers(routers: &RouterModel, topology: &Topology) -> PacketNetwork {
    PacketNetwork::new(routers, &NodeModel::default(), topology).expect("a machine")
}

/// Each node sends packets of 256 B to all others alike, a tenth of what it could.
pub(crate) fn uniform() -> Synthetic {
    Synthetic {
        pattern: TrafficPattern::Uniform,
        offered_load: 0.1,
        injection: Injection::Bernoulli { slot: None },
        self_traffic: SelfTraffic::Skipped,
        packet: Bytes(256),
        warmup: Duration::ZERO,
        duration: Duration::from_ns(50_000),
        seed: 1,
    }
}

/// A random machine of few nodes, what its routers are like, and what is sent.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) topology: Topology,
    pub(crate) settings: Settings,
    /// In the order of their times.
    pub(crate) messages: Vec<Message>,
}

/// Whole picoseconds per byte, also per half a packet gap.
fn speeds() -> impl Strategy<Value = u64> {
    prop_oneof![Just(1_u64), Just(2), Just(4), Just(5), Just(10)]
}

fn topologies() -> impl Strategy<Value = Topology> {
    // The latency of a wire may be zero only if a router takes time; one nanosecond is always there.
    let cable = || (speeds(), prop_oneof![Just(1_u64), 1..40_u64]);
    let cables = || prop::collection::vec(cable(), 1..4);
    let ties = prop_oneof![Just(Tie::Spread), Just(Tie::Plus), Just(Tie::Direct), Just(Tie::Parity)];
    let wraps = prop_oneof![2 => Just(Wrap::Torus), 1 => Just(Wrap::Mesh)];
    let shapes = prop_oneof![
        (2..=8_u32).prop_map(|x| vec![x]),
        (1..=4_u32, 2..=4_u32).prop_map(|(x, y)| vec![x, y]),
        (1..=3_u32, 1..=2_u32, 2..=2_u32).prop_map(|(x, y, z)| vec![x, y, z]),
    ];
    let routings = prop_oneof![Just(FatTreeRouting::DestinationMod), Just(FatTreeRouting::SourceMod)];
    prop_oneof![
        3 => (shapes, wraps, cables(), cable(), ties)
            .prop_map(|(shape, wrap, cables, node, tie)| grid(&shape, wrap, &cables, node, tie)),
        1 => (2..=7_u32, prop::collection::vec((0..7_u32, 1..7_u32), 0..=6), cables(), cable())
            .prop_map(|(routers, chords, cables, node)| {
                let chain = (1..routers).map(|router| (router - 1, router));
                let chords = chords.into_iter().map(|(from, step)| (from % routers, (from + step) % routers));
                let joined: Vec<_> = chords.filter(|(from, to)| from != to).chain(chain).collect();
                let homes: Vec<_> = (0..routers).chain([0]).collect();
                Topology::Graph(graph(routers, &joined, &homes, &cables, node))
            }),
        1 => (prop_oneof![Just(2_u32), Just(4)], cables(), cable(), routings)
            .prop_map(|(radix, cables, node, routing)| fat_tree(radix, &cables, node, routing)),
    ]
}

prop_compose! {
    fn settings()(
        flit in 1..=16_u64,
        mtu in prop_oneof![Just(32_u64), 1..=64_u64],
        virtual_channels in 1..=4_usize,
        input_buffer in 1..=4_usize,
        round_trips: bool,
        output_buffer in 1..=3_usize,
        precedence in prop_oneof![
            2 => Just(Precedence::RoundRobin), 1 => Just(Precedence::OldestFirst), 1 => Just(Precedence::FixedPriority),
            1 => Just(Precedence::TransitFirst), 1 => Just(Precedence::InjectionFirst),
        ],
        pipeline in prop_oneof![Just(0_u64), 0..20_000_u64],
        turnaround in prop_oneof![2 => Just(0_u64), 1 => 0..20_000_u64, 1 => 0..100_000_u64],
        switch_delay in prop::collection::vec(prop_oneof![Just(0_u64), 0..20_000_u64], 1..=3),
        switch_speeds in prop::collection::vec(prop_oneof![Just(20_u64), speeds()], 1..=3),
        credit_delay in prop_oneof![Just(None), Just(Some(0_u64)), (0..30_000_u64).prop_map(Some)],
        at_once in prop_oneof![Just(None), Just(Some(1)), Just(Some(2)), Just(Some(100))],
        packet_gap in prop_oneof![3 => Just(0.0), 1 => Just(0.5), 1 => Just(1.0), 1 => Just(2.0)],
        given_back_behind in prop_oneof![2 => Just(None), 1 => (1..=64_u64).prop_map(Some)],
        before_switch: bool,
        dateline in prop_oneof![Just(Dateline::Crossing), Just(Dateline::Dimension)],
        injection_channels in 1..=4_usize,
    ) -> Settings {
        Settings {
            flit, mtu, virtual_channels, input_buffer, round_trips, output_buffer, precedence, pipeline, turnaround, switch_delay,
            switch_bandwidth: switch_speeds.into_iter().map(bandwidth).collect(), credit_delay, packet_gap, at_once, given_back_behind, dateline,
            injection_channels, vc_turnaround: before_switch.then_some(pipeline - 2 * (pipeline / 3)),
        }
    }
}

/// Random machines with few messages, many of them at the same instants, so that ties are common.
pub(crate) fn cases() -> impl Strategy<Value = Case> {
    (topologies(), settings()).prop_flat_map(|(topology, mut settings)| {
        let ring = matches!(&topology, Topology::Torus(t) if t.dimensions().any(|d| d.size >= 4 && d.wrap == Wrap::Torus));
        let classes = match &topology {
            Topology::Graph(_) => longest_route(&topology),
            _ if ring => 2,
            _ => 1,
        };
        settings.virtual_channels = settings.virtual_channels.max(classes);
        let nodes = topology.nodes() as u32;
        let mtu = settings.mtu;
        let sizes = prop_oneof![Just(0), Just(mtu), 0..=4 * mtu];
        let times = prop_oneof![Just(0), (0..8_u64).prop_map(|i| i * 10_000), 0..200_000_u64];
        let hot = 0..nodes;
        let message = (times, 0..nodes, 1..nodes.max(2), sizes, any::<bool>()).prop_map(
            move |(at, from, step, bytes, hot)| (Message { at, from, to: (from + step) % nodes, bytes }, hot),
        );
        let messages = prop::collection::vec(message, 1..40);
        (Just(topology), Just(settings), messages, hot).prop_map(|(topology, settings, messages, hot)| {
            // Half of the messages go to one node.
            let aimed = messages.into_iter().map(|(message, aim)| {
                if aim && message.from != hot { Message { to: hot, ..message } } else { message }
            });
            let mut messages: Vec<_> = aimed.filter(|m| m.from != m.to).collect();
            messages.sort_by_key(|m| m.at);
            Case { topology, settings, messages }
        })
    })
}
