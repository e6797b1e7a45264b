//! Operations of the ranks of programs: one type, [`Operation`], for all that make, carry out, watch, write or read them.
//!
//! ```text
//!   MPI calls    make operations                    capi -> message
//!   observers    get them, with times               message::Observer: profiles, tables of calls, checks of skeletons
//!   files        hold lists of them                 formats: text and Parquet
//!   replays      carry them out                     replay -> message
//! ```
//! Each kind of operation has one word ([`Operation::name`]) and its fields stand in one list ([`Operation::fields`]), which
//! whoever writes or reads operations walks along. The crate knows no process, no file and no engine.

mod asking;
mod choices;
mod collective;
mod combining;
mod fields;
mod kinds;
mod operation;
mod task;
mod window;

pub use asking::{PollFirst, ReceiveSource, Wildcards};
pub use choices::{Choices, Copying, Gap, Protocol};
pub use collective::{Collective, Function, LengthCells, Lengths, NeighborBlocks, OperandOrder, Root};
pub use combining::{Combining, ElementName, Kind, OperationName, Predefined};
pub use fields::{Fallible, Fields, Place};
pub use operation::{ALONE, Direction, Mode, Operation, RequestId, Requests, Step, WORLD};
pub use task::{Requires, Task, Tasks};
pub use window::{Access, AfterFence, Asks, Conflicts, Lock, Over, Side, WindowOperation};
