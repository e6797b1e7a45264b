//! What happens to mistakes: error handlers, predefined and the program's own, and error classes and codes that the
//! program adds (MPI 5.0, sections 9.3 to 9.5).

use crate::calls::abi::{self, ERRHANDLER_NULL, ERRORS_ABORT, ERRORS_ARE_FATAL, ERRORS_RETURN, Handle};
use crate::calls::output_arguments::{give, give_text, out, string};
use crate::mpi::attributes::Attributes;
use crate::rank::context::{Context, call, enter};
use std::ffi::{c_char, c_int};
use std::ptr;
use weir_message::{CommunicatorId, MpiError};

/// `MPI_Comm_errhandler_function`
pub(crate) type HandlerFunction = unsafe extern "C" fn(*mut Handle, *mut c_int, ...);

/// What happens to a mistake in a call on a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorHandler {
    /// `MPI_ERRORS_ARE_FATAL`: the run ends.
    Fatal,
    /// `MPI_ERRORS_ABORT`: the run ends, too.
    Abort,
    /// `MPI_ERRORS_RETURN`: the function returns the error code.
    Return,
    /// The program's function with this number is called, and the function returns the error code.
    Call(usize),
}

/// A class or a code of the program.
struct UserCode {
    /// Of a class: itself.
    class: c_int,
    text: String,
    /// Of a class: how many codes it has besides itself.
    codes: u32,
}

/// Error handlers and codes that a program has made.
#[derive(Default)]
pub(crate) struct UserErrors {
    /// Functions, and how often the program may free each handle. A freed one is still called where it is set.
    handlers: Vec<(HandlerFunction, u32)>,
    /// From [`abi::ERR_LASTCODE`]` + 1` on; `None` are removed ones.
    codes: Vec<Option<UserCode>>,
    /// Places of removed ones, which are given out again before new ones.
    free: Vec<usize>,
}

impl UserErrors {
    /// The largest error code there is.
    pub(crate) fn last_used_code(&self) -> c_int {
        abi::ERR_LASTCODE + self.codes.len() as c_int
    }

    fn code(&mut self, code: c_int) -> Option<&mut Option<UserCode>> {
        let index = usize::try_from(code.checked_sub(abi::ERR_LASTCODE + 1)?).ok()?;
        self.codes.get_mut(index).filter(|known| known.is_some())
    }

    /// The class of a code, if it is one.
    fn class(&mut self, code: c_int) -> Option<c_int> {
        if abi::error_text(code).is_some() {
            return Some(code);
        }
        self.code(code)?.as_ref().map(|known| known.class)
    }

    /// A new code of a class; of a class of its own, if `None`.
    fn add(&mut self, class: Option<c_int>) -> c_int {
        if let Some(Some(class)) = class.and_then(|class| self.code(class)) {
            class.codes += 1;
        }
        let place = self.free.pop().unwrap_or_else(|| {
            self.codes.push(None);
            self.codes.len() - 1
        });
        let code = abi::ERR_LASTCODE + 1 + place as c_int;
        self.codes[place] = Some(UserCode { class: class.unwrap_or(code), text: String::new(), codes: 0 });
        code
    }

    /// Removes a class or a code that there is.
    fn remove(&mut self, code: c_int) {
        let Some(UserCode { class, .. }) = self.code(code).and_then(Option::take) else { return };
        self.free.push((code - abi::ERR_LASTCODE - 1) as usize);
        if let Some(Some(class)) = self.code(class) {
            class.codes -= 1;
        }
    }
}

fn errors(context: &mut Context) -> &mut UserErrors {
    context.rank().objects().of::<UserErrors>()
}

fn argument(what: impl std::fmt::Display) -> MpiError {
    MpiError::Argument(what.to_string())
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

/// A call on `comm` has failed: the error handler is called, and the call returns this code.
pub(crate) fn failed(context: &mut Context, name: &'static str, comm: Handle, error: &MpiError) -> c_int {
    let code = abi::error_code(error);
    // Null pointers and keys of other objects are found before anybody looks at what the call is about, as by MPICH.
    let before = matches!(error, MpiError::NullPointer(_) | MpiError::Keyval(_));
    let comm = if before { ptr::null_mut() } else { comm };
    handle(context, comm, code, || format!("{name} failed: {error}"))
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
