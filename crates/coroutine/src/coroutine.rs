//! A function on a stack of its own.

use crate::crash::{self, Crash};
use crate::own_threads;
use crate::stack::{Arena, Stack, StackSize};
use crate::standing::this_thread;
use crate::thread_locals::ThreadLocals;
use corosensei::{CoroutineResult, Yielder};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The end of a coroutine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoroutineEnd {
    /// Its function returned this.
    Returned(i32),
    /// It left by [`leave`] with this.
    Left(i32),
    /// It broke.
    Crashed(Crash),
    /// A thread that the program has made broke, or did what ends a rank; [`own_threads::take`] says what.
    ByThread,
    /// It was made to end while it ran ([`Interrupter`](crate::Interrupter)).
    Interrupted,
}

/// The reason for which a coroutine gives the thread back.
enum Said {
    Waits,
    Leaves(i32),
}

/// Ends a coroutine from outside.
pub(crate) type Trap = corosensei::trap::CoroutineTrapHandler<CoroutineEnd>;

type Inner = corosensei::Coroutine<(), Said, CoroutineEnd, Stack>;

/// A function that can stop in the middle, and what it takes to go on.
///
/// It belongs to one thread. Dropping one that has not ended abandons its frames without unwinding: they are those
/// of a C program.
pub struct Coroutine {
    inner: Inner,
    facts: Rc<Facts>,
}

/// The parts of the running coroutine that `suspend` and the crash handler need.
pub(crate) struct Facts {
    /// Gives the thread back; stored in the frame of the coroutine's first function. Null before it has started.
    yielder: Cell<*const Yielder<(), Said>>,
    /// Ends it from a signal handler.
    pub(crate) trap: Cell<Option<Trap>>,
    /// Set when the handler has ended it, which it must not do again.
    pub(crate) is_ended: Cell<bool>,
    /// The number of its stack.
    index: usize,
    /// Addresses of the guard below its stack.
    pub(crate) guard: (usize, usize),
    /// The end of its stack, where it begins.
    pub(crate) top: usize,
    /// The lowest word of a stack without a guard.
    last_word: Option<*const u64>,
}

thread_local! {
    static RUNNING: Cell<*const Facts> = const { Cell::new(std::ptr::null()) };
}

/// The number of the stack that was resumed last, on any thread.
static LAST: AtomicUsize = AtomicUsize::new(0);

/// The number of the stack that was resumed last.
pub(crate) fn last() -> usize {
    LAST.load(Ordering::Relaxed)
}

/// The coroutine that runs on this thread, or null.
pub(crate) fn running() -> *const Facts {
    RUNNING.get()
}

impl Coroutine {
    /// A coroutine that will run `body` on stack `index` of `arena`, which no other coroutine uses.
    pub fn new(arena: &Rc<Arena>, index: usize, body: impl FnOnce() -> i32 + 'static) -> Self {
        crash::install();
        own_threads::this_runs_ranks();
        let stack = arena.stack(index);
        let facts = Rc::new(Facts {
            yielder: Cell::new(std::ptr::null()),
            trap: Cell::new(None),
            is_ended: Cell::new(false),
            index,
            guard: stack.guard_range(),
            top: stack.top,
            last_word: stack.last_word(),
        });
        let own = Rc::clone(&facts);
        let inner = Inner::with_stack(stack, move |yielder: &Yielder<(), Said>, ()| {
            own.yielder.set(yielder);
            CoroutineEnd::Returned(body())
        });
        facts.trap.set(Some(inner.trap_handler()));
        Self { inner, facts }
    }

    /// Runs it until it suspends (`None`) or ends. On the thread that made it, or on one that has [come](come_to_thread) to run coroutines
    /// that have no variables of threads.
    ///
    /// # Panics
    /// When it has ended before.
    #[inline]
    pub fn resume(&mut self) -> Option<CoroutineEnd> {
        if own_threads::waits() {
            self.abandon();
            return Some(CoroutineEnd::ByThread);
        }
        LAST.store(self.facts.index, Ordering::Relaxed);
        let before = RUNNING.replace(Rc::as_ptr(&self.facts));
        let result = self.inner.resume(());
        RUNNING.set(before);
        match result {
            CoroutineResult::Yield(Said::Waits) => {
                // SAFETY: a word of its own stack; reading a page that was never written commits nothing.
                if self.facts.last_word.is_some_and(|word| unsafe { word.read_volatile() } != 0) {
                    self.abandon();
                    return Some(CoroutineEnd::Crashed(Crash::StackOverflow));
                }
                None
            }
            CoroutineResult::Yield(Said::Leaves(code)) => {
                self.abandon();
                Some(CoroutineEnd::Left(code))
            }
            CoroutineResult::Return(ended) => Some(ended),
        }
    }

    fn abandon(&mut self) {
        if !self.inner.done() && self.inner.started() {
            // SAFETY: the frames are those of a C program and of the functions it called to get here, which keep
            // nothing on the stack across `suspend` and `leave` that needs dropping.
            unsafe { self.inner.force_reset() };
        }
    }
}

impl Drop for Coroutine {
    fn drop(&mut self) {
        self.abandon();
    }
}

/// The calling thread is about to run coroutines that other threads may have run before; returns its number. Costs next to nothing when it
/// has been called here before.
#[inline]
pub fn come_to_thread() -> libc::pid_t {
    thread_local! {
        static NUMBER: Cell<libc::pid_t> = const { Cell::new(0) };
    }
    if NUMBER.get() == 0 {
        crash::install();
        own_threads::this_runs_ranks();
        NUMBER.set(this_thread());
    }
    NUMBER.get()
}

/// Carries out something that may break, on a stack of its own.
///
/// # Errors
/// The crash. Things that it had begun are left as they were then.
///
/// # Panics
/// When there is no memory for the stack.
pub fn guarded<R: 'static>(body: impl FnOnce() -> R + 'static) -> Result<R, Crash> {
    let arena = Arena::new(1, StackSize::default_for(1)).expect("address space for a stack");
    let result = Rc::new(Cell::new(None));
    let place = Rc::clone(&result);
    let ended = Coroutine::new(&arena, 0, move || {
        place.set(Some(body()));
        0
    })
    .resume();
    match (ended, result.take()) {
        (Some(CoroutineEnd::Crashed(crash)), _) => Err(crash),
        (_, Some(result)) => Ok(result),
        _ => Err(Crash::Abort),
    }
}

/// Stops the running coroutine until it is resumed. `errno` stays what it was.
///
/// # Panics
/// When no coroutine runs on this thread.
#[inline]
pub fn suspend() {
    // SAFETY: errno is a variable of this thread.
    let errno = unsafe { *libc::__errno_location() };
    yield_with(Said::Waits);
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

/// Ends the running coroutine from any depth, as [`CoroutineEnd::Left`].
///
/// # Panics
/// When no coroutine runs on this thread.
pub fn leave(code: i32) -> ! {
    yield_with(Said::Leaves(code));
    unreachable!("a coroutine that has left is not resumed")
}

#[inline]
fn yield_with(said: Said) {
    let running = RUNNING.get();
    assert!(!running.is_null(), "no coroutine runs on this thread");
    // SAFETY: while a coroutine runs the word points to its facts, and these into the frame of its first function,
    // which is below us on this stack.
    unsafe { (*(*running).yielder.get()).suspend(said) };
}

/// A suspended coroutine on its way to a thread of its own, and what it has of its own on the one that it leaves.
///
/// A rank whose threads may all call the library waits for them in functions of its own, where the ranks' thread would be
/// stuck with it. So it leaves that thread, at an instant at which it is suspended.
pub struct Elsewhere {
    coroutine: Coroutine,
    locals: ThreadLocals,
}

// SAFETY: a coroutine is memory, a stack and the words that describe both. Whoever makes this leaves it to one thread, and the
// counted references in it are used by one thread at a time: the one that runs it, and when it has ended the one that drops it.
unsafe impl Send for Elsewhere {}

impl Elsewhere {
    /// The coroutine is suspended, and is resumed by [`run`](Self::run) only.
    pub fn new(coroutine: Coroutine, locals: ThreadLocals) -> Self {
        Self { coroutine, locals }
    }

    /// Lets it go on to its end on this thread, which belongs to this rank: how it ended, and what has to be dropped by the
    /// thread that has made it.
    pub fn run(mut self, rank: usize) -> (CoroutineEnd, Self) {
        own_threads::adopt(rank);
        std::mem::take(&mut self.locals).put_in_place();
        loop {
            if let Some(end) = self.coroutine.resume() {
                return (end, self);
            }
        }
    }
}
