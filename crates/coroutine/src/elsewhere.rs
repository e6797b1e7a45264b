//! A coroutine that goes on on a thread of its own.
//!
//! A rank whose threads may all call the library waits for them in functions of its own, where the ranks' thread would be
//! stuck with it. So it leaves that thread, at an instant at which it is suspended.

use crate::coroutine::{Coroutine, CoroutineEnd};
use crate::own_threads;
use crate::thread_locals::{self, LocalsCopy};

/// A suspended coroutine on its way to a thread of its own, and what it has of its own on the one that it leaves.
pub struct Elsewhere {
    coroutine: Coroutine,
    locals: ThreadLocals,
}

// SAFETY: a coroutine is memory, a stack and the words that describe both. Whoever makes this leaves it to one thread, and the
// counted references in it are used by one thread at a time: the one that runs it, and when it has ended the one that drops it.
unsafe impl Send for Elsewhere {}

/// Thread-local variables of one rank on the ranks' thread: they go with it.
#[derive(Default)]
pub struct ThreadLocals {
    /// The copy of its instance's variables.
    pub(crate) own: Option<LocalsCopy>,
    /// Others, where the loader gives each thread a place at a fixed distance from its pointer: that distance, and the contents.
    pub(crate) fixed: Vec<(usize, Vec<u8>)>,
}

/// The thread's pointer of the kernel and the C library.
pub(crate) fn thread_pointer() -> usize {
    // SAFETY: a question about this thread; on x86-64 this is the pointer itself.
    (unsafe { libc::pthread_self() }) as usize
}

impl ThreadLocals {
    fn put_in_place(self) {
        if let Some(own) = self.own {
            thread_locals::take_over(own);
        }
        for (distance, bytes) in self.fixed {
            let place = thread_pointer().wrapping_add(distance) as *mut u8;
            // SAFETY: the loader has given every thread the same places.
            unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
    }
}

impl Elsewhere {
    /// The coroutine is suspended, and is resumed by [`run`](Self::run) only.
    #[must_use]
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
