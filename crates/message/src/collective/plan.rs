//! An algorithm together with its workspace: what a caller has to put in, and where the result is. A file for each
//! operation.

mod allgather;
mod allreduce;
mod alltoall;
mod barrier;
mod bcast;
mod gather;
mod neighbours;
mod reduce;
mod reduce_scatter;
mod scan;
mod scatter;

use super::Schedule;
use super::arguments::Arguments;
use super::call::Call;
use std::ops::Range;
use std::rc::Rc;

/// A collective ready to be started, for one rank.
pub struct Plan {
    /// Which collective it is.
    pub call: Call,
    /// What it was asked for.
    pub arguments: Arguments,
    /// What the rank does.
    pub schedule: Rc<dyn Schedule>,
    /// Bytes of the workspace.
    pub workspace: usize,
    /// Where the rank's own data go before the start; empty if it has none to give.
    pub input: Range<usize>,
    /// Where the result is at the end; empty if the rank gets none.
    pub result: Range<usize>,
}
