//! An order of the routers in which those that are near to each other stand together: for whoever cuts a machine into parts.

use crate::partition::Search;
use crate::torus::Wrap;
use crate::{Topology, Torus};
use weir_units::RouterId;

/// Largest number of places of a grid whose order is that of their numbers.
const FEW_OF_GRID: u32 = 256;

/// A row of a grid, in its first dimension, that is no longer stays whole unless a cut across it has this many times fewer links
/// than others. Whoever runs one router after the other steps regularly through memory then; without that the packet engine
/// took up to a tenth longer (decision 29).
const ROW: u32 = 64;
const ROW_WEIGHT: u64 = 8;

/// The same of the routers of a graph.
const FEW_OF_GRAPH: usize = 32;

impl Topology {
    /// All routers, in an order in which every range has few links to the others: halves, quarters and so on are compact.
    /// It depends on the machine alone, not on faults.
    ///
    /// - Torus, mesh, Tofu: blocks. A block is cut into halves where it has the least links, of equal ones across its
    ///   longest dimension, of these across the one that has been cut the least, until it has 256 routers or fewer; these
    ///   are in the order of their numbers. Rows of 64 routers or fewer in the first dimension mostly stay whole: a link in
    ///   them counts as eight.
    /// - Hypercrossbar: the same; each crossbar beside one of its routers, those of a plane beside different ones.
    /// - Fat tree: along the leaves, so by pods; the switches above are spread evenly along the leaves that they have below
    ///   them.
    /// - Graph: halves of halves, each found by a search as in [`Self::bisection`], which counts links and routers, until there
    ///   are 32 routers or fewer.
    ///
    /// O(routers log routers); in a graph O(links log² routers).
    #[must_use]
    pub fn compact_order(&self) -> Vec<RouterId> {
        let routers = self.routers() as u32;
        let mut order: Vec<u32> = match self.whole() {
            Self::Torus(torus) => blocks(&Axis::of(torus)),
            Self::FatTree(tree) => {
                let mut order: Vec<u32> = (0..routers).collect();
                order.sort_by_cached_key(|&router| tree.place_along_leaves(RouterId(router)));
                order
            }
            Self::Hypercrossbar(machine) => {
                let axis = |size| Axis { size, wraps: false };
                let axes: Vec<_> = machine.dimensions().map(|dimension| axis(dimension.size)).collect();
                let places = inverse(&blocks(&axes));
                let beside = |router| (places[machine.beside(RouterId(router)).index()], router);
                let mut order: Vec<u32> = (0..routers).collect();
                order.sort_by_cached_key(|&router| beside(router));
                order
            }
            Self::Graph(_) | Self::Degraded(_) => {
                Search::of_routers(self.whole()).halves_of_halves(FEW_OF_GRAPH)
            }
        };
        debug_assert_eq!(order.len(), self.routers());
        order.shrink_to_fit();
        order.into_iter().map(RouterId).collect()
    }
}

/// By number: its place in an order.
fn inverse(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    (0..).zip(order).for_each(|(place, &number)| places[number as usize] = place);
    places
}

/// A dimension of a grid.
struct Axis {
    size: u32,
    wraps: bool,
}

impl Axis {
    fn of(torus: &Torus) -> Vec<Self> {
        let axis = |(size, wrap)| Self { size, wraps: wrap == Wrap::Torus };
        torus.dimensions().map(|dimension| axis((dimension.size, dimension.wrap))).collect()
    }
}

/// The numbers of all places of a grid, block by block.
fn blocks(axes: &[Axis]) -> Vec<u32> {
    let mut order = Vec::new();
    // Of each block: where it begins and how long it is in each dimension.
    let mut open = vec![axes.iter().map(|axis| (0, axis.size)).collect::<Vec<_>>()];
    while let Some(block) = open.pop() {
        let volume: u32 = block.iter().map(|&(_, length)| length).product();
        if volume <= FEW_OF_GRID {
            list(&block, axes, volume, &mut order);
            continue;
        }
        // A ring that is whole is cut at two places.
        let cut = |dimension: usize| {
            let (axis, length) = (&axes[dimension], block[dimension].1);
            let places = if axis.wraps && length == axis.size { 2 } else { 1 };
            let is_row = dimension == 0 && length <= ROW;
            let weight = if is_row { ROW_WEIGHT } else { 1 };
            (u64::from(volume / length) * places * weight, is_row, u32::MAX - length, axis.size)
        };
        let longer = (0..axes.len()).rev().filter(|&dimension| block[dimension].1 > 1);
        let dimension = longer.min_by_key(|&dimension| cut(dimension)).expect("a block of several places");
        let (start, length) = block[dimension];
        let half = length.div_ceil(2);
        let [mut first, mut second] = [block.clone(), block];
        (first[dimension], second[dimension]) = ((start, half), (start + half, length - half));
        open.extend([second, first]);
    }
    order
}

/// Adds the numbers of the places of a block in ascending order.
fn list(block: &[(u32, u32)], axes: &[Axis], volume: u32, order: &mut Vec<u32>) {
    order.extend((0..volume).map(|place| {
        let (mut rest, mut number, mut stride) = (place, 0, 1);
        for (&(start, length), axis) in block.iter().zip(axes) {
            number += (start + rest % length) * stride;
            (rest, stride) = (rest / length, stride * axis.size);
        }
        number
    }));
}

#[cfg(test)]
mod tests;
