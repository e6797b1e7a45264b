//! Sizes of files, and when data are there for others to see.

use super::agreement::together;
use super::{argument, call, not_sequential, open, writable};
use crate::calls::abi::Handle;
use crate::calls::output_arguments::give;
use crate::rank::context::Context;
use std::ffi::c_int;
use std::rc::Rc;
use weir_message::MpiError;

pub(crate) unsafe extern "C" fn get_size(file: Handle, size: *mut i64) -> c_int {
    call("MPI_File_get_size", file, |context| {
        let shared = Rc::clone(&open(context, file)?.shared);
        context.catch_up();
        give(size, "size", shared.length()? as i64)
    })
}

/// What is wrong with a new size.
fn check_size(context: &mut Context, file: Handle, size: i64) -> Result<(), MpiError> {
    let known = open(context, file)?;
    writable(known)?;
    if size < 0 {
        return Err(argument(format!("the size {size} is negative")));
    }
    Ok(())
}

pub(crate) unsafe extern "C" fn set_size(file: Handle, size: i64) -> c_int {
    call("MPI_File_set_size", file, |context| {
        let own = check_size(context, file, size);
        together(context, file, own, &[size], |shared| shared.set_length(size as u64))
    })
}

/// Makes the file as long as that if it is shorter; the host's file system finds the space when data come.
pub(crate) unsafe extern "C" fn preallocate(file: Handle, size: i64) -> c_int {
    call("MPI_File_preallocate", file, |context| {
        let own = check_size(context, file, size);
        together(context, file, own, &[size], |shared| {
            if shared.length()? < size as u64 { shared.set_length(size as u64) } else { Ok(()) }
        })
    })
}

/// Data are in the host's file as soon as they are written, so it is enough that all ranks come together.
pub(crate) unsafe extern "C" fn sync(file: Handle) -> c_int {
    call("MPI_File_sync", file, |context| together(context, file, Ok(()), &[], |_| Ok(())))
}

pub(crate) unsafe extern "C" fn set_atomicity(file: Handle, flag: c_int) -> c_int {
    call("MPI_File_set_atomicity", file, |context| {
        let own = not_sequential(open(context, file)?);
        let flag = c_int::from(flag != 0);
        together(context, file, own, &[i64::from(flag)], |_| Ok(()))?;
        open(context, file)?.atomicity = flag;
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn get_atomicity(file: Handle, flag: *mut c_int) -> c_int {
    call("MPI_File_get_atomicity", file, |context| give(flag, "flag", open(context, file)?.atomicity))
}
