//! A lock of the program's.

use std::cell::UnsafeCell;

/// A lock that the program's threads take and give back, as C has it.
pub(crate) struct Critical(UnsafeCell<libc::pthread_mutex_t>);

// SAFETY: only functions that are made for it use what is in it.
unsafe impl Sync for Critical {}
// SAFETY: nobody has it when it moves.
unsafe impl Send for Critical {}

impl Critical {
    pub(crate) const fn new() -> Self {
        Self(UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER))
    }

    /// For the functions of the C library. It must not move any more.
    pub(crate) fn lock(&self) -> *mut libc::pthread_mutex_t {
        self.0.get()
    }
}
