//! How much has come: what statuses say, in elements of a datatype.

use crate::abi::{CStatus, Handle};
use crate::buffer;
use crate::context::call;
use crate::datatypes::{Datatype, type_of};
use crate::type_queries::int;
use std::ffi::c_int;
use std::ptr;
use weir_message::{MpiError, UNDEFINED};

pub(crate) unsafe extern "C" fn get_count(
    status: *const CStatus,
    datatype: Handle,
    count: *mut c_int,
) -> c_int {
    call("MPI_Get_count", ptr::null_mut(), |context| {
        let size = Datatype::of(context, datatype)?.size as u64;
        // SAFETY: the program's variables.
        unsafe { *count = whole((*status).bytes(), size).map_or(UNDEFINED, int) };
        Ok(())
    })
}

/// How many elements of a size so many bytes are; elements without data are none.
fn whole(bytes: u64, size: u64) -> Option<u64> {
    match size {
        0 => (bytes == 0).then_some(0),
        _ => bytes.is_multiple_of(size).then(|| bytes / size),
    }
}

/// `MPI_Get_elements` and its form for long counts, which `tell` writes.
unsafe fn elements(
    name: &'static str,
    status: *const CStatus,
    datatype: Handle,
    tell: impl FnOnce(Option<u64>),
) -> c_int {
    call(name, ptr::null_mut(), |context| {
        let of = type_of(context, datatype)?;
        // SAFETY: the program's status.
        tell(of.elements_in(unsafe { (*status).bytes() }));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn get_elements(
    status: *const CStatus,
    datatype: Handle,
    count: *mut c_int,
) -> c_int {
    // SAFETY: the program's variables.
    unsafe { elements("MPI_Get_elements", status, datatype, |found| *count = found.map_or(UNDEFINED, int)) }
}

pub(crate) unsafe extern "C" fn get_elements_x(
    status: *const CStatus,
    datatype: Handle,
    count: *mut i64,
) -> c_int {
    let long = |found: Option<u64>| found.map_or(UNDEFINED.into(), |found| found as i64);
    // SAFETY: the program's variables.
    unsafe { elements("MPI_Get_elements_x", status, datatype, |found| *count = long(found)) }
}

/// Sets what `MPI_Get_elements` will find.
unsafe fn set(
    name: &'static str,
    status: *mut CStatus,
    datatype: Handle,
    count: Result<u64, MpiError>,
) -> c_int {
    call(name, ptr::null_mut(), |context| {
        let bytes = type_of(context, datatype)?.bytes_of(count?);
        // SAFETY: the program's status.
        unsafe { (*status).set_bytes(bytes) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn status_set_elements(
    status: *mut CStatus,
    datatype: Handle,
    count: c_int,
) -> c_int {
    let count = buffer::count(count).map(|count| count as u64);
    // SAFETY: the program's status.
    unsafe { set("MPI_Status_set_elements", status, datatype, count) }
}

pub(crate) unsafe extern "C" fn status_set_elements_x(
    status: *mut CStatus,
    datatype: Handle,
    count: i64,
) -> c_int {
    let count = u64::try_from(count).map_err(|_| MpiError::Count(count));
    // SAFETY: the program's status.
    unsafe { set("MPI_Status_set_elements_x", status, datatype, count) }
}
