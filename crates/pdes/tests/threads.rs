//! The loop itself, with more threads than most computers have cores: all run the same windows, and a panic ends all.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use weir_pdes::{Next, Part, RunPosition, Width, Window, run};
use weir_units::{Duration, mix};

const PARTS: u64 = 12;
/// Enough for stretches that one thread runs alone, and for some that all run together.
const WINDOWS: u64 = 20_000;

/// Needs every window that its number + 2 divides, and some more; notes those that were run.
struct Counter<'a> {
    number: u64,
    ran: Vec<Window>,
    /// By parity of the turn: what all parts have added in it.
    sums: &'a [AtomicU64; 2],
    fault: Option<Fault>,
}

/// What goes wrong in a part, in window 60.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Panic,
    /// It needs a window that is over.
    Past,
    Stop,
}

impl Part for Counter<'_> {
    fn run(&mut self, window: Window) {
        assert!(window.number != 60 || self.fault != Some(Fault::Panic), "out of order");
        if let Some(last) = self.ran.last() {
            // All have added their one in the turn before, and none adds to that place now.
            let sum = self.sums[(last.turn % 2) as usize].load(Ordering::Relaxed);
            assert_eq!(sum % PARTS, 0, "the part {} has not waited for the others", self.number);
        }
        self.sums[(window.turn % 2) as usize].fetch_add(1, Ordering::Relaxed);
        self.ran.push(window);
    }

    fn next(&mut self, from: u64) -> Next {
        let every = self.number + 2;
        match self.fault {
            Some(Fault::Past) if from == 61 => Next::Window(59),
            Some(Fault::Stop) if from == 61 => Next::Stop,
            _ if from > WINDOWS => Next::Nothing,
            _ if mix(self.number ^ from).is_multiple_of(7) => Next::Window(from),
            _ => Next::Window(from.next_multiple_of(every)),
        }
    }
}

/// Runs all parts, of which one has a fault; what the parts have run, and how many windows there were.
fn all_run(faulty: u64, fault: Option<Fault>) -> (Vec<Vec<Window>>, u64) {
    let sums = [AtomicU64::new(0), AtomicU64::new(0)];
    let part =
        |number| Counter { number, ran: Vec::new(), sums: &sums, fault: fault.filter(|_| number == faulty) };
    let mut parts: Vec<_> = (0..PARTS).map(part).collect();
    let (here, others) = parts.split_first_mut().expect("there are parts");
    let turns = run(Width::new(Duration::from_ps(10)), RunPosition::default(), here, others, None).turn;
    (parts.into_iter().map(|part| part.ran).collect(), turns)
}

#[test]
fn all_parts_run_the_same_windows() {
    let (ran, turns) = all_run(0, None);
    assert!(ran.iter().all(|windows| *windows == ran[0]));
    assert_eq!(ran[0].len() as u64, turns);
    assert!(ran[0].is_sorted_by(|one, next| one.number < next.number && one.turn + 1 == next.turn));
    // No part's window was left out: part 0 needs every second one.
    assert!((0..=WINDOWS).step_by(2).all(|number| ran[0].iter().any(|window| window.number == number)));
}

#[test]
fn one_part_stops_all() {
    for faulty in [0, 5] {
        let (ran, _) = all_run(faulty, Some(Fault::Stop));
        assert!(ran.iter().all(|windows| windows.last().expect("some were run").number == 60));
    }
}

/// The run panics; it does not wait for the part that will never come.
#[test]
fn a_panic_ends_all() {
    for fault in [Fault::Panic, Fault::Past] {
        for faulty in [0, 1, PARTS - 1] {
            let ended = catch_unwind(AssertUnwindSafe(|| all_run(faulty, Some(fault))));
            assert!(ended.is_err(), "{fault:?} in part {faulty}");
        }
    }
}
