//! Machines with failed and slow links.

use crate::common::{RULES, UNIT, fat_tree, play, play_placed, torus};
use proptest::prelude::*;
use weir_flow::Sharing;
use weir_network::Placement;
use weir_topology::{Degraded, Part, Topology, Wrap};
use weir_units::{Bytes, Duration, LinkId, NodeId, Rank};
use weir_workload::{Entry, Script};

/// The machine with these parts at a part of their speed.
fn with(machine: &Topology, names: &[(&str, f64)]) -> Topology {
    let speeds = names.iter().flat_map(|&(name, speed)| {
        let links = match machine.parts_named(&[name])[0] {
            Some(Part::Link(link)) => vec![link],
            Some(Part::Cable(links)) => links.to_vec(),
            Some(Part::Router(router)) => machine.links_at(router),
            None => panic!("{name} is no part"),
        };
        links.into_iter().map(move |link| (link, speed))
    });
    Topology::Degraded(Degraded::new(machine.clone(), speeds.collect()))
}

/// Each of these ranks sends one message.
fn sends(ranks: usize, messages: &[(usize, usize, u64)]) -> Script {
    let of = |rank| {
        let own = messages.iter().filter(move |(from, ..)| *from == rank);
        own.map(|&(_, to, bytes)| Entry::Send {
            to: Rank::new(to),
            bytes: Bytes(bytes),
            wait: Duration::ZERO,
        })
        .collect()
    };
    Script::new((0..ranks).map(of).collect()).expect("all ranks exist")
}

/// A ring of six, links of 1 B/s, latency 1 ns. Everybody sends 60 B to the next: 60 s, all at once. With the cable between 0 and 1
/// cut the message from 0 to 1 goes round over 5, 4, 3, 2 to 1: the other way, in which nobody else sends. It takes 60 s as well,
/// but 4 ns longer; that it is alone on its way shows in the bytes of the links. With a shift by two, 0 and 5 go round by four
/// links each, of which they share those of 5 to 3 with each other: 120 s. The others have 60 s, as without the cut they share
/// links two by two for 120 s.
#[test]
fn a_ring_with_a_cut_by_hand() {
    let ring = torus(&[6], Wrap::Torus, Duration::from_ns(1));
    let cut = with(&ring, &[("router (0) - router (1)", 0.0)]);
    let shift = |by: usize| sends(6, &(0..6).map(|from| (from, (from + by) % 6, 60)).collect::<Vec<_>>());
    let end = |machine: &Topology, by| play(Sharing::MaxMin, machine, shift(by)).ended.at.as_ps();
    assert_eq!(end(&ring, 1), 60 * UNIT + 3 * 1000);
    assert_eq!(end(&cut, 1), 60 * UNIT + 7 * 1000);
    let ended = play(Sharing::MaxMin, &cut, shift(1));
    let bytes = |name: &str| {
        let Some(Part::Link(link)) = cut.parts_named(&[name])[0] else { panic!("{name} is no link") };
        ended.link_bytes[link.index()]
    };
    assert_eq!(bytes("router (0) -> router (1)"), 0.0);
    for (from, to) in [(0, 5), (5, 4), (4, 3), (3, 2), (2, 1)] {
        assert_eq!(bytes(&format!("router ({from}) -> router ({to})")), 60.0);
    }
    assert_eq!(bytes("router (1) -> router (0)"), 0.0);
    assert_eq!(end(&ring, 2), 120 * UNIT + 4 * 1000);
    // 0 to 2 over 5, 4, 3; 5 to 1 over 4, 3, 2: together from 5 to 3.
    assert_eq!(end(&cut, 2), 120 * UNIT + 6 * 1000);
}

/// A message alone takes 1 / f of its time over a link of speed f.
#[test]
fn a_slow_link_alone() {
    let ring = torus(&[5], Wrap::Torus, Duration::ZERO);
    for (speed, seconds) in [(0.5, 8), (0.25, 16), (0.125, 32)] {
        let slow = with(&ring, &[("router (1) -> router (2)", speed)]);
        for rule in RULES {
            assert_eq!(play(rule, &slow, sends(5, &[(0, 2, 4)])).ended.at.as_ps(), seconds * UNIT);
            assert_eq!(play(rule, &slow, sends(5, &[(2, 0, 4)])).ended.at.as_ps(), 4 * UNIT);
        }
    }
    let slow = with(&ring, &[("router (1)", 0.5)]);
    assert_eq!(play(Sharing::MaxMin, &slow, sends(5, &[(1, 0, 4)])).ended.at.as_ps(), 8 * UNIT);
}

/// A fat tree of 16 nodes with four ways up. In a shift by half of the nodes each has links of its own. Without one of the four
/// switches above them, two of the four messages of the first subtree share a way: twice the time.
#[test]
fn a_fat_tree_without_a_switch() {
    let tree = fat_tree(2);
    let shift = || sends(16, &(0..16).map(|from| (from, (from + 8) % 16, 10)).collect::<Vec<_>>());
    assert_eq!(play(Sharing::MaxMin, &tree, shift()).ended.at.as_ps(), 10 * UNIT);
    let without = with(&tree, &[("top 0", 0.0)]);
    assert_eq!(play(Sharing::MaxMin, &without, shift()).ended.at.as_ps(), 20 * UNIT);
}

fn machines() -> impl Strategy<Value = Topology> {
    prop_oneof![
        (3u32..7).prop_map(|size| torus(&[size], Wrap::Torus, Duration::ZERO)),
        (2u32..5, 2u32..5).prop_map(|(x, y)| torus(&[x, y], Wrap::Torus, Duration::from_ns(3))),
        (2u32..4, 2u32..4, 2u32..4).prop_map(|(x, y, z)| torus(&[x, y, z], Wrap::Mesh, Duration::ZERO)),
        (1u32..3).prop_map(fat_tree),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Bytes pass the links of their routes, none a failed one; what touches nobody's way changes nothing at all.
    #[test]
    fn bytes_take_the_ways_that_are_left(
        machine in machines(),
        faults in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
        messages in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0u64..5), 1..20),
    ) {
        let cables = machine.router_cables();
        prop_assume!(!cables.is_empty());
        let speeds = faults.iter().flat_map(|index| cables[index.index(cables.len())]).map(|link| (link, 0.0));
        let cut = Topology::Degraded(Degraded::new(machine.clone(), speeds.collect()));
        let nodes = machine.nodes();
        let mut route = Vec::new();
        let all = messages.iter().map(|(from, to, bytes)| (from.index(nodes), to.index(nodes), *bytes));
        let all: Vec<_> = all.filter(|&(from, to, _)| cut.find_route(NodeId::new(from), NodeId::new(to), &mut route)).collect();
        let (mut expected, mut untouched) = (vec![0.0; machine.links()], true);
        for &(from, to, bytes) in &all {
            cut.route(NodeId::new(from), NodeId::new(to), &mut route);
            route.iter().for_each(|link| expected[link.index()] += bytes as f64);
            let took = std::mem::take(&mut route);
            machine.route(NodeId::new(from), NodeId::new(to), &mut route);
            untouched &= took == route;
        }
        let placement = Placement::one_per_node(nodes);
        for rule in RULES {
            let ended = play_placed(rule, &cut, &placement, sends(nodes, &all));
            prop_assert_eq!(&ended.link_bytes, &expected);
            let failed = cut.degraded().into_iter().flat_map(Degraded::failed);
            prop_assert!(failed.into_iter().all(|LinkId(link)| ended.link_bytes[link as usize] == 0.0));
            if untouched {
                prop_assert_eq!(ended.ended, play_placed(rule, &machine, &placement, sends(nodes, &all)).ended);
            }
        }
    }
}
