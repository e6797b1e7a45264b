//! Tori, meshes and mixtures: dimension order, with datelines.
//!
//! In a ring of four or more routers packets could wait for each other all the way round. So the links of such a dimension
//! have two classes of virtual channels (Dally and Seitz: "Deadlock-free message routing in multiprocessor interconnection
//! networks", IEEE Trans. Computers 36(5), 1987). Which packets have class 1, [`Dateline`] says:
//!
//! - [`Crossing`](Dateline::Crossing): those that still have to cross the link that closes the ring; from the crossing on
//!   class 0. So a packet goes from class 1 to class 0 only. In class 1 no packet passes the closing link and stays, in class
//!   0 no packet passes it at all: in neither of them is the circle closed. It does not matter how long routes are.
//! - [`Dimension`](Dateline::Dimension): those that cross the closing link anywhere in this dimension, on all of their way
//!   in it. The class is chosen when a packet enters the dimension, and then it is that of the virtual channel in which it
//!   comes. A packet never changes its class within a ring. In class 0 no packet passes the closing link. In class 1
//!   everybody does, on a shortest way of at most half of the `k` links of the ring: from router `k - floor(k / 2)` at the
//!   earliest, to router `floor(k / 2) - 1` at the latest (and the same mirrored the other way round). So no packet of class 1
//!   passes the link behind that router, `floor(k / 2) - 1` to `floor(k / 2)`, and this circle is not closed either.
//!
//! Dimensions come one after the other, so no circle leads through several of them.

use super::Hop;
use crate::Dateline;
use crate::network::Channel;
use weir_topology::{End, Link, Tie, Topology, Torus, Wrap};
use weir_units::{LinkId, NodeId};

/// An address has a field for each dimension of more than one router, x in the lowest bits; and above them, where both cables of
/// rings of two routers are used, a bit that says by which way packets take them.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    torus: Torus,
    pub(crate) axes: Vec<Axis>,
    pub(crate) fields: u32,
    /// Which bit of an address says the way in rings of two; none, if another rule says it.
    pub(crate) way_bit: Option<u32>,
    /// 1 if every second interface of a node takes the other way there.
    in_turn: u32,
    /// By bit of an address: the number of its axis.
    pub(crate) axis_of_bit: [u8; 32],
    /// By node: its address.
    pub(crate) addresses: Vec<u32>,
    pub(crate) tie: Tie,
    pub(crate) classes: u32,
    pub(crate) dateline: Dateline,
}

#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(crate) size: u32,
    pub(crate) stride: u32,
    pub(crate) shift: u32,
    pub(crate) mask: u32,
    /// Steps once round. In a mesh, which no packet goes round, twice the size: then the way in which the destination lies is
    /// always the shorter one.
    pub(crate) ring: u32,
    /// True if it has a closing link that needs a class.
    pub(crate) crosses: bool,
}

impl Grid {
    /// # Errors
    /// When an address does not fit 32 bits.
    pub(crate) fn new(torus: &Torus, dateline: Dateline, in_turn: bool) -> Result<Self, String> {
        let bits_of = |size: u32| if size > 1 { u32::BITS - (size - 1).leading_zeros() } else { 0 };
        let of_fields: u32 = torus.dimensions().map(|dimension| bits_of(dimension.size)).sum();
        let way_bit = torus.uses_both_cables().then_some(of_fields);
        let needed = of_fields + u32::from(way_bit.is_some());
        if needed > u32::BITS {
            return Err(format!("has coordinates of {needed} bits, and an address has 32"));
        }
        let (mut axes, mut axis_of_bit) = (Vec::new(), [0; 32]);
        let (mut stride, mut shift) = (1, 0);
        for dimension in torus.dimensions() {
            if dimension.size > 1 {
                let bits = bits_of(dimension.size);
                axis_of_bit[shift as usize..(shift + bits) as usize].fill(axes.len() as u8);
                let (size, mask) = (dimension.size, (1 << bits) - 1);
                let wraps = dimension.wrap == Wrap::Torus;
                let ring = if wraps { size } else { 2 * size };
                // Decided below, when it is known whether any ring needs classes.
                axes.push(Axis { size, stride, shift, mask, ring, crosses: wraps });
                shift += bits;
            }
            stride *= dimension.size;
        }
        let place = |node: u32| {
            axes.iter()
                .map(|axis| (node / axis.stride % axis.size) << axis.shift)
                .fold(0, |all, field| all | field)
        };
        let addresses = (0..stride).map(place).collect();
        let classes = if axes.iter().any(|axis| axis.crosses && axis.size >= 4) { 2 } else { 1 };
        axes.iter_mut().for_each(|axis| axis.crosses &= classes > 1);
        let (torus, tie, in_turn) = (torus.clone(), torus.tie(), u32::from(in_turn));
        let fields = axes.iter().fold(0, |all, axis| all | axis.mask << axis.shift);
        Ok(Self { torus, axes, fields, way_bit, in_turn, axis_of_bit, addresses, tie, classes, dateline })
    }

    /// Dimension order in which nothing depends on where a packet comes from: half way round the positive way.
    ///
    /// # Errors
    /// When an address does not fit 32 bits.
    pub(super) fn in_order(torus: &Torus) -> Result<Self, String> {
        let mut grid = Self::new(torus, Dateline::Crossing, false)?;
        (grid.tie, grid.way_bit) = (Tie::Plus, None);
        Ok(grid)
    }

    pub(crate) fn address(&self, from: NodeId, to: NodeId) -> u32 {
        let way = self.way_bit.map_or(0, |bit| u32::from(self.torus.takes_negative_ways(from, 0, to)) << bit);
        self.place(to) | way
    }

    /// The fields of a node's address.
    pub(crate) fn place(&self, node: NodeId) -> u32 {
        self.addresses[node.index()]
    }

    /// At the router whose own node has the address `own`.
    #[inline(always)]
    pub(crate) fn hop(&self, own: u32, address: u32, nic: u32, channel: Channel) -> Hop {
        let difference = (own ^ address) & self.fields;
        if difference == 0 {
            return Hop { output: (2 * self.axes.len() as u32 + nic) as u16, class: 0 };
        }
        let number = self.axis_of_bit[difference.trailing_zeros() as usize];
        let axis = &self.axes[number as usize];
        let (here, there) = (own >> axis.shift & axis.mask, address >> axis.shift & axis.mask);
        let negative_of_two = || address >> self.way_bit.unwrap_or(0) & 1 != nic & self.in_turn;
        let plus = axis.goes_plus(here, there, self.tie, negative_of_two);
        // It does not cross the closing link exactly if it goes the way in which its destination lies.
        let crosses = axis.crosses & (plus != (there > here));
        // An input port has the number of the output port on the other side, so a packet that goes on in its dimension is seen
        // to.
        let keeps = self.dateline == Dateline::Dimension && channel.input >> 1 == u16::from(number);
        let class = if keeps { channel.class } else { u8::from(crosses) };
        Hop { output: 2 * u16::from(number) + u16::from(!plus), class }
    }
}

impl Grid {
    pub(crate) fn address_bits(&self) -> u32 {
        self.fields.count_ones() + u32::from(self.way_bit.is_some())
    }

    /// The place of a channel in the order in which every packet goes up: dimension by dimension, in each of them class 1
    /// before class 0, and in a class along the ring, the closing link last. Packets that keep class 1 behind that link begin
    /// half way round, where none of them ends.
    pub(crate) fn order(&self, router: u32, output: u16, class: u8) -> u32 {
        let (number, minus) = (u32::from(output) >> 1, output & 1 == 1);
        let axis = &self.axes[number as usize];
        let coordinate = router / axis.stride % axis.size;
        let along = if minus { axis.size - 1 - coordinate } else { coordinate };
        let place = match (class, self.dateline) {
            (1, Dateline::Dimension) => (along + axis.size - axis.size / 2) % axis.size,
            _ => along,
        };
        let longest = self.axes.iter().map(|axis| axis.size).max().unwrap_or(1);
        (2 * number + u32::from(class == 0)) * longest + place
    }
}

impl Axis {
    #[inline]
    fn goes_plus(&self, here: u32, there: u32, tie: Tie, negative_of_two: impl Fn() -> bool) -> bool {
        let ahead = there.wrapping_sub(here).wrapping_add(if there > here { 0 } else { self.ring });
        if 2 * ahead != self.ring {
            return 2 * ahead < self.ring;
        }
        // Only at its first router in a dimension is a packet half way round from its destination.
        match tie {
            Tie::Spread => self.ring != 2 || !negative_of_two(),
            Tie::Plus => true,
            Tie::Direct => there > here,
            Tie::Parity => here.is_multiple_of(2),
        }
    }
}

/// The port at both ends of a link between two routers of a grid: two for each dimension of more than one router, the
/// positive way first. `None` for links of nodes.
pub(crate) fn way_of(torus: &Torus, topology: &Topology, link: LinkId) -> Option<u16> {
    let Link { from: End::Router(from), to: End::Router(to), .. } = topology.link(link) else { return None };
    let (mut port, mut stride) = (0, 1);
    for dimension in torus.dimensions() {
        let coordinate = |router: u32| router / stride % dimension.size;
        let (here, there) = (coordinate(from.0), coordinate(to.0));
        if here != there {
            let plus = match (dimension.size, dimension.wrap) {
                (2, Wrap::Torus) => topology.parallel_before(link) == 0,
                (_, Wrap::Torus) => there == (here + 1) % dimension.size,
                (_, Wrap::Mesh) => there > here,
            };
            return Some(port + u16::from(!plus));
        }
        port += 2 * u16::from(dimension.size > 1);
        stride *= dimension.size;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_topology::{Dimension, NodeLink};
    use weir_units::{Bandwidth, Duration};

    /// Eleven dimensions of five routers need three bits each: 33 do not fit.
    #[test]
    fn coordinates_that_do_not_fit_an_address() {
        let (bandwidth, latency) = (Bandwidth::new(8e9).expect("positive"), Duration::from_ns(100));
        let dimension = Dimension { size: 5, wrap: Wrap::Mesh, bandwidth, latency };
        let torus = Torus::new(vec![dimension; 11], Tie::Plus, NodeLink { bandwidth, latency });
        let refused = Grid::new(&torus.expect("fewer links than 2^32"), Dateline::Crossing, false);
        assert_eq!(refused.err().as_deref(), Some("has coordinates of 33 bits, and an address has 32"));
    }
}
