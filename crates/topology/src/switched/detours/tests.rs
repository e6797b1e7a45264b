use super::*;
use crate::harness::networks::{dragonfly, hyper_x, made, wirings};
use crate::{Adaptive, Arrangement, End, Topology};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn rules() -> Vec<Rule> {
    Rule::all(Adaptive::default()).to_vec()
}

/// The routers that a way passes, the first and the last included.
fn stops(machine: &Topology, way: &[LinkId]) -> Vec<RouterId> {
    let ends = |&link: &LinkId| match (machine.link(link).from, machine.link(link).to) {
        (End::Router(from), End::Router(to)) => [from, to],
        ends => panic!("a link between routers, not {ends:?}"),
    };
    let mut stops = vec![ends(&way[0])[0]];
    for link in way {
        assert_eq!(Some(&ends(link)[0]), stops.last(), "links follow each other");
        stops.push(ends(link)[1]);
    }
    stops
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    /// Ways lead from the router of the source to that of the destination, over links between routers that are all different. Only
    /// rules that weigh queues have some, of which no two are the same, and each is what its rule might take.
    #[test]
    fn ways_lead_to_the_destination(
        wiring in wirings(), rule in prop::sample::select(rules()), pair in any::<[prop::sample::Index; 2]>(),
    ) {
        prop_assume!(rule.misfit(&wiring).is_none());
        let machine = made(wiring, 2, rule);
        let Topology::Switched(network) = &machine else { unreachable!() };
        let [from, to] = pair.map(|index| NodeId::new(index.index(machine.nodes())));
        let (first, last) = (network.home(from), network.home(to));
        let ways = machine.detours(from, 0, to);
        prop_assert!(ways.len() <= 2 * WAYS as usize);
        prop_assert!(ways.is_empty() || rule.weighs() && first != last);
        prop_assert_eq!(ways.iter().collect::<BTreeSet<_>>().len(), ways.len());
        for way in &ways {
            prop_assert_eq!(way.iter().collect::<BTreeSet<_>>().len(), way.len());
            let stops = stops(&machine, way);
            prop_assert_eq!([stops[0], stops[stops.len() - 1]], [first, last]);
            prop_assert!(way.len() <= 2 * network.diameter().max(1) as usize);
            let dimensions: Vec<usize> = way.iter().map(|&link| network.class_of(link)).collect();
            match rule {
                Rule::DimWar(_) => prop_assert!(dimensions.is_sorted(), "{:?}", dimensions),
                Rule::Par(_) if network.group(first) != network.group(last) => {
                    // A group in between that is neither of both, unless all drawn ones are of these.
                    let ends = [first, last].map(|router| network.group(router));
                    prop_assert!(stops.iter().any(|&stop| !ends.contains(&network.group(stop))));
                }
                _ => {}
            }
            if matches!(rule, Rule::DimWar(_) | Rule::OmniWar(_)) {
                for dimension in 0..8 {
                    prop_assert!(dimensions.iter().filter(|&&at| at == dimension).count() <= 2);
                }
            }
        }
    }
}

/// A full mesh of five: by each of the three others, whatever the rule.
#[test]
fn a_full_mesh() {
    let weights = Adaptive::default();
    for rule in [Rule::UgalL(weights), Rule::UgalG(weights), Rule::DimWar(weights)] {
        let machine = made(hyper_x(&[5], 1), 1, rule);
        let ways = machine.detours(NodeId(1), 0, NodeId(3));
        let vias: BTreeSet<u32> = ways.iter().map(|way| stops(&machine, way)[1].0).collect();
        assert_eq!(vias, [0, 2, 4].into());
    }
}

/// On a dragonfly of more routers than a pair has ways, all pairs together have each router in between about as often as any other.
#[test]
fn each_router_is_in_between_for_as_many_pairs() {
    let machine = made(dragonfly((4, 2), (9, 1), Arrangement::PalmTree), 1, Rule::Par(Adaptive::default()));
    let mut passed = vec![0_u32; machine.links()];
    for (from, to) in (0..36).flat_map(|from| (0..36).map(move |to| (from, to))) {
        for link in machine.detours(NodeId(from), 0, NodeId(to)).concat() {
            passed[link.index()] += 1;
        }
    }
    let global: Vec<u32> = (72..machine.links())
        .map(LinkId::new)
        .filter(|&link| matches!(&machine, Topology::Switched(network) if network.class_of(link) == 1))
        .map(|link| passed[link.index()])
        .collect();
    let mean = global.iter().sum::<u32>() as f64 / global.len() as f64;
    assert_eq!(global.len(), 72);
    assert!(global.iter().all(|&ways| (f64::from(ways) / mean - 1.0).abs() < 0.2), "{global:?}");
}
