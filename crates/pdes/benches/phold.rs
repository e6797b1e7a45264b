//! Events per second of PHOLD: `cargo bench -p weir-pdes --bench phold`.
//!
//! Beside windows, on one thread and on two, stands the same model with one queue of all events.

#![expect(clippy::print_stdout, reason = "a bench prints what it has measured")]

#[expect(dead_code, reason = "units are visited in one order only")]
#[path = "../tests/phold/model.rs"]
mod model;

use model::{Ended, How, Order, Phold};
use std::time::Instant;
use weir_pdes::Width;
use weir_units::{Duration, Time};

const LOOKAHEAD: Duration = Duration::from_ns(100);
const MEAN: Duration = Duration::from_ns(1_000);
/// Each run is measured so many times, and the median counts.
const RUNS: usize = 3;

fn main() {
    // Under `cargo test` there is no --bench: short runs to see that it works.
    let short = !std::env::args().any(|word| word == "--bench");
    let (sizes, events_asked) = if short { ([16, 64], 20_000) } else { ([1_024, 16_384], 4_000_000) };
    println!("million events per second; lookahead {LOOKAHEAD}, mean {MEAN}");
    println!(
        "{:>7} {:>7} {:>7} {:>10} {:>9} {:>9}",
        "units", "events", "remote", "one queue", "1 thread", "2 threads"
    );
    for units in sizes {
        for (events, remote) in [(1, 0.1), (1, 0.5), (16, 0.1), (16, 0.5)] {
            let per_event = (LOOKAHEAD + MEAN).as_ps();
            let end = Time::from_ps(events_asked * per_event / u64::from(units * events));
            let model = Phold { units, events, remote, lookahead: LOOKAHEAD, mean: MEAN, end };
            let windows = |parts| {
                let (width, order) = (Width::new(LOOKAHEAD), Order::Ascending);
                model.run(&How { width, processes: 1, parts, order }).0
            };
            let (ended, queue) = measure(|| model.run_one_queue());
            let [one, two] = [1, 2].map(|parts| {
                let (same, speed) = measure(|| windows(parts));
                assert_eq!(same, ended, "the result depends on how it is run");
                speed
            });
            println!("{units:7} {events:7} {remote:7} {queue:10.2} {one:9.2} {two:9.2}");
        }
    }
}

/// The median of some runs, in million events per second.
fn measure(run: impl Fn() -> Ended) -> (Ended, f64) {
    let mut speeds = [0.0; RUNS];
    let mut ended = None;
    for speed in &mut speeds {
        let start = Instant::now();
        let this = run();
        *speed = this.happened as f64 / start.elapsed().as_secs_f64() / 1e6;
        ended = Some(this);
    }
    speeds.sort_by(f64::total_cmp);
    (ended.expect("there are some runs"), speeds[RUNS / 2])
}
