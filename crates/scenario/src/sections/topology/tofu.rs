//! `kind = "tofu"`: six dimensions, in groups of twelve nodes.

use super::{TopologySection, grid};
use crate::source::reader::Section;
use weir_topology::{Dimension, tofu};

pub(super) fn read(section: &mut Section<'_>) -> Option<TopologySection> {
    let hint = "write how many groups of 12 nodes are along x, y and z: shape = [4, 4, 2]";
    let shape = section.get(&super::SHAPE);
    let shape = section.required(shape, "shape", hint);
    let shape = shape.and_then(|sizes| {
        let report = |mistake: weir_topology::Mistake| {
            section.problem(mistake.key, mistake.what, Some(mistake.hint));
        };
        tofu::shape(&sizes).map_err(|error| error.mistakes.into_iter().for_each(report)).ok()
    });
    let wraps = Some(tofu::WRAPS.to_vec());
    let per = "dimension x, y, z, a, b, c";
    let (dimensions, tie) = grid::read_dimensions(section, shape.map(Vec::from), wraps, per)?;
    let dimensions = dimensions.try_into().expect("a Tofu has six sizes and six wraps");
    Some(TopologySection::Tofu { dimensions, tie })
}

/// More groups along z.
pub(super) fn with_room_for(dimensions: &[Dimension; 6], nodes: u64) -> String {
    let [x, y, z, a, b, c] = dimensions.map(|dimension| u64::from(dimension.size));
    let z = nodes.div_ceil(x * y * a * b * c).max(z);
    format!("topology.shape = [{x}, {y}, {z}]")
}
