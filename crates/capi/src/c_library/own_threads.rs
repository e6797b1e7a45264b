//! Threads that a program makes itself.
//!
//! They run while other ranks run, so they are let in only where every rank's globals stay at addresses of their own. Each
//! knows the rank that it belongs to.

use crate::rank::context::Context;
use crate::world::World;
use std::ffi::{c_int, c_void};
use std::ptr;
use weir_coroutine::{Program, own_threads};

/// What a thread does, as POSIX has it. It may end in the middle: `pthread_exit` unwinds.
type Start = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;

/// What a thread begins with.
struct Beginning {
    start: Start,
    argument: *mut c_void,
    rank: Option<usize>,
}

/// Has the program's threads made here.
///
/// # Errors
/// When the kernel does not let the program be changed.
pub(crate) fn take_over(program: &Program) -> std::io::Result<()> {
    // SAFETY: they have the signatures of those they stand for.
    unsafe {
        program.replace(c"pthread_create", pthread_create as *const c_void)?;
        program.replace(c"thrd_create", thrd_create as *const c_void)
    }
}

impl World {
    /// Why threads of ranks cannot be had, if so.
    fn why_no_threads(&self) -> Option<String> {
        let why = self.why_in_place().filter(|_| self.size() > 1)?;
        Some(format!(
            "threads would see the globals of other ranks: a program that makes threads has an instance for each rank, but \
             here {why}"
        ))
    }
}

/// In place of the C library's.
unsafe extern "C-unwind" fn pthread_create(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    let rank = match Context::get() {
        Some(mut context) => {
            if let Some(why) = context.rank().world.why_no_threads() {
                context.fail(format!("it called pthread_create: {why}"));
            }
            Some(context.rank().process.rank().index())
        }
        None => own_threads::owner(),
    };
    let beginning = Box::into_raw(Box::new(Beginning { start, argument, rank }));
    // SAFETY: unwinding passes through both, and a function that does not know it is as one that does not do it.
    let begin = unsafe { std::mem::transmute::<Start, extern "C" fn(*mut c_void) -> *mut c_void>(begin) };
    // SAFETY: the program's arguments, but for what the thread does.
    let code = unsafe { libc::pthread_create(thread, attributes, begin, beginning.cast()) };
    if code != 0 {
        // SAFETY: no thread has it.
        drop(unsafe { Box::from_raw(beginning) });
    }
    code
}

/// Makes the thread known, and runs the program's function in it. Nothing here needs dropping when it begins.
unsafe extern "C-unwind" fn begin(beginning: *mut c_void) -> *mut c_void {
    // SAFETY: `pthread_create` has made it for this thread.
    let Beginning { start, argument, rank } = *unsafe { Box::from_raw(beginning.cast::<Beginning>()) };
    if let Some(rank) = rank {
        own_threads::adopt(rank);
    }
    // SAFETY: the program's function and argument.
    unsafe { start(argument) }
}

/// C11's, whose threads are those of POSIX and return an `int`.
unsafe extern "C-unwind" fn thrd_create(
    thread: *mut libc::pthread_t,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    /// C's `thrd_error` and `thrd_nomem` with the C library of GNU.
    const ERROR: c_int = 2;
    const NO_MEMORY: c_int = 3;
    // SAFETY: as for POSIX's; whoever joins it looks at the bytes of an `int` only.
    match unsafe { pthread_create(thread, ptr::null(), start, argument) } {
        0 => 0,
        libc::EAGAIN | libc::ENOMEM => NO_MEMORY,
        _ => ERROR,
    }
}
