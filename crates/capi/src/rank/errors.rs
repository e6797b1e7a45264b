//! Error handlers of each communicator, and error classes and codes that the program adds: data of a rank.

use crate::calls::Result;
use crate::calls::abi::{self, Handle, HandlerFunction};
use crate::rank::ErrorHandler;
use crate::rank::context::Context;
use std::ffi::c_int;
use std::ptr;
use weir_message::{CommunicatorId, MpiError};

pub(crate) struct UserCode {
    /// The class of a code; for a class, itself.
    pub(crate) class: c_int,
    pub(crate) text: String,
    /// For a class, number of codes besides itself.
    pub(crate) codes: u32,
}

/// Error handlers and codes that a program has made.
#[derive(Default)]
pub(crate) struct UserErrors {
    /// Functions, and how often the program may free each handle. A freed one is still called where it is set.
    pub(crate) handlers: Vec<(HandlerFunction, u32)>,
    /// From [`abi::MPI_ERR_LASTCODE`]` + 1` on; `None` are removed ones.
    pub(crate) codes: Vec<Option<UserCode>>,
    /// Places of removed ones, which are given out again before new ones.
    free: Vec<usize>,
}

impl UserErrors {
    pub(crate) fn code(&mut self, code: c_int) -> Option<&mut Option<UserCode>> {
        let index = usize::try_from(code.checked_sub(abi::MPI_ERR_LASTCODE + 1)?).ok()?;
        self.codes.get_mut(index).filter(|known| known.is_some())
    }

    /// The class of a code, if it is one.
    pub(crate) fn class(&mut self, code: c_int) -> Option<c_int> {
        if abi::error_text(code).is_some() {
            return Some(code);
        }
        self.code(code)?.as_ref().map(|known| known.class)
    }

    /// A new code of a class; of a class of its own, if `None`.
    pub(crate) fn add(&mut self, class: Option<c_int>) -> c_int {
        if let Some(Some(class)) = class.and_then(|class| self.code(class)) {
            class.codes += 1;
        }
        let place = self.free.pop().unwrap_or_else(|| {
            self.codes.push(None);
            self.codes.len() - 1
        });
        let code = abi::MPI_ERR_LASTCODE + 1 + place as c_int;
        self.codes[place] = Some(UserCode { class: class.unwrap_or(code), text: String::new(), codes: 0 });
        code
    }

    pub(crate) fn remove(&mut self, code: c_int) {
        let Some(UserCode { class, .. }) = self.code(code).and_then(Option::take) else { return };
        self.free.push((code - abi::MPI_ERR_LASTCODE - 1) as usize);
        if let Some(Some(class)) = self.code(class) {
            class.codes -= 1;
        }
    }
}

pub(crate) fn of_handle(context: &mut Context, handler: Handle) -> Result<ErrorHandler> {
    Ok(match handler as usize {
        abi::MPI_ERRORS_ARE_FATAL => ErrorHandler::Fatal,
        abi::MPI_ERRORS_ABORT => ErrorHandler::Abort,
        abi::MPI_ERRORS_RETURN => ErrorHandler::Return,
        _ => ErrorHandler::Call(own_handler(context, handler)?),
    })
}

/// The number of a handler of the program that is not freed.
pub(crate) fn own_handler(context: &mut Context, handler: Handle) -> Result<usize> {
    let index = abi::own_index(handler).ok_or(MpiError::ErrorHandler)?;
    let known = context.of::<UserErrors>().handlers.get(index).is_some_and(|(_, references)| *references > 0);
    if known { Ok(index) } else { Err(MpiError::ErrorHandler) }
}

/// A handle for an error handler that is set somewhere; the program has to free it.
pub(crate) fn handle_of(context: &mut Context, handler: ErrorHandler) -> Handle {
    match handler {
        ErrorHandler::Fatal => abi::predefined(abi::MPI_ERRORS_ARE_FATAL),
        ErrorHandler::Abort => abi::predefined(abi::MPI_ERRORS_ABORT),
        ErrorHandler::Return => abi::predefined(abi::MPI_ERRORS_RETURN),
        ErrorHandler::Call(number) => {
            context.of::<UserErrors>().handlers[number].1 += 1;
            abi::own_handle(number)
        }
    }
}

/// The communicator whose handler is asked: that of the call, or another one where that is none.
fn responsible(context: &mut Context, comm: Handle) -> CommunicatorId {
    let known = abi::communicator(comm).ok();
    let known = known.filter(|&id| context.communicator(id).is_ok());
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

/// Does what an error handler of `object` says; if the program goes on, returns the code, which its handler may change.
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
            let function = context.of::<UserErrors>().handlers[number].0;
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
    let id = responsible(context, comm);
    let handler = context.rank().error_handler(id);
    let object = abi::communicator_handle(Some(id));
    carry_out(context, handler, object, code, || format!("{name} failed: {error}"))
}
