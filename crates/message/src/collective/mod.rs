//! Collectives as schedules of point-to-point messages.
//!
//! An algorithm is, for one rank, a formula of its rounds: which ranges of its workspace it sends to whom,
//! which ranges it receives from whom, and what it computes when all of these are through ([`Schedule`]). [`Plan`] puts an algorithm
//! together with its workspace, and [`crate::Process::start_collective`] carries it out. The file of an operation has its plan and its
//! algorithms, a function each; a new one is a function there and a line in [`choice`]. Where none is named, the tables of [`Preset`] and of
//! the user decide ([`Selection`]).

mod allgather;
mod allreduce;
mod alltoall;
mod arguments;
mod barrier;
mod bcast;
mod between;
mod binomial_tree;
mod blocks;
mod branch;
mod call;
pub mod choice;
mod disjoint_trees;
mod folding;
mod gather;
mod grid;
mod halves;
mod hardware;
mod neighbours;
mod parameters;
mod plan;
mod presets;
mod reduce;
mod reduce_scatter;
mod running;
mod scan;
mod scatter;
mod schedule;
mod segments;
mod selection;
#[cfg(test)]
mod tests;
mod tree;
mod trees;

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
use schedule::doublings;
pub use schedule::{MemoryBlocks, Place, Round, Schedule, Side, Step, Transfer};
pub use selection::{Condition, ElementCount, FromTo, Row, Selection};
