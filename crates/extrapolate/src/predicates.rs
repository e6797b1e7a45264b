//! Predicates of ranks, by which ranks that do different things are divided.

use crate::quantities::{Grid, Size};
use std::fmt;

/// A predicate of a rank of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Predicate {
    First,
    Last,
    Odd,
    Second,
    InFirstHalf,
    LastOfFirstHalf,
    /// The ranks beyond the largest power of two, and as many from the front: pairs that become one.
    InPair,
    BeyondPower2,
    BelowRest,
    IsPower2,
    AtFront(Grid, usize),
    AtBack(Grid, usize),
    OddIn(Grid, usize),
    OnDiagonal,
    /// The number of ranks is a power of two.
    RanksArePower2,
    /// The number of ranks is odd.
    RanksAreOdd,
}

impl Predicate {
    /// All of them, the simplest first.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = vec![Self::First, Self::Last, Self::Odd, Self::InFirstHalf];
        let of_grid = |grid: Grid| (grid.first()..3).map(move |dimension| (grid, dimension));
        for (grid, dimension) in Grid::ALL.into_iter().flat_map(of_grid) {
            all.extend([Self::AtFront(grid, dimension), Self::AtBack(grid, dimension)]);
        }
        all.extend([Self::RanksArePower2, Self::InPair, Self::BelowRest, Self::BeyondPower2]);
        for (grid, dimension) in Grid::ALL.into_iter().flat_map(of_grid) {
            all.push(Self::OddIn(grid, dimension));
        }
        all.extend([
            Self::LastOfFirstHalf,
            Self::Second,
            Self::IsPower2,
            Self::OnDiagonal,
            Self::RanksAreOdd,
        ]);
        all
    }

    /// Returns whether it is the same for all ranks.
    pub(crate) fn is_of_size(self) -> bool {
        matches!(self, Self::RanksArePower2 | Self::RanksAreOdd)
    }

    /// Its cost, from 2: the more far-fetched, the higher.
    pub(crate) fn cost(self) -> usize {
        match self {
            Self::AtFront(grid, _) | Self::AtBack(grid, _) | Self::OddIn(grid, _) => 3 + grid.cost(),
            Self::IsPower2 | Self::OnDiagonal => 4,
            _ => 2,
        }
    }

    pub(crate) fn holds(self, size: &Size, rank: u32) -> bool {
        let (ranks, rank) = (size.ranks, i64::from(rank));
        let power = 1_i64 << ranks.max(1).ilog2();
        match self {
            Self::First => rank == 0,
            Self::Last => rank == ranks - 1,
            Self::Odd => rank % 2 == 1,
            Self::Second => rank == 1,
            Self::InFirstHalf => rank < ranks / 2,
            Self::LastOfFirstHalf => rank == ranks / 2 - 1,
            Self::InPair => rank < 2 * (ranks - power),
            Self::BeyondPower2 => rank >= power,
            Self::BelowRest => rank < ranks - power,
            Self::IsPower2 => rank > 0 && rank & (rank - 1) == 0,
            Self::AtFront(grid, dimension) => grid.at(size, rank)[dimension] == 0,
            Self::AtBack(grid, dimension) => {
                grid.at(size, rank)[dimension] == size.sides(grid)[dimension] - 1
            }
            Self::OddIn(grid, dimension) => grid.at(size, rank)[dimension] % 2 == 1,
            Self::OnDiagonal => {
                let [_, x, y] = Grid::Two.at(size, rank);
                x == y
            }
            Self::RanksArePower2 => ranks == power,
            Self::RanksAreOdd => ranks % 2 == 1,
        }
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::First => f.write_str("rank = 0"),
            Self::Last => f.write_str("rank = P-1"),
            Self::Odd => f.write_str("rank is odd"),
            Self::Second => f.write_str("rank = 1"),
            Self::InFirstHalf => f.write_str("rank < P/2"),
            Self::LastOfFirstHalf => f.write_str("rank = P/2-1"),
            Self::InPair => f.write_str("rank < 2*(P-2^log2(P))"),
            Self::BeyondPower2 => f.write_str("rank >= 2^log2(P)"),
            Self::BelowRest => f.write_str("rank < P-2^log2(P)"),
            Self::IsPower2 => f.write_str("rank is a power of two"),
            Self::AtFront(grid, dimension) => {
                write!(f, "coordinate {} = 0 in a {grid}", dimension - grid.first())
            }
            Self::AtBack(grid, dimension) => {
                write!(f, "coordinate {} is the last in a {grid}", dimension - grid.first())
            }
            Self::OddIn(grid, dimension) => {
                write!(f, "coordinate {} is odd in a {grid}", dimension - grid.first())
            }
            Self::OnDiagonal => write!(f, "on the diagonal of a {}", Grid::Two),
            Self::RanksArePower2 => f.write_str("P is a power of two"),
            Self::RanksAreOdd => f.write_str("P is odd"),
        }
    }
}
