//! Lengths of the routes between the nodes of a machine.

use crate::{Obtained, Topology, Wrap};
use weir_units::NodeId;

/// Lengths of routes in links between routers; those of the nodes are not counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RouteLengths {
    /// Length of the longest route: the diameter.
    pub longest: u64,
    /// Mean over all ordered pairs of different nodes; 0 for a single node.
    pub mean: f64,
    /// [`Obtained::Formula`], or for graphs and degraded machines [`Obtained::AllPairs`].
    pub obtained: Obtained,
}

impl Topology {
    /// The lengths of the routes. O(dimensions) or O(stages); for a graph or a machine with failed links O(nodes^2 hops).
    /// Pairs without a way do not count.
    #[must_use]
    pub fn route_lengths(&self) -> RouteLengths {
        let nodes = self.nodes() as f64;
        // The sum over all ordered pairs, in each kind: independent of the rule that breaks ties.
        let (longest, sum, obtained) = match self {
            Self::Torus(torus) => {
                let (mut longest, mut sum) = (0, 0.0);
                for dimension in torus.dimensions() {
                    let (size, n) = (u64::from(dimension.size), f64::from(dimension.size));
                    // Over all ordered pairs of coordinates, equal ones as well, the distances of a ring sum up to n
                    // floor(n^2 / 4), those of a line to n (n^2 - 1) / 3.
                    let (most, mean) = match dimension.wrap {
                        Wrap::Torus => (size / 2, (size * size / 4) as f64 / n),
                        Wrap::Mesh => (size - 1, (n * n - 1.0) / (3.0 * n)),
                    };
                    longest += most;
                    sum += nodes * nodes * mean;
                }
                (longest, sum, Obtained::Formula)
            }
            Self::Hypercrossbar(machine) => {
                let sizes = machine.dimensions().map(|d| d.size);
                let mean: f64 = sizes.clone().map(|size| 2.0 * (1.0 - 1.0 / f64::from(size))).sum();
                let longest = 2 * sizes.filter(|&size| size > 1).count() as u64;
                (longest, nodes * nodes * mean, Obtained::Formula)
            }
            Self::FatTree(tree) => {
                // Nodes that meet in stage i, from 0, and not below it, are 2 i links apart.
                let (mut longest, mut sum, mut under) = (0, 0.0, 1.0);
                for (stage, switches) in (0_u32..).zip(tree.stages()) {
                    let meeting = under * (f64::from(switches.down) - 1.0);
                    under *= f64::from(switches.down);
                    sum += nodes * meeting * 2.0 * f64::from(stage);
                    longest = if meeting > 0.0 { 2 * u64::from(stage) } else { longest };
                }
                (longest, sum, Obtained::Formula)
            }
            Self::Degraded(degraded) if degraded.failed().next().is_none() => {
                return degraded.whole().route_lengths();
            }
            Self::Graph(_) | Self::Degraded(_) => {
                let (longest, sum, pairs) = self.all_pairs();
                let mean = if pairs > 0 { sum as f64 / pairs as f64 } else { 0.0 };
                return RouteLengths { longest, mean, obtained: Obtained::AllPairs };
            }
        };
        let pairs = nodes * (nodes - 1.0);
        RouteLengths { longest, mean: if pairs > 0.0 { sum / pairs } else { 0.0 }, obtained }
    }

    /// The longest route, the sum of all, and how many there are between different nodes.
    fn all_pairs(&self) -> (u64, u64, u64) {
        let mut route = Vec::new();
        let (mut longest, mut sum, mut pairs) = (0, 0, 0);
        // Destination by destination, because distances are kept for some of them only.
        for (to, from) in (0..self.nodes()).flat_map(|a| (0..self.nodes()).map(move |b| (a, b))) {
            if from == to || !self.find_route(NodeId::new(from), NodeId::new(to), &mut route) {
                continue;
            }
            let length = route.len().saturating_sub(2) as u64;
            longest = longest.max(length);
            sum += length;
            pairs += 1;
        }
        (longest, sum, pairs)
    }
}

#[cfg(test)]
mod tests {
    use crate::harness::machines;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn formulas_agree_with_all_pairs(machine in machines()) {
            let found = machine.route_lengths();
            let (longest, sum, pairs) = machine.all_pairs();
            let nodes = machine.nodes() as u64;
            prop_assert_eq!((found.longest, pairs), (longest, nodes * (nodes - 1)));
            let mean = if pairs > 0 { sum as f64 / pairs as f64 } else { 0.0 };
            prop_assert!((found.mean - mean).abs() < 1e-9, "{} instead of {mean}", found.mean);
        }
    }
}
