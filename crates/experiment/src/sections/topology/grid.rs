//! Kinds with coordinates: torus, mesh, mixtures of both, Tofu, hypercrossbar.

use super::{GridKind, Kind, TopologySection, read_links};
use crate::source::reader::{Per, Section};
use weir_topology::{Dimension, Mistake, Rule, Tie, Wrap, tofu};

/// `shape`, `wrap` as the kind has it unless it is written, `tie`, and the links, one per dimension.
pub(super) fn read(section: &mut Section<'_>, kind: GridKind, wrap: Wrap) -> Option<TopologySection> {
    let (shape, wraps, per) = match kind {
        GridKind::Tofu => (tofu_shape(section), Some(tofu::WRAPS.to_vec()), "dimension x, y, z, a, b, c"),
        GridKind::Torus | GridKind::Hypercrossbar => {
            let shape = section.get_required(&super::SHAPE);
            let wraps = shape.as_ref().map(|shape| vec![wrap; shape.len()]);
            (shape, wraps, "dimension")
        }
    };
    let each = (wraps.as_ref().map(Vec::len), per);
    let (wraps, tie, rule) = match kind {
        GridKind::Hypercrossbar => (wraps, Tie::default(), Rule::Minimal),
        GridKind::Torus | GridKind::Tofu => {
            let rule = section.get_or_default(&super::GRID_ROUTING);
            let (wraps, tie) = read_wraps(section, wraps, each, rule);
            (wraps, tie, rule)
        }
    };
    section.put_last("wrap tie routing");
    let links = read_links(section, each);
    let (shape, wraps) = (shape?, wraps?);
    section.settle(&super::SHAPE, shape.clone());
    if kind == GridKind::Torus {
        let wrap = if wraps.contains(&Wrap::Torus) { Wrap::Torus } else { Wrap::Mesh };
        section.settle(&super::KIND, Kind::Grid(kind, wrap));
    }
    let dimensions = shape.into_iter().zip(wraps).zip(links?).map(|((size, wrap), link)| Dimension {
        size,
        wrap,
        bandwidth: link.bandwidth,
        latency: link.latency,
    });
    Some(TopologySection::Grid { kind, dimensions: dimensions.collect(), tie, rule })
}

/// The sizes of all six dimensions.
fn tofu_shape(section: &mut Section<'_>) -> Option<Vec<u32>> {
    let shape = section.get(&super::SHAPE);
    let hint = "write how many groups of 12 nodes are along x, y and z: shape = [4, 4, 2]";
    let sizes = section.required(shape, "shape", hint)?;
    let report = |mistake: Mistake| section.report(mistake.key, mistake.what, mistake.hint);
    tofu::shape(&sizes).map_err(|mistakes| mistakes.into_iter().for_each(report)).map(Vec::from).ok()
}

/// The wrap of each dimension, if it is known how many there are.
type Wraps = Option<Vec<Wrap>>;

fn read_wraps(section: &mut Section<'_>, wraps: Wraps, each: Per<'_>, rule: Rule) -> (Wraps, Tie) {
    let kind = |wraps: bool| if wraps { Wrap::Torus } else { Wrap::Mesh };
    let written = section.get(&super::WRAP).and_then(|wraps| section.one_per(&super::WRAP, wraps, each));
    let wraps: Wraps = written.map(|wraps| wraps.into_iter().map(kind).collect()).or(wraps);
    let closed =
        wraps.as_ref().map(|wraps| wraps.iter().map(|&wrap| wrap == Wrap::Torus).collect::<Vec<_>>());
    section.settle(&super::WRAP, closed.clone());
    if closed.is_some_and(|closed| !closed.contains(&true)) {
        section.refuse(&["tie"], "makes no sense where no dimension wraps");
        return (wraps, Tie::default());
    }
    if rule != Rule::Minimal {
        section
            .refuse(&["tie"], "makes no sense under routing = \"minimal-adaptive\", which takes both ways");
        return (wraps, Tie::default());
    }
    (wraps, section.get_or_default(&super::TIE))
}

/// The last dimension is the one that grows; of a Tofu there are more groups along z.
pub(super) fn with_room_for(kind: GridKind, dimensions: &[Dimension], nodes: u64) -> String {
    let sizes: Vec<u64> = dimensions.iter().map(|dimension| dimension.size.into()).collect();
    let last = if kind == GridKind::Tofu { 2 } else { sizes.len() - 1 };
    let others: u64 =
        sizes.iter().enumerate().filter(|&(side, _)| side != last).map(|(_, size)| size).product();
    let mut shape = sizes[..=last].to_vec();
    shape[last] = nodes.div_ceil(others).max(shape[last]);
    format!("topology.shape = {shape:?}")
}
