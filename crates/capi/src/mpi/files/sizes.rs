//! Sizes of files, and when data are there for others to see.

use super::agreement::together;
use super::{argument, not_sequential, open, writable};
use crate::mpi::prelude::*;
use std::rc::Rc;

pub(crate) fn file_get_size(context: &mut Context, file: Handle, size: Out<i64>) -> Done {
    let shared = Rc::clone(&open(context, file)?.shared);
    context.catch_up();
    size.give(shared.length()? as i64)
}

/// Refuses a size that a file cannot get.
fn check_size(context: &mut Context, file: Handle, size: i64) -> Done {
    let known = open(context, file)?;
    writable(known)?;
    if size < 0 {
        return Err(argument(format!("the size {size} is negative")));
    }
    Ok(())
}

pub(crate) fn file_set_size(context: &mut Context, file: Handle, size: i64) -> Done {
    let own = check_size(context, file, size);
    together(context, file, own, &[size], |shared| shared.set_length(size as u64))
}

/// Makes the file as long as that if it is shorter; the host's file system finds the space when data come.
pub(crate) fn file_preallocate(context: &mut Context, file: Handle, size: i64) -> Done {
    let own = check_size(context, file, size);
    together(context, file, own, &[size], |shared| {
        if shared.length()? < size as u64 { shared.set_length(size as u64) } else { Ok(()) }
    })
}

/// Data are in the host's file as soon as they are written, so it is enough that all ranks come together.
pub(crate) fn file_sync(context: &mut Context, file: Handle) -> Done {
    together(context, file, Ok(()), &[], |_| Ok(()))
}

pub(crate) fn file_set_atomicity(context: &mut Context, file: Handle, flag: c_int) -> Done {
    let own = not_sequential(open(context, file)?);
    let flag = c_int::from(flag != 0);
    together(context, file, own, &[i64::from(flag)], |_| Ok(()))?;
    open(context, file)?.atomicity = flag;
    Ok(())
}

pub(crate) fn file_get_atomicity(context: &mut Context, file: Handle, flag: Out<c_int>) -> Done {
    flag.give(open(context, file)?.atomicity)
}
