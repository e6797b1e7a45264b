//! An algorithm together with its workspace: where a caller puts its data, and where the result is. The file of each operation has its
//! plans and its algorithms. With it is the call from which it can be planned anew, and the mark of its messages.

use super::{Blocks, MemoryBlocks, Round, Schedule};
use std::fmt;
use std::ops::Range;
use weir_operations::{Collective, Function, Lengths, OperandOrder, Root};

/// A collective ready to be started, for one rank.
pub struct Plan {
    /// The collective, and its root.
    pub call: Call,
    /// The call, from which it can be planned anew ([`Plan::of`]), as far as it is known here: without what is combined.
    pub collective: Collective,
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
    pub(super) fn giving(call: Call, collective: Collective, schedule: Schedule, bytes: usize) -> Self {
        Self { call, collective, schedule, workspace: bytes, input: 0..bytes, result: 0..0 }
    }

    /// A rank that gets so many bytes, and gives none.
    pub(super) fn getting(call: Call, collective: Collective, schedule: Schedule, bytes: usize) -> Self {
        Self { call, collective, schedule, workspace: bytes, input: 0..0, result: 0..bytes }
    }

    /// A rank that gives so many bytes, and gets so many, which lie behind them.
    pub(super) fn exchanging(
        call: Call,
        collective: Collective,
        schedule: Schedule,
        (given, got): (usize, usize),
    ) -> Self {
        let (input, result) = (0..given, given..given + got);
        Self { call, collective, schedule, workspace: given + got, input, result }
    }

    /// The plan of another call whose messages and data go the other way.
    pub(super) fn backwards(self, call: Call) -> Self {
        let Self { schedule, input: result, result: input, .. } = self;
        Self { call, schedule: schedule.backwards(), input, result, ..self }
    }

    /// Bytes of its own data that the rank copies before it begins, from the caller's buffer to where it combines or collects:
    /// its vector, or its block in an all-gather; in a reduction or a gather only if others hand theirs to it. `MPI_IN_PLACE` would spare
    /// it, which is not known here.
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

/// A call with these lengths, without a root.
pub(super) fn asked(function: Function, lengths: Lengths) -> Collective {
    Collective::new(function, Root::None, lengths)
}

/// A call with these lengths and a root.
pub(super) fn rooted(function: Function, root: usize, lengths: Lengths) -> Collective {
    Collective::new(function, Root::Rank(root as u32), lengths)
}

/// Elements that are combined, of `extent` bytes each.
pub(super) fn of_elements(elements: usize, extent: usize, operands: OperandOrder) -> Lengths {
    Lengths::Elements { bytes: (elements * extent) as u64, element: element(extent), operands }
}

/// Blocks of such elements.
pub(super) fn of_combined(blocks: &Blocks, extent: usize, operands: OperandOrder) -> Lengths {
    Lengths::Combined { blocks: blocks.listed(), element: element(extent), operands }
}

/// Bytes of an element. Larger ones than a file can hold are refused where one is written.
fn element(extent: usize) -> u32 {
    u32::try_from(extent).unwrap_or(u32::MAX)
}

/// The neighbors of one rank in the order of the blocks of neighborhood collectives (MPI 5.0, section 8.6); a
/// negative number (`MPI_PROC_NULL`) stands for a block that is not sent or received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbors {
    /// From whom blocks come.
    pub sources: Vec<i32>,
    /// To whom blocks go.
    pub destinations: Vec<i32>,
    /// In which order blocks of one source are to be received, so that they fit the order in which it sends them.
    pub arrival: Vec<usize>,
}

/// A collective as a rank calls it: the function, and its root. It is a mark in the context of its messages, so that ranks that call
/// different collectives at the same place find out, and no message is taken for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    function: Function,
    /// The root's number, as far as [`ROOT_BITS`] go; 0 if there is none.
    root: u16,
    /// Returns whether the interfaces carry it out.
    by_interfaces: bool,
}

const ROOT_BITS: u32 = 11;

/// Bits of a context that mark the collective. The lowest is set, which distinguishes it from those of the program's messages.
const MARK: u64 = 0xffff;

/// The collectives that must meet their like, in the order of their numbers, and calls of them in words.
const FUNCTIONS: [(Function, &str); 12] = [
    (Function::Barrier, "MPI_Barrier"),
    (Function::Bcast, "MPI_Bcast from root {root}"),
    (Function::Reduce, "MPI_Reduce to root {root}"),
    (Function::Allreduce, "MPI_Allreduce"),
    (Function::Gather, "MPI_Gather or MPI_Gatherv to root {root}"),
    (Function::Scatter, "MPI_Scatter or MPI_Scatterv from root {root}"),
    (Function::Allgather, "MPI_Allgather or MPI_Allgatherv"),
    (Function::Alltoall, "MPI_Alltoall or one of its kind"),
    (Function::Scan, "MPI_Scan"),
    (Function::Exscan, "MPI_Exscan"),
    (Function::ReduceScatter, "MPI_Reduce_scatter or MPI_Reduce_scatter_block"),
    (Function::Neighbors, "a collective among neighbors"),
];

/// The number of the collectives that meet this one: those with blocks of their own lengths meet those without.
const fn number_of(function: Function) -> usize {
    match function {
        Function::Barrier => 0,
        Function::Bcast => 1,
        Function::Reduce => 2,
        Function::Allreduce => 3,
        Function::Gather | Function::Gatherv => 4,
        Function::Scatter | Function::Scatterv => 5,
        Function::Allgather | Function::Allgatherv | Function::Split | Function::Merge => 6,
        Function::Alltoall | Function::Alltoallv => 7,
        Function::Scan => 8,
        Function::Exscan => 9,
        Function::ReduceScatter => 10,
        Function::Neighbors => 11,
    }
}

/// Those that interfaces may carry out by themselves; their marks follow those of the others.
const OF_INTERFACES: [Function; 4] =
    [Function::Barrier, Function::Bcast, Function::Reduce, Function::Allreduce];

impl Call {
    pub(super) fn new(function: Function) -> Self {
        Self { function, root: 0, by_interfaces: false }
    }

    /// A call of a collective with this root, a rank of the communicator.
    pub fn with_root(function: Function, root: usize) -> Self {
        Self { function, root: (root & ((1 << ROOT_BITS) - 1)) as u16, by_interfaces: false }
    }

    /// Which collective it is.
    pub const fn function(self) -> Function {
        self.function
    }

    pub(super) fn by_interfaces(self, by_interfaces: bool) -> Self {
        Self { by_interfaces, ..self }
    }

    /// Returns whether the interfaces carry it out.
    pub const fn is_of_interfaces(self) -> bool {
        self.by_interfaces
    }

    /// Returns whether messages with this context are of interfaces, of which processors know nothing.
    pub fn is_by_interfaces(context: u64) -> bool {
        Self::marked(context).is_some_and(|call| call.by_interfaces)
    }

    /// The context of a communicator with the mark of this call, by which its messages differ from those of others.
    pub fn mark(self, context: u64) -> u64 {
        let place = OF_INTERFACES.iter().position(|&function| function == self.function);
        let number = match (self.by_interfaces, place) {
            (true, Some(place)) => FUNCTIONS.len() + place,
            _ => number_of(self.function),
        };
        unmarked(context) | (number as u64) << (ROOT_BITS + 1) | u64::from(self.root) << 1 | 1
    }

    /// The call whose mark a context has; `None` in those of the program's messages.
    pub fn marked(context: u64) -> Option<Self> {
        let mark = (context & MARK) as usize;
        let number = mark >> (ROOT_BITS + 1);
        let of_interfaces = number.checked_sub(FUNCTIONS.len()).map(|place| OF_INTERFACES[place]);
        let function = of_interfaces.unwrap_or_else(|| FUNCTIONS[number].0);
        let call = Self { by_interfaces: of_interfaces.is_some(), ..Self::with_root(function, mark >> 1) };
        (mark & 1 == 1).then_some(call)
    }
}

/// The context of the communicator without the mark of a call.
pub const fn unmarked(context: u64) -> u64 {
    context & !MARK
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, text) = FUNCTIONS[number_of(self.function)];
        f.write_str(&text.replace("{root}", &self.root.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_as_they_are_written() {
        for (index, &(function, _)) in FUNCTIONS.iter().enumerate() {
            assert_eq!(number_of(function), index);
            for root in [0, 1, 2047] {
                let call = Call::with_root(function, root);
                let context = call.mark(0xdead_beef_dead_beef);
                assert_eq!(Call::marked(context), Some(call));
                assert_eq!(unmarked(context), 0xdead_beef_dead_0000);
                assert!(!Call::is_by_interfaces(context));
                assert_eq!(Call::marked(context & !1), None, "a context of the program's messages");
            }
        }
        for function in OF_INTERFACES {
            let call = Call::with_root(function, 5).by_interfaces(true);
            assert_eq!(Call::marked(call.mark(7)), Some(call));
            assert!(Call::is_by_interfaces(call.mark(7)));
        }
        assert_eq!(Call::with_root(Function::Bcast, 2048), Call::with_root(Function::Bcast, 0));
    }
}
