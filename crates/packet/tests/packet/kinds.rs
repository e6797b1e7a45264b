//! Building machines: one in which every cable is another, more kinds than 16 bits can number; and giving up.

use crate::recorder::{Handing, play};
use crate::zoo::{graph, network};
use std::ops::ControlFlow;
use weir_packet::{NodeModel, PacketNetwork, RouterModel};
use weir_topology::Topology;
use weir_units::{Bytes, Duration};

const HUBS: u32 = 300;
const LEAVES: u32 = 68_000;

/// A machine can be given up at any time while it is built, and is the same if it is not.
#[test]
fn building_is_interrupted_at_every_look() {
    let joined: Vec<_> = (0..6).map(|router| (router, (router + 1) % 6)).collect();
    let topology = Topology::Graph(graph(6, &joined, &[0, 1, 2, 3, 4, 5], &[(8, 10)], (8, 1)));
    let (routers, node) =
        (RouterModel { virtual_channels: 4, ..RouterModel::default() }, NodeModel::default());
    let build = |most: u32| {
        let mut looks = 0;
        let built = PacketNetwork::build(&routers, &node, &topology, &mut || {
            looks += 1;
            if looks > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        (built.expect("nothing is wrong with it").is_some(), looks)
    };
    let (whole, looks) = build(u32::MAX);
    // Links twice, pairs of nodes twice, and dependencies at least once.
    assert!(whole && looks >= 5, "{looks}");
    for most in 0..looks {
        assert_eq!(build(most), (false, most + 1));
    }
}

/// A root, hubs around it, and leaves around these; cable `i` takes `i + 1` ns. Nodes at two leaves of different hubs, whose
/// cables are far behind number 65,536. A packet of 256 B at 8 GB/s passes five routers of 6 + 140 ns, cables of 1 ns at
/// both nodes, the cables of both leaves and those of their hubs.
#[test]
fn every_cable_has_its_own_latency() {
    let to_hubs = (1..=HUBS).map(|hub| (0, hub));
    let to_leaves = (0..LEAVES).map(|leaf| (1 + leaf % HUBS, 1 + HUBS + leaf));
    let joined: Vec<_> = to_hubs.chain(to_leaves).collect();
    let cables: Vec<_> = (1..=joined.len() as u64).map(|ns| (8, ns)).collect();
    let [first, last] = [LEAVES - 500, LEAVES - 1];
    let homes = [first, last].map(|leaf| 1 + HUBS + leaf);
    let topology = Topology::Graph(graph(1 + HUBS + LEAVES, &joined, &homes, &cables, (8, 1)));
    let delay = Duration::from_ns(2);
    let routers = RouterModel {
        mtu: Bytes(256),
        route_delay: delay,
        vc_allocation_delay: delay,
        switch_allocation_delay: delay,
        switch_delay: Duration::from_ns(140),
        ..RouterModel::default()
    };
    let network = network(&routers, &NodeModel::default(), &topology);
    let message = crate::flit::Message { at: 0, from: 0, to: 1, bytes: 256 };
    let (_, programs) = play(&network, 2, &[message], Handing::AtTheStart, 1);
    let of_hub = |leaf: u32| u64::from(leaf % HUBS) + 1;
    let of_leaf = |leaf: u32| u64::from(HUBS + leaf) + 1;
    let cables = 2 + of_leaf(first) + of_hub(first) + of_hub(last) + of_leaf(last);
    assert_eq!(programs[1].arrivals, [(0, 0, 1000 * (cables + 5 * 146 + 32))]);
}
