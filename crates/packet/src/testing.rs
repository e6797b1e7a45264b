//! Small machines for the tests of this crate.

use weir_topology::{Dimension, FatTree, FatTreeRouting, NodeLink, Stage, Tie, Topology, Torus, Wrap};
use weir_units::{Bandwidth, Duration};

/// A cable of so many bytes per second and nanoseconds.
fn cable(bytes_per_s: f64, ns: u64) -> NodeLink {
    NodeLink { bandwidth: Bandwidth::new(bytes_per_s).expect("positive"), latency: Duration::from_ns(ns) }
}

/// A torus, or a mesh, of cables of so many bytes per second; between routers and of nodes they have these latencies in
/// nanoseconds.
pub(crate) fn grid(sizes: &[u32], wrap: Wrap, bytes_per_s: f64, (between, of_nodes): (u64, u64)) -> Topology {
    let NodeLink { bandwidth, latency } = cable(bytes_per_s, between);
    let dimensions = sizes.iter().map(|&size| Dimension { size, wrap, bandwidth, latency }).collect();
    Topology::Torus(Torus::new(dimensions, Tie::Plus, cable(bytes_per_s, of_nodes)).expect("a small grid"))
}

/// A fat tree of routers with so many ports.
pub(crate) fn fat_tree(radix: u32) -> Topology {
    let NodeLink { bandwidth, latency } = cable(8e9, 100);
    let stage = Stage { bandwidth, latency };
    let routing = FatTreeRouting::DestinationMod;
    Topology::FatTree(FatTree::new(radix, [stage; 2], routing, cable(8e9, 100)).expect("a small fat tree"))
}
