//! Every order in which two or three threads can take their steps, and every value that they can read then, where they
//! meet: `cargo test -p weir-pdes --features loom --test loom --release`.
#![allow(dead_code, reason = "the module is that of the crate, on other atomics")]

#[path = "../src/agreement.rs"]
mod agreement;

/// Takes the place of the crate's own.
mod sync {
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

    /// Two waiting threads could offer each other the core for ever. After so many looks in vain threads take turns, and
    /// other orders are not tried.
    const PATIENCE: u32 = 3;

    #[derive(Default)]
    pub(crate) struct Backoff(u32);

    impl Backoff {
        pub(crate) fn wait(&mut self) {
            self.0 += 1;
            if self.0 == PATIENCE {
                loom::skip_branch();
            }
            loom::thread::yield_now();
        }
    }
}

use agreement::Agreement;
use loom::sync::Arc;
use loom::thread;
use sync::{AtomicU64, Ordering};

/// Runs `part` for each of some threads, in every order in which they can take their steps.
fn explore(threads: u64, preemptions: usize, part: impl Fn(u64, &Agreement) + Copy + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(move || {
        let agreement = Arc::new(Agreement::new(threads as usize));
        let others: Vec<_> = (1..threads)
            .map(|thread| {
                let agreement = Arc::clone(&agreement);
                thread::spawn(move || part(thread, &agreement))
            })
            .collect();
        part(0, &agreement);
        others.into_iter().for_each(|other| other.join().expect("it has ended"));
    });
}

/// Three meetings: the third one uses the place of the first again.
fn meet(thread: u64, agreement: &Agreement, threads: u64) {
    for meeting in 0..3 {
        let number = 10 * meeting + (thread + meeting) % threads;
        assert_eq!(agreement.least(meeting, number), 10 * meeting);
    }
}

#[test]
fn two_threads_take_away_the_least() {
    explore(2, 5, |thread, agreement| meet(thread, agreement, 2));
}

#[test]
fn three_threads_take_away_the_least() {
    explore(3, 2, |thread, agreement| meet(thread, agreement, 3));
}

/// What a thread has written before a meeting every thread sees after it, without any order of its own.
#[test]
fn what_was_written_before_a_meeting_is_seen_after_it() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(4);
    builder.check(|| {
        let shared = Arc::new((Agreement::new(2), [AtomicU64::new(0), AtomicU64::new(0)]));
        let part = |shared: &(Agreement, [AtomicU64; 2]), own: usize| {
            let (agreement, written) = shared;
            for meeting in 0..2 {
                written[own].store(meeting + 1, Ordering::Relaxed);
                agreement.least(meeting, 0);
                assert!(written[1 - own].load(Ordering::Relaxed) > meeting);
            }
        };
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || part(&other, 1));
        part(&shared, 0);
        thread.join().unwrap();
    });
}
