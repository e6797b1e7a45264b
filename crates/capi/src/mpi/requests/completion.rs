//! Waiting for requests and testing them.

mod looking;

use crate::calls::abi::{self, CStatus, ERR_IN_STATUS, Handle, REQUEST_NULL};
use crate::calls::output_arguments::{Array, Out, give, out};
use crate::mpi::point_to_point::{checked, write_status};
use crate::mpi::requests::persistent::{self, Named};
use crate::rank::context::Context;
use crate::rank::mpi_call::call;
use crate::rank::{Blocked, Polled};
pub(crate) use looking::{
    request_get_status, request_get_status_all, request_get_status_any, request_get_status_some,
};
use std::ffi::c_int;
use weir_message::{MpiError, RequestId, Status, UNDEFINED};

/// The program's array of requests.
pub(crate) fn array(requests: *mut Handle, count: c_int) -> Result<Array<Handle>, MpiError> {
    Array::new(requests, count, "array of requests")
}

/// The requests in an array, with their places; null and inactive ones are left out.
///
/// # Errors
/// When one is no request.
fn open(context: &mut Context, requests: Array<Handle>) -> Result<Vec<(usize, RequestId)>, MpiError> {
    let mut open = Vec::with_capacity(requests.len());
    for (place, handle) in requests.iter().enumerate() {
        if let Some(id) = persistent::active(context, handle)? {
            is_complete(context, id)?;
            open.push((place, id));
        }
    }
    Ok(open)
}

/// Ends a complete request: its data are where the program polled them; its handle is null, or it is inactive.
fn end(context: &mut Context, request: Out<Handle>, id: RequestId) -> Result<Status, MpiError> {
    persistent::over(context, request);
    context.deliver(id)
}

/// Writes that there is nothing to wait for: of a status for one request, too, the error is set then (MPI 5.0, section
/// 3.7.3).
fn write_empty_status(status: *mut CStatus) {
    write_with_error(status, &Status::empty());
}

/// Writes a status and its error where the program polled them.
fn write_with_error(to: *mut CStatus, status: &Status) {
    if let Some(to) = Out::of(to) {
        to.change(|to| to.set_with_error(status));
    }
}

/// Element `index` of an array of statuses, which may be `MPI_STATUSES_IGNORE`.
fn element(statuses: *mut CStatus, index: usize) -> *mut CStatus {
    if statuses.is_null() { statuses } else { statuses.wrapping_add(index) }
}

fn is_complete(context: &mut Context, id: RequestId) -> Result<bool, MpiError> {
    context.rank().process.is_complete(id)
}

pub(crate) unsafe extern "C" fn wait(request: *mut Handle, status: *mut CStatus) -> c_int {
    call("MPI_Wait", std::ptr::null_mut(), |context| {
        let request = out(request, "request")?;
        let got = match persistent::active(context, request.get())? {
            None => {
                write_empty_status(status);
                return Ok(());
            }
            Some(id) => {
                if !is_complete(context, id)? {
                    context.wait(Blocked::request(id));
                }
                end(context, request, id)?
            }
        };
        write_status(status, &got);
        checked(got).map(|_| ())
    })
}

pub(crate) unsafe extern "C" fn test(request: *mut Handle, flag: *mut c_int, status: *mut CStatus) -> c_int {
    call("MPI_Test", std::ptr::null_mut(), |context| {
        let (request, flag) = (out(request, "request")?, out(flag, "flag")?);
        let got = match persistent::active(context, request.get())? {
            None => {
                flag.set(1);
                write_empty_status(status);
                return Ok(());
            }
            Some(id) => {
                let look = |context: &mut Context| Ok(is_complete(context, id)?.then_some(()));
                match context.poll(Polled::Requests(vec![id]), look)? {
                    Some(()) => Some(end(context, request, id)?),
                    None => None,
                }
            }
        };
        flag.set(c_int::from(got.is_some()));
        match got {
            Some(got) => {
                write_status(status, &got);
                checked(got).map(|_| ())
            }
            None => Ok(()),
        }
    })
}

/// Ends all requests of an array, all complete.
fn end_all(
    context: &mut Context,
    requests: Array<Handle>,
    statuses: *mut CStatus,
    failed: &mut InStatus,
) -> Result<(), MpiError> {
    let mut first_error = None;
    for place in 0..requests.len() {
        let request = requests.at(place);
        let got = match persistent::active(context, request.get())? {
            None => Status::empty(),
            Some(id) => end(context, request, id)?,
        };
        write_with_error(element(statuses, place), &got);
        first_error = first_error.or(got.error.map(|error| *error));
    }
    failed.report(first_error)
}

/// Carries out a call for several requests. When one of them has failed (`body` says so in its variable), it returns
/// `MPI_ERR_IN_STATUS`, and the statuses say more.
fn call_for_several(
    name: &'static str,
    body: impl FnOnce(&mut Context, &mut InStatus) -> Result<(), MpiError>,
) -> c_int {
    let mut in_status = InStatus::No;
    let code = call(name, std::ptr::null_mut(), |context| body(context, &mut in_status));
    match in_status {
        InStatus::No => code,
        InStatus::Yes => ERR_IN_STATUS,
    }
}

/// Whether a request has failed, and its status says why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InStatus {
    No,
    Yes,
}

impl InStatus {
    /// Returns the first error of several requests.
    fn report(&mut self, first: Option<MpiError>) -> Result<(), MpiError> {
        first.map_or(Ok(()), |error| {
            *self = Self::Yes;
            Err(error)
        })
    }
}

pub(crate) unsafe extern "C" fn waitall(
    count: c_int,
    requests: *mut Handle,
    statuses: *mut CStatus,
) -> c_int {
    call_for_several("MPI_Waitall", |context, failed| {
        let requests = array(requests, count)?;
        let ids = open(context, requests)?.into_iter().map(|(_, id)| id).collect();
        context.wait(Blocked::All { requests: ids, next: 0 });
        end_all(context, requests, statuses, failed)
    })
}

pub(crate) unsafe extern "C" fn testall(
    count: c_int,
    requests: *mut Handle,
    flag: *mut c_int,
    statuses: *mut CStatus,
) -> c_int {
    call_for_several("MPI_Testall", |context, failed| {
        let requests = array(requests, count)?;
        let ids = open(context, requests)?;
        let all = context.poll(looks_for(&ids), |context| all_complete(context, &ids))?.is_some();
        give(flag, "flag", c_int::from(all))?;
        if all { end_all(context, requests, statuses, failed) } else { Ok(()) }
    })
}

/// What a rank that tests these requests looks for.
fn looks_for(ids: &[(usize, RequestId)]) -> Polled {
    Polled::Requests(ids.iter().map(|&(_, id)| id).collect())
}

/// Whether all requests of an array are complete.
fn all_complete(context: &mut Context, ids: &[(usize, RequestId)]) -> Result<Option<()>, MpiError> {
    for &(_, id) in ids {
        if !is_complete(context, id)? {
            return Ok(None);
        }
    }
    Ok(Some(()))
}

/// The first complete request of an array.
fn first_complete(
    context: &mut Context,
    ids: &[(usize, RequestId)],
) -> Result<Option<(usize, RequestId)>, MpiError> {
    for &(place, id) in ids {
        if is_complete(context, id)? {
            return Ok(Some((place, id)));
        }
    }
    Ok(None)
}

/// Returns which request was the first, and ends it.
fn end_one(
    context: &mut Context,
    requests: Array<Handle>,
    (place, id): (usize, RequestId),
    index: *mut c_int,
    status: *mut CStatus,
) -> Result<(), MpiError> {
    let index = out(index, "index")?;
    let got = end(context, requests.at(place), id)?;
    index.set(place as c_int);
    write_status(status, &got);
    checked(got).map(|_| ())
}

/// There is nothing to wait for.
fn none_active(index: *mut c_int, status: *mut CStatus) -> Result<(), MpiError> {
    give(index, "index", UNDEFINED)?;
    write_empty_status(status);
    Ok(())
}

pub(crate) unsafe extern "C" fn waitany(
    count: c_int,
    requests: *mut Handle,
    index: *mut c_int,
    status: *mut CStatus,
) -> c_int {
    call("MPI_Waitany", std::ptr::null_mut(), |context| {
        let requests = array(requests, count)?;
        let ids = open(context, requests)?;
        if ids.is_empty() {
            return none_active(index, status);
        }
        context.catch_up();
        context.wait(Blocked::Any(ids.iter().map(|&(_, id)| id).collect()));
        match first_complete(context, &ids)? {
            Some(first) => end_one(context, requests, first, index, status),
            None => Err(MpiError::Request),
        }
    })
}

pub(crate) unsafe extern "C" fn testany(
    count: c_int,
    requests: *mut Handle,
    index: *mut c_int,
    flag: *mut c_int,
    status: *mut CStatus,
) -> c_int {
    call("MPI_Testany", std::ptr::null_mut(), |context| {
        let (requests, flag) = (array(requests, count)?, out(flag, "flag")?);
        let ids = open(context, requests)?;
        flag.set(1);
        if ids.is_empty() {
            return none_active(index, status);
        }
        match context.poll(looks_for(&ids), |context| first_complete(context, &ids))? {
            Some(first) => end_one(context, requests, first, index, status),
            None => {
                flag.set(0);
                give(index, "index", UNDEFINED)
            }
        }
    })
}

/// Ends all complete requests of an array and returns which they were.
fn end_some(
    context: &mut Context,
    requests: Array<Handle>,
    ids: &[(usize, RequestId)],
    out_count: *mut c_int,
    indices: *mut c_int,
    statuses: *mut CStatus,
    failed: &mut InStatus,
) -> Result<(), MpiError> {
    let (mut ended, mut first_error) = (0, None);
    for &(place, id) in ids {
        if !is_complete(context, id)? {
            continue;
        }
        let got = end(context, requests.at(place), id)?;
        // Both arrays have room for all requests.
        give(indices.wrapping_add(ended), "array_of_indices", place as c_int)?;
        write_with_error(element(statuses, ended), &got);
        ended += 1;
        first_error = first_error.or(got.error.map(|error| *error));
    }
    give(out_count, "out_count", ended as c_int)?;
    failed.report(first_error)
}

pub(crate) unsafe extern "C" fn waitsome(
    count: c_int,
    requests: *mut Handle,
    out_count: *mut c_int,
    indices: *mut c_int,
    statuses: *mut CStatus,
) -> c_int {
    call_for_several("MPI_Waitsome", |context, failed| {
        let requests = array(requests, count)?;
        let ids = open(context, requests)?;
        if ids.is_empty() {
            return give(out_count, "outcount", UNDEFINED);
        }
        out(out_count, "outcount")?;
        out(indices, "array_of_indices")?;
        context.catch_up();
        context.wait(Blocked::Any(ids.iter().map(|&(_, id)| id).collect()));
        end_some(context, requests, &ids, out_count, indices, statuses, failed)
    })
}

pub(crate) unsafe extern "C" fn testsome(
    count: c_int,
    requests: *mut Handle,
    out_count: *mut c_int,
    indices: *mut c_int,
    statuses: *mut CStatus,
) -> c_int {
    call_for_several("MPI_Testsome", |context, failed| {
        let requests = array(requests, count)?;
        let ids = open(context, requests)?;
        if ids.is_empty() {
            return give(out_count, "outcount", UNDEFINED);
        }
        out(out_count, "outcount")?;
        out(indices, "array_of_indices")?;
        context.poll(looks_for(&ids), |context| first_complete(context, &ids))?;
        end_some(context, requests, &ids, out_count, indices, statuses, failed)
    })
}

pub(crate) unsafe extern "C" fn request_free(request: *mut Handle) -> c_int {
    call("MPI_Request_free", std::ptr::null_mut(), |context| {
        let request = out(request, "request")?;
        match persistent::named(context, request.get())? {
            Named::Null => return Err(MpiError::Request),
            Named::Inactive => {}
            Named::Active(id) => context.rank().process.release(id)?,
        }
        persistent::remove(context, request.get());
        context.deliver_released();
        request.set(abi::predefined(REQUEST_NULL));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn cancel(request: *mut Handle) -> c_int {
    call("MPI_Cancel", std::ptr::null_mut(), |context| {
        let id = persistent::active(context, out(request, "request")?.get())?.ok_or(MpiError::Request)?;
        if let Some(request) = context.rank().generalised(id) {
            let complete = is_complete(context, id)?;
            return request.cancel(context, complete);
        }
        let (rank, actions) = context.both();
        rank.process.cancel(actions, id)?;
        // Programs may look at the status at once. The receiver's library answers without its program.
        if context.rank().process.awaits_clearance(id) {
            context.wait(Blocked::Cancel(id));
        }
        Ok(())
    })
}
