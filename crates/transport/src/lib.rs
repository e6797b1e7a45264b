//! Processes that run one simulation together: two bodies of [`weir_pdes::Transport`].
//!
//! - [`HostProcesses`]: processes of one host, which share memory. One of them starts the others.
//! - [`MpiProcesses`]: processes that a launcher of MPI has started, on any number of hosts. The library of MPI is found when
//!   the program runs; building needs none.
//!
//! # When a process is lost
//! A process that ends before the run has makes every meeting of the others fail with [`weir_pdes::Lost`], soon: none
//! waits for ever. A run that is done says so by `finish`; one that is dropped before is lost too.
#![allow(unsafe_code)] // memory that processes share, and functions of a library that is found at run time

mod error;
mod host;
mod mpi;

mod backoff;

pub use error::Error;
pub use host::HostProcesses;
pub use mpi::MpiProcesses;
pub use weir_pdes::{OneProcess, Transport};
