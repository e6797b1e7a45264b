use crate::testing::{as_graph, cable, fat_tree, grid, hypercrossbar, machines};
use crate::{
    End, FatTreeRouting, Generator, Graph, Metric, NodeLink, Tie, Topology, Vertex, VertexKind, Wire, permutation,
};
use proptest::prelude::*;
use weir_units::{LinkId, RouterId};

/// Of so many ranges of equal length of an order: the most links that lead out of one.
fn most_out(machine: &Topology, order: &[RouterId], parts: usize) -> usize {
    let mut part_of = vec![0; order.len()];
    let places = order.iter().enumerate();
    places.for_each(|(place, router)| part_of[router.index()] = place * parts / order.len());
    let mut out = vec![0; parts];
    for link in (0..machine.links()).map(|id| machine.link(LinkId::new(id))) {
        if let (End::Router(from), End::Router(to)) = (link.from, link.to)
            && part_of[from.index()] != part_of[to.index()]
        {
            out[part_of[from.index()]] += 1;
        }
    }
    out.into_iter().max().expect("there are parts")
}

/// With the numbers of the routers, and in the compact order.
#[track_caller]
fn check(machine: &Topology, parts: usize, by_number: usize, compact: usize) {
    let numbers: Vec<_> = (0..machine.routers()).map(RouterId::new).collect();
    let found = [numbers, machine.compact_order()].map(|order| most_out(machine, &order, parts));
    assert_eq!(found, [by_number, compact], "{parts} parts");
}

/// A graph of so many routers with a node each, and these cables between them.
fn graph(routers: usize, cables: impl Iterator<Item = (usize, usize)>) -> Topology {
    let vertex = |kind, letter| move |number| Vertex { name: format!("{letter}{number}"), kind };
    let vertices = (0..routers).map(vertex(VertexKind::Node, 'n'));
    let vertices = vertices.chain((0..routers).map(vertex(VertexKind::Router, 'r')));
    let NodeLink { bandwidth: capacity, latency } = cable(0);
    let of_nodes = (0..routers).map(|number| (number, routers + number));
    let cables = of_nodes.chain(cables.map(|(a, b)| (routers + a, routers + b)));
    let wires = cables.flat_map(|(a, b)| [(a as u32, b as u32), (b as u32, a as u32)]);
    let wires: Vec<_> = wires.map(|(from, to)| Wire { from, to, capacity, latency }).collect();
    Topology::Graph(Graph::new(vertices.collect(), &wires, Metric::Hops, cable(0)).expect("a graph"))
}

/// A dragonfly of groups of so many routers, each with so many cables to other groups; its routers are numbered by lot.
fn dragonfly(group: usize, global: usize) -> Topology {
    let groups = group * global + 1;
    let numbers = permutation(group * groups, 5, Generator::SplitMix);
    let router = move |of_group: usize, place: usize| numbers[of_group * group + place] as usize;
    let within = (0..groups).flat_map(|of_group| (0..group).flat_map(move |a| (0..a).map(move |b| (of_group, a, of_group, b))));
    let between = (0..groups).flat_map(|one| (0..one).map(move |other| {
        // The ports of a group to the groups behind it, one after the other.
        let [from, to] = [one - other, groups + other - one].map(|ahead| (ahead - 1) / global);
        (other, from, one, to)
    }));
    let cables: Vec<_> = within.chain(between).map(|(g, a, h, b)| (router(g, a), router(h, b))).collect();
    graph(group * groups, cables.into_iter())
}

/// A random graph in which every router has so many cables.
fn random(routers: usize, cables: usize) -> Topology {
    let rings = (0..cables / 2).flat_map(|seed| {
        let ring = permutation(routers, seed as u64, Generator::SplitMix);
        (0..routers).map(move |place| (ring[place] as usize, ring[(place + 1) % routers] as usize))
    });
    graph(routers, rings)
}

#[test]
fn table() {
    for (name, machine) in [
        ("torus", grid(&[(64, true), (32, true), (32, true)], Tie::Plus)),
        ("fat tree", fat_tree(&[(16, 16), (16, 16), (32, 0)], FatTreeRouting::DestinationMod)),
        ("dragonfly", dragonfly(16, 8)),
        ("random", random(2048, 16)),
    ] {
        let start = std::time::Instant::now();
        let order = machine.compact_order();
        let time = start.elapsed();
        let numbers: Vec<_> = (0..machine.routers()).map(RouterId::new).collect();
        println!("{name} {} routers, {time:?}", machine.routers());
        for parts in [2, 4, 16, 64, 1024] {
            println!("{parts}: {} {}", most_out(&machine, &numbers, parts), most_out(&machine, &order, parts));
        }
    }
}
