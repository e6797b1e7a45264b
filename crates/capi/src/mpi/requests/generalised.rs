//! Generalised requests: the program says when they are complete, and its functions what their status is
//! (MPI 5.0, section 13.2).

use crate::calls::abi::{self, CStatus, Handle, SUCCESS};
use crate::calls::output_arguments::out;
use crate::mpi::requests::delivery::Delivery;
use crate::rank::context::Context;
use crate::rank::mpi_call::call;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;
use weir_message::{MpiError, Status};

/// `MPI_Grequest_query_function`
type Query = unsafe extern "C" fn(*mut c_void, *mut CStatus) -> c_int;
/// `MPI_Grequest_free_function`
type Free = unsafe extern "C" fn(*mut c_void) -> c_int;
/// `MPI_Grequest_cancel_function`
type Cancel = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;

/// The functions of a generalised request.
pub(crate) struct Generalised {
    query: Query,
    free: Free,
    cancel: Cancel,
    extra: *mut c_void,
}

/// What a function of the program has returned.
fn returned(code: c_int) -> Result<(), MpiError> {
    if code == SUCCESS { Ok(()) } else { Err(MpiError::OfProgram(code)) }
}

impl Generalised {
    /// The status of the complete request.
    pub(crate) fn query(&self, context: &mut Context) -> Status {
        let mut status = CStatus::new(&Status::empty());
        // SAFETY: the program's function, with what the standard says it gets.
        let code = context.callback(|| unsafe { (self.query)(self.extra, &raw mut status) });
        Status { error: returned(code).err().map(Box::new), ..status.get() }
    }

    /// The request is not needed any more.
    pub(crate) fn free(&self, context: &mut Context) -> Result<(), MpiError> {
        // SAFETY: as above.
        returned(context.callback(|| unsafe { (self.free)(self.extra) }))
    }

    /// The program cancels the request, which is complete or not.
    pub(crate) fn cancel(&self, context: &mut Context, complete: bool) -> Result<(), MpiError> {
        // SAFETY: as above.
        returned(context.callback(|| unsafe { (self.cancel)(self.extra, c_int::from(complete)) }))
    }
}

pub(crate) unsafe extern "C" fn start(
    query: Option<Query>,
    free: Option<Free>,
    cancel: Option<Cancel>,
    extra: *mut c_void,
    request: *mut Handle,
) -> c_int {
    call("MPI_Grequest_start", ptr::null_mut(), |context| {
        let request = out(request, "request")?;
        let (Some(query), Some(free), Some(cancel)) = (query, free, cancel) else {
            return Err(MpiError::NullPointer("for a function".into()));
        };
        let id = context.rank().process.open();
        let generalised = Rc::new(Generalised { query, free, cancel, extra });
        context.rank().set_delivery(id, Delivery::Generalised(generalised));
        request.set(abi::request_handle(id));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn complete(request: Handle) -> c_int {
    call("MPI_Grequest_complete", ptr::null_mut(), |context| {
        let id = abi::request(request)?.ok_or(MpiError::Request)?;
        if context.rank().generalised(id).is_none() {
            return Err(MpiError::Request);
        }
        let (rank, actions) = context.both();
        rank.process.fulfil(actions, id)?;
        context.deliver_released();
        Ok(())
    })
}
