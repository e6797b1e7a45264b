//! Kinds with coordinates: torus, mesh, mixtures of both, hypercrossbar.

use super::{TopologySection, read_links};
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use weir_topology::{CrossbarDimension, Dimension, Tie, Wrap};

pub(super) const TIES: [(&str, Tie); 4] =
    [("spread", Tie::Spread), ("plus", Tie::Plus), ("direct", Tie::Direct), ("parity", Tie::Parity)];

pub(super) fn read_torus(section: &mut Section<'_>, wrap: Wrap) -> Option<TopologySection> {
    let shape = section.get_required(&super::SHAPE);
    let wraps = shape.as_ref().map(|shape| vec![wrap; shape.len()]);
    let (dimensions, tie) = read_dimensions(section, shape, wraps, "dimension")?;
    Some(TopologySection::Torus { dimensions, tie })
}

/// `wrap`, by default `wraps`, `tie`, and the links, one per dimension.
pub(super) fn read_dimensions(
    section: &mut Section<'_>,
    shape: Option<Vec<u32>>,
    wraps: Option<Vec<Wrap>>,
    per: &str,
) -> Option<(Vec<Dimension>, Tie)> {
    let count = wraps.as_ref().map(Vec::len);
    let kind = |wraps: bool| if wraps { Wrap::Torus } else { Wrap::Mesh };
    let written =
        section.get(&super::WRAP).and_then(|wraps| section.one_per(&super::WRAP, wraps, count, per));
    let wraps = written.map(|wraps| wraps.into_iter().map(kind).collect()).or(wraps);
    let tie = if wraps.as_ref().is_some_and(|wraps| wraps.iter().all(|&wrap| wrap == Wrap::Mesh)) {
        section.refuse(&["tie"], "makes no sense where no dimension wraps");
        None
    } else {
        section.get(&super::TIE)
    };
    let links = read_links(section, count, per);
    let dimensions = shape?.into_iter().zip(wraps?).zip(links?).map(|((size, wrap), link)| Dimension {
        size,
        wrap,
        bandwidth: link.bandwidth,
        latency: link.latency,
    });
    Some((dimensions.collect(), tie.unwrap_or_default()))
}

pub(super) fn read_hypercrossbar(section: &mut Section<'_>) -> Option<TopologySection> {
    let shape = section.get_required(&super::SHAPE);
    let links = read_links(section, shape.as_ref().map(Vec::len), "dimension");
    let dimensions = shape?.into_iter().zip(links?).map(|(size, link)| CrossbarDimension {
        size,
        bandwidth: link.bandwidth,
        latency: link.latency,
    });
    Some(TopologySection::Hypercrossbar { dimensions: dimensions.collect() })
}

/// The last dimension is the one that grows.
pub(super) fn with_room_for(sizes: impl Iterator<Item = u32>, nodes: u64) -> String {
    let mut shape: Vec<u64> = sizes.map(u64::from).collect();
    let last = shape.pop().expect("a machine has at least one dimension");
    let others: u64 = shape.iter().product();
    shape.push(nodes.div_ceil(others).max(last));
    format!("topology.shape = {shape:?}")
}

pub(super) fn resolve(dimensions: &[Dimension], tie: Tie, section: &mut Resolved) {
    let wraps: Vec<bool> = dimensions.iter().map(|d| d.wrap == Wrap::Torus).collect();
    section.put(&super::SHAPE, dimensions.iter().map(|d| d.size).collect::<Vec<u32>>());
    section.put(&super::WRAP, &wraps);
    if wraps.contains(&true) {
        section.put(&super::TIE, tie);
    }
}
