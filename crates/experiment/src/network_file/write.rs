//! Writes any machine into the files that can be read again.

use super::csv_files::COLUMNS;
use super::{GraphFormat, kind_name};
use crate::Units;
use serde_json::{Value, json};
use std::io::{self, Write};
use weir_topology::{End, Topology, Vertex, Wire};
use weir_units::{LinkId, NodeId};

/// Writes a machine: all nodes and routers as vertices with their kind, in the order of their numbers, and all links
/// as directed edges in the order of theirs, bandwidth in bytes per second and latency in seconds. Read again it is a
/// machine with the same nodes, routers and links; with the file of [`write_routes`] also with the same routes.
///
/// # Errors
/// When writing fails.
pub fn write_graph(topology: &Topology, format: GraphFormat, out: &mut dyn Write) -> io::Result<()> {
    let (vertices, wires) = topology.to_vertices_and_wires();
    match format {
        GraphFormat::GraphMl => graphml(&vertices, &wires, out),
        GraphFormat::NodeLink => node_link(&vertices, &wires, out),
        GraphFormat::EdgeList => edge_list(&vertices, &wires, out),
    }
}

/// Writes the routes of all ordered pairs of different nodes that have one, by the names that [`write_graph`] writes.
///
/// # Errors
/// When writing fails.
pub fn write_routes(topology: &Topology, out: &mut dyn Write) -> io::Result<()> {
    let mut file = csv::WriterBuilder::new().flexible(true).from_writer(out);
    file.write_record(["source", "destination", "via"])?;
    let mut route = Vec::new();
    for from in (0..topology.nodes()).map(NodeId::new) {
        for to in (0..topology.nodes()).map(NodeId::new).filter(|&to| to != from) {
            if !topology.find_route(from, to, &mut route) {
                continue;
            }
            let mut fields = vec![topology.node_name(from), topology.node_name(to)];
            let classes = match topology {
                // Those of routes around failed links are not known.
                Topology::Graph(graph) => graph.given_classes(from, to).unwrap_or(&[]),
                _ => &[],
            };
            for (place, &id) in route[..route.len() - 1].iter().enumerate() {
                if let Some(link) = place.checked_sub(1)
                    && let Some(class) = classes.get(link)
                    && (link == 0 || classes[link - 1] != *class)
                {
                    fields.push(format!("@{class}"));
                }
                if let Some(number) = parallel(topology, id) {
                    fields.push(format!("#{number}"));
                }
                if let End::Router(router) = topology.link(id).to {
                    fields.push(topology.router_name(router));
                }
            }
            file.write_record(&fields)?;
        }
    }
    file.flush()
}

/// Which of several links from one router to another it is, from 1; `None` for the first.
fn parallel(topology: &Topology, id: LinkId) -> Option<usize> {
    topology.parallel_before(id).checked_add(1).filter(|&number| number > 1)
}

fn numbers(wire: &Wire) -> (Value, Value) {
    (Units::Unitless.bandwidth(wire.capacity), Units::Unitless.duration(wire.latency))
}

fn name(vertices: &[Vertex], vertex: u32) -> &str {
    &vertices[vertex as usize].name
}

fn graphml(vertices: &[Vertex], wires: &[Wire], out: &mut dyn Write) -> io::Result<()> {
    let escaped = |text: &str| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        text.replace('"', "&quot;").replace('\n', "&#10;").replace('\t', "&#9;").replace('\r', "&#13;")
    };
    writeln!(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>")?;
    writeln!(out, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">")?;
    for (id, of, name, kind) in [
        ("k", "node", "kind", "string"),
        ("b", "edge", "bandwidth", "double"),
        ("l", "edge", "latency", "double"),
    ] {
        writeln!(out, "  <key id=\"{id}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>")?;
    }
    writeln!(out, "  <graph edgedefault=\"directed\">")?;
    for vertex in vertices {
        let (id, kind) = (escaped(&vertex.name), kind_name(vertex.kind));
        writeln!(out, "    <node id=\"{id}\"><data key=\"k\">{kind}</data></node>")?;
    }
    for (i, wire) in wires.iter().enumerate() {
        let [from, to] = [wire.from, wire.to].map(|vertex| escaped(name(vertices, vertex)));
        let (bandwidth, latency) = numbers(wire);
        writeln!(out, "    <edge id=\"{i}\" source=\"{from}\" target=\"{to}\">")?;
        writeln!(out, "      <data key=\"b\">{bandwidth}</data><data key=\"l\">{latency}</data>")?;
        writeln!(out, "    </edge>")?;
    }
    writeln!(out, "  </graph>\n</graphml>")
}

fn node_link(vertices: &[Vertex], wires: &[Wire], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{{\"directed\": true, \"multigraph\": true, \"graph\": {{}},\n\"nodes\": [")?;
    let comma = |i: usize, count: usize| if i + 1 == count { "" } else { "," };
    for (i, vertex) in vertices.iter().enumerate() {
        let object = json!({ "id": vertex.name, "kind": kind_name(vertex.kind) });
        writeln!(out, "{object}{}", comma(i, vertices.len()))?;
    }
    writeln!(out, "],\n\"links\": [")?;
    for (i, wire) in wires.iter().enumerate() {
        let (source, target) = (name(vertices, wire.from), name(vertices, wire.to));
        let (bandwidth, latency) = numbers(wire);
        let object = json!({
            "source": source, "target": target, "key": i, "bandwidth": bandwidth, "latency": latency
        });
        writeln!(out, "{object}{}", comma(i, wires.len()))?;
    }
    writeln!(out, "]}}")
}

fn edge_list(vertices: &[Vertex], wires: &[Wire], out: &mut dyn Write) -> io::Result<()> {
    let mut file = csv::Writer::from_writer(out);
    file.write_record(COLUMNS)?;
    if !are_first_seen_in_order(vertices, wires) {
        for vertex in vertices {
            file.write_record([&vertex.name, "", "", "", kind_name(vertex.kind), "", ""])?;
        }
    }
    let kind = |vertex: u32| kind_name(vertices[vertex as usize].kind);
    for wire in wires {
        let (bandwidth, latency) = numbers(wire);
        file.write_record([
            name(vertices, wire.from),
            name(vertices, wire.to),
            &bandwidth.to_string(),
            &latency.to_string(),
            kind(wire.from),
            kind(wire.to),
            "true",
        ])?;
    }
    file.flush()
}

/// Returns whether the edges alone determine the order of the nodes and that of the routers.
fn are_first_seen_in_order(vertices: &[Vertex], wires: &[Wire]) -> bool {
    let mut seen = vec![false; vertices.len()];
    let nodes = vertices.iter().filter(|vertex| vertex.kind == weir_topology::VertexKind::Node).count();
    let (mut next_node, mut next_router) = (0, nodes);
    for vertex in wires.iter().flat_map(|wire| [wire.from as usize, wire.to as usize]) {
        if std::mem::replace(&mut seen[vertex], true) {
            continue;
        }
        let next = if vertex < nodes { &mut next_node } else { &mut next_router };
        if vertex != *next {
            return false;
        }
        *next += 1;
    }
    next_node == nodes && next_router == vertices.len()
}
