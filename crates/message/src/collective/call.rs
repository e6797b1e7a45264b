//! Which collective a message belongs to: a mark in its context, so that ranks that call different collectives at the
//! same place find out, and no message is taken for another.

use std::fmt;

/// The collectives that must meet their like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the standard's names
pub enum Function {
    Barrier,
    Bcast,
    Reduce,
    Allreduce,
    Gather,
    Scatter,
    Allgather,
    Alltoall,
    Scan,
    Exscan,
    ReduceScatter,
    Neighbours,
}

/// A collective as a rank calls it: the function, and its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    function: Function,
    /// The root's number, as far as [`ROOT_BITS`] go; 0 if there is none.
    root: u16,
}

const ROOT_BITS: u32 = 11;

/// Bits of a context that mark the collective. The lowest is set, which distinguishes it from those of the program's messages.
const MARK: u64 = 0xffff;

const FUNCTIONS: [Function; 12] = [
    Function::Barrier,
    Function::Bcast,
    Function::Reduce,
    Function::Allreduce,
    Function::Gather,
    Function::Scatter,
    Function::Allgather,
    Function::Alltoall,
    Function::Scan,
    Function::Exscan,
    Function::ReduceScatter,
    Function::Neighbours,
];

impl Call {
    pub(super) fn new(function: Function) -> Self {
        Self { function, root: 0 }
    }

    pub(crate) fn with_root(function: Function, root: usize) -> Self {
        Self { function, root: (root & ((1 << ROOT_BITS) - 1)) as u16 }
    }

    /// Which collective it is.
    #[must_use]
    pub const fn function(self) -> Function {
        self.function
    }

    /// The context with the mark of this call.
    pub(crate) fn mark(self, context: u64) -> u64 {
        unmarked(context) | (self.function as u64) << (ROOT_BITS + 1) | u64::from(self.root) << 1 | 1
    }

    /// The call whose mark a context has; `None` in those of the program's messages.
    pub(crate) fn marked(context: u64) -> Option<Self> {
        let mark = (context & MARK) as usize;
        let function = *FUNCTIONS.get(mark >> (ROOT_BITS + 1))?;
        (mark & 1 == 1).then(|| Self::with_root(function, mark >> 1))
    }
}

/// The context without a mark.
pub(crate) const fn unmarked(context: u64) -> u64 {
    context & !MARK
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = self.root;
        match self.function {
            Function::Barrier => write!(f, "MPI_Barrier"),
            Function::Bcast => write!(f, "MPI_Bcast from root {root}"),
            Function::Reduce => write!(f, "MPI_Reduce to root {root}"),
            Function::Allreduce => write!(f, "MPI_Allreduce"),
            Function::Gather => write!(f, "MPI_Gather or MPI_Gatherv to root {root}"),
            Function::Scatter => write!(f, "MPI_Scatter or MPI_Scatterv from root {root}"),
            Function::Allgather => write!(f, "MPI_Allgather or MPI_Allgatherv"),
            Function::Alltoall => write!(f, "MPI_Alltoall or one of its kind"),
            Function::Scan => write!(f, "MPI_Scan"),
            Function::Exscan => write!(f, "MPI_Exscan"),
            Function::ReduceScatter => write!(f, "MPI_Reduce_scatter or MPI_Reduce_scatter_block"),
            Function::Neighbours => write!(f, "a collective among neighbours"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_as_they_are_written() {
        for (index, &function) in FUNCTIONS.iter().enumerate() {
            assert_eq!(function as usize, index);
            for root in [0, 1, 2047] {
                let call = Call::with_root(function, root);
                let context = call.mark(0xdead_beef_dead_beef);
                assert_eq!(Call::marked(context), Some(call));
                assert_eq!(unmarked(context), 0xdead_beef_dead_0000);
                assert_eq!(Call::marked(context & !1), None, "a context of the program's messages");
            }
        }
        assert_eq!(Call::with_root(Function::Bcast, 2048), Call::with_root(Function::Bcast, 0));
    }
}
