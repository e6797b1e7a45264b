//! Runs the points of an item.

use crate::PapersError;
use serde_json::Value;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use weir_network::Outcome;
use weir_record::Summary;
use weir_scenario::{Condensed, ExperimentText, OwnProcess, Printed, Scenario, Source};

/// A run of short length is repeated up to so many times for its median...
const MOST_REPETITIONS: usize = 5;
/// ...but not when all of them take longer than this.
const REPEAT_WITHIN: Duration = Duration::from_secs(1);

/// How many of an item's points are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// The smallest ones: seconds, for tests.
    Few,
    /// All that together take at most a minute or so.
    #[default]
    Short,
    /// All points, of any length.
    Full,
}

/// How to run an item.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// How many points.
    pub extent: Extent,
    /// Sizes of messages in KiB that are run instead of the item's own, of items that take some; none: the item's own.
    pub sizes: &'a [u32],
    /// How many of them at a time; `None`: one if the item reports run times, otherwise one per processor.
    pub threads: Option<NonZeroUsize>,
    /// How processes for runs of MPI programs, and for those whose memory is measured, are started.
    pub own_process: OwnProcess,
}

/// A point is done.
#[derive(Clone, Debug)]
pub struct PointDone<'a> {
    /// The item it belongs to.
    pub item: &'a str,
    /// Which point.
    pub point: &'a str,
    /// How many are done.
    pub done: usize,
    /// How many there are.
    pub of: usize,
    /// How long this one took on the clock on the wall.
    pub wall: Duration,
}

/// Called for every point, possibly by several threads.
pub type Watch<'a> = &'a (dyn Fn(&PointDone<'_>) + Sync);

/// One experiment file, built into the program.
pub(crate) struct Experiment {
    /// Its path in the project.
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

/// An experiment with some of its keys set.
pub(crate) struct Point {
    /// What people call it.
    pub(crate) name: String,
    pub(crate) experiment: &'static Experiment,
    /// As behind `--set`.
    pub(crate) overrides: Vec<String>,
}

/// A run and its wall-clock time: that of the median, if it was short enough to be repeated.
pub(crate) struct Timed {
    pub(crate) summary: Summary,
    pub(crate) wall: Duration,
}

/// A run in a process of its own, nothing beside it.
pub(crate) struct Alone {
    pub(crate) simulated_s: f64,
    pub(crate) wall_s: f64,
    /// The largest resident memory of the process, if the system reports it.
    pub(crate) memory_bytes: Option<u64>,
    /// Threads it used.
    pub(crate) threads: usize,
    /// Packets and packet-hops.
    pub(crate) counted: [u64; 2],
}

/// What an item runs its points with.
pub(crate) struct Campaign<'a> {
    pub(crate) item: &'static str,
    pub(crate) extent: Extent,
    pub(crate) sizes: &'a [u32],
    pub(crate) threads: NonZeroUsize,
    pub(crate) own_process: OwnProcess,
    pub(crate) watch: Watch<'a>,
}

impl Point {
    pub(crate) fn scenario(&self) -> Result<Scenario, PapersError> {
        let text =
            ExperimentText { name: self.experiment.name.to_owned(), text: self.experiment.text.to_owned() };
        let source =
            Source { experiment_text: Some(text), overrides: self.overrides.clone(), ..Source::default() };
        Scenario::load(&source)
            .map_err(|problems| PapersError::Experiment { point: self.name.clone(), problems })
    }

    fn run(&self) -> Result<Summary, PapersError> {
        let failed = |what: String| PapersError::Run { point: self.name.clone(), what };
        let report = self.scenario()?.run(&mut |_| {}).map_err(|error| failed(error.to_string()))?;
        if let Some((rank, code)) = report.exit_codes.first() {
            return Err(failed(format!("rank {rank} ended with exit code {code}")));
        }
        match report.outcome {
            Outcome::Finished => Ok(report.summary),
            other => Err(failed(format!("ended with {other:?}"))),
        }
    }

    /// Runs in a process of its own.
    fn run_apart(&self, own: OwnProcess) -> Result<Condensed, PapersError> {
        let failed = |what: String| PapersError::Run { point: self.name.clone(), what };
        let (result, printed) = self.scenario()?.run_apart(own, Printed::Kept);
        let run = result.map_err(|error| failed(format!("{error}\n{printed}").trim_end().to_owned()))?;
        if let Some((rank, code)) = run.exit_codes.first() {
            return Err(failed(format!("rank {rank} ended with exit code {code}")));
        }
        match run.outcome {
            Outcome::Finished => Ok(run),
            other => Err(failed(format!("ended with {other:?}"))),
        }
    }

    fn run_timed(&self) -> Result<Timed, PapersError> {
        let start = Instant::now();
        let mut runs = vec![self.run()?];
        while runs.len() < MOST_REPETITIONS && start.elapsed() + runs[0].wall < REPEAT_WITHIN {
            runs.push(self.run()?);
        }
        runs.sort_by_key(|summary| summary.wall);
        let summary = runs.swap_remove(runs.len() / 2);
        Ok(Timed { wall: summary.wall, summary })
    }
}

impl Alone {
    /// From the object of `summary.json`; `None` if a value is not there.
    fn read(summary: &Value) -> Option<Self> {
        Some(Self {
            simulated_s: summary["simulated_s"].as_f64()?,
            wall_s: summary["wall_s"].as_f64()?,
            memory_bytes: summary["peak_memory_bytes"].as_u64(),
            threads: usize::try_from(summary["threads"].as_u64()?).ok()?,
            counted: [summary["packets"].as_u64()?, summary["packet_hops"].as_u64()?],
        })
    }
}

impl Campaign<'_> {
    /// Of lists that grow with the extent, the one for this extent.
    pub(crate) fn choose<'a, T>(&self, few: &'a [T], short: &'a [T], full: &'a [T]) -> &'a [T] {
        match self.extent {
            Extent::Few => few,
            Extent::Short => short,
            Extent::Full => full,
        }
    }

    /// Runs the points; the results are in their order.
    ///
    /// # Errors
    /// Those of the first point, in their order, that failed.
    pub(crate) fn run(&self, points: &[Point]) -> Result<Vec<Summary>, PapersError> {
        self.each(points, Point::run)
    }

    /// Runs the points and measures how long they take.
    ///
    /// # Errors
    /// Those of the first point, in their order, that failed.
    pub(crate) fn run_timed(&self, points: &[Point]) -> Result<Vec<Timed>, PapersError> {
        self.each(points, Point::run_timed)
    }

    /// Runs an MPI program in a process of its own, nothing beside it.
    ///
    /// # Errors
    /// When it does not run to its end.
    pub(crate) fn run_apart(&self, point: Point) -> Result<Condensed, PapersError> {
        let alone = Self { threads: NonZeroUsize::MIN, ..*self };
        Ok(alone.each(&[point], |point| point.run_apart(self.own_process))?.swap_remove(0))
    }

    /// Runs points one after the other, each in a process of its own, so that its memory is its own.
    ///
    /// # Errors
    /// Those of the first point, in their order, that failed.
    pub(crate) fn run_alone(&self, points: &[Point]) -> Result<Vec<Alone>, PapersError> {
        let alone = Self { threads: NonZeroUsize::MIN, ..*self };
        alone.each(points, |point| {
            let run = point.run_apart(self.own_process)?;
            let lacks =
                || PapersError::Run { point: point.name.clone(), what: "its summary lacks a value".into() };
            Alone::read(&run.summary).ok_or_else(lacks)
        })
    }

    fn each<T: Send>(
        &self,
        points: &[Point],
        run: impl Fn(&Point) -> Result<T, PapersError> + Sync,
    ) -> Result<Vec<T>, PapersError> {
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let results: Vec<Mutex<Option<Result<T, PapersError>>>> =
            points.iter().map(|_| Mutex::new(None)).collect();
        let work = || {
            while let Some((point, slot)) = {
                let k = next.fetch_add(1, Ordering::Relaxed);
                points.get(k).zip(results.get(k))
            } {
                let start = Instant::now();
                let result = run(point);
                *slot.lock().expect("no thread fails while it holds the lock") = Some(result);
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                (self.watch)(&PointDone {
                    item: self.item,
                    point: &point.name,
                    done,
                    of: points.len(),
                    wall: start.elapsed(),
                });
            }
        };
        thread::scope(|scope| {
            for _ in 1..self.threads.get().min(points.len()) {
                scope.spawn(work);
            }
            work();
        });
        let taken = results.into_iter().map(|slot| {
            let result = slot.into_inner().expect("no thread fails while it holds the lock");
            result.expect("every point has been run")
        });
        taken.collect()
    }
}
