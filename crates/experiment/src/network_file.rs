//! Files that hold a network: GraphML, node-link JSON as networkx writes it, and edge lists in CSV.
//!
//! Each reader makes the same [`Network`] of its file, in which everything knows its line; what is wrong with
//! the network as such is found afterward, the same for all.

mod csv_files;
pub(crate) mod foreign;
mod graphml;
mod node_link;
mod write;

use crate::keys::form::{OneOf, Quantity, RATE, TIME};
pub(crate) use crate::source::findings::FileMistake;
pub(crate) use csv_files::routes as read_routes;
pub use foreign::read_foreign;
use std::collections::BTreeMap;
use std::path::Path;
use weir_topology::{Graph, GraphPlace, Metric, NodeLink, Vertex, VertexKind, Wire, compare_names};
use weir_units::{Bandwidth, Duration};
pub use write::{write_graph, write_routes};

/// A form of files that hold networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFormat {
    /// GraphML; ending `.graphml`.
    GraphMl,
    /// Node-link JSON as of `networkx.node_link_data`; ending `.json`.
    NodeLink,
    /// An edge list in CSV; ending `.csv`.
    EdgeList,
}

impl GraphFormat {
    /// The form by a file's ending; `None` for other endings.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "graphml" => Some(Self::GraphMl),
            "json" => Some(Self::NodeLink),
            "csv" => Some(Self::EdgeList),
            _ => None,
        }
    }
}

/// Reads a network.
///
/// # Errors
/// All mistakes in the text, or if there are none all mistakes of the network.
pub(crate) fn read(
    text: &str,
    format: GraphFormat,
    defaults: Defaults,
    metric: Metric,
) -> Result<Built, Vec<FileMistake>> {
    let network = match format {
        GraphFormat::GraphMl => graphml::read(text),
        GraphFormat::NodeLink => node_link::read(text),
        GraphFormat::EdgeList => csv_files::edge_list(text),
    };
    network?.build(defaults, metric)
}

const KINDS: [(&str, VertexKind); 3] =
    [("node", VertexKind::Node), ("router", VertexKind::Router), ("both", VertexKind::Both)];

/// Values of cables that do not say it themselves.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Defaults {
    pub(crate) bandwidth: Option<Bandwidth>,
    pub(crate) latency: Option<Duration>,
}

#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) graph: Graph,
    /// Where no vertex has a kind, and some have several neighbors: how many have only one. These may have been meant as
    /// nodes, and are routers with a node each.
    pub(crate) leaves: usize,
}

struct FileVertex {
    name: String,
    kind: Option<VertexKind>,
    line: usize,
}

struct Cable {
    from: usize,
    to: usize,
    bandwidth: Option<Bandwidth>,
    latency: Option<Duration>,
    /// True if data go both ways.
    duplex: bool,
    line: usize,
}

/// A network as a file describes it, and what is wrong with the description.
#[derive(Default)]
struct Network {
    vertices: Vec<FileVertex>,
    index: BTreeMap<String, usize>,
    cables: Vec<Cable>,
    mistakes: Vec<FileMistake>,
}

impl Network {
    fn mistake(&mut self, mistake: FileMistake) {
        self.mistakes.push(mistake);
    }

    fn declare(&mut self, name: &str, kind: Option<VertexKind>, line: usize) -> usize {
        let number = self.vertices.len();
        self.vertices.push(FileVertex { name: name.to_owned(), kind, line });
        self.index.entry(name.to_owned()).or_insert(number);
        number
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// The end of a cable, which the file has to list.
    fn end(&mut self, name: &str, line: usize) -> Option<usize> {
        let found = self.find(name);
        if found.is_none() {
            self.mistake(FileMistake::new(line, name, "the cable ends at a vertex that is not there"));
        }
        found
    }

    /// The end of a cable, which is there as soon as a cable mentions it.
    fn mention(&mut self, name: &str, kind: Option<VertexKind>, line: usize) -> usize {
        let Some(number) = self.find(name) else { return self.declare(name, kind, line) };
        let vertex = &mut self.vertices[number];
        match (vertex.kind, kind) {
            (Some(known), Some(kind)) if known != kind => {
                let first = vertex.line;
                let what = format!("vertex {name:?} has another kind than on line {first}");
                self.mistake(FileMistake::new(line, kind_name(kind), what));
            }
            (None, Some(_)) => vertex.kind = kind,
            _ => {}
        }
        number
    }

    /// A kind as written. Where it is wrong something stands in for it, and for quantities as well, so that it does not
    /// count as missing.
    fn kind(&mut self, text: &str, line: usize) -> Option<VertexKind> {
        if let Some(&(_, kind)) = KINDS.iter().find(|(name, _)| *name == text) {
            return Some(kind);
        }
        self.mistake(FileMistake::new(line, text, "unknown kind; expected node, router or both"));
        Some(VertexKind::default())
    }

    /// A bandwidth as written: with a unit, or a number of bytes per second.
    fn bandwidth(&mut self, text: &str, line: usize) -> Option<Bandwidth> {
        self.quantity(text, line, "bandwidth", &RATE).or(Bandwidth::new(1.0))
    }

    /// A latency as written: with a unit, or a number of seconds.
    fn latency(&mut self, text: &str, line: usize) -> Option<Duration> {
        self.quantity(text, line, "latency", &TIME)
    }

    fn quantity<T>(&mut self, text: &str, line: usize, name: &str, kind: &Quantity<T>) -> Option<T> {
        let result = match text.trim().parse::<f64>() {
            Ok(number) => (kind.bare)(number),
            Err(_) => (kind.with_unit)(text),
        };
        match result {
            Ok(quantity) => Some(quantity),
            Err(error) => {
                self.mistake(FileMistake::new(line, text, format!("{name}: {error}")));
                None
            }
        }
    }

    /// Number of vertices that have one neighbor, if others have several.
    fn leaves(&self) -> usize {
        // Of each: its first neighbor, and whether there is another one.
        let mut neighbors: Vec<Option<(usize, bool)>> = vec![None; self.vertices.len()];
        for &Cable { from, to, .. } in &self.cables {
            for (vertex, other) in [(from, to), (to, from)] {
                let known = neighbors[vertex].get_or_insert((other, false));
                known.1 |= known.0 != other;
            }
        }
        let has = |several| neighbors.iter().flatten().filter(|(_, many)| *many == several).count();
        if has(true) > 0 { has(false) } else { 0 }
    }

    /// Puts vertices and cables into the order of names, in which nodes, routers and links are numbered: so nothing follows from
    /// the order of the file, but which of several cables between two vertices is the first.
    fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.vertices.len()).collect();
        order.sort_by(|&a, &b| compare_names(&self.vertices[a].name, &self.vertices[b].name));
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| place[old] = new);
        let mut vertices: Vec<Option<FileVertex>> = self.vertices.drain(..).map(Some).collect();
        self.vertices.extend(order.into_iter().filter_map(|old| vertices[old].take()));
        self.index.values_mut().for_each(|vertex| *vertex = place[*vertex]);
        for cable in &mut self.cables {
            let ends = (place[cable.from], place[cable.to]);
            let turn = cable.duplex && ends.0 > ends.1;
            (cable.from, cable.to) = if turn { (ends.1, ends.0) } else { ends };
        }
        self.cables.sort_by_key(|cable| (cable.from, cable.to));
    }

    fn build(mut self, defaults: Defaults, metric: Metric) -> Result<Built, Vec<FileMistake>> {
        self.sort();
        let kinds_are_stated = self.vertices.iter().any(|vertex| vertex.kind.is_some());
        let leaves = if kinds_are_stated { 0 } else { self.leaves() };
        let mut vertices = Vec::with_capacity(self.vertices.len());
        for FileVertex { name, kind, line } in &self.vertices {
            if kind.is_none() && kinds_are_stated {
                let what = format!("vertex {name:?} has no kind, but others do");
                let hint = "write kind node, router or both at every vertex, or at none: then all are both";
                self.mistakes.push(FileMistake::new(*line, "", what).hint(hint));
            }
            vertices.push(Vertex { name: name.clone(), kind: kind.unwrap_or_default() });
        }
        let mut wires = Vec::with_capacity(2 * self.cables.len());
        let mut lines = Vec::with_capacity(2 * self.cables.len());
        for cable in &self.cables {
            let Some(capacity) = cable.bandwidth.or(defaults.bandwidth) else {
                let hint = "write it here, or one for all cables that do not say it: topology.bandwidth in an experiment, --bandwidth for weir convert";
                let mistake = FileMistake::new(cable.line, "", "the cable has no bandwidth").hint(hint);
                self.mistakes.push(mistake);
                continue;
            };
            let latency = cable.latency.or(defaults.latency).unwrap_or_default();
            let number =
                |vertex| u32::try_from(vertex).expect("a file with 2^32 vertices does not fit the memory");
            let (from, to) = (number(cable.from), number(cable.to));
            wires.push(Wire { from, to, capacity, latency });
            lines.push(cable.line);
            if cable.duplex && from != to {
                wires.push(Wire { from: to, to: from, capacity, latency });
                lines.push(cable.line);
            }
        }
        if !self.mistakes.is_empty() {
            self.mistakes.sort_by_key(|mistake| mistake.line);
            return Err(self.mistakes);
        }
        // Takes the place of the nodes' cables, which the scenario knows.
        let node_link =
            NodeLink { bandwidth: Bandwidth::new(1.0).expect("1 is positive"), latency: Duration::ZERO };
        let graph = Graph::new(vertices, &wires, metric, node_link);
        graph.map(|graph| Built { graph, leaves }).map_err(|mistakes| {
            let mistakes = mistakes.into_iter().map(|mistake| FileMistake {
                line: match mistake.place {
                    GraphPlace::Vertex(vertex) => Some(self.vertices[vertex].line),
                    GraphPlace::Wire(wire) => Some(lines[wire]),
                    GraphPlace::Whole => None,
                },
                value: String::new(),
                what: mistake.what,
                hint: mistake.hint,
            });
            mistakes.collect()
        })
    }
}

fn kind_name(kind: VertexKind) -> &'static str {
    OneOf(&KINDS).name(&kind)
}
