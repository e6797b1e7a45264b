//! Machines that look the same from every node: shifts that carry routes into routes.
//!
//! A shift adds a vector t to the coordinates of all nodes, each modulo its size. Where it carries the route of every
//! pair (a, b) into the route of (a + t, b + t), and every link into one of the same capacity and latency, traffic that is
//! the same for all nodes loads all links of a class alike, and a solver may look at one link of each.

use crate::{Tie, Topology, Torus, Wrap};
use weir_units::LinkId;

impl Topology {
    /// The sizes of the coordinates, x first, if all shifts carry routes into routes; `None` if not.
    ///
    /// They do in hypercrossbars, and in tori of which every dimension of more than two routers wraps: with the tie rules
    /// spread and plus in all of them, with the others, which look at the coordinate, only where no ties are, in dimensions of odd
    /// sizes. A line of two routers has no ties. Other meshes, fat trees and graphs have none.
    #[must_use]
    pub fn translations(&self) -> Option<Vec<u32>> {
        match self {
            Self::Torus(torus) => {
                is_alike(torus).then(|| torus.dimensions().map(|dimension| dimension.size).collect())
            }
            Self::Hypercrossbar(machine) => {
                Some(machine.dimensions().map(|dimension| dimension.size).collect())
            }
            Self::FatTree(_) | Self::Graph(_) | Self::Degraded(_) => None,
        }
    }

    /// The class of a link, from `0 .. link_classes()`: two links are of one class exactly if a shift carries one into the
    /// other. Injection links are class 0, ejection links class 1; then come two classes for each dimension of more
    /// than one router, but only one for a line of two. Each class has as many links as there are nodes.
    ///
    /// # Panics
    /// When there is no such link, or [`Self::translations`] is `None`.
    #[must_use]
    pub fn link_class(&self, id: LinkId) -> usize {
        match self {
            Self::Torus(torus) if is_alike(torus) => torus.link_class(id),
            Self::Hypercrossbar(machine) => machine.link_class(id),
            _ => panic!("the links of this machine have no classes"),
        }
    }

    /// Number of classes of links.
    ///
    /// # Panics
    /// When [`Self::translations`] is `None`.
    #[must_use]
    pub fn link_classes(&self) -> usize {
        match self {
            Self::Torus(torus) if is_alike(torus) => torus.link_classes(),
            Self::Hypercrossbar(machine) => machine.link_classes(),
            _ => panic!("the links of this machine have no classes"),
        }
    }
}

/// Returns whether the torus looks the same from every router.
fn is_alike(torus: &Torus) -> bool {
    torus.dimensions().all(|dimension| {
        let no_ties = matches!(torus.tie(), Tie::Spread | Tie::Plus) || dimension.size % 2 == 1;
        match dimension.wrap {
            Wrap::Torus => dimension.size == 1 || no_ties,
            Wrap::Mesh => dimension.size <= 2,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{as_graph, fat_tree, grid, hypercrossbar, route};
    use crate::{FatTreeRouting, coordinates};
    use proptest::prelude::*;

    #[test]
    fn who_has_translations() {
        let check = |machine: &Topology, expected: Option<&[u32]>| {
            assert_eq!(machine.translations().as_deref(), expected);
        };
        check(&grid(&[(4, true), (3, true)], Tie::Plus), Some(&[4, 3]));
        check(&grid(&[(5, true), (3, true)], Tie::Parity), Some(&[5, 3]));
        check(&grid(&[(4, true), (3, true)], Tie::Parity), None);
        check(&grid(&[(2, true)], Tie::Direct), None);
        check(&grid(&[(2, true), (4, true)], Tie::Spread), Some(&[2, 4]));
        check(&grid(&[(4, true), (3, false)], Tie::Plus), None);
        check(&grid(&[(4, true), (1, false)], Tie::Plus), Some(&[4, 1]));
        check(&grid(&[(4, true), (2, false)], Tie::Plus), Some(&[4, 2]));
        check(&grid(&[(3, true), (2, false)], Tie::Direct), Some(&[3, 2]));
        check(&hypercrossbar(&[4, 3]), Some(&[4, 3]));
        check(&fat_tree(&[(2, 2), (4, 1)], FatTreeRouting::SourceMod), None);
        check(&as_graph(&hypercrossbar(&[4, 3])), None);
    }

    /// The node that a shift, given by the node it carries node 0 to, carries a node to.
    fn shifted(shape: &[u32], node: u32, shift: u32) -> u32 {
        coordinates::shifted(node, &coordinates::place_of(shift, shape), shape)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn shifts_carry_routes_into_routes(
            wraps in proptest::collection::vec((1_u32..=6, any::<bool>()), 1..=3),
            crossbar: bool,
            tie in prop_oneof![Just(Tie::Spread), Just(Tie::Plus), Just(Tie::Direct), Just(Tie::Parity)],
            (a, b, t) in any::<(u32, u32, u32)>(),
        ) {
            let wraps: Vec<_> = wraps.into_iter().map(|(size, wraps)| (size, wraps || size > 2)).collect();
            let shape: Vec<_> = wraps.iter().map(|&(size, _)| size).collect();
            let machine = if crossbar { hypercrossbar(&shape) } else { grid(&wraps, tie) };
            let Some(found) = machine.translations() else { return Ok(()) };
            prop_assert_eq!(&found, &shape);
            let nodes = machine.nodes() as u32;
            let (a, b, t) = (a % nodes, b % nodes, t % nodes);
            let of_classes = |from, to| -> Vec<usize> {
                route(&machine, from, to).into_iter().map(|id| machine.link_class(id)).collect()
            };
            prop_assert_eq!(of_classes(a, b), of_classes(shifted(&shape, a, t), shifted(&shape, b, t)));

            let mut members = vec![Vec::new(); machine.link_classes()];
            (0..machine.links()).map(LinkId::new).for_each(|id| members[machine.link_class(id)].push(machine.link(id)));
            for class in members {
                prop_assert_eq!(class.len(), machine.nodes());
                prop_assert!(class.iter().all(|l| (l.capacity, l.latency) == (class[0].capacity, class[0].latency)));
            }
        }
    }
}
