//! Threads that wait for others in loops of library calls: they take a lock, look at what it guards, give it back, and begin again.
//!
//! Such a loop comes to its call over and over with the same registers and the same stack. The thread stops there, where it has
//! no lock that others need, and takes no processor until it is let go to look again. Loops without such a call are found by
//! signals ([`weir_coroutine::progress`]), which takes some hundred times as long.

use super::membership;
use crate::process::forked;
use crate::process::processor_time::processor_time;
use std::arch::naked_asm;
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use weir_units::Duration;

/// A thread that has come to the same call so often in the same state waits.
const RETURNS: u32 = 32;
/// A loop that takes longer for so many returns does some work.
const LONGEST: Duration = Duration::from_ns(200_000);
/// Words of the frame that are looked at: the argument, six registers, the place of the call, and what is above it on the stack.
const WORDS: usize = 24;

thread_local! {
    /// How many locks of the program this thread has.
    static LOCKS: Cell<u32> = const { Cell::new(0) };
    static LAST: Cell<Last> = const { Cell::new(Last { state: 0, times: 0, began: Duration::ZERO }) };
}

/// The state in which a thread has come to a call last.
#[derive(Clone, Copy)]
struct Last {
    state: u64,
    /// How often it has come back to it.
    times: u32,
    /// Its processor time when it came to it first.
    began: Duration,
}

/// A function that calls `looks` with what the caller has in its registers and on its stack, and goes on with another one.
macro_rules! looks_then {
    ($(#[$doc:meta])* $name:ident, $argument:literal, $then:path) => {
        $(#[$doc])*
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name(_: *mut libc::pthread_mutex_t) -> c_int {
            naked_asm!(
                "push r15", "push r14", "push r13", "push r12", "push rbx", "push rbp",
                $argument,
                "push rdi",
                "mov rdi, rsp",
                "call {looks}",
                "pop rdi", "pop rbp", "pop rbx", "pop r12", "pop r13", "pop r14", "pop r15",
                "jmp {then}",
                looks = sym looks,
                then = sym $then,
            )
        }
    };
}

looks_then! {
    /// In place of `pthread_mutex_lock`.
    lock, "", take
}
looks_then! {
    /// In place of `pthread_mutex_trylock`.
    try_lock, "", try_to_take
}
looks_then! {
    /// In place of `sched_yield`, which has no argument.
    give_way, "xor edi, edi", libc::sched_yield
}

unsafe extern "C" fn take(mutex: *mut libc::pthread_mutex_t) -> c_int {
    // SAFETY: the caller's argument.
    has_taken(unsafe { libc::pthread_mutex_lock(mutex) })
}

unsafe extern "C" fn try_to_take(mutex: *mut libc::pthread_mutex_t) -> c_int {
    // SAFETY: as above.
    has_taken(unsafe { libc::pthread_mutex_trylock(mutex) })
}

fn has_taken(code: c_int) -> c_int {
    LOCKS.set(LOCKS.get() + u32::from(code == 0));
    code
}

/// In place of `pthread_mutex_unlock`.
pub(crate) unsafe extern "C" fn unlock(mutex: *mut libc::pthread_mutex_t) -> c_int {
    LOCKS.set(LOCKS.get().saturating_sub(1));
    // SAFETY: the caller's argument.
    unsafe { libc::pthread_mutex_unlock(mutex) }
}

/// The calling thread has called MPI: what it does is no loop that only looks.
pub(super) fn forget() {
    LAST.set(Last { state: 0, times: 0, began: Duration::ZERO });
}

/// The calling thread is about to take a lock or to give way, in this state. If it only looks, it stops here until it is let go.
///
/// # Safety
/// From `frame` on there are [`WORDS`] words.
unsafe extern "C" fn looks(frame: *const usize) {
    let is_alone = membership().is_none() || LOCKS.get() > 0 || forked::is_forked();
    if is_alone {
        return;
    }
    // SAFETY: the caller's promise: below the function that a thread begins with there is always more.
    let words = unsafe { std::slice::from_raw_parts(frame, WORDS) };
    let state = words.iter().fold(frame as u64, |sum, &word| {
        (sum ^ word as u64).wrapping_mul(0x0100_0000_01b3).rotate_left(23)
    });
    let last = LAST.get();
    if last.state != state {
        return LAST.set(Last { state, times: 0, began: Duration::ZERO });
    }
    let times = last.times + 1;
    let began = if times == 1 { processor_time() } else { last.began };
    if times < RETURNS {
        return LAST.set(Last { state, times, began });
    }
    LAST.set(Last { state, times: 0, began });
    if processor_time() <= began + LONGEST {
        stop(state);
    }
}

/// The calling thread, which has no lock of the program, does nothing in this state until it is let go.
fn stop(state_of_thread: u64) {
    let Some(own) = membership() else { return };
    let mut state = own.lock();
    if !state.is_open {
        return;
    }
    state.member(own.member).has_stopped = Some(state_of_thread);
    own.crew.pass_on(&mut state, false);
    let turn = Arc::clone(&state.member(own.member).turn);
    while state.member(own.member).has_stopped.is_some() {
        state = turn.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    own.comes.store(false, Ordering::SeqCst);
}
