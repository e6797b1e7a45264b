//! Lists of jobs as schedulers log them: each has asked for nodes at an instant, and had them for a time.
//!
//! Three forms become one list: the Standard Workload Format of the Parallel Workloads Archive, what `sacct` of Slurm prints, and a table with the
//! columns `submit`, `nodes` and `duration`. Times count from an origin of the file's own, in nanoseconds.

mod sacct;
mod swf;

use crate::reading::Reading;
use crate::sample::Sample;
pub(crate) use sacct::read as read_sacct;
pub(crate) use swf::read as read_swf;

/// A job of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedJob {
    /// The name or number by which the log calls it.
    pub name: String,
    /// The line it is on, from 1.
    pub line: usize,
    /// When it was submitted, in nanoseconds since an origin that all jobs of the list have in common.
    pub submit_ns: u64,
    /// When it began, if the log says it; not before it was submitted.
    pub start_ns: Option<u64>,
    /// The time for which it had its nodes, in nanoseconds, above 0.
    pub duration_ns: u64,
    /// The time that it had asked for, in nanoseconds, if the log says it.
    pub requested_ns: Option<u64>,
    /// Number of nodes, above 0.
    pub nodes: u64,
}

/// Columns of a row as texts, each `None` where the list has no such column.
struct Texts<'a> {
    name: Option<&'a str>,
    submit: &'a str,
    nodes: &'a str,
    duration: &'a str,
    start: Option<&'a str>,
    requested: Option<&'a str>,
}

const COLUMNS: &str = "known are submit, nodes, duration, name, start and requested, separated by commas";

/// Returns whether a file is a table of jobs: its first line names the columns.
pub(crate) fn is_table(file: &Sample<'_>) -> bool {
    let columns: Vec<&str> = file.first().split(',').map(str::trim).collect();
    columns.contains(&"submit") && (columns.contains(&"nodes") || columns.contains(&"duration"))
}

/// Returns whether a file is what sacct prints: columns between bars, the number of the job among them.
pub(crate) fn is_sacct(file: &Sample<'_>) -> bool {
    let first = file.first();
    first.contains('|') && first.split('|').any(|column| column == "JobID")
}

/// Returns whether a file is in the Standard Workload Format: a head behind semicolons, or a first row of 18 numbers.
pub(crate) fn is_swf(file: &Sample<'_>) -> bool {
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    let is_row = |line: &str| line.split_whitespace().count() == 18 && line.split_whitespace().all(is_number);
    let has_head = file.first().starts_with(';') && (file.has("MaxProcs:") || file.has("MaxNodes:"));
    has_head || file.rows().find(|line| !line.starts_with(';')).is_some_and(is_row)
}

/// Reads a table of jobs with the times in seconds.
pub(crate) fn read_table(text: &str, reading: &mut Reading) -> Option<Vec<LoggedJob>> {
    let mut rows = (1..).zip(text.lines()).filter(|(_, row)| !row.trim().is_empty() && !row.starts_with('#'));
    let Some((line, head)) = rows.next() else {
        reading.wrong_whole("no job is in the list", Some(COLUMNS));
        return None;
    };
    let columns: Vec<&str> = head.split(',').map(str::trim).collect();
    for (place, column) in columns.iter().enumerate() {
        if !["submit", "nodes", "duration", "name", "start", "requested"].contains(column) {
            reading.wrong_with(line, column, "unknown column", COLUMNS);
        } else if columns[..place].contains(column) {
            reading.wrong(line, column, "the column is there twice");
        }
    }
    let at = |name: &str| columns.iter().position(|column| *column == name);
    let missing = ["submit", "nodes", "duration"].into_iter().filter(|name| at(name).is_none());
    for name in missing {
        reading.wrong_with(line, head, format!("no column {name}"), COLUMNS);
    }
    let (Some(submit), Some(nodes), Some(duration)) = (at("submit"), at("nodes"), at("duration")) else {
        return None;
    };
    let (name, start, requested) = (at("name"), at("start"), at("requested"));
    let mut jobs = Vec::new();
    for (line, row) in rows {
        let fields: Vec<&str> = row.split(',').map(str::trim).collect();
        if row.contains('"') || fields.len() != columns.len() {
            let what = format!("expected {} values between commas, without quotes", columns.len());
            reading.wrong(line, row, what);
            continue;
        }
        let texts = Texts {
            name: name.map(|at| fields[at]),
            submit: fields[submit],
            nodes: fields[nodes],
            duration: fields[duration],
            start: start.map(|at| fields[at]).filter(|text| !text.is_empty()),
            requested: requested.map(|at| fields[at]).filter(|text| !text.is_empty()),
        };
        let number = jobs.len();
        jobs.extend(of_table(line, number, &texts, reading));
    }
    in_order(jobs, reading)
}

fn of_table(line: usize, number: usize, texts: &Texts<'_>, reading: &mut Reading) -> Option<LoggedJob> {
    let submit = seconds(line, texts.submit, reading);
    let start = texts.start.map(|start| seconds(line, start, reading));
    let duration = seconds(line, texts.duration, reading);
    let requested = texts.requested.map(|requested| seconds(line, requested, reading));
    let nodes = texts.nodes.parse().ok().filter(|nodes: &u64| *nodes > 0);
    if nodes.is_none() {
        reading.wrong(line, texts.nodes, "expected a number of nodes, 1 or more");
    }
    if duration == Some(0) {
        reading.cannot(line, texts.duration, "the job takes no time");
    }
    let name = texts.name.map_or_else(|| format!("job {number}"), str::to_owned);
    let known = |time: Option<Option<u64>>| match time {
        Some(time) => time.map(Some),
        None => Some(None),
    };
    let (start_ns, requested_ns) = (known(start)?, known(requested)?);
    let (submit_ns, duration_ns) = (submit?, duration.filter(|&duration| duration > 0)?);
    let nodes = nodes?;
    job(LoggedJob { name, line, submit_ns, start_ns, duration_ns, requested_ns, nodes }, reading)
}

/// A job, unless it begins before it is submitted.
fn job(job: LoggedJob, reading: &mut Reading) -> Option<LoggedJob> {
    if job.start_ns.is_some_and(|start| start < job.submit_ns) {
        reading.wrong(job.line, &job.name, "the job starts before it is submitted");
        return None;
    }
    Some(job)
}

/// A number of seconds, with at most nine digits behind the point, in nanoseconds.
fn seconds(line: usize, text: &str, reading: &mut Reading) -> Option<u64> {
    if text.starts_with('-') {
        reading.wrong(line, text, "a time must not be negative");
        return None;
    }
    let found = nanoseconds(text);
    if found.is_none() {
        let what = "expected seconds, such as 3600 or 0.25, with at most nine digits behind the point";
        reading.wrong(line, text, what);
    }
    found
}

fn nanoseconds(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    let part = part.trim_end_matches('0');
    if whole.is_empty() || !is_number(whole) || !is_number(part) || part.len() > 9 {
        return None;
    }
    let part: u64 = format!("{part:0<9}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(part)
}

/// The list, if its jobs are in the order in which they were submitted; without one there is nothing to run.
fn in_order(jobs: Vec<LoggedJob>, reading: &mut Reading) -> Option<Vec<LoggedJob>> {
    for pair in jobs.windows(2) {
        if pair[1].submit_ns < pair[0].submit_ns {
            let what = format!("the job is submitted before that on line {}", pair[0].line);
            let hint = "sort the rows by the time of submission";
            reading.wrong_with(pair[1].line, &pair[1].name, what, hint);
        }
    }
    if jobs.is_empty() && !reading.is_wrong() {
        reading.wrong_whole("no job that ran is in the list", None);
    }
    (!jobs.is_empty()).then_some(jobs)
}
