//! Mistakes in calls: which error handler is asked, and what it does.

use crate::calls::abi::{self, Handle};
use crate::rank::context::Context;
use crate::rank::errors::{ErrorHandler, UserErrors};
use std::ffi::c_int;
use std::ptr;
use weir_message::{CommunicatorId, MpiError};

pub(crate) fn errors(context: &mut Context) -> &mut UserErrors {
    context.rank().objects().of::<UserErrors>()
}

/// The communicator whose handler is asked: that of the call, or another one where that is none.
fn responsible(context: &mut Context, comm: Handle) -> CommunicatorId {
    let known = abi::communicator(comm).ok();
    let known = known.filter(|&id| context.rank().process.communicator(id).is_ok());
    known.unwrap_or_else(|| of_no_object(context))
}

/// The communicator whose handler is asked about mistakes in calls that concern no object. Since MPI 4 that is self (MPI
/// 5.0, section 9.3), before it was the world: a program may have set either.
pub(crate) fn of_no_object(context: &mut Context) -> CommunicatorId {
    match context.rank().error_handler(CommunicatorId::SELF) {
        ErrorHandler::Fatal => CommunicatorId::WORLD,
        _ => CommunicatorId::SELF,
    }
}

/// Calls the error handler of a communicator. It returns if the program goes on: the code, as the handler has left it.
pub(crate) fn handle(
    context: &mut Context,
    comm: Handle,
    code: c_int,
    why: impl FnOnce() -> String,
) -> c_int {
    let id = responsible(context, comm);
    let handler = context.rank().error_handler(id);
    carry_out(context, handler, abi::communicator_handle(Some(id)), code, why)
}

/// Does what an error handler of `object` says. It returns if the program goes on: the code, which a handler of the program
/// may change.
pub(crate) fn carry_out(
    context: &mut Context,
    handler: ErrorHandler,
    object: Handle,
    code: c_int,
    why: impl FnOnce() -> String,
) -> c_int {
    match handler {
        ErrorHandler::Fatal | ErrorHandler::Abort => context.fail(why()),
        ErrorHandler::Return => code,
        ErrorHandler::Call(number) => {
            let function = errors(context).handlers[number].0;
            let (mut object, mut code) = (object, code);
            // SAFETY: the program's function, with what the standard says it gets.
            context.callback(|| unsafe { function(&raw mut object, &raw mut code) });
            code
        }
    }
}

/// A call on `comm` has failed: the error handler is called, and the call returns this code.
pub(crate) fn failed(context: &mut Context, name: &'static str, comm: Handle, error: &MpiError) -> c_int {
    let code = abi::error_code(error);
    // Null pointers and keys of other objects are found before anybody looks at what the call is about, as by MPICH.
    let before = matches!(error, MpiError::NullPointer(_) | MpiError::Keyval(_));
    let comm = if before { ptr::null_mut() } else { comm };
    handle(context, comm, code, || format!("{name} failed: {error}"))
}
