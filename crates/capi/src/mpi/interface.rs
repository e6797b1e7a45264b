//! Questions about the binary interface and the hardware (MPI 5.0, chapter 20 and section 9.1.2).

use crate::calls::output_arguments::give;
use crate::mpi::info::{self, Info};
use crate::mpi::prelude::*;
use std::ffi::CStr;

const SIZES: [(&CStr, &CStr); 3] =
    [(c"mpi_aint_size", c"8"), (c"mpi_count_size", c"8"), (c"mpi_offset_size", c"8")];

/// Properties of Fortran's types with `weir fort`, which is gfortran.
const FORTRAN: [(&CStr, &CStr); 23] = [
    (c"mpi_logical_size", c"4"),
    (c"mpi_integer_size", c"4"),
    (c"mpi_real_size", c"4"),
    (c"mpi_double_precision_size", c"8"),
    (c"mpi_logical1_supported", c"true"),
    (c"mpi_logical2_supported", c"true"),
    (c"mpi_logical4_supported", c"true"),
    (c"mpi_logical8_supported", c"true"),
    (c"mpi_logical16_supported", c"true"),
    (c"mpi_integer1_supported", c"true"),
    (c"mpi_integer2_supported", c"true"),
    (c"mpi_integer4_supported", c"true"),
    (c"mpi_integer8_supported", c"true"),
    (c"mpi_integer16_supported", c"true"),
    (c"mpi_real2_supported", c"false"),
    (c"mpi_real4_supported", c"true"),
    (c"mpi_real8_supported", c"true"),
    (c"mpi_real16_supported", c"true"),
    (c"mpi_complex4_supported", c"false"),
    (c"mpi_complex8_supported", c"true"),
    (c"mpi_complex16_supported", c"true"),
    (c"mpi_complex32_supported", c"true"),
    (c"mpi_double_complex_supported", c"true"),
];

/// `MPI_ABI_VERSION` and `MPI_ABI_SUBVERSION` of `mpi.h`.
pub(crate) fn abi_get_version(_: &mut Context, major: Out<c_int>, minor: Out<c_int>) -> Done {
    major.set(1);
    minor.give(0)
}

pub(crate) fn abi_get_info(context: &mut Context, info: Out<Handle>) -> Done {
    info.give(info::add(context, Info::of(&SIZES)))
}

pub(crate) fn abi_get_fortran_info(context: &mut Context, info: Out<Handle>) -> Done {
    info.give(info::add(context, Info::of(&FORTRAN)))
}

/// No communicator can be split by parts of a node, so there are none to name.
pub(crate) fn get_hw_resource_info(context: &mut Context, info: Out<Handle>) -> Done {
    info.give(info::add(context, Info::of(&[])))
}

fn settled(what: &str) -> Done {
    Err(MpiError::Abi(format!("{what} are those of gfortran, and set already")))
}

pub(crate) fn abi_set_fortran_info(_: &mut Context, _info: Handle) -> Done {
    settled("the types of Fortran")
}

pub(crate) fn abi_set_fortran_booleans(
    _: &mut Context,
    _size: c_int,
    _true: *mut c_void,
    _false: *mut c_void,
) -> Done {
    settled("the values of LOGICAL")
}

pub(crate) fn abi_get_fortran_booleans(
    _: &mut Context,
    size: c_int,
    yes: *mut c_void,
    no: *mut c_void,
    is_set: Out<c_int>,
) -> Done {
    match size {
        1 => give_booleans::<i8>(yes, no)?,
        2 => give_booleans::<i16>(yes, no)?,
        4 => give_booleans::<i32>(yes, no)?,
        8 => give_booleans::<i64>(yes, no)?,
        16 => give_booleans::<i128>(yes, no)?,
        _ => return Err(MpiError::Argument(format!("no LOGICAL has {size} bytes"))),
    }
    is_set.give(1)
}

fn give_booleans<T: Copy + From<bool>>(yes: *mut c_void, no: *mut c_void) -> Done {
    give(yes.cast(), "logical_true", T::from(true))?;
    give(no.cast(), "logical_false", T::from(false))
}
