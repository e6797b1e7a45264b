//! Rules that weigh queues: what goes around where shortest ways are full. Links of 1 B/s.

use crate::chosen::{dragonfly, network, send};
use crate::common::{RULES, UNIT};
use proptest::prelude::*;
use weir_flow::{Flow, KeepCycles, Sharing, rates_of_pairs};
use weir_topology::{
    Adaptive, Arrangement, Dragonfly, DragonflyPlus, End, HyperX, PolarFly, Rule, Topology, Wiring,
};
use weir_units::{LinkId, NodeId};

const WEIGHTS: Adaptive = Adaptive::DEFAULT;

fn grid(shape: &[u32], links: u32, per_router: u32, node: f64, rule: Rule) -> Topology {
    let wiring = Wiring::HyperX(HyperX::new(shape, links).expect("a grid"));
    network(wiring, per_router, [0, 0], node, rule)
}

fn rates(topology: &Topology, pairs: &[(u32, u32)]) -> Vec<f64> {
    let pairs: Vec<_> = pairs.iter().map(|&(from, to)| (NodeId(from), NodeId(to))).collect();
    rates_of_pairs(topology, &pairs)
}

#[track_caller]
fn check(rates: &[f64], expected: &[f64]) {
    let is_near = |(rate, expected): (&f64, &f64)| (rate / expected - 1.0).abs() < 2e-3;
    assert!(
        rates.len() == expected.len() && rates.iter().zip(expected).all(is_near),
        "{rates:?}, not {expected:?}"
    );
}

/// Four routers, each joined to each, with nodes that are three times as fast as a cable: one third of a flow takes the cable, and one
/// third goes by each of the other two routers.
#[test]
fn a_full_mesh_has_as_many_ways_as_other_routers() {
    for rule in [Rule::UgalL(WEIGHTS), Rule::DimWar(WEIGHTS), Rule::OmniWar(WEIGHTS)] {
        check(&rates(&grid(&[4], 1, 1, 3.0, rule), &[(0, 1)]), &[3.0]);
        check(&rates(&grid(&[4], 1, 1, 1.5, rule), &[(0, 1)]), &[1.5]);
        check(&rates(&grid(&[4], 1, 1, 9.0, rule), &[(0, 1)]), &[3.0]);
    }
    check(&rates(&grid(&[4], 1, 1, 3.0, Rule::MinimalAdaptive), &[(0, 1)]), &[1.0]);
}

/// Two flows from router 0, to 1 and to 2, with nodes twice as fast as a cable: each has its own cable, and of the ways around that by router
/// 3 alone is free, of which both need the first cable. Each has 1 + 1/2.
#[test]
fn shortest_ways_have_precedence() {
    let topology = grid(&[4], 1, 2, 2.0, Rule::UgalL(WEIGHTS));
    check(&rates(&topology, &[(0, 2), (1, 4)]), &[1.5, 1.5]);
}

/// Node 0 sends over a cable that six flows share, and into a node that node 2, of the same router, could fill alone. It goes around, so it has half of
/// that node, and not the sixth that shortest ways give it.
#[test]
fn links_of_nodes_are_shared_fairly() {
    let pairs = [(0, 6), (1, 7), (2, 8), (3, 9), (4, 10), (5, 11), (12, 6)];
    let of = |rule| rates(&grid(&[8], 1, 6, 1.0, rule), &pairs);
    check(&of(Rule::Minimal)[..1], &[1.0 / 6.0]);
    check(&of(Rule::UgalL(WEIGHTS))[..1], &[0.5]);
}

/// Two flows share the three ways from router 0 to router 1, all of which each could have alone: 3 and 12 kB at 1.5 B/s. When the first has left after
/// 2,000 s, the other is as fast as its node at once, and done at 5,000 s, though 46 flows go on that no router holds back.
#[test]
fn who_is_left_takes_the_room_of_who_has_gone() {
    let topology = grid(&[4], 1, 12, 3.0, Rule::UgalL(WEIGHTS));
    let bytes = |from: u32| [3_000, 12_000, 60_000][from.min(2) as usize];
    // All but the two stay with nodes of their own router from which or to which nothing else goes.
    let to = |from| if from < 2 { from + 12 } else { from / 12 * 12 + 2 + from % 12 % 10 };
    let flow = Flow { keep: KeepCycles::Yes, ..Flow::default() };
    let ended = send(flow, &topology, bytes, to);
    let ends: Vec<f64> = ended.kept[1..].iter().map(|cycle| cycle.at.as_ps() as f64 / UNIT as f64).collect();
    assert_eq!(ended.kept[1].flows, 47);
    check(&ends[..2], &[2_000.0, 5_000.0]);
}

/// Two routers of a grid of 4 x 4 that differ in both dimensions, with nodes that are much faster than cables. In dimension order all is limited by the first
/// line, where there are three cables; else also ways that begin along y are free: six.
#[test]
fn a_grid_has_ways_in_lines() {
    let rates = |rule| rates(&grid(&[4, 4], 1, 1, 9.0, rule), &[(0, 5)])[0];
    assert_eq!(rates(Rule::Minimal), 1.0);
    let (in_order, in_any) = (rates(Rule::DimWar(WEIGHTS)), rates(Rule::OmniWar(WEIGHTS)));
    assert!(in_order > 1.9 && in_order < 3.01, "{in_order}");
    assert!(in_any > 3.5 && in_any < 6.01, "{in_any}");
}

/// Groups of 4 routers with 2 nodes and 2 global cables each, all nodes of a group to the next: shortest ways have an eighth each, and seven
/// other groups are free. The eight nodes have eight cables out of their group, and what goes around takes two: 1/8 + 7/16 = 9/16 at most.
#[test]
fn one_group_further_on_a_dragonfly() {
    let shift: Vec<_> = (0..72).map(|from| (from, (from + 8) % 72)).collect();
    for rule in [Rule::UgalL(WEIGHTS), Rule::Par(WEIGHTS)] {
        let rates = rates(&dragonfly([0, 0], rule), &shift);
        let mean = rates.iter().sum::<f64>() / 72.0;
        assert!(mean > 0.5 && mean < 9.0 / 16.0, "{rule:?}: {mean}");
        assert!(rates.iter().all(|&rate| rate > 0.5), "{rule:?}: {rates:?}");
    }
}

/// As much from each node to each other one: nothing is full but links of nodes, and nothing goes around.
#[test]
fn uniform_traffic_takes_shortest_ways() {
    let all = (0..72).flat_map(|from| (0..72).filter(move |&to| to != from).map(move |to| (from, to)));
    let all: Vec<_> = all.collect();
    assert_eq!(
        rates(&dragonfly([0, 0], Rule::UgalL(WEIGHTS)), &all),
        rates(&dragonfly([0, 0], Rule::MinimalAdaptive), &all)
    );
}

fn wirings() -> impl Strategy<Value = Wiring> {
    let dragonfly = |(routers, groups)| {
        Dragonfly::new((routers, 2), (groups, 1), Arrangement::PalmTree).expect("it fits")
    };
    let plus = |groups| DragonflyPlus::new((3, 2, 3), (groups, 1), Arrangement::Absolute).expect("it fits");
    let grid = |shape: Vec<u32>, links| HyperX::new(&shape, links).expect("a grid");
    prop_oneof![
        (2..5_u32, 2..6_u32).prop_map(dragonfly).prop_map(Wiring::Dragonfly),
        (2..7_u32).prop_map(plus).prop_map(Wiring::DragonflyPlus),
        (prop::collection::vec(1..5_u32, 1..4), 1..3_u32)
            .prop_map(move |(shape, links)| Wiring::HyperX(grid(shape, links))),
        (2..4_u32).prop_map(|q| Wiring::PolarFly(PolarFly::new(q).expect("a prime"))),
    ]
}

fn rule_of(wiring: &Wiring, first: bool) -> Rule {
    match wiring {
        Wiring::HyperX(_) if first => Rule::DimWar(WEIGHTS),
        Wiring::HyperX(_) => Rule::OmniWar(WEIGHTS),
        Wiring::Dragonfly(_) | Wiring::DragonflyPlus(_) if first => Rule::Par(WEIGHTS),
        _ => Rule::UgalL(WEIGHTS),
    }
}

/// Small networks under any rule that they have, nodes and cables of any relation of speeds, with or without latency.
pub(crate) fn ruled() -> impl Strategy<Value = Topology> {
    let rule = prop::sample::select(Rule::all(WEIGHTS).to_vec());
    let rest = (prop::sample::select(vec![0.5, 1.0, 3.0]), prop::sample::select(vec![[0, 0], [1, 3]]));
    (wirings(), rule, rest, any::<bool>()).prop_map(|(wiring, rule, (node, latencies), first)| {
        let fits = match rule {
            Rule::DimWar(_) | Rule::OmniWar(_) => matches!(wiring, Wiring::HyperX(_)),
            Rule::Par(_) | Rule::ValiantGroup => {
                matches!(wiring, Wiring::Dragonfly(_) | Wiring::DragonflyPlus(_))
            }
            Rule::RandomUp | Rule::AdaptiveUp => false,
            _ => true,
        };
        let rule = if fits { rule } else { rule_of(&wiring, first) };
        network(wiring, 2, latencies, node, rule)
    })
}

/// The sharings that a machine can have.
pub(crate) fn sharings(machine: &Topology) -> &'static [Sharing] {
    if machine.rules().iter().any(|rule| rule.decides()) { &[Sharing::MaxMin] } else { &RULES }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    /// Whatever flows there are, no link carries more than it can, every flow has a full link or one of a node on which none is faster, and the slowest flow is as fast
    /// as on shortest ways alone, but for the rounding of parts. Where links between routers are ten times as fast as those of nodes, nothing goes around.
    #[test]
    fn laws_of_detours(
        wiring in wirings(), first in any::<bool>(), node in prop::sample::select(vec![0.1, 1.0, 3.0]),
        pairs in prop::collection::vec(any::<[prop::sample::Index; 2]>(), 1..40),
    ) {
        let rule = rule_of(&wiring, first);
        let of = |rule| network(wiring.clone(), 2, [0, 0], node, rule);
        let (around, shortest) = (of(rule), of(if matches!(rule, Rule::DimWar(_)) { Rule::Minimal } else { Rule::MinimalAdaptive }));
        let pairs: Vec<(u32, u32)> = pairs
            .iter()
            .map(|pair| pair.map(|index| index.index(around.nodes()) as u32).into())
            .filter(|(from, to)| from != to)
            .collect();
        let (with, without) = (rates(&around, &pairs), rates(&shortest, &pairs));
        let least = |rates: &[f64]| rates.iter().copied().fold(f64::INFINITY, f64::min);
        prop_assert!(pairs.is_empty() || least(&with) > least(&without) * 0.99, "{:?}, not {:?}", with, without);
        // Each node sends over one link, and gets by one.
        for node_link in 0..2 * around.nodes() as u32 {
            let passes = |&(from, to): &(u32, u32)| from == node_link || to + around.nodes() as u32 == node_link;
            let used: f64 = pairs.iter().zip(&with).filter(|(pair, _)| passes(pair)).map(|(_, rate)| rate).sum();
            prop_assert!(used <= node * (1.0 + 1e-9));
        }
        if node < 1.0 && pairs.len() < 10 {
            prop_assert_eq!(with, without);
        }
    }

    /// Messages over links that are shared anew whenever one ends: links carry all bytes, those of nodes exactly those of their messages, and as much
    /// enters every router as leaves it.
    #[test]
    fn bytes_are_kept(wiring in wirings(), first in any::<bool>(), shift in 1..30_u32, sizes in prop::collection::vec(1..5000_u64, 1..9)) {
        let topology = network(wiring.clone(), 2, [0, 0], 2.0, rule_of(&wiring, first));
        let nodes = topology.nodes() as u32;
        prop_assume!(shift % nodes != 0);
        let bytes = |from: u32| sizes[from as usize % sizes.len()];
        let ended = send(Flow::default(), &topology, bytes, |from| (from + shift) % nodes);
        let mut balance = vec![0.0; topology.routers()];
        for (number, carried) in ended.link_bytes.iter().enumerate() {
            let link = topology.link(LinkId::new(number));
            if let End::Router(router) = link.from { balance[router.index()] -= carried }
            if let End::Router(router) = link.to { balance[router.index()] += carried }
        }
        prop_assert!(balance.iter().all(|left| left.abs() < 1e-3), "{:?}", balance);
        for from in 0..nodes {
            let (sent, to) = (bytes(from) as f64, (from + shift) % nodes);
            for link in [from, nodes + to] {
                prop_assert!((ended.link_bytes[link as usize] / sent - 1.0).abs() < 1e-9, "link {}", link);
            }
        }
        prop_assert!(ended.ended.at.as_ps() > 0 && ended.ended.at.as_ps() < 5000 * 80 * UNIT);
    }
}
