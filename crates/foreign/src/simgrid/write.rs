//! A machine of weir as a platform: a link for each of its links, and for each pair of nodes the same route.

use std::io::{self, Write};
use weir_topology::Topology;
use weir_units::{LinkId, NodeId};

/// More nodes than have a route for each pair of them in a file.
const MOST_NODES: usize = 4096;

/// Writes a platform of one zone with all routes. A route has the links of the machine's own route; with several interfaces those of the first.
pub(crate) fn write(machine: &Topology, out: &mut dyn Write) -> io::Result<Result<Vec<String>, String>> {
    let nodes = machine.nodes();
    if nodes > MOST_NODES {
        return Ok(Err(format!(
            "the platform has a route for each pair of {nodes} nodes: at most {MOST_NODES} are written so"
        )));
    }
    writeln!(out, "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">")?;
    writeln!(out, "<platform version=\"4.1\">\n<zone id=\"all\" routing=\"Full\">")?;
    let names: Vec<String> = (0..nodes).map(|node| escaped(&machine.node_name(NodeId::new(node)))).collect();
    for name in &names {
        writeln!(out, "<host id=\"{name}\" speed=\"1Gf\"/>")?;
    }
    for link in (0..machine.links()).map(LinkId::new) {
        let of = machine.link(link);
        let (bandwidth, latency) = (of.capacity.bytes_per_second(), of.latency.as_ps());
        writeln!(
            out,
            "<link id=\"l{}\" bandwidth=\"{bandwidth}Bps\" latency=\"{latency}ps\"/>",
            link.index()
        )?;
    }
    let mut route = Vec::new();
    let mut missing = 0;
    for from in (0..nodes).map(NodeId::new) {
        for to in (0..nodes).map(NodeId::new).filter(|&to| to != from) {
            if !machine.find_route(from, to, &mut route) {
                missing += 1;
                continue;
            }
            write!(
                out,
                "<route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">",
                names[from.index()],
                names[to.index()]
            )?;
            for link in &route {
                write!(out, "<link_ctn id=\"l{}\"/>", link.index())?;
            }
            writeln!(out, "</route>")?;
        }
    }
    writeln!(out, "</zone>\n</platform>")?;
    let missing = (missing > 0).then(|| format!("{missing} pairs of nodes have no route"));
    let several = (machine.most_cables() > 1)
        .then(|| "nodes have several interfaces, of which a route takes the first".to_owned());
    Ok(Ok(missing.into_iter().chain(several).collect()))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
