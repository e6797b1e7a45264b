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
//! # Folders
//! `mpi/` has the functions of `mpi.h`, `c_library/` those of the C library that ranks must not share, `skeleton/` those of
//! `weir.h` that stand for time; `calls/` what functions have in common. A rank is in `rank/`, all of them in `world/`, the
//! process that they share in `process/`; ranks that are processes of their own are in `remote/`.
//!
//! # Tests
//! A world can run a function of this process on its ranks instead of a program (`World::within`, in tests and with the
//! feature `harness`). So the functions of MPI are tested without a C compiler, many worlds at a time: `tests/harness/` says
//! how, `tests/` does it, group by group. What needs a process of its own, such as ranks that are processes
//! (`tests/processes.rs`) and the compiled programs of `weir-compiler`'s tests, starts the test program again
//! (`tests/harness/apart.rs`).
#![allow(unsafe_code)] // this crate is the place for it: pointers of C programs

mod c_library;
pub mod cache;
mod calls;
pub mod executable;
#[cfg(any(test, feature = "harness"))]
#[path = "tests/harness/mod.rs"]
pub mod harness;
pub mod headers;
mod mpi;
mod process;
mod rank;
pub mod remote;
mod skeleton;
mod table;
#[cfg(test)]
mod tests;
mod threads;
mod world;

pub use calls::call_site::{CalledIn, called_in};
pub use process::out_of_memory::MemoryOrEnd;
pub use process::{AlreadyTaken, ProcessWorld, signals, stdio};
pub use rank::context::end_at as not_offered;
pub use rank::program::{RankProgram, Remnant};
pub use skeleton::counts::InstructionTime;
pub use table::{CALL_SITE, function, offered};
pub use threads::{RankOfThread, ThreadedWorld};
pub use weir_coroutine::StackSize;
pub use weir_message::{Gaps, Interfaces};
pub use world::options::Compute;
pub use world::{
    LoadedPrograms, Observer, ProcessorNames, ProgramToRun, Verify, World, WorldError, WorldOptions,
};
