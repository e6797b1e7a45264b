//! Quantities of which the numbers of a program are made: of how many ranks there are, of the rank, and of how often loops have repeated.

use crate::fold::{DEEPEST, Index};
use std::fmt;
use weir_message::dimensions::balance;

/// The sizes of grids of so many ranks, and other quantities that hang on nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) ranks: i64,
    /// Sides of a grid of two dimensions, as `MPI_Dims_create` has them: the longer first.
    two: [i64; 2],
    /// The same of three.
    three: [i64; 3],
}

impl Size {
    pub(crate) fn of(ranks: u32) -> Self {
        Self { ranks: ranks.into(), two: grid(ranks), three: grid(ranks) }
    }

    /// The sides of a grid, from the dimension that changes slowest; sides of one where it has fewer.
    pub(crate) fn sides(&self, grid: Grid) -> [i64; 3] {
        let ([long, short], [a, b, c]) = (self.two, self.three);
        match grid {
            Grid::Two => [1, long, short],
            Grid::TwoReversed => [1, short, long],
            Grid::Three => [a, b, c],
            Grid::ThreeReversed => [c, b, a],
        }
    }
}

/// The sides of a grid of so many ranks, the longer first.
fn grid<const DIMENSIONS: usize>(ranks: u32) -> [i64; DIMENSIONS] {
    let mut sides = [0; DIMENSIONS];
    let ranks = i32::try_from(ranks).expect("a profile has fewer than 2^31 ranks");
    balance(ranks, &mut sides).expect("any number of ranks has a grid of sides that are free");
    sides.map(i64::from)
}

/// Grids of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grid {
    /// A grid of two dimensions, the longer one first.
    Two,
    /// The longer one last.
    TwoReversed,
    /// A grid of three, the longest one first.
    Three,
    /// The longest one last.
    ThreeReversed,
}

impl Grid {
    pub(crate) const ALL: [Self; 4] = [Self::Two, Self::TwoReversed, Self::Three, Self::ThreeReversed];

    /// The first of its three dimensions that it has.
    pub(crate) const fn first(self) -> usize {
        matches!(self, Self::Two | Self::TwoReversed) as usize
    }

    /// Its cost, from 0: the more far-fetched, the higher.
    pub(crate) const fn cost(self) -> usize {
        matches!(self, Self::Three | Self::ThreeReversed) as usize
    }

    pub(crate) fn at(self, size: &Size, rank: i64) -> [i64; 3] {
        let [_, b, c] = size.sides(self);
        [rank / (b * c), rank / c % b, rank % c]
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Two => "grid of 2 dimensions",
            Self::TwoReversed => "grid of 2 dimensions, the longer last",
            Self::Three => "grid of 3 dimensions",
            Self::ThreeReversed => "grid of 3 dimensions, the longest last",
        })
    }
}

/// Where a number stands: the rank, in its communicator and in the world, and how often the loops around have repeated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) local: i64,
    pub(crate) size: &'a Size,
    pub(crate) rank: i64,
    pub(crate) world: &'a Size,
    pub(crate) index: Index,
}

/// A quantity. Those of the rank and of the number of ranks are meant in the communicator, unless they are of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    Ranks,
    Log2,
    Log2Up,
    Half,
    Power2,
    Root,
    CubeRoot,
    Side(Grid, usize),
    Area(Grid, usize),
    Square,
    Rank,
    Coordinate(Grid, usize),
    Children,
    LowBit,
    HighBit,
    HighBitPlace,
    HalfRank,
    HalfBelow,
    /// Ranks behind it.
    Behind,
    Pairs,
    Index(usize),
    PowerOfIndex(usize),
    HalvedByIndex(usize),
    ReachHalvedByIndex(usize),
    BlockOfIndex(usize),
    Skipping(usize),
    OfWorld(Base),
}

/// Quantities of the world, for communicators that are not the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Ranks,
    Rank,
    Log2,
}

/// The thing that a quantity hangs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HangsOn {
    Ranks,
    Rank,
    Index,
}

fn log2(number: i64) -> i64 {
    i64::from(number.max(1).ilog2())
}

fn log2_up(number: i64) -> i64 {
    log2(number.max(1) * 2 - 1)
}

/// The lowest bit of a rank; of rank 0 the lowest power of two that no rank has.
fn low_bit(rank: i64, ranks: i64) -> i64 {
    if rank == 0 { 1 << log2_up(ranks) } else { rank & -rank }
}

/// The lowest power of two by which a rank has no child in a binomial tree: its children are at the powers below.
fn reach(rank: i64, ranks: i64) -> i64 {
    1 << log2_up(low_bit(rank, ranks).min(ranks - rank))
}

fn root(number: i64, power: u32) -> i64 {
    (1..).take_while(|root: &i64| root.pow(power) <= number).last().unwrap_or(0)
}

fn shifted(number: i64, by: u32) -> i64 {
    if by < 62 { number >> by } else { 0 }
}

impl Quantity {
    /// All that can be, where a number stands in so many loops.
    pub(crate) fn all(depth: usize, is_of_world: bool) -> Vec<Self> {
        let mut all = vec![
            Self::Ranks,
            Self::Log2,
            Self::Log2Up,
            Self::Half,
            Self::Power2,
            Self::Root,
            Self::CubeRoot,
            Self::Square,
            Self::Rank,
            Self::Children,
            Self::LowBit,
            Self::HighBit,
            Self::HighBitPlace,
            Self::HalfRank,
            Self::HalfBelow,
            Self::Behind,
            Self::Pairs,
        ];
        for grid in Grid::ALL {
            for dimension in grid.first()..3 {
                all.push(Self::Side(grid, dimension));
                all.push(Self::Coordinate(grid, dimension));
                if grid.first() == 0 {
                    all.push(Self::Area(grid, dimension));
                }
            }
        }
        for level in 0..depth.min(DEEPEST) {
            all.extend([
                Self::Index(level),
                Self::PowerOfIndex(level),
                Self::HalvedByIndex(level),
                Self::ReachHalvedByIndex(level),
                Self::BlockOfIndex(level),
                Self::Skipping(level),
            ]);
        }
        if !is_of_world {
            all.extend([Base::Ranks, Base::Rank, Base::Log2].map(Self::OfWorld));
        }
        all
    }

    pub(crate) fn hangs_on(self) -> HangsOn {
        match self {
            Self::Ranks
            | Self::Log2
            | Self::Log2Up
            | Self::Half
            | Self::Power2
            | Self::Root
            | Self::CubeRoot
            | Self::Square
            | Self::Side(..)
            | Self::Area(..)
            | Self::OfWorld(Base::Ranks | Base::Log2) => HangsOn::Ranks,
            Self::Rank
            | Self::Coordinate(..)
            | Self::Children
            | Self::LowBit
            | Self::HighBit
            | Self::HighBitPlace
            | Self::HalfRank
            | Self::HalfBelow
            | Self::Behind
            | Self::Pairs
            | Self::OfWorld(Base::Rank) => HangsOn::Rank,
            _ => HangsOn::Index,
        }
    }

    /// Returns whether it stands in sums of two quantities.
    pub(crate) fn is_summand(self) -> bool {
        matches!(
            self,
            Self::Ranks | Self::Log2 | Self::Half | Self::Rank | Self::Index(_) | Self::PowerOfIndex(_)
        )
    }

    /// Data are rarely divided by a logarithm.
    pub(crate) fn is_logarithm(self) -> u32 {
        2 * u32::from(matches!(self, Self::Log2 | Self::Log2Up))
    }

    /// Its cost, from 1: the more far-fetched, the higher.
    pub(crate) fn cost(self) -> u32 {
        match self {
            Self::Ranks | Self::Rank | Self::Index(_) => 1,
            Self::Log2 | Self::PowerOfIndex(_) | Self::Half | Self::Skipping(_) => 2,
            Self::Side(Grid::Two, _) | Self::Coordinate(Grid::Two, _) | Self::HalfRank | Self::Behind => 2,
            Self::OfWorld(_) | Self::Side(..) | Self::Coordinate(..) | Self::HalvedByIndex(_) => 3,
            Self::Log2Up | Self::Root | Self::LowBit | Self::Children => 3,
            Self::Area(..) => 5,
            _ => 4,
        }
    }

    pub(crate) fn value(self, place: &Place<'_>) -> i64 {
        let Place { local, size, rank, world, index } = *place;
        let ranks = size.ranks;
        match self {
            Self::Ranks => ranks,
            Self::Log2 => log2(ranks),
            Self::Log2Up => log2_up(ranks),
            Self::Half => ranks / 2,
            Self::Power2 => 1 << log2(ranks),
            Self::Root => root(ranks, 2),
            Self::CubeRoot => root(ranks, 3),
            Self::Square => ranks * ranks,
            Self::Side(grid, dimension) => size.sides(grid)[dimension],
            Self::Area(grid, dimension) => {
                let sides = size.sides(grid);
                sides.iter().product::<i64>() / sides[dimension]
            }
            Self::Rank => local,
            Self::Coordinate(grid, dimension) => grid.at(size, local)[dimension],
            Self::Children => log2(reach(local, ranks)),
            Self::LowBit => low_bit(local, ranks),
            Self::HighBit => {
                if local == 0 {
                    0
                } else {
                    1 << log2(local)
                }
            }
            Self::HighBitPlace => {
                if local == 0 {
                    0
                } else {
                    1 + log2(local)
                }
            }
            Self::HalfRank => local / 2,
            Self::HalfBelow => (local - 1).max(0) / 2,
            Self::Behind => ranks - 1 - local,
            Self::Pairs => local / 2 * 2,
            Self::Index(level) => index[level].into(),
            Self::PowerOfIndex(level) => {
                if index[level] < 62 {
                    1 << index[level]
                } else {
                    i64::MAX >> 2
                }
            }
            Self::HalvedByIndex(level) => shifted(ranks / 2, index[level]),
            Self::ReachHalvedByIndex(level) => shifted(reach(local, ranks) / 2, index[level]),
            Self::BlockOfIndex(level) => {
                let power = Self::PowerOfIndex(level).value(place);
                power.min(ranks - power)
            }
            Self::Skipping(level) => i64::from(index[level]) + i64::from(i64::from(index[level]) >= local),
            Self::OfWorld(Base::Ranks) => world.ranks,
            Self::OfWorld(Base::Rank) => rank,
            Self::OfWorld(Base::Log2) => log2(world.ranks),
        }
    }
}

/// The letter of the count of a loop.
fn letter(level: usize) -> char {
    char::from(b'i' + level as u8)
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Ranks => f.write_str("P"),
            Self::Log2 => f.write_str("log2(P)"),
            Self::Log2Up => f.write_str("log2(P) rounded up"),
            Self::Half => f.write_str("P/2"),
            Self::Power2 => f.write_str("2^log2(P)"),
            Self::Root => f.write_str("sqrt(P)"),
            Self::CubeRoot => f.write_str("cbrt(P)"),
            Self::Square => f.write_str("P^2"),
            Self::Side(grid, dimension) => write!(f, "side {} of a {grid}", dimension - grid.first()),
            Self::Area(grid, dimension) => write!(f, "area across side {dimension} of a {grid}"),
            Self::Rank => f.write_str("rank"),
            Self::Coordinate(grid, dimension) => {
                write!(f, "coordinate {} in a {grid}", dimension - grid.first())
            }
            Self::Children => f.write_str("children in a binomial tree"),
            Self::LowBit => f.write_str("lowest bit of rank"),
            Self::HighBit => f.write_str("highest bit of rank"),
            Self::HighBitPlace => f.write_str("bits of rank"),
            Self::HalfRank => f.write_str("rank/2"),
            Self::HalfBelow => f.write_str("(rank-1)/2"),
            Self::Behind => f.write_str("P-1-rank"),
            Self::Pairs => f.write_str("rank/2*2"),
            Self::Index(level) => write!(f, "{}", letter(level)),
            Self::PowerOfIndex(level) => write!(f, "2^{}", letter(level)),
            Self::HalvedByIndex(level) => write!(f, "P/2^({}+1)", letter(level)),
            Self::ReachHalvedByIndex(level) => {
                write!(f, "step to child {} in a binomial tree", letter(level))
            }
            Self::BlockOfIndex(level) => write!(f, "min(2^{0}, P-2^{0})", letter(level)),
            Self::Skipping(level) => write!(f, "{} without rank", letter(level)),
            Self::OfWorld(Base::Ranks) => f.write_str("P of the world"),
            Self::OfWorld(Base::Rank) => f.write_str("rank in the world"),
            Self::OfWorld(Base::Log2) => f.write_str("log2(P of the world)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_as_square_as_they_can_be() {
        let sides = |ranks| (Size::of(ranks).two, Size::of(ranks).three);
        assert_eq!(sides(12), ([4, 3], [3, 2, 2]));
        assert_eq!(sides(64), ([8, 8], [4, 4, 4]));
        assert_eq!(sides(7), ([7, 1], [7, 1, 1]));
        assert_eq!(Grid::Three.at(&Size::of(12), 7), [1, 1, 1]);
        assert_eq!((log2_up(8), log2_up(9), log2(9), root(26, 3)), (3, 4, 3, 2));
    }
}
