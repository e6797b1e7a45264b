//! Many C programs in one thread: a stack and a set of globals for each.
//!
//! A [`Coroutine`] runs a function on a stack of its own, from an [`Arena`] of lazily committed stacks; it stops in
//! [`suspend`] and goes on in [`Coroutine::resume`]. A [`LoadedProgram`] is one loaded copy of a compiled
//! program; [`Globals`] sees to it that every rank has its own writable data. What a
//! program does to itself (a null pointer, a stack overflow, `abort`) ends its coroutine, not the process: see
//! [`CoroutineEnd`].
//!
//! PROTOCOL.md beside this file says in which order stacks, globals and signals change hands, and what could go wrong.
#![allow(unsafe_code)] // this crate is the place for it: stacks, mappings, signal handlers

mod coroutine;
mod crash;
pub mod elf_file;
mod globals;
mod image;
mod in_place;
mod instance;
mod memory;
mod object;
pub mod own_threads;
pub mod program;
pub mod progress;
mod references;
mod relocation;
mod stack;
pub mod standing;
mod thread_locals;

pub use coroutine::{Coroutine, CoroutineEnd, Elsewhere, come_to_thread, guarded, leave, suspend};
pub use crash::{Crash, CrashPlace, crash_place, has_crashed};
pub use globals::{Globals, ProgramOfRanks, Way};
pub use memory::{as_loaded, code};
pub use program::{LoadError, LoadedProgram, Threads};
pub use progress::Interrupter;
pub use stack::{Arena, StackSize};
pub use standing::this_thread;
pub use thread_locals::ThreadLocals;
