//! Functions of the C library by which a program ends its process, or puts another in its place: `weir cc` has the linker
//! send them here. All ranks are one process, so they end the rank, or are refused.
//!
//! Functions that a rank has registered with `atexit` are called by `exit`, and with `at_quick_exit` by `quick_exit`. A process that the
//! rank has forked is no rank: there the real functions are called. A library that calls `exit` calls the real one, which
//! comes back here while it carries out what was registered with it.

use crate::process::{self, stdio};
use crate::rank::context::Context;
use crate::rank::crew;
use libc::FILE;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use weir_coroutine::own_threads;

/// The caller of a function that ends the process.
enum Caller {
    Rank(Context),
    /// End the rank by whose program this thread was made.
    Thread,
    /// A process of no rank: the function does what it says.
    Process,
}

fn caller() -> Caller {
    match Context::get() {
        _ if process::is_forked() => Caller::Process,
        Some(context) => Caller::Rank(context),
        None if own_threads::runs_no_ranks() => Caller::Thread,
        None => Caller::Process,
    }
}

/// The rank has called this, which ends it. False where there is no rank to be ended.
fn end_by(call: String, code: c_int) -> bool {
    match caller() {
        Caller::Rank(mut context) => {
            context.rank().left_by = Some(call);
            context.leave(code)
        }
        Caller::Thread => own_threads::end_rank(format!("called {call}")),
        Caller::Process => false,
    }
}

/// The rank has called this, which no rank may. False where there is no rank.
fn refuse(call: &str, why: &str) -> bool {
    match caller() {
        Caller::Rank(mut context) => context.fail(format!("it called {call}: {why}")),
        Caller::Thread => own_threads::end_rank(format!("called {call}: {why}")),
        Caller::Process => false,
    }
}

/// Writes out what the running rank has printed. Before a fork, so that only what is begun of a line is printed twice.
fn flush() {
    if let Some(mut context) = Context::get() {
        context.rank().world.flush_output();
    }
}

/// From now on nothing is printed twice where a rank forks, and it is known where that was.
pub(crate) fn watch_forks() {
    extern "C" fn before() {
        flush();
    }
    process::watch_forks(before);
}

pub(crate) unsafe extern "C" fn exit(code: c_int) {
    let at_exit = match caller() {
        Caller::Rank(mut context) => {
            let rank = context.rank();
            rank.world.at_exit(rank.process.rank())
        }
        Caller::Thread | Caller::Process => None,
    };
    if let Some(at_exit) = at_exit {
        // May call MPI.
        at_exit();
    }
    if !end_by(format!("exit({code})"), code) {
        flush();
        stdio::end_at_once(code)
    }
}

fn exit_without_more(name: &str, code: c_int) {
    if !end_by(format!("{name}({code})"), code) {
        stdio::end_at_once(code)
    }
}

pub(crate) unsafe extern "C" fn exit_at_once(code: c_int) {
    exit_without_more("_exit", code);
}

/// `quick_exit`, when what was registered for it has been done.
pub(crate) unsafe extern "C" fn quick_exit(code: c_int) {
    exit_without_more("quick_exit", code);
}

unsafe extern "C-unwind" {
    #[link_name = "pthread_exit"]
    fn real_pthread_exit(result: *mut c_void) -> !;
}

pub(crate) unsafe extern "C-unwind" fn pthread_exit(result: *mut c_void) -> ! {
    if crew::is_main() != Some(false)
        && let Caller::Rank(mut context) = caller()
    {
        context.rank().left_by = Some("pthread_exit".into());
        context.leave(0);
    }
    // SAFETY: the real one, in a thread that the program has made.
    unsafe { real_pthread_exit(result) }
}

pub(crate) unsafe extern "C-unwind" fn thrd_exit(result: c_int) -> ! {
    // SAFETY: threads of C11 are those of POSIX.
    unsafe { pthread_exit(result as usize as *mut c_void) }
}

pub(crate) unsafe extern "C" fn daemon(no_change: c_int, no_close: c_int) -> c_int {
    refuse("daemon", "the process that would end is that of all ranks");
    // SAFETY: the real one.
    unsafe { libc::daemon(no_change, no_close) }
}

/// A program is to be put in the place of this process.
fn replace(name: &str, path: *const c_char) {
    // SAFETY: the program's string.
    let path = (!path.is_null()).then(|| unsafe { CStr::from_ptr(path) }.to_string_lossy());
    refuse(
        &format!("{name}({:?})", path.unwrap_or_default()),
        "the process that would be replaced is that of all ranks; fork first, or use system or posix_spawn",
    );
}

type Text = *const c_char;
type Strings = *const Text;

macro_rules! replacing {
    ($($name:ident($path:ident, $arguments:ident $(, $names:ident)?);)*) => {$(
        pub(crate) unsafe extern "C" fn $name($path: Text, $arguments: Strings $(, $names: Strings)?) -> c_int {
            replace(stringify!($name), $path);
            // SAFETY: the real one.
            unsafe { libc::$name($path, $arguments $(, $names)?) }
        }
    )*};
}

replacing! {
    execv(path, arguments);
    execve(path, arguments, names);
    execvp(file, arguments);
    execvpe(file, arguments, names);
}

pub(crate) unsafe extern "C" fn fexecve(file: c_int, arguments: Strings, names: Strings) -> c_int {
    replace("fexecve", std::ptr::null());
    // SAFETY: the real one.
    unsafe { libc::fexecve(file, arguments, names) }
}

unsafe extern "C" {
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// True if loading a program has broken the system's loader, which would go on with it at the end of the process.
pub(crate) static LOADER_IS_BROKEN: AtomicBool = AtomicBool::new(false);

/// Has calls of the real `exit` on a rank, which come from libraries, end the rank.
pub(crate) fn watch_exit() {
    static ONCE: Once = Once::new();
    ONCE.call_once(register);
}

/// Has the C library call us at the next `exit`: it forgets each function that it calls.
fn register() {
    // SAFETY: a function of ours. It ends the rank it is called on, so the C library goes on from there when the process
    // really ends.
    unsafe { on_exit(exits, std::ptr::null_mut()) };
}

extern "C" fn exits(code: c_int, _: *mut c_void) {
    if LOADER_IS_BROKEN.load(Ordering::Relaxed) {
        stdio::flush();
        stdio::end_at_once(code)
    }
    match caller() {
        Caller::Rank(mut context) => {
            register();
            context.rank().left_by = Some(format!("exit({code}) by way of a library"));
            context.leave(code)
        }
        Caller::Thread if own_threads::owner().is_some() => {
            register();
            own_threads::end_rank(format!("called exit({code}) by way of a library"))
        }
        Caller::Thread | Caller::Process => {}
    }
}

unsafe extern "C" {
    static stdin: *mut FILE;
    pub(crate) static stdout: *mut FILE;
    static stderr: *mut FILE;
}

/// Standard input, output and error belong to all ranks: one that closes them closes them for itself only. Closing frees the stream's memory, which other ranks would go on writing to. So it only writes out what there is.
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
pub(crate) unsafe extern "C" fn freopen(path: Text, mode: Text, file: *mut FILE) -> *mut FILE {
    // SAFETY: the C library's variable.
    if file == unsafe { stdout }
        && let Some(mut context) = Context::get()
        && context.rank().world.options.ranks > 1
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
