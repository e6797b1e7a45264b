//! Fat trees and hypercrossbars.
//!
//! Fat trees: up by the ports that the destination (straight down) or the source (straight up) decides, then down.
//!
//! A packet that has gone down never goes up again, so packets cannot wait for each other in a circle.

use super::Hop;
use weir_topology::{FatTree, FatTreeRouting, Hypercrossbar, Switches};
use weir_units::NodeId;

/// An address is the number of the destination, and above it the number that decides the ports up, modulo the number of
/// ways up.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) levels: Vec<Level>,
    /// By router: its stage.
    pub(crate) stages: Vec<u8>,
    pub(crate) routing: FatTreeRouting,
    pub(crate) node_bits: u32,
    /// The numbers that decide are alike if they are modulo this.
    pub(crate) ways: u32,
    nics: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub(crate) up: u32,
    pub(crate) down: u32,
    /// Cables at each port up, and at each port down.
    pub(crate) parallel_up: u32,
    pub(crate) parallel_down: u32,
    pub(crate) under_port: u32,
    pub(crate) width: u32,
    pub(crate) first_router: u32,
}

impl Tree {
    /// # Errors
    /// When an address does not fit 32 bits.
    pub(crate) fn new(tree: &FatTree, nics: u32) -> Result<Self, String> {
        let nodes: u32 = tree.stages().map(|stage| stage.down).product();
        let (mut levels, mut stages) = (Vec::new(), Vec::new());
        let (mut under_port, mut width, mut first_router) = (1, 1, 0);
        let (mut ways, mut parallel_down) = (1_u64, 1);
        for ((number, stage), parallel_up) in tree.stages().enumerate().zip(tree.parallel_cables().chain([1]))
        {
            let Switches { up, down } = stage;
            levels.push(Level { up, down, parallel_up, parallel_down, under_port, width, first_router });
            under_port *= stage.down;
            let switches = nodes / under_port * width;
            stages.resize(stages.len() + switches as usize, number as u8);
            first_router += switches;
            width *= stage.up.max(1);
            parallel_down = parallel_up;
            ways = least_common_multiple(ways, u64::from(width) * u64::from(parallel_up));
        }
        let node_bits = bits(nodes);
        // Numbers of nodes decide, so no more of them differ than there are nodes.
        let ways = ways.min(nodes.into()) as u32;
        if node_bits + bits(ways) > u32::BITS {
            return Err(format!("{nodes} nodes and {ways} ways up do not fit the 32 bits of an address"));
        }
        Ok(Self { levels, stages, routing: tree.routing(), node_bits, ways, nics })
    }

    pub(crate) fn address(&self, from: NodeId, to: NodeId) -> u32 {
        let decides = match self.routing {
            FatTreeRouting::SourceMod => from.0,
            _ => to.0,
        };
        to.0 | (decides % self.ways).checked_shl(self.node_bits).unwrap_or(0)
    }

    pub(crate) fn address_bits(&self) -> u32 {
        self.node_bits + bits(self.ways)
    }

    /// The place of an output in the order in which every packet goes up: up stage by stage, then down.
    pub(crate) fn order(&self, router: u32, output: u16) -> u32 {
        let stage = self.stages[router as usize];
        let Level { up, parallel_up, .. } = self.levels[usize::from(stage)];
        let leads_up = u32::from(output) < up * parallel_up;
        u32::from(if leads_up { stage } else { 2 * self.levels.len() as u8 - stage })
    }

    #[inline(never)]
    pub(crate) fn hop(&self, router: u32, address: u32, nic: u32) -> Hop {
        let stage = self.stages[router as usize];
        let level = &self.levels[stage as usize];
        let destination = address & ((1_u64 << self.node_bits) - 1) as u32;
        let subtree = (router - level.first_router) / level.width;
        let below = destination / level.under_port;
        let decides = address.checked_shr(self.node_bits).unwrap_or(0) / level.width;
        let output = if below / level.down == subtree {
            let port = below % level.down;
            // The lowest stage has so many ports for each node.
            let down = if stage == 0 {
                port * self.nics + nic
            } else {
                port * level.parallel_down + decides % level.parallel_down
            };
            level.up * level.parallel_up + down
        } else {
            decides % level.up * level.parallel_up + decides / level.up % level.parallel_up
        };
        Hop { output: output as u16, class: 0 }
    }
}

fn bits(count: u32) -> u32 {
    u32::BITS - (count - 1).leading_zeros()
}

/// That of two numbers above 0, or the largest number.
fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor).saturating_mul(b)
}

/// Hypercrossbars: dimension order, through the crossbar of each dimension in which the coordinates differ. In each dimension a
/// packet passes links only one way, so packets cannot wait for each other in a circle. An address is the number of the
/// destination.
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

#[cfg(test)]
mod tests {
    use super::*;
    use weir_topology::{NodeLink, Stage};
    use weir_units::{Bandwidth, Duration};

    /// Leaves with 64 nodes and 256 ways up, above them switches of 64 and 256, and at the top some more ports down: 4096 nodes
    /// for each of these, and 2^16 ways up.
    fn tree(top: u32) -> Result<Tree, String> {
        let (bandwidth, latency) = (Bandwidth::new(8e9).expect("positive"), Duration::from_ns(100));
        let stages = [(64, 256), (64, 256), (top, 0)].map(|(down, up)| Switches { down, up });
        let cables = [Stage { bandwidth, latency }; 2];
        let node_link = NodeLink { bandwidth, latency };
        let tree = FatTree::new(&stages, &cables, FatTreeRouting::DestinationMod, node_link);
        Tree::new(&tree.expect("fewer links than 2^32"), 1)
    }

    /// With 16 ports at the top 2^16 nodes need 16 bits, which just fit beside 16 for the ways. One port more is a bit too many.
    #[test]
    fn addresses_fill_32_bits_at_most() {
        assert!(tree(17).is_err());
        let tree = tree(16).expect("32 bits");
        // To the last node: up by the last port at leaf 0, and at the first switch above it that has this way.
        let last = NodeId((1 << 16) - 1);
        let address = tree.address(NodeId(0), last);
        assert_eq!(address, u32::MAX);
        assert_eq!(tree.hop(0, address, 0), Hop { output: 255, class: 0 });
        assert_eq!(tree.hop(1024 + 255, address, 0), Hop { output: 255, class: 0 });
        // Down again by the last port of each: 256 ports lead up before it, at the top none does.
        let switches = 1024 + 16 * 256;
        assert_eq!(tree.hop(switches, address, 0), Hop { output: 15, class: 0 });
        assert_eq!(tree.hop(switches - 1, address, 0), Hop { output: 256 + 63, class: 0 });
        assert_eq!(tree.hop(1023, address, 0), Hop { output: 256 + 63, class: 0 });
    }
}
