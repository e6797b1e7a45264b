//! Ends of a rank that happen in a thread that its program has made.
//!
//! A thread of this kind runs beside the ranks' thread. When it breaks, or does what would end the process, it cannot end the rank
//! from where it is. It leaves word, and stops. The ranks' thread finds the word when it next resumes a rank, or one gives
//! way; but the rank that runs may wait for this very thread, so after a while a signal sends the ranks' thread there.

use crate::crash::{self, Crash};
use crate::memory;
use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The end of a thread that a program has made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadEnd {
    /// The rank whose program has made it, if that is known; threads of libraries serve all ranks.
    pub rank: Option<usize>,
    /// The event that ended it.
    pub what: ThreadDeed,
}

/// The event that ends a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThreadDeed {
    /// It broke.
    Crashed(Crash),
    /// It did something that ends the rank: in words, beginning with a verb.
    Did(String),
}

impl fmt::Display for ThreadEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rank {
            Some(rank) => write!(f, "a thread that the program of rank {rank} made ")?,
            None => write!(f, "a thread that the program or one of its libraries made ")?,
        }
        match &self.what {
            ThreadDeed::Crashed(crash) => write!(f, "crashed: {crash}"),
            ThreadDeed::Did(what) => write!(f, "{what}"),
        }
    }
}

thread_local! {
    /// The rank that this thread was made by, and whether it was made by one.
    static OWNER: Cell<Option<usize>> = const { Cell::new(None) };
    /// True if this thread runs ranks.
    static RUNS_RANKS: Cell<bool> = const { Cell::new(false) };
}

/// The word that the first thread has left. A signal handler cannot wait for a lock, so this has none.
struct Word(UnsafeCell<Option<ThreadEnd>>);

// SAFETY: the thread that has set `BEGUN` writes it once, before it sets `WAITS`; the one that clears `WAITS` takes it.
unsafe impl Sync for Word {}

/// Set by the first thread that leaves word.
static BEGUN: AtomicBool = AtomicBool::new(false);
static WORD: Word = Word(UnsafeCell::new(None));
/// Set while the word is there and has not been taken.
static WAITS: AtomicBool = AtomicBool::new(false);
/// A thread that runs ranks, as `pthread_self` has it: of programs that make threads there is one.
static RANKS: AtomicU64 = AtomicU64::new(0);

/// Says that this thread was made by the program of a rank.
pub fn adopt(rank: usize) {
    OWNER.set(Some(rank));
    crash::install();
}

/// The rank by whose program this thread was made, if it is one of those.
pub fn owner() -> Option<usize> {
    OWNER.get()
}

pub(crate) fn this_runs_ranks() {
    RUNS_RANKS.set(true);
    // SAFETY: a question about this thread.
    RANKS.store(unsafe { libc::pthread_self() }, Ordering::Release);
}

/// Returns whether ranks run on other threads than this one.
pub fn runs_no_ranks() -> bool {
    ranks_have_run() && !RUNS_RANKS.get()
}

/// Returns whether any thread of this process has run ranks.
pub(crate) fn ranks_have_run() -> bool {
    RANKS.load(Ordering::Acquire) != 0
}

/// Takes the word that a thread has left, which ends the run. Cheap.
pub fn take() -> Option<ThreadEnd> {
    let is_there = waits() && WAITS.swap(false, Ordering::AcqRel);
    // SAFETY: it has been written, and only who has cleared the sign reads it.
    is_there.then(|| unsafe { (*WORD.0.get()).take() })?
}

/// Returns whether a thread has left word, and so may send signals.
pub(crate) fn has_sent() -> bool {
    BEGUN.load(Ordering::Acquire)
}

/// Returns whether a thread has left word that has not been taken.
#[inline]
pub fn waits() -> bool {
    WAITS.load(Ordering::Acquire)
}

/// Ends the rank by whose program this thread was made, and stops the thread: it has done something, in words, that ends a
/// rank.
pub fn end_rank(what: String) -> ! {
    leave_word(ThreadEnd { rank: owner(), what: ThreadDeed::Did(what) })
}

/// Leaves word and stops. From a signal handler, too: nothing here allocates or waits for a lock.
pub(crate) fn leave_word(word: ThreadEnd) -> ! {
    if matches!(word.what, ThreadDeed::Crashed(_)) {
        // It may have held the lock of the heap, which must not be waited for any more.
        crash::note();
    }
    if !BEGUN.swap(true, Ordering::AcqRel) {
        // SAFETY: this is done once, and it is not read before the sign is set.
        unsafe { WORD.0.get().write(Some(word)) };
        WAITS.store(true, Ordering::Release);
        sleep(200);
        // It is taken at once, unless the engine runs for long, or a rank has locked a door that never opens.
        for _ in 0..60 {
            if !waits() {
                break;
            }
            // SAFETY: the ranks' thread lives as long as ranks run; the handler knows this signal.
            unsafe { libc::pthread_kill(RANKS.load(Ordering::Acquire), libc::SIGSEGV) };
            sleep(1000);
        }
        if waits() {
            const LAST: &str =
                "error: a thread that the program made crashed or ended, and the run cannot be ended\n";
            // SAFETY: our own bytes; and nothing else is left to do.
            unsafe {
                libc::write(2, LAST.as_ptr().cast(), LAST.len());
                libc::_exit(1);
            }
        }
    }
    loop {
        sleep(1000);
    }
}

fn sleep(milliseconds: i64) {
    let time = libc::timespec { tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000 };
    // SAFETY: our own variable.
    unsafe { libc::nanosleep(&raw const time, std::ptr::null_mut()) };
}

/// Returns whether the code that was interrupted is that of a thread which the program, or a library for it, has made: it says so, or
/// its stack has addresses of the program.
pub(crate) fn is_of_program(instruction: usize, stack_pointer: usize) -> bool {
    if !runs_no_ranks() {
        return false;
    }
    if owner().is_some() || memory::is_of_instance(instruction) {
        return true;
    }
    let mut words = [0_usize; 512];
    let read = memory::look_at(stack_pointer, &mut words);
    words[..read].iter().any(|&word| memory::is_of_instance(word))
}
