use super::*;
use crate::routing::Routing;
use crate::{NodeModel, PacketNetwork};
use std::collections::{BTreeMap, BTreeSet};
use weir_topology::{
    Arrangement, Degraded, Dimension, Dragonfly, DragonflyPlus, End, FatTree, FatTreeRouting, HyperX,
    NodeLink, PolarFly, SlimFly, Switches, Tie, Topology, Torus, Wrap,
};
use weir_units::{Bandwidth, Duration, LinkId};

fn dragonfly(routers: (u32, u32), groups: (u32, u32)) -> Wiring {
    Wiring::Dragonfly(Dragonfly::new(routers, groups, Arrangement::PalmTree).expect("small"))
}

fn of_leaves(routers: (u32, u32, u32), groups: (u32, u32)) -> Wiring {
    Wiring::DragonflyPlus(DragonflyPlus::new(routers, groups, Arrangement::Relative).expect("small"))
}

fn hyper_x(shape: &[u32], links_per_pair: u32) -> Wiring {
    Wiring::HyperX(HyperX::new(shape, links_per_pair).expect("small"))
}

fn cable() -> NodeLink {
    NodeLink { bandwidth: Bandwidth::new(1e9).expect("positive"), latency: Duration::from_ns(10) }
}

/// Stages of ports down and up, each port up with so many cables.
fn fat_tree(stages: &[(u32, u32)], parallel: u32, routing: FatTreeRouting) -> FatTree {
    let stages: Vec<_> = stages.iter().map(|&(down, up)| Switches { down, up }).collect();
    let between = stages.len() - 1;
    let made = FatTree::with_parallel_cables(
        &stages,
        &vec![parallel; between],
        &vec![cable(); between],
        routing,
        cable(),
    );
    made.expect("a small tree")
}

fn torus(shape: &[(u32, Wrap)]) -> Torus {
    let NodeLink { bandwidth, latency } = cable();
    let dimension = |&(size, wrap): &(u32, Wrap)| Dimension { size, wrap, bandwidth, latency };
    Torus::new(shape.iter().map(dimension).collect(), Tie::default(), cable()).expect("a small grid")
}

/// A fat tree as a rule sees it.
fn tree(stages: &[(u32, u32)], parallel: u32) -> Wiring {
    let tree = fat_tree(stages, parallel, FatTreeRouting::RandomUp);
    tree.chosen().expect("it has a rule").wiring().clone()
}

/// The cables of each network, and the torus that it is.
fn wirings() -> Vec<(Wiring, Option<Torus>)> {
    let none = vec![
        dragonfly((2, 1), (3, 1)),
        dragonfly((4, 2), (9, 1)),
        dragonfly((4, 2), (3, 4)),
        dragonfly((1, 4), (5, 1)),
        dragonfly((3, 1), (1, 1)),
        of_leaves((2, 2, 1), (3, 1)),
        of_leaves((2, 3, 1), (4, 1)),
        of_leaves((3, 2, 2), (3, 2)),
        hyper_x(&[5], 1),
        hyper_x(&[3, 4], 2),
        hyper_x(&[3, 2, 3], 1),
        Wiring::SlimFly(SlimFly::new(3).expect("a prime")),
        Wiring::PolarFly(PolarFly::new(3).expect("a prime")),
        tree(&[(2, 2), (2, 3), (3, 0)], 1),
        tree(&[(1, 2), (4, 0)], 3),
    ];
    let grids = [
        torus(&[(5, Wrap::Torus)]),
        torus(&[(4, Wrap::Torus), (6, Wrap::Torus)]),
        torus(&[(4, Wrap::Torus), (3, Wrap::Mesh), (2, Wrap::Torus)]),
        torus(&[(3, Wrap::Mesh), (4, Wrap::Mesh)]),
    ];
    let grid = |torus: Torus| {
        let chosen = torus.with_chosen_ways();
        (chosen.chosen().expect("it has a rule").wiring().clone(), Some(chosen))
    };
    none.into_iter().map(|wiring| (wiring, None)).chain(grids.map(grid)).collect()
}

fn rules() -> Vec<Rule> {
    let weights =
        |decide| Adaptive { minimal_weight: 2, detour_weight: 1, candidates: 2, threshold: 0, decide };
    [Decide::SourceRouter, Decide::EachRouter]
        .into_iter()
        .flat_map(|decide| Rule::all(weights(decide)))
        .collect()
}

/// A network under a rule, if that fits it.
fn made(wiring: Wiring, rule: Rule) -> Option<Switched> {
    let classes = wiring.classes().len();
    Switched::new(wiring, 1, vec![cable(); classes], cable(), rule).ok()
}

/// All that a rule can decide for a packet, whatever is drawn and whatever queues there are.
fn next(ruled: &Ruled, at: At) -> BTreeSet<Decision> {
    let drawn = |draw: u64| {
        let mut queue = |port: u16| mix(draw ^ u64::from(port)) % 4 * 100;
        let far = |router: u32, port: u16| mix(draw ^ u64::from(router) << 16 ^ u64::from(port)) % 4 * 100;
        let mut room =
            |port: u16, _| !draw.is_multiple_of(4) && mix(draw + u64::from(port)).is_multiple_of(2);
        let view = View { draw: mix(draw), queue: &mut queue, far: &far, room: &mut room };
        ruled.decide(at, &mut Candidates::default(), Some(view)).expect("a view suffices")
    };
    if ruled.decides() {
        return (0..60).map(drawn).collect();
    }
    let Hop { output, class } = ruled.hop(at);
    [Decision { output, class, is_made: true, address: at.address }].into()
}

/// Packets never wait for each other in a circle: of all channels, which are links with a class, those that a packet can have one after
/// the other make a graph without circles, for every rule on every kind of network. Where a class is the number of links passed, there
/// are as many as a packet can pass. All packets arrive. Where there is a lane to escape by, packets go on in the others only where there is
/// room, so they wait for those of the lane alone, and can always take one of them.
#[test]
fn no_circle_of_channels() {
    for (wiring, torus) in wirings() {
        for rule in rules() {
            let Some(network) = made(wiring.clone(), rule) else { continue };
            for virtual_channels in [2, 16] {
                let model = RouterModel { virtual_channels, ..RouterModel::default() };
                let ruled =
                    Ruled::new((&network, torus.as_ref()), &model, 1, false).expect("a small machine");
                check(&ruled, &network, &format!("{} on {wiring:?}", rule.name()), None);
            }
        }
    }
}

/// A machine of each kind under each rule that fits, whole.
fn machines() -> impl Iterator<Item = Topology> {
    let of_wiring = |(wiring, torus): (Wiring, Option<Torus>)| -> Vec<Topology> {
        match torus {
            Some(torus) => vec![Topology::Torus(torus)],
            None => {
                let made = |rule: Rule| made(wiring.clone(), rule).filter(|_| !rule.is_fixed());
                rules().into_iter().filter_map(made).map(Topology::Switched).collect()
            }
        }
    };
    let is_tree = |wiring: &Wiring| matches!(wiring, Wiring::FatTree(_));
    wirings().into_iter().filter(move |(wiring, _)| !is_tree(wiring)).flat_map(of_wiring)
}

/// The same where links have failed: nothing goes over one of them, and all arrives that can.
#[test]
fn no_circle_of_channels_without_what_has_failed() {
    let (mut made, mut refused) = (BTreeMap::new(), BTreeMap::new());
    for (number, machine) in machines().enumerate() {
        for draw in 0..3_u64 {
            let between =
                |id: &LinkId| matches!(machine.link(*id).to, End::Router(_)) && id.index() >= machine.nodes();
            let links: Vec<_> = (0..machine.links()).map(LinkId::new).filter(between).collect();
            let drawn = |which| links[pick(mix(mix(number as u64) ^ mix(draw) ^ which), links.len())];
            let failed = (0..=draw).map(|which| (drawn(which), 0.0)).collect();
            let topology = Topology::Degraded(Degraded::new(machine.clone(), failed));
            let network = machine.chosen().expect("it has a rule");
            let name = network.rule().name();
            let virtual_channels = crate::channels_of(&topology);
            let model = RouterModel { virtual_channels, ..RouterModel::default() };
            let routing = match PacketNetwork::new(&model, &NodeModel::default(), &topology) {
                Ok(network) => network.routing,
                Err(why) => {
                    assert_eq!(why[0].key, "topology.routing", "{why:?}");
                    *refused.entry(name).or_insert(0) += 1;
                    continue;
                }
            };
            *made.entry(name).or_insert(0) += 1;
            let Routing::Ruled(ruled) = &routing else { unreachable!("it has a rule") };
            let name = format!("{name} on {machine:?} without {:?}", topology.degraded());
            check(ruled, network, &name, Some(&topology));
        }
    }
    // Of rules that go around most machines have a way; those of a torus or mesh all have.
    for rule in rules().into_iter().filter(|rule| rule.adaptive().is_some() || *rule == Rule::ValiantGroup) {
        let [made, refused] = [&made, &refused].map(|all| all.get(rule.name()).copied().unwrap_or(0));
        assert!(made > refused, "{}: {made} machines, {refused} refused", rule.name());
    }
}

/// A link, by its router and port, and a class.
type Held = (u32, u16, u8);

#[track_caller]
fn check(ruled: &Ruled, network: &Switched, name: &str, degraded: Option<&Topology>) {
    let leads = |from, to| degraded.is_none_or(|machine| machine.find_route(from, to, &mut Vec::new()));
    let failed: Vec<_> = degraded.and_then(Topology::degraded).iter().flat_map(|all| all.failed()).collect();
    let mut follows: BTreeMap<Held, BTreeSet<Held>> = BTreeMap::new();
    // The channel in which a packet is, if it is not at its first router; where that is, its address, and the links that it has passed.
    let homes = 0..network.homes();
    let pairs = homes.clone().flat_map(|from| homes.clone().map(move |to| (from, to)));
    let pairs = pairs.filter(|&(from, to)| from == to || leads(NodeId(from), NodeId(to)));
    let begin = |(from, to)| (None::<Held>, from, ruled.address(NodeId(from), 0, NodeId(to)), 0_u32);
    let mut open: Vec<_> = pairs.map(begin).collect();
    let mut seen: BTreeSet<_> = open.iter().copied().collect();
    while let Some((held, router, address, passed)) = open.pop() {
        let input = if held.is_none() { u16::MAX } else { 0 };
        let channel = Channel { input, vc: 0, class: held.map_or(0, |held| held.2) };
        let mut goes = BTreeSet::new();
        for decision in next(ruled, At { router, channel, address, nic: 0 }) {
            let Decision { output, class, address, .. } = decision;
            if u32::from(output) >= network.ports(RouterId(router)) {
                assert_eq!(network.home(ruled.destination(address)).0, router, "{name}: it ends elsewhere");
                continue;
            }
            assert!(u32::from(class) < ruled.classes, "{name}: there is no class {class}");
            if ruled.class_rule == Classes::LinksPassed {
                assert_eq!(u32::from(class), passed, "{name}: there are more links than classes");
            }
            let after = (router, output, class);
            let waits = ruled.escape.as_ref().is_none_or(|escape| class != escape.adaptive);
            if let Some(held) = held.filter(|_| waits) {
                follows.entry(held).or_default().insert(after);
            }
            goes.insert((waits, output));
            assert!(passed < 20, "{name}: it does not arrive");
            let link = network.link_at(RouterId(router), output);
            assert!(!failed.contains(&link), "{name}: it takes a link that has failed");
            let there = network.neighbor(RouterId(router), output).0;
            let state = (Some(after), there, address, passed + 1);
            if seen.insert(state) {
                open.push(state);
            }
        }
        let to_escape = goes.iter().filter(|(waits, _)| *waits).count();
        assert!(ruled.escape.is_none() || goes.is_empty() || to_escape == 1, "{name}: one lane to escape by");
    }
    // Channels on which nothing follows are taken away until none is left.
    while !follows.is_empty() {
        let before = follows.len();
        let all = follows.values().flatten();
        let ends: BTreeSet<Held> = all.filter(|held| !follows.contains_key(held)).copied().collect();
        follows.values_mut().for_each(|after| after.retain(|held| !ends.contains(held)));
        follows.retain(|_, after| !after.is_empty());
        assert!(follows.len() < before, "{name}: channels wait for each other in a circle: {follows:?}");
    }
}

/// A machine has as many channels as its rule has classes, unless said, and is refused with fewer than it needs.
#[test]
fn channels_that_rules_need() {
    let adaptive = Adaptive::default();
    let balanced = || dragonfly((4, 2), (9, 1));
    let grid = || hyper_x(&[4, 4], 1);
    let leaves = || of_leaves((2, 3, 1), (4, 1));
    for (wiring, rule, unless_said, at_least) in [
        (balanced(), Rule::Minimal, 3, 2),
        (balanced(), Rule::MinimalAdaptive, 3, 3),
        (balanced(), Rule::Valiant, 6, 6),
        (balanced(), Rule::ValiantGroup, 5, 5),
        (balanced(), Rule::UgalL(adaptive), 6, 6),
        (balanced(), Rule::UgalG(adaptive), 6, 6),
        (balanced(), Rule::UgalL(Adaptive { decide: Decide::EachRouter, ..adaptive }), 8, 8),
        (balanced(), Rule::Par(adaptive), 7, 7),
        (grid(), Rule::Minimal, 1, 1),
        (grid(), Rule::MinimalRandom, 2, 2),
        (grid(), Rule::DimWar(adaptive), 2, 2),
        (grid(), Rule::OmniWar(adaptive), 4, 4),
        (leaves(), Rule::Minimal, 1, 1),
        (leaves(), Rule::UgalL(adaptive), 6, 6),
        (leaves(), Rule::ValiantGroup, 7, 7),
    ] {
        let topology = Topology::Switched(made(wiring, rule).expect("the rule fits"));
        let is_enough = |virtual_channels: u32| {
            let model = RouterModel { virtual_channels, ..RouterModel::default() };
            PacketNetwork::new(&model, &NodeModel::default(), &topology).is_ok()
        };
        let found = (crate::channels_of(&topology), (1..9).find(|&channels| is_enough(channels)));
        assert_eq!(found, (unless_said, Some(at_least)), "{}", rule.name());
        assert!((at_least..9).all(is_enough));
        if at_least > 1 && rule != Rule::Minimal {
            let model = RouterModel { virtual_channels: at_least - 1, ..RouterModel::default() };
            let refused =
                PacketNetwork::new(&model, &NodeModel::default(), &topology).expect_err("it has too few");
            let hint = format!(
                "{at_least} virtual channels are enough for these routes, which follow topology.routing = \"{}\"",
                rule.name()
            );
            assert!(refused[0].hint.starts_with(&hint), "{}", refused[0].hint);
        }
    }
    let tree = |routing| Topology::FatTree(fat_tree(&[(2, 2), (2, 0)], 2, routing));
    let chosen = |shape: &[(u32, Wrap)]| Topology::Torus(torus(shape).with_chosen_ways());
    for (topology, channels) in [
        (tree(FatTreeRouting::AdaptiveUp), 1),
        (tree(FatTreeRouting::RandomUp), 1),
        (chosen(&[(4, Wrap::Torus), (3, Wrap::Torus)]), 3),
        (chosen(&[(4, Wrap::Mesh), (9, Wrap::Mesh)]), 2),
        (chosen(&[(4, Wrap::Mesh), (3, Wrap::Torus)]), 2),
    ] {
        let made = |virtual_channels: u32| {
            let model = RouterModel { virtual_channels, ..RouterModel::default() };
            PacketNetwork::new(&model, &NodeModel::default(), &topology)
        };
        assert_eq!(crate::channels_of(&topology), channels);
        assert!(made(channels).is_ok() && (channels == 1 || made(channels - 1).is_err()));
    }
}

/// A lane to escape by needs channels that are taken where there is room, and classes that depend on the place alone.
#[test]
fn routers_without_a_lane_to_escape_by() {
    use crate::{Dateline, VcAllocation};
    let topology = Topology::Torus(torus(&[(4, Wrap::Torus)]).with_chosen_ways());
    let enough = || RouterModel { virtual_channels: 3, ..RouterModel::default() };
    for (model, key) in [
        (RouterModel { vc_allocation: VcAllocation::BeforeSwitch, ..enough() }, "packet.vc_allocation"),
        (RouterModel { dateline: Dateline::Dimension, ..enough() }, "packet.dateline"),
    ] {
        let refused =
            PacketNetwork::new(&model, &NodeModel::default(), &topology).expect_err("it is refused");
        assert_eq!(refused.iter().map(|refusal| refusal.key).collect::<Vec<_>>(), [key]);
    }
}
