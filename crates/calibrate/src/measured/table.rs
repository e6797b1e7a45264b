//! A table in CSV: a line of names, and a measured time in each line below.

use super::setting::{self, Setting};
use super::{Measured, Reading, Record};
use crate::request::Mistake;
use csv::{ReaderBuilder, StringRecord, Trim};

/// Columns with a time, and what one is in seconds.
const TIMES: [(&str, f64); 9] = [
    ("time_ns", 1e-9),
    ("time_us", 1e-6),
    ("time_ms", 1e-3),
    ("time_s", 1.0),
    ("median_ns", 1e-9),
    ("median_us", 1e-6),
    ("t_avg_us", 1e-6),
    ("t_max_us", 1e-6),
    ("avg_ns", 1e-9),
];

struct Columns {
    collective: usize,
    algorithm: Option<usize>,
    bytes: usize,
    time: usize,
    seconds: f64,
    /// Places, with the names they have.
    setting: Vec<(usize, String)>,
}

/// Most mistakes of a file that are listed.
const MOST_MISTAKES: usize = 20;

pub(super) fn read(file: &str, text: &str, reading: &Reading) -> Result<Measured, Vec<Mistake>> {
    let mut found = Measured::default();
    let mut reader =
        ReaderBuilder::new().trim(Trim::All).comment(Some(b'#')).flexible(true).from_reader(text.as_bytes());
    let wrong = |error: csv::Error| Mistake::new(file, error.to_string());
    let head = reader.headers().map_err(|error| vec![wrong(error)])?.clone();
    let columns = columns(file, &head, &mut found.ignored)?;
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                found.mistakes.push(wrong(error));
                break;
            }
        };
        let line = record.position().map_or(0, csv::Position::line) as usize;
        match columns.record(&record, &head, line) {
            Ok(record) => found.take(file, record, reading),
            Err(mistake) => found.mistakes.push(Mistake { place: format!("{file}:{line}"), ..mistake }),
        }
        if found.mistakes.len() == MOST_MISTAKES {
            break;
        }
    }
    Ok(found)
}

/// Finds the columns; `ignored` gets those that are not read.
fn columns(file: &str, head: &StringRecord, ignored: &mut Vec<String>) -> Result<Columns, Vec<Mistake>> {
    let mut mistakes = Vec::new();
    let names: Vec<&str> = head.iter().collect();
    for (place, name) in names.iter().enumerate() {
        if !name.is_empty() && names[..place].contains(name) {
            mistakes.push(Mistake::new(file, format!("has two columns {name}")));
        }
    }
    let place = |name: &str| names.iter().position(|known| *known == name);
    let collective = place("collective").or_else(|| place("operation"));
    let bytes = place("bytes");
    let times: Vec<(usize, f64, &str)> =
        TIMES.iter().filter_map(|(name, seconds)| Some((place(name)?, *seconds, *name))).collect();
    let mut missing = Vec::new();
    missing.extend(collective.is_none().then_some("collective".to_owned()));
    missing.extend(bytes.is_none().then_some("bytes".to_owned()));
    let time_names = TIMES.map(|(name, _)| name).join(", ");
    missing.extend(times.is_empty().then(|| format!("a time (one of {time_names})")));
    if !missing.is_empty() {
        let what = format!("has no column {}; it has: {}", missing.join(", no column "), names.join(", "));
        let other = names.len() == 1 && names[0].contains([';', '\t']);
        let hint = if other {
            "separate columns by commas"
        } else {
            "the first line names the columns; logs are read of OSU Micro-Benchmarks, IMB-MPI1 and nccl-tests"
        };
        mistakes.push(Mistake::new(file, what).hint(hint));
    }
    if times.len() > 1 {
        let times: Vec<&str> = times.iter().map(|(_, _, name)| *name).collect();
        let what = format!("has several columns with times: {}", times.join(", "));
        mistakes.push(Mistake::new(file, what).hint("leave one of them"));
    }
    let mut set = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let is_read = [collective, place("algorithm"), bytes].contains(&Some(at))
            || times.iter().any(|(time, _, _)| *time == at);
        if setting::NAMES.contains(name) || setting::is_key(name) {
            set.push((at, (*name).to_owned()));
        } else if name.contains('.') {
            let what = format!("has a column {name}, and there is no such key");
            mistakes.push(Mistake::new(file, what).hint("weir keys lists all keys"));
        } else if !is_read {
            ignored.push((*name).to_owned());
        }
    }
    match (collective, bytes, times.first()) {
        (Some(collective), Some(bytes), Some(&(time, seconds, _))) if mistakes.is_empty() => {
            Ok(Columns { collective, algorithm: place("algorithm"), bytes, time, seconds, setting: set })
        }
        _ => Err(mistakes),
    }
}

impl Columns {
    fn record(&self, record: &StringRecord, head: &StringRecord, line: usize) -> Result<Record, Mistake> {
        let wrong = |what: String| Mistake::new("", what);
        if record.len() != head.len() {
            return Err(wrong(format!("has {} fields, and the table has {}", record.len(), head.len())));
        }
        let name = |place: usize| head.get(place).unwrap_or_default();
        let of = |place: usize| record.get(place).unwrap_or_default();
        let bytes = of(self.bytes).parse().map_err(|_| {
            wrong(format!("bytes = {:?}: must be a whole number", of(self.bytes)))
                .hint("write bytes without a unit: 65536, not 64 KiB")
        })?;
        let time = of(self.time);
        let number: f64 = time.parse().map_err(|_| {
            wrong(format!("{} = {time:?}: must be a number", name(self.time)))
                .hint("the unit is in the name of the column, and all rows have the same")
        })?;
        if !(number > 0.0 && number.is_finite()) {
            return Err(wrong(format!("{} = {time}: a measured time is above 0", name(self.time))));
        }
        let mut setting = Setting::default();
        for (place, name) in &self.setting {
            setting.put(name, of(*place)).map_err(wrong)?;
        }
        let (collective, seconds) = (of(self.collective).to_owned(), number * self.seconds);
        let algorithm = self.algorithm.map(of).unwrap_or_default().to_owned();
        Ok(Record { line, collective, algorithm, bytes, seconds, setting })
    }
}
