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
