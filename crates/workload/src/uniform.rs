//! Patterns in which all ranks do the same, seen from where they are.

use weir_topology::coordinates;
use weir_units::{Bytes, Rank};

/// A pattern as displacements on a cyclic grid: in each step every rank sends a message of the same size to the rank
/// displaced by the same vector. So all ranks are equivalent, and what happens to one happens to all.
///
/// Rank = x + X (y + Y z) for the place (x, y, z) of a grid of sizes X, Y, Z; every dimension is closed to a ring.
/// A displacement is never zero in all dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uniform {
    /// Sizes of the grid of ranks, x first; their product is the number of ranks.
    pub grid: Vec<u32>,
    /// Number of steps; each rank sends one message in each.
    pub steps: u64,
    /// Bytes of each message.
    pub bytes: Bytes,
    /// After how many steps a rank awaits all messages that were sent to it in them, before it goes on; `None` where
    /// it never waits.
    pub awaited: Option<u64>,
    pub(crate) moves: Moves,
}

/// Which displacement each step has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Moves {
    /// The same in all steps; each component is taken modulo the size of its dimension.
    Same(Vec<u32>),
    /// All but zero, in the order of the ranks that rank 0 sends to, again and again.
    Spread,
    /// One forward, one back along each dimension with more than one place, again and again.
    Axes,
}

impl Uniform {
    /// After how many steps the displacements repeat; at least 1.
    pub fn period(&self) -> u64 {
        let period = match &self.moves {
            Moves::Same(_) => 1,
            Moves::Spread => self.grid.iter().map(|&size| u64::from(size)).product::<u64>() - 1,
            Moves::Axes => 2 * self.grid.iter().filter(|&&size| size > 1).count() as u64,
        };
        period.max(1)
    }

    /// The displacement of a step, counted from zero: one number per dimension, from 0 to its size - 1.
    pub fn displacement(&self, step: u64) -> Vec<u32> {
        match &self.moves {
            Moves::Same(displacement) => {
                displacement.iter().zip(&self.grid).map(|(&by, &size)| by % size).collect()
            }
            Moves::Spread => {
                let ranks: u64 = self.grid.iter().map(|&size| u64::from(size)).product();
                let place = step % (ranks - 1) + 1;
                coordinates::place_of(
                    u32::try_from(place).expect("a step is less than the ranks"),
                    &self.grid,
                )
            }
            Moves::Axes => {
                let wide: Vec<usize> = (0..self.grid.len()).filter(|&d| self.grid[d] > 1).collect();
                let direction = (step % (2 * wide.len() as u64)) as usize;
                let dimension = wide[direction / 2];
                let mut displacement = vec![0; self.grid.len()];
                let forward = direction.is_multiple_of(2);
                displacement[dimension] = if forward { 1 } else { self.grid[dimension] - 1 };
                displacement
            }
        }
    }

    /// Whom a rank sends to in a step.
    pub fn destination(&self, rank: Rank, step: u64) -> Rank {
        Rank(coordinates::shifted(rank.0, &self.displacement(step), &self.grid))
    }
}

#[cfg(test)]
mod tests;
