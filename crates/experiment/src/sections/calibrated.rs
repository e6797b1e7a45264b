//! `[calibrated]`: between which values a calibration has left keys of the machine.

use crate::Units;
use crate::keys::form::{Form, written};
use crate::keys::{self, KeyPath};
use crate::source::tree::{Entry, Value};
use serde_json::{Value as Json, json};
use weir_units::parse;

/// A key whose value is known to lie between two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The key, as for `--set`; the number of an element behind that of a list (`node.send_overhead.1`).
    pub key: String,
    /// The lowest value, as it is written.
    pub low: String,
    /// The highest.
    pub high: String,
}

impl Interval {
    /// Returns whether a value, as it is written, lies in it.
    pub fn has(&self, value: &str) -> bool {
        let ends = [&self.low, value, &self.high].map(magnitude);
        let [Some(low), Some(value), Some(high)] = ends else { return false };
        low.0 == value.0 && high.0 == value.0 && (low.1..=high.1).contains(&value.1)
    }
}

fn magnitude(text: &str) -> Option<(u8, f64)> {
    let time = || parse::duration(text).ok().map(|time| (0, time.as_ps() as f64));
    let rate = || parse::bandwidth(text).ok().map(|rate| (1, rate.bytes_per_second()));
    let bytes = || parse::bytes(text).ok().map(|bytes| (2, bytes.as_f64()));
    let number = || text.parse().ok().map(|number| (3, number));
    time().or_else(rate).or_else(bytes).or_else(number)
}

/// A table of keys, each with its lowest and its highest value.
pub(crate) struct Intervals;

impl Form<Vec<Interval>> for Intervals {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<Vec<Interval>> {
        let hint =
            || "write [calibrated] and in it \"node.link_latency\" = [\"120 ns\", \"150 ns\"]".to_owned();
        let Value::Table(table) = &entry.value else {
            return at.wrong_with_hint(entry, "must be a table", hint());
        };
        let known = keys::pages::keys();
        let mut intervals = Vec::new();
        for (key, entry) in &table.entries {
            let plain: Vec<&str> = key.split('.').filter(|part| part.parse::<usize>().is_err()).collect();
            if !known.contains(&plain.join(".")) {
                let hint = "leave it out, or correct its name: weir keys lists all keys";
                return at.wrong_with_hint(entry, format!("{key}: unknown key"), hint.into());
            }
            let ends = match &entry.value {
                Value::List(ends) => ends.iter().map(|end| written(end).to_owned()).collect::<Vec<_>>(),
                _ => Vec::new(),
            };
            let [low, high] = &ends[..] else {
                return at.wrong_with_hint(entry, format!("{key}: must be a list of two values"), hint());
            };
            let interval = Interval { key: key.clone(), low: low.clone(), high: high.clone() };
            if !interval.has(low) || !interval.has(high) {
                let what = format!("{key}: must be two quantities of one kind, the lower one first");
                return at.wrong_with_hint(entry, what, hint());
            }
            intervals.push(interval);
        }
        Some(intervals)
    }

    fn write(&self, _: Units, intervals: &Vec<Interval>) -> Json {
        let of = |interval: &Interval| (interval.key.clone(), json!([interval.low, interval.high]));
        Json::Object(intervals.iter().map(of).collect())
    }

    fn schema(&self) -> Json {
        let end = json!({ "type": ["string", "number"] });
        let ends = json!({ "type": "array", "items": end, "minItems": 2, "maxItems": 2 });
        json!({ "type": "object", "additionalProperties": ends })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_in_intervals_of_their_kind() {
        let interval =
            |low: &str, high: &str| Interval { key: String::new(), low: low.into(), high: high.into() };
        let times = interval("900 ns", "1.5 us");
        assert!(times.has("1 us") && times.has("900 ns") && times.has("0.0015 ms"));
        assert!(!times.has("1.6 us") && !times.has("1 GB/s") && !times.has("1000"));
        assert!(interval("1 GB/s", "2000 MB/s").has("1.5 GB/s"));
        assert!(interval("2", "2").has("2.0") && !interval("3", "2").has("2.5"));
    }
}
