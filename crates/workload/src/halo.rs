//! Halo: every rank sends to its nearest neighbors on a grid.

use crate::order::{Half, in_round};
use crate::uniform::Moves;
use crate::{Entry, Period, Sequence, Steps, Totals, Uniform, WorkloadError, total};
use weir_topology::coordinates;
use weir_units::{Bytes, Rank};

/// One dimension of a grid of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Number of ranks.
    pub size: u32,
    /// Says whether the last one is a neighbor of the first.
    pub closed: Closed,
}

/// Says whether a dimension of a grid is closed to a ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Closed {
    /// It is: no rank is at a border.
    #[default]
    Periodic,
    /// It is not.
    Open,
}

/// The halo exchange: a message in the order +x, -x, +y, -y, ... to each neighbor. In a dimension of one rank there
/// are no neighbors. In a periodic dimension of two, both neighbors are the same rank, which gets two messages.
#[derive(Clone, Debug)]
pub struct Halo {
    grid: Vec<Side>,
    sizes: Vec<u32>,
    ranks: u32,
    bytes: Bytes,
    exchanges: u64,
    steps: Steps,
}

impl Halo {
    /// Ranks on this grid, x first: rank = x + X (y + Y z). Messages of so many bytes, `exchanges` times; synchronised
    /// means that a rank awaits all messages of an exchange when it has sent its own.
    ///
    /// # Errors
    /// When the grid has another number of places than there are ranks.
    ///
    /// # Panics
    /// When there are 2^32 ranks or more.
    pub fn new(
        ranks: usize,
        grid: Vec<Side>,
        bytes: Bytes,
        exchanges: u64,
        steps: Steps,
    ) -> Result<Self, WorkloadError> {
        let sizes: Vec<u32> = grid.iter().map(|side| side.size).collect();
        let places = sizes.iter().map(|&size| u128::from(size)).fold(1, u128::saturating_mul);
        if places != ranks as u128 {
            return Err(WorkloadError::grid_size(&sizes, ranks));
        }
        Ok(Self { grid, sizes, ranks: Rank::new(ranks).0, bytes, exchanges, steps })
    }

    /// The neighbor in direction 0 (+x), 1 (-x), 2 (+y), ...
    fn neighbor(&self, rank: Rank, place: &[u32], direction: usize) -> Option<Rank> {
        let (dimension, forward) = (direction / 2, direction.is_multiple_of(2));
        let Side { size, closed } = self.grid[dimension];
        let stride: u32 = self.sizes[..dimension].iter().product();
        let at = place[dimension];
        let border = if forward { at == size - 1 } else { at == 0 };
        if size == 1 || (border && closed == Closed::Open) {
            return None;
        }
        let around = stride * (size - 1);
        Some(Rank(match (forward, border) {
            (true, false) => rank.0 + stride,
            (true, true) => rank.0 - around,
            (false, false) => rank.0 - stride,
            (false, true) => rank.0 + around,
        }))
    }
}

impl Sequence for Halo {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        let place = coordinates::place_of(rank.0, &self.sizes);
        let directions = 0..2 * self.grid.len();
        let neighbors = || directions.clone().filter_map(|d| self.neighbor(rank, &place, d));
        let count = neighbors().count() as u64;
        let number = in_round(index, count * self.steps.entries(), self.exchanges)?;
        // What was sent forward comes from behind.
        let (half, number) =
            if number < count { (Half::Send, number) } else { (Half::Await, number - count) };
        Some(match half {
            Half::Send => Entry::send(neighbors().nth(number as usize)?, self.bytes),
            Half::Await => {
                let mut behind = directions.filter_map(|d| self.neighbor(rank, &place, d ^ 1));
                Entry::Await { from: behind.nth(number as usize)? }
            }
        })
    }

    fn period(&self, rank: Rank) -> Option<Period> {
        let place = coordinates::place_of(rank.0, &self.sizes);
        let neighbors = (0..2 * self.grid.len()).filter_map(|d| self.neighbor(rank, &place, d));
        Period::of(neighbors.count() as u64 * self.steps.entries())
    }

    fn ranks(&self) -> usize {
        self.ranks as usize
    }

    fn awaits(&self) -> bool {
        self.steps == Steps::Synchronised
    }
}

impl Totals for Halo {
    /// Per exchange and dimension of size s > 1: two for each of the s or, where it is open, s - 1 pairs of neighbors
    /// on each of the N / s lines.
    fn messages(&self) -> u64 {
        let lines = |side: &Side| u64::from(self.ranks / side.size);
        let pairs = |side: &Side| match side {
            Side { size: 1, .. } => 0,
            Side { size, closed: Closed::Periodic } => u64::from(*size),
            Side { size, closed: Closed::Open } => u64::from(size - 1),
        };
        let each: u64 = self.grid.iter().map(|side| 2 * pairs(side) * lines(side)).sum();
        each.saturating_mul(self.exchanges)
    }

    fn bytes_total(&self) -> Bytes {
        total(self.messages(), self.bytes)
    }

    fn uniform(&self) -> Option<Uniform> {
        let wide = self.grid.iter().filter(|side| side.size > 1).count() as u64;
        let open = self.grid.iter().any(|side| side.size > 1 && side.closed == Closed::Open);
        if wide == 0 || open {
            return None;
        }
        let awaited = self.awaits().then_some(2 * wide);
        let steps = self.exchanges.saturating_mul(2 * wide);
        let grid = self.sizes.clone();
        Some(Uniform { grid, steps, bytes: self.bytes, awaited, moves: Moves::Axes })
    }
}
