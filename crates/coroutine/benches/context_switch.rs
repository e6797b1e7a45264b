//! Nanoseconds per context switch: one resume and one suspend, round robin over so many coroutines.
//!
//! `cargo bench -p weir-coroutine --bench context_switch` prints a table of medians of five runs; `cargo test` runs it
//! once with little, to see that it works.
#![allow(clippy::print_stdout)] // benches print

use std::time::Instant;
use weir_coroutine::{Arena, Coroutine, StackSize, suspend};

fn nanoseconds_per_switch(coroutines: usize, switches: usize) -> f64 {
    let arena = Arena::new(coroutines, StackSize::default_for(coroutines)).expect("address space");
    let mut all: Vec<Coroutine> = (0..coroutines)
        .map(|index| {
            Coroutine::new(&arena, index, || {
                loop {
                    suspend();
                }
            })
        })
        .collect();
    all.iter_mut().for_each(|coroutine| _ = coroutine.resume());
    let rounds = (switches / coroutines).max(1);
    let start = Instant::now();
    for _ in 0..rounds {
        all.iter_mut().for_each(|coroutine| _ = coroutine.resume());
    }
    start.elapsed().as_secs_f64() * 1e9 / (rounds * coroutines) as f64
}

fn main() {
    let measures = std::env::args().any(|argument| argument == "--bench");
    let (switches, runs) = if measures { (5_000_000, 5) } else { (1_000, 1) };
    println!("| coroutines | ns per switch |\n|---|---|");
    for coroutines in [1, 1_024, 16_384, 163_840] {
        let mut times: Vec<f64> = (0..runs).map(|_| nanoseconds_per_switch(coroutines, switches)).collect();
        times.sort_by(f64::total_cmp);
        println!("| {coroutines} | {:.1} |", times[runs / 2]);
    }
}
