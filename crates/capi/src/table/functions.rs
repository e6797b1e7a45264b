//! The C functions of MPI, which `build.rs` writes.
#![allow(non_snake_case)] // their names are the standard's
#![allow(clippy::all, unused_variables)] // written by a program

use crate::calls::abi::*;
use crate::calls::{Function, Of};
use crate::mpi::attributes::*;
use crate::mpi::collectives::memory::Uneven;
use crate::mpi::collectives::{self, combining::*, moving::*};
use crate::mpi::communicators::{cartesian::*, graph::*, groups::*, intercommunicators::*, *};
use crate::mpi::datatypes::{packing::*, type_functions::*};
use crate::mpi::files::{self, access::*, opening::*, views::*};
use crate::mpi::point_to_point::{partitioned::*, send, *};
use crate::mpi::prelude::*;
use crate::mpi::requests::{persistent::*, *};
use crate::mpi::windows::access::{TargetBuffer, get};
use crate::mpi::windows::{access::*, making::*, *};
use crate::mpi::{dynamic::*, environment::*, error_handlers::*, info::*, objects::*, operations::*};
use crate::mpi::{sessions, sessions::*, tools::*};
use crate::rank::mpi_call::{call, enter};
use weir_collectives::Plan;
use weir_message::datatype::Combiner;

/// The handle in a variable of the program; none where there is no variable.
fn at(pointer: *mut Handle) -> Handle {
    Out::of(pointer).map_or(std::ptr::null_mut(), Out::get)
}

/// Names and functions, in the order of the headers.
pub(super) fn list() -> Vec<Function> {
    FUNCTIONS.to_vec()
}

include!(concat!(env!("OUT_DIR"), "/functions.rs"));
