//! The Standard Workload Format: <https://www.cs.huji.ac.il/labs/parallel/workload/swf.html>.
//!
//! A row has 18 numbers: of the job (1), its submission (2), its wait (3) and its run time (4) in seconds, the processors that it had (5) and asked
//! for (8), the time that it asked for (9), its status (11), and more that says nothing of nodes. -1 is a value that is not known. Comments begin with a semicolon; those of
//! the head have a name and a value, `; MaxNodes: 128`.

use super::{LoggedJob, in_order, job, seconds};
use crate::reading::Reading;

const FIELDS: usize = 18;

/// The statuses of parts of a job that has a row of its own for the whole.
const PARTS: [&str; 3] = ["2", "3", "4"];

pub(crate) fn read(text: &str, reading: &mut Reading) -> Option<Vec<LoggedJob>> {
    let per_node = processors_per_node(text, reading);
    let mut jobs = Vec::new();
    for (line, row) in (1..).zip(text.lines()) {
        let row = row.trim();
        if row.is_empty() || row.starts_with(';') {
            continue;
        }
        jobs.extend(row_of(line, row, per_node, reading));
    }
    in_order(jobs, reading)
}

/// Processors of a node: as given, else as the head says, else one.
fn processors_per_node(text: &str, reading: &mut Reading) -> u64 {
    let head = |name: &str| {
        let comments = text.lines().filter_map(|line| line.trim().strip_prefix(';'));
        let values = comments.filter_map(|line| line.trim().strip_prefix(name));
        let mut numbers = values.filter_map(|value| value.split_whitespace().next()?.parse::<u64>().ok());
        numbers.next().filter(|number| *number > 0)
    };
    if let Some(given) = reading.given.processors_per_node {
        return u64::from(given);
    }
    if let (Some(processors), Some(nodes)) = (head("MaxProcs:"), head("MaxNodes:"))
        && processors.is_multiple_of(nodes)
    {
        return processors / nodes;
    }
    reading.note("the head does not say how many processors a node has: one is taken");
    1
}

fn row_of(line: usize, row: &str, per_node: u64, reading: &mut Reading) -> Option<LoggedJob> {
    let fields: Vec<&str> = row.split_whitespace().collect();
    if fields.len() != FIELDS {
        let what = format!("expected {FIELDS} numbers, not {}", fields.len());
        reading.wrong(line, row, what);
        return None;
    }
    if PARTS.contains(&fields[10]) {
        reading.cannot(line, fields[10], "the row is a part of a job that has a row for the whole");
        return None;
    }
    let is_known = |text: &str| text != "-1";
    let processors = if is_known(fields[4]) { fields[4] } else { fields[7] };
    if !is_known(fields[3]) || fields[3] == "0" || !is_known(processors) || processors == "0" {
        reading.cannot(line, row, "the job did not run: it has no run time or no processors");
        return None;
    }
    let submit = seconds(line, fields[1], reading);
    let duration = seconds(line, fields[3], reading);
    let mut where_known = |text: &str| match is_known(text) {
        true => seconds(line, text, reading).map(Some),
        false => Some(None),
    };
    let (wait, requested) = (where_known(fields[2]), where_known(fields[8]));
    let count = processors.parse::<u64>().ok();
    if count.is_none() {
        reading.wrong(line, processors, "expected a number of processors");
    }
    let (submit_ns, duration_ns) = (submit?, duration?);
    let nodes = count?.div_ceil(per_node);
    let start_ns = wait?.map(|wait| submit_ns.saturating_add(wait));
    let (name, requested_ns) = (fields[0].to_owned(), requested?);
    job(LoggedJob { name, line, submit_ns, start_ns, duration_ns, requested_ns, nodes }, reading)
}
