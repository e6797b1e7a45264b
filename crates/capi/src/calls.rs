//! Shared parts of the functions of MPI: the numbers of the binary interface, arguments of the program, where it called.

pub(crate) mod abi;
pub(crate) mod argument;
pub(crate) mod call_site;
pub(crate) mod output_arguments;

use std::ffi::c_void;
use weir_message::MpiError;

/// Result of a call of MPI: what it gives back is written where the program has said.
pub(crate) type Done = Result<()>;

/// Result of what a call of MPI does on its way.
pub(crate) type Result<T, E = MpiError> = std::result::Result<T, E>;

/// Kind of the object that a function is about, where there are such functions for several kinds, or for the whole process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Comm,
    File,
    Process,
    Session,
    Type,
    Win,
}

/// A function that programs can call, and its name.
pub(crate) type Function = (&'static str, *const c_void);
