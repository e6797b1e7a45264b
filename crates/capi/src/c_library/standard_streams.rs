//! Standard input, output and error belong to all ranks: one that closes them closes them for itself only.

use crate::rank::context::Context;
use libc::FILE;
use std::ffi::{c_char, c_int};

unsafe extern "C" {
    static stdin: *mut FILE;
    pub(crate) static stdout: *mut FILE;
    static stderr: *mut FILE;
}

/// Closing frees the stream's memory, which other ranks would go on writing to. So it only writes out what there is.
pub(crate) unsafe extern "C" fn fclose(file: *mut FILE) -> c_int {
    // SAFETY: the C library's variables, and its functions with the program's stream.
    unsafe {
        let is_shared = !file.is_null() && [stdin, stdout, stderr].contains(&file);
        if !is_shared {
            return libc::fclose(file);
        }
        if file == stdin { 0 } else { libc::fflush(file) }
    }
}

/// Another file for standard output would be that of all ranks.
pub(crate) unsafe extern "C" fn freopen(
    path: *const c_char,
    mode: *const c_char,
    file: *mut FILE,
) -> *mut FILE {
    // SAFETY: the C library's variable.
    if file == unsafe { stdout }
        && let Some(mut context) = Context::get()
        && context.rank().world.size() > 1
    {
        context.fail(
            "it called freopen on standard output, which is that of all ranks; print to a file of the rank's own, which \
             fopen opens"
                .into(),
        );
    }
    // SAFETY: the real one.
    unsafe { libc::freopen(path, mode, file) }
}
