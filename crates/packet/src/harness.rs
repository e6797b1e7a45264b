//! Small machines for the tests of this crate.

use weir_topology::{
    Dimension, FatTree, FatTreeRouting, Graph, Metric, NodeLink, Stage, Switches, Tie, Topology, Torus,
    Vertex, VertexKind, Wire, Wrap,
};
use weir_units::{Bandwidth, Duration};

/// A cable of so many bytes per second and nanoseconds.
pub(crate) fn cable(bytes_per_s: f64, ns: u64) -> NodeLink {
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
    let switches = Switches::full(radix, 3).expect("an even radix");
    let tree = FatTree::new(&switches, &[stage; 2], routing, cable(8e9, 100));
    Topology::FatTree(tree.expect("a small fat tree"))
}

/// A graph of so many routers with cables between these, and a node at each of the routers `homes`.
pub(crate) fn graph(routers: u32, joined: &[(u32, u32)], homes: &[u32]) -> Topology {
    let nodes = homes.len() as u32;
    let vertex = |kind, letter, number| Vertex { name: format!("{letter}{number}"), kind };
    let vertices = (0..nodes)
        .map(|number| vertex(VertexKind::Node, 'n', number))
        .chain((0..routers).map(|number| vertex(VertexKind::Router, 'r', number)));
    let of_nodes = (0..).zip(homes).map(|(number, &home)| (number, nodes + home));
    let between = joined.iter().map(|&(a, b)| (nodes + a, nodes + b));
    let NodeLink { bandwidth: capacity, latency } = cable(8e9, 100);
    let wires: Vec<_> = of_nodes
        .chain(between)
        .flat_map(|(a, b)| [(a, b), (b, a)].map(|(from, to)| Wire { from, to, capacity, latency }))
        .collect();
    Topology::Graph(
        Graph::new(vertices.collect(), &wires, Metric::Hops, cable(8e9, 100)).expect("a connected graph"),
    )
}
