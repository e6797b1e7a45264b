//! The barrier between two steps of a parallel sweep (paper 002, section 3.2).

use std::sync::atomic::{AtomicUsize, Ordering};

/// The way in which threads wait for each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BarrierWait {
    /// Busily, as the own barrier of paper 002: the fastest as long as every thread has a core for itself, and slow as
    /// soon as one has not.
    Spin,
    /// Asleep, as the barrier of an operating system: other threads can use the core.
    #[default]
    Park,
}

/// Where so many threads wait until all of them have come; may be used again and again.
#[derive(Debug)]
pub struct ThreadBarrier(Method);

#[derive(Debug)]
enum Method {
    Spin { threads: usize, come: AtomicUsize, passed: AtomicUsize },
    Park(std::sync::Barrier),
}

/// After so many looks, some microseconds, a waiting thread offers its core to others before each further look: with
/// more threads than cores the one that is waited for may have none.
const PATIENCE: u32 = 200;

impl ThreadBarrier {
    /// A barrier for so many threads.
    pub fn new(waiting: BarrierWait, threads: usize) -> Self {
        Self(match waiting {
            BarrierWait::Spin => {
                Method::Spin { threads, come: AtomicUsize::new(0), passed: AtomicUsize::new(0) }
            }
            BarrierWait::Park => Method::Park(std::sync::Barrier::new(threads)),
        })
    }

    /// Waits until all threads have come. What a thread has written before, every thread sees after.
    ///
    /// The last thread sets the count of those that have come to zero before it lets the others pass, so none can
    /// come to the next round while this one is counted.
    pub fn wait(&self) {
        match &self.0 {
            Method::Spin { threads, come, passed } => {
                let round = passed.load(Ordering::Relaxed);
                if come.fetch_add(1, Ordering::AcqRel) + 1 == *threads {
                    come.store(0, Ordering::Relaxed);
                    passed.store(round.wrapping_add(1), Ordering::Release);
                    return;
                }
                let mut looks = 0;
                while passed.load(Ordering::Acquire) == round {
                    if looks < PATIENCE {
                        looks += 1;
                        std::hint::spin_loop();
                    } else {
                        std::thread::yield_now();
                    }
                }
            }
            Method::Park(barrier) => {
                barrier.wait();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each round every thread adds one; behind the barrier all see the full sum, and none a later one.
    #[test]
    fn no_thread_passes_before_all_have_come() {
        for waiting in [BarrierWait::Spin, BarrierWait::Park] {
            for threads in [1, 2, 3, 8] {
                let (barrier, sum) = (ThreadBarrier::new(waiting, threads), AtomicUsize::new(0));
                std::thread::scope(|scope| {
                    for _ in 0..threads {
                        scope.spawn(|| {
                            for round in 1..=200 {
                                sum.fetch_add(1, Ordering::Relaxed);
                                barrier.wait();
                                assert_eq!(sum.load(Ordering::Relaxed), round * threads);
                                barrier.wait();
                            }
                        });
                    }
                });
            }
        }
    }
}
