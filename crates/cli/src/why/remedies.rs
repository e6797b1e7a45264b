//! Remedies: parts of the critical path, and the time of the run at best with less of each.

use super::{by_cause, ps};
use serde_json::{Value, json};
use std::cmp::Reverse;
use weir_network::causes::Cause;
use weir_units::Duration;

/// Numbers of causes and of smaller parts that are looked at.
const CAUSES: usize = 3;
const PARTS: usize = 4;
/// Names among the shares of calls that are no calls: work, actions of patterns, and the rest.
const NO_CALLS: [&str; 5] = ["own work", "send to", "await message", "pause", "others"];

/// A part of the critical path, and what the run would take with less of it.
pub(super) struct Remedy {
    pub(super) what: What,
    /// Its time on the path.
    pub(super) time: Duration,
    /// Time of the run at best.
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
    let causes = longest.map(|(time, cause)| Remedy {
        what: What::Cause(cause),
        time,
        at_best: critical.at_best(cause, less),
        rerun: Rerun::default(),
    });
    let end = critical.total();
    let mut smaller: Vec<_> = smaller(path)?.into_iter().filter(|(time, _)| *time * 100 >= end).collect();
    smaller.sort_by_key(|(time, _)| Reverse(*time));
    let smaller = smaller.into_iter().take(PARTS).map(|(time, what)| Remedy {
        what,
        time,
        at_best: end - part(time, less),
        rerun: Rerun::default(),
    });
    Some(causes.chain(smaller).collect())
}

/// A part of a time, in per cent.
fn part(time: Duration, percent: f64) -> Duration {
    Duration::from_ps((time.as_ps() as f64 * percent / 100.0) as u64)
}

/// The call that all of the path belongs to, if there is one.
pub(super) fn whole_call(run: &Value, less: f64) -> Option<Remedy> {
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
