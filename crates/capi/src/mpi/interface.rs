//! Questions about the binary interface and the hardware (MPI 5.0, chapter 20 and section 9.1.2).

use crate::calls::abi::Handle;
use crate::calls::output_arguments::{give, give_new};
use crate::mpi::info::{self, Info};
use crate::rank::mpi_call::enter;
use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use weir_message::MpiError;

/// Sizes of the types of `mpi.h`.
const SIZES: [(&CStr, &CStr); 3] =
    [(c"mpi_aint_size", c"8"), (c"mpi_count_size", c"8"), (c"mpi_offset_size", c"8")];

/// What Fortran's types are to `weir fort`, which is gfortran.
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
pub(crate) unsafe extern "C" fn get_version(major: *mut c_int, minor: *mut c_int) -> c_int {
    enter("MPI_Abi_get_version", ptr::null_mut(), |_| {
        give(major, "abi_major", 1)?;
        give(minor, "abi_minor", 0)
    })
}

fn give_pairs(name: &'static str, pairs: &[(&CStr, &CStr)], info: *mut Handle) -> c_int {
    enter(name, ptr::null_mut(), |context| give_new(info, "info", || info::add(context, Info::of(pairs))))
}

pub(crate) unsafe extern "C" fn get_info(info: *mut Handle) -> c_int {
    give_pairs("MPI_Abi_get_info", &SIZES, info)
}

pub(crate) unsafe extern "C" fn get_fortran_info(info: *mut Handle) -> c_int {
    give_pairs("MPI_Abi_get_fortran_info", &FORTRAN, info)
}

/// No communicator can be split by parts of a node, so there are none to name.
pub(crate) unsafe extern "C" fn get_hw_resource_info(info: *mut Handle) -> c_int {
    give_pairs("MPI_Get_hw_resource_info", &[], info)
}

fn settled(what: &str) -> Result<(), MpiError> {
    Err(MpiError::Abi(format!("{what} are those of gfortran, and set already")))
}

pub(crate) unsafe extern "C" fn set_fortran_info(_info: Handle) -> c_int {
    enter("MPI_Abi_set_fortran_info", ptr::null_mut(), |_| settled("the types of Fortran"))
}

pub(crate) unsafe extern "C" fn set_fortran_booleans(
    _size: c_int,
    _true: *mut c_void,
    _false: *mut c_void,
) -> c_int {
    enter("MPI_Abi_set_fortran_booleans", ptr::null_mut(), |_| settled("the values of LOGICAL"))
}

pub(crate) unsafe extern "C" fn get_fortran_booleans(
    size: c_int,
    yes: *mut c_void,
    no: *mut c_void,
    is_set: *mut c_int,
) -> c_int {
    enter("MPI_Abi_get_fortran_booleans", ptr::null_mut(), |_| {
        match size {
            1 => give_booleans::<i8>(yes, no)?,
            2 => give_booleans::<i16>(yes, no)?,
            4 => give_booleans::<i32>(yes, no)?,
            8 => give_booleans::<i64>(yes, no)?,
            16 => give_booleans::<i128>(yes, no)?,
            _ => return Err(MpiError::Argument(format!("no LOGICAL has {size} bytes"))),
        }
        give(is_set, "is_set", 1)
    })
}

fn give_booleans<T: Copy + From<bool>>(yes: *mut c_void, no: *mut c_void) -> Result<(), MpiError> {
    give(yes.cast(), "logical_true", T::from(true))?;
    give(no.cast(), "logical_false", T::from(false))
}
