//! Tasks: operations of a rank that begin when others have ended or begun. The tasks of a rank are its graph of work; one without
//! requirements of its own follows the task before it on its stream, so that a list of operations is a graph with one stream.

use crate::Operation;

/// An operation, and what it waits for.
///
/// # Model
/// A computation occupies its stream: a stream does one at a time, and those that are ready at once go by their numbers. Stream 0 is
/// the processor that also sends and receives. Messages and collectives occupy no stream; their overheads are time of the processor.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Task {
    /// The operation: a computation, a send, a receive or a collective. It has ended when MPI says so of its request.
    pub operation: Operation,
    /// The number of its stream within its rank, from 0.
    pub stream: u32,
    /// The tasks that it waits for; `None`: the end of the task before it on its stream, if there is one.
    pub requires: Option<Box<Requires>>,
}

/// Tasks of a rank that another one waits for, by their numbers: all come before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Requires {
    /// Those that must have ended.
    pub ended: Box<[u64]>,
    /// Those that must have begun.
    pub begun: Box<[u64]>,
}

/// Tasks of all ranks, which are read while they are carried out. Those of a rank come in the order of their numbers.
pub trait Tasks {
    /// Number of ranks.
    fn ranks(&self) -> usize;

    /// The next task of a rank; `None` behind the last.
    ///
    /// # Errors
    /// Why no more can be read.
    fn next(&mut self, rank: usize) -> Result<Option<Task>, String>;

    /// A number such that each task of a rank that is not read yet waits for the end of a task of this number or a later one; `None` if
    /// one of them may wait for no end, or if that is not known. As long as no task of this number or a later one has ended, none of
    /// those that are not read can begin, so there is no hurry to read them.
    fn unread_wait_for(&self, rank: usize) -> Option<u64>;
}
