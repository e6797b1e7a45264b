//! Suspects: rows that are off alike point to something that the model lacks, at some sizes or for one operation.

use crate::{Calibration, FittedRow, Operation, Row};
use std::collections::BTreeMap;
use weir_picture::bytes;

/// Rows are off if they all are by more than this, to the same side.
const OFF: f64 = 0.1;
/// And by so many times what half of all rows are within.
const MORE: f64 = 1.5;
/// A row is disturbed if it takes so many times as long as a longer vector.
const DISTURBED: f64 = 1.5;
/// Up to here messages are short: what they take is not bytes.
const SHORT: u64 = 1 << 10;
/// From here on they are long.
const LONG: u64 = 1 << 20;

/// A message to and fro: it is long or short by what messages take, not by an algorithm.
const PING_PONG: &str = Operation::PingPong.name();
/// Keys by which messages of some sizes are handled otherwise.
const LIMITS: &str = "node.eager_limit, or node.rendezvous_overhead?";
/// Keys of a step among short messages, as interfaces have where data no longer fit into the descriptor of a message.
const STEP: &str = "node.overhead_limits with a second value of node.send_overhead, or node.eager_limit?";

impl Calibration {
    /// Suspects that rows which are off alike point to, in sentences: mistakes that the fitted keys cannot make up for.
    pub fn suspects(&self) -> Vec<String> {
        let mut found = Vec::new();
        let limit = OFF.ln_1p().max(MORE * self.fitted().median.ln_1p());
        let mut groups: BTreeMap<(&str, Option<&str>), Vec<&FittedRow>> = BTreeMap::new();
        for row in &self.rows {
            groups.entry((row.row.operation.name(), row.row.algorithm.as_deref())).or_default().push(row);
        }
        let mut bands: Vec<(Band, Vec<String>)> = Vec::new();
        for ((operation, algorithm), rows) in &groups {
            let name =
                algorithm.map_or((*operation).to_owned(), |algorithm| format!("{operation} {algorithm}"));
            let off = |row: &&&FittedRow| row.error().abs() > limit;
            let side = rows[0].error().signum();
            if rows.len() > 2 && rows.iter().all(|row| off(&row) && row.error().signum() == side) {
                let what = if side > 0.0 { "long" } else { "short" };
                let hint = match algorithm {
                    None if *operation == PING_PONG => LIMITS.to_owned(),
                    None => format!("collectives.{operation}, the algorithm that the library took?"),
                    Some(_) => "has the algorithm another name in weir?".to_owned(),
                };
                found.push(format!("all rows of {name} are predicted too {what}: {hint}"));
                continue;
            }
            for band in Band::all(rows, limit) {
                match bands.iter_mut().find(|(known, _)| known.is_like(&band)) {
                    Some((_, names)) => names.push(name.clone()),
                    None => bands.push((band, vec![name.clone()])),
                }
            }
        }
        found.extend(groups.iter().filter_map(|((operation, _), rows)| disturbed(operation, rows)));
        found.extend(bands.iter().map(|(band, names)| band.in_words(names, groups.len(), self)));
        found
    }
}

/// The row that takes longest beside one with a longer vector, of the same algorithm on as many ranks.
fn disturbed(operation: &str, rows: &[&FittedRow]) -> Option<String> {
    let pairs = rows.iter().flat_map(|one| rows.iter().map(|other| (&one.row, &other.row)));
    let is_like = |(one, other): &(&Row, &Row)| {
        (&one.file, &one.set) == (&other.file, &other.set) && one.bytes < other.bytes
    };
    let factor = |(one, other): &(&Row, &Row)| one.seconds / other.seconds;
    let (one, other) = pairs
        .filter(is_like)
        .max_by(|this, that| factor(this).total_cmp(&factor(that)))
        .filter(|pair| factor(pair) > DISTURBED)?;
    let said = |row: &Row| format!("take {:.1} us (line {})", row.seconds * 1e6, row.line);
    Some(format!(
        "{} of {operation} {}, and {} {}: something else was running, or the library took another algorithm; measure again",
        bytes(one.bytes),
        said(one),
        bytes(other.bytes),
        said(other),
    ))
}

/// Sizes that follow each other and are off to the same side.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Band {
    first: u64,
    last: u64,
    is_long: bool,
    /// There are smaller sizes that are not off, and larger ones.
    has_smaller: bool,
    has_larger: bool,
}

impl Band {
    fn all(rows: &[&FittedRow], limit: f64) -> Vec<Self> {
        let mut sizes: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        rows.iter().for_each(|row| sizes.entry(row.row.bytes).or_default().push(row.error()));
        let side = |errors: &[f64]| {
            let all = |wanted: fn(f64, f64) -> bool| errors.iter().all(|&error| wanted(error, limit));
            i8::from(all(|error, limit| error > limit)) - i8::from(all(|error, limit| error < -limit))
        };
        let sides: Vec<(u64, i8)> = sizes.iter().map(|(&bytes, errors)| (bytes, side(errors))).collect();
        let mut bands = Vec::new();
        let mut from = 0;
        for run in sides.chunk_by(|one, other| one.1 == other.1) {
            let (first, last) = (run[0].0, run[run.len() - 1].0);
            if run[0].1 != 0 && run.len() > 1 {
                let (has_smaller, has_larger) = (from > 0, from + run.len() < sides.len());
                bands.push(Self { first, last, is_long: run[0].1 > 0, has_smaller, has_larger });
            }
            from += run.len();
        }
        bands
    }

    /// Returns whether both are off alike at sizes that overlap.
    fn is_like(&self, other: &Self) -> bool {
        self.is_long == other.is_long
            && self.first <= other.last
            && other.first <= self.last
            && (self.has_smaller, self.has_larger) == (other.has_smaller, other.has_larger)
    }

    fn in_words(&self, names: &[String], groups: usize, calibration: &Calibration) -> String {
        let Self { first, last, is_long, has_smaller, has_larger } = *self;
        let is_fitted =
            |key: &str| calibration.estimates.iter().any(|estimate| estimate.parameter.key == key);
        let unfitted = |keys: &[&str]| {
            let keys: Vec<String> =
                keys.iter().filter(|key| !is_fitted(key)).map(|key| (*key).to_owned()).collect();
            if keys.is_empty() { None } else { Some(keys.join(", ")) }
        };
        let algorithms = || format!("does the library take another algorithm of {} there?", names.join(", "));
        let messages_alone = *names == [PING_PONG];
        let alone = groups > 1 && names.len() == 1 && !messages_alone;
        let hint = match (has_smaller, has_larger) {
            (false, _) if last <= SHORT => {
                unfitted(&["node.send_overhead", "node.receive_overhead", "topology.latency"])
                    .map(|keys| format!("{keys}?"))
            }
            (_, false) if first >= LONG || messages_alone => {
                unfitted(&["topology.bandwidth", "node.memory_bandwidth", "node.combine_bandwidth"])
                    .map(|keys| format!("{keys}?"))
            }
            _ if alone => Some(algorithms()),
            (true, _) if first <= SHORT => Some(STEP.to_owned()),
            _ => Some(LIMITS.to_owned()),
        };
        let of = if names.len() == groups { String::new() } else { format!(" of {}", names.join(", ")) };
        let what = if is_long { "long" } else { "short" };
        let hint = hint.unwrap_or_else(|| if messages_alone { LIMITS.to_owned() } else { algorithms() });
        format!("rows from {} to {}{of} are all predicted too {what}: {hint}", bytes(first), bytes(last))
    }
}
