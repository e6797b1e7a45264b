//! How much has come: what statuses say, in elements of a datatype.

use crate::calls::abi::{CStatus, Handle};
use crate::calls::count_argument::{CountArgument, name_of};
use crate::calls::output_arguments::{give, given, out};
use crate::mpi::datatypes::buffer;
use crate::mpi::datatypes::{Datatype, type_of};
use crate::rank::mpi_call::call;
use std::ffi::c_int;
use std::ptr;

pub(crate) unsafe extern "C" fn get_count<C: CountArgument>(
    status: *const CStatus,
    datatype: Handle,
    count: *mut C,
) -> c_int {
    call(name_of!(C, "MPI_Get_count"), ptr::null_mut(), |context| {
        let size = Datatype::of(context, datatype)?.size as u64;
        give(count, "count", C::from_count(whole(given(status, "status")?.bytes(), size)))
    })
}

/// How many elements of a size so many bytes are; elements without data are none.
fn whole(bytes: u64, size: u64) -> Option<u64> {
    match size {
        0 => (bytes == 0).then_some(0),
        _ => bytes.is_multiple_of(size).then(|| bytes / size),
    }
}

unsafe fn elements<C: CountArgument>(
    name: &'static str,
    status: *const CStatus,
    datatype: Handle,
    count: *mut C,
) -> c_int {
    call(name, ptr::null_mut(), |context| {
        let of = type_of(context, datatype)?;
        give(count, "count", C::from_count(of.elements_in(given(status, "status")?.bytes())))
    })
}

pub(crate) unsafe extern "C" fn get_elements<C: CountArgument>(
    status: *const CStatus,
    datatype: Handle,
    count: *mut C,
) -> c_int {
    // SAFETY: the program's variables.
    unsafe { elements(name_of!(C, "MPI_Get_elements"), status, datatype, count) }
}

pub(crate) unsafe extern "C" fn get_elements_x(
    status: *const CStatus,
    datatype: Handle,
    count: *mut i64,
) -> c_int {
    // SAFETY: the program's variables.
    unsafe { elements("MPI_Get_elements_x", status, datatype, count) }
}

/// Sets what `MPI_Get_elements` will find.
unsafe fn set(
    name: &'static str,
    status: *mut CStatus,
    datatype: Handle,
    count: impl CountArgument,
) -> c_int {
    call(name, ptr::null_mut(), |context| {
        let bytes = type_of(context, datatype)?.bytes_of(buffer::count(count)? as u64);
        out(status, "status")?.change(|status| status.set_bytes(bytes));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn status_set_elements<C: CountArgument>(
    status: *mut CStatus,
    datatype: Handle,
    count: C,
) -> c_int {
    // SAFETY: the program's status.
    unsafe { set(name_of!(C, "MPI_Status_set_elements"), status, datatype, count) }
}

pub(crate) unsafe extern "C" fn status_set_elements_x(
    status: *mut CStatus,
    datatype: Handle,
    count: i64,
) -> c_int {
    // SAFETY: the program's status.
    unsafe { set("MPI_Status_set_elements_x", status, datatype, count) }
}
