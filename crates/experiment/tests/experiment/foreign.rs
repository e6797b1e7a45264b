//! Machines that files of other tools describe, as graphs: known answers, laws of round trips, and bad input.

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use weir_experiment::{Problem, read_foreign};
use weir_foreign::{Given, Imported, Reader, Writer};
use weir_topology::{Graph, Metric, NodeCables, NodeLink, Topology, Vertex, VertexKind, Wire};
use weir_units::{Bandwidth, Duration, LinkId, NodeId};

mod fabrics;
mod platforms;

/// 10 GB/s and 100 ns where a file says nothing.
fn given(skip: bool) -> Given {
    Given { bandwidth: Bandwidth::new(1e10), latency: Some(Duration::from_ns(100)), skip, ..Given::default() }
}

fn read(format: &str, text: &str, skip: bool) -> Result<Imported<Graph>, Vec<Problem>> {
    match weir_foreign::named(format).unwrap().reader {
        Some(Reader::Machine(reader)) => read_foreign(reader, text, given(skip), "file"),
        _ => panic!("{format} is no machine"),
    }
}

#[track_caller]
fn read_machine(format: &str, text: &str) -> Topology {
    match read(format, text, false) {
        Ok(imported) => Topology::Graph(imported.made),
        Err(problems) => {
            panic!("{}", problems.iter().map(|problem| format!("{problem}\n")).collect::<String>())
        }
    }
}

/// Fails unless the text is refused, at this line, with these words.
#[track_caller]
fn refused(format: &str, text: &str, line: Option<usize>, words: &str) {
    let problems = read(format, text, false).err().unwrap_or_else(|| panic!("accepted: {text}"));
    let found = problems.iter().find(|problem| problem.what.contains(words));
    let found = found.unwrap_or_else(|| panic!("{words:?} is not in {problems:?}"));
    assert_eq!(found.line, line, "{found:?}");
}

fn node(machine: &Topology, name: &str) -> NodeId {
    (0..machine.nodes()).map(NodeId::new).find(|&node| machine.node_name(node) == name).unwrap()
}

/// Bandwidth in bytes per second and latency in ps of the links between two nodes.
fn links(machine: &Topology, from: NodeId, to: NodeId) -> Vec<(f64, u64)> {
    let mut route = Vec::new();
    assert!(machine.find_route(from, to, &mut route));
    let of = |&link: &LinkId| {
        let link = machine.link(link);
        (link.capacity.bytes_per_second(), link.latency.as_ps())
    };
    route.iter().map(of).collect()
}

/// The time of a message alone: latencies, and its bytes through the narrowest link.
fn time_ns(machine: &Topology, from: &str, to: &str, bytes: f64) -> f64 {
    let links = links(machine, node(machine, from), node(machine, to));
    let narrowest = links.iter().map(|link| link.0).fold(f64::INFINITY, f64::min);
    links.iter().map(|link| link.1 as f64).sum::<f64>() / 1e3 + bytes / narrowest * 1e9
}

/// Answers that the unit tests of astra-network-analytical have for 1 MiB where nothing else is under way.
#[test]
fn networks_of_astra_sim_give_its_times() {
    let network = |topology: &str, counts: &str, bandwidth: &str, latency: &str| {
        let text = format!(
            "# ours\ntopology: [ {topology} ]  # a comment\nnpus_count: [ {counts} ]\nbandwidth: [ {bandwidth} ]\nlatency: [ {latency} ]\n"
        );
        read_machine("astra-network", &text)
    };
    for (topology, time) in [("Ring", 21031.0), ("FullyConnected", 20031.0), ("Switch", 20531.0)] {
        let found = time_ns(&network(topology, "16", "50.0", "500.0"), "npu 1", "npu 4", 1048576.0);
        assert_eq!(found.floor(), time, "{topology}");
    }
    let machine =
        network("Ring, FullyConnected, Switch", "2, 8, 4", "200.0, 100.0, 50.0", "50.0, 500.0, 2000.0");
    assert_eq!(machine.nodes(), 64);
    for (from, to, time) in [(0, 1, 4932.0), (37, 41, 10265.0), (26, 42, 23531.0)] {
        let found = time_ns(&machine, &format!("npu {from}"), &format!("npu {to}"), 1048576.0);
        assert_eq!(found.floor(), time, "{from} to {to}");
    }
    let json =
        "{ \"topology\": [\"Ring\"], \"npus-count\": [4], \"bandwidth\": [50.0], \"latency\": [500.0] }";
    assert_eq!(read_machine("astra-network", json).nodes(), 4);
}

#[test]
fn what_is_wrong_with_a_network_of_astra_sim_is_named() {
    let good = "topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n";
    refused("astra-network", &good.replace("Ring", "Torus"), Some(1), "Ring, FullyConnected or Switch");
    refused("astra-network", &good.replace("[ 8 ]", "[ 8, 2 ]"), Some(2), "2 values for 1 dimensions");
    refused("astra-network", &good.replace("[ 8 ]", "[ 8"), Some(2), "cut off");
    refused("astra-network", &good.replace("[ 8 ]", "[ 999999999 ]"), Some(1), "more than");
    refused("astra-network", &format!("{good}link-latency: 1\n"), Some(5), "no cable has");
    refused("astra-network", "topology: [ Ring ]\n", None, "npus_count is missing");
}

/// BookSim2's example `anynet_file` (28f4329, BSD-2): a link needs to be named at one of its ends only.
#[test]
fn networks_of_booksim_have_cycles_for_one_direction() {
    let example = "router 0 node 0 node 1 node 2 router 1\nrouter 1 node 3 node 4 node 5\nrouter 2 node 6 node 7 node 8 router 1 router 0\n";
    let three = read_machine("anynet", example);
    assert_eq!((three.nodes(), three.routers(), three.links()), (9, 3, 24));
    let directed = read_machine("anynet", "router 0 node 0 router 1 10\nrouter 1 node 1 3\n");
    let between = |a: &str, b: &str| links(&directed, node(&directed, a), node(&directed, b));
    let ps = |links: Vec<(f64, u64)>| links.iter().map(|link| link.1 / 100_000).collect::<Vec<_>>();
    assert_eq!(ps(between("node 0", "node 1")), [1, 10, 3]);
    assert_eq!(ps(between("node 1", "node 0")), [3, 1, 1]);
    refused("anynet", "router 0 node 0 switch 1\n", Some(1), "expected router or node");
    refused("anynet", "router 0 node 0\nrouter 1 node 0 router 0\n", Some(2), "several routers");
    refused("anynet", "router 0 node 0 router 1 0\n", Some(1), "at least one cycle");
    refused("anynet", "router 0 router 1 2\nrouter 0 router 1 3\n", Some(2), "another latency");
}

fn graph_of(vertices: Vec<Vertex>, wires: &[Wire]) -> Topology {
    let own = NodeLink { bandwidth: Bandwidth::new(1.0).unwrap(), latency: Duration::ZERO };
    let graph = Graph::new(vertices, wires, Metric::Time, own).unwrap();
    Topology::Graph(graph.with_node_cables(NodeCables::default()))
}

/// Nodes with a cable each at routers that a ring joins, and some more cables.
fn graphs() -> impl Strategy<Value = Topology> {
    let cables = prop::collection::vec((0_u32..7, 0_u32..7, 1_u32..4, 1_u64..5), 0..6);
    (2_u32..7, prop::collection::vec(0_u32..7, 2..8), cables).prop_map(|(routers, homes, cables)| {
        let mut vertices: Vec<Vertex> = homes
            .iter()
            .enumerate()
            .map(|(n, _)| Vertex { name: format!("n{n}"), kind: VertexKind::Node })
            .collect();
        let first = vertices.len() as u32;
        vertices.extend((0..routers).map(|n| Vertex { name: format!("r{n}"), kind: VertexKind::Router }));
        let mut wires = Vec::new();
        let mut join = |a: u32, b: u32, wide: u32, long: u64| {
            for (from, to) in [(a, b), (b, a)] {
                let capacity = Bandwidth::new(f64::from(wide) * 1e9).unwrap();
                wires.push(Wire { from, to, capacity, latency: Duration::from_ns(long) });
            }
        };
        (0..).zip(&homes).for_each(|(node, home)| join(node, first + home % routers, 2, 1));
        (0..routers - 1).for_each(|router| join(first + router, first + router + 1, 1, 2));
        let others = cables.into_iter().filter(|(a, b, ..)| a % routers != b % routers);
        others.for_each(|(a, b, wide, long)| join(first + a % routers, first + b % routers, wide, long));
        graph_of(vertices, &wires)
    })
}

fn written(format: &str, machine: &Topology) -> Result<String, String> {
    let mut out = Vec::new();
    let Some(Writer::Machine(writer)) = weir_foreign::named(format).unwrap().writer else {
        panic!("{format} is no format of machines")
    };
    writer(machine, &mut out).unwrap().map(|_| String::from_utf8(out).unwrap())
}

/// The links of routes, each with its bandwidth and latency, and for each link of a route its number.
type Routes = (Vec<Vec<(f64, u64)>>, Vec<Vec<usize>>);

/// Pairs of nodes by name: their links, and which links of all routes are the same.
fn routes(machine: &Topology) -> Routes {
    let mut names: Vec<(String, NodeId)> =
        (0..machine.nodes()).map(NodeId::new).map(|node| (machine.node_name(node), node)).collect();
    names.sort();
    let (mut quantities, mut numbers) = (Vec::new(), Vec::new());
    let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, from) in &names {
        for (_, to) in names.iter().filter(|(_, to)| to != from) {
            let mut route = Vec::new();
            assert!(machine.find_route(*from, *to, &mut route));
            quantities.push(links(machine, *from, *to));
            let number = |link: &LinkId| {
                let next = seen.len();
                *seen.entry(link.index()).or_insert(next)
            };
            numbers.push(route.iter().map(number).collect());
        }
    }
    (quantities, numbers)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What is written for SimGrid reads back with the same nodes, links and routes, and the same of them share a link.
    #[test]
    fn platforms_read_back_the_same(machine in graphs()) {
        let text = written("simgrid", &machine).unwrap();
        let again = read_machine("simgrid", &text);
        prop_assert_eq!(routes(&again), routes(&machine));
    }

    /// What is written for BookSim reads back with the same ways, in cycles.
    #[test]
    fn networks_of_booksim_read_back_the_same(machine in graphs()) {
        let Ok(text) = written("anynet", &machine) else { return Ok(()) };
        let again = read_machine("anynet", &text);
        let latencies = |machine: &Topology| {
            let (vertices, wires) = machine.to_vertices_and_wires();
            let is_node = |vertex: u32| vertices[vertex as usize].kind == VertexKind::Node;
            let mut all: Vec<_> = wires.iter().map(|wire| (is_node(wire.from), is_node(wire.to), wire.latency.as_ps())).collect();
            all.sort_unstable();
            all
        };
        let unit = latencies(&again).iter().map(|wire| wire.2).min().unwrap() / latencies(&machine).iter().map(|wire| wire.2).min().unwrap();
        let scaled: Vec<_> = latencies(&machine).into_iter().map(|(a, b, ps)| (a, b, ps * unit)).collect();
        prop_assert_eq!(latencies(&again), scaled);
    }

    /// A file that ends anywhere, or has a line twice or none of it, is read or refused with words, and never more.
    #[test]
    fn damaged_files_are_refused_with_words(which in 0_usize..SAMPLES.len(), cut in 0.0..1.0_f64, kind in 0_u8..3) {
        let (format, text) = SAMPLES[which];
        let at = (text.len() as f64 * cut) as usize;
        let lines: Vec<&str> = text.lines().collect();
        let line = (lines.len() as f64 * cut) as usize;
        let damaged = match kind {
            0 => text[..at].to_owned(),
            1 => lines.iter().enumerate().filter(|(n, _)| *n != line).map(|(_, row)| format!("{row}\n")).collect(),
            _ => lines.iter().enumerate().map(|(n, row)| if n == line { format!("{row}\n{row}\n") } else { format!("{row}\n") }).collect(),
        };
        for skip in [false, true] {
            match read(format, &damaged, skip) {
                Ok(imported) => prop_assert!(imported.made.vertices().len() > 1),
                Err(problems) => prop_assert!(!problems.is_empty() && problems.iter().all(|problem| !problem.what.is_empty())),
            }
        }
    }
}

/// A small file of each format, of our own writing.
const SAMPLES: &[(&str, &str)] = &[
    ("simgrid", platforms::TWO_CLUSTERS),
    ("simgrid", platforms::ROUTED),
    ("ibnetdiscover", fabrics::FABRIC),
    ("slurm", "SwitchName=top Switches=s[0-1]\nSwitchName=s0 Nodes=a[0-3]\nSwitchName=s1 Nodes=b[00-03],c\n"),
    ("slurm", "BlockName=b0 Nodes=n[0-3]\nBlockName=b1 Nodes=n[4-7]\nBlockSizes=4,8\n"),
    ("anynet", "router 0 node 0 node 1 router 1 10\nrouter 1 node 2 3\n"),
    (
        "astra-network",
        "topology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 50.0, 25 ]\nlatency: [ 500.0, 5 ]\n",
    ),
    ("ns3", fabrics::DUAL_HOMED),
    ("htsim-topology", fabrics::TREE),
];

#[test]
fn samples_are_whole() {
    for (format, text) in SAMPLES {
        read_machine(format, text);
    }
}

#[test]
fn formats_are_recognized_by_what_is_in_them() {
    for (format, text) in SAMPLES {
        let sample = weir_foreign::sample::Sample::new("file".as_ref(), text.as_bytes());
        assert_eq!(weir_foreign::of(&sample).map(|format| format.name), Some(*format), "{text}");
    }
    let names: BTreeSet<&str> = weir_foreign::FORMATS.iter().map(|format| format.name).collect();
    assert_eq!(names.len(), weir_foreign::FORMATS.len());
}
