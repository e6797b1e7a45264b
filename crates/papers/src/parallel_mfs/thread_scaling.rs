//! Figures 3.1 and 3.2 (the second of this number): speed-up of the parallel sweep over the number of threads.
//!
//! Times are those of the loop: of a thread at work in the steps and at the barriers behind them. So what a run spends
//! before and after it, on one thread, does not count, as in the paper.

use super::fat_trees::{PublishedTree, machines};
use super::steps;
use crate::campaign::{Campaign, Point, Timed};
use crate::{Axis, Comparison, Item, PapersError, Plot, Row, Series, SeriesKind, Target, Tolerance};
use weir_record::{Summary, SweepStep};

const THREADS: [usize; 4] = [1, 2, 4, 8];
/// Names of barriers in an experiment, with the names and titles of their plots.
const BARRIERS: [(&str, &str, &str); 2] = [
    ("park", "002-figure-3-1", "Paper 002, figure 3.1: speed-up with a parking barrier"),
    (SPIN, "002-figure-3-2", "Paper 002, figure 3.2: speed-up with a spinning barrier"),
];
const SPIN: &str = "spin";
/// Section 3.3, with the paper's own barrier: threads and speed-up. The 8 is "at most about".
const OWN_BARRIER: [(usize, Target); 3] = [
    (2, Target::Value(1.5, Tolerance::NotJudged)),
    (4, Target::Value(2.5, Tolerance::NotJudged)),
    (8, Target::About(0.0, 4.0)),
];
/// Sections 3.1 and 3.3: 8x8x16 with eight threads, by barrier; OpenMP's is the parking one here.
const SMALLEST: [(&str, f64); 2] = [(SPIN, 1.5), ("park", 0.5)];
/// Why there is no run with as many threads as the paper has.
const FEW_CORES: &str =
    "This computer has fewer cores than that, and a sweep uses no more threads than there are cores.";
const FEW_NODES: &str =
    "A sweep of so few nodes uses fewer threads than that with this barrier: more would be slower.";

fn point(machine: PublishedTree, barrier: &str, threads: usize) -> Point {
    let mut point = machine.random_ring("single-pass");
    let sweep = ["engine.method=sweep".into(), format!("engine.threads={threads}")];
    point.overrides.extend(sweep);
    point.overrides.push(format!("engine.barrier={barrier}"));
    point.name = format!("{} nodes, {barrier}, {threads} threads", machine.nodes);
    point
}

pub(super) fn compare(campaign: &Campaign<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let (machines, threads) = (machines(campaign), campaign.choose(&THREADS[..2], &THREADS, &THREADS));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let engine: Vec<Point> = machines.iter().map(|machine| machine.random_ring("single-pass")).collect();
    let engine = campaign.run_timed(&engine)?;
    let (mut rows, mut plots, mut step_rows) = (Vec::new(), Vec::new(), Vec::new());
    for (barrier, name, title) in BARRIERS {
        let mut series = Vec::new();
        for (machine, engine) in machines.iter().zip(&engine) {
            let (here, not_here): (Vec<usize>, Vec<usize>) =
                threads.iter().partition(|&&count| count <= cores);
            let points: Vec<Point> = here.iter().map(|&count| point(*machine, barrier, count)).collect();
            let runs = campaign.run_timed(&points)?;
            let speed_up = |run: &Timed| loop_time(&runs[0].summary) / loop_time(&run.summary);
            let used: Vec<(usize, &Timed)> = here
                .iter()
                .copied()
                .zip(&runs)
                .filter(|(count, run)| run.summary.threads == *count)
                .collect();
            for &(count, run) in &used {
                let row = |what: &str, unit, own| {
                    Row::new(machine.name(), format!("{what}, {barrier}, threads: {count}"), unit, own)
                };
                let simulated = row("simulated time", "message times", run.summary.simulated.as_secs_f64());
                rows.push(simulated.second_way(
                    Target::exactly(engine.summary.simulated.as_secs_f64()),
                    "the engine without threads",
                ));
                rows.push(row("time in the loop", "s", loop_time(&run.summary)));
                rows.push(with_published(row("speed-up", "", speed_up(run)), *machine, barrier, count));
            }
            let not_used = here.iter().filter(|&&count| used.iter().all(|(other, _)| *other != count));
            rows.extend(not_used.filter_map(|&count| without_run(*machine, barrier, count, FEW_NODES)));
            rows.extend(
                not_here.iter().filter_map(|&count| without_run(*machine, barrier, count, FEW_CORES)),
            );
            let points = used.iter().map(|&(count, run)| (count as f64, speed_up(run)));
            series.push(Series::new(machine.name(), SeriesKind::Own, points.collect()));
            if barrier == SPIN {
                rows.extend(without_barriers(*machine, engine, &runs));
            }
            if barrier == SPIN && Some(machine.n) == machines.last().map(|last| last.n) {
                let of = |(count, run): (usize, &Timed)| (count, steps_of(&run.summary).to_vec());
                if let (Some(&one), Some(&most)) = (used.first(), used.last()) {
                    let (one, most) = (of(one), of(most));
                    step_rows = steps::rows(&machine.name(), (one.0, &one.1), (most.0, &most.1));
                    plots.push(steps::plot(&most.1));
                }
            }
        }
        let (x, y) = (Axis::span("threads"), Axis::linear("speed-up over one thread"));
        plots.push(Plot { name, title, x, y, series });
    }
    rows.extend(step_rows);
    let notes = vec![
        format!("Measured on {cores} cores; the paper had 8. Speed-ups are shown, not judged."),
        "A sweep uses no more threads than there are cores, and one for each 4096 nodes (512 with the spinning barrier), so \
         that more threads are never slower. Rows are of runs that used all threads they name."
            .to_owned(),
        "Time in the loop is that of a thread at work and at barriers, in the median of up to five runs (one run, if it \
         takes a second or more)."
            .to_owned(),
        "The method without barriers is the engine that computes what changes, on one thread; whole runs are compared."
            .to_owned(),
        "Imbalance is the work of the busiest thread over the mean.".to_owned(),
    ];
    Ok(Comparison { rows, plots, notes, ..item.comparison("machine") })
}

fn steps_of(summary: &Summary) -> &[SweepStep] {
    summary.counts.flow().map_or(&[], |flow| &flow.steps)
}

/// Mean time of a thread in all steps, in seconds.
fn loop_time(summary: &Summary) -> f64 {
    steps_of(summary).iter().map(|step| (step.work + step.wait).as_secs_f64()).sum()
}

/// Section 4 of the paper looks ahead to a method without barriers: the engine, against the fastest sweep.
fn without_barriers(machine: PublishedTree, engine: &Timed, runs: &[Timed]) -> [Row; 2] {
    let fastest = runs.iter().map(|run| run.wall.as_secs_f64()).fold(f64::INFINITY, f64::min);
    let engine = engine.wall.as_secs_f64();
    [
        Row::new(machine.name(), "wall-clock time without barriers", "s", engine),
        Row::new(machine.name(), "fastest sweep / without barriers", "", fastest / engine),
    ]
}

/// The row of a speed-up that the paper has and this computer cannot have; none if the paper has it neither.
fn without_run(machine: PublishedTree, barrier: &str, threads: usize, why: &'static str) -> Option<Row> {
    let what = format!("speed-up, {barrier}, threads: {threads}");
    let row = with_published(Row::missing(machine.name(), what, "", why), machine, barrier, threads);
    row.reference.is_some().then_some(row)
}

fn with_published(row: Row, machine: PublishedTree, barrier: &str, threads: usize) -> Row {
    const SECTION: &str = "paper 002, section 3.3";
    let smallest = SMALLEST.iter().find(|(other, _)| *other == barrier && machine.n == 8 && threads == 8);
    let own = OWN_BARRIER.iter().find(|(other, _)| *other == threads && barrier == SPIN && machine.n > 8);
    match (smallest, own) {
        (Some(&(_, speed_up)), _) => row.published(Target::shown(speed_up), SECTION),
        (None, Some(&(_, target))) => row.published(target, SECTION),
        (None, None) => row,
    }
}
