//! `[topology]`: the routers and the links between them. One file per family of kinds.

mod fat_tree;
mod graph;
mod grid;
mod tofu;
mod words;

use crate::Units;
use crate::reader::{BANDWIDTH, DURATION, Section};
use fat_tree::FatTreeKeys;
pub use graph::GraphSection;
use serde_json::{Map, Value, json};
use weir_topology::{
    CrossbarDimension, Dimension, FatTree, FatTreeRouting, Hypercrossbar, NodeLink, Stage, Switches, Tie,
    Topology, TopologyError, Torus, Wrap,
};
use weir_units::{Bandwidth, Duration};

/// What the machine is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum TopologySection {
    /// `kind = "torus"` or `"mesh"`, and mixtures of both.
    Torus {
        /// Sizes and links, x first.
        dimensions: Vec<Dimension>,
        /// `tie`: which way to go when both are equally long; `plus` where nothing wraps.
        tie: Tie,
    },
    /// `kind = "tofu"`.
    Tofu {
        /// Sizes and links of x, y, z, a, b, c.
        dimensions: [Dimension; 6],
        /// `tie`: which way to go when both are equally long; `plus` where nothing wraps.
        tie: Tie,
    },
    /// `kind = "hypercrossbar"`.
    Hypercrossbar {
        /// Sizes and links, x first.
        dimensions: Vec<CrossbarDimension>,
    },
    /// `kind = "fat-tree"`.
    FatTree {
        /// The switches of each stage, from the leaves to the top.
        stages: Vec<Switches>,
        /// The cables between neighbouring stages, from the leaves up. Where there is only one stage, one whose
        /// bandwidth and latency the nodes' cables take.
        cables: Vec<Stage>,
        /// How the way up is chosen.
        routing: FatTreeRouting,
    },
    /// `kind = "graph"`.
    Graph(GraphSection),
}

#[derive(Clone, Copy)]
enum Kind {
    Grid(Wrap),
    Tofu,
    Hypercrossbar,
    FatTree,
    Graph,
}

const KINDS: [(&str, Kind); 6] = [
    ("torus", Kind::Grid(Wrap::Torus)),
    ("mesh", Kind::Grid(Wrap::Mesh)),
    ("fat-tree", Kind::FatTree),
    ("hypercrossbar", Kind::Hypercrossbar),
    ("tofu", Kind::Tofu),
    ("graph", Kind::Graph),
];
const SHAPE_KEYS: [&str; 1] = ["shape"];
const TORUS_KEYS: [&str; 2] = ["tie", "wrap"];
const TREE_KEYS: [&str; 4] = ["radix", "stages", "taper", "routing"];
const GRAPH_KEYS: [&str; 3] = ["file", "routes", "metric"];

impl TopologySection {
    /// `None` when something is missing or wrong.
    pub(crate) fn read(section: &mut Section<'_>) -> Option<Self> {
        let kind = section.choice("kind", &KINDS, &[]);
        let hint = "write kind = \"torus\", \"mesh\", \"fat-tree\", \"hypercrossbar\", \"tofu\" or \"graph\"";
        let kind = section.required(kind, "kind", hint);
        let mut refuse = |keys: &[&'static str], belongs: bool, to: &str| {
            if kind.is_some() && !belongs {
                section.refuse(keys, &format!("belongs to kind = {to}"));
            }
        };
        let torus = matches!(kind, Some(Kind::Grid(_) | Kind::Tofu));
        let shaped = torus || matches!(kind, Some(Kind::Hypercrossbar));
        refuse(&SHAPE_KEYS, shaped, "\"torus\", \"mesh\", \"hypercrossbar\" or \"tofu\"");
        refuse(&TORUS_KEYS, torus, "\"torus\", \"mesh\" or \"tofu\"");
        refuse(&TREE_KEYS, matches!(kind, Some(Kind::FatTree)), "\"fat-tree\"");
        refuse(&GRAPH_KEYS, matches!(kind, Some(Kind::Graph)), "\"graph\"");
        match kind {
            Some(Kind::Grid(wrap)) => grid::read_torus(section, wrap),
            Some(Kind::Hypercrossbar) => grid::read_hypercrossbar(section),
            Some(Kind::Tofu) => tofu::read(section),
            Some(Kind::FatTree) => FatTreeKeys::read(section),
            Some(Kind::Graph) => graph::read(section),
            None => {
                read_links(section, None, "dimension or stage");
                section.pass(&SHAPE_KEYS);
                section.pass(&TORUS_KEYS);
                section.pass(&TREE_KEYS);
                section.pass(&GRAPH_KEYS);
                None
            }
        }
    }

    /// The machine, with these cables between nodes and routers.
    ///
    /// # Errors
    /// When it is too large, or no such machine can be built.
    pub(crate) fn build(&self, node_link: NodeLink) -> Result<Topology, TopologyError> {
        match self {
            Self::Torus { dimensions, tie } => {
                Torus::new(dimensions.clone(), *tie, node_link).map(Topology::Torus)
            }
            Self::Tofu { dimensions, tie } => {
                weir_topology::tofu::machine(*dimensions, *tie, node_link).map(Topology::Torus)
            }
            Self::Hypercrossbar { dimensions } => {
                Hypercrossbar::new(dimensions.clone(), node_link).map(Topology::Hypercrossbar)
            }
            Self::FatTree { stages, cables, routing } => {
                let between = &cables[..stages.len() - 1];
                FatTree::with_stages(stages, between, *routing, node_link).map(Topology::FatTree)
            }
            Self::Graph(section) => Ok(Topology::Graph(section.graph.with_node_link(node_link))),
        }
    }

    /// One per dimension or pair of stages; none for a graph.
    fn links(&self) -> Vec<Stage> {
        let link = |bandwidth, latency| Stage { bandwidth, latency };
        match self {
            Self::Torus { dimensions, .. } => {
                dimensions.iter().map(|d| link(d.bandwidth, d.latency)).collect()
            }
            Self::Tofu { dimensions, .. } => {
                dimensions.iter().map(|d| link(d.bandwidth, d.latency)).collect()
            }
            Self::Hypercrossbar { dimensions } => {
                dimensions.iter().map(|d| link(d.bandwidth, d.latency)).collect()
            }
            Self::FatTree { cables, .. } => cables.clone(),
            Self::Graph(_) => Vec::new(),
        }
    }

    /// What may not have been meant.
    pub(crate) fn warning(&self) -> Option<String> {
        if let Self::Graph(section) = self { section.warning() } else { None }
    }

    /// Sizes of the dimensions, x first, where nodes stand on a grid.
    pub(crate) fn shape(&self) -> Option<Vec<u32>> {
        match self {
            Self::Torus { dimensions, .. } => Some(dimensions.iter().map(|d| d.size).collect()),
            Self::Tofu { dimensions, .. } => Some(dimensions.iter().map(|d| d.size).collect()),
            Self::Hypercrossbar { dimensions } => Some(dimensions.iter().map(|d| d.size).collect()),
            Self::FatTree { .. } | Self::Graph(_) => None,
        }
    }

    /// Bandwidth of the fastest links.
    pub(crate) fn largest_bandwidth(&self) -> Bandwidth {
        if let Self::Graph(section) = self {
            return section.largest_bandwidth();
        }
        let bandwidths = self.links().into_iter().map(|link| link.bandwidth);
        bandwidths.reduce(Bandwidth::max).expect("a machine has at least one dimension or stage")
    }

    /// Latency of the links of the first dimension or stage.
    pub(crate) fn first_latency(&self) -> Duration {
        if let Self::Graph(section) = self {
            return section.first_latency();
        }
        self.links().first().expect("a machine has at least one dimension or stage").latency
    }

    /// How to write a machine of the same kind that has room for so many nodes.
    pub(crate) fn with_room_for(&self, nodes: u64) -> String {
        match self {
            Self::Torus { dimensions, .. } => grid::with_room_for(dimensions.iter().map(|d| d.size), nodes),
            Self::Tofu { dimensions, .. } => tofu::with_room_for(dimensions, nodes),
            Self::Hypercrossbar { dimensions } => {
                grid::with_room_for(dimensions.iter().map(|d| d.size), nodes)
            }
            Self::FatTree { stages, .. } => fat_tree::with_room_for(stages, nodes),
            Self::Graph(_) => format!("a topology.file with {nodes} nodes"),
        }
    }

    pub(crate) fn resolved(&self, units: Units) -> Value {
        let mut object = Map::new();
        match self {
            Self::Torus { dimensions, tie } => grid::resolve_torus(dimensions, *tie, &mut object),
            Self::Tofu { dimensions, tie } => {
                object.insert("kind".into(), json!("tofu"));
                grid::resolve_dimensions(dimensions, *tie, &mut object);
            }
            Self::Hypercrossbar { dimensions } => {
                object.insert("kind".into(), json!("hypercrossbar"));
                object.insert("shape".into(), json!(dimensions.iter().map(|d| d.size).collect::<Vec<_>>()));
            }
            Self::FatTree { stages, routing, .. } => fat_tree::resolve(stages, *routing, &mut object),
            Self::Graph(section) => return Value::Object(section.resolved(units)),
        }
        let links = self.links();
        let bandwidths = links.iter().map(|link| units.bandwidth(link.bandwidth));
        object.insert("bandwidth".into(), one_or_all(bandwidths));
        let latencies = links.iter().map(|link| units.duration(link.latency));
        object.insert("latency".into(), one_or_all(latencies));
        Value::Object(object)
    }
}

/// `bandwidth` and `latency`, for each dimension or stage. Where they are wrong something stands in for them, so that
/// what depends on the number of nodes can be checked all the same.
fn read_links(section: &mut Section<'_>, count: Option<usize>, per: &str) -> Option<Vec<Stage>> {
    let bandwidths = section.quantities("bandwidth", &BANDWIDTH, count, per);
    let bandwidths = section.required(bandwidths, "bandwidth", "write bandwidth = \"1 GB/s\"");
    let latencies = section.quantities("latency", &DURATION, count, per);
    let bandwidths = bandwidths.unwrap_or(vec![stand_in(); count?]);
    let latencies = latencies.unwrap_or(vec![Duration::ZERO; count?]);
    let both = bandwidths.into_iter().zip(latencies);
    Some(both.map(|(bandwidth, latency)| Stage { bandwidth, latency }).collect())
}

/// Takes the place of a bandwidth that is wrong: the input is refused anyway.
fn stand_in() -> Bandwidth {
    Bandwidth::new(1.0).expect("1 is positive")
}

/// A single value if all are equal.
fn one_or_all(values: impl Iterator<Item = Value>) -> Value {
    let values: Vec<Value> = values.collect();
    if values.windows(2).all(|pair| pair[0] == pair[1]) { values[0].clone() } else { Value::Array(values) }
}
