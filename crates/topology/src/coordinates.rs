//! Places on a grid: `node = x + X (y + Y z)`, written `(x,y,z)`.

use crate::number;
use weir_units::NodeId;

/// The coordinates of a node on a grid of these sizes, x first.
pub(crate) fn of(sizes: impl Iterator<Item = u32>, node: NodeId) -> impl Iterator<Item = u32> {
    let mut rest = node.0;
    sizes.map(move |size| {
        let coordinate = rest % size;
        rest /= size;
        coordinate
    })
}

/// `(3,0,2)`.
pub(crate) fn address(sizes: impl Iterator<Item = u32>, node: NodeId) -> String {
    let coordinates: Vec<_> = of(sizes, node).map(|coordinate| coordinate.to_string()).collect();
    format!("({})", coordinates.join(","))
}

/// The node with the coordinates in a text, with or without parentheses; `None` if it is none of this grid.
pub(crate) fn parse(sizes: impl ExactSizeIterator<Item = u32>, text: &str) -> Option<NodeId> {
    let text = match text.strip_prefix('(') {
        Some(rest) => rest.strip_suffix(')')?,
        None => text,
    };
    let coordinates: Vec<_> = text.split(',').collect();
    if coordinates.len() != sizes.len() {
        return None;
    }
    let (mut node, mut stride) = (0, 1);
    for (size, coordinate) in sizes.zip(coordinates) {
        node += stride * number(coordinate.trim()).filter(|&c| c < size)?;
        stride *= size;
    }
    Some(NodeId(node))
}
