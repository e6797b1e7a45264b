//! Functions of the C library that ranks on several threads must not share: in the places of those that keep their result in one
//! variable of the process, and of the one that writes out what a rank has printed.

use crate::rank::context::Context;
use libc::{FILE, time_t, tm};
use std::cell::UnsafeCell;
use std::ffi::{c_char, c_int, c_void};
use weir_coroutine::LoadedProgram;

/// Has a program call these. Where one thread runs its ranks, they do the same.
pub(crate) fn take_over(program: &LoadedProgram) -> std::io::Result<()> {
    // SAFETY: they have the signatures of those they stand for.
    unsafe {
        program.replace(&[
            (c"fflush", flush as *const c_void),
            (c"localtime", local_time as *const c_void),
            (c"gmtime", universal_time as *const c_void),
            (c"ctime", time_in_words as *const c_void),
            (c"asctime", in_words as *const c_void),
        ])
    }
}

thread_local! {
    /// Results of `localtime` and `gmtime`, and of `ctime` and `asctime`.
    static TIME: UnsafeCell<tm> = const { UnsafeCell::new(unsafe { std::mem::zeroed() }) };
    static WORDS: UnsafeCell<[c_char; 64]> = const { UnsafeCell::new([0; 64]) };
}

unsafe extern "C" {
    fn asctime_r(time: *const tm, to: *mut c_char) -> *mut c_char;
    fn ctime_r(time: *const time_t, to: *mut c_char) -> *mut c_char;
}

unsafe extern "C" fn flush(file: *mut FILE) -> c_int {
    // SAFETY: the C library's variable.
    let is_output = file.is_null() || file == unsafe { super::leaving::stdout };
    if is_output && let Some(mut context) = Context::get() {
        context.rank().world.output().flush_begun();
    }
    // SAFETY: the program's stream.
    unsafe { libc::fflush(file) }
}

unsafe extern "C" fn local_time(time: *const time_t) -> *mut tm {
    // SAFETY: the program's argument, and this thread's variable.
    TIME.with(|to| unsafe { libc::localtime_r(time, to.get()) })
}

unsafe extern "C" fn universal_time(time: *const time_t) -> *mut tm {
    // SAFETY: as above.
    TIME.with(|to| unsafe { libc::gmtime_r(time, to.get()) })
}

unsafe extern "C" fn time_in_words(time: *const time_t) -> *mut c_char {
    // SAFETY: as above; it writes 26 bytes.
    WORDS.with(|to| unsafe { ctime_r(time, to.get().cast()) })
}

unsafe extern "C" fn in_words(time: *const tm) -> *mut c_char {
    // SAFETY: as above.
    WORDS.with(|to| unsafe { asctime_r(time, to.get().cast()) })
}
