//! Requests: waiting for them and testing them; below, keeping them, and what is done when they are complete.

pub(crate) mod delivery;
pub(crate) mod persistent;

use crate::calls::output_arguments::{give, given, out};
use crate::mpi::point_to_point::{checked, write_status};
use crate::mpi::prelude::*;
use crate::mpi::requests::delivery::{Delivery, Generalized};
use crate::mpi::requests::persistent::Named;
use crate::rank::mpi_call::call;
use crate::rank::{Awaited, Blocked};
use std::rc::Rc;
use weir_message::{RequestId, Status, UNDEFINED};

/// Number and array of requests, as a program gives them.
pub(crate) struct Requests(c_int, *mut Handle);

impl Requests {
    pub(crate) fn new(count: c_int, requests: *const Handle) -> Self {
        Self(count, requests.cast_mut())
    }
}

arguments! { Requests => Array<Handle>: |_, name, Requests(count, requests)| Self::new(requests, count, name); }

/// The requests in an array, with their places; null and inactive ones are left out. Fails when one is no request.
fn open(context: &mut Context, requests: Array<Handle>) -> Result<Vec<(usize, RequestId)>> {
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
fn end(context: &mut Context, request: Out<Handle>, id: RequestId) -> Result<Status> {
    persistent::over(context, request);
    context.deliver(id)
}

/// Writes that there is nothing to wait for, with an error in any case (MPI 5.0, section 3.7.3).
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

fn is_complete(context: &mut Context, id: RequestId) -> Result<bool> {
    context.rank().process.is_complete(id)
}

pub(crate) fn wait(context: &mut Context, request: Out<Handle>, status: *mut CStatus) -> Done {
    let Some(id) = persistent::active(context, request.get())? else {
        write_empty_status(status);
        return Ok(());
    };
    if !is_complete(context, id)? {
        context.wait(Blocked::One(id));
    }
    let got = end(context, request, id)?;
    write_status(status, &got);
    checked(got).map(|_| ())
}

pub(crate) fn test(context: &mut Context, args: Test) -> Done {
    let Some(id) = persistent::active(context, args.request.get())? else {
        args.flag.set(1);
        write_empty_status(args.status);
        return Ok(());
    };
    let look = |context: &mut Context| Ok(is_complete(context, id)?.then_some(()));
    if context.poll(Awaited::Requests(vec![id]), look)?.is_none() {
        return args.flag.give(0);
    }
    let got = end(context, args.request, id)?;
    args.flag.set(1);
    write_status(args.status, &got);
    checked(got).map(|_| ())
}

pub(crate) fn request_get_status(context: &mut Context, args: RequestGetStatus) -> Done {
    let Some(id) = persistent::active(context, args.request)? else {
        write_empty_status(args.status);
        return args.flag.give(1);
    };
    let found = context.poll(Awaited::Requests(vec![id]), |context| context.look_at(id))?;
    args.flag.set(c_int::from(found.is_some()));
    if let Some(found) = found {
        write_status(args.status, &found);
    }
    Ok(())
}

/// Carries out a call for several requests. When one of them has failed (`body` says so in its variable), it returns
/// `MPI_ERR_IN_STATUS`, and the statuses say more.
pub(crate) fn call_for_several(
    name: &'static str,
    body: impl FnOnce(&mut Context, &mut bool) -> Done,
) -> c_int {
    let mut is_in_status = false;
    let code = call(name, std::ptr::null_mut(), |context| body(context, &mut is_in_status));
    if is_in_status { MPI_ERR_IN_STATUS } else { code }
}

/// A call's way with requests: it waits for them or tests them, and ends the complete ones, or it looks at them
/// (`MPI_Request_get_status` and its kin).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    Wait,
    Test,
    Look,
}

impl Visit {
    fn status(self, context: &mut Context, request: Out<Handle>, id: RequestId) -> Result<Option<Status>> {
        match self {
            Self::Look => context.look_at(id),
            _ if is_complete(context, id)? => end(context, request, id).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns the first error of several requests, unless they were only looked at.
    fn report(self, failed: &mut bool, first: Option<MpiError>) -> Done {
        let Some(error) = first.filter(|_| self != Self::Look) else { return Ok(()) };
        *failed = true;
        Err(error)
    }
}

fn wait_for_any(context: &mut Context, ids: &[(usize, RequestId)]) {
    context.catch_up();
    context.wait(Blocked::For(looks_for(ids)));
}

fn looks_for(ids: &[(usize, RequestId)]) -> Awaited {
    Awaited::Requests(ids.iter().map(|&(_, id)| id).collect())
}

fn first_complete(context: &mut Context, ids: &[(usize, RequestId)]) -> Result<Option<(usize, RequestId)>> {
    for &(place, id) in ids {
        if is_complete(context, id)? {
            return Ok(Some((place, id)));
        }
    }
    Ok(None)
}

/// Gives the statuses of all requests of an array, all complete; returns the first error.
fn statuses_of_all(
    context: &mut Context,
    requests: Array<Handle>,
    statuses: *mut CStatus,
    visit: Visit,
) -> Result<Option<MpiError>> {
    let mut first_error = None;
    for place in 0..requests.len() {
        let request = requests.at(place);
        let got = match persistent::active(context, request.get())? {
            None => Some(Status::empty()),
            Some(id) => visit.status(context, request, id)?,
        };
        let Some(got) = got else { continue };
        write_with_error(element(statuses, place), &got);
        first_error = first_error.or(got.error.map(|error| *error));
    }
    Ok(first_error)
}

pub(crate) fn waitall(context: &mut Context, failed: &mut bool, args: Waitall) -> Done {
    let ids = open(context, args.requests)?.into_iter().map(|(_, id)| id).collect();
    context.wait(Blocked::All { requests: ids, next: 0 });
    let first_error = statuses_of_all(context, args.requests, args.statuses, Visit::Wait)?;
    Visit::Wait.report(failed, first_error)
}

pub(crate) fn visit_all(context: &mut Context, failed: &mut bool, visit: Visit, args: VisitAll) -> Done {
    let ids = open(context, args.requests)?;
    let all_complete = |context: &mut Context| {
        for &(_, id) in &ids {
            if !is_complete(context, id)? {
                return Ok(None);
            }
        }
        Ok(Some(()))
    };
    let all = context.poll(looks_for(&ids), all_complete)?.is_some();
    args.flag.set(c_int::from(all));
    if !all {
        return Ok(());
    }
    let first_error = statuses_of_all(context, args.requests, args.statuses, visit)?;
    visit.report(failed, first_error)
}

/// Gives the status of the request that is complete, and its place.
fn visit_one(
    context: &mut Context,
    requests: Array<Handle>,
    (place, id): (usize, RequestId),
    (index, status): (Out<c_int>, *mut CStatus),
    visit: Visit,
) -> Done {
    let got = visit.status(context, requests.at(place), id)?.unwrap_or_else(Status::empty);
    index.set(place as c_int);
    write_status(status, &got);
    if visit == Visit::Look { Ok(()) } else { checked(got).map(|_| ()) }
}

fn none_active(index: Out<c_int>, status: *mut CStatus) -> Done {
    write_empty_status(status);
    index.give(UNDEFINED)
}

pub(crate) fn waitany(context: &mut Context, args: Waitany) -> Done {
    let ids = open(context, args.requests)?;
    if ids.is_empty() {
        return none_active(args.index, args.status);
    }
    wait_for_any(context, &ids);
    let first = first_complete(context, &ids)?.ok_or(MpiError::Request)?;
    visit_one(context, args.requests, first, (args.index, args.status), Visit::Wait)
}

pub(crate) fn visit_any(context: &mut Context, visit: Visit, args: VisitAny) -> Done {
    let ids = open(context, args.requests)?;
    args.flag.set(1);
    if ids.is_empty() {
        return none_active(args.index, args.status);
    }
    match context.poll(looks_for(&ids), |context| first_complete(context, &ids))? {
        Some(first) => visit_one(context, args.requests, first, (args.index, args.status), visit),
        None => {
            args.flag.set(0);
            args.index.give(UNDEFINED)
        }
    }
}

/// Gives the statuses of all complete requests of an array, and their places. There is room for all of them.
pub(crate) fn visit_some(context: &mut Context, failed: &mut bool, visit: Visit, args: VisitSome) -> Done {
    let ids = open(context, args.requests)?;
    if ids.is_empty() {
        return args.outcount.give(UNDEFINED);
    }
    out(args.indices, "array_of_indices")?;
    match visit {
        Visit::Wait => wait_for_any(context, &ids),
        Visit::Test | Visit::Look => {
            context.poll(looks_for(&ids), |context| first_complete(context, &ids))?;
        }
    }
    let (mut visited, mut first_error) = (0, None);
    for (place, id) in ids {
        let Some(got) = visit.status(context, args.requests.at(place), id)? else { continue };
        give(args.indices.wrapping_add(visited), "array_of_indices", place as c_int)?;
        write_with_error(element(args.statuses, visited), &got);
        visited += 1;
        first_error = first_error.or(got.error.map(|error| *error));
    }
    args.outcount.set(visited as c_int);
    visit.report(failed, first_error)
}

pub(crate) fn request_free(context: &mut Context, request: Out<Handle>) -> Done {
    match persistent::named(context, request.get())? {
        Named::Null => return Err(MpiError::Request),
        Named::Inactive => {}
        Named::Active(id) => context.rank().process.release(id)?,
    }
    persistent::remove(context, request.get());
    context.deliver_released();
    request.give(abi::predefined(MPI_REQUEST_NULL))
}

pub(crate) fn cancel(context: &mut Context, request: Out<Handle>) -> Done {
    let id = persistent::active(context, request.get())?.ok_or(MpiError::Request)?;
    if let Some(request) = context.rank().generalized(id) {
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
}

pub(crate) fn grequest_start(context: &mut Context, args: GrequestStart) -> Done {
    let (Some(query), Some(free), Some(cancel)) = (args.query_fn, args.free_fn, args.cancel_fn) else {
        return Err(MpiError::NullPointer("for a function".into()));
    };
    let id = context.rank().process.open();
    let generalized = Rc::new(Generalized { query, free, cancel, extra: args.extra_state });
    context.rank().set_delivery(id, Delivery::Generalized(generalized));
    args.request.give(abi::request_handle(id))
}

pub(crate) fn grequest_complete(context: &mut Context, request: Handle) -> Done {
    let id = abi::request(request)?.ok_or(MpiError::Request)?;
    if context.rank().generalized(id).is_none() {
        return Err(MpiError::Request);
    }
    let (rank, actions) = context.both();
    rank.process.fulfil(actions, id)?;
    context.deliver_released();
    Ok(())
}

/// Functions that read or write one field of a status.
macro_rules! fields {
    ($($get:ident $set:ident: $field:ident;)*) => {$(
        pub(crate) fn $get(_: &mut Context, status: *const CStatus, value: Out<c_int>) -> Done {
            value.give(given(status, "status")?.$field)
        }

        pub(crate) fn $set(_: &mut Context, status: Out<CStatus>, value: c_int) -> Done {
            status.change(|status| status.$field = value);
            Ok(())
        }
    )*};
}

fields! {
    status_get_source status_set_source: source;
    status_get_tag status_set_tag: tag;
    status_get_error status_set_error: error;
}

pub(crate) fn status_set_cancelled(_: &mut Context, status: Out<CStatus>, flag: c_int) -> Done {
    status.change(|status| status.set_cancelled(flag != 0));
    Ok(())
}

pub(crate) fn test_cancelled(_: &mut Context, status: *const CStatus, flag: Out<c_int>) -> Done {
    flag.give(c_int::from(given(status, "status")?.cancelled()))
}
