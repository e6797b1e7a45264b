//! Hypercrossbars: dimension order, through the crossbar of each dimension in which the coordinates differ.
//!
//! A packet passes the links of one dimension after those of another, and in each only one way: packets cannot wait for
//! each other in a circle.

use super::Hop;
use weir_topology::Hypercrossbar;
use weir_units::NodeId;

/// An address is the number of the destination.
#[derive(Clone, Debug)]
pub(crate) struct Crossbars {
    /// Dimensions of more than one router.
    axes: Vec<Axis>,
    nodes: u32,
}

#[derive(Clone, Debug)]
struct Axis {
    size: u32,
    stride: u32,
    first_crossbar: u32,
}

impl Crossbars {
    pub(crate) fn new(network: &Hypercrossbar) -> Self {
        let nodes: u32 = network.dimensions().map(|dimension| dimension.size).product();
        let (mut axes, mut stride, mut first_crossbar) = (Vec::new(), 1, nodes);
        for dimension in network.dimensions() {
            if dimension.size > 1 {
                axes.push(Axis { size: dimension.size, stride, first_crossbar });
                first_crossbar += nodes / dimension.size;
            }
            stride *= dimension.size;
        }
        Self { axes, nodes }
    }

    pub(crate) fn address(&self, to: NodeId) -> u32 {
        to.0
    }

    pub(crate) fn address_bits(&self) -> u32 {
        u32::BITS - (self.nodes - 1).leading_zeros()
    }

    /// The place of an output in the order in which every packet goes up: dimension by dimension, to the crossbar and from it.
    pub(crate) fn order(&self, router: u32, output: u16) -> u32 {
        if router < self.nodes {
            return 2 * u32::from(output);
        }
        let axis = self.axes.iter().rposition(|axis| axis.first_crossbar <= router);
        2 * axis.expect("crossbars are numbered from the first dimension that has some") as u32 + 1
    }

    #[inline(never)]
    pub(crate) fn hop(&self, router: u32, address: u32, nic: u32) -> Hop {
        let output = if router < self.nodes {
            let coordinate = |node: u32, axis: &Axis| node / axis.stride % axis.size;
            let differs = |axis: &Axis| coordinate(router, axis) != coordinate(address, axis);
            self.axes.iter().position(differs).map_or(self.axes.len() as u32 + nic, |axis| axis as u32)
        } else {
            let axis = self.axes.iter().rfind(|axis| axis.first_crossbar <= router);
            let axis = axis.expect("crossbars are numbered from the first dimension that has some");
            address / axis.stride % axis.size
        };
        Hop { output: output as u16, class: 0 }
    }
}
