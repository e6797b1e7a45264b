//! An algorithm together with its workspace: where a caller puts its data, and where the result is. The file of each operation has its
//! plans and its algorithms.

use super::arguments::Arguments;
use super::call::{Call, Function};
use super::{MemoryBlocks, Round, Schedule};
use std::ops::Range;

/// A collective ready to be started, for one rank.
pub struct Plan {
    /// The collective, and its root.
    pub call: Call,
    /// Arguments from which it can be planned anew.
    pub arguments: Arguments,
    /// The rank's part.
    pub schedule: Schedule,
    /// Bytes of the workspace.
    pub workspace: usize,
    /// Place of the rank's own data before the start; empty if it has none to give.
    pub input: Range<usize>,
    /// Place of the result at the end; empty if the rank gets none.
    pub result: Range<usize>,
}

impl Plan {
    /// A rank that gives so many bytes, and gets none.
    pub(super) fn giving(call: Call, arguments: Arguments, schedule: Schedule, bytes: usize) -> Self {
        Self { call, arguments, schedule, workspace: bytes, input: 0..bytes, result: 0..0 }
    }

    /// A rank that gets so many bytes, and gives none.
    pub(super) fn getting(call: Call, arguments: Arguments, schedule: Schedule, bytes: usize) -> Self {
        Self { call, arguments, schedule, workspace: bytes, input: 0..0, result: 0..bytes }
    }

    /// A rank that gives so many bytes, and gets so many, which lie behind them.
    pub(super) fn exchanging(
        call: Call,
        arguments: Arguments,
        schedule: Schedule,
        (given, got): (usize, usize),
    ) -> Self {
        let (input, result) = (0..given, given..given + got);
        Self { call, arguments, schedule, workspace: given + got, input, result }
    }

    /// The plan of another call whose messages and data go the other way.
    pub(super) fn backwards(self, call: Call) -> Self {
        let Self { schedule, input: result, result: input, .. } = self;
        Self { call, schedule: schedule.backwards(), input, result, ..self }
    }

    /// Bytes of its own data that the rank copies before it begins, from the caller's buffer to where it combines or collects:
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

    /// Memory that the library makes at this rank in each call, beside the caller's buffers, block by block: that of the
    /// [algorithm](Schedule::memory), or one block in which it combines where it has no result, and of room for what comes. One that only
    /// sends needs none. Temporary memory in which a library turns what an algorithm of weir turns in place (the all-gather of
    /// Bruck) is not in it.
    #[must_use]
    pub fn temporaries(&self) -> MemoryBlocks {
        if let Some(blocks) = self.schedule.memory() {
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
