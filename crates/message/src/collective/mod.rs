//! Collectives as schedules of point-to-point messages.
//!
//! An algorithm says, for one rank, what it does in each round: which ranges of its workspace it sends to whom,
//! which ranges it receives from whom, and what it computes when all of these are through ([`Schedule`]). It is a
//! formula, not a list: nothing is stored per round. [`Plan`] puts an algorithm together with its workspace, and
//! [`crate::Process::start_collective`] carries it out. One algorithm, one file, named `operation_algorithm`; a new
//! one is a file here and a line in [`choice`]. Which is taken where none is named, the tables of [`Preset`] and of the user say ([`Selection`]).

mod allgather_bruck;
mod allgather_neighbor_exchange;
mod allgather_recursive_doubling;
mod allgather_ring;
mod allreduce_along_trees;
mod allreduce_bucket_2d;
mod allreduce_rabenseifner;
mod allreduce_recursive_doubling;
mod allreduce_ring;
mod alltoall_bruck;
mod alltoall_linear;
mod alltoall_pairwise;
mod alltoall_scattered;
mod alltoall_simple_spread;
mod arguments;
mod backwards;
mod barrier_dissemination;
mod barrier_double_ring;
mod barrier_linear;
mod barrier_recursive_doubling;
mod bcast_along_trees;
mod bcast_binomial;
mod bcast_flat;
mod bcast_ring_pipeline;
mod bcast_scatter_allgather;
mod bcast_split_binary;
mod bcast_tree;
mod between;
mod binomial_tree;
mod blocks;
mod branch;
mod call;
pub mod choice;
mod disjoint_trees;
mod folding;
mod gather_binomial;
mod gather_flat;
mod gather_linear;
mod gather_linear_sync;
mod grid;
mod halves;
mod hand_over;
mod hardware;
mod neighbours;
mod parameters;
mod plan;
mod presets;
mod reduce_along_trees;
mod reduce_binomial;
mod reduce_flat;
mod reduce_linear;
mod reduce_rabenseifner;
mod reduce_scatter_butterfly;
mod reduce_scatter_pairwise;
mod reduce_scatter_recursive_halving;
mod reduce_scatter_ring;
mod reduce_tree;
mod running;
mod scan_linear;
mod scan_recursive_doubling;
mod scatter_binomial;
mod segments;
mod selection;
mod sequence;
mod tree;

pub use arguments::{Arguments, Between, Commutes, Lengths, Root};
pub use between::Sides;
pub use blocks::Blocks;
pub(crate) use call::unmarked;
pub use call::{Call, Function};
pub use choice::{Choice, Named};
pub use grid::JobGrid;
pub use parameters::{Parameter, Parameters, ParametersOfAll};
pub use plan::Plan;
pub use presets::{Known, Meaning, Name, NameError, Preset};
pub use running::Reduction;
pub(crate) use running::Running;
pub use selection::{Condition, Few, FromTo, Row, Selection};

use std::ops::Range;

/// What one rank does in a collective, round by round.
pub trait Schedule {
    /// How many rounds there are for this rank.
    fn rounds(&self) -> usize;

    /// Adds to `round`, which is empty, what this rank does in round `index`.
    fn round(&self, index: usize, round: &mut Round);

    /// How much memory the library that has the algorithm makes for it at this rank in each call, block by block; `None`: one block, of
    /// what the workspace has beyond the caller's buffers.
    fn blocks(&self) -> Option<MemoryBlocks> {
        None
    }
}

/// Bytes of up to three blocks of memory; those that are not there have none.
pub type MemoryBlocks = [usize; 3];

/// A message of a round: a range of the workspace, to or from a rank of the communicator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Rank in the communicator.
    pub peer: u32,
    /// Bytes of the workspace.
    pub range: Range<usize>,
    /// Of a send the [rail](weir_network::Way::with_rail), if it has one.
    pub rail: Option<u16>,
}

/// The part of a range, of whole elements, that goes around one of so many rings.
fn strand(range: &Range<usize>, extent: usize, (ring, rings): (usize, usize)) -> Range<usize> {
    let elements = range.len().checked_div(extent).unwrap_or(0);
    let share = Blocks::Shares { count: rings, elements, extent }.range(ring);
    range.start + share.start..range.start + share.end
}

/// What is computed at the end of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The range `from` is combined into the bytes at `into`, as the operand that stands on `side`.
    Reduce {
        /// The operand that came.
        from: Range<usize>,
        /// Where the result goes.
        into: usize,
        /// Where the operand that came stands.
        side: Side,
    },
    /// The range `from` is copied to the bytes at `to`.
    Copy {
        /// What is copied.
        from: Range<usize>,
        /// Where to.
        to: usize,
    },
}

/// On which side of the operator an operand stands; matters for operations that do not commute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// It comes from lower ranks.
    Left,
    /// It comes from higher ranks.
    Right,
}

/// One round of one rank. Sends read the workspace as it is when the round begins.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// What is sent.
    pub sends: Vec<Transfer>,
    /// What is received.
    pub receives: Vec<Transfer>,
    /// What is computed then, in this order.
    pub then: Vec<Step>,
}

impl Round {
    fn clear(&mut self) {
        self.sends.clear();
        self.receives.clear();
        self.then.clear();
    }

    fn send(&mut self, peer: usize, range: Range<usize>) {
        self.sends.push(Transfer { peer: peer as u32, range, rail: None });
    }

    fn send_on(&mut self, rail: u16, peer: usize, range: Range<usize>) {
        self.sends.push(Transfer { peer: peer as u32, range, rail: Some(rail) });
    }

    /// What goes around one of so many rings, by the rail of this one if there are several.
    fn send_around(&mut self, (ring, rings): (usize, usize), peer: usize, range: Range<usize>) {
        match rings {
            1 => self.send(peer, range),
            _ => self.send_on(ring as u16, peer, range),
        }
    }

    fn receive(&mut self, peer: usize, range: Range<usize>) {
        self.receives.push(Transfer { peer: peer as u32, range, rail: None });
    }

    fn copy(&mut self, from: Range<usize>, to: usize) {
        if !from.is_empty() && from.start != to {
            self.then.push(Step::Copy { from, to });
        }
    }

    fn reduce(&mut self, from: Range<usize>, into: usize, side: Side) {
        self.then.push(Step::Reduce { from, into, side });
    }
}

/// The place of a rank in a communicator.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The rank.
    pub rank: usize,
    /// How many ranks there are.
    pub size: usize,
}

impl Place {
    /// The rank so many places on, around the end.
    fn after(self, distance: usize) -> usize {
        (self.rank + distance) % self.size
    }

    /// The rank so many places back, around the beginning.
    fn before(self, distance: usize) -> usize {
        (self.rank + self.size - distance % self.size) % self.size
    }

    /// The place counted from `root`.
    fn relative_to(self, root: usize) -> Self {
        Self { rank: (self.rank + self.size - root) % self.size, size: self.size }
    }
}

/// Rounds of an algorithm that doubles a distance until it reaches `size`: the logarithm rounded up.
const fn doublings(size: usize) -> usize {
    size.next_power_of_two().trailing_zeros() as usize
}

#[cfg(test)]
mod tests;
