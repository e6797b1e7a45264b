//! What the steps of the parallel sweep take, and how evenly they keep the threads busy (paper 002, section 4).

use crate::{Axis, Plot, Row, Series, SeriesKind};
use std::time::Duration;
use weir_record::SweepStep;

/// Short enough to stand side by side.
const NAMES: [&str; 7] = ["1 lists", "2 clear", "3 count", "4 share", "5 times", "6 least", "7 advance"];

/// Time of each step with one thread, then work, waiting and imbalance with the most threads; each with its number of
/// threads.
pub(super) fn rows(machine: &str, one: (usize, &[SweepStep]), most: (usize, &[SweepStep])) -> Vec<Row> {
    let row = |number: usize, step: &SweepStep, what: &str, threads: usize, unit, own| {
        Row::new(machine, format!("step {} {}, {what}, threads: {threads}", number + 1, step.name), unit, own)
    };
    let mut rows = Vec::new();
    for (number, step) in one.1.iter().enumerate() {
        rows.push(row(number, step, "work", one.0, "ms", milliseconds(step.work)));
    }
    if one.0 == most.0 {
        return rows;
    }
    for (number, step) in most.1.iter().enumerate() {
        rows.push(row(number, step, "work", most.0, "ms", milliseconds(step.work)));
        rows.push(row(number, step, "at the barrier", most.0, "ms", milliseconds(step.wait)));
        rows.push(row(number, step, "imbalance", most.0, "", step.imbalance));
    }
    rows
}

/// Time of a thread in each step, the barrier behind it included.
pub(super) fn plot(steps: &[SweepStep]) -> Plot<'static> {
    let times = steps.iter().map(|step| milliseconds(step.work + step.wait));
    let points = times.enumerate().map(|(number, time)| (number as f64, time)).collect();
    Plot {
        name: "002-steps",
        title: "Paper 002, section 2.2: time in each step, largest machine",
        x: Axis::names("step", NAMES.to_vec()),
        y: Axis::linear("work and barrier [ms]"),
        series: vec![Series::new("spin, a core per thread", SeriesKind::Own, points)],
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_has_its_work_and_with_more_threads_its_waiting_and_imbalance() {
        let step = |work, wait| SweepStep {
            name: "clear counters",
            work: Duration::from_millis(work),
            wait: Duration::from_millis(wait),
            imbalance: 1.5,
        };
        let (one, two) = ([step(8, 0)], [step(4, 1)]);
        let rows = rows("8x8x16", (1, &one), (2, &two));
        let own: Vec<(&str, f64)> =
            rows.iter().map(|row| (row.what.as_str(), row.own.unwrap_or_default())).collect();
        let expected = [
            ("step 1 clear counters, work, threads: 1", 8.0),
            ("step 1 clear counters, work, threads: 2", 4.0),
            ("step 1 clear counters, at the barrier, threads: 2", 1.0),
            ("step 1 clear counters, imbalance, threads: 2", 1.5),
        ];
        assert_eq!(own, expected);
        assert_eq!(plot(&two).series[0].points, [(0.0, 5.0)]);
    }
}
