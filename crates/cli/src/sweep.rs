//! `weir sweep`
//!
//! ```text
//!   --vary, study file (study.rs) ----------> Design: points (design.rs)
//!                                                  |  a run for each, several at a time
//!   text, CSV, JSON (rows.rs) <--------------------+
//!   folder: journal (folder.rs), table (rows.rs), picture.rs
//! ```

mod design;
mod folder;
mod load_study;
mod on_gpu;
pub(crate) mod papers;
mod picture;
mod rows;
mod same;
mod study;

use crate::arguments::SweepArgs;
use crate::progress::rough;
use crate::say::{shell_word, write_file};
use crate::status::{OrRefused, interrupted, of_error};
use crate::{load, text};
use anyhow::{Context, anyhow};
use design::{Design, LABEL, axis};
use folder::{FILES, Folder};
use same::Same;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use study::{PictureKeys, Study};
use weir_experiment::{ExperimentText, Found, Scenario, Source, option_of};
use weir_network::interrupted_by;
use weir_picture::Drawing;
use weir_run::{GpuProcessor, Printed, RunDigest, RunError, build, run_in_child, run_isolated, work_name};
use weir_units::{Time, side_by_side};

/// Failures are reported on standard error, the first ones with what ranks have printed.
const MOST_PRINTED: usize = 4;

/// A point that has been run, or was found in the folder.
struct Done {
    point: usize,
    /// Its line of the folder's journal: `outcome`, `digest`, `why` if something went wrong, and the `summary`.
    line: Value,
}

impl Done {
    fn outcome(&self) -> &str {
        self.line["outcome"].as_str().unwrap_or_default()
    }

    fn has_finished(&self) -> bool {
        self.outcome() == "finished"
    }

    fn why(&self) -> Option<&str> {
        self.line["why"].as_str()
    }

    /// The instant it got to and its fingerprint; `None` where its process was lost.
    fn reached(&self) -> Option<(Time, &str)> {
        let simulated = self.line["summary"]["simulated_ps"].as_u64()?;
        Some((Time::from_ps(simulated), self.line["digest"].as_str()?))
    }
}

pub(crate) fn sweep(args: &SweepArgs) -> anyhow::Result<ExitCode> {
    if args.study.load {
        return load_study::load_study(args);
    }
    let study = asked(args).or_refused()?;
    let gpu = args.gpu.then(GpuProcessor::default);
    let mut sweep = Sweep { args, study, further: Vec::new(), works: Vec::new(), gpu };
    sweep.make_machines_same().or_refused()?;
    // What is wrong with one point is most often wrong with all.
    for point in 0..sweep.points() {
        let scenario = sweep.scenario(point)?;
        sweep.check_gpu(point, &scenario)?;
        sweep.works.extend(args.out.as_ref().map(|_| work_name(&scenario)));
    }
    let folder = sweep.folder(&FILES)?;
    let design = &sweep.study.design;
    if args.csv {
        write(&rows::csv_head(design))?;
    }
    let (done, folder) = sweep.run(folder)?;
    if args.shown.json {
        write(&format!(
            "{}\n",
            rows::to_json(&sweep.study, &done, |point| (sweep.repeat(point), sweep.bandwidth(point)))
        ))?;
    } else if !args.csv {
        write(&rows::to_text(&sweep.study, &done, |point| sweep.bandwidth(point)))?;
    }
    if let Some(folder) = &folder {
        sweep.complete(folder, &done, picture::picture(&sweep.study.design, &sweep.study.picture, &done))?;
    }
    if let Some(status) = interrupted() {
        eprintln!("interrupted: {} of {} points were run", done.len(), sweep.points());
        return Ok(status);
    }
    let well = done.iter().all(|done| done.why().is_none());
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
    let blocks = args.vary.iter().map(|text| axis(text)).collect::<Result<_, _>>()?;
    let design = Design::new(blocks).map_err(|what| format!("--vary: {what}"))?;
    let (experiment, sets) = (found.path().to_owned(), args.sets.overrides());
    let picture = PictureKeys::default();
    let (text, shows) = (None, Vec::new());
    let has_best = design.is_choice();
    Ok(Study { experiment, sets, design, has_best, same: None, picture, text, shows })
}

/// Standard output, at once: whoever ends us finds there what is done.
fn write(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).context("standard output")
}

struct Sweep<'a> {
    args: &'a SweepArgs,
    study: Study,
    /// By point, if any: assignments beside those that vary, such as the bandwidth that makes its machine comparable.
    further: Vec<Vec<String>>,
    /// Names of the work of each point; with a folder.
    works: Vec<String>,
    /// Where points run, if not on cores.
    gpu: Option<GpuProcessor>,
}

/// Points on their way to standard output, in their order.
#[derive(Default)]
struct Results {
    folder: Option<Folder>,
    /// Done, but behind one that is not.
    early: BTreeMap<usize, Value>,
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
        self.study
            .sets
            .iter()
            .cloned()
            .chain(chosen)
            .chain(self.further.get(point).cloned().unwrap_or_default())
            .collect()
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
        let mut further = Vec::new();
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
            let bandwidth =
                Same::scaled(&scenario, factor).map_err(|what| format!("{}: {what}", self.named(point)))?;
            further.push(vec![bandwidth]);
        }
        self.further = further;
        Ok(())
    }

    /// The bandwidth with which the machine of a point has as much as that of the first, where the study asks for that.
    fn bandwidth(&self, point: usize) -> Option<String> {
        self.study.same?;
        Some(same::in_words(self.further.get(point)?.first()?))
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
        let known = |point: usize| Some((point, results.folder.as_ref()?.line(&self.works[point])?.clone()));
        results.early = (0..self.points()).filter_map(known).collect();
        let missing: Vec<usize> =
            (0..self.points()).filter(|point| !results.early.contains_key(point)).collect();
        if !results.early.is_empty() && !self.args.shown.quiet {
            eprintln!("{} of {} points are in the folder", results.early.len(), self.points());
        }
        self.pass_on(&mut results);
        let stop = AtomicBool::new(false);
        let (results, begun) = (Mutex::new(results), Instant::now());
        let has_run = |point, result, printed: &str| {
            let done = Done { point, line: self.line(point, result) };
            if interrupted_by().is_some() && !done.has_finished() {
                return;
            }
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            self.note(&mut results, done, printed);
            self.show(&results, missing.len(), begun);
            stop.fetch_or(results.error.is_some(), Ordering::Relaxed);
        };
        let on_cores = |&point: &usize| {
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
            let (result, printed) = match self.args.out {
                Some(_) => run_in_child(scenario, Printed::Kept),
                None => run_isolated(scenario, Printed::Kept),
            };
            has_run(point, result, &printed);
        };
        match &self.gpu {
            Some(gpu) => self.run_on_gpu(gpu, &missing, &mut |point, result| {
                has_run(point, result, "");
                !stop.load(Ordering::Relaxed)
            }),
            None => _ = side_by_side(&missing, self.args.threads, on_cores),
        }
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (point, line) in std::mem::take(&mut results.early) {
            self.pass(&mut results, Done { point, line });
        }
        let Results { done, folder, error, .. } = results;
        error.map_or(Ok((done, folder)), Err)
    }

    /// The line of a point that is kept.
    fn line(&self, point: usize, result: Result<RunDigest, RunError>) -> Value {
        let values = rows::values(&self.study.design, point);
        let work = self.works.get(point);
        match result {
            Ok(run) => {
                let (outcome, why) = (weir_record::outcome_word(&run.outcome), text::outcome(&run));
                let why = (!why.is_empty()).then_some(why);
                let (digest, mut summary) = (run.digest.to_string(), run.summary);
                // The work has the experiment, which is as long as all the rest; the fields of an engine are there without its object.
                // A table has the same columns on cores and on a GPU. Without a folder no more is needed than what is shown.
                let is_kept = |name: &str| match work {
                    Some(_) => !["experiment", "ideal", "flow", "packet", "gpu"].contains(&name),
                    None => name == "simulated_ps" || self.study.shows.iter().any(|field| field == name),
                };
                summary.as_object_mut().into_iter().for_each(|all| all.retain(|name, _| is_kept(name)));
                json!({
                    "work": work, "values": values, "outcome": outcome, "why": why, "digest": digest, "summary": summary,
                })
            }
            Err(error) => json!({
                "work": work, "values": values, "outcome": "aborted", "why": error.to_string(), "digest": null, "summary": null,
            }),
        }
    }

    /// A point has been run: keeps it, says what went wrong with it, and passes on what is complete.
    fn note(&self, results: &mut Results, done: Done, printed: &str) {
        let point = done.point;
        if let Some(why) = done.why() {
            results.failed += 1;
            eprintln!("{}: {why}\n  `{}` repeats it", self.named(point), self.repeat(point));
            if results.failed <= MOST_PRINTED && !printed.is_empty() {
                let lines: Vec<String> = printed.lines().map(|line| format!("  | {line}")).collect();
                eprintln!("  the last that it has printed:\n{}", lines.join("\n"));
            }
        }
        if let Some(folder) = &mut results.folder {
            let kept = folder.keep(&done.line);
            results.error = results.error.take().or_else(|| kept.err().map(|what| anyhow!(what)));
        }
        results.ran += 1;
        results.early.insert(point, done.line);
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
        while let Some(line) = results.early.remove(&results.done.len()) {
            let point = results.done.len();
            self.pass(results, Done { point, line });
        }
    }

    fn pass(&self, results: &mut Results, done: Done) {
        if self.args.csv && results.error.is_none() {
            results.error = write(&rows::csv_row(&self.study.design, &done)).err();
        }
        results.done.push(done);
    }

    /// Opens the folder of the results, if there is to be one, in which these files come about.
    fn folder(&self, files: &[&str]) -> anyhow::Result<Option<Folder>> {
        let inputs = [self.args.experiment.clone(), self.study.experiment.clone()];
        let Some(out) = &self.args.out else { return Ok(None) };
        let outputs: Vec<PathBuf> = files.iter().map(|name| out.join(name)).collect();
        load::spares(&inputs, outputs.iter().map(PathBuf::as_path))?;
        let build = format!("{:016x}", build());
        let mut folder = Folder::open(out, &build).or_refused()?;
        if self.args.again {
            folder.forget_failures();
        }
        if folder.is_of_another(&build) {
            self.check_build(&mut folder, &build).or_refused()?;
        }
        Ok(Some(folder))
    }

    /// Writes what the folder has at the end of a sweep: table, failures, picture.
    fn complete(&self, folder: &Folder, done: &[Done], drawn: Result<Drawing, String>) -> anyhow::Result<()> {
        let design = &self.study.design;
        weir_record::write_points(rows::columns(design, done), &folder.file("points.parquet"))?;
        let failure = |done: &Done| {
            let (point, why) = (done.point, done.why()?);
            Some(format!("{}: {why}\n  {}\n", self.named(point), self.repeat(point)))
        };
        let failures: String = done.iter().filter_map(failure).collect();
        replace(folder, "failures.txt", (!failures.is_empty()).then_some(failures))?;
        if let Err(why) = &drawn {
            eprintln!("no picture: {why}");
        }
        let title = self.study.experiment.display().to_string();
        replace(folder, "picture.html", drawn.as_ref().ok().map(|drawing| drawing.to_page(&title)))?;
        replace(folder, "picture.svg", drawn.ok().map(|drawing| drawing.to_string()))
    }

    /// Runs the first, the middle and the last of the points that a folder of another build has. Points are found by their work, which has
    /// every key of their experiment and the bytes of its files; what a build computes of the same work may differ still. If all come to
    /// the same events, the folder is of this build, too.
    ///
    /// # Errors
    /// Says which point comes to something else.
    fn check_build(&self, folder: &mut Folder, build: &str) -> Result<(), String> {
        let known = |point: usize| Some(Done { point, line: folder.line(&self.works[point])?.clone() });
        let points: Vec<Done> = (0..self.points()).filter_map(known).collect();
        let is_well = |done: &&Done| done.why().is_none() && done.reached().is_some();
        let points: Vec<&Done> = points.iter().filter(is_well).collect();
        let checked: BTreeSet<usize> = match points.len() {
            0 => BTreeSet::new(),
            count => [0, count / 2, count - 1].into(),
        };
        for before in checked.iter().map(|&place| points[place]) {
            let scenario = self.scenario(before.point);
            let scenario = scenario.map_err(|why| format!("a point is refused by this build: {why}"))?;
            let (result, _) = run_in_child(scenario, Printed::Kept);
            let now = Done { point: before.point, line: self.line(before.point, result) };
            if now.reached() != before.reached() {
                let time = |reached: Option<(Time, &str)>| {
                    reached.map_or("nothing".to_owned(), |(simulated, _)| simulated.to_string())
                };
                let (now, there) = (time(now.reached()), time(before.reached()));
                return Err(format!(
                    "{}: was begun by another build of weir, which came to other results: {} is {now} in this one, and {there} there\n\n\
                     hint: take another folder, or the weir of then",
                    folder.file("").display(),
                    self.named(before.point),
                ));
            }
        }
        if !self.args.shown.quiet && !points.is_empty() {
            eprintln!(
                "note: the folder was begun by another build of weir; {} of its {} points were run again and came to the same",
                checked.len(),
                points.len()
            );
        }
        folder.take_over(build)
    }

    fn named(&self, point: usize) -> String {
        let values = self.study.design.values(point).map(|(key, value)| format!("{key}={value}"));
        values.collect::<Vec<_>>().join(", ")
    }
}

/// Writes a file of the folder, or removes what an earlier sweep has left of it.
fn replace(folder: &Folder, name: &str, text: Option<String>) -> anyhow::Result<()> {
    let path = folder.file(name);
    match text {
        Some(text) => write_file(&path, text),
        None => match fs::remove_file(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed.with_context(|| path.display().to_string()),
        },
    }
}
