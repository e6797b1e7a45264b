//! Machines and runs that several tests use.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use weir_flow::{Flow, FlowEnded, NodeModel, Sharing};
use weir_network::{Outcome, Placement, Program, RunContext, Serving};
use weir_topology::{
    Dimension, FatTree, FatTreeRouting, NodeLink, Stage, Switches, Tie, Topology, Torus, Wrap,
};
use weir_units::{Bandwidth, Duration, Time};
use weir_workload::{Queue, Sequence};

/// The rules, with the paper's threshold for Mode N.
pub(crate) const RULES: [Sharing; 4] = [
    Sharing::MaxMin,
    Sharing::Iterative { threshold: 0.01 },
    Sharing::IterativeLiteral { threshold: 0.01 },
    Sharing::SinglePass,
];

/// Interfaces that send one message after the other, as in paper 000.
pub(crate) fn in_order() -> NodeModel {
    NodeModel { serving: Serving::InOrder, ..NodeModel::default() }
}

/// One second, the time of a message of size 1 at bandwidth 1.
pub(crate) const UNIT: u64 = 1_000_000_000_000;

pub(crate) fn bandwidth(bytes_per_s: f64) -> Bandwidth {
    Bandwidth::new(bytes_per_s).expect("positive and finite")
}

/// Injection and ejection links as fast as the others.
fn node_link(bytes_per_s: f64, latency: Duration) -> NodeLink {
    NodeLink { bandwidth: bandwidth(bytes_per_s), latency }
}

/// A torus or mesh with links of 1 B/s, half way round in the positive way.
pub(crate) fn torus(shape: &[u32], wrap: Wrap, latency: Duration) -> Topology {
    torus_of(1.0, shape, wrap, latency)
}

/// A torus or mesh with links of so many bytes per second.
pub(crate) fn torus_of(bytes_per_s: f64, shape: &[u32], wrap: Wrap, latency: Duration) -> Topology {
    let dimension = |&size| Dimension { size, wrap, bandwidth: bandwidth(bytes_per_s), latency };
    let dimensions = shape.iter().map(dimension).collect();
    Topology::Torus(Torus::new(dimensions, Tie::Spread, node_link(bytes_per_s, latency)).expect("a torus"))
}

/// The fat tree of paper 000 with 2p-port switches and 2 p^3 nodes, links of 1 B/s.
pub(crate) fn fat_tree(p: u32) -> Topology {
    let stage = Stage { bandwidth: bandwidth(1.0), latency: Duration::ZERO };
    let routing = FatTreeRouting::DestinationMod;
    let switches = Switches::full(2 * p, 3).expect("an even radix");
    let tree = FatTree::new(&switches, &[stage; 2], routing, node_link(1.0, Duration::ZERO));
    Topology::FatTree(tree.expect("a fat tree"))
}

pub(crate) fn run<P: Program>(
    flow: Flow,
    topology: &Topology,
    placement: &Placement,
    programs: &mut [P],
) -> FlowEnded
where
    P::Body: Serialize + DeserializeOwned,
{
    flow.run(topology, &[], programs, &NodeModel::default(), RunContext::new(placement))
}

/// Plays an order to its end, rank = node.
pub(crate) fn play(sharing: Sharing, topology: &Topology, order: impl Sequence) -> FlowEnded {
    play_placed(sharing, topology, &Placement::one_per_node(topology.nodes()), order)
}

pub(crate) fn play_placed(
    sharing: Sharing,
    topology: &Topology,
    placement: &Placement,
    order: impl Sequence,
) -> FlowEnded {
    let mut programs = Queue::all(Arc::new(order));
    let ended = run(Flow { sharing, ..Flow::default() }, topology, placement, &mut programs);
    assert_eq!(ended.ended.outcome, Outcome::Finished);
    ended
}

pub(crate) fn seconds(count: u64) -> Time {
    Time::from_ps(count * UNIT)
}
