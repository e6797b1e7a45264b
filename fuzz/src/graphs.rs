//! Files of machines: graphs in three forms, routes, mappings, and the addresses of nodes.

use crate::scratch;
use std::path::Path;
use weir_experiment::{ExperimentText, GraphFormat, MachineDescription, Scenario, Source, read_foreign, write_graph};
use weir_foreign::{FORMATS, Given, ReadWork, Reader};
use weir_topology::Topology;
use weir_units::{Bandwidth, Bytes, Duration, NodeId};

/// Any text as an edge list.
pub(crate) fn edge_list(bytes: &[u8]) {
    graph(bytes, "graph.csv");
}

/// Any text as node-link JSON.
pub(crate) fn node_link(bytes: &[u8]) {
    graph(bytes, "graph.json");
}

/// Any text as GraphML.
pub(crate) fn graphml(bytes: &[u8]) {
    graph(bytes, "graph.graphml");
}

/// A byte that says the format and whether parts may be left out, then any text in it.
pub(crate) fn foreign(bytes: &[u8]) {
    let Some((&first, bytes)) = bytes.split_first() else { return };
    let given = Given {
        bandwidth: Bandwidth::new(1e9),
        latency: Some(Duration::from_ns(1)),
        speed: Some(1e9),
        message_size: Some(Bytes(1 << 20)),
        ranks: Some(8),
        group: Some(2),
        processors_per_node: Some(2),
        skip: first & 0x80 != 0,
    };
    let format = &FORMATS[usize::from(first & 0x7f) % FORMATS.len()];
    let read_as_text = std::str::from_utf8(bytes);
    let text = read_as_text.unwrap_or_default();
    let mistakes = match format.reader {
        // Some of these files are no texts.
        Some(Reader::Work(reader)) => work(reader, &scratch::write("work.0.et", bytes), given),
        _ if read_as_text.is_err() => return,
        Some(Reader::Machine(reader)) => read_foreign(reader, text, given, "file").err().map(|all| all.len()),
        Some(Reader::Pattern(reader)) => reader.read(text, given).err().map(|all| all.len()),
        Some(Reader::Keys(reader)) => reader.read(text, given).err().map(|all| all.len()),
        Some(Reader::Jobs(reader)) => reader.read(text, given).err().map(|all| all.len()),
        None => None,
    };
    assert_ne!(mistakes, Some(0), "refused without a word");
}

/// The number of mistakes in a graph of work. One without is written as weir's own text, and read again.
fn work(reader: ReadWork, path: &Path, given: Given) -> Option<usize> {
    let graph = match reader.read(path, given) {
        Ok(imported) => imported.made,
        Err(mistakes) => return Some(mistakes.len()),
    };
    if graph.tasks.ranks() > 1000 || graph.tasks.len() > 10_000 {
        return None;
    }
    let mut text = Vec::new();
    graph.write(&mut text).expect("memory takes all");
    let again = weir_formats::graph::read(&scratch::write("again.graph", &text));
    let again = again.unwrap_or_else(|error| panic!("not read again: {error}: {}", String::from_utf8_lossy(&text)));
    let mut twice = Vec::new();
    again.write(&mut twice).expect("memory takes all");
    assert_eq!(String::from_utf8_lossy(&twice), String::from_utf8_lossy(&text));
    None
}

fn load(text: String) -> Option<MachineDescription> {
    let text = ExperimentText { name: "machine.toml".into(), text };
    match MachineDescription::load(&Source { experiment_text: Some(text), ..Source::default() }) {
        Ok(machine) => Some(machine),
        Err(problems) => {
            assert!(problems.list().iter().all(|problem| !problem.what.is_empty()));
            assert!(problems.to_string().len() < 200_000);
            None
        }
    }
}

fn of_graph(path: &Path, more: &str) -> Option<MachineDescription> {
    let defaults = "kind = \"graph\"\nbandwidth = 1\nlatency = 0";
    load(format!("[topology]\n{defaults}\nfile = {}\n{more}", scratch::quoted(path)))
}

/// Reads it. A machine is written in all forms and read again, and has the same links and routes; what is written of that one
/// is the same text. (Names are others: of a vertex that is a node and a router there are two.)
fn graph(bytes: &[u8], name: &str) {
    let Some(machine) = of_graph(&scratch::write(name, bytes), "") else { return };
    let topology = machine.topology();
    let _ = machine.warnings();
    if topology.nodes() > 1000 {
        return;
    }
    let expected = described(&topology);
    let forms =
        [("csv", GraphFormat::EdgeList), ("json", GraphFormat::NodeLink), ("graphml", GraphFormat::GraphMl)];
    for (ending, form) in forms {
        let written = written(&topology, form);
        let path = scratch::write(&format!("again.{ending}"), &written);
        let Some(again) = of_graph(&path, "") else { panic!("not read again as {ending}: {written}") };
        let again = again.topology();
        assert_eq!(described(&again), expected, "{written}");
        assert_eq!(self::written(&again, form), written);
    }
}

fn written(topology: &Topology, form: GraphFormat) -> String {
    let mut out = Vec::new();
    write_graph(topology, form, &mut out).expect("memory takes all");
    String::from_utf8(out).expect("text")
}

/// Nodes, routers and links of a machine, and some routes.
fn described(topology: &Topology) -> (usize, usize, Vec<String>, Vec<Vec<usize>>) {
    let links = (0..topology.links()).map(weir_units::LinkId::new);
    let links = links.map(|link| format!("{:?}", topology.link(link))).collect();
    let mut routes = Vec::new();
    let mut route = Vec::new();
    for from in 0..topology.nodes().min(8) {
        for to in (0..topology.nodes().min(8)).filter(|&to| to != from) {
            topology.route(NodeId::new(from), NodeId::new(to), &mut route);
            assert!(!route.is_empty());
            routes.push(route.iter().map(|link| link.index()).collect());
        }
    }
    (topology.nodes(), topology.routers(), links, routes)
}

/// Any text as the routes of a small network with parallel links.
pub(crate) fn routes(bytes: &[u8]) {
    let graph = scratch::write("base.csv", BASE);
    let routes = scratch::write("base.routes", bytes);
    let more = format!("routes = {}", scratch::quoted(&routes));
    let Some(machine) = of_graph(&graph, &more) else { return };
    let mut out = Vec::new();
    let topology = machine.topology();
    weir_experiment::write_routes(&topology, &mut out).expect("memory takes all");
    let path = scratch::write("again.routes", &out);
    let again = of_graph(&graph, &format!("routes = {}", scratch::quoted(&path)));
    let again = again.unwrap_or_else(|| panic!("not read again: {}", String::from_utf8_lossy(&out)));
    assert_eq!(described(&again.topology()), described(&topology));
}

/// The network of [`routes`]: two links between `left` and `right`.
pub(crate) const BASE: &str = "source,target,source_kind,target_kind\n\
    a,left,node,router\nb,left,node,router\nc,right,node,router\nleft,right,router,router\nleft,right,router,router\n";

/// Any text as a mapping, on a torus and on the network of [`routes`].
pub(crate) fn mapping(bytes: &[u8]) {
    let path = scratch::write("mapping.txt", bytes);
    let graph = scratch::write("base.csv", BASE);
    let machines = [
        ("kind = \"torus\"\nshape = [3, 2]\nbandwidth = 1".to_owned(), 3),
        (format!("kind = \"graph\"\nbandwidth = 1\nfile = {}", scratch::quoted(&graph)), 2),
    ];
    for (machine, ranks) in machines {
        let text = format!(
            "[topology]\n{machine}\n[mapping]\nkind = \"file\"\nranks_per_node = 2\nfile = {}\n[workload]\nkind = \"ring\"\n\
             message_size = 1\nranks = {ranks}\n",
            scratch::quoted(&path)
        );
        let text = ExperimentText { name: "mapped.toml".into(), text };
        match Scenario::load(&Source { experiment_text: Some(text), ..Source::default() }) {
            Ok(scenario) => {
                let placement = scenario.placement();
                let nodes = scenario.nodes();
                let ranks = (0..ranks).map(weir_units::Rank::new);
                assert!(ranks.into_iter().all(|rank| placement.node(rank).index() < nodes));
            }
            Err(problems) => {
                let placed =
                    |problem: &weir_experiment::Problem| problem.line.is_some() || !problem.key.is_empty();
                assert!(problems.list().iter().all(|problem| !problem.what.is_empty()));
                assert!(problems.list().iter().any(placed) || problems.to_string().contains("mapping.txt"));
            }
        }
    }
}

/// Any text as the address of a node.
pub(crate) fn address(bytes: &[u8]) {
    use std::sync::LazyLock;
    static MACHINES: LazyLock<Vec<Topology>> = LazyLock::new(|| {
        let graph = scratch::write("base.csv", BASE);
        let machines = [
            "kind = \"torus\"\nshape = [3, 2, 4]\nbandwidth = 1".to_owned(),
            "kind = \"tofu\"\nshape = [2, 1, 1]\nbandwidth = 1".to_owned(),
            "kind = \"hypercrossbar\"\nshape = [3, 2]\nbandwidth = 1".to_owned(),
            "kind = \"fat-tree\"\nradix = 4\nbandwidth = 1".to_owned(),
            "kind = \"dragonfly-plus\"\nnodes_per_leaf = 2\nleaves = 2\nspines = 2\nglobal_links = 1\nbandwidth = 1".to_owned(),
            "kind = \"slim-fly\"\nq = 3\nnodes_per_router = 2\nbandwidth = 1".to_owned(),
            format!("kind = \"graph\"\nbandwidth = 1\nfile = {}", scratch::quoted(&graph)),
        ];
        let load = |text| {
            load(format!("[topology]\n{text}\n"))
                .expect("a machine without mistakes")
                .topology()
                .as_ref()
                .clone()
        };
        machines.into_iter().map(load).collect()
    });
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for machine in MACHINES.iter() {
        if let Some(node) = machine.parse_address(text) {
            assert!(node.index() < machine.nodes());
            assert_eq!(machine.parse_address(&machine.address(node)), Some(node));
        }
    }
}
