//! The C functions of MPI, which `build.rs` writes.
#![allow(non_snake_case)] // their names are the standard's
#![allow(clippy::all, unused_variables)] // written by a program

use crate::calls::Function;
use crate::calls::abi::predefined;
use crate::mpi::attributes::*;
use crate::mpi::collectives::memory::Uneven;
use crate::mpi::collectives::{combining::*, forms, moving::*, neighbours::*};
use crate::mpi::communicators::{cartesian::*, graph::*, groups::*, intercommunicators::*, *};
use crate::mpi::datatypes::{buffer::Elements, counts::*, packing::*, type_constructors::*, type_queries::*};
use crate::mpi::files::{
    self, data_access::*, errors::*, opening::*, pointers::*, representations::*, sizes::*, views::*,
};
use crate::mpi::point_to_point::send;
use crate::mpi::point_to_point::{partitioned::*, probes::*, send_buffers::*, *};
use crate::mpi::prelude::*;
use crate::mpi::requests::{completion::*, generalised::*, persistent::*, statuses::*};
use crate::mpi::windows::access::{TargetBuffer, get};
use crate::mpi::windows::{access::*, making::*, properties::*, synchronisation::*};
use crate::mpi::{dynamic::*, environment::*, error_handlers::*, handles::*, info::*, interface::*};
use crate::mpi::{operations::*, sessions, sessions::*, tools::*};
use crate::rank::errors::HandlerFunction;
use crate::rank::mpi_call::{call, enter};
use weir_message::BufferOf;
use weir_message::collective::Plan;
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
