//! GraphML: vertices are `node`, cables `edge`, their attributes `data` with keys named `kind`, `bandwidth`, `latency`.
//!
//! Left out: nested graphs, hyperedges and ports, which are refused. Other attributes are passed over.

use super::lines::Lines;
use super::network::{Cable, FileMistake, Network};
use roxmltree::{Document, Node};

pub(super) fn read(text: &str) -> Network {
    let mut network = Network::default();
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let line = error.pos().row as usize;
            network.mistake(FileMistake::new(line, "", format!("not XML: {error}")));
            return network;
        }
    };
    let lines = Lines::new(text);
    let root = document.root_element();
    let Some(graph) = children(root, "graph").next().filter(|_| root.has_tag_name_of("graphml")) else {
        network.mistake(FileMistake::new(1, "", "not GraphML: expected <graphml> with a <graph> in it"));
        return network;
    };
    let keys = Keys(root);
    let refused = graph.descendants().filter(|node| {
        ["hyperedge", "port"].iter().any(|name| node.has_tag_name_of(name))
            || (node.has_tag_name_of("graph") && *node != graph)
    });
    for node in refused {
        let what = "nested graphs, hyperedges and ports are not in this version";
        network.mistake(FileMistake::new(lines.of(node.range().start), node.tag_name().name(), what));
    }
    for node in children(graph, "node") {
        let line = lines.of(node.range().start);
        let kind = keys.value(node, "kind").and_then(|text| network.kind(text, line));
        network.declare(node.attribute("id").unwrap_or_default().trim(), kind, line);
    }
    let directed = graph.attribute("edgedefault") == Some("directed");
    for edge in children(graph, "edge") {
        let line = lines.of(edge.range().start);
        let mut end = |name| network.end(edge.attribute(name).unwrap_or_default().trim(), line);
        let ends = (end("source"), end("target"));
        let bandwidth = keys.value(edge, "bandwidth").and_then(|text| network.bandwidth(text, line));
        let latency = keys.value(edge, "latency").and_then(|text| network.latency(text, line));
        let duplex = match edge.attribute("directed") {
            Some("true") => false,
            Some("false") => true,
            _ => !directed,
        };
        if let (Some(from), Some(to)) = ends {
            network.cables.push(Cable { from, to, bandwidth, latency, duplex, line });
        }
    }
    network
}

trait TagName {
    /// Whether an element has this name, in whatever name space.
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl TagName for Node<'_, '_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

fn children<'a, 'input: 'a>(node: Node<'a, 'input>, name: &'a str) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(move |child| child.has_tag_name_of(name))
}

/// The declarations of attributes.
struct Keys<'a, 'input>(Node<'a, 'input>);

impl<'a> Keys<'a, '_> {
    /// The value of an attribute of a vertex or cable, or its default.
    fn value(&self, of: Node<'a, '_>, name: &str) -> Option<&'a str> {
        let is_for = |key: &Node<'_, '_>| {
            matches!(key.attribute("for"), None | Some("all"))
                || key.attribute("for") == Some(of.tag_name().name())
        };
        let key = self.0.children().find(|key| {
            key.has_tag_name_of("key") && key.attribute("attr.name") == Some(name) && is_for(key)
        })?;
        let id = key.attribute("id");
        let own = of.children().find(|data| data.has_tag_name_of("data") && data.attribute("key") == id);
        let default = || key.children().find(|child| child.has_tag_name_of("default"));
        own.or_else(default)?.text().map(str::trim).filter(|text| !text.is_empty())
    }
}
