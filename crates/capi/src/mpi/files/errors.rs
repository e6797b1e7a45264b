//! Error handlers of files. They return the error's code unless the program says otherwise, unlike those of
//! communicators (MPI 5.0, section 14.7).

use super::{files, open};
use crate::calls::abi::MPI_FILE_NULL;
use crate::mpi::error_handlers;
use crate::mpi::prelude::*;
use crate::rank::errors::ErrorHandler;
use crate::rank::mistakes;

/// The error handler of a file: of `MPI_FILE_NULL` that of files to come.
fn handler(context: &mut Context, file: Handle) -> Result<&mut ErrorHandler, MpiError> {
    if file as usize == MPI_FILE_NULL {
        return Ok(&mut files(context).handler);
    }
    Ok(&mut open(context, file)?.handler)
}

fn handle(context: &mut Context, file: Handle, code: c_int, why: impl FnOnce() -> String) -> c_int {
    let (known, file) = match handler(context, file) {
        Ok(known) => (*known, file),
        Err(_) => (files(context).handler, abi::predefined(MPI_FILE_NULL)),
    };
    mistakes::carry_out(context, known, file, code, why)
}

/// A call on a file has failed: the error handler is called, and the call returns this code.
pub(super) fn failed(context: &mut Context, name: &'static str, file: Handle, error: &MpiError) -> c_int {
    let code = abi::error_code(error);
    handle(context, file, code, || format!("{name} failed: {error}"))
}

pub(crate) fn file_set_errhandler(context: &mut Context, file: Handle, new: ErrorHandler) -> Done {
    *handler(context, file)? = new;
    Ok(())
}

pub(crate) fn file_get_errhandler(context: &mut Context, file: Handle, errhandler: Out<Handle>) -> Done {
    let known = *handler(context, file)?;
    errhandler.give(error_handlers::handle_of(context, known))
}

pub(crate) fn file_call_errhandler(context: &mut Context, file: Handle, code: c_int) -> Done {
    handler(context, file)?;
    handle(context, file, code, || format!("it called MPI_File_call_errhandler with error code {code}"));
    Ok(())
}
