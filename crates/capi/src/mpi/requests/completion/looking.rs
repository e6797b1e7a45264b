//! `MPI_Request_get_status` and its kin: they look, and end nothing.

use super::{
    all_complete, array, element, first_complete, looks_for, open, write_empty_status, write_with_error,
};
use crate::calls::abi::{CStatus, Handle};
use crate::calls::output_arguments::{give, out};
use crate::mpi::point_to_point::write_status;
use crate::mpi::requests::persistent;
use crate::rank::Polled;
use crate::rank::mpi_call::call;
use std::ffi::c_int;
use weir_message::{Status, UNDEFINED};

pub(crate) unsafe extern "C" fn request_get_status(
    request: Handle,
    flag: *mut c_int,
    status: *mut CStatus,
) -> c_int {
    call("MPI_Request_get_status", std::ptr::null_mut(), |context| {
        let Some(id) = persistent::active(context, request)? else {
            write_empty_status(status);
            return give(flag, "flag", 1);
        };
        let found = context.poll(Polled::Requests(vec![id]), |context| context.look_at(id))?;
        give(flag, "flag", c_int::from(found.is_some()))?;
        if let Some(found) = found {
            write_status(status, &found);
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn request_get_status_all(
    count: c_int,
    requests: *mut Handle,
    flag: *mut c_int,
    statuses: *mut CStatus,
) -> c_int {
    call("MPI_Request_get_status_all", std::ptr::null_mut(), |context| {
        let requests = array(requests, count)?;
        let ids = open(context, requests)?;
        let all = context.poll(looks_for(&ids), |context| all_complete(context, &ids))?.is_some();
        give(flag, "flag", c_int::from(all))?;
        if !all {
            return Ok(());
        }
        for (place, request) in requests.iter().enumerate() {
            let found = match persistent::active(context, request)? {
                None => Some(Status::empty()),
                Some(id) => context.look_at(id)?,
            };
            if let Some(found) = found {
                write_with_error(element(statuses, place), &found);
            }
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn request_get_status_any(
    count: c_int,
    requests: *mut Handle,
    index: *mut c_int,
    flag: *mut c_int,
    status: *mut CStatus,
) -> c_int {
    call("MPI_Request_get_status_any", std::ptr::null_mut(), |context| {
        let requests = array(requests, count)?;
        let (index, flag) = (out(index, "index")?, out(flag, "flag")?);
        let ids = open(context, requests)?;
        index.set(UNDEFINED);
        flag.set(1);
        if ids.is_empty() {
            write_empty_status(status);
            return Ok(());
        }
        match context.poll(looks_for(&ids), |context| first_complete(context, &ids))? {
            Some((place, id)) => {
                index.set(place as c_int);
                let found = context.look_at(id)?.unwrap_or_else(Status::empty);
                write_status(status, &found);
            }
            None => flag.set(0),
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn request_get_status_some(
    count: c_int,
    requests: *mut Handle,
    out_count: *mut c_int,
    indices: *mut c_int,
    statuses: *mut CStatus,
) -> c_int {
    call("MPI_Request_get_status_some", std::ptr::null_mut(), |context| {
        let requests = array(requests, count)?;
        let ids = open(context, requests)?;
        if ids.is_empty() {
            return give(out_count, "outcount", UNDEFINED);
        }
        out(out_count, "outcount")?;
        out(indices, "array_of_indices")?;
        context.poll(looks_for(&ids), |context| first_complete(context, &ids))?;
        let mut written = 0;
        for &(place, id) in &ids {
            let Some(found) = context.look_at(id)? else { continue };
            // Both arrays have room for all requests.
            give(indices.wrapping_add(written), "array_of_indices", place as c_int)?;
            write_with_error(element(statuses, written), &found);
            written += 1;
        }
        give(out_count, "out_count", written as c_int)
    })
}
