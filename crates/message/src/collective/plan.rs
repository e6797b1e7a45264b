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
mod trees;

use super::arguments::Arguments;
use super::call::Call;
use super::call::Function;
use super::{MemoryBlocks, Round, Schedule};
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

impl Plan {
    /// How many bytes of its own data the rank copies before it begins, from the caller's buffer to where it combines or collects:
    /// its vector, or its block in an all-gather; in a reduction or a gather only if others hand theirs to it. `MPI_IN_PLACE` would spare
    /// it, which is not known here.
    #[must_use]
    pub fn own_copy(&self) -> usize {
        let copies = match self.call.function() {
            // In the first tree in which a rank has something to do it may be a leaf, and combine in others.
            Function::Reduce => self.receives_first() || self.combines(),
            Function::Gather => self.receives_first(),
            Function::Allreduce
            | Function::ReduceScatter
            | Function::Scan
            | Function::Exscan
            | Function::Allgather => true,
            _ => false,
        };
        if copies { self.input.len() } else { 0 }
    }

    /// How much memory the library makes at this rank in each call, beside the caller's buffers, block by block: as the algorithm
    /// [says](Schedule::blocks), or one block of what it combines in where it has no result, and of room for what comes. One that only
    /// sends needs none. What an algorithm of weir does in place though a library turns it in temporary memory (the all-gather of
    /// Bruck) is not in it.
    #[must_use]
    pub fn temporaries(&self) -> MemoryBlocks {
        if let Some(blocks) = self.schedule.blocks() {
            return blocks;
        }
        let of_caller = match self.call.function() {
            Function::Reduce
            | Function::Allreduce
            | Function::ReduceScatter
            | Function::Scan
            | Function::Exscan => self.result.len(),
            _ => self.input.len() + self.result.len(),
        };
        let needed = self.workspace.saturating_sub(of_caller);
        let is_needed = needed > 0 && (0..self.schedule.rounds()).any(|round| self.receives(round));
        [if is_needed { needed } else { 0 }, 0, 0]
    }

    /// Whether the first that the rank does is to receive.
    fn receives_first(&self) -> bool {
        self.schedule.rounds() > 0 && self.receives(0)
    }

    fn receives(&self, index: usize) -> bool {
        !self.round(index).receives.is_empty()
    }

    fn combines(&self) -> bool {
        (0..self.schedule.rounds()).any(|index| !self.round(index).then.is_empty())
    }

    fn round(&self, index: usize) -> Round {
        let mut round = Round::default();
        self.schedule.round(index, &mut round);
        round
    }
}
