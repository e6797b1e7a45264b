//! `weir sweep`
//!
//! ```text
//!   --vary (axis.rs), study file (study.rs) --> Design: points (design.rs)
//!                                                  |  a run for each, several at a time
//!   text, CSV, JSON (rows.rs) <--------------------+
//!   folder: journal (folder.rs), table.rs, picture.rs (saturation.rs)
//! ```

mod axis;
mod builds;
pub(crate) mod built_in;
mod design;
mod folder;
mod picture;
mod quantity;
mod rows;
mod same;
mod saturation;
mod study;
mod table;

use crate::arguments::SweepArgs;
use crate::progress::rough;
use crate::status::{OrRefused, interrupted, of_error};
use crate::{load, text, whole};
use anyhow::{Context, anyhow};
use design::{Design, LABEL};
use folder::{FILES, Folder};
use same::Same;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use study::{PictureKeys, Study};
use weir_network::interrupted_by;
use weir_scenario::{
    Condensed, ExperimentText, Found, Printed, RunError, Scenario, Source, build, option_of,
};
use weir_units::{Time, side_by_side};

/// Failures are reported on standard error, the first ones with what ranks have printed.
const MOST_PRINTED: usize = 4;

struct Done {
    point: usize,
    ended: Ended,
}

struct Ended {
    outcome: String,
    /// The instant it got to and its fingerprint; `None` where its process was lost.
    reached: Option<(Time, String)>,
    /// Description of an error, if there was one.
    why: Option<String>,
    /// Values of the fields that the study shows.
    shown: Vec<Value>,
}

impl Ended {
    const FINISHED: &str = "finished";

    fn of(result: &Result<Condensed, RunError>) -> Self {
        match result {
            Ok(run) => {
                let outcome = weir_record::outcome_word(&run.outcome);
                let why = text::outcome(run);
                let why = (!why.is_empty()).then_some(why);
                let reached = Some((run.simulated, run.digest.to_string()));
                Self { outcome: outcome.to_owned(), reached, why, shown: Vec::new() }
            }
            Err(error) => {
                let why = Some(error.to_string());
                Self { outcome: "aborted".to_owned(), reached: None, why, shown: Vec::new() }
            }
        }
    }

    fn of_line(line: &Value) -> Self {
        let text = |key: &str| line[key].as_str().map(str::to_owned);
        let reached = line["summary"]["simulated_ps"].as_u64().zip(text("digest"));
        Self {
            outcome: text("outcome").unwrap_or_default(),
            reached: reached.map(|(simulated, digest)| (Time::from_ps(simulated), digest)),
            why: text("why"),
            shown: Vec::new(),
        }
    }
}

pub(crate) fn sweep(args: &SweepArgs) -> anyhow::Result<ExitCode> {
    let study = asked(args).or_refused()?;
    let mut sweep = Sweep { args, study, scaled: Vec::new(), works: Vec::new() };
    sweep.make_machines_same().or_refused()?;
    // What is wrong with one point is most often wrong with all.
    for point in 0..sweep.points() {
        let scenario = sweep.scenario(point)?;
        sweep.works.extend(args.out.as_ref().map(|_| scenario.work_name()));
    }
    let inputs = [args.experiment.clone(), sweep.study.experiment.clone()];
    let outputs: Vec<PathBuf> = args.out.iter().flat_map(|out| FILES.map(|name| out.join(name))).collect();
    load::spares(&inputs, outputs.iter().map(PathBuf::as_path))?;
    let build = format!("{:016x}", build());
    let mut folder = args.out.as_deref().map(|out| Folder::open(out, &build)).transpose().or_refused()?;
    if let Some(folder) = folder.as_mut().filter(|_| args.again) {
        folder.forget_failures();
    }
    if let Some(folder) = folder.as_mut().filter(|folder| folder.is_of_another(&build)) {
        sweep.check_build(folder, &build).or_refused()?;
    }
    let design = &sweep.study.design;
    if args.csv {
        write(&rows::csv_head(design))?;
    }
    let (done, folder) = sweep.run(folder)?;
    let has_best = sweep.study.has_best;
    if args.shown.json {
        write(&format!("{}\n", rows::to_json(design, &done, has_best, |point| sweep.repeat(point))))?;
    } else if !args.csv {
        write(&rows::to_text(design, &done, has_best))?;
    }
    if let Some(folder) = &folder {
        sweep.complete(folder, &done)?;
    }
    if let Some(status) = interrupted() {
        eprintln!("interrupted: {} of {} points were run", done.len(), sweep.points());
        return Ok(status);
    }
    let well = done.iter().all(|done| done.ended.why.is_none());
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Reads the study that the command line describes, or the file that it names.
fn asked(args: &SweepArgs) -> Result<Study, String> {
    let file = args.experiment.display();
    let found = Found::of(&args.experiment);
    if study::is_study(&found) {
        if let Some(vary) = args.vary.first() {
            return Err(format!(
                "--vary {vary}: {file} is a study, which says what is varied\n\nhint: write it into [study.grid]"
            ));
        }
        let mut study = study::read(&found)?;
        study.sets.extend(args.sets.overrides());
        return Ok(study);
    }
    if args.vary.is_empty() {
        return Err(format!(
            "{file}: nothing is varied\n\nhint: give --vary KEY=VALUES, or a study: a file with a table [study]"
        ));
    }
    let blocks = args.vary.iter().map(|text| axis::axis(text)).collect::<Result<_, _>>()?;
    let design = Design::new(blocks).map_err(|what| format!("--vary: {what}"))?;
    let (experiment, sets) = (found.path().to_owned(), args.sets.overrides());
    let picture = PictureKeys::default();
    let (text, shows) = (None, Vec::new());
    Ok(Study { experiment, sets, design, has_best: true, same: None, picture, text, shows })
}

/// Standard output, at once: whoever ends us finds there what is done.
fn write(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).context("standard output")
}

struct Sweep<'a> {
    args: &'a SweepArgs,
    study: Study,
    /// By point: the bandwidth that makes its machine comparable, if that is asked for.
    scaled: Vec<String>,
    /// Names of the work of each point; with a folder.
    works: Vec<String>,
}

/// Points on their way to standard output, in their order.
#[derive(Default)]
struct Results {
    folder: Option<Folder>,
    /// Done, but behind one that is not.
    early: BTreeMap<usize, Ended>,
    done: Vec<Done>,
    /// Number of points that have been run, and not found in the folder.
    ran: usize,
    failed: usize,
    /// Standard output, or the folder, takes no more.
    error: Option<anyhow::Error>,
}

impl Sweep<'_> {
    fn points(&self) -> usize {
        self.study.design.points()
    }

    fn overrides(&self, point: usize) -> Vec<String> {
        let values = self.study.design.values(point).filter(|(key, _)| *key != LABEL);
        let chosen = values.map(|(key, value)| format!("{key}={value}"));
        self.study.sets.iter().cloned().chain(chosen).chain(self.scaled.get(point).cloned()).collect()
    }

    fn source(&self, point: usize) -> Source {
        let path = &self.study.experiment;
        let experiment_text = self
            .study
            .text
            .map(|text| ExperimentText { name: path.to_string_lossy().into_owned(), text: text.to_owned() });
        let experiment = experiment_text.is_none().then(|| path.clone());
        Source { experiment, experiment_text, overrides: self.overrides(point), ..Source::default() }
    }

    /// Finds the bandwidths with which all machines have as much as that of the first point, where the study asks for that.
    fn make_machines_same(&mut self) -> Result<(), String> {
        let Some(same) = self.study.same else { return Ok(()) };
        let mut scaled = Vec::new();
        let mut first = None;
        // Points differ in more than machines, and a bisection may take long to find.
        let mut known: BTreeMap<String, f64> = BTreeMap::new();
        for point in 0..self.points() {
            let source = self.source(point);
            let scenario = Scenario::load(&source).map_err(|problems| problems.to_string())?;
            let machine = same::machine_of(scenario.resolved());
            let measure = match known.get(&machine) {
                Some(&measure) => measure,
                None => same.measure(&source).map_err(|what| format!("{}: {what}", self.named(point)))?,
            };
            known.insert(machine, measure);
            let factor = *first.get_or_insert(measure) / measure;
            scaled.push(
                Same::scaled(&scenario, factor).map_err(|what| format!("{}: {what}", self.named(point)))?,
            );
        }
        self.scaled = scaled;
        Ok(())
    }

    /// The scenario of a point, made anew each time: a hundred thousand of them would take their room.
    fn scenario(&self, point: usize) -> anyhow::Result<Scenario> {
        load::accepted(Scenario::load(&self.source(point)))
    }

    fn repeat(&self, point: usize) -> String {
        let experiment = self.study.experiment.to_string_lossy();
        let sets = self.overrides(point).into_iter().flat_map(|set| option_of(&set));
        let words = ["weir".to_owned(), "run".to_owned(), experiment.into_owned()].into_iter().chain(sets);
        words.map(|word| shell_word(&word)).collect::<Vec<_>>().join(" ")
    }

    /// Runs the points that the folder does not have; what is done when a signal comes is there in order.
    fn run(&self, folder: Option<Folder>) -> anyhow::Result<(Vec<Done>, Option<Folder>)> {
        let mut results = Results { folder, ..Results::default() };
        let known = |point: &usize| results.folder.as_ref()?.line(&self.works[*point]).map(Ended::of_line);
        let (found, missing): (Vec<usize>, Vec<usize>) =
            (0..self.points()).partition(|point| known(point).is_some());
        results.early = found.iter().filter_map(|point| Some((*point, known(point)?))).collect();
        if !found.is_empty() && !self.args.shown.quiet {
            eprintln!("{} of {} points are in the folder", found.len(), self.points());
        }
        self.pass_on(&mut results);
        let stop = AtomicBool::new(false);
        let (results, begun) = (Mutex::new(results), Instant::now());
        side_by_side(&missing, self.args.threads, |&point| {
            if stop.load(Ordering::Relaxed) || interrupted_by().is_some() {
                return;
            }
            let scenario = match self.scenario(point) {
                Ok(scenario) => scenario,
                Err(error) => {
                    _ = of_error(&error);
                    return;
                }
            };
            let printed = Printed::Kept;
            let (result, printed) = match self.args.out {
                Some(_) => scenario.run_apart(printed),
                None => scenario.run_beside(printed),
            };
            let mut ended = Ended::of(&result);
            if interrupted_by().is_some() && ended.outcome != Ended::FINISHED {
                return;
            }
            let summary = result.map_or(Value::Null, |run| run.summary);
            ended.shown = self.study.shows.iter().map(|field| summary[field].clone()).collect();
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            self.note(&mut results, Done { point, ended }, summary, &printed);
            self.show(&results, missing.len(), begun);
            stop.fetch_or(results.error.is_some(), Ordering::Relaxed);
        });
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (point, ended) in std::mem::take(&mut results.early) {
            self.pass(&mut results, Done { point, ended });
        }
        let Results { done, folder, error, .. } = results;
        error.map_or(Ok((done, folder)), Err)
    }

    /// A point has been run: keeps it, says what went wrong with it, and passes on what is complete.
    fn note(&self, results: &mut Results, done: Done, mut summary: Value, printed: &str) {
        let Done { point, ended } = done;
        if let Some(why) = &ended.why {
            results.failed += 1;
            eprintln!("{}: {why}\n  `{}` repeats it", self.named(point), self.repeat(point));
            if results.failed <= MOST_PRINTED && !printed.is_empty() {
                let lines: Vec<String> = printed.lines().map(|line| format!("  | {line}")).collect();
                eprintln!("  the last that it has printed:\n{}", lines.join("\n"));
            }
        }
        if let Some(folder) = &mut results.folder {
            if let Some(summary) = summary.as_object_mut() {
                // The work has the experiment, which is as long as all the rest; the fields of an engine are there without its object.
                summary.retain(|name, _| !["experiment", "ideal", "flow", "packet"].contains(&name.as_str()));
            }
            let kept = folder.keep(json!({
                "work": self.works[point],
                "values": rows::values(&self.study.design, point),
                "outcome": ended.outcome,
                "why": ended.why,
                "digest": ended.reached.as_ref().map(|(_, digest)| digest),
                "summary": summary,
            }));
            results.error = results.error.take().or_else(|| kept.err().map(|what| anyhow!(what)));
        }
        results.ran += 1;
        results.early.insert(point, ended);
        self.pass_on(results);
    }

    /// Prints progress at each tenth of the points that are to be run.
    fn show(&self, results: &Results, missing: usize, begun: Instant) {
        if self.args.shown.quiet
            || (results.ran != missing && !results.ran.is_multiple_of(missing.div_ceil(10)))
        {
            return;
        }
        let count = self.points() - missing + results.ran;
        let failed =
            if results.failed > 0 { format!(", {} went wrong", results.failed) } else { String::new() };
        let left = begun.elapsed().as_secs_f64() / results.ran as f64 * (missing - results.ran) as f64;
        let left = if left < 1.0 { String::new() } else { format!(", about {} left", rough(left)) };
        eprintln!("{count} of {} points ({} %){failed}{left}", self.points(), 100 * count / self.points());
    }

    fn pass_on(&self, results: &mut Results) {
        while let Some(ended) = results.early.remove(&results.done.len()) {
            let point = results.done.len();
            self.pass(results, Done { point, ended });
        }
    }

    fn pass(&self, results: &mut Results, done: Done) {
        if self.args.csv && results.error.is_none() {
            results.error = write(&rows::csv_row(&self.study.design, &done)).err();
        }
        results.done.push(done);
    }

    /// Writes what the folder has at the end of a sweep: table, failures, picture.
    fn complete(&self, folder: &Folder, done: &[Done]) -> anyhow::Result<()> {
        let design = &self.study.design;
        let points: Vec<(usize, &Value)> = done
            .iter()
            .filter_map(|done| Some((done.point, folder.line(&self.works[done.point])?)))
            .collect();
        weir_record::write_points(table::columns(design, &points), &folder.file("points.parquet"))?;
        let failures: Vec<String> = done
            .iter()
            .filter_map(|done| {
                let why = done.ended.why.as_ref()?;
                Some(format!("{}: {why}\n  {}\n", self.named(done.point), self.repeat(done.point)))
            })
            .collect();
        replace(folder, "failures.txt", (!failures.is_empty()).then(|| failures.concat()))?;
        let drawn = picture::picture(design, &self.study.picture, &points);
        if let Err(why) = &drawn {
            eprintln!("no picture: {why}");
        }
        let title = self.study.experiment.display().to_string();
        replace(folder, "picture.html", drawn.as_ref().ok().map(|drawing| drawing.to_page(&title)))?;
        replace(folder, "picture.svg", drawn.ok().map(|drawing| drawing.to_string()))
    }

    fn named(&self, point: usize) -> String {
        let values = self.study.design.values(point).map(|(key, value)| format!("{key}={value}"));
        values.collect::<Vec<_>>().join(", ")
    }
}

/// Writes a file of the folder, or removes what an earlier sweep has left of it.
fn replace(folder: &Folder, name: &str, text: Option<String>) -> anyhow::Result<()> {
    let path = folder.file(name);
    let done = match text {
        Some(text) => return whole::write(&path, text),
        None => match fs::remove_file(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            other => other,
        },
    };
    done.with_context(|| path.display().to_string())
}

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
