//! Packets never wait for each other in a circle where the virtual channels are enough, on any machine; where they are
//! not, the machine is refused, and a run that gets stuck all the same names a true circle.

use crate::flit::Message;
use crate::machines::{fat_tree, grid, uniform, with_routers};
use crate::recorder::{Handing, Recorder, play};
use crate::zoo::{
    as_graph, as_graph_with_routes, extended_tree, graph, graphs, hypercrossbar, mixed, pairs,
    with_routes_along_a_tree,
};
use proptest::prelude::*;
use weir_network::{Limits, Outcome, Placement, RunContext};
use weir_packet::{
    Arbiter, ClassRule, Classes, Dateline, DeadlockPolicy, Injection, NodeModel, PacketEnded, PacketNetwork,
    RouterModel, SelfTraffic, Synthetic, TrafficPattern, VcAllocation,
};
use weir_topology::{End, FatTreeRouting, GivenRoutes, Graph, Hop, Tie, Topology, Wrap};
use weir_units::{Duration, LinkId, RouterId, Time};

const CABLE: (u64, u64) = (8, 10);

/// Routers with room for one packet in each buffer.
fn tight(virtual_channels: u32, deadlock: DeadlockPolicy) -> RouterModel {
    RouterModel { virtual_channels, deadlock, input_buffer: 1, output_buffer: 1, ..RouterModel::default() }
}

fn classes(topology: &Topology) -> u32 {
    let lenient = tight(1, DeadlockPolicy::Allow);
    with_routers(&lenient, topology).classes()
}

/// A graph of so many routers, each with a node, and cables between them.
fn one_each(routers: u32, joined: &[(u32, u32)]) -> Graph {
    graph(routers, joined, &(0..routers).collect::<Vec<_>>(), &[CABLE], CABLE)
}

/// A ring of routers, each with a node, and these chords.
fn ring(routers: u32, chords: &[(u32, u32)]) -> Graph {
    let around = (0..routers).map(|router| (router, (router + 1) % routers));
    one_each(routers, &around.chain(chords.iter().copied()).collect::<Vec<_>>())
}

/// An outer and an inner ring of five: three cables at each router, and every other at most two away.
fn petersen() -> Graph {
    let joined: Vec<_> =
        (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]).collect();
    one_each(10, &joined)
}

fn torus(shape: &[u32]) -> Topology {
    grid(shape, Wrap::Torus, &[CABLE], CABLE, Tie::Plus)
}

/// Every node of a ring sends so many packets to the one so many routers further, all at once.
fn round(nodes: u32, step: u32, packets: u64) -> Vec<Message> {
    (0..nodes).map(|from| Message { at: 0, from, to: (from + step) % nodes, bytes: 256 * packets }).collect()
}

/// Every node sends so many packets to every other, all at once.
fn all_to_all(nodes: usize, packets: u64) -> Vec<Message> {
    let message = |(from, to): (weir_units::NodeId, weir_units::NodeId)| Message {
        at: 0,
        from: from.0,
        to: to.0,
        bytes: 256 * packets,
    };
    pairs(nodes).map(message).collect()
}

/// Links meet where they should, each channel waits for the next one, and all have so many packets. Returns the routers in which
/// these are.
#[track_caller]
fn check_circle(topology: &Topology, ended: &PacketEnded, packets: u32) -> Vec<u32> {
    let stuck = ended.stuck.as_ref().expect("it is stuck");
    assert!(stuck.len() >= 2, "a circle: {stuck:?}");
    let mut places = Vec::new();
    for (channel, next) in stuck.iter().zip(stuck.iter().cycle().skip(1)) {
        assert_eq!((channel.waits_for, channel.waits_for_vc), (next.link, next.vc), "a circle: {stuck:?}");
        let (End::Router(to), End::Router(from)) =
            (topology.link(channel.link).to, topology.link(channel.waits_for).from)
        else {
            panic!("packets wait in routers, for links between them: {channel:?}");
        };
        assert_eq!(to, from, "a packet goes on where it is");
        assert_eq!(channel.packets, packets, "a full buffer");
        places.push(to.0);
    }
    places
}

/// Packets that nodes have sent have arrived or remain, and the run is over when the last of them has moved: no link was held for longer
/// than it took.
#[track_caller]
fn check_counts_of_stuck(topology: &Topology, ended: &PacketEnded) {
    let counts = &ended.counts;
    let injected =
        (0..topology.links()).map(LinkId::new).filter(|&id| matches!(topology.link(id).from, End::Node(_)));
    let sent: u64 = injected.map(|id| counts.links[id.index()].packets).sum();
    assert_eq!(sent, counts.packets + counts.remaining);
    assert!(counts.remaining > 0 && ended.until == ended.ended.at);
    let longest = counts.links.iter().map(|link| link.busy).max();
    assert!(
        longest > Some(Duration::ZERO) && longest <= Some(ended.until.since(Time::ZERO)),
        "{longest:?} of {}",
        ended.until
    );
}

/// With the virtual channels that it needs and some more, everything arrives. With one fewer it is refused; run all the
/// same, it ends, or gets stuck in a true circle.
#[track_caller]
fn check(topology: &Topology, more: u32, arbiter: Arbiter, packets: u64) {
    for vc_allocation in [VcAllocation::WithSwitch, VcAllocation::BeforeSwitch] {
        check_with(topology, more, (arbiter, vc_allocation), packets);
    }
}

#[track_caller]
fn check_with(topology: &Topology, more: u32, rules: (Arbiter, VcAllocation), packets: u64) {
    let (arbiter, vc_allocation) = rules;
    let routers = |channels, deadlock| RouterModel { arbiter, vc_allocation, ..tight(channels, deadlock) };
    let (classes, nodes) = (classes(topology), topology.nodes());
    let enough = routers(classes + more, DeadlockPolicy::Refuse);
    let network = with_routers(&enough, topology);
    let messages = all_to_all(nodes, packets);
    let (ended, _) = play(&network, nodes, &messages, Handing::AtTheStart, 1);
    assert_eq!(ended.counts.packets, messages.len() as u64 * packets);
    if classes > 1 {
        let too_few = routers(classes - 1, DeadlockPolicy::Refuse);
        let refused =
            PacketNetwork::new(&too_few, &NodeModel::default(), topology).expect_err("it can get stuck");
        assert_eq!(
            refused.iter().map(|refusal| refusal.key).collect::<Vec<_>>(),
            ["packet.virtual_channels"]
        );
        let lenient = routers(1, DeadlockPolicy::Allow);
        let network = with_routers(&lenient, topology);
        for threads in [1, 3] {
            let ended = run(&network, nodes, &messages, threads);
            match ended.stuck {
                Some(_) => {
                    assert_eq!(ended.ended.outcome, Outcome::Deadlock(Vec::new()));
                    check_circle(topology, &ended, 1);
                    check_counts_of_stuck(topology, &ended);
                }
                None => assert_eq!(ended.ended.outcome, Outcome::Finished),
            }
        }
    }
}

fn run(network: &PacketNetwork, nodes: usize, messages: &[Message], threads: usize) -> PacketEnded {
    let mut programs = Recorder::all(nodes, messages, Handing::AtTheStart);
    let placement = Placement::one_per_node(nodes);
    network.run(&mut programs, RunContext::new(&placement).threads(threads))
}

fn arbiters() -> impl Strategy<Value = Arbiter> {
    prop_oneof![
        Just(Arbiter::RoundRobin),
        Just(Arbiter::TransitFirst),
        Just(Arbiter::OldestFirst),
        Just(Arbiter::FixedPriority)
    ]
}

/// Tori and meshes with room for one packet in each buffer, whose packets choose the dimension.
fn chosen_grids() -> impl Strategy<Value = Topology> {
    let dimension = (1..=5_u32, prop_oneof![2 => Just(Wrap::Torus), 1 => Just(Wrap::Mesh)]);
    prop::collection::vec(dimension, 1..=3).prop_map(|shape| {
        let Topology::Torus(torus) = mixed(&shape, &[CABLE], CABLE, Tie::Spread) else { unreachable!() };
        Topology::Torus(torus.with_chosen_ways())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// With a lane to escape by all arrive; with one channel fewer the machine is refused.
    #[test]
    fn lanes_to_escape_by(topology in chosen_grids(), more in 0..=2_u32, arbiter in arbiters(), packets in 1..=3_u64) {
        prop_assume!(topology.nodes() <= 48);
        check_with(&topology, more, (arbiter, VcAllocation::WithSwitch), packets);
    }

    /// Fat trees need no classes, whatever port up a packet takes.
    #[test]
    fn chosen_ways_up(adapts: bool, arbiter in arbiters(), packets in 1..=3_u64) {
        let routing = if adapts { FatTreeRouting::AdaptiveUp } else { FatTreeRouting::RandomUp };
        check(&extended_tree(&[(2, 2, 2), (2, 3, 1), (3, 0, 1)], &[CABLE], CABLE, routing), 0, arbiter, packets);
    }

    #[test]
    fn random_graphs(graph in graphs(), more in 0..=2_u32, arbiter in arbiters(), packets in 1..=4_u64) {
        check(&Topology::Graph(graph), more, arbiter, packets);
    }

    /// Detours along a tree need one class: they go up and then down.
    #[test]
    fn routes_along_a_tree(graph in graphs(), arbiter in arbiters()) {
        let topology = Topology::Graph(with_routes_along_a_tree(&graph, RouterId(0)));
        prop_assert_eq!(classes(&topology), 1);
        check(&topology, 0, arbiter, 2);
    }
}

/// With as many virtual channels as links the class is the number of links passed; with fewer there is a search, and where
/// there are no circles all channels are alike.
#[test]
fn rules_of_classes() {
    let rule = |topology: &Topology, virtual_channels, classes| {
        let routers = RouterModel { classes, ..tight(virtual_channels, DeadlockPolicy::Allow) };
        let network = with_routers(&routers, topology);
        (network.class_rule(), network.classes())
    };
    let ring_of = |routers| Topology::Graph(ring(routers, &[]));
    let ring = ring_of(8);
    assert_eq!(rule(&ring, 3, ClassRule::Automatic), (Classes::Fewest, 2));
    assert_eq!(rule(&ring, 4, ClassRule::Automatic), (Classes::LinksPassed, 4));
    assert_eq!(rule(&ring, 4, ClassRule::Fewest), (Classes::Fewest, 2));
    assert_eq!(rule(&ring, 2, ClassRule::LinksPassed), (Classes::LinksPassed, 4));
    let mesh = Topology::Graph(as_graph_with_routes(&grid(&[4, 4], Wrap::Mesh, &[CABLE], CABLE, Tie::Plus)));
    assert_eq!(rule(&mesh, 8, ClassRule::Automatic), (Classes::One, 1));
    assert_eq!(rule(&torus(&[8]), 2, ClassRule::Automatic), (Classes::Dateline(Dateline::Crossing), 2));
    // Sixteen routers in a line have routes of fifteen links, as many as there can be classes; one more is too many, if it has to be
    // by links, and no reason for more than one class, if not.
    let line = |routers: u32| {
        let joined: Vec<_> = (1..routers).map(|router| (router - 1, router)).collect();
        Topology::Graph(one_each(routers, &joined))
    };
    assert_eq!(rule(&line(16), 1, ClassRule::LinksPassed), (Classes::LinksPassed, 15));
    assert_eq!(rule(&line(17), 1, ClassRule::Automatic), (Classes::One, 1));
    let by_links = RouterModel { classes: ClassRule::LinksPassed, ..tight(1, DeadlockPolicy::Allow) };
    let refused = PacketNetwork::new(&by_links, &NodeModel::default(), &line(17)).expect_err("16 links");
    assert_eq!(refused[0].key, "topology.kind");
    // With 32 virtual channels a ring of 30 has classes by its 15 links, one of 32 has not.
    assert_eq!(rule(&ring_of(30), 32, ClassRule::Automatic), (Classes::LinksPassed, 15));
    assert_eq!(rule(&ring_of(32), 32, ClassRule::Automatic), (Classes::Fewest, 2));
    // No way leads round: a mesh, rings of three at most, a tree, crossbars.
    let mesh = grid(&[4, 4], Wrap::Mesh, &[CABLE], CABLE, Tie::Plus);
    let tree = fat_tree(4, &[CABLE], CABLE, FatTreeRouting::DestinationMod);
    for topology in [mesh, torus(&[3, 3]), tree, hypercrossbar(&[3, 2], &[CABLE; 2], CABLE)] {
        assert_eq!(rule(&topology, 2, ClassRule::Automatic), (Classes::One, 1));
    }
}

/// A ring of four routers with a node each, in which all go the same way round; a class for each link of a route, from the
/// router at which it begins and whether the route has passed router 0 on its way.
fn one_way(class: impl Fn(u32, bool) -> u8) -> Topology {
    let graph = ring(4, &[]);
    let mut routes = GivenRoutes::of(&graph);
    for (from, to) in pairs(4) {
        let steps = (to.0 + 4 - from.0) % 4;
        let hops = (0..=steps).map(|step| {
            let router = RouterId((from.0 + step) % 4);
            let before = (from.0 + step + 3) % 4;
            let class = (step > 0).then(|| class(before, from.0 + step > 4));
            Hop { class, ..Hop::to(router) }
        });
        routes.add(&graph, from, to, &hops.collect::<Vec<_>>()).expect("a route round the ring");
    }
    Topology::Graph(graph.with_routes(routes).expect("a route for every pair"))
}

/// Classes that are given are taken if they do what they are for. Class 1 from the link that closes the ring on, 3 to 0, or
/// behind it, will do, and a higher one in its place, up to the fifteenth. One class for all does not, nor does another one
/// for one link only.
#[test]
fn classes_that_are_given() {
    let build = |topology: &Topology, virtual_channels, deadlock| {
        PacketNetwork::new(&tight(virtual_channels, deadlock), &NodeModel::default(), topology)
            .map(|network| (network.classes(), network.class_rule()))
            .map_err(|refusals| refusals[0].key)
    };
    for (class, classes) in [(1, 2), (2, 3), (14, 15)] {
        for topology in [
            one_way(|router, passed| if passed || router == 3 { class } else { 0 }),
            one_way(|_, passed| if passed { class } else { 0 }),
        ] {
            assert_eq!(build(&topology, classes, DeadlockPolicy::Refuse), Ok((classes, Classes::Given)));
            let too_few = build(&topology, classes - 1, DeadlockPolicy::Refuse);
            assert_eq!(too_few, Err("packet.virtual_channels"));
            let network =
                PacketNetwork::new(&tight(classes, DeadlockPolicy::Refuse), &NodeModel::default(), &topology);
            let messages = all_to_all(4, 20);
            let (ended, _) = play(&network.expect("enough"), 4, &messages, Handing::AtTheStart, 1);
            assert_eq!(ended.counts.packets, 12 * 20);
        }
    }
    let too_many = one_way(|router, passed| if passed || router == 3 { 15 } else { 0 });
    assert_eq!(build(&too_many, 16, DeadlockPolicy::Refuse), Err("topology.kind"));
    for topology in [one_way(|_, _| 0), one_way(|_, _| 1), one_way(|router, _| u8::from(router == 2))] {
        assert_eq!(build(&topology, 4, DeadlockPolicy::Refuse), Err("topology.routes"));
        assert!(build(&topology, 4, DeadlockPolicy::Allow).is_ok());
    }
}

/// A circle of full buffers is reported from the lane with the lowest number on: that of router 0, or of router 1 where the circle does
/// not lead through router 0, whose node waits to get into it.
#[test]
fn circles_of_full_buffers() {
    let beside = Topology::Graph(one_each(6, &[(1, 2), (2, 3), (3, 4), (4, 5), (5, 1), (0, 3)]));
    let further = |from| Message { at: 0, from, to: (from + 1) % 5 + 1, bytes: 256 * 90 };
    let mut into_it: Vec<_> = (1..6).map(further).collect();
    into_it.push(Message { at: 0, from: 0, to: 5, bytes: 256 * 90 });
    for (topology, messages, routers) in
        [(torus(&[5]), round(5, 2, 90), [0, 1, 2, 3, 4]), (beside, into_it, [1, 2, 3, 4, 5])]
    {
        for (input_buffer, threads) in [(1, 1), (2, 1), (2, 3), (7, 3)] {
            let model = RouterModel { input_buffer, ..tight(1, DeadlockPolicy::Allow) };
            let ended = run(&with_routers(&model, &topology), topology.nodes(), &messages, threads);
            assert_eq!(check_circle(&topology, &ended, input_buffer), routers);
        }
    }
}

/// Whether a network is stuck before a limit does not depend on where windows end.
#[test]
fn a_limit_about_the_instant_of_getting_stuck() {
    let messages = round(8, 3, 20);
    let topology = torus(&[8]);
    let lenient = tight(1, DeadlockPolicy::Allow);
    let network = with_routers(&lenient, &topology);
    let width = network.window().as_ps();
    let mut outcomes = Vec::new();
    for at in (0..60).map(|step| Time::from_ps(step * width / 3 + 1)) {
        let limits = Limits { simulated: at, ..Limits::default() };
        let run = |parts, threads| {
            let narrow = network.clone().with_window(Duration::from_ps(width / parts));
            let mut programs = Recorder::all(8, &messages, Handing::AtTheStart);
            let ended = narrow.run(
                &mut programs,
                RunContext::new(&Placement::one_per_node(8)).limits(limits).threads(threads),
            );
            (ended.ended, ended.until, ended.counts.links, ended.stuck)
        };
        let one = run(1, 1);
        for (parts, threads) in [(1, 3), (2, 1), (7, 1)] {
            assert_eq!(run(parts, threads), one, "until {at}, windows of 1/{parts}, {threads} threads");
        }
        outcomes.push(one.3.is_some());
    }
    assert!(!outcomes[0] && outcomes[59] && outcomes.is_sorted(), "{outcomes:?}");
}

/// All send two routers further round a ring of four, with room for one packet in each buffer and crossbars without delay: 32 ns a
/// packet. The first ones are at their routers after 10 ns, take the links at 16 ns and are eligible at the next routers at 32 ns;
/// there each waits for the place that the next one has. At 48 ns the first ones have left their first routers, credits are back at
/// the nodes at 58 ns, and the second ones have left these at 90 ns. Then nothing moves any more, by whomever they are sent: with
/// programs no message is there, and nothing has happened to them behind the beginning.
#[test]
fn a_run_that_is_stuck_ends_when_the_last_packet_has_moved() {
    let lenient = RouterModel { switch_delay: vec![Duration::ZERO], ..tight(1, DeadlockPolicy::Allow) };
    let network = with_routers(&lenient, &torus(&[4]));
    let traffic = Synthetic {
        pattern: TrafficPattern::Shift { shift: 2 },
        offered_load: 1.0,
        injection: Injection::Bernoulli { slot: Some(Duration::from_ns(32)) },
        self_traffic: SelfTraffic::Allowed,
        duration: Duration::from_ns(100_000),
        ..uniform()
    };
    let expected = (Time::from_ps(90_000), 0, 8);
    for (parts, threads) in [(1, 1), (1, 2), (1, 3), (2, 1), (7, 1), (3, 2)] {
        let network = network.clone().with_window(Duration::from_ps(network.window().as_ps() / parts));
        let ended = network.run_synthetic(&traffic, RunContext::without_ranks().threads(threads));
        assert_eq!(ended.outcome, Outcome::Deadlock(Vec::new()));
        assert_eq!(ended.stuck.map(|circle| circle.len()), Some(4));
        assert_eq!((ended.until, ended.counts.packets, ended.counts.remaining), expected);
        let ended = run(&network, 4, &round(4, 2, 4000), threads);
        check_circle(&torus(&[4]), &ended, 1);
        check_counts_of_stuck(&torus(&[4]), &ended);
        assert_eq!((ended.until, ended.counts.packets, ended.counts.remaining), expected);
        assert_eq!(ended.ended.traffic.messages, 0);
    }
}

/// Virtual channels that machines of each kind need.
#[test]
fn classes_of_machines() {
    for (shape, expected) in [(&[8][..], 2), (&[4, 4], 2), (&[3, 3], 1), (&[3, 4], 2), (&[2, 2, 2], 1)] {
        for (wrap, expected) in [(Wrap::Torus, expected), (Wrap::Mesh, 1)] {
            let machine = grid(shape, wrap, &[CABLE], CABLE, Tie::Plus);
            let given = Topology::Graph(as_graph_with_routes(&machine));
            assert_eq!(
                [machine, given].map(|machine| classes(&machine)),
                [expected; 2],
                "{wrap:?} {shape:?}"
            );
        }
    }
    for routing in [FatTreeRouting::DestinationMod, FatTreeRouting::SourceMod] {
        let tree = fat_tree(4, &[CABLE], CABLE, routing);
        assert_eq!(classes(&tree), 1);
        // Computed routes go up and then down as well.
        assert_eq!(classes(&Topology::Graph(as_graph(&tree))), 1);
    }
    let crossbars = hypercrossbar(&[4, 3, 2], &[CABLE], CABLE);
    assert_eq!(classes(&crossbars), 1);
    assert_eq!(classes(&Topology::Graph(as_graph_with_routes(&crossbars))), 1);
    assert_eq!(classes(&Topology::Graph(ring(8, &[]))), 2);
    assert_eq!(classes(&Topology::Graph(petersen())), 2);
    // Computed routes turn wherever they like.
    assert_eq!(classes(&Topology::Graph(as_graph(&torus(&[4, 4])))), 2);
    assert_eq!(classes(&Topology::Graph(as_graph(&torus(&[4, 4, 4])))), 3);
}
