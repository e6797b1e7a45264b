//! The engine computes what the flit-level reference computes, to the picosecond, on random tiny machines.

use crate::flit::{
    Journey, Message, Precedence, Settings, longest_route, simulate, simulate_changing, simulate_deciding,
};
use crate::machines::{Case, cases, node_link};
use crate::recorder::{Handing, Recorder, play};
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeMap;
use weir_network::{Choose, Serving, Striping, WithinNode};
use weir_packet::{
    Arbiter, ClassRule, Credits, DeadlockPolicy, Nics, NodeModel, PacketNetwork, Room, RouterModel,
    VcAllocation, channels_of,
};
use weir_topology::{Adaptive, Arrangement, Decide, Degraded, Dragonfly, Rule, Switched, Topology, Wiring};
use weir_units::{Bytes, Duration, LinkId, NodeId, Time};

/// The same machine for the engine.
pub(crate) fn network(topology: &Topology, settings: &Settings) -> PacketNetwork {
    let ps = Duration::from_ps;
    let third = settings.pipeline / 3;
    let kinds = topology.router_kinds().0.len();
    let routers = RouterModel {
        services: None,
        mtu: Bytes(settings.mtu),
        virtual_channels: settings.virtual_channels as u32,
        input_buffer: settings.input_buffer as u32,
        room: if settings.round_trips { Room::RoundTrip } else { Room::Fixed },
        output_buffer: settings.output_buffer as u32,
        arbiter: match settings.precedence {
            Precedence::RoundRobin => Arbiter::RoundRobin,
            Precedence::TransitFirst => Arbiter::TransitFirst,
            Precedence::InjectionFirst => Arbiter::InjectionFirst,
            Precedence::OldestFirst => Arbiter::OldestFirst,
            Precedence::FixedPriority => Arbiter::FixedPriority,
        },
        route_delay: ps(third),
        vc_allocation_delay: ps(third),
        switch_allocation_delay: ps(settings.pipeline - 2 * third),
        turnaround_delay: ps(settings.turnaround),
        switch_delay: settings.switch_delay.iter().copied().cycle().take(kinds).map(ps).collect(),
        switch_bandwidth: settings.switch_bandwidth.iter().copied().cycle().take(kinds).collect(),
        speedup: 1,
        credit_delay: settings.credit_delay.map(ps),
        vc_allocation: settings
            .vc_turnaround
            .map_or(VcAllocation::WithSwitch, |_| VcAllocation::BeforeSwitch),
        credits: settings.given_back_behind.map_or(Credits::Packet, |_| Credits::Flit),
        flit: settings.given_back_behind.map(Bytes),
        dateline: settings.dateline,
        classes: ClassRule::LinksPassed,
        deadlock: DeadlockPolicy::Refuse,
    };
    let node = NodeModel {
        within: WithinNode::default(),
        nics: Nics::Several(1),
        injection_limit: None,
        ejection_limit: None,
        choose: Choose::default(),
        serving: match settings.at_once {
            Some(at_once) => Serving::Shared { at_once: at_once as u32 },
            None => Serving::InOrder,
        },
        striping: Striping::default(),
        packet_gap: settings.packet_gap,
        injection_channels: Some(settings.injection_channels.min(settings.virtual_channels) as u32),
    };
    PacketNetwork::new(&routers, &node, topology).expect("a machine that can be run")
}

/// When messages arrived and departed, by sender, receiver and number among the sender's messages.
type Times = BTreeMap<(u32, u32, u64), (u64, u64)>;

/// A message has arrived when all its packets and all messages before it of the same pair have; it has departed when
/// its last packet has left the NIC.
fn times_of_reference(case: &Case, journeys: &[Journey]) -> Times {
    let mut times = Times::new();
    let mut pairs: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    let mut sent: BTreeMap<u32, u64> = BTreeMap::new();
    for (i, message) in case.messages.iter().enumerate() {
        let packets: Vec<_> = journeys.iter().filter(|j| j.message == i).collect();
        let arrived = packets.iter().map(|j| j.arrived).max().expect("a message has a packet");
        let departed = packets.iter().map(|j| j.passages[0].tail).max().expect("a message has a packet");
        let last = pairs.entry((message.from, message.to)).or_default();
        *last = arrived.max(*last);
        let sequence = sent.entry(message.from).or_default();
        times.insert((message.from, message.to, *sequence), (*last, departed));
        *sequence += 1;
    }
    times
}

/// These times, without departures of which no sender has asked.
fn asked(times: &Times, handing: Handing) -> Times {
    let departure = |number, departed| if handing.asks(number) { departed } else { u64::MAX };
    let times = times.iter().map(|(of, (arrived, departed))| (*of, (*arrived, departure(of.2, *departed))));
    times.collect()
}

fn times_of_engine(case: &Case, programs: &[Recorder]) -> Times {
    let mut times = Times::new();
    for (to, program) in programs.iter().enumerate() {
        for &(from, sequence, arrived) in &program.arrivals {
            let departed = programs[from as usize].departures[sequence as usize];
            let before = times.insert((from, to as u32, sequence), (arrived, departed));
            assert!(before.is_none(), "a message has arrived twice in {case:?}");
        }
    }
    times
}

/// What the engine counts per link, and of all packets.
fn check_counts(case: &Case, journeys: &[Journey], ended: &weir_packet::PacketEnded) {
    let counts = &ended.counts;
    let hops: usize = journeys.iter().map(|j| j.passages.len() - 1).sum();
    assert_eq!((counts.packets, counts.packet_hops), (journeys.len() as u64, hops as u64));
    let latencies: Vec<_> = journeys.iter().map(|j| j.arrived - j.passages[0].head).collect();
    assert_eq!(counts.latency.count(), journeys.len() as u64);
    if let (Some(&least), Some(&most)) = (latencies.iter().min(), latencies.iter().max()) {
        assert_eq!(counts.latency.least().as_ps(), least, "least latency");
        assert_eq!(counts.latency.most().as_ps(), most, "most latency");
        let mean = latencies.iter().sum::<u64>() as f64 * 1e-12 / latencies.len() as f64;
        assert!((counts.latency.mean() / mean - 1.0).abs() < 1e-12, "mean latency");
    }
    for (link, found) in counts.links.iter().enumerate() {
        let passages = || journeys.iter().flat_map(|j| &j.passages).filter(|p| p.link == link);
        assert_eq!(found.packets, passages().count() as u64, "packets of link {link}");
        let busy: u64 = passages().map(|p| p.tail - p.head).sum();
        assert_eq!(found.busy.as_ps(), busy, "busy time of link {link}");
        let waited: u64 = passages().map(|p| p.waited).sum();
        let expected = if link < case.topology.nodes() { (0, waited) } else { (waited, 0) };
        assert_eq!((found.waited.as_ps(), found.stalled.as_ps()), expected, "waiting time for link {link}");
        let room = case.settings.room(&case.topology, LinkId::new(link));
        assert!(found.longest_queue as usize <= room, "a full buffer got a packet");
    }
}

/// Of a machine that becomes others.
#[track_caller]
fn check_changing(case: &Case, changes: &[(u64, Topology)]) {
    let classes = changes.iter().filter(|(_, machine)| matches!(machine.whole(), Topology::Graph(_)));
    let classes = classes.map(|(_, machine)| longest_route(machine)).max().unwrap_or(1);
    let virtual_channels = case.settings.virtual_channels.max(classes);
    let case = Case { settings: Settings { virtual_channels, ..case.settings.clone() }, ..case.clone() };
    let later =
        changes.iter().map(|(at, machine)| (Time::from_ps(*at), network(machine, &case.settings), machine));
    let network = network(&case.topology, &case.settings).becoming(&case.topology, later);
    let pause = network.window().as_ps();
    let journeys = simulate_changing(&case.topology, &case.settings, &case.messages, (changes, pause));
    let expected = times_of_reference(&case, &journeys);
    for handing in Handing::ALL {
        let (ended, programs) = play(&network, case.topology.nodes(), &case.messages, handing, 1);
        assert_eq!(times_of_engine(&case, &programs), asked(&expected, handing), "{handing:?}");
        check_counts(&case, &journeys, &ended);
    }
}

/// Up to three times at random instants, some links are at half of their speed, and of a graph some cables have failed, if all nodes
/// reach each other without them.
fn with_changes() -> impl Strategy<Value = (Case, Vec<(u64, Topology)>)> {
    let faults = prop::collection::vec((any::<Index>(), any::<bool>()), 0..4);
    let instants = prop_oneof![Just(1_u64), (0..8_u64).prop_map(|i| 1 + i * 10_000), 1..300_000_u64];
    (cases(), prop::collection::btree_map(instants, faults, 1..=3)).prop_map(|(case, changes)| {
        let machine = |draws: Vec<(Index, bool)>| degraded(&case.topology, &draws);
        let changes = changes.into_iter().map(|(at, draws)| (at, machine(draws))).collect();
        (case, changes)
    })
}

fn degraded(machine: &Topology, draws: &[(Index, bool)]) -> Topology {
    let cables = machine.router_cables();
    let mut speeds = BTreeMap::new();
    for (index, fails) in draws {
        if *fails && matches!(machine, Topology::Graph(_)) && !cables.is_empty() {
            let more = cables[index.index(cables.len())].map(|link| (link, 0.0));
            let with: BTreeMap<_, _> =
                speeds.iter().map(|(&link, &speed)| (link, speed)).chain(more).collect();
            let without = Degraded::new(machine.clone(), with.clone());
            if without.unreachable((0..machine.nodes()).map(NodeId::new)).is_none() {
                speeds = with;
            }
        } else {
            speeds.entry(LinkId::new(index.index(machine.links()))).or_insert(0.5);
        }
    }
    Topology::Degraded(Degraded::new(machine.clone(), speeds))
}

/// Compares both.
#[track_caller]
fn check(case: &Case) {
    let journeys = simulate(&case.topology, &case.settings, &case.messages);
    let expected = times_of_reference(case, &journeys);
    let network = network(&case.topology, &case.settings);
    for handing in Handing::ALL {
        let (ended, programs) = play(&network, case.topology.nodes(), &case.messages, handing, 1);
        assert_eq!(times_of_engine(case, &programs), asked(&expected, handing), "{handing:?}");
        check_counts(case, &journeys, &ended);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(25))]

    /// A first look, which most mistakes do not pass: the next test takes many times as long.
    #[test]
    fn the_engine_agrees_with_the_reference_in_a_few_cases(case in cases()) {
        check(&case);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_engine_agrees_with_the_reference(case in cases()) {
        check(&case);
    }

    #[test]
    fn the_engine_agrees_with_the_reference_on_machines_that_change((case, changes) in with_changes()) {
        check_changing(&case, &changes);
    }
}

/// The same on a small dragonfly whose rule decides for each packet, with cables and crossbars of one speed.
fn deciding() -> impl Strategy<Value = Case> {
    let decide = prop_oneof![Just(Decide::SourceRouter), Just(Decide::Injection)];
    let weights = (prop_oneof![Just(0_u64), 0..100_u64], 1..3_u32, 0..3_u32, 1..3_u32, decide);
    let rules = prop_oneof![
        Just(Rule::MinimalAdaptive),
        weights.prop_map(|(threshold, minimal_weight, detour_weight, candidates, decide)| {
            Rule::UgalL(Adaptive { threshold, minimal_weight, detour_weight, candidates, decide })
        }),
    ];
    let sizes = (1..=3_u32, 1..=2_u32, 2..=4_u32, 1..=2_u32);
    // A place may be known to be free before its packet has passed, on links that are short beside it.
    let latencies = prop_oneof![[1..3_u64, 1..3, 1..3], [1..40_u64, 1..40, 1..40]];
    (cases(), rules, sizes, latencies).prop_map(|(case, rule, sizes, latencies)| {
        let (routers, global, groups, nodes) = sizes;
        let groups = groups.min(routers * global + 1);
        let per_pair = routers * global / (groups - 1);
        let wiring = Dragonfly::new((routers, global), (groups, per_pair), Arrangement::PalmTree);
        let [local, far, node] = latencies.map(|ns| node_link((5, ns)));
        let wiring = Wiring::Dragonfly(wiring.expect("a small dragonfly"));
        let made = Switched::new(wiring, nodes, vec![local, far], node, rule).expect("it has the rule");
        let topology = Topology::Switched(made);
        let all = topology.nodes() as u32;
        let placed = case.messages.iter().map(|&message| {
            let Message { from, to, .. } = message;
            Message { from: from % all, to: to % all, ..message }
        });
        let messages = placed.filter(|message| message.from != message.to).collect();
        let settings = Settings {
            virtual_channels: case.settings.virtual_channels + channels_of(&topology) as usize - 1,
            switch_bandwidth: vec![node.bandwidth],
            vc_turnaround: None,
            ..case.settings
        };
        Case { topology, settings, messages }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Which way each packet takes follows from what waits at an instant, so one picosecond of difference in any queue shows.
    #[test]
    fn the_engine_agrees_with_the_reference_on_ways_that_are_chosen(case in deciding()) {
        let network = network(&case.topology, &case.settings);
        let least = network.window().as_ps();
        let journeys = simulate_deciding(&case.topology, &case.settings, &case.messages, least);
        let expected = times_of_reference(&case, &journeys);
        for handing in Handing::ALL {
            let (ended, programs) = play(&network, case.topology.nodes(), &case.messages, handing, 1);
            prop_assert_eq!(times_of_engine(&case, &programs), asked(&expected, handing), "{:?}", handing);
            check_counts(&case, &journeys, &ended);
        }
    }
}
