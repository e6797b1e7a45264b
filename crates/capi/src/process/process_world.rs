//! One program in a process: the right to load it.

use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;

/// The right to load a program with its ranks into this process. There is one, ever: the loader hands out the same globals
/// for the same file however often it is loaded, and the C library has one standard output. So a second
/// [`World`](crate::World), beside the first or after it, cannot be written down; it takes a process of its own.
#[derive(Debug)]
pub struct ProcessWorld(());

/// The process has had its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "this process has run an MPI program already, and a process runs one: start another process for the next"
)]
pub struct AlreadyTaken;

impl ProcessWorld {
    /// Takes the right.
    ///
    /// # Errors
    /// When it has been taken before, whatever has become of it.
    pub fn claim() -> Result<Self, AlreadyTaken> {
        static TAKEN: AtomicBool = AtomicBool::new(false);
        if TAKEN.swap(true, Ordering::AcqRel) { Err(AlreadyTaken) } else { Ok(Self(())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one() {
        let first = ProcessWorld::claim();
        assert!(first.is_ok());
        drop(first);
        assert_eq!(ProcessWorld::claim().unwrap_err(), AlreadyTaken);
    }
}
