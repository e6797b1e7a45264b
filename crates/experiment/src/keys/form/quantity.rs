//! Quantities: with a unit, or a bare number in an input that has no units.

use super::Form;
use crate::Units;
use crate::keys::KeyPath;
use crate::source::quantity_text;
use crate::source::tree::{Entry, Value};
use serde_json::{Value as Json, json};
use weir_units::parse::{self, QuantityError};
use weir_units::{Bandwidth, Bytes, Duration, Frequency};

/// A quantity of the simulated machine: with a unit, or a bare number in an input that has no units.
pub(crate) struct Quantity<T> {
    pub(crate) with_unit: fn(&str) -> Result<T, QuantityError>,
    pub(crate) bare: fn(f64) -> Result<T, QuantityError>,
    /// Reads a number of `si_unit`.
    pub(crate) in_si: fn(f64) -> Result<T, QuantityError>,
    pub(crate) si_unit: &'static str,
    pub(crate) write: fn(Units, T) -> Json,
    pub(crate) units: &'static str,
    pub(crate) example: &'static str,
    pub(crate) meant: fn(f64) -> String,
    /// The same of the computer that weir runs on.
    pub(crate) meant_here: fn(f64) -> String,
}

pub(crate) const TIME: Quantity<Duration> = Quantity {
    with_unit: parse::duration,
    bare: seconds,
    in_si: seconds,
    si_unit: "s",
    write: Units::duration,
    units: parse::TIME_UNITS,
    example: "100 ns",
    // Seconds where it is less than one, else nanoseconds: latencies of minutes are not simulated.
    meant: |number| {
        let seconds = if number < 1.0 { number } else { number * 1e-9 };
        Duration::from_secs_f64(seconds)
            .filter(|time| *time > Duration::ZERO)
            .map_or("100 ns".to_owned(), |time| time.to_string())
    },
    meant_here: |seconds| {
        Duration::from_secs_f64(seconds).map_or("10 min".to_owned(), |time| time.to_string())
    },
};

pub(crate) const DATA: Quantity<Bytes> = Quantity {
    with_unit: parse::bytes,
    bare: parse::bytes_unitless,
    in_si: |number| parse::bytes_unitless(without_rounding(number)),
    si_unit: "B",
    write: Units::bytes,
    units: parse::BYTE_UNITS,
    example: "20 kB",
    meant: |number| parse::bytes_unitless(number).map_or("20 kB".to_owned(), in_powers),
    meant_here: |number| {
        let bytes = if number < 1e4 { number * 1e9 } else { number };
        parse::bytes_unitless(bytes).map_or("8 GB".to_owned(), in_powers)
    },
};

pub(crate) const RATE: Quantity<Bandwidth> = Quantity {
    with_unit: parse::bandwidth,
    bare: parse::bandwidth_unitless,
    in_si: parse::bandwidth_unitless,
    si_unit: "B/s",
    write: Units::bandwidth,
    units: parse::BANDWIDTH_UNITS,
    example: "1 GB/s",
    // Bytes per second where it is a million or more, else gigabytes per second.
    meant: |number| {
        let rate = if number.abs() < 1e6 { number * 1e9 } else { number };
        Bandwidth::new(rate).map_or("1 GB/s".to_owned(), |rate| rate.to_string())
    },
    meant_here: |number| (RATE.meant)(number),
};

pub(crate) const CLOCK: Quantity<Frequency> = Quantity {
    with_unit: parse::frequency,
    bare: |_| Err(QuantityError::NoUnit(parse::FREQUENCY_UNITS)),
    in_si: |hertz| match hertz {
        hertz if hertz < 0.0 => Err(QuantityError::Negative),
        0.0 => Err(QuantityError::Zero),
        hertz => Frequency::new(hertz).ok_or(QuantityError::TooLarge),
    },
    si_unit: "Hz",
    write: |_, clock: Frequency| json!(format!("{} Hz", quantity_text::number(clock.hertz()))),
    units: parse::FREQUENCY_UNITS,
    example: "3 GHz",
    meant: |number| {
        let clock = if number.abs() < 1e3 { number * 1e9 } else { number };
        Frequency::new(clock).map_or("3 GHz".to_owned(), |clock| clock.to_string())
    },
    meant_here: |number| (CLOCK.meant)(number),
};

/// Operations of a processor in a second, as SimGrid writes the speed of hosts: `"1 Gf"`.
pub(crate) struct OperationRate;

impl Form<f64> for OperationRate {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<f64> {
        let speed = if let Value::Text(text) = &entry.value { weir_foreign::speed(text) } else { None };
        speed.or_else(|| at.wrong(entry, "must be a number of operations in a second, such as \"1 Gf\""))
    }

    fn write(&self, _: Units, speed: &f64) -> Json {
        json!(format!("{} f", quantity_text::number(*speed)))
    }

    fn schema(&self) -> Json {
        json!({ "type": "string", "examples": ["1 Gf"] })
    }
}

fn seconds(number: f64) -> Result<Duration, QuantityError> {
    let error = if number < 0.0 { QuantityError::Negative } else { QuantityError::TooLarge };
    Duration::from_secs_f64(number).ok_or(error)
}

/// The whole number that a computed one is, which differs from it by less than a part in 10^9; else the number.
fn without_rounding(number: f64) -> f64 {
    let whole = number.round();
    if (number - whole).abs() <= 1e-9 * whole { whole } else { number }
}

/// An amount of data with the unit in which it is a whole number: `64 KiB`, `100 kB`, `1500 B`.
fn in_powers(bytes: Bytes) -> String {
    const UNITS: [(u64, &str); 6] = [
        (1 << 30, "GiB"),
        (1_000_000_000, "GB"),
        (1 << 20, "MiB"),
        (1_000_000, "MB"),
        (1 << 10, "KiB"),
        (1000, "kB"),
    ];
    match UNITS.iter().find(|(unit, _)| bytes.0 >= *unit && bytes.0.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{} {name}", bytes.0 / unit),
        None => format!("{} B", bytes.0),
    }
}

impl<T: Copy> Form<T> for Quantity<T> {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<T> {
        let result = match entry.value {
            Value::Text(ref text) => (self.with_unit)(text).inspect(|_| at.has_unit()),
            Value::Integer(integer) => at.bare(entry, integer as f64, self),
            Value::Float(number) => at.bare(entry, number, self),
            _ => return at.wrong(entry, format!("must be a quantity such as {:?}", self.example)),
        };
        result.or_else(|error| at.no_quantity(entry, &error, self.meant).ok_or(())).ok()
    }

    fn write(&self, units: Units, quantity: &T) -> Json {
        (self.write)(units, *quantity)
    }

    fn schema(&self) -> Json {
        json!({ "type": ["string", "number"], "examples": [self.example], "x-unit": self.si_unit })
    }
}

/// A quantity of the computer that weir runs on: always with a unit, whatever the form of the others.
pub(crate) struct OfThisComputer<T: 'static>(pub(crate) &'static Quantity<T>);

impl<T: Copy> Form<T> for OfThisComputer<T> {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<T> {
        let result = match &entry.value {
            Value::Text(text) => (self.0.with_unit)(text),
            Value::Integer(integer) if entry.place.origin.has_si_numbers => (self.0.in_si)(*integer as f64),
            Value::Float(number) if entry.place.origin.has_si_numbers => (self.0.in_si)(*number),
            _ => Err(QuantityError::NoUnit(self.0.units)),
        };
        result.or_else(|error| at.no_quantity(entry, &error, self.0.meant_here).ok_or(())).ok()
    }

    fn write(&self, _: Units, quantity: &T) -> Json {
        (self.0.write)(Units::Written, *quantity)
    }

    fn schema(&self) -> Json {
        json!({ "type": "string", "examples": [self.0.example], "x-unit": self.0.si_unit })
    }
}
