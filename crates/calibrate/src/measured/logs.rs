//! Logs of OSU Micro-Benchmarks and Intel MPI Benchmarks, and what logs of benchmarks have in common: lines of numbers below a head, and
//! lines of ours that say where.

use super::setting::Setting;
use super::{Measured, Operation, Reading, Record};
use crate::request::Mistake;

/// Begins a line that says what holds below it: `# weir: nodes = 4, ranks_per_node = 2, algorithm = ring`.
const OURS: &str = "# weir:";

pub(super) struct Log<'a> {
    pub(super) file: &'a str,
    reading: &'a Reading,
    pub(super) setting: Setting,
    pub(super) found: Measured,
}

/// A size as a benchmark prints it.
pub(super) enum Size {
    /// The bytes of each rank's part where the operation has parts, else of the whole vector.
    Part(u64),
    /// All bytes of a rank.
    Whole(u64),
}

impl<'a> Log<'a> {
    pub(super) fn new(file: &'a str, reading: &'a Reading) -> Self {
        let setting = Setting { ranks: reading.ranks, ..Setting::default() };
        Self { file, reading, setting, found: Measured::default() }
    }

    pub(super) fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.file)
    }

    /// Takes in a line that says where the rows below it were measured, and what is wrong with it; `false` if it is another line.
    pub(super) fn says_where(&mut self, line: usize, text: &str) -> bool {
        let Some(pairs) = text.trim().strip_prefix(OURS) else { return false };
        for pair in pairs.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let put = match pair.split_once('=') {
                None => Err(format!("{pair}: has no =")),
                Some((name, value)) => self.setting.say(name.trim(), value),
            };
            if let Err(what) = put {
                let hint = "write # weir: nodes = 4, ranks_per_node = 2, algorithm = ring";
                self.found.mistakes.push(Mistake::new(self.place(line), what).hint(hint));
                break;
            }
        }
        true
    }

    /// Takes in a measured time of an operation, which has its name in the benchmark. Its row has the whole vector.
    pub(super) fn add(&mut self, line: usize, operation: &str, size: Size, microseconds: f64) {
        let place = self.place(line);
        let Some(known) = Operation::named(operation) else {
            self.found.left_out.add(format!("weir has no benchmark of {operation}"), line);
            return;
        };
        if !(microseconds > 0.0 && microseconds.is_finite()) {
            let what = format!("{microseconds} us: a measured time is above 0");
            self.found.mistakes.push(Mistake::new(place, what));
            return;
        }
        if known != Operation::PingPong && self.setting.ranks().is_none() {
            // Once for each operation.
            let what = format!("how many ranks took part in {operation} is not said");
            if !self.found.mistakes.iter().any(|mistake| mistake.what == what) {
                let hint =
                    "give --ranks 8, or write a line above the log: # weir: nodes = 4, ranks_per_node = 2";
                self.found.mistakes.push(Mistake::new(place, what).hint(hint));
            }
            return;
        }
        let bytes = match size {
            Size::Part(bytes) if known.has_parts() => bytes.saturating_mul(self.setting.ranks().unwrap_or(1)),
            Size::Part(bytes) | Size::Whole(bytes) => bytes,
        };
        let (collective, setting) = (operation.to_owned(), self.setting.clone());
        let (algorithm, seconds) = (setting.algorithm.clone(), microseconds * 1e-6);
        let record = Record { line, collective, algorithm, bytes, seconds, setting };
        self.found.take(self.file, record, self.reading);
    }

    /// Takes in a line of numbers, of which this is the size and that the time; what looks like such a line and is none is named.
    fn row(&mut self, line: usize, text: &str, operation: &str, columns: (Option<usize>, usize), form: &str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let bytes = columns.0.map_or(Some(0), |place| words.get(place)?.parse().ok());
        let time = words.get(columns.1).and_then(|word| word.parse().ok());
        match bytes.zip(time) {
            Some((bytes, microseconds)) => self.add(line, operation, Size::Part(bytes), microseconds),
            None if begins_with_a_digit(text) => {
                self.found.left_out.add(format!("{:?} is not a row of {form}", text.trim()), line);
            }
            None => (),
        }
    }
}

pub(super) fn begins_with_a_digit(text: &str) -> bool {
    text.trim_start().starts_with(|letter: char| letter.is_ascii_digit())
}

/// Reads a log of OSU Micro-Benchmarks: a head `# OSU MPI Allreduce Latency Test v7.3`, a line of column names that begins with
/// `# Size`, and lines of bytes and microseconds. With `-f` there are also the least and the greatest time over ranks:
/// then the greatest counts, which is what weir predicts.
pub(super) fn osu(mut log: Log<'_>, text: &str) -> Measured {
    let mut test = "";
    let mut time = 1;
    for (line, number) in text.lines().zip(1..) {
        if log.says_where(number, line) {
            continue;
        }
        let begin = line.trim_start();
        if let Some(title) = line.trim().strip_prefix("# OSU MPI ") {
            test = title.split(" Latency").next().unwrap_or(title);
            test = test.split(" Test v").next().unwrap_or(test);
            // The point-to-point test is only called that.
            test = if title.starts_with("Latency") { "latency" } else { test };
            time = usize::from(test != "Barrier");
        } else if begin.starts_with("# Size") || begin.starts_with("# Avg") {
            // Names of columns stand two blanks apart.
            let names = line.trim_start_matches(['#', ' ']).split("  ").map(str::trim);
            let of_all = names.filter(|name| !name.is_empty()).position(|name| name.starts_with("Max Lat"));
            time = of_all.unwrap_or(time);
        } else if !begin.starts_with('#') {
            let bytes = (test != "Barrier").then_some(0);
            log.row(number, line, test, (bytes, time), "bytes and microseconds");
        }
    }
    log.found
}

/// Reads a log of Intel MPI Benchmarks (IMB-MPI1): for each benchmark a head with `# Benchmarking Bcast` and `# #processes = 8`, a
/// line of column names that begins with `#bytes`, and lines of numbers. The greatest time over ranks counts, where it
/// is printed, which is what weir predicts.
pub(super) fn imb(mut log: Log<'_>, text: &str) -> Measured {
    let mut benchmark = "";
    let mut columns: Option<(Option<usize>, usize)> = None;
    for (line, number) in text.lines().zip(1..) {
        if log.says_where(number, line) {
            continue;
        }
        let line = line.trim();
        if let Some(name) = line.strip_prefix("# Benchmarking ") {
            benchmark = name.trim();
            columns = None;
        } else if let Some(processes) = line.trim_start_matches(['#', ' ']).strip_prefix("processes =") {
            let count = processes.split_whitespace().next().unwrap_or_default();
            if let Err(what) = log.setting.put("ranks", count) {
                log.found.mistakes.push(Mistake::new(log.place(number), what));
            }
        } else if line.starts_with("#bytes") || line.starts_with("#repetitions") {
            // A barrier has no bytes.
            let names: Vec<&str> = line.split_whitespace().collect();
            let place = |wanted: &str| names.iter().position(|name| name.starts_with(wanted));
            let time = place("t_max").or_else(|| place("t_avg")).or_else(|| place("t["));
            columns = time.map(|time| (place("#bytes"), time));
        } else if let Some(columns) = columns.filter(|_| !line.starts_with('#')) {
            log.row(number, line, benchmark, columns, "numbers as the head above it has them");
        } else if begins_with_a_digit(line) {
            log.found.left_out.add(format!("weir has no benchmark of {benchmark}"), number);
        }
    }
    log.found
}
