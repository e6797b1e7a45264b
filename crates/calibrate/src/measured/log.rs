//! Parts that logs of benchmarks have in common: lines of numbers below a head, and lines of ours that say where.

use super::setting::{self, Setting};
use super::{Found, Operation, Record};
use crate::mistake::Mistake;

/// Begins a line that says what holds below it: `# weir: nodes = 4, ranks_per_node = 2, algorithm = ring`.
const OURS: &str = "# weir:";

/// Takes in a line of ours; `false` if it is another.
fn take_in(line: &str, setting: &mut Setting) -> Result<bool, Mistake> {
    let Some(pairs) = line.trim().strip_prefix(OURS) else { return Ok(false) };
    for pair in pairs.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let wrong = |what: String| {
            let hint = "write # weir: nodes = 4, ranks_per_node = 2, algorithm = ring";
            Mistake::new("", what).hint(hint)
        };
        let (name, value) = pair.split_once('=').ok_or_else(|| wrong(format!("{pair}: has no =")))?;
        match name.trim() {
            "algorithm" => value.trim().clone_into(&mut setting.algorithm),
            "operation" => value.trim().clone_into(&mut setting.operation),
            name if setting::NAMES.contains(&name) || setting::is_key(name) => {
                setting.put(name, value).map_err(wrong)?;
            }
            name => {
                return Err(wrong(format!("{name}: neither a key nor one of {}", setting::NAMES.join(", "))));
            }
        }
    }
    Ok(true)
}

/// A measured time of a log.
pub(super) struct Time<'a> {
    pub(super) line: usize,
    /// Its name in the benchmark.
    pub(super) operation: &'a str,
    /// Its size as the benchmark prints it.
    pub(super) bytes: u64,
    /// The size has all bytes of a rank, also where each rank has a part.
    pub(super) is_whole: bool,
    pub(super) microseconds: f64,
}

impl Found {
    /// Takes in a measured time. Benchmarks print the bytes of a rank's part where there are parts, and the table has
    /// the whole vector.
    pub(super) fn add(&mut self, file: &str, time: &Time<'_>, setting: &Setting) {
        let place = format!("{file}:{}", time.line);
        let Some(operation) = Operation::named(time.operation) else {
            self.left_out.add(format!("weir has no benchmark of {}", time.operation), time.line);
            return;
        };
        if !(time.microseconds > 0.0 && time.microseconds.is_finite()) {
            let what = format!("{} us: a measured time is above 0", time.microseconds);
            self.mistakes.push(Mistake::new(place, what));
            return;
        }
        if operation != Operation::PingPong && setting.ranks().is_none() {
            self.unsaid(place, time.operation);
            return;
        }
        let parts = if operation.has_parts() && !time.is_whole { setting.ranks().unwrap_or(1) } else { 1 };
        self.records.push(Record {
            line: time.line,
            collective: time.operation.to_owned(),
            algorithm: setting.algorithm.clone(),
            bytes: time.bytes.saturating_mul(parts),
            seconds: time.microseconds * 1e-6,
            setting: setting.clone(),
        });
    }

    /// Notes that the number of ranks is not said, once for each operation.
    fn unsaid(&mut self, place: String, operation: &str) {
        let what = format!("how many ranks took part in {operation} is not said");
        if !self.mistakes.iter().any(|mistake| mistake.what == what) {
            let hint = "give --ranks 8, or write a line above the log: # weir: nodes = 4, ranks_per_node = 2";
            self.mistakes.push(Mistake::new(place, what).hint(hint));
        }
    }

    /// A line that looks like one of numbers and is none.
    pub(super) fn unread(&mut self, line: usize, text: &str, what: &str) {
        if text.trim_start().starts_with(|letter: char| letter.is_ascii_digit()) {
            self.left_out.add(format!("{:?} is not {what}", text.trim()), line);
        }
    }

    /// Takes in a line that says where the rows below it were measured, and what is wrong with it; `false` if it is another line.
    pub(super) fn says_where(&mut self, file: &str, line: usize, text: &str, setting: &mut Setting) -> bool {
        take_in(text, setting).unwrap_or_else(|mistake| {
            self.wrong_line(file, line, mistake);
            true
        })
    }

    /// A line of ours is wrong.
    pub(super) fn wrong_line(&mut self, file: &str, line: usize, mistake: Mistake) {
        self.mistakes.push(Mistake { place: format!("{file}:{line}"), ..mistake });
    }
}
