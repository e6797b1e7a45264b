//! Waiting for requests and testing them.

use crate::abi::{self, CStatus, ERR_IN_STATUS, ERR_PENDING, Handle, REQUEST_NULL, SUCCESS};
use crate::context::{Context, call};
use crate::point_to_point::{checked, tell};
use crate::rank::{Blocked, Wants};
use std::ffi::c_int;
use std::slice;
use weir_message::{MpiError, RequestId, Status, UNDEFINED};

/// The program's array of requests.
///
/// # Safety
/// `requests` is valid for `count` handles for as long as the result is used.
unsafe fn array<'a>(requests: *mut Handle, count: c_int) -> Result<&'a mut [Handle], MpiError> {
    let count = usize::try_from(count).map_err(|_| MpiError::Count(count.into()))?;
    // SAFETY: the caller's promise.
    Ok(if count == 0 { &mut [] } else { unsafe { slice::from_raw_parts_mut(requests, count) } })
}

/// The requests in an array, with their places; null ones are left out.
fn open(requests: &[Handle]) -> Result<Vec<(usize, RequestId)>, MpiError> {
    let all =
        requests.iter().enumerate().map(|(place, &handle)| Ok(abi::request(handle)?.map(|id| (place, id))));
    all.filter_map(Result::transpose).collect()
}

/// Ends a complete request: its data are where the program wants them, and its handle is null.
fn end(context: Context, request: &mut Handle, id: RequestId) -> Result<Status, MpiError> {
    *request = abi::predefined(REQUEST_NULL);
    context.deliver(id)
}

/// Element `index` of an array of statuses, which may be `MPI_STATUSES_IGNORE`.
fn element(statuses: *mut CStatus, index: usize) -> *mut CStatus {
    if statuses.is_null() { statuses } else { statuses.wrapping_add(index) }
}

fn is_complete(context: Context, id: RequestId) -> Result<bool, MpiError> {
    context.rank().process.is_complete(id)
}

pub(crate) unsafe extern "C" fn wait(request: *mut Handle, status: *mut CStatus) -> c_int {
    call("MPI_Wait", std::ptr::null_mut(), |context| {
        // SAFETY: the program's variable.
        let request = unsafe { &mut *request };
        let got = match abi::request(*request)? {
            None => Status::empty(),
            Some(id) => {
                if !is_complete(context, id)? {
                    context.wait(Blocked::request(id));
                }
                end(context, request, id)?
            }
        };
        // SAFETY: the program's status.
        unsafe { tell(status, &got) };
        checked(got).map(|_| ())
    })
}

pub(crate) unsafe extern "C" fn test(request: *mut Handle, flag: *mut c_int, status: *mut CStatus) -> c_int {
    call("MPI_Test", std::ptr::null_mut(), |context| {
        // SAFETY: the program's variables.
        let (request, flag) = unsafe { (&mut *request, &mut *flag) };
        let got = match abi::request(*request)? {
            None => Some(Status::empty()),
            Some(id) => {
                let look = || Ok(is_complete(context, id)?.then_some(()));
                match context.poll(Wants::Requests(vec![id]), look)? {
                    Some(()) => Some(end(context, request, id)?),
                    None => None,
                }
            }
        };
        *flag = c_int::from(got.is_some());
        match got {
            Some(got) => {
                // SAFETY: the program's status.
                unsafe { tell(status, &got) };
                checked(got).map(|_| ())
            }
            None => Ok(()),
        }
    })
}

/// Ends all requests of an array, all complete.
fn end_all(context: Context, requests: &mut [Handle], statuses: *mut CStatus) -> Result<(), MpiError> {
    let mut first_error = None;
    for (place, request) in requests.iter_mut().enumerate() {
        let got = match abi::request(*request)? {
            None => Status::empty(),
            Some(id) => end(context, request, id)?,
        };
        // SAFETY: the program's array has a status for each request.
        if let Some(to) = unsafe { element(statuses, place).as_mut() } {
            to.set_with_error(&got);
        }
        first_error = first_error.or(got.error);
    }
    first_error.map_or(Ok(()), Err)
}

/// Calls for several requests return `MPI_ERR_IN_STATUS`, and the statuses say more.
fn in_status(code: c_int) -> c_int {
    if code == SUCCESS || code == ERR_PENDING { code } else { ERR_IN_STATUS }
}

pub(crate) unsafe extern "C" fn waitall(
    count: c_int,
    requests: *mut Handle,
    statuses: *mut CStatus,
) -> c_int {
    in_status(call("MPI_Waitall", std::ptr::null_mut(), |context| {
        // SAFETY: the program's array.
        let requests = unsafe { array(requests, count)? };
        let ids = open(requests)?.into_iter().map(|(_, id)| id).collect();
        context.wait(Blocked::All { requests: ids, next: 0 });
        end_all(context, requests, statuses)
    }))
}

pub(crate) unsafe extern "C" fn testall(
    count: c_int,
    requests: *mut Handle,
    flag: *mut c_int,
    statuses: *mut CStatus,
) -> c_int {
    in_status(call("MPI_Testall", std::ptr::null_mut(), |context| {
        // SAFETY: the program's array.
        let requests = unsafe { array(requests, count)? };
        let ids = open(requests)?;
        let look = || {
            for &(_, id) in &ids {
                if !is_complete(context, id)? {
                    return Ok(None);
                }
            }
            Ok(Some(()))
        };
        let wants = looks_for(&ids);
        let all = context.poll(wants, look)?.is_some();
        // SAFETY: the program's variable.
        unsafe { *flag = c_int::from(all) };
        if all { end_all(context, requests, statuses) } else { Ok(()) }
    }))
}

/// What a rank that tests these requests looks for.
fn looks_for(ids: &[(usize, RequestId)]) -> Wants {
    Wants::Requests(ids.iter().map(|&(_, id)| id).collect())
}

/// The first complete request of an array.
fn first_complete(
    context: Context,
    ids: &[(usize, RequestId)],
) -> Result<Option<(usize, RequestId)>, MpiError> {
    for &(place, id) in ids {
        if is_complete(context, id)? {
            return Ok(Some((place, id)));
        }
    }
    Ok(None)
}

/// Tells which request was the first, and ends it.
fn end_one(
    context: Context,
    requests: &mut [Handle],
    (place, id): (usize, RequestId),
    index: *mut c_int,
    status: *mut CStatus,
) -> Result<(), MpiError> {
    let got = end(context, &mut requests[place], id)?;
    // SAFETY: the program's variables.
    unsafe {
        *index = place as c_int;
        tell(status, &got);
    }
    checked(got).map(|_| ())
}

/// There is nothing to wait for.
///
/// # Safety
/// The pointers are the program's variables.
unsafe fn none_active(index: *mut c_int, status: *mut CStatus) {
    // SAFETY: the caller's promise.
    unsafe {
        *index = UNDEFINED;
        tell(status, &Status::empty());
    }
}

pub(crate) unsafe extern "C" fn waitany(
    count: c_int,
    requests: *mut Handle,
    index: *mut c_int,
    status: *mut CStatus,
) -> c_int {
    call("MPI_Waitany", std::ptr::null_mut(), |context| {
        // SAFETY: the program's array.
        let requests = unsafe { array(requests, count)? };
        let ids = open(requests)?;
        if ids.is_empty() {
            // SAFETY: the program's variables.
            unsafe { none_active(index, status) };
            return Ok(());
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
        // SAFETY: the program's array and variable.
        let (requests, flag) = unsafe { (array(requests, count)?, &mut *flag) };
        let ids = open(requests)?;
        *flag = 1;
        if ids.is_empty() {
            // SAFETY: the program's variables.
            unsafe { none_active(index, status) };
            return Ok(());
        }
        match context.poll(looks_for(&ids), || first_complete(context, &ids))? {
            Some(first) => end_one(context, requests, first, index, status),
            None => {
                *flag = 0;
                // SAFETY: the program's variable.
                unsafe { *index = UNDEFINED };
                Ok(())
            }
        }
    })
}

/// Ends all complete requests of an array and tells which they were.
fn end_some(
    context: Context,
    requests: &mut [Handle],
    ids: &[(usize, RequestId)],
    out_count: *mut c_int,
    indices: *mut c_int,
    statuses: *mut CStatus,
) -> Result<(), MpiError> {
    let (mut ended, mut first_error) = (0, None);
    for &(place, id) in ids {
        if !is_complete(context, id)? {
            continue;
        }
        let got = end(context, &mut requests[place], id)?;
        // SAFETY: the program's arrays have room for all requests.
        unsafe {
            *indices.add(ended) = place as c_int;
            if let Some(to) = element(statuses, ended).as_mut() {
                to.set_with_error(&got);
            }
        }
        ended += 1;
        first_error = first_error.or(got.error);
    }
    // SAFETY: the program's variable.
    unsafe { *out_count = ended as c_int };
    first_error.map_or(Ok(()), Err)
}

pub(crate) unsafe extern "C" fn waitsome(
    count: c_int,
    requests: *mut Handle,
    out_count: *mut c_int,
    indices: *mut c_int,
    statuses: *mut CStatus,
) -> c_int {
    in_status(call("MPI_Waitsome", std::ptr::null_mut(), |context| {
        // SAFETY: the program's array.
        let requests = unsafe { array(requests, count)? };
        let ids = open(requests)?;
        if ids.is_empty() {
            // SAFETY: the program's variable.
            unsafe { *out_count = UNDEFINED };
            return Ok(());
        }
        context.catch_up();
        context.wait(Blocked::Any(ids.iter().map(|&(_, id)| id).collect()));
        end_some(context, requests, &ids, out_count, indices, statuses)
    }))
}

pub(crate) unsafe extern "C" fn testsome(
    count: c_int,
    requests: *mut Handle,
    out_count: *mut c_int,
    indices: *mut c_int,
    statuses: *mut CStatus,
) -> c_int {
    in_status(call("MPI_Testsome", std::ptr::null_mut(), |context| {
        // SAFETY: the program's array.
        let requests = unsafe { array(requests, count)? };
        let ids = open(requests)?;
        if ids.is_empty() {
            // SAFETY: the program's variable.
            unsafe { *out_count = UNDEFINED };
            return Ok(());
        }
        context.poll(looks_for(&ids), || first_complete(context, &ids))?;
        end_some(context, requests, &ids, out_count, indices, statuses)
    }))
}

pub(crate) unsafe extern "C" fn request_get_status(
    request: Handle,
    flag: *mut c_int,
    status: *mut CStatus,
) -> c_int {
    call("MPI_Request_get_status", std::ptr::null_mut(), |context| {
        let found = match abi::request(request)? {
            None => Some(Status::empty()),
            Some(id) => context.poll(Wants::Requests(vec![id]), || context.look_at(id))?,
        };
        // SAFETY: the program's variables.
        unsafe {
            *flag = c_int::from(found.is_some());
            if let Some(found) = found {
                tell(status, &found);
            }
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn request_free(request: *mut Handle) -> c_int {
    call("MPI_Request_free", std::ptr::null_mut(), |context| {
        // SAFETY: the program's variable.
        let request = unsafe { &mut *request };
        let id = abi::request(*request)?.ok_or(MpiError::Request)?;
        context.rank().process.release(id)?;
        *request = abi::predefined(REQUEST_NULL);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn cancel(request: *mut Handle) -> c_int {
    call("MPI_Cancel", std::ptr::null_mut(), |context| {
        // SAFETY: the program's variable.
        let id = abi::request(unsafe { *request })?.ok_or(MpiError::Request)?;
        context.rank().process.cancel(id)
    })
}

pub(crate) unsafe extern "C" fn test_cancelled(status: *const CStatus, flag: *mut c_int) -> c_int {
    call("MPI_Test_cancelled", std::ptr::null_mut(), |_| {
        // SAFETY: the program's variables.
        unsafe { *flag = c_int::from((*status).cancelled()) };
        Ok(())
    })
}
