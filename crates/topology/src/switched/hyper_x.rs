//! HyperX: routers on a grid, of which each is joined to each along every dimension (Ahn, Binkert, Davis, McLaren, Schreiber:
//! "HyperX: topology, routing, and packaging of efficient large-scale networks", SC 2009). One of one dimension is a full mesh.

use super::{Candidates, Wires};
use crate::coordinates;
use crate::error::{self, Mistake};

/// The cables of a HyperX. Routers are numbered x first. The ports of a router stand dimension by dimension, in each in the order of
/// the routers at their other ends; those of parallel cables stand together.
#[derive(Clone, Debug)]
pub struct HyperX {
    axes: Vec<Axis>,
    links_per_pair: u32,
    routers: u32,
    ports: u32,
}

#[derive(Clone, Debug)]
struct Axis {
    size: u32,
    stride: u32,
    /// Its first port.
    first: u32,
}

impl Axis {
    fn coordinate(&self, router: u32) -> u32 {
        router / self.stride % self.size
    }
}

impl HyperX {
    /// A grid of these sizes, x first, with so many cables between any two routers of a line.
    ///
    /// # Errors
    /// Names the keys `shape` and `links_per_pair` when a size or the number of cables is 0, or there are too many routers or ports.
    pub fn new(shape: &[u32], links_per_pair: u32) -> Result<Self, Vec<Mistake>> {
        let routers = shape.iter().fold(1_u128, |all, &size| all.saturating_mul(u128::from(size)));
        let to_others: u128 = shape.iter().map(|&size| u128::from(size.saturating_sub(1))).sum();
        let ports = to_others * u128::from(links_per_pair);
        error::check_shape(shape.iter().copied(), routers, routers.saturating_mul(ports))?;
        let mut mistakes = Vec::new();
        if links_per_pair == 0 || ports > u128::from(u16::MAX) {
            let what = match links_per_pair {
                0 => "is 0".to_owned(),
                _ => format!("is {links_per_pair}: a router has {ports} ports to others"),
            };
            let hint = format!("take 1 or more; a router has at most {} ports", u16::MAX);
            mistakes.push(Mistake { key: "links_per_pair", what, hint });
        }
        error::unless_empty(mistakes)?;
        let (mut stride, mut first) = (1, 0);
        let axes = shape.iter().map(|&size| {
            let axis = Axis { size, stride, first };
            stride *= size;
            first += (size - 1) * links_per_pair;
            axis
        });
        let axes = axes.collect();
        Ok(Self { axes, links_per_pair, routers: routers as u32, ports: ports as u32 })
    }

    /// The sizes, x first.
    pub fn shape(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.axes.iter().map(|axis| axis.size)
    }

    /// Number of cables between any two routers of a line.
    pub fn links_per_pair(&self) -> u32 {
        self.links_per_pair
    }

    /// The coordinate of a router in a dimension.
    pub(crate) fn coordinate(&self, router: u32, dimension: usize) -> u32 {
        self.axes[dimension].coordinate(router)
    }

    /// The router of the same line of a dimension with this coordinate.
    pub(super) fn moved(&self, router: u32, dimension: usize, to: u32) -> u32 {
        let axis = &self.axes[dimension];
        router - axis.coordinate(router) * axis.stride + to * axis.stride
    }

    /// The number of a cable's dimension and of its length along it, where one joins any two routers.
    pub(super) fn distance_class(&self, router: u32, port: u32) -> u32 {
        let axis = &self.axes[self.axis_of(port)];
        let [here, there] = [router, self.neighbor(router, port).0].map(|router| axis.coordinate(router));
        axis.first + (there + axis.size - here) % axis.size - 1
    }

    fn axis_of(&self, port: u32) -> usize {
        self.axes.iter().rposition(|axis| axis.size > 1 && axis.first <= port).expect("a port of a dimension")
    }
}

impl Wires for HyperX {
    fn routers(&self) -> u32 {
        self.routers
    }

    fn ports(&self, _router: u32) -> u32 {
        self.ports
    }

    fn neighbor(&self, router: u32, port: u32) -> (u32, u32) {
        let axis = &self.axes[self.axis_of(port)];
        let (place, cable) =
            ((port - axis.first) / self.links_per_pair, (port - axis.first) % self.links_per_pair);
        let here = axis.coordinate(router);
        let there = if place < here { place } else { place + 1 };
        let back = if here < there { here } else { here - 1 };
        (router - here * axis.stride + there * axis.stride, axis.first + back * self.links_per_pair + cable)
    }

    fn class(&self, _router: u32, port: u32) -> usize {
        self.axis_of(port)
    }

    fn classes(&self) -> Vec<String> {
        self.place_form().into_iter().map(|axis| format!("dimension {axis}")).collect()
    }

    fn minimal(&self, from: u32, to: u32, found: &mut Candidates) {
        for axis in &self.axes {
            let (here, there) = (axis.coordinate(from), axis.coordinate(to));
            if here == there {
                continue;
            }
            let place = if there < here { there } else { there - 1 };
            let first = axis.first + place * self.links_per_pair;
            found.ports.extend((first..first + self.links_per_pair).map(|port| port as u16));
            if found.leading == 0 {
                found.leading = self.links_per_pair as usize;
            }
        }
    }

    fn diameter(&self) -> u32 {
        self.axes.iter().filter(|axis| axis.size > 1).count() as u32
    }

    /// Two routers are as many links apart as they have coordinates that differ.
    fn lengths(&self) -> (u64, u64) {
        let routers = u64::from(self.routers);
        let differing = self.shape().map(|size| routers * (routers / u64::from(size)) * u64::from(size - 1));
        (self.diameter().into(), differing.sum())
    }

    fn place(&self, router: u32) -> Vec<u32> {
        self.axes.iter().map(|axis| axis.coordinate(router)).collect()
    }

    fn router_at(&self, place: &[u32]) -> Option<u32> {
        coordinates::at(self.shape(), place)
    }

    fn place_form(&self) -> Vec<String> {
        (0..self.axes.len()).map(|axis| coordinates::axis_name(&coordinates::AXES, axis)).collect()
    }
}
