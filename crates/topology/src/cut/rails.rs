//! Cuts of several networks: a part of the nodes is cut off in each of them.

use super::{Cut, Side, Sides};
use crate::rails::{Rails, Within};
use weir_units::{LinkId, NodeId};

/// The cuts that all networks have that join all nodes, where these are alike, and that leave every domain whole: they carry what the
/// networks do together. Without one, the cables of half of the nodes in all networks and domains that have nodes on both sides.
pub(super) fn cuts(rails: &Rails) -> Vec<Cut> {
    if rails.nodes() < 2 {
        return Vec::new();
    }
    let mut joining = (0..rails.count())
        .filter(|&network| rails.networks().nth(network).is_some_and(|(_, copies)| copies == 1));
    let first = joining.next().map(|network| of_network(rails, network)).unwrap_or_default();
    let others: Vec<_> = joining.map(|network| of_network(rails, network)).collect();
    let together = first.into_iter().filter_map(|cut| {
        others.iter().try_fold(cut, |sum, cuts| {
            let same =
                cuts.iter().find(|other| (other.through, &other.sides) == (sum.through, &sum.sides))?;
            let is_searched = sum.is_searched || same.is_searched;
            Some(Cut {
                forward: sum.forward + same.forward,
                backward: sum.backward + same.backward,
                is_searched,
                ..sum
            })
        })
    });
    let found: Vec<_> = together.filter(|cut| leaves_domains_whole(rails, cut)).collect();
    if found.is_empty() {
        return vec![halves_of_nodes(rails)];
    }
    found
}

/// The cuts of a network, by the numbers of nodes in the machine.
fn of_network(rails: &Rails, network: usize) -> Vec<Cut> {
    let (machine, _) = rails.networks().nth(network).expect("a network that is there");
    let nodes = || (0..rails.nodes()).map(NodeId::new);
    let place = |node| rails.node_within(network, node).id;
    let is_in_order = nodes().all(|node| place(node) == node);
    let listed = |cut: Cut| {
        let first = nodes().map(|node| cut.side(place(node)) == Side::First).collect();
        Cut { sides: Sides::Listed(first), ..cut }
    };
    let cuts = machine.cuts().into_iter();
    if is_in_order { cuts.collect() } else { cuts.map(listed).collect() }
}

fn leaves_domains_whole(rails: &Rails, cut: &Cut) -> bool {
    let domains = rails.networks().enumerate().filter(|(_, (_, copies))| *copies > 1);
    domains.into_iter().all(|(network, (machine, copies))| {
        (0..copies).all(|domain| {
            let side = |place| cut.side(rails.node_at(Within { network, domain, id: NodeId::new(place) }));
            (1..machine.nodes()).all(|place| side(place) == side(0))
        })
    })
}

/// Only the cables of nodes are cut: what lies between them is no part of either half.
fn halves_of_nodes(rails: &Rails) -> Cut {
    let half = rails.nodes() / 2;
    let first: Vec<bool> = (0..rails.nodes()).map(|node| node < half).collect();
    let mut capacity = 0.0;
    for (network, (machine, domains)) in rails.networks().enumerate() {
        let cable = machine.link(LinkId(0)).capacity.bytes_per_second();
        for domain in 0..domains {
            let node = |place| rails.node_at(Within { network, domain, id: NodeId::new(place) });
            let inside = (0..machine.nodes()).filter(|&place| first[node(place).index()]).count();
            capacity += inside.min(machine.nodes() - inside) as f64 * cable;
        }
    }
    Cut::listed("the cables of one half of the nodes".into(), first, capacity, capacity).through_nodes()
}
