//! A function on a stack of its own.

use crate::crash::{self, Crash};
use crate::stack::{Arena, Stack};
use corosensei::{CoroutineResult, Yielder};
use std::cell::Cell;
use std::rc::Rc;

/// How a coroutine ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Its function returned this.
    Returned(i32),
    /// It left by [`leave`] with this.
    Left(i32),
    /// It broke.
    Crashed(Crash),
}

/// What a coroutine says when it gives the thread back.
enum Said {
    Waits,
    Leaves(i32),
}

type Inner = corosensei::Coroutine<(), Said, Ended, Stack>;

/// A function that can stop in the middle, and what it takes to go on.
///
/// It belongs to one thread. Dropping one that has not ended abandons its frames without unwinding: they are those
/// of a C program.
pub struct Coroutine {
    inner: Inner,
    stack: Rc<StackFacts>,
    yielder: Rc<Cell<*const Yielder<(), Said>>>,
}

/// What the crash handler wants to know of the running stack.
pub(crate) struct StackFacts {
    pub(crate) trap: Cell<Option<corosensei::trap::CoroutineTrapHandler<Ended>>>,
    pub(crate) guard: Cell<(usize, usize)>,
    overflowed: Box<dyn Fn() -> bool>,
}

thread_local! {
    static RUNNING: Cell<*const Yielder<(), Said>> = const { Cell::new(std::ptr::null()) };
}

impl Coroutine {
    /// A coroutine that will run `body` on stack `index` of `arena`, which no other coroutine uses.
    pub fn new(arena: &Rc<Arena>, index: usize, body: impl FnOnce() -> i32 + 'static) -> Self {
        let stack = arena.stack(index);
        let probe = arena.stack(index);
        let guard = probe.guard_range();
        let overflowed = Box::new(move || probe.has_overflowed());
        let yielder = Rc::new(Cell::new(std::ptr::null()));
        let own = Rc::clone(&yielder);
        let inner = Inner::with_stack(stack, move |yielder: &Yielder<(), Said>, ()| {
            own.set(yielder);
            RUNNING.set(yielder);
            Ended::Returned(body())
        });
        let facts =
            StackFacts { trap: Cell::new(Some(inner.trap_handler())), guard: Cell::new(guard), overflowed };
        Self { inner, stack: Rc::new(facts), yielder }
    }

    /// Runs it until it suspends (`None`) or ends.
    ///
    /// # Panics
    /// When it has ended before.
    pub fn resume(&mut self) -> Option<Ended> {
        crash::install();
        let before = RUNNING.replace(self.yielder.get());
        let watched = crash::watch(&self.stack);
        let result = self.inner.resume(());
        crash::unwatch(watched);
        RUNNING.set(before);
        match result {
            CoroutineResult::Yield(Said::Waits) if (self.stack.overflowed)() => {
                self.abandon();
                Some(Ended::Crashed(Crash::StackOverflow))
            }
            CoroutineResult::Yield(Said::Waits) => None,
            CoroutineResult::Yield(Said::Leaves(code)) => {
                self.abandon();
                Some(Ended::Left(code))
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

/// Stops the running coroutine until it is resumed. `errno` stays what it was.
///
/// # Panics
/// When no coroutine runs on this thread.
pub fn suspend() {
    // SAFETY: errno is a variable of this thread.
    let errno = unsafe { *libc::__errno_location() };
    yield_with(Said::Waits);
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

/// Ends the running coroutine from any depth, as [`Ended::Left`].
///
/// # Panics
/// When no coroutine runs on this thread.
pub fn leave(code: i32) -> ! {
    yield_with(Said::Leaves(code));
    unreachable!("a coroutine that has left is not resumed")
}

fn yield_with(said: Said) {
    let yielder = RUNNING.get();
    assert!(!yielder.is_null(), "no coroutine runs on this thread");
    // SAFETY: it points into the frame of the running coroutine's first function, which is below us on this stack.
    unsafe { (*yielder).suspend(said) };
}
