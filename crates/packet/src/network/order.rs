//! The order of routers by which the engine numbers them.
//!
//! Parts are ranges of positions in it, for any number of threads and processes. The order depends on the machine alone, so
//! nothing that is kept under positions, such as a checkpoint, depends on the division.

use weir_topology::Topology;
use weir_units::RouterId;

/// Every router has a position, and every position a router.
pub(super) struct Order {
    /// By position.
    routers: Vec<RouterId>,
    /// By number of the router in the topology.
    positions: Vec<u32>,
}

impl Order {
    pub(super) fn of(topology: &Topology) -> Self {
        let routers = topology.compact_order();
        let mut positions = vec![0; routers.len()];
        (0..).zip(&routers).for_each(|(position, router)| positions[router.index()] = position);
        Self { routers, positions }
    }

    pub(super) fn position(&self, router: RouterId) -> u32 {
        self.positions[router.index()]
    }

    /// The numbers of all routers, position by position.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.routers.iter().map(|router| router.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{fat_tree, grid};
    use weir_topology::Wrap;

    /// Numbers and positions are each other's inverse, and are not the same in a tree or a large grid.
    #[test]
    fn every_router_has_a_position() {
        for topology in [fat_tree(4), grid(&[16, 16, 2], Wrap::Torus, 8e9, (100, 100))] {
            let order = Order::of(&topology);
            let numbers: Vec<_> = order.numbers().collect();
            assert_eq!(numbers.len(), topology.routers());
            assert!(!numbers.is_sorted());
            for (position, number) in (0..).zip(numbers) {
                assert_eq!(order.position(RouterId(number)), position);
            }
        }
    }
}
