//! Construction of the parts of a model by several threads.

use crate::begin_thread;
use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Makes one thing of each of `seeds`, in their order, on the calling thread and as many as `helpers` more. Where the system has no memory or no
/// thread to give, there are fewer.
///
/// # Panics
/// When `make` does.
pub fn make_all<S: Send, T: Send>(seeds: Vec<S>, helpers: usize, make: impl Fn(S) -> T + Sync) -> Vec<T> {
    let helpers = helpers.min(seeds.len().saturating_sub(1));
    if helpers == 0 {
        return seeds.into_iter().map(make).collect();
    }
    let made = Mutex::new(Vec::with_capacity(seeds.len()));
    let seeds = Mutex::new(seeds.into_iter().enumerate());
    let work = || {
        loop {
            // The lock is not held while something is made.
            let Some((place, seed)) = open(&seeds).next() else { return };
            let thing = make(seed);
            open(&made).push((place, thing));
        }
    };
    std::thread::scope(|scope| {
        let begin = |_| begin_thread(work, |thread, work| thread.spawn_scoped(scope, work)).ok();
        let helpers: Vec<_> = (0..helpers).map_while(begin).collect();
        work();
        for helper in helpers {
            helper.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
    let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    made.sort_unstable_by_key(|&(place, _)| place);
    made.into_iter().map(|(_, thing)| thing).collect()
}

/// When a thread panics the caller does too, after the others have made the rest.
fn open<T>(list: &Mutex<T>) -> MutexGuard<'_, T> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn all_are_made_in_their_order() {
        for helpers in [0, 1, 3, 20] {
            for seeds in [0, 1, 2, 7] {
                let made = make_all((0..seeds).collect(), helpers, |seed| 10 * seed);
                assert_eq!(made, (0..seeds).map(|seed| 10 * seed).collect::<Vec<_>>());
            }
        }
    }

    /// Each waits until all have begun, so they are made at the same time.
    #[test]
    fn helpers_work_at_the_same_time() {
        let barrier = std::sync::Barrier::new(3);
        let made = make_all(vec!['a', 'b', 'c'], 2, |seed| {
            barrier.wait();
            seed
        });
        assert_eq!(made, ['a', 'b', 'c']);
    }

    #[test]
    fn a_panic_comes_to_the_caller() {
        for helpers in [0, 1, 3] {
            let make = |seed| assert!(seed != 2, "the second");
            let panic = catch_unwind(AssertUnwindSafe(|| make_all(vec![0, 1, 2, 3], helpers, make)));
            let panic = panic.expect_err("one of them panics");
            assert_eq!(panic.downcast_ref::<&str>(), Some(&"the second"));
        }
    }
}
