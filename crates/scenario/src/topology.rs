//! `[topology]`: the routers and the links between them.

use crate::Units;
use crate::reader::{BANDWIDTH, DURATION, Section};
use serde_json::{Map, Value, json};
use weir_topology::{
    Dimension, FatTree, FatTreeRouting, NodeLink, Stage, Tie, Topology, TopologyError, Torus, Wrap,
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
    /// `kind = "fat-tree"`, three stages.
    FatTree {
        /// Ports per switch.
        radix: u32,
        /// Cables leaf to middle and middle to top.
        stages: [Stage; 2],
        /// How the way up is chosen.
        routing: FatTreeRouting,
    },
}

#[derive(Clone, Copy)]
enum Kind {
    Grid(Wrap),
    FatTree,
}

const KINDS: [(&str, Kind); 3] =
    [("torus", Kind::Grid(Wrap::Torus)), ("mesh", Kind::Grid(Wrap::Mesh)), ("fat-tree", Kind::FatTree)];
const LATER_KINDS: [&str; 3] = ["hypercrossbar", "tofu", "graph"];
const TIES: [(&str, Tie); 3] = [("plus", Tie::Plus), ("direct", Tie::Direct), ("parity", Tie::Parity)];
const ROUTINGS: [(&str, FatTreeRouting); 2] =
    [("destination-mod", FatTreeRouting::DestinationMod), ("source-mod", FatTreeRouting::SourceMod)];
const GRID_KEYS: [&str; 3] = ["shape", "tie", "wrap"];
const TREE_KEYS: [&str; 4] = ["radix", "stages", "taper", "routing"];

impl TopologySection {
    /// `None` when something is missing or wrong.
    pub(crate) fn read(section: &mut Section<'_>) -> Option<Self> {
        let kind = section.choice("kind", &KINDS, &LATER_KINDS);
        match section.required(kind, "kind", "write kind = \"torus\", \"mesh\" or \"fat-tree\"") {
            Some(Kind::Grid(wrap)) => {
                section.refuse(&TREE_KEYS, "belongs to kind = \"fat-tree\"");
                section.refuse(&["file"], "belongs to kind = \"graph\", which is not in this version");
                Self::read_torus(section, wrap)
            }
            Some(Kind::FatTree) => {
                section.refuse(&GRID_KEYS, "belongs to kind = \"torus\" or \"mesh\"");
                section.refuse(&["file"], "belongs to kind = \"graph\", which is not in this version");
                Self::read_fat_tree(section)
            }
            None => {
                read_links(section, None, "dimension or stage");
                section.pass(&GRID_KEYS);
                section.pass(&TREE_KEYS);
                section.pass(&["file"]);
                None
            }
        }
    }

    fn read_torus(section: &mut Section<'_>, wrap: Wrap) -> Option<Self> {
        let shape = section.integers("shape", 1..=u64::from(u32::MAX));
        let shape = section.required(shape, "shape", "write one size per dimension: shape = [16, 16]");
        let count = shape.as_ref().map(Vec::len);
        let wraps = section.booleans("wrap", count, "dimension");
        let kept = count.map(|count| vec![wrap == Wrap::Torus; count]);
        let wraps = wraps.or(kept);
        let tie = if wraps.as_ref().is_some_and(|wraps| wraps.iter().all(|wraps| !wraps)) {
            section.refuse(&["tie"], "makes no sense where no dimension wraps");
            None
        } else {
            section.choice("tie", &TIES, &[])
        };
        let links = read_links(section, count, "dimension");
        let dimensions = shape?.into_iter().zip(wraps?).zip(links?).map(|((size, wraps), link)| Dimension {
            size: u32::try_from(size).expect("the reader checks the range"),
            wrap: if wraps { Wrap::Torus } else { Wrap::Mesh },
            bandwidth: link.bandwidth,
            latency: link.latency,
        });
        Some(Self::Torus { dimensions: dimensions.collect(), tie: tie.unwrap_or_default() })
    }

    fn read_fat_tree(section: &mut Section<'_>) -> Option<Self> {
        let radix = section.integer("radix", 1..=u64::from(u32::MAX));
        let radix = section.required(radix, "radix", "write the ports per switch: radix = 8 gives 128 nodes");
        let three = "3: a fat tree has three stages of switches in this version";
        section.number("stages", |stages| stages == 3.0, three);
        let full = "1.0: a fat tree has full bisection bandwidth in this version";
        section.number("taper", |taper| taper == 1.0, full);
        let routing = section.choice("routing", &ROUTINGS, &[]).unwrap_or_default();
        let links = read_links(section, Some(2), "pair of neighbouring stages");
        let radix = u32::try_from(radix?).expect("the reader checks the range");
        let stages = links?.try_into().expect("a fat tree has two sets of links between its stages");
        Some(Self::FatTree { radix, stages, routing })
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
            Self::FatTree { radix, stages, routing } => {
                FatTree::new(*radix, *stages, *routing, node_link).map(Topology::FatTree)
            }
        }
    }

    fn links(&self) -> Vec<Stage> {
        match self {
            Self::Torus { dimensions, .. } => {
                dimensions.iter().map(|d| Stage { bandwidth: d.bandwidth, latency: d.latency }).collect()
            }
            Self::FatTree { stages, .. } => stages.to_vec(),
        }
    }

    /// Bandwidth of the fastest links.
    pub(crate) fn largest_bandwidth(&self) -> Bandwidth {
        let bandwidths = self.links().into_iter().map(|link| link.bandwidth);
        bandwidths.reduce(Bandwidth::max).expect("a machine has at least one dimension or stage")
    }

    /// Latency of the links of the first dimension or stage.
    pub(crate) fn first_latency(&self) -> Duration {
        self.links().first().expect("a machine has at least one dimension or stage").latency
    }

    /// How to write a machine of the same kind that has room for so many nodes.
    pub(crate) fn with_room_for(&self, nodes: u64) -> String {
        match self {
            Self::Torus { dimensions, .. } => {
                let mut shape: Vec<u64> = dimensions.iter().map(|d| u64::from(d.size)).collect();
                let last = shape.pop().expect("a machine has at least one dimension");
                let others: u64 = shape.iter().product();
                shape.push(nodes.div_ceil(others).max(last));
                format!("topology.shape = {shape:?}")
            }
            Self::FatTree { .. } => {
                let p = (1_u64..).find(|p| 2 * p * p * p >= nodes).expect("cubes grow");
                format!("topology.radix = {}", 2 * p)
            }
        }
    }

    pub(crate) fn resolved(&self, units: Units) -> Value {
        let mut object = Map::new();
        let mut put = |key: &str, value| object.insert(key.to_owned(), value);
        match self {
            Self::Torus { dimensions, tie } => {
                let wraps: Vec<bool> = dimensions.iter().map(|d| d.wrap == Wrap::Torus).collect();
                let some_wrap = wraps.contains(&true);
                put("kind", json!(if some_wrap { "torus" } else { "mesh" }));
                put("shape", json!(dimensions.iter().map(|d| d.size).collect::<Vec<_>>()));
                put("wrap", json!(wraps));
                if some_wrap {
                    put("tie", json!(crate::name_of(&TIES, *tie)));
                }
            }
            Self::FatTree { radix, routing, .. } => {
                put("kind", json!("fat-tree"));
                put("radix", json!(radix));
                put("stages", json!(3));
                put("taper", json!(1));
                put("routing", json!(crate::name_of(&ROUTINGS, *routing)));
            }
        }
        let links = self.links();
        put("bandwidth", one_or_all(links.iter().map(|link| units.bandwidth(link.bandwidth))));
        put("latency", one_or_all(links.iter().map(|link| units.duration(link.latency))));
        Value::Object(object)
    }
}

/// `bandwidth` and `latency`, for each dimension or stage. Where they are wrong something stands in for them, so that
/// what depends on the number of nodes can be checked all the same.
fn read_links(section: &mut Section<'_>, count: Option<usize>, per: &str) -> Option<Vec<Stage>> {
    let bandwidths = section.quantities("bandwidth", &BANDWIDTH, count, per);
    let bandwidths = section.required(bandwidths, "bandwidth", "write bandwidth = \"1 GB/s\"");
    let latencies = section.quantities("latency", &DURATION, count, per);
    let stand_in = Bandwidth::new(1.0).expect("1 is positive");
    let bandwidths = bandwidths.unwrap_or(vec![stand_in; count?]);
    let latencies = latencies.unwrap_or(vec![Duration::ZERO; count?]);
    let both = bandwidths.into_iter().zip(latencies);
    Some(both.map(|(bandwidth, latency)| Stage { bandwidth, latency }).collect())
}

/// A single value if all are equal.
fn one_or_all(values: impl Iterator<Item = Value>) -> Value {
    let values: Vec<Value> = values.collect();
    if values.windows(2).all(|pair| pair[0] == pair[1]) { values[0].clone() } else { Value::Array(values) }
}
