//! MPI semantics without C: what a rank of a message-passing program is, as a state machine.
//!
//! A [`Process`] is one rank. Its owner (a coroutine that runs a C program, or a test) asks it to send, to receive,
//! to take part in a collective; the network passes on what has arrived ([`Process::arrived`]) and what has left
//! ([`Process::departed`]); and it says when a request is complete. It knows no packets, no routes and no C: it
//! answers with [`weir_network::Actions`], and its data are bytes.
//!
//! # The way of a message
//! ```text
//!   sender                                     receiver
//!   send ---- eager: envelope and data ------> matched with a posted receive, or kept as unexpected
//!
//!   send ---- request to send (RTS) ---------> matched, or kept as unexpected
//!        <--- clear to send (CTS) -----------  when matched
//!        ---- data --------------------------> receive complete
//! ```
//! Messages up to the eager limit go the first way and the send is complete at once; longer and synchronous ones go
//! the second way (rendezvous) and the send is complete when the data have left. Read [`process`] next, then
//! `matching.rs` for the rule that messages do not overtake, then the crate
//! `collectives`. [`datatype`] says which bytes of a
//! program's memory are data; the messages of a process are such data packed.
//!
//! # Time
//! A rank has one processor and a clock of its own, [`Process::clock`], that may be ahead of the event it reacts to:
//! each message costs [`Costs::send`] of processor time at its sender and [`Costs::receive`] at its receiver, and an eager message
//! is copied at the sender at [`Costs::memory_bandwidth`]. Nothing else takes time here.

mod combining;
mod communicator;
mod constants;
mod costs;
mod data;
pub mod datatype;
pub mod dimensions;
mod error;
mod file_view;
mod matching;
mod observer;
pub mod process;
mod reduction;
mod request;
pub mod storage;
mod terms;
mod virtual_topology;
pub mod window;

pub use combining::{CombiningRow, OperandSizes, WithoutData, is_defined};
pub use communicator::{Communicator, CommunicatorId, Group, Half, Remote};
pub use constants::{ANY_SOURCE, ANY_TAG, PROC_NULL, ROOT, TAG_UPPER_BOUND, UNDEFINED};
pub use costs::{Bandwidths, Costs, Far, FreshMemory, LocalCosts, Overhead, ProgressRule, Rendezvous};
pub use data::{Data, Moved, Packed};
pub use error::{FileMistake, MpiError, Result};
pub use file_view::{FileView, Representation};
pub use matching::{Actions, Body, Envelope, Selector};
pub use observer::{Observation, Observer, Observers, Posted, SharedObserver, Taken, Watched, asked, found};
pub use process::{
    Asker, AwaitedMessage, Combination, Details, Ending, Exchange, Explained, Fate, MemoryWork, MergeOrder,
    OpenRequest, Process, Receiving, Started,
};
pub use reduction::{Combine, PredefinedOperation, Reduction};
pub use request::{Completion, PartitionChannel, Status};
pub use terms::{BufferOf, Gaps, Interfaces, Meeting, MessageId, SendChoices};
pub use virtual_topology::{
    Cartesian, Edge, Ends, Graph, GridSide, OwnEdges, Remains, VirtualTopology, Weights,
};
pub use weir_operations::{
    Combining, Copying, Direction, ElementName, Kind, Mode, OperationName, Predefined, Protocol, RequestId,
};

#[cfg(test)]
mod tests {
    mod collectives;
}
