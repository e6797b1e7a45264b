//! Shared memory and waiting of threads, in one place: a model checker puts its own here (`tests/loom.rs`).

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// After so many looks, some microseconds, a waiting thread offers its core to others before each further look: with
/// more threads than cores the one that is waited for may have none.
const LOOKS: u32 = 2_000;

/// Between two looks at something that another thread will change.
#[derive(Debug, Default)]
pub(crate) struct Backoff(u32);

impl Backoff {
    pub(crate) fn wait(&mut self) {
        if self.0 < LOOKS {
            self.0 += 1;
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}
