//! Makes the arguments of the Rust functions of MPI of those that a program gives. The C functions, which the build
//! script writes, make each by [`Argument::of`].

use crate::calls::abi::{self, *};
use crate::calls::output_arguments::{Array, Out, out, string};
use crate::calls::{Done, Result};
use crate::rank::ErrorHandler;
use crate::rank::context::Context;
use std::ffi::{CString, c_char, c_int, c_void};
use std::rc::Rc;
use weir_message::datatype::Type;
use weir_message::{CommunicatorId, Group, UNDEFINED};

/// An argument that is made of what a program gives for it: of the same, or of something checked.
pub(crate) trait Argument<Given>: Sized {
    fn of(context: &mut Context, name: &str, given: Given) -> Result<Self>;
}

impl<T> Argument<T> for T {
    #[inline]
    fn of(_: &mut Context, _: &str, given: T) -> Result<Self> {
        Ok(given)
    }
}

/// Ways to make arguments: `given => made: |context, name, given| how`.
macro_rules! arguments {
    ($($given:ty => $made:ty $([$($generic:tt)*])?: |$context:pat_param, $name:pat_param, $value:pat_param| $how:expr;)*) => {$(
        impl$(<$($generic)*>)? Argument<$given> for $made {
            #[inline]
            fn of($context: &mut Context, $name: &str, $value: $given) -> Result<Self> {
                $how
            }
        }
    )*};
}
pub(crate) use arguments;

arguments! {
    *mut T => Out<T> [T: Copy]: |_, name, given| out(given, name);
    // The standard gives a variable for a pointer the type of a pointer to anything.
    *mut c_void => Out<*mut c_void>: |_, name, given| out(given.cast(), name);
    Handle => CommunicatorId: |_, _, given| abi::communicator(given);
    (c_int, c_int, Handle) => Peer: |_, _, (rank, tag, comm)| Ok(Self { rank, tag, comm: abi::communicator(comm)? });
    // Numbers that are wide enough.
    c_int => i64: |_, _, given| Ok(given.into());
    isize => i64: |_, _, given| Ok(given as i64);
    c_int => isize: |_, _, given| Ok(given as isize);
    i64 => isize: |_, _, given| Ok(given as isize);
    *mut T => *const T [T]: |_, _, given| Ok(given);
    // An address and a count are equally wide.
    *const i64 => *const isize: |_, _, given| Ok(given.cast());
    *const c_char => CString: |_, name, given| string(given, name);
    *const c_char => String: |_, name, given| Ok(string(given, name)?.to_string_lossy().into_owned());
    *mut c_int => OutNumber: |_, name, given| out(given, name).map(Self::Int);
    *mut i64 => OutNumber: |_, name, given| out(given, name).map(Self::Large);
    *mut isize => OutNumber: |_, name, given| out(given.cast(), name).map(Self::Large);
}

/// Elements of the program's memory, as it describes them and unchecked.
#[derive(Clone, Copy)]
pub(crate) struct Elements {
    pub(crate) address: *const c_void,
    pub(crate) count: i64,
    pub(crate) datatype: Handle,
}

impl Elements {
    #[inline]
    pub(crate) fn new(address: *const c_void, count: impl Into<i64>, datatype: Handle) -> Self {
        Self { address, count: count.into(), datatype }
    }
}

/// Operands of a reduction: elements of one count and datatype that are given, and those that are got.
#[derive(Clone, Copy)]
pub(crate) struct Operands {
    pub(crate) send: Elements,
    pub(crate) recv: Elements,
    pub(crate) op: Handle,
}

impl Operands {
    pub(crate) fn new(
        send: *const c_void,
        recv: *const c_void,
        count: impl Into<i64>,
        datatype: Handle,
        op: Handle,
    ) -> Self {
        let recv = Elements::new(recv, count, datatype);
        Self { send: Elements { address: send, ..recv }, recv, op }
    }
}

/// Whom a message goes to, or comes from, and by which tag.
#[derive(Clone, Copy)]
pub(crate) struct Peer {
    pub(crate) rank: c_int,
    pub(crate) tag: c_int,
    pub(crate) comm: CommunicatorId,
}

/// A window of the running rank.
#[derive(Clone, Copy)]
pub(crate) struct WindowId(pub(crate) CommunicatorId);

/// The arguments of functions with many of them, by their names in the headers, as `build.rs` writes them.
pub(crate) mod together {
    use super::*;

    include!(concat!(env!("OUT_DIR"), "/arguments.rs"));
}

/// A variable for a number, of C's `int`, or as wide as `MPI_Count`.
#[derive(Clone, Copy)]
pub(crate) enum OutNumber {
    Int(Out<c_int>),
    Large(Out<i64>),
}

impl OutNumber {
    /// Writes the number; `MPI_UNDEFINED` if there is none or it does not fit.
    pub(crate) fn set(self, number: Option<impl TryInto<i64>>) {
        let number = number.and_then(|number| number.try_into().ok());
        match self {
            Self::Int(place) => {
                place.set(number.and_then(|number| number.try_into().ok()).unwrap_or(UNDEFINED))
            }
            Self::Large(place) => place.set(number.unwrap_or(UNDEFINED.into())),
        }
    }

    /// The same as the last step of a call.
    pub(crate) fn give(self, number: Option<impl TryInto<i64>>) -> Done {
        self.set(number);
        Ok(())
    }

    pub(crate) fn get(self) -> i64 {
        match self {
            Self::Int(place) => place.get().into(),
            Self::Large(place) => place.get(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_do_not_fit_are_undefined() {
        let (mut short, mut long) = (0, 0);
        let int = OutNumber::Int(out(&raw mut short, "size").unwrap());
        let large = OutNumber::Large(out(&raw mut long, "size").unwrap());
        let check = |number: Option<u64>, expected: (c_int, i64)| {
            int.set(number);
            large.set(number);
            assert_eq!((int.get(), large.get()), (expected.0.into(), expected.1));
        };
        check(Some(7), (7, 7));
        check(Some(1 << 31), (UNDEFINED, 1 << 31));
        check(Some(u64::MAX), (UNDEFINED, UNDEFINED.into()));
        check(None, (UNDEFINED, UNDEFINED.into()));
    }
}
