//! Handles as numbers, as Fortran has them: all are below 2^31 (`rank/numbered.rs`). The Fortran bindings do the same
//! (`crates/compiler/runtime/fortran_arguments.c`).

use crate::mpi::prelude::*;

pub(crate) extern "C" fn to_int(handle: Handle) -> c_int {
    handle as usize as c_int
}

pub(crate) extern "C" fn from_int(number: c_int) -> Handle {
    number as usize as Handle
}
