//! Threads that a program makes itself.
//!
//! They run while other ranks run, so they are let in only where every rank's globals stay at addresses of their own. Each
//! knows the rank that it belongs to.

use crate::process::Critical;
use crate::rank::context::Context;
use crate::rank::crew::{self, Birth, looks};
use crate::world::World;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;
use weir_coroutine::{LoadedProgram, own_threads};

/// The function of a thread, in the type of POSIX. It may end in the middle: `pthread_exit` unwinds.
type Start = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;

struct Beginning {
    start: Start,
    argument: *mut c_void,
    birth: Option<Birth>,
}

/// Has the program's threads made here. Fails when the kernel does not let the program be changed.
pub(crate) fn take_over(program: &LoadedProgram) -> std::io::Result<()> {
    // SAFETY: they have the signatures of those they stand for.
    unsafe {
        program.replace(&[
            (c"pthread_create", create::<false> as *const c_void),
            (c"thrd_create", thrd_create as *const c_void),
            (c"GOMP_critical_start", begin_critical as *const c_void),
            (c"GOMP_critical_end", end_critical as *const c_void),
            (c"pthread_mutex_lock", looks::lock as *const c_void),
            (c"pthread_mutex_trylock", looks::try_lock as *const c_void),
            (c"pthread_mutex_unlock", looks::unlock as *const c_void),
            (c"sched_yield", looks::give_way as *const c_void),
        ])?;
        program.replace_in_libraries(&[(c"pthread_create", create::<true> as *const c_void)])
    }
}

impl World {
    pub(crate) fn why_no_threads(&self) -> Option<String> {
        let why = self.why_in_place().filter(|_| self.options.ranks > 1)?;
        Some(format!(
            "threads would see the globals of other ranks: a program that makes threads has an instance for each rank, but \
             here {why}"
        ))
    }
}

/// The birth of a thread, if the calling thread is one of a rank.
fn birth(is_library: bool) -> Option<Birth> {
    if let Some(birth) = Birth::by_this_thread() {
        return Some(birth);
    }
    let mut context = Context::get()?;
    if let Some(why) = context.rank().world.why_no_threads().filter(|_| !is_library) {
        context.fail(format!("it called pthread_create: {why}"));
    }
    Some(Birth::by_main(context.rank()))
}

/// In place of the C library's `pthread_create`, in a program or in its libraries: those do not use the globals of ranks.
pub(crate) unsafe extern "C-unwind" fn create<const OF_LIBRARY: bool>(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    let birth = birth(OF_LIBRARY);
    let beginning = Box::into_raw(Box::new(Beginning { start, argument, birth }));
    // SAFETY: unwinding passes through both, and a function that does not know it is as one that does not do it.
    let begin = unsafe { std::mem::transmute::<Start, extern "C" fn(*mut c_void) -> *mut c_void>(begin) };
    // SAFETY: the program's arguments, but for what the thread does.
    let code = unsafe { libc::pthread_create(thread, attributes, begin, beginning.cast()) };
    if code != 0 {
        // SAFETY: no thread has it.
        let beginning = unsafe { Box::from_raw(beginning) };
        beginning.birth.into_iter().for_each(Birth::fails);
    }
    code
}

/// Makes the thread known, and runs the program's function in it. Nothing here needs dropping when it begins.
unsafe extern "C-unwind" fn begin(beginning: *mut c_void) -> *mut c_void {
    // SAFETY: `create` has made it for this thread.
    let Beginning { start, argument, birth } = *unsafe { Box::from_raw(beginning.cast::<Beginning>()) };
    if let Some(birth) = birth {
        own_threads::adopt(birth.rank().index());
        birth.begin();
    }
    // SAFETY: the program's function and argument.
    unsafe { start(argument) }
}

/// The lock of sections of OpenMP that have no name. The runtime has one for the process; here each rank has one, for a rank may
/// call MPI within such a section, and wait there for another rank that comes to one.
extern "C" fn begin_critical() {
    let lock = critical();
    // SAFETY: a lock that stays where it is as long as threads of the rank may call this.
    unsafe { libc::pthread_mutex_lock(lock) };
}

extern "C" fn end_critical() {
    let lock = critical();
    // SAFETY: as above.
    unsafe { libc::pthread_mutex_unlock(lock) };
}

/// The lock of the rank by whose thread this is called.
fn critical() -> *mut libc::pthread_mutex_t {
    static OF_NO_RANK: Critical = Critical::new();
    crew::of_this_thread()
        .or_else(|| Some(Arc::clone(Context::get()?.rank().crew())))
        .map_or(OF_NO_RANK.lock(), |crew| crew.critical.lock())
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
    match unsafe { create::<false>(thread, ptr::null(), start, argument) } {
        0 => 0,
        libc::EAGAIN | libc::ENOMEM => NO_MEMORY,
        _ => ERROR,
    }
}
