//! weir as the network of other simulators: they hand over messages, and step the time.
//!
//! ```text
//!   the program outside ---- send, receive, schedule ---> ranks: message::Process, on any engine
//!                       <--- completions, one by one ----
//!                       ---- next(until): time passes --> engine, on a stack of its own, which stands still in between
//! ```
//! A [`Backend`] runs the engine of an experiment as a coroutine. It stands still where a request is complete, in the reaction of that rank,
//! and where time is not to pass further. So a request that is made at a completion belongs to the same event, as if a graph of work had it,
//! and a run that is stepped is the run that it would be in one piece.
//!
//! [`c`] has the functions of `include/weir_backend.h`.

mod backend;
pub mod c;
mod rank;
mod requests;
mod slab;

pub use backend::{Backend, BackendError};
pub use requests::{Completion, CompletionKind};
pub use slab::Slab;
