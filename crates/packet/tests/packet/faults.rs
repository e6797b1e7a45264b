//! Machines with failed and slow links: packets go around what has failed, never wait in a circle, and all else is as it was.

use crate::flit::Message;
use crate::invariance::shown;
use crate::machines::{fat_tree, grid, node_link};
use crate::recorder::{Handing, play};
use crate::zoo::{deciding, escapes, network, pairs, some_faults, topologies, tree};
use proptest::prelude::*;
use weir_packet::{
    Arbiter, Classes, Dateline, DeadlockPolicy, NodeModel, PacketNetwork, RouterModel, VcAllocation,
    channels_of,
};
use weir_topology::{
    Adaptive, Degraded, FatTreeRouting, HyperX, Part, Rule, Switched, Tie, Topology, Wiring, Wrap,
};
use weir_units::NodeId;

const CABLE: (u64, u64) = (8, 10);

/// The machine without what these names stand for.
fn without(machine: &Topology, names: &[&str]) -> Topology {
    let links = machine.parts_named(names).into_iter().flat_map(|part| match part {
        Some(Part::Link(link)) => vec![link],
        Some(Part::Cable(links)) => links.to_vec(),
        Some(Part::Router(router)) => machine.links_at(router),
        None => panic!("one of {names:?} is no part"),
    });
    Topology::Degraded(Degraded::new(machine.clone(), links.map(|link| (link, 0.0)).collect()))
}

fn torus(shape: &[u32]) -> Topology {
    grid(shape, Wrap::Torus, &[CABLE], CABLE, Tie::Plus)
}

/// Room for one packet in each buffer.
fn tight() -> RouterModel {
    RouterModel { virtual_channels: 1, input_buffer: 1, output_buffer: 1, ..RouterModel::default() }
}

/// Two packets from every node to every other that it can reach.
fn all_that_can(topology: &Topology) -> Vec<Message> {
    let mut route = Vec::new();
    let can = pairs(topology.nodes()).filter(|&(from, to)| topology.find_route(from, to, &mut route));
    can.map(|(from, to)| Message { at: 0, from: from.0, to: to.0, bytes: 512 }).collect()
}

/// How many classes of virtual channels it needs.
fn classes(topology: &Topology) -> u32 {
    network(&tight(), &NodeModel::default(), topology).classes()
}

#[test]
fn classes_of_detours() {
    let tree = fat_tree(8, &[CABLE], CABLE, FatTreeRouting::DestinationMod);
    let cases = [
        // The other way round keeps to the order of a ring.
        (torus(&[8]), &["router (1) - router (2)"][..], 2),
        (torus(&[9, 3]), &["router (1,0) -> router (2,0)"], 3),
        (torus(&[8, 8]), &["router (1,0) - router (2,0)"], 3),
        (torus(&[8, 8]), &["router (1,0) - router (1,1)"], 3),
        (torus(&[8, 8]), &["router (1,0) - router (2,0)", "router (5,3) - router (5,4)", "router (7,7)"], 3),
        (torus(&[4, 4, 4]), &["router (1,0,0) - router (2,0,0)"], 3),
        (grid(&[6, 6], Wrap::Mesh, &[CABLE], CABLE, Tie::Plus), &["router (1,0) - router (2,0)"], 2),
        (tree.clone(), &["leaf 0 - middle 0"], 1),
        (tree, &["leaf 0 - middle 0", "middle 5", "middle 9 -> top 6"], 1),
    ];
    for (machine, names, expected) in cases {
        let degraded = without(&machine, names);
        assert_eq!(classes(&degraded), expected, "{names:?} of {} nodes", machine.nodes());
        let network = network(&tight(), &NodeModel::default(), &degraded);
        assert_eq!(
            network.class_rule() == Classes::One,
            classes(&machine) == 1,
            "the rule of the others stays"
        );
    }
}

/// A fault that is on nobody's way changes nothing, if no classes come to those that there were.
#[test]
fn faults_on_nobodys_way() {
    let tree = fat_tree(4, &[CABLE], CABLE, FatTreeRouting::DestinationMod);
    let ring = torus(&[8]);
    let to_the_next =
        |nodes: u32| (0..nodes / 2).map(|from| Message { at: 0, from, to: from + 1, bytes: 3000 });
    for (machine, name) in [(tree, "middle 7 - top 3"), (ring, "router (5) - router (6)")] {
        let run = |topology: &Topology| {
            let network = network(&tight(), &NodeModel::default(), topology);
            let messages: Vec<_> = to_the_next(machine.nodes() as u32).collect();
            let (ended, _) = play(&network, machine.nodes(), &messages, Handing::AtTheStart, 1);
            (ended.ended.digest, ended.until, format!("{:?}", ended.counts.links))
        };
        assert_eq!(run(&without(&machine, &[name])), run(&machine), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// With as many virtual channels as it needs, and room for one packet in each buffer, everything arrives that can, over
    /// the links of its route, and none that has failed; with one fewer the machine is refused. Threads change nothing.
    #[test]
    fn everything_arrives_that_can(
        machine in topologies(),
        draws in prop::collection::vec((any::<prop::sample::Index>(), 0..=4_u8), 1..6),
        more in 0..=1_u32, before_switch: bool,
        arbiter in prop_oneof![Just(Arbiter::RoundRobin), Just(Arbiter::TransitFirst), Just(Arbiter::OldestFirst)],
        dateline in prop_oneof![Just(Dateline::Crossing), Just(Dateline::Dimension)],
    ) {
        let topology = some_faults(&machine, &draws);
        let vc_allocation = if before_switch { VcAllocation::BeforeSwitch } else { VcAllocation::WithSwitch };
        let routers = RouterModel { virtual_channels: 1 + more, arbiter, vc_allocation, dateline, ..tight() };
        let node = NodeModel::default();
        let enough = network(&routers, &node, &topology);
        let messages = all_that_can(&topology);
        let mut expected = vec![0; topology.links()];
        let mut route = Vec::new();
        for message in &messages {
            topology.route(NodeId(message.from), NodeId(message.to), &mut route);
            route.iter().for_each(|link| expected[link.index()] += message.bytes);
        }
        let run = |threads| play(&enough, topology.nodes(), &messages, Handing::AtTheStart, threads).0;
        let ended = run(1);
        let carried: Vec<_> = ended.counts.links.iter().map(|link| link.bytes).collect();
        prop_assert_eq!(carried, expected);
        prop_assert_eq!(ended.ended.traffic.messages, messages.len() as u64);
        for threads in [2, 4] {
            prop_assert_eq!(shown(&run(threads)), shown(&ended));
        }
        // In a graph the number of virtual channels decides on the rule, and in a dragonfly.
        if enough.classes() > 1 && !matches!(machine, Topology::Graph(_) | Topology::Switched(_)) {
            let virtual_channels = enough.classes() - 1;
            let too_few = RouterModel { virtual_channels, deadlock: DeadlockPolicy::Refuse, ..routers };
            let refused = PacketNetwork::new(&too_few, &node, &topology).expect_err("it could get stuck");
            prop_assert_eq!(refused[0].key, "packet.virtual_channels");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A rule that chooses among ways leaves out those that have failed: all arrives by the channels that the rule has, over no link that has
    /// failed, the same for any number of threads. Where no way of the rule is left, it is refused by its name.
    #[test]
    fn rules_leave_out_what_has_failed(
        machine in deciding(),
        draws in prop::collection::vec((any::<prop::sample::Index>(), 0..=4_u8), 1..4),
        arbiter in prop_oneof![Just(Arbiter::RoundRobin), Just(Arbiter::OldestFirst)],
    ) {
        prop_assume!(machine.nodes() <= 100);
        let topology = some_faults(&machine, &draws);
        let routers = RouterModel { virtual_channels: channels_of(&topology), arbiter, ..tight() };
        let network = match PacketNetwork::new(&routers, &NodeModel::default(), &topology) {
            Ok(network) => network,
            Err(refused) => {
                prop_assert_eq!(refused[0].key, "topology.routing");
                prop_assert!(!escapes(&machine), "there are detours for all");
                return Ok(());
            }
        };
        let messages = all_that_can(&topology);
        let run = |threads| play(&network, topology.nodes(), &messages, Handing::AtTheStart, threads).0;
        let ended = run(1);
        prop_assert_eq!(ended.ended.traffic.messages, messages.len() as u64);
        let failed = topology.degraded().into_iter().flat_map(Degraded::failed);
        prop_assert!(failed.into_iter().all(|link| ended.counts.links[link.index()].packets == 0));
        prop_assert_eq!(shown(&run(3)), shown(&ended));
    }
}

/// Of two switches above four leaves one is lost to leaf 0, so all from and to its nodes goes by the other one, and what is between others
/// by both. Without the other cable of the leaf there is no way. In a line of three routers a detour is by the third one, and there is none without
/// its cable.
#[test]
fn rules_without_some_of_their_ways() {
    let tree = tree(&[(2, 2), (4, 0)], &[CABLE], CABLE, FatTreeRouting::RandomUp);
    let degraded = without(&tree, &["leaf 0 - top 1"]);
    let network = network(&tight(), &NodeModel::default(), &degraded);
    let messages: Vec<_> = all_that_can(&degraded).into_iter().cycle().take(56 * 20).collect();
    let (ended, _) = play(&network, 8, &messages, Handing::AtTheStart, 1);
    let packets = |name: &str| match tree.parts_named(&[name])[..] {
        [Some(Part::Link(link))] => ended.counts.links[link.index()].packets,
        _ => panic!("{name} is no link"),
    };
    assert_eq!((packets("leaf 0 -> top 1"), packets("top 1 -> leaf 0")), (0, 0));
    // Two nodes send two packets to each of six others, twenty times.
    assert_eq!((packets("leaf 0 -> top 0"), packets("top 0 -> leaf 0")), (480, 480));
    // Of leaf 1 those for leaf 0 go by the first one, and half of the others.
    let of_leaf_1 = (packets("leaf 1 -> top 0"), packets("leaf 1 -> top 1"));
    assert_eq!(of_leaf_1.0 + of_leaf_1.1, 480);
    assert!((130..190).contains(&of_leaf_1.1), "{of_leaf_1:?}");
    let grid = |rule| {
        let wiring = Wiring::HyperX(HyperX::new(&[3, 2], 1).expect("small"));
        let cables = vec![node_link(CABLE); 2];
        Topology::Switched(Switched::new(wiring, 1, cables, node_link(CABLE), rule).expect("it has the rule"))
    };
    let weights = Adaptive::default();
    let [dim, omni] = [Rule::DimWar(weights), Rule::OmniWar(weights)].map(grid);
    let (one, two) =
        (["router (0,0) - router (1,0)"], ["router (0,0) - router (1,0)", "router (0,0) - router (2,0)"]);
    for machine in [&dim, &omni] {
        let enough = RouterModel { virtual_channels: 4, ..tight() };
        let made =
            |names: &[&str]| PacketNetwork::new(&enough, &NodeModel::default(), &without(machine, names));
        assert!(made(&one).is_ok() && made(&two).is_err());
    }
    for (machine, names, what) in [
        (
            &tree,
            &["leaf 0 - top 1", "leaf 0 - top 0"][..],
            "is \"random-up\", which has no way from leaf 0 to leaf 1 without the links that have failed",
        ),
        (
            &dim,
            &two[..],
            "is \"dimwar\", which has no way from router (0,0) to router (1,0) without the links that have failed",
        ),
    ] {
        let model = RouterModel { virtual_channels: 3, ..tight() };
        let refused = PacketNetwork::new(&model, &NodeModel::default(), &without(machine, names));
        let refused = refused.expect_err("no way is left");
        assert_eq!((refused[0].key, &refused[0].what[..]), ("topology.routing", what));
    }
}
