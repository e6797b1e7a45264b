//! Networks from files: what networkx writes is read, what weir writes is read back, and every mistake has its line.
//!
//! The files in `graphs` were written by networkx 3.6 with `graphs/make.py`.

use crate::common::each;
use crate::common::graph::*;
use crate::{Folder, again, check_problems, table};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use weir_experiment::{GraphFormat, Scenario, Source, write_graph, write_routes};
use weir_topology::{End, Graph, Link, Metric, NodeLink, Topology, Vertex, VertexKind, Wire};
use weir_units::{Bandwidth, Duration, LinkId, NodeId};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/experiment/graphs").join(name)
}

/// A ring of four vertices without a kind: routers with a node each, joined by cables of 1 GB/s and 100 ns.
#[test]
fn rings_of_networkx() {
    for name in ["ring.graphml", "ring.json"] {
        let s = load_graph(&[], &format!("file = {:?}", fixture(name).display().to_string())).unwrap();
        let machine = s.topology().unwrap();
        assert_eq!((machine.nodes(), machine.routers(), machine.links()), (4, 4, 8 + 8), "{name}");
        let link = machine.link(LinkId(8));
        assert_eq!((link.capacity, link.latency), (Bandwidth::new(1e9).unwrap(), Duration::from_ns(100)));
        let expected = ["node 3 -> router 3", "router 3 -> router 0", "router 0 -> node 0"];
        assert_eq!(names(&machine, 3, 0), expected);
        assert_eq!(s.node.nic_bandwidth, Bandwidth::new(1e9));
        assert_eq!(s.node.link_latency, Some(Duration::from_ns(100)));
    }
}

/// Three nodes at a hub, twice as fast toward it as from it.
#[test]
fn stars_of_networkx() {
    for name in ["star.graphml", "star.json"] {
        let s = load_graph(&[], &format!("file = {:?}", fixture(name).display().to_string())).unwrap();
        let machine = s.topology().unwrap();
        assert_eq!((machine.nodes(), machine.routers(), machine.links()), (3, 1, 6), "{name}");
        assert_eq!(names(&machine, 0, 2), ["a -> hub", "hub -> c"]);
        let capacities: Vec<_> =
            route(&machine, 0, 2).iter().map(|&id| machine.link(id).capacity.bytes_per_second()).collect();
        assert_eq!(capacities, [2e9, 1e9]);
        assert_eq!(machine.link(LinkId(0)).latency, Duration::from_ns(500));
        assert_eq!(machine.address(NodeId(1)), "b");
    }
}

#[test]
fn edge_lists() {
    let csv = "# a line\nsource, target, bandwidth, latency\na, b, 1 GB/s, 1 us\nb, c, , 2e-6\n";
    let s = load_graph(&[("m.csv", csv)], "file = 'm.csv'\nbandwidth = '3 GB/s'\nlatency = '9 us'").unwrap();
    let machine = s.topology().unwrap();
    assert_eq!((machine.nodes(), machine.routers(), machine.links()), (3, 3, 6 + 4));
    let links: Vec<_> = (6..10).map(|id| machine.link(LinkId(id))).collect();
    let expected = [1.0, 1.0, 3.0, 3.0];
    assert_eq!(links.iter().map(|l| l.capacity.bytes_per_second() / 1e9).collect::<Vec<_>>(), expected);
    assert_eq!(links[2].latency, Duration::from_ns(2000));
    assert_eq!(s.node.link_latency, Some(Duration::from_ns(9000)));

    let csv = "target,source,source_kind,target_kind,directed\nhub,a,node,router,true\na,hub,,,true\nhub,b,node,,\n";
    let machine =
        load_graph(&[("m.csv", csv)], "file = 'm.csv'\nbandwidth = '3 GB/s'").unwrap().topology().unwrap();
    assert_eq!((machine.nodes(), machine.routers(), machine.links()), (2, 1, 4));
}

#[test]
fn given_routes() {
    let csv = "source,target\na,b\nb,c\nc,d\nd,a\nd,a\n";
    let routes = "source,destination,via\na,b,a,#1,d,c,b\na,c,a,#2,d,c\na,d,a,#2,d\n# back\nb,a,b,a\nb,c,b,c\nb,d,b,c,d\n\
                  c,a,c,b,a\nc,b,c,b\nc,d,c,d\nd,a,d,a\nd,b,d,a,b\nd,c,d,c\n";
    let keys = "file = 'm.csv'\nroutes = 'm.routes'\nbandwidth = '3 GB/s'";
    let load = |routes: &str| load_graph(&[("m.csv", csv), ("m.routes", routes)], keys);
    let machine = load(routes).unwrap().topology().unwrap();
    let way = ["node a", "router a", "router d", "router c", "router b", "node b"];
    let way: Vec<String> = way.windows(2).map(|two| two.join(" -> ")).collect();
    assert_eq!(names(&machine, 0, 1), way);
    assert_eq!(names(&machine, 0, 2)[1], "router a -> router d (2)");

    let refused = |from: &str, to: &str, expected: &str| {
        assert!(routes.contains(from));
        check_problems(load(&routes.replace(from, to)), &format!("topology.routes: {expected}"));
    };
    refused("source,destination,via", "from,to", "the first line must be source,destination,via");
    refused("b,a,b,a\n", "", "no route from \"b\" to \"a\"");
    refused("b,a,b,a\n", "b,a,b,a\nb,a,b,a\n", "there is a route from \"b\" to \"a\" already");
    refused("b,a,b,a\n", "b,a,b,d,a\n", "no cable from \"b\" to \"d\"");
    refused("b,a,b,a\n", "b,a,b,c,b,a\n", "passes \"b\" twice");
    refused("b,a,b,a\n", "b,a,b,c\n", "the route ends at \"c\", but \"a\" is at \"a\"");
    refused("b,a,b,a\n", "b,a,c,b,a\n", "the route begins at \"c\", but \"b\" is at \"b\"");
    refused("b,a,b,a\n", "b,a,b,x,a\n", "there is no router \"x\"");
    refused("b,a,b,a\n", "b,e,b,a\n", "there is no node \"e\"");
    refused("b,a,b,a\n", "b,a,b,#0,a\n", "\"#0\" is not the number of a link");
    refused("b,a,b,a\n", "b,a,b,#2,a\n", "there is no link #2, only 1");
    let problems = load(&routes.replace("b,a,b,a\n", "b,a,b,d,a\n")).unwrap_err();
    assert_eq!((problems.list()[0].line, problems.list()[0].value.as_str()), (Some(6), "b,a,b,d,a"));
    let keys = format!("{keys}\nmetric = 'hops'");
    let both = load_graph(&[("m.csv", csv), ("m.routes", routes)], &keys);
    check_problems(both, "topology.metric: where routes are given");
}

/// What is said about files, with the line, or `-` for a file as a whole: cases as [`table`] has them.
#[track_caller]
fn check_files(name: &str, cases: &str) {
    for (text, expected) in table(cases) {
        let problems = load_graph(&[(name, &text)], &format!("file = {name:?}")).unwrap_err();
        let line = |line: Option<usize>| line.map_or("-".to_owned(), |line| line.to_string());
        let found = problems.list().iter().map(|p| (line(p.line), format!("{} [{}]", p.what, p.value)));
        let found: Vec<_> = found.collect();
        let expected = each(expected);
        let mut both = found.iter().zip(&expected);
        let agree = found.len() == expected.len()
            && both.all(|(found, one)| found.0 == one.0 && found.1.contains(one.1));
        assert!(agree, "{text}: expected {expected:#?}\ngot {found:#?}");
        assert!(problems.list().iter().all(|p| p.key == "topology.file" && p.file.ends_with(name)));
    }
}

#[test]
fn mistakes_in_edge_lists() {
    let cases = r#"
        from,to; a,b => 1: must name the columns source and target
        source,target,bandwidth,latency,speed; a,b,fast,1 ns,; b,c,0,-1,; ; c,d,1 GB,1 ns,; ,e,,,; d,e,1,1,1,1 => 1: unknown column [speed] && 2: bandwidth: not a number [fast] && 3: bandwidth: must be greater than zero [0] && 3: latency: must not be negative [-1] && 5: unknown unit "GB" && 6: the row has no source && 7: 6 fields, but the first line has 5 columns
        source,target,bandwidth,source_kind,target_kind,directed; a,b,1,nod,router,; b,c,1,both,,perhaps => 2: unknown kind; expected node, router or both [nod] && 3: another kind than on line 2 [both] && 3: directed must be true or false [perhaps] && 3: vertex "c" has no kind, but others do
        source,target; a,b => 2: the cable has no bandwidth
        source,target,bandwidth; a,a,1 => 2: joins "a" with itself
        source,target,bandwidth; a,b,1; c,d,1 => -: "a" cannot reach "c", "d" && -: "a" cannot be reached from "c", "d"
        source,target,bandwidth,source_kind,target_kind; a,r,1,node,router; b,s,1,node,router; c,r,1,node,router; c,s,1,, => -: node "a" cannot reach "b"
    "#;
    check_files("m.csv", cases);
}

#[test]
fn mistakes_in_node_link_files() {
    let cases = r#"
        {; "nodes": [} => 2: not a JSON object
        {} => -: no list nodes && -: no list links or edges
        {"nodes": [; {"id": 1},; {"id": 1},; {},; 7],; "links": [; {"source": 1, "target": 2},; {"source": 1}]} => 4: a vertex has no id && 5: must be an object [7] && 7: a vertex that is not there [2] && 8: a cable has no target
        {"nodes": [; {"id": 1},; {"id": 1}],; "links": []} => 3: vertex "1" is there twice
    "#;
    check_files("m.json", cases);
}

#[test]
fn mistakes_in_graphml_files() {
    let cases = r#"
        <graphml>; <graph>; </graphml> => 3: not XML
        <x/> => 1: not GraphML
        <graphml>; <key id='k' for='node' attr.name='kind'/><key id='b' for='edge' attr.name='bandwidth'/>; <graph edgedefault='undirected'>; <node id='a'><data key='k'>host</data></node>; <node id='b'/>; <edge source='a' target='c'/>; <edge source='a' target='b'>; <data key='b'>-3</data></edge>; <hyperedge/>; </graph></graphml> => 4: unknown kind; expected node, router or both [host] && 5: vertex "b" has no kind, but others do && 6: a vertex that is not there [c] && 7: bandwidth: must && 9: not in this version [hyperedge]
    "#;
    check_files("m.graphml", cases);
}

#[test]
fn ranks_and_placements() {
    let csv = "source,target\nx,y\ny,z\n";
    let experiment = "[topology]\nkind = 'graph'\nfile = 'm.csv'\nbandwidth = '1 GB/s'\n[mapping]\nkind = 'file'\nfile = 'r.map'\n\
                      [workload]\nkind = 'ring'\nmessage_size = '1 kB'\nranks = 2\n";
    let folder = Folder::with(&[("e.toml", experiment), ("m.csv", csv), ("r.map", "0 z\n1 x\n")]);
    let source = folder.source("e.toml");
    let s = Scenario::load(&source).unwrap();
    assert_eq!(s.placement().nodes(), [NodeId(2), NodeId(0)]);
    assert_eq!(again(&s), s);
    let many = Scenario::load(&Source { ranks: Some(5), ..source });
    let said = "workload.ranks: ranks_per_node = 2 would do, or a topology.file with 5 nodes && mapping.file: ranks 2 to 4 have no node";
    check_problems(many, said);
}

/// Where a link begins and ends, in words, and which of several between these it is.
type Ends = (String, String, usize);

fn ends(machine: &Topology, id: LinkId) -> Ends {
    let Link { from, to, .. } = machine.link(id);
    let [from, to] = [from, to].map(|end| match end {
        End::Node(node) => machine.node_name(node),
        End::Router(router) => machine.router_name(router),
    });
    (from, to, machine.parallel_before(id))
}

/// What links carry and how long they are.
fn links_by_ends(machine: &Topology) -> BTreeMap<Ends, (u64, Duration)> {
    let of = |id: LinkId| (machine.link(id).capacity.bytes_per_second().to_bits(), machine.link(id).latency);
    (0..machine.links()).map(LinkId::new).map(|id| (ends(machine, id), of(id))).collect()
}

/// The routes of all pairs of nodes.
fn routes_by_names(machine: &Topology) -> BTreeMap<[String; 2], Vec<Ends>> {
    let nodes = || (0..machine.nodes()).map(NodeId::new);
    let pairs = nodes().flat_map(|from| nodes().map(move |to| (from, to)));
    let of = |(from, to): (NodeId, NodeId)| {
        let links = route(machine, from.index(), to.index()).into_iter().map(|id| ends(machine, id));
        ([from, to].map(|node| machine.node_name(node)), links.collect())
    };
    pairs.map(of).collect()
}

/// Written in each form and read again, a machine has the same nodes, routers and links, and the same routes. Their numbers are
/// those of their names.
#[track_caller]
fn check_round_trip(machine: &Topology) {
    for (name, format) in [
        ("m.graphml", GraphFormat::GraphMl),
        ("m.json", GraphFormat::NodeLink),
        ("m.csv", GraphFormat::EdgeList),
    ] {
        let (mut graph, mut routes) = (Vec::new(), Vec::new());
        write_graph(machine, format, &mut graph).unwrap();
        write_routes(machine, &mut routes).unwrap();
        let [graph, routes] = [graph, routes].map(|bytes| String::from_utf8(bytes).unwrap());
        let keys = format!("file = '{name}'\nroutes = 'm.routes'");
        let again = load_graph(&[(name, &graph), ("m.routes", &routes)], &keys);
        let again = again.unwrap_or_else(|problems| panic!("{problems}\n{graph}")).topology().unwrap();
        assert_eq!((again.nodes(), again.routers()), (machine.nodes(), machine.routers()));
        assert_eq!(links_by_ends(&again), links_by_ends(machine), "{name}");
        assert_eq!(routes_by_names(&again), routes_by_names(machine), "{name}");
    }
}

fn cable(i: usize) -> NodeLink {
    NodeLink {
        bandwidth: Bandwidth::new(1e9 / (i as f64 + 3.0)).unwrap(),
        latency: Duration::from_ps(i as u64 * 1_234_567 + 1),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Machines of every kind with a formula, whose links differ by dimension or stage.
    #[test]
    fn machines_come_back(
        sizes in proptest::collection::vec(1_u32..4, 1..3), kind in prop::sample::select(vec!["torus", "mesh", "hypercrossbar", "fat-tree"]),
    ) {
        let stage = |down: &u32| format!("{{down = {down}, up = {}}}, ", 1 + down % 2);
        let shape = match kind {
            "fat-tree" => format!("stages = [{}{{down = 3}}]", sizes.iter().map(stage).collect::<String>()),
            _ => format!("shape = {sizes:?}"),
        };
        let of_each = |value: fn(usize) -> String| (0..sizes.len()).map(value).collect::<Vec<_>>().join(", ");
        let text = format!(
            "[topology]\nkind = '{kind}'\n{shape}\nbandwidth = [{}]\nlatency = [{}]\n{REST}[mapping]\nranks_per_node = 2\n",
            of_each(|i| format!("'{} B/s'", 1e9 / (i as f64 + 3.0))),
            of_each(|i| format!("'{} ps'", i * 1_234_567 + 1)),
        );
        check_round_trip(&crate::load(&text).unwrap().topology().unwrap());
    }

    /// Names that need quotes in one form or the other; vertices of all kinds in any order; wires in parallel.
    #[test]
    fn graphs_come_back(
        size in 1_u32..6,
        routers_only in proptest::collection::vec(any::<bool>(), 6),
        chords in proptest::collection::vec((0_u32..6, 0_u32..6), 0..8),
    ) {
        let odd = ["a", "b,c", "<d & \"e\">", "f -> g", "\u{e9}", "node a"];
        let kind = |v: usize| if v > 0 && routers_only[v] { VertexKind::Router } else { VertexKind::Both };
        let mut vertices: Vec<_> =
            (0..size as usize).map(|v| Vertex { name: odd[v].into(), kind: kind(v) }).collect();
        let mut ends: Vec<_> = (0..size).map(|v| (v, (v + 1) % size)).collect();
        ends.extend(chords.iter().map(|&(a, b)| (a % size, b % size)));
        ends.retain(|(a, b)| a != b);
        vertices.push(Vertex { name: "leaf".into(), kind: VertexKind::Node });
        ends.extend([(size, 0), (0, size)]);
        let wires: Vec<_> = (0..).zip(ends).map(|(i, (from, to))| {
            Wire { from, to, capacity: cable(i).bandwidth, latency: cable(i).latency }
        }).collect();
        check_round_trip(&Topology::Graph(Graph::new(vertices, &wires, Metric::Latency, cable(9)).unwrap()));
    }
}
