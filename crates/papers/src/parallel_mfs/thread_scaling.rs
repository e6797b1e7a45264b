//! Figures 3.1 and 3.2 (the second of this number): speed-up of the parallel sweep over the number of threads.

use super::fat_trees::{Machine, machines};
use crate::session::{Point, Session, Timed};
use crate::{Axis, Comparison, Item, PapersError, Plot, Row, Series, SeriesKind, Target, Tolerance};

const THREADS: [usize; 4] = [1, 2, 4, 8];
/// Names of barriers in an experiment, with the names and titles of their plots.
const BARRIERS: [(&str, &str, &str); 2] = [
    ("park", "002-figure-3-1", "Paper 002, figure 3.1: speed-up with a parking barrier"),
    ("spin", "002-figure-3-2", "Paper 002, figure 3.2: speed-up with a spinning barrier"),
];
/// Section 3.3, with the paper's own barrier: threads and speed-up. The 8 is "at most about".
const OWN_BARRIER: [(usize, Target); 3] =
    [(2, Target::Value(1.5)), (4, Target::Value(2.5)), (8, Target::Between(0.0, 4.0))];
/// Sections 3.1 and 3.3: 8x8x16 with eight threads, by barrier; OpenMP's is the parking one here.
const SMALLEST: [(&str, f64); 2] = [("spin", 1.5), ("park", 0.5)];

fn point(machine: Machine, barrier: &str, threads: usize) -> Point {
    let mut point = machine.random_ring("single-pass");
    let sweep = ["engine.method=sweep".into(), format!("engine.threads={threads}")];
    point.overrides.extend(sweep);
    point.overrides.push(format!("engine.barrier={barrier}"));
    point.name = format!("{} nodes, {barrier}, {threads} threads", machine.nodes);
    point
}

pub(super) fn compare(session: &Session<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let machines = machines(session);
    let engine: Vec<Point> = machines.iter().map(|machine| machine.random_ring("single-pass")).collect();
    let engine = session.run(&engine)?;
    let (mut rows, mut plots) = (Vec::new(), Vec::new());
    for (barrier, name, title) in BARRIERS {
        let mut series = Vec::new();
        for (machine, engine) in machines.iter().zip(&engine) {
            let points = THREADS.map(|threads| point(*machine, barrier, threads));
            let runs = session.run_timed(&points)?;
            let speed_up = |run: &Timed| runs[0].wall.as_secs_f64() / run.wall.as_secs_f64();
            for (threads, run) in THREADS.into_iter().zip(&runs) {
                let row = |what: &str, unit, own| {
                    Row::new(machine.name(), format!("{what}, {barrier}, threads: {threads}"), unit, own)
                };
                let simulated = row("simulated time", "message times", run.summary.simulated.as_secs_f64());
                rows.push(simulated.expected(
                    Target::Value(engine.simulated.as_secs_f64()),
                    Tolerance::Exact,
                    "the engine without threads",
                ));
                rows.push(row("wall-clock time", "s", run.wall.as_secs_f64()));
                rows.push(with_published(row("speed-up", "", speed_up(run)), *machine, barrier, threads));
            }
            let points = THREADS.into_iter().zip(&runs).map(|(threads, run)| (threads as f64, speed_up(run)));
            series.push(Series::new(machine.name(), SeriesKind::Own, points.collect()));
        }
        let (x, y) = (Axis::span("threads"), Axis::linear("speed-up over one thread"));
        plots.push(Plot { name, title, x, y, series });
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let notes = vec![
        format!("Measured on {cores} cores; the paper had 8. Speed-ups are shown, not judged."),
        "Wall-clock times are of whole runs, building the machine included.".to_owned(),
    ];
    Ok(Comparison { rows, plots, notes, ..item.comparison("machine") })
}

fn with_published(row: Row, machine: Machine, barrier: &str, threads: usize) -> Row {
    const SECTION: &str = "paper 002, section 3.3";
    let smallest = SMALLEST.iter().find(|(other, _)| *other == barrier && machine.n == 8 && threads == 8);
    let own = OWN_BARRIER.iter().find(|(other, _)| *other == threads && barrier == "spin" && machine.n > 8);
    match (smallest, own) {
        (Some(&(_, speed_up)), _) => row.published(Target::Value(speed_up), Tolerance::NotStated, SECTION),
        (None, Some(&(_, target))) => row.published(target, Tolerance::NotStated, SECTION),
        (None, None) => row,
    }
}
