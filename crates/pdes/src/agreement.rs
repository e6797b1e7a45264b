//! Where the threads meet after each window, and agree on the next.

use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Backoff, Ordering};
use weir_units::OwnLine;

/// A barrier at which every thread brings a number and takes away the least of all.
#[derive(Debug)]
pub(crate) struct Agreement {
    threads: usize,
    arrivals: OwnLine<Arrivals>,
    outcome: OwnLine<Outcome>,
}

/// Every thread that comes writes here.
#[derive(Debug)]
struct Arrivals {
    come: AtomicUsize,
    /// The least so far, by parity of the meeting: the place of one meeting is cleared while the next one goes on.
    least: [AtomicU64; 2],
}

/// The threads that wait look here, and those that come take it away from none of them.
#[derive(Debug)]
struct Outcome {
    passed: AtomicUsize,
    failed: AtomicBool,
}

impl Agreement {
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            threads,
            arrivals: OwnLine(Arrivals {
                come: AtomicUsize::new(0),
                least: [AtomicU64::new(u64::MAX), AtomicU64::new(u64::MAX)],
            }),
            outcome: OwnLine(Outcome { passed: AtomicUsize::new(0), failed: AtomicBool::new(false) }),
        }
    }

    /// Waits until all threads have come to this meeting, and returns the least of their numbers. What a thread has
    /// written before, every thread sees after. Every thread counts its meetings itself, from zero.
    ///
    /// # Panics
    /// When another thread has panicked: it will never come.
    pub(crate) fn least(&self, meeting: u64, number: u64) -> u64 {
        if self.threads == 1 {
            return number;
        }
        let (OwnLine(Arrivals { come, least }), OwnLine(Outcome { passed, failed })) =
            (&self.arrivals, &self.outcome);
        let place = &least[(meeting % 2) as usize];
        place.fetch_min(number, Ordering::Relaxed);
        let round = meeting as usize;
        if come.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            come.store(0, Ordering::Relaxed);
            // All have left the meeting before this one, and none is at the one after it.
            least[((meeting + 1) % 2) as usize].store(u64::MAX, Ordering::Relaxed);
            passed.store(round.wrapping_add(1), Ordering::Release);
        } else {
            let mut backoff = Backoff::default();
            while passed.load(Ordering::Acquire) == round {
                assert!(!failed.load(Ordering::Relaxed), "another thread of the simulation has panicked");
                backoff.wait();
            }
        }
        place.load(Ordering::Relaxed)
    }

    /// To be kept by every thread: shows the others when it panics.
    pub(crate) fn guard(&self) -> Guard<'_> {
        Guard(self)
    }
}

pub(crate) struct Guard<'a>(&'a Agreement);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.outcome.0.failed.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::*;

    #[test]
    fn all_take_away_the_least() {
        for threads in [1, 2, 3, 5] {
            let agreement = Agreement::new(threads);
            std::thread::scope(|scope| {
                for thread in 0..threads as u64 {
                    let agreement = &agreement;
                    scope.spawn(move || {
                        for meeting in 0..500 {
                            let number = 10 + (thread + meeting) % threads as u64;
                            assert_eq!(agreement.least(meeting, number), 10);
                        }
                    });
                }
            });
        }
    }
}
