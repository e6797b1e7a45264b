//! Processes that a rank forks: copies of the simulator in which that rank goes on alone. Such a process is no rank. It may do
//! what the program wants, but for calls of MPI, and it ends where the rank would end; nothing of the simulator's is done twice.

use crate::process::stdio;
use crate::rank::context::Context;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use weir_coroutine::Ended;

static IS_FORKED: AtomicBool = AtomicBool::new(false);

/// Whether this process was forked by a rank.
#[inline]
pub(crate) fn is_forked() -> bool {
    IS_FORKED.load(Ordering::Relaxed)
}

/// From now on it is known.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    extern "C" fn before() {
        flush();
    }
    extern "C" fn in_child() {
        IS_FORKED.store(true, Ordering::Relaxed);
    }
    ONCE.call_once(|| {
        // SAFETY: functions of ours.
        unsafe { libc::pthread_atfork(Some(before), None, Some(in_child)) };
    });
}

/// Writes out what the running rank has printed. Before a fork, so that it is not printed twice; what is begun of a line
/// both have, as with any process.
pub(crate) fn flush() {
    if let Some(mut context) = Context::get() {
        context.rank().world.flush_output();
    }
}

/// The running rank has called this function of MPI, and is no rank.
#[cold]
pub(crate) fn end_at(context: &mut Context, name: &str) -> ! {
    let rank = context.rank().process.rank();
    stdio::error_line(&format!(
        "error: rank {rank}: a process that it has forked called {name}; only the rank itself may call MPI"
    ));
    // SAFETY: the process ends, and nothing of the simulator's is done twice.
    unsafe { libc::_exit(1) }
}

/// The process ends as its program has.
pub(crate) fn end(rank: usize, ended: Option<Ended>) -> ! {
    let code = match ended {
        Some(Ended::Returned(code) | Ended::Left(code)) => code,
        Some(Ended::Crashed(crash)) => {
            stdio::error_line(&format!("error: rank {rank}: a process that it has forked crashed: {crash}"));
            1
        }
        None | Some(Ended::ByThread | Ended::Interrupted) => 1,
    };
    // SAFETY: as above.
    unsafe { libc::_exit(code) }
}
