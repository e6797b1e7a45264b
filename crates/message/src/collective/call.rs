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
    /// Returns whether the interfaces carry it out.
    by_interfaces: bool,
}

const ROOT_BITS: u32 = 11;

/// Bits of a context that mark the collective. The lowest is set, which distinguishes it from those of the program's messages.
const MARK: u64 = 0xffff;

/// In their order, with the calls in words.
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
    (Function::Neighbours, "a collective among neighbours"),
];

/// Those that interfaces may carry out by themselves; their marks follow those of the others.
const OF_INTERFACES: [Function; 4] =
    [Function::Barrier, Function::Bcast, Function::Reduce, Function::Allreduce];

impl Call {
    pub(super) fn new(function: Function) -> Self {
        Self { function, root: 0, by_interfaces: false }
    }

    pub(crate) fn with_root(function: Function, root: usize) -> Self {
        Self { function, root: (root & ((1 << ROOT_BITS) - 1)) as u16, by_interfaces: false }
    }

    /// Which collective it is.
    #[must_use]
    pub const fn function(self) -> Function {
        self.function
    }

    pub(super) fn by_interfaces(self) -> Self {
        Self { by_interfaces: true, ..self }
    }

    /// Returns whether the interfaces carry it out.
    pub(crate) const fn is_of_interfaces(self) -> bool {
        self.by_interfaces
    }

    /// Returns whether messages with this context are of interfaces, of which processors know nothing.
    pub(crate) fn is_by_interfaces(context: u64) -> bool {
        Self::marked(context).is_some_and(|call| call.by_interfaces)
    }

    pub(crate) fn mark(self, context: u64) -> u64 {
        let place = OF_INTERFACES.iter().position(|&function| function == self.function);
        let number = match (self.by_interfaces, place) {
            (true, Some(place)) => FUNCTIONS.len() + place,
            _ => self.function as usize,
        };
        unmarked(context) | (number as u64) << (ROOT_BITS + 1) | u64::from(self.root) << 1 | 1
    }

    /// The call whose mark a context has; `None` in those of the program's messages.
    pub(crate) fn marked(context: u64) -> Option<Self> {
        let mark = (context & MARK) as usize;
        let number = mark >> (ROOT_BITS + 1);
        let of_interfaces = number.checked_sub(FUNCTIONS.len()).map(|place| OF_INTERFACES[place]);
        let function = of_interfaces.unwrap_or_else(|| FUNCTIONS[number].0);
        let call = Self { by_interfaces: of_interfaces.is_some(), ..Self::with_root(function, mark >> 1) };
        (mark & 1 == 1).then_some(call)
    }
}

pub(crate) const fn unmarked(context: u64) -> u64 {
    context & !MARK
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, text) = FUNCTIONS[self.function as usize];
        f.write_str(&text.replace("{root}", &self.root.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_as_they_are_written() {
        for (index, &(function, _)) in FUNCTIONS.iter().enumerate() {
            assert_eq!(function as usize, index);
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
            let call = Call::with_root(function, 5).by_interfaces();
            assert_eq!(Call::marked(call.mark(7)), Some(call));
            assert!(Call::is_by_interfaces(call.mark(7)));
        }
        assert_eq!(Call::with_root(Function::Bcast, 2048), Call::with_root(Function::Bcast, 0));
    }
}
