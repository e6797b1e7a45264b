//! What happens to mistakes: error handlers, predefined and the program's own, and error classes and codes that the
//! program adds (MPI 5.0, sections 9.3 to 9.5).

use crate::calls::abi::{self, ERRHANDLER_NULL, ERRORS_ABORT, ERRORS_ARE_FATAL, ERRORS_RETURN, Handle};
use crate::calls::output_arguments::{give, give_text, out, string};
use crate::mpi::attributes::Attributes;
use crate::rank::context::Context;
use crate::rank::errors::{ErrorHandler, HandlerFunction, UserCode};
use crate::rank::mistakes::{errors, handle};
use crate::rank::mpi_call::{call, enter};
use std::ffi::{c_char, c_int};
use std::ptr;
use weir_message::MpiError;

fn argument(what: impl std::fmt::Display) -> MpiError {
    MpiError::Argument(what.to_string())
}

/// A handle for a new error handler of the program.
pub(crate) fn create(context: &mut Context, function: Option<HandlerFunction>) -> Result<Handle, MpiError> {
    let function = function.ok_or_else(|| MpiError::NullPointer("function".into()))?;
    let handlers = &mut errors(context).handlers;
    handlers.push((function, 1));
    Ok(abi::own_handle(handlers.len() - 1))
}

/// The error handler behind a handle.
pub(crate) fn of_handle(context: &mut Context, handler: Handle) -> Result<ErrorHandler, MpiError> {
    Ok(match handler as usize {
        ERRORS_ARE_FATAL => ErrorHandler::Fatal,
        ERRORS_ABORT => ErrorHandler::Abort,
        ERRORS_RETURN => ErrorHandler::Return,
        _ => ErrorHandler::Call(own(context, handler)?),
    })
}

/// A handle for an error handler that is set somewhere; the program has to free it.
pub(crate) fn handle_of(context: &mut Context, handler: ErrorHandler) -> Handle {
    match handler {
        ErrorHandler::Fatal => abi::predefined(ERRORS_ARE_FATAL),
        ErrorHandler::Abort => abi::predefined(ERRORS_ABORT),
        ErrorHandler::Return => abi::predefined(ERRORS_RETURN),
        ErrorHandler::Call(number) => {
            errors(context).handlers[number].1 += 1;
            abi::own_handle(number)
        }
    }
}

pub(crate) unsafe extern "C" fn comm_create_errhandler(
    function: Option<HandlerFunction>,
    handler: *mut Handle,
) -> c_int {
    call("MPI_Comm_create_errhandler", ptr::null_mut(), |context| {
        give(handler, "handler", create(context, function)?)
    })
}

/// The number of a handler of the program that is not freed.
fn own(context: &mut Context, handler: Handle) -> Result<usize, MpiError> {
    let index = abi::own_index(handler).ok_or(MpiError::ErrorHandler)?;
    let known = errors(context).handlers.get(index).is_some_and(|(_, references)| *references > 0);
    if known { Ok(index) } else { Err(MpiError::ErrorHandler) }
}

pub(crate) unsafe extern "C" fn comm_set_errhandler(comm: Handle, handler: Handle) -> c_int {
    call("MPI_Comm_set_errhandler", comm, |context| {
        let id = abi::communicator(comm)?;
        context.rank().process.communicator(id)?;
        let known = of_handle(context, handler)?;
        context.rank().set_error_handler(id, known);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn comm_get_errhandler(comm: Handle, handler: *mut Handle) -> c_int {
    call("MPI_Comm_get_errhandler", comm, |context| {
        let id = abi::communicator(comm)?;
        context.rank().process.communicator(id)?;
        let known = context.rank().error_handler(id);
        let value = handle_of(context, known);
        give(handler, "handler", value)
    })
}

pub(crate) unsafe extern "C" fn comm_call_errhandler(comm: Handle, code: c_int) -> c_int {
    call("MPI_Comm_call_errhandler", comm, |context| {
        context.rank().process.communicator(abi::communicator(comm)?)?;
        handle(context, comm, code, || format!("it called MPI_Comm_call_errhandler with error code {code}"));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn errhandler_free(handler: *mut Handle) -> c_int {
    call("MPI_Errhandler_free", ptr::null_mut(), |context| {
        let known = out(handler, "handler")?.get();
        // Predefined ones may be freed, for MPI_Comm_get_errhandler gives them.
        if !(ERRORS_ARE_FATAL..=ERRORS_RETURN).contains(&(known as usize)) {
            let index = own(context, known)?;
            errors(context).handlers[index].1 -= 1;
        }
        give(handler, "handler", abi::predefined(ERRHANDLER_NULL))
    })
}

pub(crate) unsafe extern "C" fn error_class(code: c_int, class: *mut c_int) -> c_int {
    enter("MPI_Error_class", ptr::null_mut(), |context| {
        let known = errors(context).class(code);
        give(class, "class", known.ok_or_else(|| argument(format_args!("{code} is not an error code")))?)
    })
}

pub(crate) unsafe extern "C" fn error_string(code: c_int, text: *mut c_char, length: *mut c_int) -> c_int {
    enter("MPI_Error_string", ptr::null_mut(), |context| {
        let own = errors(context).code(code).and_then(|known| known.as_ref());
        let known = match (abi::error_text(code), own) {
            (Some(known), _) => known,
            (None, Some(own)) => own.text.as_str(),
            (None, None) => return Err(argument(format_args!("{code} is not an error code"))),
        };
        give_text(known, abi::MAX_ERROR_STRING, text, length)
    })
}

fn added(context: &mut Context, class: Option<c_int>) -> c_int {
    let code = errors(context).add(class);
    let last = errors(context).last_used_code();
    context.rank().objects().of::<Attributes>().set_last_used_code(last);
    code
}

pub(crate) unsafe extern "C" fn add_error_class(class: *mut c_int) -> c_int {
    enter("MPI_Add_error_class", ptr::null_mut(), |context| give(class, "class", added(context, None)))
}

pub(crate) unsafe extern "C" fn add_error_code(class: c_int, code: *mut c_int) -> c_int {
    enter("MPI_Add_error_code", ptr::null_mut(), |context| {
        if errors(context).class(class) != Some(class) {
            return Err(argument(format_args!("{class} is not an error class")));
        }
        give(code, "code", added(context, Some(class)))
    })
}

/// Changes a class or code of the program.
fn change(
    name: &'static str,
    code: c_int,
    change: impl FnOnce(&mut Option<UserCode>) -> Result<(), MpiError>,
) -> c_int {
    enter(name, ptr::null_mut(), |context| {
        let known = errors(context).code(code);
        change(known.ok_or_else(|| argument(format_args!("{code} is not an error code of the program")))?)
    })
}

pub(crate) unsafe extern "C" fn add_error_string(code: c_int, text: *const c_char) -> c_int {
    change("MPI_Add_error_string", code, |known| {
        // SAFETY: the program's string.
        let text = string(text, "text")?.to_string_lossy().into_owned();
        if let Some(known) = known {
            known.text = text;
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn remove_error_string(code: c_int) -> c_int {
    change("MPI_Remove_error_string", code, |known| {
        if let Some(known) = known {
            known.text.clear();
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn remove_error_code(code: c_int) -> c_int {
    enter("MPI_Remove_error_code", ptr::null_mut(), |context| match errors(context).class(code) {
        Some(class) if class == code => Err(argument(format_args!("{code} is an error class, not a code"))),
        Some(_) => {
            errors(context).remove(code);
            Ok(())
        }
        None => Err(argument(format_args!("{code} is not an error code of the program"))),
    })
}

pub(crate) unsafe extern "C" fn remove_error_class(class: c_int) -> c_int {
    enter("MPI_Remove_error_class", ptr::null_mut(), |context| {
        let errors = errors(context);
        match errors.code(class) {
            Some(Some(known)) if known.class == class && known.codes == 0 => {
                errors.remove(class);
                Ok(())
            }
            Some(_) => Err(argument(format_args!("{class} still has error codes, or is none itself"))),
            None => Err(argument(format_args!("{class} is not an error class of the program"))),
        }
    })
}
