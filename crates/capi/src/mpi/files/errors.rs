//! Error handlers of files. They return the error's code unless the program says otherwise, unlike those of
//! communicators (MPI 5.0, section 14.7).

use super::{call, files, open};
use crate::calls::abi::{self, FILE_NULL, Handle};
use crate::calls::output_arguments::give;
use crate::mpi::error_handlers;
use crate::rank::context::Context;
use crate::rank::errors::{ErrorHandler, HandlerFunction};
use crate::rank::mistakes;
use crate::rank::mpi_call;
use std::ffi::c_int;
use std::ptr;
use weir_message::MpiError;

/// The error handler of a file: of `MPI_FILE_NULL` that of files to come.
fn handler(context: &mut Context, file: Handle) -> Result<&mut ErrorHandler, MpiError> {
    if file as usize == FILE_NULL {
        return Ok(&mut files(context).handler);
    }
    Ok(&mut open(context, file)?.handler)
}

fn handle(context: &mut Context, file: Handle, code: c_int, why: impl FnOnce() -> String) -> c_int {
    let (known, file) = match handler(context, file) {
        Ok(known) => (*known, file),
        Err(_) => (files(context).handler, abi::predefined(FILE_NULL)),
    };
    mistakes::carry_out(context, known, file, code, why)
}

/// A call on a file has failed: the error handler is called, and the call returns this code.
pub(super) fn failed(context: &mut Context, name: &'static str, file: Handle, error: &MpiError) -> c_int {
    let code = abi::error_code(error);
    handle(context, file, code, || format!("{name} failed: {error}"))
}

pub(crate) unsafe extern "C" fn create_errhandler(
    function: Option<HandlerFunction>,
    new: *mut Handle,
) -> c_int {
    mpi_call::call("MPI_File_create_errhandler", ptr::null_mut(), |context| {
        give(new, "new", error_handlers::create(context, function)?)
    })
}

pub(crate) unsafe extern "C" fn set_errhandler(file: Handle, new: Handle) -> c_int {
    call("MPI_File_set_errhandler", file, |context| {
        handler(context, file)?;
        let known = error_handlers::of_handle(context, new)?;
        *handler(context, file)? = known;
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn get_errhandler(file: Handle, errhandler: *mut Handle) -> c_int {
    call("MPI_File_get_errhandler", file, |context| {
        let known = *handler(context, file)?;
        give(errhandler, "errhandler", error_handlers::handle_of(context, known))
    })
}

pub(crate) unsafe extern "C" fn call_errhandler(file: Handle, code: c_int) -> c_int {
    call("MPI_File_call_errhandler", file, |context| {
        handler(context, file)?;
        handle(context, file, code, || format!("it called MPI_File_call_errhandler with error code {code}"));
        Ok(())
    })
}
