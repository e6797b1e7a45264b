//! Collectives as schedules of point-to-point messages.
//!
//! An algorithm is, for one rank, a formula of its rounds: which ranges of its workspace it sends to whom,
//! which ranges it receives from whom, and what it computes when all of these are through ([`Schedule`]). [`Plan`] puts an algorithm
//! together with its workspace, and a process of the crate `message` carries it out. The file of an operation has its plan and its
//! algorithms, a function each; a new one is a function there and a line in [`choice`]. Where none is named, the tables of [`Preset`] and of
//! the user decide ([`Selection`]).

mod allgather;
mod allreduce;
mod alltoall;
mod barrier;
mod bcast;
mod between;
pub mod choice;
mod folding;
mod gather;
mod plan;
mod planned;
mod presets;
mod reduce;
mod reduce_scatter;
mod schedule;
mod selection;
mod tree;
mod trees;

pub use barrier::JobGrid;
pub use between::Sides;
pub use choice::{Choice, Named, Parameter, Parameters, ParametersOfAll};
pub use plan::{Call, Neighbors, Plan, unmarked};
pub use presets::{Meaning, Name, NameError, NamedRows, Preset};
use schedule::doublings;
pub use schedule::{Blocks, MemoryBlocks, Place, Round, Schedule, Side, Step, Transfer};
pub use selection::{Condition, ElementCount, FromTo, Row, Selection};
pub use weir_operations::{Function, OperandOrder};
