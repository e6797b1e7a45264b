use super::*;
use crate::Degraded;
use crate::harness::{check_laws, graph, hops};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The names of the links of a route by a cable; none if there is no way.
fn by(machine: &Topology, from: u32, cable: u32, to: u32) -> Vec<String> {
    let mut route = Vec::new();
    machine.find_route_by(NodeId(from), cable, NodeId(to), &mut route);
    route.into_iter().map(|id| machine.link_name(id)).collect()
}

/// Two planes r0 and r1. Nodes n0 and n1 are on both, n1 with two cables on r1; n2 is on r1 alone.
///
/// ```text
///   n0 --- r0 --- n1            link numbers: injection 0, 1, 2; ejection 3, 4, 5; then n0 to r1: 6, 7;
///   n0 --- r1 === n1            n1 to r1: 8, 9 and 10, 11
///          r1 --- n2
/// ```
#[test]
fn messages_of_a_plane_stay_there() {
    let machine = graph(&[vec![0, 1], vec![0, 1, 1], vec![1]], 2, &[]).unwrap();
    assert_eq!((machine.links(), machine.most_cables()), (12, 3));
    assert_eq!([0, 1, 2].map(|node| machine.cables_of(NodeId(node))), [2, 3, 1]);
    assert_eq!(
        (machine.injection_by(NodeId(1), 2), machine.ejection_by(NodeId(1), 2)),
        (LinkId(10), LinkId(11))
    );
    assert_eq!([0, 4, 6, 9, 11].map(|link| machine.cable_of(LinkId(link))), [0, 0, 1, 1, 2]);
    assert_eq!(by(&machine, 0, 0, 1), ["n0 -> r0", "r0 -> n1"]);
    // Number 1 has its like there.
    assert_eq!(by(&machine, 0, 1, 1), ["n0 -> r1", "r1 -> n1"]);
    assert_eq!(by(&machine, 1, 2, 0), ["n1 -> r1 (2)", "r1 -> n0"]);
    // n2 is not in the first plane, and has no cable with the number 1.
    assert_eq!(by(&machine, 0, 0, 2), [""; 0]);
    assert_eq!(by(&machine, 2, 1, 0), [""; 0]);
    assert!(!machine.cables_reach_all());
    assert_eq!(by(&machine, 0, 1, 2), ["n0 -> r1", "r1 -> n2"]);
    check_laws(&machine);
}

/// A node with four cables at one router gets what others, with one each, send it by all of them, and sends by each what it shall;
/// nodes with as many cables keep to those with the same number.
#[test]
fn sources_with_fewer_cables_take_all_of_the_destination() {
    let machine = graph(&[vec![0; 4], vec![0], vec![0], vec![0], vec![0]], 1, &[]).unwrap();
    let arrives = |from| by(&machine, from, 0, 0).pop();
    let arrived: BTreeSet<_> = (1..=4).map(arrives).collect();
    assert_eq!(arrived.len(), 4);
    assert_eq!(by(&machine, 0, 2, 3), ["n0 -> r0 (3)", "r0 -> n3"]);
    let alike = graph(&[vec![0; 2], vec![0; 2]], 1, &[]).unwrap();
    assert_eq!(by(&alike, 0, 1, 1), ["n0 -> r0 (2)", "r0 -> n1 (2)"]);
}

/// Four rails under one spine: what leaves by a rail arrives by it, also where all are equally far.
#[test]
fn rails_are_kept() {
    let nodes: Vec<Vec<u32>> =
        (0..4).map(|node| if node < 2 { (0..4).collect() } else { (4..8).collect() }).collect();
    let spine: Vec<_> = (0..8).map(|leaf| (leaf, 8)).collect();
    let machine = graph(&nodes, 9, &spine).unwrap();
    for rail in 0..4 {
        assert_eq!(by(&machine, 0, rail, 1), [format!("n0 -> r{rail}"), format!("r{rail} -> n1")]);
        let far = by(&machine, 0, rail, 3);
        assert_eq!(
            far.first().zip(far.last()),
            Some((&format!("n0 -> r{rail}"), &format!("r{} -> n3", 4 + rail)))
        );
    }
}

/// No route passes a node: one that joins two planes does not make one of them.
#[test]
fn nodes_are_no_routers() {
    let mistakes = graph(&[vec![0], vec![0, 1], vec![1]], 2, &[]).unwrap_err();
    assert_eq!(mistakes[0].what, "node \"n0\" cannot reach \"n2\"");
}

/// A cable fails: by the other one the nodes still reach each other, and by none if that fails too.
#[test]
fn faults_of_cables() {
    let whole = graph(&[vec![0, 1], vec![0, 1]], 2, &[]).unwrap();
    let degraded =
        |links: &[u32]| Degraded::new(whole.clone(), links.iter().map(|&link| (LinkId(link), 0.0)).collect());
    let one = degraded(&[0]);
    let machine = Topology::Degraded(one.clone());
    assert_eq!((by(&machine, 0, 0, 1), by(&machine, 0, 1, 1).len()), (vec![], 2));
    assert!(one.is_attached(NodeId(0)) && one.unreachable([0, 1].map(NodeId)).is_none());
    let both = degraded(&[0, 4]);
    assert_eq!(
        both.unreachable([0, 1].map(NodeId)).map(|found| (found.from.0, found.to.0, found.pairs)),
        Some((0, 1, 1))
    );
}

/// One router and many nodes with many cables: routes are known once for each number of a cable.
#[test]
fn routes_are_known_by_routers() {
    let machine = graph(&vec![vec![0; 8]; 50], 1, &[]).unwrap();
    assert_eq!(machine.route_sources().first.len(), 8);
    let planes = graph(&vec![vec![0, 0, 1, 2]; 50], 3, &[]).unwrap();
    assert_eq!(planes.route_sources().first.len(), 4);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// A route by a cable begins with it, passes routers only and ends at the destination, at the nearest of its routers; if the cable of the same
    /// number is at one of these and there are no more of them than the source has cables, at this, and by this cable if as many of the source are
    /// at its own router. A cable that all can use leads to all; and those that are said to have the same routes have the same behind the first link.
    #[test]
    fn routes_by_cables(
        homes in prop::collection::vec(prop::collection::vec(0..5_u32, 1..4), 2..7),
        between in prop::collection::vec((0..5_u32, 1..5_u32), 0..8),
        failed in prop::collection::vec(any::<prop::sample::Index>(), 1..6),
    ) {
        let between: Vec<_> = between.into_iter().map(|(a, step)| (a, (a + step) % 5)).collect();
        let Ok(machine) = graph(&homes, 5, &between) else { return Ok(()) };
        check_laws(&machine);
        let sources = machine.route_sources();
        let most = machine.most_cables();
        let whole = hops(&machine);
        let speeds = failed.iter().map(|index| (LinkId::new(index.index(machine.links())), 0.0)).collect();
        let faults = Degraded::new(machine.clone(), speeds);
        let degraded = Topology::Degraded(faults.clone());
        let left = hops(&degraded);
        let nodes = || (0..machine.nodes()).map(NodeId::new);
        for (from, to) in nodes().flat_map(|from| nodes().map(move |to| (from, to))).filter(|(from, to)| from != to) {
            let (own, others) = (&homes[from.index()], &homes[to.index()]);
            let mut leading = (Vec::new(), Vec::new());
            for (cable, here) in (0..).zip(own) {
                let (mut route, mut other) = (Vec::new(), Vec::new());
                let distance = |home: &u32| whole[*here as usize][*home as usize];
                let least = others.iter().map(distance).min().filter(|&least| least < 5);
                let found = machine.find_route_by(from, cable, to, &mut route);
                prop_assert_eq!(found, least.is_some());
                prop_assert!(found || !machine.cables_reach_all());
                if found {
                    leading.0.push(cable);
                    prop_assert_eq!(route[0], machine.injection_by(from, cable));
                    let by = machine.cable_of(route[route.len() - 1]);
                    prop_assert_eq!(machine.ejection_by(to, by), route[route.len() - 1]);
                    prop_assert_eq!(Some(route.len() as u32 - 2), least);
                    let nearest: BTreeSet<_> = others.iter().filter(|home| Some(distance(home)) == least).collect();
                    if let Some(same) = others.get(cable as usize).filter(|home| nearest.contains(home)) && nearest.len() <= own.len() {
                        let count = |homes: &[u32], router| homes.iter().filter(|home| *home == router).count();
                        prop_assert_eq!(&others[by as usize], same);
                        prop_assert!(by == cable || count(others, same) > count(own, here));
                    }
                }
                let group = sources.group[from.index() * most as usize + cable as usize] as usize;
                let (like, likewise) = sources.first[group];
                if to != like {
                    prop_assert_eq!(machine.find_route_by(like, likewise, to, &mut other), found);
                    prop_assert_eq!(other.get(1..), route.get(1..));
                }
                // With faults: the nearest of what is left.
                let mut ends = (0..).zip(others).filter(|&(end, _)| !faults.has_failed(machine.ejection_by(to, end)));
                let attached = !faults.has_failed(machine.injection_by(from, cable));
                let least = ends.by_ref().map(|(_, home)| left[*here as usize][*home as usize]).min();
                let found = degraded.find_route_by(from, cable, to, &mut route);
                prop_assert_eq!(found, attached && least.is_some_and(|least| least < 5));
                prop_assert!(route.iter().all(|&link| !faults.has_failed(link)));
                if found {
                    leading.1.push(cable);
                    prop_assert_eq!(Some(route.len() as u32 - 2), least);
                }
            }
            prop_assert_eq!(degraded.cables_to(from, to), if leading.1.is_empty() { leading.0 } else { leading.1 });
        }
    }
}
