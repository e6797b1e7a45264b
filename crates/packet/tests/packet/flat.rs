//! Code for a GPU, compiled for this processor, has the results of the engine.

pub(crate) mod host;

use crate::invariance::{Way, cases, limited, shown, shown_synthetic, work};
use crate::machines::{bandwidth, grid, node_link, uniform};
use crate::zoo::{deciding, graph, hypercrossbar, network, routers, topologies};
use proptest::prelude::*;
use weir_network::harness::Recorded;
use weir_network::record::Requested;
use weir_network::{Limits, Outcome, RunContext};
use weir_packet::{
    Credits, Dateline, DeadlockPolicy, Injection, NodeModel, PacketNetwork, RouterModel, SelfTraffic,
    Synthetic, SyntheticEnded, TrafficPattern, VcAllocation, channels_of,
};
use weir_topology::{Adaptive, Arrangement, Decide, Dragonfly, Rule, Switched, Tie, Topology, Wiring, Wrap};
use weir_units::{Bytes, Duration, LinkId, NodeId, Time, mix};

fn patterns() -> impl Strategy<Value = TrafficPattern> {
    prop_oneof![
        3 => Just(TrafficPattern::Uniform),
        1 => Just(TrafficPattern::Tornado),
        1 => Just(TrafficPattern::Neighbor),
        1 => Just(TrafficPattern::Complement),
        1 => Just(TrafficPattern::RandomPermutation),
        1 => Just(TrafficPattern::GroupShift { group: 1, shift: 1 }),
        1 => Just(TrafficPattern::HotSpot { node: NodeId(0), part: 0.3 }),
    ]
}

/// Many machines do not fit.
fn config() -> ProptestConfig {
    ProptestConfig { max_global_rejects: 1_000_000, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    /// Programs on any machine that fits, whole and up to any limit, on any number of threads, routers in any order.
    #[test]
    fn arrays_have_the_results_of_programs(
        case in cases(work), parts in 0..=1200_u64, kernels in host::threads(), threads in 1..=4_usize,
    ) {
        let Some(case) = case.remote() else { return Err(TestCaseError::reject("does not fit")) };
        let whole = case.run(Way::Threads(1), Limits::default());
        let limit = (u128::from(whole.until.as_ps()) * u128::from(parts) / 1000) as u64;
        for limits in [Limits::default(), limited(Time::from_ps(limit))] {
            let [expected, found] = [Way::Threads(1), Way::Remote(kernels, threads)].map(|way| case.run(way, limits));
            prop_assert_eq!(shown(&found), shown(&expected));
            prop_assert_eq!(found.counts.windows, expected.counts.windows);
        }
    }

    /// On any machine that fits, with any traffic, two runs side by side, up to any limit, routers in any order, with windows of any width; and one
    /// of them again with samples at intervals.
    #[test]
    fn arrays_have_the_results_of_the_engine(
        topology in prop_oneof![topologies(), deciding()],
        routers in routers(),
        load in prop_oneof![Just(1.0), 0.05..0.5],
        pattern in patterns(),
        is_geometric: bool,
        self_traffic in prop_oneof![Just(SelfTraffic::Allowed), Just(SelfTraffic::Skipped)],
        packet_gap in prop_oneof![3 => Just(0.0), 1 => Just(0.5)],
        is_whole: bool,
        is_wide: bool,
        keeps_class: bool,
        credits in prop_oneof![Just(Credits::Packet), Just(Credits::Flit)],
        part in prop_oneof![2 => Just(1.0), 1 => 0.0..1.0, 1 => 0.0..0.1],
        seed: u64,
        order in host::threads(),
        windows in 1..=40_u64,
    ) {
        let dateline = if keeps_class { Dateline::Dimension } else { routers.dateline };
        let escapes = matches!(&topology, Topology::Torus(torus) if torus.chosen().is_some());
        let routers = RouterModel { dateline: if escapes { routers.dateline } else { dateline }, credits, ..routers };
        let packet = Bytes(((routers.mtu.0 as f64 * part) as u64).max(1));
        let network = network(&routers, &NodeModel { packet_gap, ..NodeModel::default() }, &topology);
        // With the widest windows a packet of a node may come to its router within one.
        let network = if is_wide { network.for_packets_of(packet) } else { network };
        let packet_time = topology.link(LinkId(0)).capacity.serialization_time(routers.mtu);
        let times = |packets: u64| Duration::from_ps(packet_time.as_ps() * packets);
        let traffic = Synthetic {
            pattern,
            offered_load: load,
            injection: if is_geometric { Injection::Bernoulli { slot: None } } else { Injection::Exponential },
            self_traffic,
            packet,
            warmup: times(10),
            duration: times(40),
            seed,
        };
        let limits = if is_whole { Limits::default() } else { limited(Time::ZERO + times(35)) };
        let other = Synthetic { offered_load: load / 2.0, seed: seed ^ 1, warmup: times(3), ..traffic.clone() };
        let runs = [&traffic, &other].map(|traffic| network.flat(traffic, limits));
        let [Ok(run), Ok(beside)] = runs else { return Err(TestCaseError::reject("does not fit")) };
        let found = host::run(vec![run, beside], (order, None), None);
        for (traffic, found) in [&traffic, &other].into_iter().zip(found) {
            let expected = network.run_synthetic(traffic, RunContext::without_ranks().limits(limits));
            prop_assert_eq!(shown_synthetic(&found), shown_synthetic(&expected));
        }
        // A limit that stops one of them, after so many windows: what has happened by then is what has with a limit of simulated time. Of
        // packets that are on their last link some are known to arrive later.
        let [run, beside] = [&other, &traffic].map(|traffic| network.flat(traffic, limits).expect("it fits"));
        let found = host::run(vec![run, beside], (order, Some(windows)), None);
        let end = Time::ZERO + network.window() * windows;
        if end <= limits.simulated && end <= Time::ZERO + traffic.warmup + traffic.duration {
            let expected = network.run_synthetic(&traffic, RunContext::without_ranks().limits(limited(end)));
            prop_assert_eq!(&found[1].counts.links, &expected.counts.links);
            let of = |ended: &SyntheticEnded| (ended.until, ended.offered_load, ended.counts.packet_hops);
            prop_assert_eq!(of(&found[1]), of(&expected));
            prop_assert!(found[1].counts.packets >= expected.counts.packets);
            prop_assert_eq!(&found[1].outcome, &Outcome::Limit("a limit".into()));
        }
        let expected = network.run_synthetic(&other, RunContext::without_ranks().limits(limits));
        prop_assert_eq!(shown_synthetic(&found[0]), shown_synthetic(&expected));
        // The samples of intervals of so many windows, which are narrower where that many do not fit.
        let interval = network.window() * windows;
        let cut = network.for_intervals(interval).expect("windows that fit");
        let recorded = || Recorded { requested: Requested { interval: Some(interval), ..Requested::default() }, ..Recorded::default() };
        let [mut expected, mut found] = [recorded(), recorded()];
        let context = RunContext::without_ranks().limits(limits).recorder(Some(&mut expected));
        let ended = cut.run_synthetic(&traffic, context);
        let run = cut.flat(&traffic, limits).expect("it fits").sampled(interval);
        let sampled = host::run(vec![run], (order, None), Some(&mut found));
        prop_assert_eq!(shown_synthetic(&sampled[0]), shown_synthetic(&ended));
        let [expected, found] = [expected, found].map(|recorded| Recorded { intervals: 0, ..recorded });
        prop_assert_eq!(found, expected);
    }
}

/// Logarithms have the bits that those of the engine have: see `logarithm.rs`.
#[test]
fn logarithms() {
    let bits = |number: u64| host::logarithm(((mix(number) >> 11) + 1) as f64 * 2f64.powi(-53)).to_bits();
    let all = (0..100_000).map(bits).fold(0, |sum, bits| mix(sum ^ bits));
    assert_eq!(all, 2_425_060_202_461_711_706);
}

/// The keys of what does not fit, of a machine under these routers and nodes.
fn refused(topology: &Topology, routers: RouterModel, node: NodeModel) -> Vec<&'static str> {
    let network = PacketNetwork::new(&routers, &node, topology).expect("a machine");
    let traffic = uniform();
    let run = network.flat(&traffic, Limits::default());
    run.err().into_iter().flatten().map(|refusal| refusal.key).collect()
}

/// Which rules fit on a dragonfly: those that look at queues of their own router at most, and choose shortest ways or ways around.
#[test]
fn rules_that_fit() {
    let wiring = Dragonfly::new((4, 2), (9, 1), Arrangement::PalmTree).expect("small");
    let cable = node_link((8, 100));
    let fits = |rule| {
        let network = Switched::new(Wiring::Dragonfly(wiring.clone()), 2, vec![cable; 2], cable, rule);
        let Ok(network) = network.map(Topology::Switched) else { return None };
        let routers =
            RouterModel { virtual_channels: channels_of(&network).max(2), ..RouterModel::default() };
        Some(refused(&network, routers, NodeModel::default()).is_empty())
    };
    let each = |decide| Rule::all(Adaptive { decide, ..Adaptive::DEFAULT });
    let mut names: Vec<_> = each(Decide::SourceRouter)
        .into_iter()
        .filter(|&rule| fits(rule) == Some(true))
        .map(|rule| rule.name())
        .collect();
    names.sort_unstable();
    let expected = [
        "hashed",
        "minimal",
        "minimal-adaptive",
        "minimal-random",
        "par",
        "ugal-l",
        "valiant",
        "valiant-group",
    ];
    assert_eq!(names, expected);
    let ugal = |decide| fits(Rule::UgalL(Adaptive { decide, ..Adaptive::DEFAULT }));
    assert_eq!([Decide::EachRouter, Decide::Injection].map(ugal), [Some(true), Some(false)]);
}

/// What does not fit is refused by its key.
#[test]
fn refusals_have_keys() {
    let torus = grid(&[4, 4], Wrap::Torus, &[(8, 100)], (8, 100), Tie::Parity);
    let node = NodeModel::default();
    assert_eq!(refused(&torus, RouterModel::default(), node), [""; 0]);
    let before = RouterModel { vc_allocation: VcAllocation::BeforeSwitch, ..RouterModel::default() };
    assert_eq!(refused(&torus, before, node), ["packet.vc_allocation"]);
    let allowed =
        RouterModel { virtual_channels: 1, deadlock: DeadlockPolicy::Allow, ..RouterModel::default() };
    assert_eq!(refused(&torus, allowed, node), ["packet.allow_deadlock"]);
    let limited = NodeModel { injection_limit: Some(bandwidth(4)), ..node };
    assert_eq!(refused(&torus, RouterModel::default(), limited), ["node.injection_limit"]);
    let graph = Topology::Graph(graph(2, &[(0, 1)], &[0, 1], &[(8, 100)], (8, 100)));
    assert_eq!(refused(&graph, RouterModel::default(), node), ["topology.kind"]);
    let crossbars = hypercrossbar(&[2, 2], &[(8, 100)], (8, 100));
    assert_eq!(refused(&crossbars, RouterModel::default(), node), ["topology.kind"]);
}
