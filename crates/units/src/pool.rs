//! Jobs that do not need each other, on several threads.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Runs all jobs on this many threads, or on as many as there are processors; returns their results in the order of the jobs. Jobs
/// begin in their order, the calling thread runs some of them, and there are never more threads than jobs.
pub fn side_by_side<J: Sync, R: Send>(
    jobs: &[J],
    threads: Option<NonZeroUsize>,
    run: impl Fn(&J) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(jobs.iter().map(|_| None).collect::<Vec<Option<R>>>());
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(place) else { return };
            let result = run(job);
            results.lock().unwrap_or_else(PoisonError::into_inner)[place] = Some(result);
        }
    };
    let threads = threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    thread::scope(|scope| {
        for _ in 1..threads.min(jobs.len()) {
            scope.spawn(work);
        }
        work();
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().map(|result| result.expect("each job has been run")).collect()
}
