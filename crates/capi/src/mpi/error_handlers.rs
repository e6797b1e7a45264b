//! Error handlers, predefined and the program's own, and error classes and codes that the
//! program adds (MPI 5.0, sections 9.3 to 9.5).

use crate::calls::Of;
use crate::calls::output_arguments::give_text;
use crate::mpi::attributes::Attributes;
use crate::mpi::prelude::*;
use crate::rank::ErrorHandler;
use crate::rank::errors::{UserCode, UserErrors, of_handle, own_handler};

fn argument(what: impl std::fmt::Display) -> MpiError {
    MpiError::Argument(what.to_string())
}

arguments! { Handle => ErrorHandler: |context, _, given| of_handle(context, given); }

pub(crate) fn create_errhandler(context: &mut Context, _: Of, args: CreateErrhandler) -> Done {
    let function = args.function.ok_or_else(|| MpiError::NullPointer("function".into()))?;
    let handlers = &mut context.of::<UserErrors>().handlers;
    handlers.push((function, 1));
    args.errhandler.give(abi::own_handle(handlers.len() - 1))
}

pub(crate) fn errhandler_free(context: &mut Context, handler: Out<Handle>) -> Done {
    let known = handler.get();
    // Predefined ones may be freed, for MPI_Comm_get_errhandler gives them.
    if !(MPI_ERRORS_ARE_FATAL..=MPI_ERRORS_RETURN).contains(&(known as usize)) {
        let index = own_handler(context, known)?;
        context.of::<UserErrors>().handlers[index].1 -= 1;
    }
    handler.give(abi::predefined(MPI_ERRHANDLER_NULL))
}

fn class_of(context: &mut Context, code: c_int) -> Result<c_int> {
    let known = context.of::<UserErrors>().class(code);
    known.ok_or_else(|| argument(format_args!("{code} is not an error code")))
}

answers! { context;
    error_class(code: c_int) -> c_int = class_of(context, code)?;
    add_error_class() -> c_int = added(context, None);
}

pub(crate) fn error_string(context: &mut Context, args: ErrorString) -> Done {
    let own = context.of::<UserErrors>().code(args.code).and_then(|known| known.as_ref());
    let known = match (abi::error_text(args.code), own) {
        (Some(known), _) => known,
        (None, Some(own)) => own.text.as_str(),
        (None, None) => return Err(argument(format_args!("{} is not an error code", args.code))),
    };
    give_text(known, MPI_MAX_ERROR_STRING as usize, args.string, args.length)
}

fn added(context: &mut Context, class: Option<c_int>) -> c_int {
    let code = context.of::<UserErrors>().add(class);
    let last = MPI_ERR_LASTCODE + context.of::<UserErrors>().codes.len() as c_int;
    context.of::<Attributes>().set_last_used_code(last);
    code
}

pub(crate) fn add_error_code(context: &mut Context, class: c_int, code: Out<c_int>) -> Done {
    if context.of::<UserErrors>().class(class) != Some(class) {
        return Err(argument(format_args!("{class} is not an error class")));
    }
    code.give(added(context, Some(class)))
}

fn of_program(context: &mut Context, code: c_int) -> Result<&mut UserCode> {
    let known = context.of::<UserErrors>().code(code).and_then(Option::as_mut);
    known.ok_or_else(|| argument(format_args!("{code} is not an error code of the program")))
}

pub(crate) fn add_error_string(context: &mut Context, code: c_int, text: String) -> Done {
    of_program(context, code)?.text = text;
    Ok(())
}

pub(crate) fn remove_error_string(context: &mut Context, code: c_int) -> Done {
    of_program(context, code)?.text.clear();
    Ok(())
}

pub(crate) fn remove_error_code(context: &mut Context, code: c_int) -> Done {
    match context.of::<UserErrors>().class(code) {
        Some(class) if class == code => Err(argument(format_args!("{code} is an error class, not a code"))),
        Some(_) => {
            context.of::<UserErrors>().remove(code);
            Ok(())
        }
        None => Err(argument(format_args!("{code} is not an error code of the program"))),
    }
}

pub(crate) fn remove_error_class(context: &mut Context, class: c_int) -> Done {
    let errors = context.of::<UserErrors>();
    match errors.code(class) {
        Some(Some(known)) if known.class == class && known.codes == 0 => {
            errors.remove(class);
            Ok(())
        }
        Some(_) => Err(argument(format_args!("{class} still has error codes, or is none itself"))),
        None => Err(argument(format_args!("{class} is not an error class of the program"))),
    }
}
