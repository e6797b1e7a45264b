//! A job's own torus, laid into a machine: where each of its places is.
//!
//! A Tofu gives a job a part of itself in which the job sees a torus of one, two or three sides. Each side lies along a pair of
//! dimensions: an outer one (x, y, z) and an inner one (a, b, c) of which it takes two places:
//! ```text
//!   snake                          zig-zag
//!   inner 1   7 - 6 - 5 - 4         1 - 2   5 - 6
//!             |           |         |   |   |   |
//!   inner 0   0 - 1 - 2 - 3         0   3 - 4   7
//!             outer -->             outer -->
//! ```
//! Neighbours in the job are neighbours in the machine, and a snake is a closed ring however long the outer dimension is; a zig-zag
//! where that is closed. An odd side lies along the outer dimension alone. On another grid of as many dimensions as the job has
//! sides, a side lies along a dimension as it is. That a job's torus is folded so is public (Ajima, Sumimoto, Shimizu 2009; see
//! [`crate::tofu`]); how the sides are folded on a site is not.

use crate::{Topology, Torus, tofu};
use weir_units::NodeId;

/// How a side is folded into an outer and an inner dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fold {
    /// Out at the first inner place, back at the second.
    #[default]
    Snake,
    /// To and fro between both inner places while it goes out.
    ZigZag,
}

/// A job's torus and how it lies in a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folding {
    /// The sides of the job, x first: one to three, each at least 1.
    pub job: Vec<u32>,
    /// The sides in the order in which ranks go along them, the fastest first: each number below the count of sides once.
    pub order: Vec<usize>,
    /// Of each pair of dimensions of the machine, in their order, which side lies along it.
    pub axes: Vec<usize>,
    /// How sides are folded.
    pub fold: Fold,
}

impl Folding {
    /// How many places there are.
    #[must_use]
    pub fn places(&self) -> u64 {
        self.job.iter().map(|&side| u64::from(side)).product()
    }

    /// How many groups of a Tofu the job takes along x, y and z.
    #[must_use]
    pub fn groups(&self) -> [u32; 3] {
        let mut groups = [1; 3];
        for (groups, &side) in groups.iter_mut().zip(&self.axes) {
            *groups = outer(self.job[side]);
        }
        groups
    }

    /// The node of each place of the job, in the order of ranks.
    ///
    /// # Errors
    /// Why the job does not fit the machine.
    pub fn nodes(&self, machine: &Topology) -> Result<Vec<NodeId>, String> {
        let Topology::Torus(torus) = machine.whole() else {
            return Err("needs a machine that is a torus, a mesh or a Tofu".into());
        };
        let sizes: Vec<u32> = torus.dimensions().map(|dimension| dimension.size).collect();
        let pairs = self.pairs(torus, &sizes)?;
        let places = usize::try_from(self.places()).unwrap_or(usize::MAX);
        Ok((0..places).map(|place| self.node(place, &sizes, &pairs)).collect())
    }

    /// Outer dimension of each side, and the inner one if it has one.
    fn pairs(&self, torus: &Torus, sizes: &[u32]) -> Result<Vec<(usize, Option<usize>)>, String> {
        let is_tofu = sizes.len() == 6 && sizes[3..] == tofu::GROUP && torus.axis_name(3) == tofu::AXES[3];
        if !is_tofu && sizes.len() != self.job.len() {
            let (sides, dimensions) = (self.job.len(), sizes.len());
            return Err(format!(
                "has {sides} sides; on a machine of {dimensions} dimensions it needs as many"
            ));
        }
        let mut pairs = vec![(0, None); self.job.len()];
        for (dimension, &side) in self.axes.iter().enumerate() {
            let length = self.job[side];
            let (needs, inner) = if is_tofu { (outer(length), Some(dimension + 3)) } else { (length, None) };
            if needs > sizes[dimension] {
                let (name, there) = (torus.axis_name(dimension), sizes[dimension]);
                return Err(format!(
                    "has a side of {length} that needs {needs} along {name}, and there are {there}"
                ));
            }
            pairs[side] = (dimension, inner);
        }
        Ok(pairs)
    }

    fn node(&self, place: usize, sizes: &[u32], pairs: &[(usize, Option<usize>)]) -> NodeId {
        let mut coordinates = vec![0; sizes.len()];
        let mut rest = place;
        for &side in &self.order {
            let length = self.job[side];
            let at = (rest % length as usize) as u32;
            rest /= length as usize;
            let (dimension, inner) = pairs[side];
            match inner {
                Some(inner) => (coordinates[dimension], coordinates[inner]) = self.fold.place(at, length),
                None => coordinates[dimension] = at,
            }
        }
        let number = coordinates.iter().zip(sizes).rev().fold(0, |number, (&at, &size)| number * size + at);
        NodeId(number)
    }
}

/// How long a side is in the outer dimension.
fn outer(side: u32) -> u32 {
    if side.is_multiple_of(2) { side / 2 } else { side }
}

impl Fold {
    /// Outer and inner coordinate of a place of a side.
    fn place(self, at: u32, side: u32) -> (u32, u32) {
        let half = side / 2;
        match self {
            _ if !side.is_multiple_of(2) => (at, 0),
            Self::Snake if at < half => (at, 0),
            Self::Snake => (side - 1 - at, 1),
            Self::ZigZag => (at / 2, [0, 1, 1, 0][at as usize % 4]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dimension, NodeLink, Tie, Wrap};
    use std::collections::BTreeSet;
    use weir_units::{Bandwidth, Duration, RouterId};

    fn cable() -> NodeLink {
        NodeLink { bandwidth: Bandwidth::new(1.0).unwrap(), latency: Duration::ZERO }
    }

    fn part(groups: [u32; 3]) -> Topology {
        let NodeLink { bandwidth, latency } = cable();
        let sizes = [&groups[..], &tofu::GROUP].concat();
        let dimension = |(&size, wrap)| Dimension { size, wrap, bandwidth, latency };
        let wraps = [Wrap::Mesh, Wrap::Mesh, Wrap::Mesh, Wrap::Mesh, Wrap::Torus, Wrap::Mesh];
        let dimensions: Vec<Dimension> = sizes.iter().zip(wraps).map(dimension).collect();
        let machine = tofu::machine(dimensions.try_into().unwrap(), Tie::Plus, cable());
        Topology::Torus(machine.unwrap())
    }

    /// Links between routers on the route of two nodes.
    fn hops(machine: &Topology, from: NodeId, to: NodeId) -> usize {
        let mut route = Vec::new();
        machine.route(from, to, &mut route);
        route.len().saturating_sub(2)
    }

    /// In every job, however ranks go through it and sides lie in the machine: each place has a node of its own, neighbours along
    /// a side are neighbours in the machine, and the ends of an even side as well in a snake.
    #[test]
    fn neighbours_stay_neighbours() {
        let jobs: [&[u32]; 9] = [
            &[2, 2, 2],
            &[4, 4, 4],
            &[8, 8, 8],
            &[64, 64],
            &[32, 256],
            &[6, 3, 4],
            &[1, 5, 2],
            &[12],
            &[7, 10],
        ];
        for job in jobs {
            let sides = job.len();
            for (turn, fold) in (0..sides).flat_map(|turn| [(turn, Fold::Snake), (turn, Fold::ZigZag)]) {
                let order: Vec<usize> = (0..sides).map(|side| (side + turn) % sides).collect();
                let axes: Vec<usize> = order.iter().rev().copied().collect();
                let folding = Folding { job: job.to_vec(), order: order.clone(), axes, fold };
                let machine = part(folding.groups());
                let nodes = folding.nodes(&machine).unwrap();
                assert_eq!(nodes.len() as u64, folding.places());
                assert_eq!(nodes.iter().collect::<BTreeSet<_>>().len(), nodes.len(), "{job:?}");
                let mut stride = 1;
                for &side in &order {
                    let length = job[side] as usize;
                    // Of the places along this side those through the first one.
                    let along: Vec<NodeId> = (0..length).map(|at| nodes[at * stride]).collect();
                    for pair in along.windows(2) {
                        assert_eq!(hops(&machine, pair[0], pair[1]), 1, "{job:?} side {side} {fold:?}");
                    }
                    if length.is_multiple_of(2) && fold == Fold::Snake {
                        assert_eq!(
                            hops(&machine, along[0], along[length - 1]),
                            1,
                            "{job:?} side {side} is closed"
                        );
                    }
                    stride *= length;
                }
            }
        }
    }

    /// Side y of four lies along x and a: 0, 1 out at a = 0, and back at a = 1; a side of two along c alone.
    #[test]
    fn a_job_by_hand() {
        let folding =
            Folding { job: vec![2, 4, 2], order: vec![1, 2, 0], axes: vec![1, 0, 2], fold: Fold::Snake };
        assert_eq!(folding.groups(), [2, 1, 1]);
        let machine = part([2, 1, 1]);
        let nodes = folding.nodes(&machine).unwrap();
        let names: Vec<String> =
            nodes.iter().map(|&node| machine.router_name(RouterId(node.0))).take(9).collect();
        let place = |x, a, b, c| format!("({x},0,0,{a},{b},{c})");
        let expected = [
            place(0, 0, 0, 0),
            place(1, 0, 0, 0),
            place(1, 1, 0, 0),
            place(0, 1, 0, 0),
            place(0, 0, 0, 1),
            place(1, 0, 0, 1),
            place(1, 1, 0, 1),
            place(0, 1, 0, 1),
            place(0, 0, 1, 0),
        ];
        assert!(names.iter().zip(&expected).all(|(name, place)| name.ends_with(place.as_str())), "{names:?}");
    }

    #[test]
    fn jobs_that_do_not_fit() {
        let folding = |job: &[u32]| Folding {
            job: job.to_vec(),
            order: (0..job.len()).collect(),
            axes: (0..job.len()).collect(),
            fold: Fold::Snake,
        };
        let why = folding(&[8, 2, 2]).nodes(&part([3, 1, 1])).unwrap_err();
        assert_eq!(why, "has a side of 8 that needs 4 along x, and there are 3");
        let NodeLink { bandwidth, latency } = cable();
        let ring = Dimension { size: 4, wrap: Wrap::Torus, bandwidth, latency };
        let torus = Topology::Torus(Torus::new(vec![ring; 2], Tie::Plus, cable()).unwrap());
        let nodes = folding(&[4, 4]).nodes(&torus).unwrap();
        assert_eq!(nodes, (0..16).map(NodeId).collect::<Vec<_>>());
        let why = folding(&[4, 2, 2]).nodes(&torus).unwrap_err();
        assert_eq!(why, "has 3 sides; on a machine of 2 dimensions it needs as many");
    }
}
