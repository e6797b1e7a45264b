//! Remedies: parts of the critical path, an estimate of the time of the run with less of each, and that of the run once more: with less of
//! each cause and with other algorithms.

use super::{by_cause, ps};
use crate::load::logged;
use crate::status::{OrRefused, refused};
use crate::text;
use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use tempfile::TempDir;
use weir_experiment::{Problems, Scenario, Source};
use weir_network::Outcome;
use weir_network::causes::Cause;
use weir_run::what_if::{self, Alternative, Change};
use weir_run::{Printed, run_isolated};
use weir_units::{Duration, Time};

/// Numbers of causes and of smaller parts that are looked at.
const CAUSES: usize = 3;
const PARTS: usize = 4;
/// Names among the shares of calls that are no calls: work, actions of patterns, and the rest.
const NO_CALLS: [&str; 5] = ["own work", "send to", "await message", "pause", "others"];

/// A finding of the verdict, as the summary has it.
pub(super) struct Found {
    pub(super) finding: Value,
    /// The time of the run with its change, if that was tried.
    pub(super) again: Option<Duration>,
}

/// The findings of the verdict; none in results of older versions.
pub(super) fn verdict(run: &Value) -> Vec<Found> {
    let found = |finding: &Value| Found { finding: finding.clone(), again: None };
    run["verdict"].as_array().map_or_else(Vec::new, |all| all.iter().map(found).collect())
}

/// A part of the critical path, and what the run would take with less of it.
pub(super) struct Remedy {
    pub(super) what: What,
    /// Its time on the path.
    pub(super) time: Duration,
    /// An estimate of the time of the run.
    pub(super) at_best: Duration,
    pub(super) rerun: Rerun,
}

/// The part that there would be less of.
pub(super) enum What {
    Cause(Cause),
    /// Latency and bytes of a class of links.
    Class(String),
    Link(String),
    Work(String),
    Call(String),
}

impl What {
    /// Its kind and its name, for JSON.
    pub(super) fn as_text(&self) -> (&'static str, Value) {
        match self {
            Self::Cause(cause) => ("cause", json!(cause.name())),
            Self::Class(class) => ("class", json!(class)),
            Self::Link(link) => ("link", json!(link)),
            Self::Work(rank) => ("work_of_rank", json!(rank.parse::<u64>().ok())),
            Self::Call(call) => ("call", json!(call)),
        }
    }
}

/// Times of the run with less of a part.
#[derive(Default)]
pub(super) struct Rerun {
    /// If there are keys behind it, and they were tried.
    pub(super) time: Option<Duration>,
    /// The assignments with which that was.
    pub(super) set: Vec<String>,
    /// With each key alone, or each other algorithm, the shortest first.
    pub(super) keys: Vec<(String, Duration)>,
    /// Where other algorithms were tried: which is the best, and how many they were.
    pub(super) algorithms: Option<(&'static str, usize)>,
}

/// The three causes of the critical path that take longest; and of classes of links, links, work of ranks and calls the four of
/// which less would save most, one in a hundred of the time or more.
pub(super) fn remedies(run: &Value, less: f64) -> Option<Vec<Remedy>> {
    let path = &run["causes"]["critical_path"];
    let critical = by_cause(&path["causes_ps"])?;
    let mut parts = Cause::ALL.map(|cause| (critical.of(cause), cause));
    parts.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    let longest = parts.into_iter().filter(|(time, _)| *time > Duration::ZERO).take(CAUSES);
    let end = critical.total();
    let busiest = run["max_link_utilization"].as_f64().unwrap_or(0.0);
    let causes =
        longest.map(|(time, cause)| (What::Cause(cause), time, critical.at_best(cause, less, busiest)));
    let mut smaller: Vec<_> = smaller(path)?.into_iter().filter(|(time, _)| *time * 100 >= end).collect();
    smaller.sort_by_key(|(time, _)| Reverse(*time));
    let smaller = smaller.into_iter().take(PARTS).map(|(time, what)| (what, time, end - part(time, less)));
    let remedy = |(what, time, at_best)| Remedy { what, time, at_best, rerun: Rerun::default() };
    Some(causes.chain(smaller).map(remedy).collect())
}

/// A part of a time, in per cent.
fn part(time: Duration, percent: f64) -> Duration {
    Duration::from_ps((time.as_ps() as f64 * percent / 100.0) as u64)
}

/// The call that all of the path belongs to, if there is one.
fn whole_call(run: &Value, less: f64) -> Option<Remedy> {
    let mut calls = named(&run["causes"]["critical_path"], "calls", "call", "time_ps")?.into_iter();
    let ((call, time), None) = (calls.next()?, calls.next()) else { return None };
    Some(Remedy { what: What::Call(call), time, at_best: time - part(time, less), rerun: Rerun::default() })
}

/// Parts of the path other than causes, of each kind only such as are not all of it.
fn smaller(path: &Value) -> Option<Vec<(Duration, What)>> {
    let latencies = named(path, "classes", "class", "latency_ps")?;
    let bytes = named(path, "classes", "class", "bytes_ps")?;
    let classes = latencies
        .into_iter()
        .zip(bytes)
        .map(|((class, latency), (_, bytes))| (latency + bytes, What::Class(class)));
    let links = named(path, "narrowest", "name", "time_ps")?.into_iter();
    let work = named(path, "work", "rank", "time_ps")?;
    // Where all of the work is of one rank there is less of it with less work.
    let work = if work.len() > 1 { work } else { Vec::new() };
    let calls = named(path, "calls", "call", "time_ps")?;
    let calls = if calls.len() > 1 { calls } else { Vec::new() };
    let calls = calls.into_iter().filter(|(call, _)| !NO_CALLS.contains(&call.as_str()));
    Some(
        classes
            .chain(links.map(|(link, time)| (time, What::Link(link))))
            .chain(work.into_iter().map(|(rank, time)| (time, What::Work(rank))))
            .chain(calls.map(|(call, time)| (time, What::Call(call))))
            .collect(),
    )
}

/// Rows of a list of the path: what each is of, and its time; nothing if the list is not there, as in results of older versions. `None` if a
/// row is not whole.
pub(super) fn named(path: &Value, list: &str, of: &str, time: &str) -> Option<Vec<(String, Duration)>> {
    let Some(rows) = path[list].as_array() else { return Some(Vec::new()) };
    let row = |row: &Value| {
        let of = row[of].as_str().map(str::to_owned).or_else(|| Some(row[of].as_u64()?.to_string()))?;
        Some((of, ps(&row[time])?))
    };
    rows.iter().map(row).collect()
}

/// The experiment of a summary, to be run again with changes.
pub(super) struct Again {
    source: Source,
    /// The simulated time without changes.
    pub(super) end: Duration,
    /// Times with changes that were tried: a finding and a part of the path may have the same.
    tried: RefCell<BTreeMap<Vec<String>, Option<Duration>>>,
    /// Where the program was logged, because its measured work differs from run to run.
    log: Option<TempDir>,
}

impl Again {
    /// Runs the experiment as it was. Measured work takes another time in each run, so such a program is logged, and its log is run with the
    /// changes.
    ///
    /// # Errors
    /// When the run takes another time than it did though nothing is measured, when it is refused, or when it does not come to its end.
    pub(super) fn begin(file: &Path, run: &Value) -> Result<Self> {
        let source = Source { experiment: Some(file.to_owned()), ..Source::default() };
        let mut again = Self { source, end: Duration::ZERO, tried: RefCell::default(), log: None };
        again.end = again.simulated(Vec::new())?;
        if ps(&run["simulated_ps"]) == Some(again.end) {
            return Ok(again);
        }
        let compute = &run["experiment"]["workload"]["compute"];
        if compute != "measured" && !compute.is_number() {
            return Err(refused(format!(
                "the run cannot be repeated exactly: run again as it was it takes {}\n\nhint: a program or file may have changed since",
                again.end
            )));
        }
        let (source, log) = logged(&again.load(Vec::new()).or_refused()?)?;
        (again.source, again.log) = (source, Some(log));
        again.end = again.simulated(Vec::new())?;
        Ok(again)
    }

    pub(super) const fn is_logged(&self) -> bool {
        self.log.is_some()
    }

    fn simulated(&self, set: Vec<String>) -> Result<Duration> {
        finished(self.load(set).or_refused()?)
    }

    /// Simulated time with changes; `None` where they are refused, which is printed.
    fn changed(&self, set: Vec<String>) -> Result<Option<Duration>> {
        if let Some(time) = self.tried.borrow().get(&set) {
            return Ok(*time);
        }
        let loaded = self.load(set.clone()).map_err(|problems| eprintln!("error: {problems}"));
        let time = loaded.ok().map(finished).transpose()?;
        self.tried.borrow_mut().insert(set, time);
        Ok(time)
    }

    /// The experiment with changes, without an account of its time. What it warns of it has warned of before.
    fn load(&self, mut set: Vec<String>) -> Result<Scenario, Problems> {
        set.push("output.causes=false".into());
        Scenario::load(&Source { overrides: set, ..self.source.clone() })
    }
}

/// Runs the experiment of a summary again: with the change of each finding, with less of each cause, and with each other algorithm
/// of a collective; with `keys` for each key alone, too.
///
/// # Errors
/// When a run is refused or does not come to its end.
pub(super) fn check(
    again: &Again,
    run: &Value,
    (verdict, found): (&mut [Found], &mut Vec<Remedy>),
    less: f64,
    keys: bool,
) -> Result<()> {
    for Found { finding, again: time } in verdict {
        let set = finding["set"].as_array().into_iter().flatten();
        let set: Vec<String> = set.filter_map(|one| one.as_str().map(str::to_owned)).collect();
        if !set.is_empty() {
            *time = again.changed(set)?;
        }
    }
    let experiment = &run["experiment"];
    for Remedy { what, rerun, .. } in &mut *found {
        let all = match what {
            What::Cause(cause) => what_if::improvements(experiment, *cause, less),
            What::Class(class) => what_if::of_class(experiment, class, less),
            What::Work(rank) => {
                rank.parse().map_or(Vec::new(), |rank| what_if::of_rank(experiment, rank, less))
            }
            What::Call(call) => {
                *rerun = with_others(again, what_if::of_call(experiment, call), keys);
                continue;
            }
            What::Link(link) => what_if::of_link(experiment, link, less),
        };
        if all.is_empty() {
            continue;
        }
        rerun.set = all.into_iter().map(|change| change.assignment).collect();
        rerun.time = again.changed(rerun.set.clone())?;
        if let What::Cause(cause) = what
            && keys
        {
            for Change { key, assignment } in what_if::single_improvements(experiment, *cause, less) {
                rerun.keys.extend(again.changed(vec![assignment])?.map(|time| (key, time)));
            }
            rerun.keys.sort_by(|one, other| one.1.cmp(&other.1).then_with(|| one.0.cmp(&other.0)));
        }
    }
    // Where one collective is all of the run there is nothing to say of it but which algorithm is better.
    if let Some(Remedy { what: What::Call(call), time, at_best, .. }) = whole_call(run, less) {
        let rerun = with_others(again, what_if::of_call(experiment, &call), keys);
        let is_tried = rerun.time.is_some();
        found.extend(is_tried.then_some(Remedy { what: What::Call(call), time, at_best, rerun }));
    }
    Ok(())
}

/// The run with each of these algorithms that the machine and the number of ranks allow; with `keys` the times of all are kept.
fn with_others(again: &Again, others: Vec<Alternative>, keys: bool) -> Rerun {
    let mut times = Vec::new();
    for Alternative { name, changes } in others {
        let set: Vec<String> = changes.into_iter().map(|change| change.assignment).collect();
        if let Ok(scenario) = again.load(set.clone())
            && let Ok(time) = finished(scenario)
        {
            times.push((time, name, set));
        }
    }
    times.sort_by_key(|(time, ..)| *time);
    let Some((time, best, set)) = times.first().cloned() else { return Rerun::default() };
    let algorithms = Some((best, times.len()));
    let all = times.into_iter().map(|(time, _, set)| (set[0].replace('"', ""), time));
    let keys = if keys { all.collect() } else { Vec::new() };
    Rerun { time: Some(time), set, keys, algorithms }
}

/// Simulated time of a run that comes to its end.
fn finished(scenario: Scenario) -> Result<Duration> {
    let run = run_isolated(scenario, Printed::Kept).0?;
    match run.outcome {
        Outcome::Finished => Ok(run.simulated.since(Time::ZERO)),
        _ => Err(anyhow!("run again, {}", text::outcome(&run))),
    }
}
