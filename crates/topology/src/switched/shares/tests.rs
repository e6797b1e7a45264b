use super::*;
use crate::harness::networks::{dragonfly, hyper_x, made, wirings};
use crate::{Arrangement, Degraded, End, Topology};
use proptest::prelude::*;

const SPREADING: [Rule; 5] =
    [Rule::MinimalRandom, Rule::MinimalAdaptive, Rule::Hashed, Rule::Valiant, Rule::ValiantGroup];

fn shares(machine: &Topology, from: u32, to: u32) -> Shares {
    let mut shares = Shares::default();
    assert!(machine.find_shares_by(NodeId(from), 0, NodeId(to), &mut shares));
    shares
}

/// Returns whether a network has what a rule needs.
fn fits(wiring: &crate::Wiring, rule: Rule) -> bool {
    rule.misfit(wiring).is_none()
}

/// By four routers, of which the way by one is lost: of three parts two go straight, by the ends themselves, and one by the fourth router.
#[test]
fn ways_around_that_are_left() {
    let machine = made(hyper_x(&[4], 1), 1, Rule::Valiant);
    let lost = (0..machine.links())
        .map(LinkId::new)
        .find(|&link| machine.link_name(link) == "router (0) -> router (2)");
    let failed = lost.into_iter().map(|link| (link, 0.0)).collect();
    let shares = shares(&Topology::Degraded(Degraded::new(machine.clone(), failed)), 0, 1);
    let named: Vec<_> =
        shares.iter().map(|(link, part)| (machine.link_name(link), (part * 3.0).round() as u32)).collect();
    let expected = [
        ("node 0 -> router (0)", 3),
        ("router (0) -> router (1)", 2),
        ("router (0) -> router (3)", 1),
        ("router (3) -> router (1)", 1),
        ("router (1) -> node 1", 3),
    ];
    assert_eq!(named, expected.map(|(name, part)| (name.to_owned(), part)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// All of it leaves by the injection link and arrives by the ejection link, which are the first and the last; and as much leaves
    /// every router as comes in. Links are there once, and none that has failed.
    #[test]
    fn what_comes_in_goes_out(
        wiring in wirings(), per_router in 1..3_u32, rule in prop::sample::select(SPREADING.to_vec()),
        pair in any::<[prop::sample::Index; 2]>(), failed in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    ) {
        prop_assume!(fits(&wiring, rule));
        let machine = made(wiring, per_router, rule);
        let nodes = machine.nodes();
        let [from, to] = pair.map(|index| index.index(nodes) as u32);
        let failed = failed.iter().map(|index| LinkId::new(index.index(machine.links()))).collect::<Vec<_>>();
        let machine = Topology::Degraded(Degraded::new(machine, failed.iter().map(|&link| (link, 0.0)).collect()));
        let mut shares = Shares::default();
        let is_reached = machine.find_shares_by(NodeId(from), 0, NodeId(to), &mut shares);
        prop_assert_eq!(is_reached, machine.find_route(NodeId(from), NodeId(to), &mut Vec::new()));
        if from == to || !is_reached {
            return Ok(());
        }
        prop_assert!(!shares.links.iter().any(|link| failed.contains(link)));
        let mut balance: BTreeMap<RouterId, f64> = BTreeMap::new();
        for (link, part) in shares.iter() {
            prop_assert!(part > 0.0 && part <= 1.0);
            let link = machine.link(link);
            if let End::Router(router) = link.from { *balance.entry(router).or_default() -= part }
            if let End::Router(router) = link.to { *balance.entry(router).or_default() += part }
        }
        prop_assert!(balance.values().all(|left| left.abs() < 1e-9), "{:?}", balance);
        let ends = [shares.links[0], shares.links[shares.links.len() - 1]].map(|link| machine.link(link));
        prop_assert_eq!((ends[0].from, ends[1].to), (End::Node(NodeId(from)), End::Node(NodeId(to))));
        let mut links = shares.links.clone();
        links.sort_unstable();
        links.dedup();
        prop_assert_eq!(links.len(), shares.links.len());
    }

    /// Parts are the means of many ways that are drawn router by router, as packets draw them.
    #[test]
    fn parts_are_means_of_draws(
        wiring in wirings(), rule in prop::sample::select(vec![Rule::MinimalRandom, Rule::Valiant, Rule::ValiantGroup]),
        pair in any::<[prop::sample::Index; 2]>(), seed in any::<u64>(),
    ) {
        const DRAWS: usize = 4000;
        prop_assume!(fits(&wiring, rule));
        let machine = made(wiring, 1, rule);
        let Topology::Switched(network) = &machine else { unreachable!() };
        let homes = network.homes() as usize;
        let [from, to] = pair.map(|index| NodeId::new(index.index(homes)));
        prop_assume!(from != to);
        let mut passed: BTreeMap<LinkId, usize> = BTreeMap::new();
        let mut state = seed;
        let mut draw = |count: usize| { state = mix(state); pick(state, count) };
        for _ in 0..DRAWS {
            let mut via = (rule != Rule::MinimalRandom).then(|| RouterId::new(draw(homes)));
            let (mut here, last) = (network.home(from), network.home(to));
            loop {
                let is_there = |via: RouterId| {
                    here == via || rule == Rule::ValiantGroup && network.group(here) == network.group(via)
                };
                if via.is_some_and(is_there) { via = None }
                if via.is_none() && here == last { break }
                let mut found = Candidates::default();
                network.candidates(here, via.unwrap_or(last), &mut found);
                let port = match rule {
                    Rule::MinimalRandom => found.ports[draw(found.ports.len())],
                    _ => found.fixed(to),
                };
                *passed.entry(network.link_at(here, port)).or_default() += 1;
                here = network.neighbor(here, port);
            }
        }
        let shares = shares(&machine, from.0, to.0);
        let between = &shares.links[1..shares.links.len() - 1];
        prop_assert!(passed.keys().all(|link| between.contains(link)), "a way that has no part");
        for (link, part) in shares.iter().skip(1).take(between.len()) {
            let drawn = passed.get(&link).copied().unwrap_or(0) as f64 / DRAWS as f64;
            // Five standard deviations of a mean.
            let tolerance = 5.0 * (part * (1.0 - part).max(0.0) / DRAWS as f64).sqrt() + 1e-9 + 2.0 / DRAWS as f64;
            prop_assert!((drawn - part).abs() <= tolerance, "link {}: {}, drawn {}", link, part, drawn);
        }
    }
}

/// A grid of 3 x 3: from corner to corner half goes by each of the two ways.
#[test]
fn two_ways_on_a_grid() {
    let machine = made(hyper_x(&[3, 3], 1), 1, Rule::MinimalRandom);
    let shares = shares(&machine, 0, 4);
    assert_eq!(shares.weights, [1.0, 0.5, 0.5, 0.5, 0.5, 1.0]);
}

/// Groups of 4 routers with 2 global cables each and 9 groups: 36 routers, and 1/36 goes by each. From node 0 to node 4, of the next group
/// by one cable: 4 routers of either group take it, 1 of each of the others none. So it carries 4/36 and 4/36, and each of the other 7 of the source's
/// group 4/36.
#[test]
fn a_detour_by_each_router() {
    let machine = made(dragonfly((4, 2), (9, 1), Arrangement::Absolute), 1, Rule::Valiant);
    let shares = shares(&machine, 0, 4);
    let global = |from: u32, to: Option<u32>| {
        let between = |link: LinkId| match (machine.link(link).from, machine.link(link).to) {
            (End::Router(a), End::Router(b)) => {
                a.0 / 4 == from && b.0 / 4 != from && to.is_none_or(|to| b.0 / 4 == to)
            }
            _ => false,
        };
        shares.iter().filter(|&(link, _)| between(link)).map(|(_, part)| part).sum::<f64>()
    };
    // From the source's group: four routers in it are in between without leaving, then go the one way; four of the next group likewise.
    assert!((global(0, Some(1)) - 8.0 / 36.0).abs() < 1e-12);
    assert!((1..9).all(|group| group == 1 || (global(0, Some(group)) - 4.0 / 36.0).abs() < 1e-12));
    assert!((2..9).all(|group| (global(group, Some(1)) - 4.0 / 36.0).abs() < 1e-12));
}

/// Beyond a number of routers some are in between, as many for each pair.
#[test]
fn many_routers() {
    let machine = made(hyper_x(&[40, 40], 1), 1, Rule::Valiant);
    let [one, again] = [0, 0].map(|_| shares(&machine, 3, 77));
    assert_eq!(one, again);
    let out: f64 = one
        .iter()
        .filter(|&(link, _)| machine.link(link).from == End::Router(RouterId(3)))
        .map(|(_, part)| part)
        .sum();
    assert!((out - 1.0).abs() < 1.0 / f64::from(SAMPLED), "{out}");
}
