//! Places on a grid: `node = x + X (y + Y z)`, written `(x,y,z)`.

use crate::number;
use weir_units::NodeId;

/// The place of a number on a grid of these sizes, x first: `number = x + X (y + Y z)`. Numbers beyond the grid begin
/// again at its first place.
pub fn place_of(number: u32, grid: &[u32]) -> Vec<u32> {
    of(grid.iter().copied(), NodeId(number)).collect()
}

/// The number of the place that is `by` further along each dimension, x first, of a grid of these sizes; all dimensions
/// are closed to rings.
///
/// # Panics
/// When `by` has another number of dimensions than the grid, or the grid has more places than 32 bits can number.
pub fn shifted(number: u32, by: &[u32], grid: &[u32]) -> u32 {
    assert_eq!(by.len(), grid.len(), "one number per dimension");
    let (mut shifted, mut stride) = (0, 1);
    for ((from, &by), &size) in of(grid.iter().copied(), NodeId(number)).zip(by).zip(grid) {
        shifted += stride * ((u64::from(from) + u64::from(by)) % u64::from(size));
        stride *= u64::from(size);
    }
    u32::try_from(shifted).expect("places of a grid have numbers of 32 bits")
}

/// The names of the first dimensions.
pub(crate) const AXES: [&str; 3] = ["x", "y", "z"];

/// The name of a dimension, counted from 0: from this list, then `d3`, `d4`, ...
pub(crate) fn axis_name(names: &[&str], dimension: usize) -> String {
    names.get(dimension).map_or_else(|| format!("d{dimension}"), |&name| name.to_owned())
}

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
pub(crate) fn written(coordinates: impl IntoIterator<Item = u32>) -> String {
    let coordinates: Vec<_> = coordinates.into_iter().map(|coordinate| coordinate.to_string()).collect();
    format!("({})", coordinates.join(","))
}

/// The numbers in such a text, with or without parentheses.
pub(crate) fn numbers(text: &str) -> Option<Vec<u32>> {
    let text = match text.strip_prefix('(') {
        Some(rest) => rest.strip_suffix(')')?,
        None => text,
    };
    text.split(',').map(|coordinate| number(coordinate.trim())).collect()
}

/// The number of the place with these coordinates; `None` if it is none of this grid.
pub(crate) fn at(sizes: impl ExactSizeIterator<Item = u32>, coordinates: &[u32]) -> Option<u32> {
    if coordinates.len() != sizes.len() {
        return None;
    }
    let (mut place, mut stride) = (0, 1);
    for (size, &coordinate) in sizes.zip(coordinates) {
        place += stride * Some(coordinate).filter(|&coordinate| coordinate < size)?;
        stride *= size;
    }
    Some(place)
}

/// The address of a node on a grid of these sizes.
pub(crate) fn address(sizes: impl Iterator<Item = u32>, node: NodeId) -> String {
    written(of(sizes, node))
}

/// The node with the coordinates in a text; `None` if it is none of this grid.
pub(crate) fn parse(sizes: impl ExactSizeIterator<Item = u32>, text: &str) -> Option<NodeId> {
    at(sizes, &numbers(text)?).map(NodeId)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a 4 x 3 x 2 grid number 23 is the last place: 3 + 4 (2 + 3 x 1).
    #[test]
    fn places_have_x_first_and_shifts_go_round() {
        let grid = [4, 3, 2];
        assert_eq!(place_of(23, &grid), [3, 2, 1]);
        assert_eq!(place_of(4, &grid), [0, 1, 0]);
        assert_eq!(shifted(23, &[1, 1, 1], &grid), 0);
        assert_eq!(shifted(5, &[3, 0, 1], &grid), 4 + 12, "(1,1,0) to (0,1,1)");
        let large = [u32::MAX];
        assert_eq!(shifted(u32::MAX - 1, &[u32::MAX - 1], &large), u32::MAX - 2);
    }
}
