//! The C interface: MPI for unmodified programs.
//!
//! `weir cc` (the crate `weir-compiler`) compiles a program with our `mpi.h` and links it, with a small runtime, into a shared
//! object. [`World`] loads it once and makes a [`RankProgram`] of every rank: a coroutine that runs the program's
//! `main`, and the rank's [`weir_message::Process`], which it drives through the functions of `mpi.h` (one file here
//! for each group of them, listed in `table.rs`).
//!
//! ```text
//!   program's main --- MPI_Recv ---> runtime's jump table ---> point_to_point::recv
//!        ^                                                          |  Process::receive; not complete: suspend
//!        |                                                          v
//!   RankProgram::react <--- event --- engine            (the coroutine goes on when the request is complete)
//! ```
//!
//! # Tests
//! A world can run a function of this process on its ranks instead of a program (`World::within`, in tests and with the
//! feature `harness`). So the functions of MPI are tested without a C compiler, many worlds at a time: `harness.rs` says
//! how, `tests/` does it, group by group. What needs a process of its own, such as ranks that are processes
//! (`tests/processes.rs`) and the compiled programs of `weir-compiler`'s tests, starts the test program again
//! (`harness/apart.rs`).
#![allow(unsafe_code)] // this crate is the place for it: pointers of C programs

mod abi;
mod after_crash;
mod attributes;
mod blocks;
mod buffer;
pub mod cache;
mod call_site;
mod cartesian;
mod collectives;
mod communicator_limit;
mod communicators;
mod completion;
mod compute;
mod context;
mod count_argument;
mod counts;
mod datatypes;
mod delivery;
mod dynamic;
mod environment;
mod error_handlers;
pub mod executable;
mod extensions;
mod files;
mod forked;
mod generalised;
mod graph;
mod groups;
mod handles;
#[cfg(any(test, feature = "harness"))]
pub mod harness;
pub mod headers;
mod info;
mod intercommunicators;
mod interface;
mod kept_memory;
mod leaving;
mod libc_calls;
mod local_calls;
mod memory_kinds;
mod objects;
mod operations;
mod out_of_memory;
mod output;
mod output_arguments;
mod own_threads;
mod packing;
mod partitioned;
mod persistent;
mod point_to_point;
mod predefined_types;
mod probes;
mod process_world;
mod rank;
mod remnants;
pub mod remote;
mod sampling;
mod send_buffers;
mod sessions;
pub mod signals;
mod skeleton;
mod standard_streams;
mod statuses;
pub mod stdio;
mod table;
#[cfg(test)]
mod tests;
mod tools;
mod turns;
mod type_constructors;
mod type_queries;
mod windows;
mod world;

pub use blocks::BlockCounts;
pub use compute::Compute;
pub use context::end_at as not_offered;
pub use out_of_memory::MemoryOrEnd;
pub use process_world::{AlreadyTaken, ProcessWorld};
pub use rank::RankProgram;
pub use remnants::{Remnant, Verify};
pub use skeleton::{InstructionTime, SkeletonCounts};
pub use table::{function, offered};
pub use weir_coroutine::StackSize;
pub use weir_message::{Gaps, Interfaces};
pub use world::{Observer, ProcessorNames, World, WorldError, WorldOptions};
