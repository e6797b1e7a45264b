//! A key of the machine file whose value is fitted.

use crate::request::Mistake;
use toml_edit::{DocumentMut, Item, Value};
use weir_experiment::keys::pages;
use weir_units::parse::{self, QuantityError};

/// Kind of quantity of a parameter, which decides how its value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A time, in seconds.
    Time,
    /// A bandwidth, in bytes per second.
    Rate,
    /// A number without a unit.
    Number,
}

const DIGITS: i32 = 6;

const TIMES: [(f64, &str); 5] = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"), (1e-12, "ps")];
const RATES: [(f64, &str); 5] = [(1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")];

impl Quantity {
    /// A value with its unit as it stands in an experiment, six digits of it.
    pub fn written(self, value: f64) -> String {
        let units = match self {
            Self::Time => TIMES,
            Self::Rate => RATES,
            Self::Number => return digits(value),
        };
        let (factor, unit) = units.into_iter().find(|(factor, _)| value >= *factor).unwrap_or(units[4]);
        format!("{} {unit}", digits(value / factor))
    }

    /// The same with four digits, for people.
    pub fn shown(self, value: f64) -> String {
        self.written(rounded(value, 4))
    }

    /// From the value divided by the factor to the value times it, for people; `None` for a factor of a million or more,
    /// which says nothing.
    pub fn interval(self, value: f64, factor: f64) -> Option<String> {
        let ends = || format!("{} to {}", self.shown(value / factor), self.shown(value * factor));
        (factor < 1e6).then(ends)
    }

    /// The value that [`Self::written`] stands for.
    pub(crate) fn as_written(self, value: f64) -> f64 {
        self.read(&self.written(value)).unwrap_or(value)
    }

    /// Exactly this value, for a run. Times are in whole picoseconds.
    pub(crate) fn exact(self, value: f64) -> Value {
        match self {
            Self::Time => format!("{} ps", (value * 1e12).round()).into(),
            Self::Rate => format!("{value} B/s").into(),
            Self::Number => value.into(),
        }
    }

    pub(crate) fn in_file(self, value: f64) -> Value {
        match self {
            Self::Time | Self::Rate => self.written(value).into(),
            Self::Number => rounded(value, DIGITS).into(),
        }
    }

    fn read(self, text: &str) -> Option<f64> {
        match self {
            Self::Time => parse::duration(text).ok().map(|time| time.as_ps() as f64 * 1e-12),
            Self::Rate => parse::bandwidth(text).ok().map(|rate| rate.bytes_per_second()),
            Self::Number => text.parse().ok(),
        }
    }
}

fn rounded(value: f64, digits: i32) -> f64 {
    format!("{value:.*e}", (digits - 1).max(0) as usize).parse().unwrap_or(value)
}

fn digits(value: f64) -> String {
    format!("{}", rounded(value, DIGITS))
}

/// A key, or an element of the list that stands there, with the value the fit starts from.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name in the request: `node.send_overhead.1`.
    pub name: String,
    /// The key: `node.send_overhead`.
    pub key: String,
    /// Which element of a list, from 0.
    pub element: Option<usize>,
    /// Its kind.
    pub quantity: Quantity,
    /// The value the fit starts from, above 0: seconds, bytes per second or a number.
    pub start: f64,
}

/// A machine file with what `--set` puts into its tables, and the parameters in it.
pub(crate) struct Machine {
    pub(crate) document: DocumentMut,
    pub(crate) parameters: Vec<Parameter>,
}

impl Machine {
    /// The values from which the fit starts.
    pub(crate) fn start(&self) -> Vec<f64> {
        self.parameters.iter().map(|parameter| parameter.start).collect()
    }
}

impl Parameter {
    /// Reads the start value of a parameter from the machine file, named `file`, with what `--set` puts there.
    pub(crate) fn read(name: &str, document: &Item, file: &str) -> Result<Self, Mistake> {
        let wrong = |what: &str| Mistake::new(name, what);
        let (key, element) = match name.rsplit_once('.') {
            Some((key, last)) => last.parse().map_or((name, None), |element| (key, Some(element))),
            None => (name, None),
        };
        let is_number = |part: &&str| part.parse::<usize>().is_ok();
        let without_numbers: Vec<&str> = key.split('.').filter(|part| !is_number(part)).collect();
        let known = without_numbers.join(".");
        if !pages::keys().contains(&known) {
            return Err(wrong("there is no such key").hint("weir keys lists all keys"));
        }
        // The rows of a list of tables are numbered, as for `--set`.
        let first = pages::to_set(&known);
        if first != known && without_numbers.len() == key.split('.').count() {
            let hint = format!("name a row, numbered from 0, as in {first}");
            return Err(wrong("is a key of a list of tables").hint(hint));
        }
        let found = item(document, key).and_then(Item::as_value);
        let Some(value) = found else {
            let what = format!("is not in {file}: the fit starts from the value there");
            let last = key.rsplit('.').next().unwrap_or(key);
            let example =
                if last.contains("bandwidth") || last.contains("limit") { "10 GB/s" } else { "100 ns" };
            return Err(Mistake::new(name, what)
                .hint(format!("write a first guess into it, or give --set {key}=\"{example}\"")));
        };
        let value = match (value, element) {
            (Value::Array(list), Some(element)) => list
                .get(element)
                .ok_or_else(|| wrong(&format!("the list has {} elements, counted from 0", list.len())))?,
            (Value::Array(list), None) => {
                let hint = format!("name its elements: {key}.0 to {key}.{}", list.len().saturating_sub(1));
                return Err(wrong("is a list").hint(hint));
            }
            (_, Some(_)) => return Err(wrong("is no list").hint(format!("write {key}"))),
            (value, None) => value,
        };
        let (quantity, start) = quantity(value, name)?;
        if start <= 0.0 {
            let what = "is 0, and the logarithm is fitted: it needs a start above 0";
            return Err(wrong(what).hint("write a small value, such as 1 ns"));
        }
        Ok(Self { name: name.to_owned(), key: key.to_owned(), element, quantity, start })
    }
}

/// The item of a key, the whole document for none; a part that is a number is the number of a row, from 0.
pub(crate) fn item<'a>(document: &'a Item, key: &str) -> Option<&'a Item> {
    key.split('.').filter(|part| !part.is_empty()).try_fold(document, |at, part| {
        match part.parse::<usize>() {
            Ok(row) => at.get(row),
            Err(_) => at.get(part),
        }
    })
}

/// The same, to change it; made empty where it is not there.
pub(crate) fn item_mut<'a>(document: &'a mut Item, key: &str) -> Option<&'a mut Item> {
    key.split('.').filter(|part| !part.is_empty()).try_fold(document, |at, part| {
        match part.parse::<usize>() {
            Ok(row) => at.get_mut(row),
            Err(_) => at.get_mut(part),
        }
    })
}

fn quantity(value: &Value, name: &str) -> Result<(Quantity, f64), Mistake> {
    let number = match value {
        Value::Integer(integer) => Some(*integer.value() as f64),
        Value::Float(float) => Some(*float.value()),
        _ => None,
    };
    if let Some(number) = number {
        return Ok((Quantity::Number, number));
    }
    let text = value.as_str().unwrap_or_default();
    if let Some(time) = Quantity::Time.read(text) {
        return Ok((Quantity::Time, time));
    }
    if let Some(rate) = Quantity::Rate.read(text) {
        return Ok((Quantity::Rate, rate));
    }
    let written = value.to_string();
    if parse::bytes(text).is_ok() {
        let what = format!("is a size, {}: times jump there and have no slope to follow", written.trim());
        return Err(Mistake::new(name, what).hint("try its values one by one: weir sweep"));
    }
    let why = match parse::duration(text) {
        Err(QuantityError::Negative) => "must not be negative",
        _ => "only times, bandwidths and numbers can be fitted",
    };
    Err(Mistake::new(name, format!("= {}: {why}", written.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml_edit::DocumentMut;

    #[test]
    fn values_are_written_with_six_digits() {
        let written = |quantity: Quantity, value| quantity.written(value);
        assert_eq!(written(Quantity::Time, 203.4561234e-9), "203.456 ns");
        assert_eq!(written(Quantity::Time, 1.5e-6), "1.5 us");
        assert_eq!(written(Quantity::Rate, 6.339e9), "6.339 GB/s");
        assert_eq!(written(Quantity::Number, 0.123_456_789), "0.123457");
        assert_eq!(Quantity::Rate.shown(6.339_412e9), "6.339 GB/s");
        assert_eq!(Quantity::Time.as_written(203.456_499e-9), 203.456e-9);
    }

    fn read(name: &str) -> Result<(Quantity, f64), String> {
        let text = "[node]\nsend_overhead = ['1 us', '2 us']\nnic_bandwidth = '4 GB/s'\neager_limit = '16 KiB'\n\
                    receive_overhead = '0 ns'\ncpi = 2\n\
                    [[combining]]\ntype = 'double'\nbandwidth = '12 GB/s'\n[[combining]]\nbandwidth = '7 GB/s'\n";
        let document: DocumentMut = text.parse().unwrap();
        let parameter = Parameter::read(name, document.as_item(), "m.toml");
        parameter
            .map(|parameter| (parameter.quantity, parameter.start))
            .map_err(|mistake| mistake.to_string())
    }

    #[test]
    fn starts_are_read() {
        assert_eq!(read("node.send_overhead.1"), Ok((Quantity::Time, 2e-6)));
        assert_eq!(read("node.nic_bandwidth"), Ok((Quantity::Rate, 4e9)));
        assert_eq!(read("node.cpi"), Ok((Quantity::Number, 2.0)));
        assert_eq!(read("combining.1.bandwidth"), Ok((Quantity::Rate, 7e9)));
    }

    #[test]
    fn what_cannot_be_fitted_is_refused() {
        for (name, what) in [
            ("node.sendoverhead", "there is no such key"),
            ("node.send_overhead", "name its elements: node.send_overhead.0 to node.send_overhead.1"),
            ("node.send_overhead.2", "the list has 2 elements"),
            ("node.nic_bandwidth.0", "is no list"),
            ("node.eager_limit", "is a size"),
            ("node.receive_overhead", "needs a start above 0"),
            ("node.copy_bandwidth", "--set node.copy_bandwidth=\"10 GB/s\""),
            ("node.copy_overhead", "is not in m.toml"),
            ("combining.bandwidth", "name a row, numbered from 0, as in combining.0.bandwidth"),
            ("combining.2.bandwidth", "is not in m.toml"),
            ("combining.0.type", "only times, bandwidths and numbers can be fitted"),
            ("combining.0.rate", "there is no such key"),
        ] {
            let error = read(name).unwrap_err();
            assert!(error.contains(what), "{name}: {error}");
        }
    }
}
