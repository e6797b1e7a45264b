//! Generalised requests: the program says when they are complete, and its functions what their status is
//! (MPI 5.0, section 13.2).

use crate::calls::Done;
use crate::calls::abi::MPI_SUCCESS;
use crate::calls::abi::{self, CStatus, Handle};
use crate::calls::output_arguments::Out;
use crate::mpi::requests::delivery::Delivery;
use crate::rank::context::Context;
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use weir_message::MpiError;
use weir_message::Status;

/// `MPI_Grequest_query_function`
pub(crate) type Query = unsafe extern "C" fn(*mut c_void, *mut CStatus) -> c_int;
/// `MPI_Grequest_free_function`
pub(crate) type Free = unsafe extern "C" fn(*mut c_void) -> c_int;
/// `MPI_Grequest_cancel_function`
pub(crate) type Cancel = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;

pub(crate) struct Generalised {
    query: Query,
    free: Free,
    cancel: Cancel,
    extra: *mut c_void,
}

fn returned(code: c_int) -> Done {
    if code == MPI_SUCCESS { Ok(()) } else { Err(MpiError::OfProgram(code)) }
}

impl Generalised {
    pub(crate) fn query(&self, context: &mut Context) -> Status {
        let mut status = CStatus::new(&Status::empty());
        // SAFETY: the program's function, with what the standard says it gets.
        let code = context.callback(|| unsafe { (self.query)(self.extra, &raw mut status) });
        Status { error: returned(code).err().map(Box::new), ..status.get() }
    }

    pub(crate) fn free(&self, context: &mut Context) -> Done {
        // SAFETY: as above.
        returned(context.callback(|| unsafe { (self.free)(self.extra) }))
    }

    /// The program cancels the request, which is complete or not.
    pub(crate) fn cancel(&self, context: &mut Context, complete: bool) -> Done {
        // SAFETY: as above.
        returned(context.callback(|| unsafe { (self.cancel)(self.extra, c_int::from(complete)) }))
    }
}

pub(crate) fn grequest_start(
    context: &mut Context,
    query: Option<Query>,
    free: Option<Free>,
    cancel: Option<Cancel>,
    extra: *mut c_void,
    request: Out<Handle>,
) -> Done {
    let (Some(query), Some(free), Some(cancel)) = (query, free, cancel) else {
        return Err(MpiError::NullPointer("for a function".into()));
    };
    let id = context.rank().process.open();
    let generalised = Rc::new(Generalised { query, free, cancel, extra });
    context.rank().set_delivery(id, Delivery::Generalised(generalised));
    request.give(abi::request_handle(id))
}

pub(crate) fn grequest_complete(context: &mut Context, request: Handle) -> Done {
    let id = abi::request(request)?.ok_or(MpiError::Request)?;
    if context.rank().generalised(id).is_none() {
        return Err(MpiError::Request);
    }
    let (rank, actions) = context.both();
    rank.process.fulfil(actions, id)?;
    context.deliver_released();
    Ok(())
}
