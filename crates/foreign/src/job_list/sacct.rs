//! Lists of jobs that `sacct --parsable2 --format=JobID,Submit,Start,End,NNodes` of Slurm prints, with other columns or without.
//!
//! Grammar: Slurm's manual page sacct(1). Times are those of a calendar and a clock, `2026-11-29T10:04:41`, of whichever place the cluster is in: where
//! clocks are put forward or back, a time is an hour off.

use super::{LoggedJob, in_order, job};
use crate::reading::Reading;

const HINT: &str = "expected sacct --parsable2 --format=JobID,Submit,Start,End,NNodes";

/// Places of the columns.
struct Columns {
    count: usize,
    id: usize,
    submit: usize,
    start: usize,
    end: usize,
    nodes: usize,
    /// The column Timelimit, if it is there.
    limit: Option<usize>,
}

pub(crate) fn read(text: &str, reading: &mut Reading) -> Option<Vec<LoggedJob>> {
    let mut rows = (1..).zip(text.lines()).filter(|(_, row)| !row.trim().is_empty());
    let (line, head) = rows.next()?;
    let columns = columns(line, head, reading)?;
    let mut jobs = Vec::new();
    for (line, row) in rows {
        jobs.extend(row_of(line, row, &columns, reading));
    }
    in_order(jobs, reading)
}

fn columns(line: usize, head: &str, reading: &mut Reading) -> Option<Columns> {
    let names: Vec<&str> = head.trim().split('|').collect();
    let at = |name: &str| names.iter().position(|column| *column == name);
    let nodes = at("NNodes").or_else(|| at("AllocNodes"));
    let wanted =
        [("JobID", at("JobID")), ("Submit", at("Submit")), ("Start", at("Start")), ("End", at("End"))];
    for (name, _) in wanted.iter().chain([&("NNodes", nodes)]).filter(|(_, place)| place.is_none()) {
        reading.wrong_with(line, head, format!("no column {name}"), HINT);
    }
    let [id, submit, start, end] = wanted.map(|(_, place)| place);
    let (count, limit) = (names.len(), at("Timelimit"));
    Some(Columns { count, id: id?, submit: submit?, start: start?, end: end?, nodes: nodes?, limit })
}

fn row_of(line: usize, row: &str, columns: &Columns, reading: &mut Reading) -> Option<LoggedJob> {
    let fields: Vec<&str> = row.trim_end_matches(['\r', '\n']).split('|').collect();
    if fields.len() != columns.count {
        reading.wrong(line, row, format!("expected {} values between bars", columns.count));
        return None;
    }
    let id = fields[columns.id];
    // The steps of a job, 17.batch and 17.0, have its nodes.
    if id.contains('.') {
        return None;
    }
    let (submit, start, end) = (fields[columns.submit], fields[columns.start], fields[columns.end]);
    if ["Unknown", "None", ""].contains(&start) {
        reading.cannot(line, row, "the job did not start");
        return None;
    }
    if ["Unknown", "None", ""].contains(&end) {
        reading.cannot(line, row, "the job has not ended");
        return None;
    }
    let [submit, start, end] = [submit, start, end].map(|text| time(line, text, reading));
    let count = fields[columns.nodes].parse::<u64>().ok();
    if count.is_none() {
        reading.wrong(line, fields[columns.nodes], "expected a number of nodes");
    }
    let (submit_ns, start_ns, end_ns, nodes) = (submit?, start?, end?, count?);
    if end_ns < start_ns {
        reading.wrong(line, row, "the job ends before it starts");
        return None;
    }
    if end_ns == start_ns || nodes == 0 {
        reading.cannot(line, row, "the job did not run: it has no time or no nodes");
        return None;
    }
    let name = id.to_owned();
    let duration_ns = end_ns - start_ns;
    let (start_ns, requested_ns) = (Some(start_ns), columns.limit.and_then(|limit| limit_of(fields[limit])));
    job(LoggedJob { name, line, submit_ns, start_ns, duration_ns, requested_ns, nodes }, reading)
}

/// A limit of time in nanoseconds, `2-12:00:00` or `12:00:00`; `None` of `UNLIMITED` and the like.
fn limit_of(text: &str) -> Option<u64> {
    let (days, clock) = text.split_once('-').unwrap_or(("0", text));
    let parts: Option<Vec<u64>> = clock.split(':').map(|part| part.parse().ok()).collect();
    let [hours, minutes, seconds] = parts?.try_into().ok()?;
    let hours = days.parse::<u64>().ok()?.checked_mul(24)?.checked_add(hours)?;
    let minutes = hours.checked_mul(60)?.checked_add(minutes)?;
    minutes.checked_mul(60)?.checked_add(seconds)?.checked_mul(1_000_000_000)
}

fn time(line: usize, text: &str, reading: &mut Reading) -> Option<u64> {
    let found = since_1970(text);
    if found.is_none() {
        let hint = "SLURM_TIME_FORMAT must be unset, or standard";
        reading.wrong_with(line, text, "expected a time such as 2026-11-29T10:04:41", hint);
    }
    found
}

/// Nanoseconds from the beginning of 1970 to a time of the calendar.
fn since_1970(text: &str) -> Option<u64> {
    let (date, clock) = text.split_once('T')?;
    let numbers = |text: &str, by: char| -> Option<[u64; 3]> {
        let all: Option<Vec<u64>> = text.split(by).map(|part| part.parse().ok()).collect();
        all?.try_into().ok()
    };
    let ([year, month, day], [hour, minute, second]) = (numbers(date, '-')?, numbers(clock, ':')?);
    let fits = (1970..2500).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !fits || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Years begin in March here, so that the day of a leap year is the last one of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let days = days - 719_468;
    (((days * 24 + hour) * 60 + minute) * 60 + second).checked_mul(1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::since_1970;

    /// By `date -u -d TIME +%s`.
    #[test]
    fn times_count_from_1970() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00", Some(0)),
            ("2000-02-29T12:00:00", Some(951_825_600)),
            ("2026-11-29T10:04:41", Some(1_795_946_681)),
            ("2026-13-01T00:00:00", None),
            ("Unknown", None),
        ] {
            assert_eq!(since_1970(text), seconds.map(|seconds: u64| seconds * 1_000_000_000), "{text}");
        }
    }
}
