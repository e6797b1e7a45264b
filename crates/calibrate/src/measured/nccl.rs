//! Logs of the tests of NCCL and RCCL (nccl-tests): devices, a line of column names, and lines in which the last eight words are time,
//! algorithm bandwidth, bus bandwidth and wrong values, out of place and in place. Times out of place count.
//!
//! Newer versions say which test it is. Older ones show it by what they reduce, by the root, and by how bus bandwidth is made of algorithm
//! bandwidth, which for an all-reduce is 2 (n - 1) / n of it; so that says how many ranks there are where no list of devices does.

use super::Measured;
use super::logs::{Log, Size, begins_with_a_digit};
use crate::request::Mistake;
use std::collections::BTreeSet;

pub(super) fn is_one(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("# Collective test starting:") || line.starts_with("# nThread "))
}

struct Numbers<'a> {
    bytes: u64,
    /// The reduction; empty if nothing is reduced.
    reduces: Option<&'a str>,
    root: Option<i64>,
    time: &'a str,
    /// Bus bandwidth over algorithm bandwidth, where both have enough digits.
    factor: Option<f64>,
    wrong: &'a str,
}

impl<'a> Numbers<'a> {
    fn of(line: &'a str) -> Option<Self> {
        const BEHIND: usize = 8;
        let words: Vec<&str> = line.split_whitespace().collect();
        let front = words.len().checked_sub(BEHIND).filter(|&front| front >= 3)?;
        let bytes = words[0].parse().ok()?;
        words[1].parse::<u64>().ok()?;
        let middle = &words[3..front];
        let root = middle.iter().find_map(|word| word.parse().ok());
        let reduces = middle.iter().copied().find(|word| word.parse::<i64>().is_err() && *word != "none");
        let rate = |place: usize| words[front + place].parse::<f64>().ok().filter(|rate| *rate > 0.5);
        let factor = rate(1).zip(rate(2)).map(|(algorithm, bus)| bus / algorithm);
        Some(Self { bytes, reduces, root, time: words[front], factor, wrong: words[front + 3] })
    }

    /// The operation that it can only be.
    fn operation(&self) -> Option<&'static str> {
        match (self.reduces, self.root, self.factor) {
            (Some(_), Some(0..), _) => Some("reduce"),
            (None, Some(0..), _) => Some("broadcast"),
            (Some(_), _, Some(factor)) if factor > 1.02 => Some("allreduce"),
            (Some(_), Some(-1), Some(factor)) if factor < 0.98 => Some("reduce_scatter"),
            _ => None,
        }
    }
}

/// Number of ranks of an all-reduce with this ratio of bus bandwidth to algorithm bandwidth; `None` where digits do not suffice.
fn ranks_of(factor: f64) -> Option<u64> {
    let ranks = 2.0 / (2.0 - factor);
    let whole = ranks.round();
    ((2.0..=16.0).contains(&whole) && (ranks - whole).abs() < 0.1).then_some(whole as u64)
}

/// State of the test that is being read.
#[derive(Default)]
struct Test {
    name: Option<String>,
    devices: BTreeSet<u64>,
    lines: Vec<(usize, String)>,
}

pub(super) fn read(mut log: Log<'_>, text: &str) -> Measured {
    let mut test = Test::default();
    for (line, number) in text.lines().zip(1..) {
        if log.says_where(number, line) {
            continue;
        }
        let line = line.trim();
        if let Some(name) = line.strip_prefix("# Collective test starting:") {
            test.end(&mut log);
            test.name = Some(name.trim().trim_end_matches("_perf").to_owned());
        } else if line.starts_with("# nThread ") && !test.lines.is_empty() {
            test.end(&mut log);
        } else if let Some(device) =
            line.strip_prefix('#').map(str::trim).and_then(|rest| rest.strip_prefix("Rank "))
        {
            test.devices.extend(device.split_whitespace().next().and_then(|rank| rank.parse::<u64>().ok()));
        } else if begins_with_a_digit(line) {
            test.lines.push((number, line.to_owned()));
        }
    }
    test.end(&mut log);
    log.found
}

impl Test {
    /// Takes in the rows of a test that has been read to its end.
    fn end(&mut self, log: &mut Log<'_>) {
        let Self { name, devices, lines } = std::mem::take(self);
        let numbers: Vec<_> = lines.iter().map(|(line, text)| (*line, text, Numbers::of(text))).collect();
        let read = || numbers.iter().filter_map(|(_, _, numbers)| numbers.as_ref());
        let Some(&(first, ..)) = numbers.first() else { return };
        let said = log.setting.operation.clone();
        let named = Some(said).filter(|said| !said.is_empty()).or(name);
        let operation = named.or_else(|| read().find_map(Numbers::operation).map(str::to_owned));
        let Some(operation) = operation else {
            let hint = "write a line above the log: # weir: operation = alltoall";
            let what = "which collective was measured is not said";
            log.found.mistakes.push(Mistake::new(log.place(first), what).hint(hint));
            return;
        };
        let setting = log.setting.clone();
        if setting.ranks().is_none() {
            let factor = read().filter_map(|numbers| numbers.factor).next_back();
            let by_rates = factor.filter(|_| operation.replace('_', "") == "allreduce").and_then(ranks_of);
            let ranks = Some(devices.len() as u64).filter(|&ranks| ranks > 0).or_else(|| {
                log.found.notes.extend(by_rates.map(|ranks| {
                    format!("{}: the test of line {first} is taken for {ranks} ranks, as busbw over algbw is 2 (n - 1) / n", log.file)
                }));
                by_rates
            });
            log.setting.ranks = ranks;
        }
        for (line, text, numbers) in numbers {
            match numbers {
                Some(Numbers { wrong, .. }) if wrong.parse::<f64>().is_ok_and(|wrong| wrong > 0.0) => {
                    log.found.left_out.add(format!("{operation}: the test found wrong values"), line);
                }
                Some(Numbers { bytes, time, .. }) => match time.parse() {
                    Ok(microseconds) => log.add(line, &operation, Size::Whole(bytes), microseconds),
                    Err(_) => log.found.left_out.add(format!("{time:?} is no time in microseconds"), line),
                },
                None => {
                    let what = format!("{text:?} is no row of size, count, type, times and rates");
                    log.found.left_out.add(what, line);
                }
            }
        }
        log.setting = setting;
    }
}
