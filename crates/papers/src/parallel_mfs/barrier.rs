//! Section 3.2, figure 3.2: what a barrier costs, over the work between two barriers.
//!
//! As in the paper: every thread adds numbers, then waits at a barrier, a million times; the same without barriers is
//! taken off, and what remains is divided by the number of barriers. The axis of the figure goes to 10^9 additions,
//! which can only be those of all million rounds together: so 10^9 is 1,000 additions before each barrier.

use crate::campaign::Campaign;
use crate::{
    Axis, Comparison, Item, PapersError, Plot, PointDone, Row, Series, SeriesKind, Target, Tolerance,
};
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};
use weir_flow::{BarrierWait, ThreadBarrier};

/// Section 3.2: the loads are stated as additions in this many rounds.
const PUBLISHED_ROUNDS: u64 = 1_000_000;
/// Additions before each barrier.
const LOADS: [u64; 5] = [1, 10, 100, 1_000, 10_000];
/// Section 3.2: the standard barrier over the own one, by additions in all rounds. The paper does not say for how many
/// threads; it had eight cores.
const PARK_OVER_SPIN: [(u64, Target); 3] = [
    (10_000_000, Target::Value(20.0, Tolerance::NotJudged)),
    (1_000_000_000, Target::Value(1.0, Tolerance::NotJudged)),
    (10_000_000_000, Target::About(0.0, 1.0)),
];
/// Why the two do not meet where the paper has it.
const NO_CROSSING: &str = "A parking barrier is one of the system here: a thread that waits goes to sleep, and waking it costs the same whatever it \
     has computed before, 5 us with 2 threads and 11 us with 8 on sixteen quiet cores. OpenMP's of the paper's time waited busily for a \
     while first, so that longer work brought it up to the own one.";
/// From so many additions on the two cost the same in the paper, or the own one more.
const CROSSING: u64 = 1_000_000_000;
const KINDS: [(&str, BarrierWait); 2] = [("spin", BarrierWait::Spin), ("park", BarrierWait::Park)];

/// How much to measure.
#[derive(Clone, Copy)]
struct Effort {
    rounds: u64,
    loads: &'static [u64],
    most_threads: usize,
}

pub(super) fn compare(campaign: &Campaign<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let most_threads = (2 * cores).max(2);
    let few = [Effort { rounds: 500, loads: &LOADS[..2], most_threads: 2 }];
    let short = [Effort { rounds: 10_000, loads: &LOADS, most_threads }];
    let full = [Effort { rounds: PUBLISHED_ROUNDS, loads: &LOADS, most_threads }];
    let Effort { rounds, loads, most_threads } = campaign.choose(&few, &short, &full)[0];
    let doubling = std::iter::successors(Some(2), |threads| Some(2 * threads));
    let threads: Vec<usize> = doubling.take_while(|&threads| threads <= most_threads).collect();
    let (mut rows, mut series) = (Vec::new(), Vec::new());
    let (mut done, of) = (0, threads.len() * loads.len());
    for threads in threads {
        // A busy wait for a thread that has no core lasts a thousand times longer.
        let rounds = if threads > cores { rounds.div_ceil(100) } else { rounds };
        let mut points = KINDS.map(|_| Vec::new());
        for &load in loads {
            let start = Instant::now();
            let costs = KINDS.map(|(_, waiting)| {
                let barrier = ThreadBarrier::new(waiting, threads);
                cost_of_wait(threads, rounds, load, || barrier.wait())
            });
            let additions = load * PUBLISHED_ROUNDS;
            rows.extend(rows_of(threads, cores, additions, costs));
            for (points, cost) in points.iter_mut().zip(costs) {
                points.extend(cost.map(|cost| (additions as f64, cost)));
            }
            done += 1;
            let point = format!("{threads} threads, {load} additions");
            (campaign.watch)(&PointDone {
                item: campaign.item,
                point: &point,
                done,
                of,
                wall: start.elapsed(),
            });
        }
        for ((kind, _), points) in KINDS.iter().zip(points) {
            series.push(Series::new(format!("{kind}, {threads} threads"), SeriesKind::Own, points));
        }
    }
    let plot = Plot {
        name: "002-barrier",
        title: "Paper 002, figure 3.2: cost of a barrier",
        x: Axis::log("additions in a million rounds"),
        y: Axis::log("cost of a barrier [ns]"),
        series,
    };
    let notes = vec![
        format!(
            "{rounds} rounds for each value, a hundredth of that for more threads than there are cores ({cores}), where \
             no thread should wait busily."
        ),
        "Costs depend on the computer: they are shown, not judged. Published are ratios of OpenMP's barrier to the \
         paper's own busy-waiting one."
            .to_owned(),
    ];
    Ok(Comparison { rows, plots: vec![plot], notes, ..item.comparison("additions") })
}

/// What both kinds of barrier cost in nanoseconds, and their ratio.
fn rows_of(threads: usize, cores: usize, additions: u64, costs: [Option<f64>; 2]) -> Vec<Row> {
    let x = format!("{:e}", additions as f64);
    let row = |what: String, unit: &'static str, own: Option<f64>| match own {
        Some(own) => Row::new(&x, what, unit, own),
        None => Row::not_measurable(&x, what, unit),
    };
    let cost = |(kind, cost): (&str, Option<f64>)| {
        row(format!("cost of a barrier, {kind}, {threads} threads"), "ns", cost)
    };
    let mut rows: Vec<Row> = KINDS.iter().zip(costs).map(|((kind, _), own)| cost((kind, own))).collect();
    let published = PARK_OVER_SPIN.iter().find(|(other, _)| *other == additions);
    if let (Some((_, target)), true) = (published, threads <= cores) {
        let own = costs[0].zip(costs[1]).map(|(spin, park)| park / spin);
        let ratio = row(format!("park / spin, {threads} threads"), "", own);
        let ratio = ratio.published(*target, "paper 002, section 3.2");
        rows.push(if additions >= CROSSING { ratio.declared(NO_CROSSING) } else { ratio });
    }
    rows
}

/// Nanoseconds that one `wait` adds to a round of so many additions; `None` if that cannot be measured.
fn cost_of_wait(threads: usize, rounds: u64, additions: u64, wait: impl Fn() + Sync) -> Option<f64> {
    let with = rounds_of_work(threads, rounds, additions, wait);
    let without = rounds_of_work(threads, rounds, additions, || {});
    added(with, without, rounds)
}

/// What each of so many rounds takes longer; `None` if they do not: then what was to be measured is less than how much the time of the work
/// differs from one time to the next.
fn added(with: Duration, without: Duration, rounds: u64) -> Option<f64> {
    let added = with.checked_sub(without).filter(|added| !added.is_zero())?;
    Some(added.as_secs_f64() * 1e9 / rounds as f64)
}

/// How long it takes until all threads are through.
fn rounds_of_work(threads: usize, rounds: u64, additions: u64, wait: impl Fn() + Sync) -> Duration {
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
    start.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A time below zero is no result: it is said that there is none, and of a ratio with it, too.
    #[test]
    fn what_is_hidden_in_the_work_is_not_measurable() {
        let ns = Duration::from_nanos;
        assert_eq!(added(ns(3_000), ns(1_000), 10), Some(200.0));
        assert_eq!([added(ns(1_000), ns(3_000), 10), added(ns(5), ns(5), 10)], [None, None]);
        let rows = rows_of(2, 2, 10_000_000_000, [Some(98.0), None]);
        let own: Vec<_> = rows.iter().map(|row| (row.own, row.why.is_some())).collect();
        assert_eq!(own, [(Some(98.0), false), (None, true), (None, true)]);
        assert!(rows.iter().all(|row| !row.is_unexplained()));
        assert_eq!(rows_of(2, 2, 10_000_000_000, [Some(98.0), Some(49.0)])[2].own, Some(0.5));
    }

    #[test]
    fn every_thread_waits_in_every_round() {
        let waits = AtomicU64::new(0);
        cost_of_wait(3, 7, 2, || _ = waits.fetch_add(1, Ordering::Relaxed));
        assert_eq!(waits.into_inner(), 21);
    }
}
