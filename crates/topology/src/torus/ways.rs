//! A torus or mesh as a network with a choice of ways: any dimension in which a packet is not yet where it goes.

use super::{Axis, Torus, Way};
use crate::switched::Wires;
use crate::{Candidates, Wrap};
use std::cmp::Ordering;
use weir_units::LinkId;

impl Torus {
    /// The dimensions that have links.
    fn wired(&self) -> impl Iterator<Item = &Axis> + Clone {
        self.axes.iter().filter(|axis| axis.dimension.size > 1)
    }

    fn axis_at(&self, port: u32) -> (&Axis, Way) {
        let axis = self.wired().nth(port as usize / 2).expect("a port of a dimension");
        (axis, if port.is_multiple_of(2) { Way::Plus } else { Way::Minus })
    }
}

/// The ports of a router are two for each dimension of more than one router, the positive way first, also at the borders of a mesh,
/// where no way leads by those without a cable. Cables of all dimensions are of one class: how fast each is, the torus itself says.
impl Wires for Torus {
    fn routers(&self) -> u32 {
        self.nodes
    }

    fn ports(&self, _router: u32) -> u32 {
        2 * self.wired().count() as u32
    }

    fn neighbor(&self, router: u32, port: u32) -> (u32, u32) {
        let (axis, way) = self.axis_at(port);
        let here = axis.coordinate(router);
        let there = axis.step(here, way);
        (router - here * axis.stride + there * axis.stride, port ^ 1)
    }

    /// Dimension by dimension; half way round both ways, and in a ring of two routers both cables.
    fn minimal(&self, from: u32, to: u32, found: &mut Candidates) {
        for (number, axis) in (0..).zip(self.wired()) {
            let (here, there) = (axis.coordinate(from), axis.coordinate(to));
            if here == there {
                continue;
            }
            let size = axis.dimension.size;
            let ahead = if there > here { there - here } else { there + size - here };
            let ways = match axis.dimension.wrap {
                Wrap::Mesh => [there > here, there < here],
                Wrap::Torus => {
                    let order = (2 * ahead).cmp(&size);
                    [order != Ordering::Greater, order != Ordering::Less]
                }
            };
            let ports = [2 * number, 2 * number + 1].into_iter().zip(ways);
            let ports = ports.filter_map(|(port, leads)| leads.then_some(port as u16));
            found.ports.extend(ports);
            if found.leading == 0 {
                found.leading = 1;
            }
        }
    }

    fn diameter(&self) -> u32 {
        let longest = self.wired().map(|axis| match axis.dimension.wrap {
            Wrap::Torus => axis.dimension.size / 2,
            Wrap::Mesh => axis.dimension.size - 1,
        });
        longest.sum()
    }

    fn lengths(&self) -> (u64, u64) {
        unreachable!("a torus has a formula of its own")
    }

    fn link_at(&self, router: u32, port: u32) -> Option<LinkId> {
        let (axis, way) = self.axis_at(port);
        let line = router / axis.stride / axis.dimension.size;
        let place = axis.coordinate(router) - axis.skipped(way);
        let base = axis.first[way as usize] + router % axis.stride + axis.stride * axis.per_line * line;
        Some(LinkId(base + axis.stride * place))
    }
}
