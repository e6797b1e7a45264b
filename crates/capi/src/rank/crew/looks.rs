//! Threads that wait for others in loops of library calls: they take a lock, look at what it guards, give it back, and begin again.
//!
//! The loop comes to its call over and over with the same registers and the same stack. The thread stops there, where it has
//! no lock that others need, and takes no processor until it is let go to look again. Loops without such a call are found by
//! signals ([`weir_coroutine::progress`]), which takes some hundred times as long.

use super::{Membership, membership};
use crate::process::{self, processor_time};
use std::arch::naked_asm;
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use weir_coroutine::progress::{Loop, sum_of_state};
use weir_units::Duration;

/// A thread that has come to the same call so often in the same state waits.
const RETURNS: u32 = 32;
/// A loop has so many such calls at most.
const CALLS: usize = 4;
/// A loop that takes longer for so many returns does some work.
const LONGEST: Duration = Duration::from_ns(100_000);
/// Words of the frame that are looked at: the argument, six registers, the place of the call, and what is above it on the stack.
const WORDS: usize = 24;

/// This is set when threads of some rank may call MPI. Until then no thread looks at its calls.
static ANY_CALLS: AtomicBool = AtomicBool::new(false);

pub(super) fn begin() {
    ANY_CALLS.store(true, Ordering::Relaxed);
}

/// Makes numbers of states differ from the kernel's counts of waits.
const BESIDE_COUNTS: u64 = 1 << 63;

thread_local! {
    /// Number of locks of the program that this thread has.
    static LOCKS: Cell<u32> = const { Cell::new(0) };
    static LAST: Cell<Last> = const { Cell::new(Last::NONE) };
    /// Number of times that it has come to a state that was none of the last ones.
    static NUMBER: Cell<u64> = const { Cell::new(0) };
}

/// The states in which a thread has come to such calls last.
#[derive(Clone, Copy)]
struct Last {
    states: [u64; CALLS],
    /// Number of times that it has come back to one of them.
    times: u32,
    /// Its processor time, and what was beside the lock, when it did so first.
    began: Duration,
    memory: u64,
}

impl Last {
    const NONE: Self = Self { states: [0; CALLS], times: 0, began: Duration::ZERO, memory: 0 };
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

pub(crate) unsafe extern "C" fn unlock(mutex: *mut libc::pthread_mutex_t) -> c_int {
    LOCKS.set(LOCKS.get().saturating_sub(1));
    // SAFETY: the caller's argument.
    unsafe { libc::pthread_mutex_unlock(mutex) }
}

/// The calling thread has called MPI: what it does is no loop that only looks.
pub(super) fn forget() {
    LAST.set(Last::NONE);
}

/// The calling thread is about to take a lock or to give way, in this state. If it only looks, it stops here until it is let go.
///
/// # Safety
/// From `frame` on there are [`WORDS`] words.
unsafe extern "C" fn looks(frame: *const usize) {
    let may_stop = ANY_CALLS.load(Ordering::Relaxed) && LOCKS.get() == 0;
    let Some(own) = membership().filter(|_| may_stop && !process::is_forked()) else { return };
    // SAFETY: the caller's promise: below the function that a thread begins with there is always more.
    let words = unsafe { std::slice::from_raw_parts(frame, WORDS) };
    let state = sum_of_state([frame as u64].into_iter().chain(words.iter().map(|&word| word as u64)));
    let mut last = LAST.get();
    if !last.states.contains(&state) {
        NUMBER.set(NUMBER.get() + 1);
        last.states.rotate_right(1);
        last.states[0] = state;
        return LAST.set(Last { times: 0, ..last });
    }
    last.times += 1;
    if last.times == 1 {
        (last.began, last.memory) = (processor_time(), beside(words[0]));
    }
    let (began, memory, stops) = (last.began, last.memory, last.times == RETURNS);
    last.times %= RETURNS;
    LAST.set(last);
    if stops && beside(words[0]) == memory && processor_time() <= began + LONGEST {
        // SAFETY: a variable of this thread, which the function that is called does not change.
        let errno = unsafe { *libc::__errno_location() };
        stop(own, Stop { number: NUMBER.get() | BESIDE_COUNTS, lock: words[0], memory });
        // SAFETY: as above.
        unsafe { *libc::__errno_location() = errno };
    }
}

/// A number for the page of a lock without the lock. Most programs have what it guards there, and it changes if work is done.
fn beside(lock: usize) -> u64 {
    const PAGE: usize = 4096;
    let (page, end) = (lock & !(PAGE - 1), lock + size_of::<libc::pthread_mutex_t>());
    let words =
        (page..lock).step_by(size_of::<usize>()).chain((end..page + PAGE).step_by(size_of::<usize>()));
    // SAFETY: on the page of a lock that the program is about to use. Others may write there meanwhile: any value will do.
    sum_of_state(words.filter(|_| lock != 0).map(|word| unsafe { (word as *const u64).read_volatile() }))
}

pub(super) struct Stop {
    pub(super) number: u64,
    /// The lock that it was about to take; 0: none.
    lock: usize,
    memory: u64,
}

impl Stop {
    /// Says whether the page of the lock has changed since; without a lock it may have.
    pub(super) fn may_find(&self) -> bool {
        self.lock == 0 || beside(self.lock) != self.memory
    }
}

/// The calling thread, which has no lock of the program, does nothing until it is let go.
fn stop(own: &Membership, at: Stop) {
    let mut state = own.lock();
    if !state.is_open {
        return;
    }
    let me = state.member(own.member);
    (me.has_stopped, me.waits_in) = (Some(at), Loop::default());
    own.crew.pass_on(&mut state, false);
    let turn = Arc::clone(&state.member(own.member).turn);
    while state.member(own.member).has_stopped.is_some() {
        state = turn.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    own.comes.store(false, Ordering::SeqCst);
}
