//! The functions of `mpi.h`, group by group. `MPI_Comm_split` is `comm_split` here, a function of Rust with arguments as
//! [`Argument`](crate::calls::argument::Argument) makes them; `build.rs` writes the C functions around them. Where there are many, they
//! come as one struct, with the names that they have in the header: `args: CommSplit` has `args.color`.

/// Functions that give the program one value: `name(argument: Type) -> Type of its variable = value`.
macro_rules! answers {
    ($context:ident; $($(#[$doc:meta])* $function:ident($($argument:ident: $kind:ty),*) -> $given:ty = $value:expr;)*) => {$(
        $(#[$doc])*
        #[allow(unused_variables)] // not all ask the context
        pub(crate) fn $function($context: &mut Context $(, $argument: $kind)*, to: Out<$given>) -> Done {
            to.give($value)
        }
    )*};
}

pub(crate) mod attributes;
pub(crate) mod collectives;
pub(crate) mod communicators;
pub(crate) mod datatypes;
pub(crate) mod dynamic;
pub(crate) mod environment;
pub(crate) mod error_handlers;
pub(crate) mod extensions;
pub(crate) mod files;
pub(crate) mod info;
pub(crate) mod memory_kinds;
pub(crate) mod objects;
pub(crate) mod operations;
pub(crate) mod point_to_point;
pub(crate) mod requests;
pub(crate) mod sessions;
pub(crate) mod tools;
pub(crate) mod windows;

/// Names that nearly all functions of MPI need.
pub(crate) mod prelude {
    pub(crate) use crate::calls::abi::{self, CStatus, Handle};
    pub(crate) use crate::calls::argument::together::*;
    pub(crate) use crate::calls::argument::{
        Argument, Elements, Operands, OutNumber, Peer, WindowId, arguments,
    };
    pub(crate) use crate::calls::output_arguments::{Array, Out};
    pub(crate) use crate::calls::{Done, Result};
    pub(crate) use crate::headers::constants::*;
    pub(crate) use crate::rank::context::Context;
    pub(crate) use std::ffi::{c_char, c_int, c_void};
    pub(crate) use weir_message::{CommunicatorId, MpiError};
}
