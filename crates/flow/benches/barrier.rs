//! Costs of a barrier (paper 002, section 3.2): threads add numbers and wait at a barrier in each of many rounds; the same without
//! barriers is to be taken off. `cargo bench -p weir-flow --bench barrier -- THREADS ROUNDS ADDITIONS...` prints a line of JSON for
//! each number of additions: for each kind of barrier the nanoseconds of all rounds with it, and without. `make papers` reads them.
#![allow(missing_docs, clippy::print_stdout)]

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;
use weir_flow::{BarrierWait, ThreadBarrier};

fn main() {
    // Cargo adds `--bench`; as a test there are no numbers.
    let numbers: Vec<u64> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let [threads, rounds, ref loads @ ..] = numbers[..] else { return test() };
    for &additions in loads {
        let [spin, park] = [BarrierWait::Spin, BarrierWait::Park].map(|waiting| {
            let barrier = ThreadBarrier::new(waiting, threads as usize);
            [
                nanoseconds(threads, rounds, additions, || barrier.wait()),
                nanoseconds(threads, rounds, additions, || {}),
            ]
        });
        println!("{{\"spin\": {spin:?}, \"park\": {park:?}}}");
    }
}

/// How long it takes until all threads are through all rounds.
fn nanoseconds(threads: u64, rounds: u64, additions: u64, wait: impl Fn() + Sync) -> u128 {
    let work = || {
        let mut sum = 0_u64;
        for _ in 0..rounds {
            for i in 0..additions {
                sum = black_box(sum + i);
            }
            wait();
        }
    };
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    start.elapsed().as_nanos()
}

/// Every thread waits in every round.
fn test() {
    let (waits, barrier) = (AtomicU64::new(0), ThreadBarrier::new(BarrierWait::Park, 3));
    nanoseconds(3, 7, 2, || {
        barrier.wait();
        waits.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(waits.into_inner(), 21);
}
