//! Fields of statuses by function: the program reads them, and fills in those of its generalised requests.

use crate::calls::abi::CStatus;
use crate::calls::output_arguments::{give, given, out};
use crate::rank::mpi_call::enter;
use std::ffi::c_int;
use std::ptr;

/// Functions that read or write one field of a status.
macro_rules! fields {
    ($($get:ident $get_name:literal, $set:ident $set_name:literal: $field:ident;)*) => {$(
        pub(crate) unsafe extern "C" fn $get(status: *const CStatus, value: *mut c_int) -> c_int {
            enter($get_name, ptr::null_mut(), |_| {
                give(value, "value", given(status, "status")?.$field)
            })
        }

        pub(crate) unsafe extern "C" fn $set(status: *mut CStatus, value: c_int) -> c_int {
            enter($set_name, ptr::null_mut(), |_| {
                out(status, "status")?.change(|status| status.$field = value);
                Ok(())
            })
        }
    )*};
}

fields! {
    get_source "MPI_Status_get_source", set_source "MPI_Status_set_source": source;
    get_tag "MPI_Status_get_tag", set_tag "MPI_Status_set_tag": tag;
    get_error "MPI_Status_get_error", set_error "MPI_Status_set_error": error;
}

pub(crate) unsafe extern "C" fn set_cancelled(status: *mut CStatus, flag: c_int) -> c_int {
    enter("MPI_Status_set_cancelled", ptr::null_mut(), |_| {
        out(status, "status")?.change(|status| status.set_cancelled(flag != 0));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn test_cancelled(status: *const CStatus, flag: *mut c_int) -> c_int {
    enter("MPI_Test_cancelled", ptr::null_mut(), |_| {
        give(flag, "flag", c_int::from(given(status, "status")?.cancelled()))
    })
}
