//! NICAM: the halo exchange of an icosahedral grid (paper 004, section 5.1).
//!
//! ```text
//!      N0    N1    N2    N3    N4          ten diamonds of L x L regions, L = 2^rlevel; in each of them
//!      /\    /\    /\    /\    /\          i grows to the south-east, j to the north-east
//!     /  \  /  \  /  \  /  \  /  \
//!     \  /\ \  /\ \  /\ \  /\ \  /\            j  /\
//!      \/  \ \/  \ \/  \ \/  \ \/  \             /  \
//!       \  /  \  /  \  /  \  /  \  /             \  /
//!        \/    \/    \/    \/    \/            i  \/
//!        S0    S1    S2    S3    S4
//! ```
//!
//! Every region exchanges with the four regions at its edges. At the poles five diamonds meet, so that some edges lead
//! from one side of a diamond to another side of the next.
//!
//! # Model
//! A node has a block of b x b regions. What these exchange with each other stays in the node and is left out; one rank
//! stands for all of them and sends b messages in each direction, one after the other, as the paper's program does.

use crate::order::in_round;
use crate::{Entry, Period, Sequence, Totals, WorkloadError, total};
use weir_units::{Bytes, Duration, NodeId, Rank};

/// Division of the grid into regions, and their place on nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NicamGrid {
    rlevel: u32,
    /// Regions along the side of a diamond.
    side: u32,
    /// Regions along the side of a node's block.
    block: u32,
}

/// A region or a node of the grid: the diamond, 0 to 4 in the north and 5 to 9 in the south, and where in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NicamPlace {
    /// The diamond.
    pub diamond: u32,
    /// To the south-east.
    pub i: u32,
    /// To the north-east.
    pub j: u32,
}

/// Layout of the nodes of the grid on a torus of three dimensions (paper 004, figure 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NicamFolding {
    /// 5 x 2M x M, as the small model of the paper: two diamonds beside each other.
    Flat,
    /// 40 x M/2 x M/2, as its large model: each diamond folded into four layers.
    Folded,
}

impl NicamGrid {
    /// The largest rlevel: 10 x 4^12 regions.
    pub const MOST_RLEVEL: u32 = 12;
    /// Directions in which a region has a neighbor: +i, -i, +j, -j.
    pub const DIRECTIONS: u32 = 4;

    /// Diamonds of 4^rlevel regions, so many of them (1, 4, 16, ...) on a node.
    ///
    /// # Errors
    /// When the rlevel is larger than [`Self::MOST_RLEVEL`], or the regions of a node are not a square that divides a
    /// diamond.
    pub fn new(rlevel: u32, regions_per_node: u64) -> Result<Self, WorkloadError> {
        if rlevel > Self::MOST_RLEVEL {
            let what = format!("rlevel {rlevel} is too large: it can be at most {}", Self::MOST_RLEVEL);
            return Err(WorkloadError::new(
                "rlevel",
                what,
                "the NICAM pacing paper has rlevel 2 and rlevel 7",
            ));
        }
        let fits = (0..=rlevel).find(|&level| 1_u64 << (2 * level) == regions_per_node);
        let level = fits.ok_or_else(|| {
            let most = 1_u64 << (2 * rlevel);
            let what = format!(
                "{regions_per_node} regions are no square block of a diamond of {most} (rlevel {rlevel}): a node can \
                 have 1, 4, 16, ... up to {most}"
            );
            let hint = "the NICAM pacing paper puts blocks of 2 x 2 on a node: 4";
            WorkloadError::new("processes_per_node", what, hint)
        })?;
        Ok(Self { rlevel, side: 1 << rlevel, block: 1 << level })
    }

    /// Number of times that a diamond is cut into four.
    pub const fn rlevel(self) -> u32 {
        self.rlevel
    }

    /// Regions on a node.
    pub const fn regions_per_node(self) -> u32 {
        self.block * self.block
    }

    /// Numbers of nodes and of ranks: 10 x 4^rlevel over the regions of a node.
    pub const fn nodes(self) -> u32 {
        10 * self.nodes_per_side() * self.nodes_per_side()
    }

    const fn nodes_per_side(self) -> u32 {
        self.side / self.block
    }

    /// The place of a rank. Ranks are numbered as x (M i) + j with the diamonds in the paper's order x, from pole to
    /// pole: N0, S0, N1, S1, ...
    pub fn place(self, rank: Rank) -> NicamPlace {
        place_of(self.nodes_per_side(), rank)
    }

    fn rank(self, place: NicamPlace) -> Rank {
        let side = self.nodes_per_side();
        Rank((zigzag(place.diamond) * side + place.i) * side + place.j)
    }

    /// The rank at the edge of a rank's node in direction 0 (+i), 1 (-i), 2 (+j) or 3 (-j).
    ///
    /// # Panics
    /// When there is no such direction.
    pub fn neighbor(self, rank: Rank, direction: u32) -> Rank {
        self.rank(neighbor(self.nodes_per_side(), self.place(rank), direction))
    }
}

impl NicamFolding {
    /// All foldings.
    pub const ALL: [Self; 2] = [Self::Flat, Self::Folded];

    /// The torus for diamonds of so many nodes along a side; `None` where they cannot be folded so.
    pub fn shape(self, side: u32) -> Option<[u32; 3]> {
        match self {
            Self::Flat => Some([5, 2 * side, side]),
            Self::Folded => side.is_multiple_of(2).then_some([40, side / 2, side / 2]),
        }
    }

    /// The folding that puts so many ranks on a torus of these sizes, each on a node of its own; `None` if none does.
    pub fn of(ranks: usize, sizes: &[u32]) -> Option<Self> {
        let side = Self::side(ranks)?;
        Self::ALL.into_iter().find(|folding| folding.shape(side).is_some_and(|shape| shape == *sizes))
    }

    /// Nodes along the side of a diamond for so many ranks; `None` if they do not make ten diamonds.
    pub fn side(ranks: usize) -> Option<u32> {
        let ranks = u32::try_from(ranks).ok()?;
        let side = (ranks / 10).isqrt();
        (ranks > 0 && side.checked_mul(side)?.checked_mul(10)? == ranks).then_some(side)
    }

    /// The node of each rank: x + X (y + Y z).
    ///
    /// # Panics
    /// When there is no such number of ranks, see [`Self::of`].
    pub fn nodes(self, ranks: usize) -> Vec<NodeId> {
        let side = Self::side(ranks).expect("whoever folds has looked whether that is possible");
        let [x, y, _] = self.shape(side).expect("whoever folds has looked whether that is possible");
        let node = |rank| {
            let place = self.coordinates(side, place_of(side, Rank::new(rank)));
            NodeId(place[0] + x * (place[1] + y * place[2]))
        };
        (0..ranks).map(node).collect()
    }

    fn coordinates(self, side: u32, NicamPlace { diamond, i, j }: NicamPlace) -> [u32; 3] {
        let x = zigzag(diamond);
        let half = side / 2;
        match self {
            Self::Flat => [x / 2, i + side * (x % 2), j],
            Self::Folded => {
                let layer = u32::from(i >= half) + 2 * u32::from(j >= half);
                [4 * x + layer, j % half, if i < half { i } else { side - 1 - i }]
            }
        }
    }
}

/// The paper's x of a diamond: N0, S0, N1, S1, ...
const fn zigzag(diamond: u32) -> u32 {
    if diamond < 5 { 2 * diamond } else { 2 * (diamond - 5) + 1 }
}

fn place_of(side: u32, rank: Rank) -> NicamPlace {
    let (x, i, j) = (rank.0 / side / side, rank.0 / side % side, rank.0 % side);
    NicamPlace { diamond: x / 2 + if x.is_multiple_of(2) { 0 } else { 5 }, i, j }
}

/// The place beyond an edge, for diamonds of so many places along a side.
fn neighbor(side: u32, place: NicamPlace, direction: u32) -> NicamPlace {
    let last = side - 1;
    let NicamPlace { diamond, i, j } = place;
    let (north, k) = (diamond < 5, diamond % 5);
    let (before, behind) = ((k + 4) % 5, (k + 1) % 5);
    let at = |diamond, i, j| NicamPlace { diamond, i, j };
    match (direction, north) {
        (0, _) if i < last => at(diamond, i + 1, j),
        (0, true) => at(5 + k, 0, j),
        (0, false) => at(5 + behind, last - j, 0),
        (1, _) if i > 0 => at(diamond, i - 1, j),
        (1, true) => at(before, last - j, last),
        (1, false) => at(k, last, j),
        (2, _) if j < last => at(diamond, i, j + 1),
        (2, true) => at(behind, 0, last - i),
        (2, false) => at(behind, i, 0),
        (3, _) if j > 0 => at(diamond, i, j - 1),
        (3, true) => at(5 + before, i, last),
        (3, false) => at(5 + before, last, last - i),
        _ => panic!("a region has four neighbors"),
    }
}

/// The exchange: a rank hands over b messages for each direction, in turn, and then awaits as many of each neighbor.
#[derive(Clone, Debug)]
pub struct Nicam {
    grid: NicamGrid,
    bytes: Bytes,
    exchanges: u64,
}

impl Nicam {
    /// Messages of so many bytes, `exchanges` times.
    pub fn new(grid: NicamGrid, bytes: Bytes, exchanges: u64) -> Self {
        Self { grid, bytes, exchanges }
    }
}

impl Sequence for Nicam {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        let messages = u64::from(NicamGrid::DIRECTIONS * self.grid.block);
        let number = in_round(index, 2 * messages, self.exchanges)?;
        let peer = self.grid.neighbor(rank, (number % u64::from(NicamGrid::DIRECTIONS)) as u32);
        Some(if number < messages {
            Entry::Post { to: peer, bytes: self.bytes, wait: Duration::ZERO }
        } else {
            Entry::Await { from: peer }
        })
    }

    fn period(&self, _rank: Rank) -> Option<Period> {
        Period::of(2 * u64::from(NicamGrid::DIRECTIONS * self.grid.block))
    }

    fn ranks(&self) -> usize {
        self.grid.nodes() as usize
    }
}

impl Totals for Nicam {
    fn messages(&self) -> u64 {
        let each = u64::from(self.grid.nodes()) * u64::from(NicamGrid::DIRECTIONS * self.grid.block);
        each.saturating_mul(self.exchanges)
    }

    fn bytes_total(&self) -> Bytes {
        total(self.messages(), self.bytes)
    }
}

#[cfg(test)]
mod tests;
