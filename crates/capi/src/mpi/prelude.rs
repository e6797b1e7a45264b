//! Names that nearly all functions of MPI need.

pub(crate) use crate::calls::abi::{self, CStatus, Handle};
pub(crate) use crate::calls::argument::{Argument, OutNumber};
pub(crate) use crate::calls::output_arguments::{Array, Out};
pub(crate) use crate::calls::{Done, Result};
pub(crate) use crate::headers::constants::*;
pub(crate) use crate::rank::context::Context;
pub(crate) use std::ffi::{c_char, c_int, c_void};
pub(crate) use weir_message::{CommunicatorId, MpiError};
