//! What holds of every run: nothing is lost, no buffer is beyond its size, and packets never stop moving.

use crate::agreement::network;
use crate::flit::Message;
use crate::machines::{Cable, Case, bandwidth, cases, grid, uniform, with_routers};
use crate::recorder::{Handing, play};
use crate::zoo::{routers, some_faults, topologies};
use proptest::prelude::*;
use proptest::sample::Index;
use weir_network::{Outcome, Placement, RunContext};
use weir_packet::{
    Arbiter, Credits, NodeModel, PacketNetwork, Room, RouterModel, Synthetic, SyntheticEnded, TrafficPattern,
    VcAllocation,
};
use weir_topology::{End, Link, Tie, Topology, Wrap};
use weir_units::{Bandwidth, Bytes, Duration, LinkId, NodeId, Time};

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
            let capacity = case.topology.link(LinkId::new(id)).capacity;
            prop_assert!(link.busy >= capacity.serialization_time(Bytes(link.bytes)));
            prop_assert!(link.busy <= ended.until.since(Time::ZERO), "held for longer than the run");
            prop_assert!(link.longest_queue as usize <= case.settings.room(&case.topology, LinkId::new(id)));
        }
    }
}

/// When a packet that is handed over at 0 arrives, if nothing is in its way: head and tail from link to link (the model's
/// formulas without any waiting).
fn idle(topology: &Topology, routers: &RouterModel, route: &[LinkId], bytes: u64) -> u64 {
    let time = |bandwidth: Bandwidth| bandwidth.serialization_time(Bytes(bytes.max(1))).as_ps();
    let (_, kinds) = topology.router_kinds();
    let of_kind = |kind: u16, link: Link| {
        let is_at = |end| matches!(end, End::Router(router) if kinds[router.index()] == kind);
        is_at(link.from) || is_at(link.to)
    };
    let switch = |kind: u16| {
        let links = (0..topology.links()).map(|id| topology.whole().link(LinkId::new(id)));
        let fastest =
            links.filter(|&link| of_kind(kind, link)).map(|link| link.capacity).reduce(Bandwidth::max);
        let said = routers.switch_bandwidth.get(usize::from(kind)).copied();
        said.or(fastest).expect("a router has links")
    };
    let pipeline =
        (routers.route_delay + routers.vc_allocation_delay + routers.switch_allocation_delay).as_ps();
    let injection = topology.link(route[0]);
    let mut head = injection.latency.as_ps();
    let mut tail = head + time(injection.capacity);
    for &id in &route[1..] {
        let link = topology.link(id);
        let End::Router(router) = link.from else { unreachable!("routes pass routers") };
        let kind = kinds[router.index()];
        let delay = routers.switch_delay[usize::from(kind)].as_ps();
        let granted = head + pipeline;
        let crossed = tail.max(granted + time(switch(kind)));
        head = granted + delay;
        tail = (crossed + delay).max(head + time(link.capacity));
        head += link.latency.as_ps();
        tail += link.latency.as_ps();
    }
    tail
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// A single message passes the links of the topology's route and no others, on machines of every kind, also with failed and slow
    /// links, and arrives after the time of an idle machine.
    #[test]
    fn a_message_takes_its_route(
        machine in topologies(),
        draws in prop_oneof![Just(Vec::new()), prop::collection::vec((any::<Index>(), 0..=4_u8), 1..4)],
        routers in routers(),
        pairs in prop::collection::vec((any::<Index>(), any::<Index>(), 0..3_u64, 0..=64_u64), 1..=4),
    ) {
        let (topology, nodes) = (some_faults(&machine, &draws), machine.nodes());
        let routers = crate::zoo::of_kinds(routers, &topology);
        let network = crate::zoo::network(&routers, &NodeModel::default(), &topology);
        let mut route = Vec::new();
        for (from, to, full, rest) in pairs {
            let (from, to) = (from.index(nodes) as u32, to.index(nodes) as u32);
            if from == to || !topology.find_route(NodeId(from), NodeId(to), &mut route) {
                continue;
            }
            let bytes = full * routers.mtu.0 + rest.min(routers.mtu.0);
            let message = Message { at: 0, from, to, bytes };
            let (ended, programs) = play(&network, nodes, &[message], Handing::AtTheStart, 1);
            let packets = bytes.div_ceil(routers.mtu.0).max(1);
            for (id, link) in ended.counts.links.iter().enumerate() {
                let on_it = route.contains(&LinkId::new(id));
                let expected = if on_it { (packets, bytes) } else { (0, 0) };
                prop_assert_eq!((link.packets, link.bytes), expected, "link {} from {} to {}", id, from, to);
            }
            prop_assert_eq!(ended.counts.packet_hops, packets * (route.len() as u64 - 1));
            prop_assert_eq!(programs[to as usize].arrivals.len(), 1);
            if packets == 1 {
                let arrived = programs[to as usize].arrivals[0].2;
                prop_assert_eq!(arrived, idle(&topology, &routers, &route, bytes), "from {} to {}", from, to);
                prop_assert_eq!(ended.counts.latency.most().as_ps(), arrived);
            }
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

/// When a message of so many packets arrives, sent by the first node of a line to the last one.
fn arrival(model: &RouterModel, line: &Topology, packets: u64) -> u64 {
    let network = with_routers(model, line);
    let nodes = line.nodes() as u32;
    let message = Message { at: 0, from: 0, to: nodes - 1, bytes: packets * model.mtu.0 };
    let (_, programs) = play(&network, nodes as usize, &[message], Handing::AtTheStart, 1);
    programs[nodes as usize - 1].arrivals[0].2
}

fn line(routers: u32, cable: Cable, node: Cable) -> Topology {
    grid(&[routers], Wrap::Mesh, &[cable], node, Tie::Plus)
}

fn with_room(model: &RouterModel, input_buffer: u32, room: Room) -> RouterModel {
    RouterModel { input_buffer, room, ..model.clone() }
}

prop_compose! {
    /// Routers with one virtual channel.
    fn models()(
        mtu in 1..=300_u64,
        delays in [0..30_000_u64, 0..30_000_u64, 0..200_000_u64],
        switch in prop_oneof![Just(None), (1..20_u64).prop_map(|speed| Some(bandwidth(speed)))],
        credit in prop_oneof![Just(None), (0..300_000_u64).prop_map(|ps| Some(Duration::from_ps(ps)))],
        by_flit: bool,
        before_switch: bool,
        output_buffer in 1..4_u32,
    ) -> RouterModel {
        let [route_delay, switch_allocation_delay, switch_delay] = delays.map(Duration::from_ps);
        RouterModel {
            mtu: Bytes(mtu), virtual_channels: 1, input_buffer: 1, output_buffer,
            route_delay, vc_allocation_delay: Duration::ZERO, switch_allocation_delay, switch_delay: vec![switch_delay],
            switch_bandwidth: Vec::from_iter(switch), speedup: 2, credit_delay: credit,
            credits: if by_flit { Credits::Flit } else { Credits::Packet },
            vc_allocation: if before_switch { VcAllocation::BeforeSwitch } else { VcAllocation::WithSwitch },
            ..RouterModel::default()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Through buffers that hold a round trip of their link a message alone is as fast as through such that never fill, in one virtual
    /// channel, on links of any speed and length, one behind another.
    #[test]
    fn a_round_trip_is_enough(
        model in models(), routers in 1..5_u32, cable in (1..20_u64, 1..400_u64), node in (1..20_u64, 1..400_u64),
    ) {
        let line = line(routers.max(2), cable, node);
        let [enough, endless] = [with_room(&model, 1, Room::RoundTrip), with_room(&model, 3_000, Room::Fixed)];
        let packets = 400;
        prop_assert_eq!(arrival(&enough, &line, packets), arrival(&endless, &line, packets));
    }
}
