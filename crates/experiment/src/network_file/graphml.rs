//! GraphML: vertices are `node`, cables `edge`, their attributes `data` with keys named `kind`, `bandwidth`, `latency`.
//!
//! Left out: nested graphs, hyperedges and ports, which are refused. Other attributes are passed over.

use super::{Cable, FileMistake, Network};
use crate::source::read_text::Lines;
use roxmltree::{Document, Node};

pub(super) fn read(text: &str) -> Result<Network, Vec<FileMistake>> {
    let mut network = Network::default();
    if let Some(at) = too_many_attributes(text) {
        let what = format!("an element has more than {MOST_ATTRIBUTES} attributes");
        return Err(vec![FileMistake::new(Lines::new(text).of(at), "", what)]);
    }
    let document = Document::parse(text)
        .map_err(|error| vec![FileMistake::new(error.pos().row as usize, "", format!("not XML: {error}"))])?;
    let lines = Lines::new(text);
    let root = document.root_element();
    let Some(graph) = children(root, "graph").next().filter(|_| is(&root, "graphml")) else {
        let what = "not GraphML: expected <graphml> with a <graph> in it";
        return Err(vec![FileMistake::new(1, "", what)]);
    };
    let [kind_key, bandwidth_key, latency_key] =
        [("node", "kind"), ("edge", "bandwidth"), ("edge", "latency")]
            .map(|(of, name)| Key::find(root, of, name));
    let refused = graph.descendants().filter(|node| {
        ["hyperedge", "port"].iter().any(|name| is(node, name)) || (is(node, "graph") && *node != graph)
    });
    for node in refused {
        let what = "nested graphs, hyperedges and ports are not in this version";
        network.mistake(FileMistake::new(lines.of(node.range().start), node.tag_name().name(), what));
    }
    for node in children(graph, "node") {
        let line = lines.of(node.range().start);
        let kind = value(kind_key, node, line, &mut network).and_then(|text| network.kind(text, line));
        network.declare(node.attribute("id").unwrap_or_default().trim(), kind, line);
    }
    let directed = graph.attribute("edgedefault") == Some("directed");
    for edge in children(graph, "edge") {
        let line = lines.of(edge.range().start);
        let mut end = |name| network.end(edge.attribute(name).unwrap_or_default().trim(), line);
        let ends = (end("source"), end("target"));
        let bandwidth =
            value(bandwidth_key, edge, line, &mut network).and_then(|text| network.bandwidth(text, line));
        let latency =
            value(latency_key, edge, line, &mut network).and_then(|text| network.latency(text, line));
        let duplex = match edge.attribute("directed") {
            Some("true") => false,
            Some("false") => true,
            _ => !directed,
        };
        if let (Some(from), Some(to)) = ends {
            network.cables.push(Cable { from, to, bandwidth, latency, duplex, line });
        }
    }
    Ok(network)
}

/// Returns whether an element has this name, in whatever name space.
fn is(element: &Node<'_, '_>, name: &str) -> bool {
    element.is_element() && element.tag_name().name() == name
}

fn children<'a, 'input: 'a>(node: Node<'a, 'input>, name: &'a str) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(move |child| is(child, name))
}

/// The declaration of an attribute: its name in the file, and the value where there is none.
#[derive(Clone, Copy)]
struct Key<'a> {
    id: Option<&'a str>,
    default: Option<&'a str>,
}

impl<'a> Key<'a> {
    fn find(root: Node<'a, '_>, of: &str, name: &str) -> Option<Self> {
        let is_for = |key: &Node<'_, '_>| match key.attribute("for") {
            None | Some("all") => true,
            Some(one) => one == of,
        };
        let is_it = |key: &Node<'_, '_>| key.attribute("attr.name") == Some(name) && is_for(key);
        let key = root.children().find(|key| is(key, "key") && is_it(key))?;
        let default = key.children().find(|child| is(child, "default"));
        Some(Self { id: key.attribute("id"), default: default.and_then(|default| default.text()) })
    }
}

/// The value of an attribute of a vertex or cable, or its default; twice is a mistake.
fn value<'a>(key: Option<Key<'a>>, of: Node<'a, '_>, line: usize, network: &mut Network) -> Option<&'a str> {
    let key = key?;
    let mut data = children(of, "data").filter(|data| data.attribute("key") == key.id);
    let own = data.next();
    if data.next().is_some() {
        let what = format!("the data {:?} are there twice", key.id.unwrap_or_default());
        network.mistake(FileMistake::new(line, "", what));
    }
    let text = own.map_or(key.default, |own| own.text());
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// The reader of XML compares each attribute of an element with all others of it.
const MOST_ATTRIBUTES: usize = 256;

fn too_many_attributes(text: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(begin) = text[at..].find('<').map(|found| at + found) {
        let rest = &text[begin..];
        let special =
            [("<!--", "-->"), ("<![CDATA[", "]]>")].into_iter().find(|(open, _)| rest.starts_with(open));
        if let Some((_, close)) = special {
            at = begin + rest.find(close)?;
            continue;
        }
        let (mut quote, mut attributes, mut end) = (None, 0, rest.len());
        for (place, byte) in rest.bytes().enumerate() {
            match (quote, byte) {
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => attributes += 1,
                (None, b'>') => {
                    end = place;
                    break;
                }
                (Some(open), byte) if open == byte => quote = None,
                _ => {}
            }
        }
        if attributes > MOST_ATTRIBUTES {
            return Some(begin);
        }
        at = begin + end;
        at += usize::from(at < text.len());
    }
    None
}
