//! Packets beside a fluid under the same rule: what a network accepts of more than it can carry.
//!
//! A fluid is max-min fair, and knows no buffers and no chance: packets of several nodes that are drawn to the same link at the same
//! time wait there, and links idle in the meantime. So packets accept less, by as much as buffers are short.

use crate::caminos::{dragonfly, engine, hyper_x, run};
use std::collections::BTreeMap;
use weir_flow::{Snapshot, rates_of_pairs};
use weir_packet::TrafficPattern;
use weir_topology::{Adaptive, Rule, Shares, Topology};
use weir_units::{LinkId, NodeId};

/// The mean rate of a node whose messages go to these nodes in equal parts, as a part of its link's.
fn accepted_by_a_fluid(topology: &Topology, to: impl Fn(u32) -> Vec<u32>) -> f64 {
    let nodes = topology.nodes() as u32;
    if topology.rules().iter().any(|rule| rule.weighs()) {
        let pairs =
            (0..nodes).flat_map(|from| to(from).into_iter().map(move |to| (NodeId(from), NodeId(to))));
        let pairs: Vec<_> = pairs.collect();
        return rates_of_pairs(topology, &pairs).iter().sum::<f64>() / f64::from(nodes) / 1e9;
    }
    let capacities =
        (0..topology.links()).map(|link| topology.link(LinkId::new(link)).capacity.bytes_per_second());
    let mut snapshot = Snapshot::weighted(capacities, nodes as usize);
    let mut shares = Shares::default();
    for from in 0..nodes {
        // One flow for all that a node sends: a part of it passes each link.
        let (mut parts, to) = (BTreeMap::<LinkId, f64>::new(), to(from));
        for &to_node in &to {
            topology.find_shares_by(NodeId(from), 0, NodeId(to_node), &mut shares);
            shares.iter().for_each(|(link, part)| *parts.entry(link).or_default() += part / to.len() as f64);
        }
        // The link that all of it passes comes last.
        let injection = parts.remove(&LinkId(from)).expect("all of it is injected").min(1.0);
        let (mut links, mut weights): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        assert!((injection - 1.0).abs() < 1e-9);
        links.push(LinkId(from));
        weights.push(1.0);
        snapshot.add_shares(from as usize, &Shares { links, weights });
    }
    snapshot.max_min_rates().iter().sum::<f64>() / f64::from(nodes) / 1e9
}

/// Packets accept this part of what the fluid does at least, and hardly more; and all of what is offered well below.
#[track_caller]
#[expect(clippy::print_stdout, reason = "the comparison, for `cargo test fluid -- --nocapture`")]
fn check((name, topology, channels): (&str, Topology, u32), pattern: TrafficPattern, least: f64) {
    let nodes = topology.nodes() as u32;
    let to = |from: u32| match pattern {
        TrafficPattern::GroupShift { group, shift } => vec![(from + group * shift) % nodes],
        _ => (0..nodes).filter(|&to| to != from).collect(),
    };
    let fluid = accepted_by_a_fluid(&topology, to);
    let network = engine(&topology, channels, 8);
    let accepted = run(&network, pattern, 1.0).accepted_load;
    println!(
        "{name}, {pattern:?}: fluid {fluid:.4}, packets {accepted:.4} ({:+.1} %)",
        100.0 * (accepted / fluid - 1.0)
    );
    for part in [0.3, 0.6] {
        let below = run(&network, pattern, part * fluid).accepted_load;
        println!("  offered {:.4}: packets {below:.4}", part * fluid);
        assert!((below / (part * fluid) - 1.0).abs() < 0.03, "{name}: {below} of {}", part * fluid);
    }
    // More is possible where ways that a rule takes one by one were spread on.
    let most = if topology.rules().iter().any(|rule| rule.weighs()) { 1.08 } else { 1.01 };
    let ratio = accepted / fluid;
    assert!(ratio > least && ratio < most, "{name}, {pattern:?}: fluid {fluid}, packets {accepted}");
}

#[test]
fn rules_that_draw_ways() {
    let shift = TrafficPattern::GroupShift { group: 8, shift: 1 };
    for (rule, channels) in
        [(Rule::Minimal, 3), (Rule::MinimalRandom, 3), (Rule::Hashed, 3), (Rule::Valiant, 6)]
    {
        for pattern in [TrafficPattern::Uniform, shift] {
            check((rule.name(), dragonfly(2, [1, 1], rule), channels), pattern, 0.9);
        }
    }
    check(("valiant-group", dragonfly(2, [1, 1], Rule::ValiantGroup), 5), TrafficPattern::Uniform, 0.9);
    check(("minimal-random on a HyperX", hyper_x(Rule::MinimalRandom), 4), TrafficPattern::Uniform, 0.9);
}

/// Of two ways a packet takes the one that looks better from where it is, not the one that is. On the other hand a packet of `omniwar` may change its mind
/// at each router, and does not take so many ways that begin with a link along another dimension.
#[test]
fn rules_that_weigh_queues() {
    let weights = Adaptive::default();
    let shift = |group, shift| TrafficPattern::GroupShift { group, shift };
    for (rule, channels, least) in [(Rule::UgalL(weights), 6, 0.7), (Rule::Par(weights), 7, 0.9)] {
        for pattern in [TrafficPattern::Uniform, shift(8, 1), shift(8, 4)] {
            check((rule.name(), dragonfly(2, [1, 1], rule), channels), pattern, least);
        }
    }
    let (one, both) = (shift(4, 1), shift(4, 5));
    for rule in [Rule::MinimalAdaptive, Rule::UgalL(weights), Rule::DimWar(weights), Rule::OmniWar(weights)] {
        for pattern in [TrafficPattern::Uniform, one, both] {
            check((rule.name(), hyper_x(rule), 4), pattern, 0.88);
        }
    }
}
