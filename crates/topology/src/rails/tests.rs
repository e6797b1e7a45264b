use super::*;
use crate::harness::networks::{self, hyper_x};
use crate::harness::{as_graph, check_laws, check_pairs, fat_tree, grid, hypercrossbar, machines, pairs};
use crate::{Degraded, LinkClasses, Rule, Tie};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn rail(machine: Topology) -> Rail {
    Rail { machine, domain: None, stride: 1 }
}

/// A network of so many nodes, one of several kinds.
fn network(kind: u32, nodes: u32) -> Topology {
    match kind % 5 {
        0 => fat_tree(&[(nodes, 1)], FatTreeRouting::DestinationMod),
        1 => grid(&[(nodes, true)], Tie::Spread),
        2 => hypercrossbar(&[nodes]),
        3 => networks::made(hyper_x(&[nodes], 1), 1, Rule::Hashed),
        _ => fat_tree(&[(1, 2), (nodes, 1)], FatTreeRouting::SourceMod),
    }
}

fn divisors(nodes: u32) -> Vec<u32> {
    (1..=nodes).filter(|divisor| nodes.is_multiple_of(*divisor)).collect()
}

/// Some networks with some nodes: any machine, beside it others of as many nodes and of domains, in any order.
fn several() -> impl Strategy<Value = Vec<Rail>> {
    let other = (any::<u32>(), any::<bool>(), any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let others = prop::collection::vec(other, 0..4);
    let made = (machines(), others, any::<prop::sample::Index>()).prop_map(|(machine, others, place)| {
        let nodes = machine.nodes() as u32;
        let divisors = divisors(nodes);
        let others = others.into_iter().map(|(kind, has_domains, domain, stride)| {
            let domain = has_domains.then(|| divisors[domain.index(divisors.len())]);
            let machine = network(kind, domain.unwrap_or(nodes));
            Rail { machine, domain, stride: divisors[stride.index(divisors.len())] }
        });
        let mut all: Vec<_> = others.collect();
        all.insert(place.index(all.len() + 1), rail(machine));
        all
    });
    made.prop_filter("small machines", |networks| networks[0].machine.nodes() <= 40)
}

fn ids(count: usize) -> impl Iterator<Item = LinkId> {
    (0..count).map(LinkId::new)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Numbers of links lead to a network and back, and each link is that of its network between the same places; routes stay in the
    /// network by which they leave and are its own.
    #[test]
    fn networks_beside_each_other(networks in several()) {
        let rails = Rails::new(networks.clone()).unwrap();
        let machine = Topology::Rails(rails.clone());
        check_laws(&machine);
        check_pairs(&machine);
        let all: BTreeSet<_> = rails.links_by_network().collect();
        prop_assert!(all.into_iter().eq(ids(machine.links())));
        let own = |network: usize| networks[network].machine.router_kinds();
        let (names, kinds) = machine.router_kinds();
        for (router, &kind) in kinds.iter().enumerate() {
            let Within { network, id, .. } = rails.router_within(RouterId::new(router));
            let before: usize = (0..network).map(|network| own(network).0.len()).sum();
            prop_assert_eq!(usize::from(kind), before + usize::from(own(network).1[id.index()]));
            let suffix = format!("of network {network}");
            prop_assert!(names[usize::from(kind)].ends_with(&suffix));
        }
        for id in ids(machine.links()) {
            let within = rails.link_within(id);
            prop_assert_eq!(rails.link_at(within), id);
            let (link, own) = (machine.link(id), networks[within.network].machine.link(within.id));
            prop_assert_eq!((link.capacity, link.latency), (own.capacity, own.latency));
            for (end, own) in [(link.from, own.from), (link.to, own.to)] {
                match (end, own) {
                    (End::Node(node), End::Node(id)) => {
                        let Within { network, domain, .. } = within;
                        prop_assert_eq!(rails.node_within(network, node), Within { network, domain, id });
                    }
                    (End::Router(router), End::Router(id)) => {
                        let Within { network, domain, .. } = within;
                        prop_assert_eq!(rails.router_within(router), Within { network, domain, id });
                    }
                    _ => prop_assert!(false, "a node for a router"),
                }
            }
        }
        let (mut route, mut own) = (Vec::new(), Vec::new());
        for (from, to) in pairs(&machine).map(|(from, to)| (NodeId(from), NodeId(to))).filter(|(from, to)| from != to) {
            let places = |network: usize| [from, to].map(|node| rails.node_within(network, node));
            let joins = |network: &usize| places(*network)[0].domain == places(*network)[1].domain;
            let joining: Vec<usize> = (0..networks.len()).filter(joins).collect();
            let least = joining.iter().map(|&network| networks[network].machine.nodes()).min();
            for (network, rail) in networks.iter().enumerate() {
                let leads = joining.contains(&network) && Some(rail.machine.nodes()) == least;
                prop_assert_eq!(machine.find_route_by(from, network as u32, to, &mut route), leads);
                prop_assert_eq!(machine.leads_by(from, network as u32, to), leads);
                prop_assert_eq!(machine.cables_to(from, to).contains(&(network as u32)), leads);
                if !leads {
                    continue;
                }
                let [here, there] = places(network);
                rail.machine.find_route_by(here.id, 0, there.id, &mut own);
                let domain = here.domain;
                own.iter_mut().for_each(|id| *id = rails.link_at(Within { network, domain, id: *id }));
                prop_assert_eq!(&route, &own);
                prop_assert_eq!((route[0], route[route.len() - 1]), (machine.injection_by(from, network as u32), machine.ejection_by(to, network as u32)));
                prop_assert_eq!((machine.cable_of(route[0]), machine.cable_of(route[route.len() - 1])), (network as u32, network as u32));
            }
        }
    }

    /// Every link between routers has a class, of which the links have one speed, and every router a place in the compact order.
    #[test]
    fn classes_and_orders(networks in several()) {
        let rails = Rails::new(networks).unwrap();
        let machine = Topology::Rails(rails.clone());
        let order: BTreeSet<_> = machine.compact_order().into_iter().collect();
        prop_assert!(order.into_iter().eq((0..machine.routers()).map(RouterId::new)));
        let classes = LinkClasses::of(&machine);
        let mut speeds = BTreeMap::new();
        for id in ids(machine.links()) {
            let (link, class) = (machine.link(id), classes.class(&machine, id));
            let expected = match (link.from, link.to) {
                (End::Node(_), _) => Some(0),
                (_, End::Node(_)) => Some(1),
                _ => None,
            };
            prop_assert_eq!(expected, Some(class).filter(|class| *class < 2));
            // Of more than there are names for the last are one class.
            if class >= 2 && class + 1 < LinkClasses::MOST {
                let speed = *speeds.entry(class).or_insert(link.capacity);
                prop_assert_eq!(speed, link.capacity);
            }
        }
    }

    /// A machine of one network is that network, whichever number its links have.
    #[test]
    fn one_network_is_itself(alone in machines()) {
        let rails = Rails::new(vec![rail(alone.clone())]).unwrap();
        let machine = Topology::Rails(rails.clone());
        let here = |id| rails.link_at(Within { network: 0, domain: 0, id });
        for id in ids(alone.links()) {
            prop_assert_eq!(alone.link(id), machine.link(here(id)));
            prop_assert_eq!(alone.link_name(id), machine.link_name(here(id)));
        }
        prop_assert_eq!(machine.cuts(), alone.cuts());
        let [one, other] = [&machine, &alone].map(Topology::route_lengths);
        prop_assert_eq!(one.longest, other.longest);
        prop_assert!((one.mean - other.mean).abs() < 1e-9);
        prop_assert_eq!(machine.compact_order(), alone.compact_order());
    }

    /// Where links have failed, what leaves by a network takes the detours that it has alone, and no other network.
    #[test]
    fn detours_stay_in_their_network(networks in several(), picks in prop::collection::vec(any::<prop::sample::Index>(), 1..4)) {
        let rails = Rails::new(networks.clone()).unwrap();
        let whole = Topology::Rails(rails.clone());
        let failed: BTreeSet<_> = picks.iter().map(|pick| LinkId::new(pick.index(whole.links()))).collect();
        let machine = Topology::Degraded(Degraded::new(whole.clone(), failed.iter().map(|&link| (link, 0.0)).collect()));
        let mut alone: BTreeMap<(usize, u32), Topology> = BTreeMap::new();
        for &link in &failed {
            let Within { network, domain, .. } = rails.link_within(link);
            let of_copy = |link: &&LinkId| {
                let within = rails.link_within(**link);
                (within.network, within.domain) == (network, domain)
            };
            let speeds = failed.iter().filter(of_copy).map(|&link| (rails.link_within(link).id, 0.0)).collect();
            alone.insert((network, domain), Topology::Degraded(Degraded::new(networks[network].machine.clone(), speeds)));
        }
        let (mut route, mut own) = (Vec::new(), Vec::new());
        for (from, to) in pairs(&machine).map(|(from, to)| (NodeId(from), NodeId(to))).filter(|(from, to)| from != to) {
            for (network, rail) in networks.iter().enumerate() {
                let found = machine.find_route_by(from, network as u32, to, &mut route);
                if !whole.leads_by(from, network as u32, to) {
                    prop_assert!(!found);
                    continue;
                }
                let [here, there] = [from, to].map(|node| rails.node_within(network, node));
                let machine = alone.get(&(network, here.domain)).unwrap_or(&rail.machine);
                prop_assert_eq!(machine.find_route_by(here.id, 0, there.id, &mut own), found);
                own.iter_mut().for_each(|id| *id = rails.link_at(Within { network, domain: here.domain, id: *id }));
                // Equally long detours are chosen by numbers in the machine, which domains and strides change.
                prop_assert_eq!(route.len(), own.len());
                if rail.domain.is_none() && rail.stride == 1 {
                    prop_assert_eq!(&route, &own);
                }
            }
        }
    }

    /// Equal networks have the cuts of one, which carry so many times as much.
    #[test]
    fn equal_networks_carry_what_they_do_together(alone in machines(), count in 1..4_usize) {
        let rails = Rails::new(vec![rail(alone.clone()); count]).unwrap();
        let (cuts, each) = (Topology::Rails(rails).cuts(), alone.cuts());
        prop_assert_eq!(cuts.len(), each.len());
        for (cut, each) in cuts.iter().zip(&each) {
            prop_assert!((cut.forward - count as f64 * each.forward).abs() <= 1e-9 * cut.forward);
            prop_assert!((cut.backward - count as f64 * each.backward).abs() <= 1e-9 * cut.backward);
            prop_assert_eq!(&cut.name, &each.name);
        }
    }
}

/// Two servers of two GPUs: a switch in each, and a network of rails whose leaves join those with the same number.
fn servers() -> Rails {
    let leaves = fat_tree(&[(2, 2), (2, 1)], FatTreeRouting::DestinationMod);
    let within =
        Rail { machine: fat_tree(&[(2, 1)], FatTreeRouting::DestinationMod), domain: Some(2), stride: 1 };
    Rails::new(vec![within, Rail { machine: leaves, domain: None, stride: 2 }]).unwrap()
}

#[test]
fn rails_of_servers() {
    let machine = Topology::Rails(servers());
    let names = |from, interface, to| {
        let mut route = Vec::new();
        let found = machine.find_route_by(NodeId(from), interface, NodeId(to), &mut route);
        found.then(|| route.iter().map(|&id| machine.link_name(id)).collect::<Vec<_>>())
    };
    let within = ["node 2 -> leaf 0 of domain 1 of network 0", "leaf 0 of domain 1 of network 0 -> node 3"];
    assert_eq!(names(2, 0, 3).unwrap(), within);
    assert_eq!((names(2, 1, 3), names(0, 0, 2)), (None, None));
    // Nodes 0 and 2 are the first GPUs of their servers, at one leaf.
    assert_eq!(names(0, 1, 2).unwrap(), ["node 0 -> leaf 0 of network 1", "leaf 0 of network 1 -> node 2"]);
    assert_eq!(names(0, 1, 3).unwrap().len(), 4);
    assert_eq!((machine.nodes(), machine.routers(), machine.links()), (4, 6, 8 + 8 + 8));
    // Within a server no link between routers; of the other eight ordered pairs four at one leaf, four over the top.
    let lengths = machine.route_lengths();
    assert_eq!((lengths.longest, lengths.mean), (2, 8.0 / 12.0));
    // The leaves have a node of each server, so a cut between them would divide the servers.
    let bisection = machine.bisection().unwrap();
    assert_eq!(bisection.cut.name, "the cables of one half of the nodes");
    // Two cables of rails: no domain has nodes in both halves.
    assert_eq!((bisection.cut.one_way(), machine.has_one_way()), (20.0, true));
}

/// Servers that the halves leave whole: nothing of the network within them crosses.
#[test]
fn cuts_beside_domains() {
    let ring = grid(&[(8, true)], Tie::Plus);
    let within =
        Rail { machine: fat_tree(&[(2, 1)], FatTreeRouting::DestinationMod), domain: Some(2), stride: 1 };
    let machine = Topology::Rails(Rails::new(vec![rail(ring.clone()), within, rail(ring)]).unwrap());
    let names: Vec<_> = machine.cuts().into_iter().map(|cut| (cut.name, cut.forward)).collect();
    let expected =
        ["between x = 3 and x = 4, and the wrap", "between x = 1 and x = 2, and between x = 5 and x = 6"];
    assert_eq!(names, expected.map(|name| (name.to_owned(), 4.0)));
}

#[test]
fn places_of_the_network_that_joins_all() {
    let torus = grid(&[(2, true), (3, true)], Tie::Plus);
    let within =
        Rail { machine: fat_tree(&[(3, 1)], FatTreeRouting::DestinationMod), domain: Some(3), stride: 1 };
    let across = Rail { stride: 3, ..rail(torus) };
    let machine = Topology::Rails(Rails::new(vec![within, across]).unwrap());
    // Node 4 has the place 4 mod 3 * 2 + 4 / 3 = 3, which is (1,1).
    assert_eq!(
        (machine.address(NodeId(4)).as_str(), machine.parse_address("(1,1)")),
        ("(1,1)", Some(NodeId(4)))
    );
    assert_eq!(machine.parse_address("4"), Some(NodeId(4)));
    assert_eq!(machine.parse_address("(2,0)"), None);
}

#[test]
fn networks_that_do_not_fit() {
    let star = |nodes| fat_tree(&[(nodes, 1)], FatTreeRouting::DestinationMod);
    let domain = |nodes, domain| Rail { machine: star(nodes), domain: Some(domain), stride: 1 };
    let check = |networks: Vec<Rail>, expected: &[(usize, &str, &str)]| {
        let mistakes = Rails::new(networks).unwrap_err();
        assert!(mistakes.iter().all(|(_, mistake)| !mistake.hint.is_empty()));
        let found: Vec<_> =
            mistakes.iter().map(|(at, mistake)| (*at, mistake.key, mistake.what.as_str())).collect();
        assert_eq!(found, expected);
    };
    check(
        vec![rail(star(4)), rail(star(6))],
        &[(1, "kind", "has 6 nodes, and networks.0 has 4: each of them has to join all")],
    );
    check(vec![domain(4, 2), rail(star(6))], &[(0, "domain", "is 2, but the network has 4 nodes")]);
    check(
        vec![domain(4, 4), rail(star(6))],
        &[(0, "domain", "is 4, which does not divide the 6 nodes of networks.1")],
    );
    let what = "leaves rails without a way between them: each network has domains, and none joins them";
    check(vec![domain(4, 4), domain(2, 2)], &[(1, "domain", what)]);
    let across = |stride| Rail { stride, ..rail(star(6)) };
    check(
        vec![rail(star(6)), across(4)],
        &[(1, "stride", "is 4, which does not divide the 6 nodes of networks.0")],
    );
    check(vec![across(0)], &[(0, "stride", "is 0, which does not divide the 6 nodes of networks.0")]);
}

/// As a graph, which has the same numbers of nodes and routers, nodes reach each other by as many links.
#[test]
fn as_any_network() {
    let machine = Topology::Rails(servers());
    let graph = as_graph(&machine);
    let [of_rails, of_graph] = [&machine, &graph]
        .map(|machine| (machine.nodes(), machine.routers(), machine.links(), machine.most_cables()));
    assert_eq!(of_rails, of_graph);
}
