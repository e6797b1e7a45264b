//! Kinds of routers: those of one kind are built alike, those of different ones need not be.

use crate::Topology;
use std::iter::repeat_n;

impl Topology {
    /// The names of the kinds of routers, and the kind of each router, by its number.
    ///
    /// The stages of a fat tree are kinds, from the leaves up; so are leaves and spines of a dragonfly that has both; routers and the
    /// crossbars of each dimension of a hypercrossbar; and the kinds of each of the networks that share nodes, one network after the other. In
    /// other machines all routers are of one kind. O(routers).
    pub fn router_kinds(&self) -> (Vec<String>, Vec<u16>) {
        let from = match self.whole() {
            Self::Rails(rails) => {
                let (mut names, mut kinds) = (Vec::new(), Vec::new());
                for (number, (machine, copies)) in rails.networks().enumerate() {
                    let (own, of_own) = machine.router_kinds();
                    let before = names.len() as u16;
                    names.extend(own.into_iter().map(|name| format!("{name} of network {number}")));
                    let of_own: Vec<u16> = of_own.into_iter().map(|kind| before + kind).collect();
                    kinds.extend(repeat_n(of_own, copies as usize).flatten());
                }
                return (names, kinds);
            }
            Self::FatTree(tree) => tree.kinds_of_switches(),
            Self::Hypercrossbar(machine) => machine.kinds_of_routers(),
            Self::Switched(network) => network.kinds_of_routers(),
            Self::Torus(_) | Self::Graph(_) | Self::Degraded(_) => vec![("router".into(), 0)],
        };
        // Routers of a kind have numbers in a row.
        let ends = from[1..].iter().map(|&(_, first)| first as usize).chain([self.routers()]);
        let each = (0..).zip(from.iter().zip(ends));
        let kinds =
            each.flat_map(|(kind, (&(_, first), end))| repeat_n(kind, end - first as usize)).collect();
        (from.into_iter().map(|(name, _)| name).collect(), kinds)
    }
}

#[cfg(test)]
mod tests {
    use crate::harness::{hops, machines};
    use crate::{End, Topology, Wiring};
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use weir_units::NodeId;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        /// Stages and spines are one more hop from the nodes each; crossbars are next to routers with nodes; elsewhere all are alike.
        #[test]
        fn kinds_are_distances_from_nodes(machine in machines()) {
            let (names, kinds) = machine.router_kinds();
            let hops = hops(&machine);
            let homes: BTreeSet<_> = (0..machine.nodes()).map(|node| {
                let End::Router(home) = machine.link(machine.injection_by(NodeId::new(node), 0)).to else {
                    unreachable!("nodes are at routers")
                };
                home.index()
            }).collect();
            prop_assert_eq!(kinds.len(), machine.routers());
            prop_assert_eq!(kinds.iter().collect::<BTreeSet<_>>().len(), names.len());
            prop_assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
            for (router, &kind) in kinds.iter().enumerate() {
                let distance = homes.iter().map(|&home| hops[home][router]).min().unwrap();
                match &machine {
                    Topology::FatTree(_) => prop_assert_eq!(u32::from(kind), distance),
                    Topology::Switched(network) if matches!(network.wiring(), Wiring::DragonflyPlus(_)) => {
                        prop_assert_eq!(u32::from(kind), distance);
                    }
                    Topology::Hypercrossbar(_) => prop_assert_eq!(kind > 0, distance > 0),
                    _ => prop_assert_eq!((kind, names.len()), (0, 1)),
                }
            }
        }
    }
}
