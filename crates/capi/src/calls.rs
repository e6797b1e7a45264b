//! What functions of MPI have in common: the numbers of the binary interface, arguments of the program, where it called.

pub(crate) mod abi;
pub(crate) mod call_site;
pub(crate) mod count_argument;
pub(crate) mod local_calls;
pub(crate) mod output_arguments;

use std::ffi::c_void;

/// A function that programs can call, and its name.
pub(crate) type Function = (&'static str, *const c_void);
