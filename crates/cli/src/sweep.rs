//! `weir sweep`

mod axis;
mod rows;

use crate::arguments::SweepArgs;
use crate::status::{INPUT, interrupted};
use crate::{load, text};
use anyhow::Context;
use axis::Axis;
use std::collections::BTreeMap;
use std::io::Write;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use weir_network::{Digest, Outcome, interrupted_by};
use weir_scenario::{Condensed, OwnProcess, Printed, RunError, Scenario, Source};
use weir_units::Time;

/// Failures are reported on standard error, the first ones with what ranks have printed.
const MOST_PRINTED: usize = 4;

/// A point that has been run.
struct Done {
    point: usize,
    ended: Ended,
}

/// What a point has come to.
struct Ended {
    outcome: &'static str,
    /// The instant it got to and its fingerprint; `None` where its process was lost.
    reached: Option<(Time, Digest)>,
    /// What went wrong, if anything did.
    why: Option<String>,
}

impl Ended {
    const FINISHED: &str = "finished";

    fn of(result: Result<Condensed, RunError>) -> Self {
        match result {
            Ok(run) => {
                let outcome = match run.outcome {
                    Outcome::Finished => Self::FINISHED,
                    Outcome::Deadlock(_) => "deadlock",
                    Outcome::Aborted { .. } => "aborted",
                    Outcome::Limit(_) => "limit",
                };
                let why = text::outcome(&run);
                let why = (!why.is_empty()).then_some(why);
                Self { outcome, reached: Some((run.simulated, run.digest)), why }
            }
            Err(error) => Self { outcome: "aborted", reached: None, why: Some(error.to_string()) },
        }
    }
}

/// Runs all points and says which are best.
pub(crate) fn sweep(args: &SweepArgs) -> anyhow::Result<ExitCode> {
    let axes = match axis::axes(&args.vary) {
        Ok(axes) => axes,
        Err(what) => {
            eprintln!("error: {what}");
            return Ok(ExitCode::from(INPUT));
        }
    };
    let sweep = Sweep { args, points: axis::points(&axes), axes };
    // What is wrong with one point is most often wrong with all.
    if (0..sweep.points).any(|point| sweep.scenario(point).is_none()) {
        return Ok(ExitCode::from(INPUT));
    }
    if args.csv {
        write(&rows::csv_head(&sweep.axes))?;
    }
    let done = sweep.run()?;
    if args.json {
        write(&format!("{}\n", rows::to_json(&sweep.axes, &done, |point| sweep.repeat(point))))?;
    } else if !args.csv {
        write(&rows::to_text(&sweep.axes, &done))?;
    }
    if let Some(status) = interrupted() {
        eprintln!("interrupted: {} of {} points were run", done.len(), sweep.points);
        return Ok(status);
    }
    let well = done.iter().all(|done| done.ended.why.is_none());
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Standard output, at once: whoever ends us finds there what is done.
fn write(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).context("standard output")
}

struct Sweep<'a> {
    args: &'a SweepArgs,
    axes: Vec<Axis>,
    points: usize,
}

/// Points on their way to standard output, in their order.
#[derive(Default)]
struct Results {
    /// Done, but behind one that is not.
    early: BTreeMap<usize, Ended>,
    done: Vec<Done>,
    /// How many have gone wrong.
    failed: usize,
    /// Standard output takes no more.
    error: Option<anyhow::Error>,
}

impl Sweep<'_> {
    /// `--set` of a point.
    fn overrides(&self, point: usize) -> Vec<String> {
        let chosen = axis::named(&self.axes, point).map(|(key, value)| format!("{key}={value}"));
        self.args.set.iter().cloned().chain(chosen).collect()
    }

    /// A point, made anew for whoever asks: a hundred thousand of them would take their room. `None` if it is refused, which
    /// has been said then.
    fn scenario(&self, point: usize) -> Option<Scenario> {
        let experiment = Some(self.args.experiment.clone());
        load::scenario(&Source { experiment, overrides: self.overrides(point), ..Source::default() })
    }

    /// The command that runs a point alone.
    fn repeat(&self, point: usize) -> String {
        let experiment = self.args.experiment.to_string_lossy();
        let sets = self.overrides(point).into_iter().flat_map(|set| ["--set".to_owned(), set]);
        let words = ["weir".to_owned(), "run".to_owned(), experiment.into_owned()].into_iter().chain(sets);
        words.map(|word| shell_word(&word)).collect::<Vec<_>>().join(" ")
    }

    /// Runs the points; what is done when a signal comes is there in order.
    fn run(&self) -> anyhow::Result<Vec<Done>> {
        let threads = self.args.threads.or_else(|| thread::available_parallelism().ok());
        let threads = threads.unwrap_or(NonZeroUsize::MIN).get().min(self.points);
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let results = Mutex::new(Results::default());
        let work = || {
            while !stop.load(Ordering::Relaxed) && interrupted_by().is_none() {
                let point = next.fetch_add(1, Ordering::Relaxed);
                let Some(scenario) = (point < self.points).then(|| self.scenario(point)).flatten() else {
                    return;
                };
                let (result, printed) = scenario.run_beside(OwnProcess::default(), Printed::Kept);
                let ended = Ended::of(result);
                if interrupted_by().is_some() && ended.outcome != Ended::FINISHED {
                    return;
                }
                let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                self.note(&mut results, Done { point, ended }, &printed);
                stop.fetch_or(results.error.is_some(), Ordering::Relaxed);
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (point, ended) in std::mem::take(&mut results.early) {
            self.pass_on(&mut results, Done { point, ended });
        }
        results.error.map_or(Ok(results.done), Err)
    }

    /// A point has been run: says what went wrong with it, and passes on what is complete.
    fn note(&self, results: &mut Results, done: Done, printed: &str) {
        let Done { point, ended } = done;
        if let Some(why) = &ended.why {
            results.failed += 1;
            eprintln!("{}: {why}\n  `{}` repeats it", self.named(point), self.repeat(point));
            if results.failed <= MOST_PRINTED && !printed.is_empty() {
                let lines: Vec<String> = printed.lines().map(|line| format!("  | {line}")).collect();
                eprintln!("  the last that it has printed:\n{}", lines.join("\n"));
            }
        }
        results.early.insert(point, ended);
        while let Some(ended) = results.early.remove(&results.done.len()) {
            let point = results.done.len();
            self.pass_on(results, Done { point, ended });
        }
        let count = results.done.len() + results.early.len();
        if !self.args.quiet && (count == self.points || count.is_multiple_of(self.points.div_ceil(10))) {
            eprintln!("{count} of {} points", self.points);
        }
    }

    fn pass_on(&self, results: &mut Results, done: Done) {
        if self.args.csv && results.error.is_none() {
            results.error = write(&rows::csv_row(&self.axes, &done)).err();
        }
        results.done.push(done);
    }

    fn named(&self, point: usize) -> String {
        let values = axis::named(&self.axes, point).map(|(key, value)| format!("{key}={value}"));
        values.collect::<Vec<_>>().join(", ")
    }
}

/// A word as a shell takes it.
pub(crate) fn shell_word(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_./=:,-+%@".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_shell() {
        assert_eq!(shell_word("a.b=1e-3"), "a.b=1e-3");
        assert_eq!(shell_word("size=96 KiB"), "'size=96 KiB'");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
    }
}
