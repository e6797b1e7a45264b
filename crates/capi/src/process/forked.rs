//! Processes that a rank forks: copies of the simulator in which that rank goes on alone. Such a process is no rank. It may do
//! what the program does, but for calls of MPI, and it ends where the rank would end; nothing of the simulator's is done twice.

use crate::process::stdio;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use weir_coroutine::CoroutineEnd;
use weir_units::Rank;

static IS_FORKED: AtomicBool = AtomicBool::new(false);

#[inline]
pub(crate) fn is_forked() -> bool {
    IS_FORKED.load(Ordering::Relaxed)
}

/// From now on it is known. `before` runs before each fork.
pub(crate) fn watch(before: extern "C" fn()) {
    static ONCE: Once = Once::new();
    extern "C" fn in_child() {
        IS_FORKED.store(true, Ordering::Relaxed);
    }
    ONCE.call_once(|| {
        // SAFETY: functions of ours.
        unsafe { libc::pthread_atfork(Some(before), None, Some(in_child)) };
    });
}

/// The running rank has called this function of MPI, and is no rank.
#[cold]
pub(crate) fn end_at(rank: Rank, name: &str) -> ! {
    stdio::error_line(&format!(
        "error: rank {rank}: a process that it has forked called {name}; only the rank itself may call MPI"
    ));
    // SAFETY: the process ends, and nothing of the simulator's is done twice.
    unsafe { libc::_exit(1) }
}

pub(crate) fn end(rank: usize, ended: Option<CoroutineEnd>) -> ! {
    let code = match ended {
        Some(CoroutineEnd::Returned(code) | CoroutineEnd::Left(code)) => code,
        Some(CoroutineEnd::Crashed(crash)) => {
            stdio::error_line(&format!("error: rank {rank}: a process that it has forked crashed: {crash}"));
            1
        }
        None | Some(CoroutineEnd::ByThread | CoroutineEnd::Interrupted) => 1,
    };
    // SAFETY: as above.
    unsafe { libc::_exit(code) }
}
