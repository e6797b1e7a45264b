//! Quantities: with a unit, or a bare number in an input that has no units.

use super::{Form, Write};
use crate::Units;
use crate::keys::At;
use crate::source::exact;
use crate::source::tree::{Entry, Value};
use serde_json::{Value as Json, json};
use weir_units::parse::{self, QuantityError};
use weir_units::{Bandwidth, Bytes, Duration, Frequency};

/// A quantity of the simulated machine: with a unit, or a bare number in an input that has no units.
pub(crate) struct Quantity<T> {
    pub(crate) with_unit: fn(&str) -> Result<T, QuantityError>,
    pub(crate) bare: fn(f64) -> Result<T, QuantityError>,
    pub(crate) write: fn(Units, T) -> Json,
    pub(crate) units: &'static str,
    pub(crate) example: &'static str,
}

/// A time.
pub(crate) const TIME: Quantity<Duration> = Quantity {
    with_unit: parse::duration,
    bare: |seconds| {
        let error = if seconds < 0.0 { QuantityError::Negative } else { QuantityError::TooLarge };
        Duration::from_secs_f64(seconds).ok_or(error)
    },
    write: Units::duration,
    units: parse::TIME_UNITS,
    example: "100 ns",
};

/// An amount of data.
pub(crate) const DATA: Quantity<Bytes> = Quantity {
    with_unit: parse::bytes,
    bare: parse::bytes_unitless,
    write: Units::bytes,
    units: parse::BYTE_UNITS,
    example: "20 kB",
};

/// A bandwidth.
pub(crate) const RATE: Quantity<Bandwidth> = Quantity {
    with_unit: parse::bandwidth,
    bare: parse::bandwidth_unitless,
    write: Units::bandwidth,
    units: parse::BANDWIDTH_UNITS,
    example: "1 GB/s",
};

/// The clock of a processor.
pub(crate) const CLOCK: Quantity<Frequency> = Quantity {
    with_unit: parse::frequency,
    bare: |_| Err(QuantityError::NoUnit(parse::FREQUENCY_UNITS)),
    write: |_, clock: Frequency| json!(format!("{} Hz", exact::number(clock.hertz()))),
    units: parse::FREQUENCY_UNITS,
    example: "3 GHz",
};

impl<T> Form for Quantity<T> {
    type Value = T;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<T> {
        let result = match entry.value {
            Value::Text(ref text) => (self.with_unit)(text).inspect(|_| at.has_unit()),
            Value::Integer(integer) => at.bare(entry, integer as f64, self),
            Value::Float(number) => at.bare(entry, number, self),
            _ => return at.wrong(entry, format!("must be a quantity such as {:?}", self.example)),
        };
        result.or_else(|error| at.wrong(entry, error.to_string()).ok_or(())).ok()
    }

    fn schema(&self) -> Json {
        json!({ "type": ["string", "number"], "examples": [self.example] })
    }
}

impl<T> Write for Quantity<T> {
    fn write(&self, units: Units, quantity: T) -> Json {
        (self.write)(units, quantity)
    }
}

/// A quantity of the computer that weir runs on: always with a unit, whatever the form of the others.
pub(crate) struct OfThisComputer<T: 'static>(pub(crate) &'static Quantity<T>);

impl<T> Form for OfThisComputer<T> {
    type Value = T;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<T> {
        let result = match &entry.value {
            Value::Text(text) => (self.0.with_unit)(text),
            _ => Err(QuantityError::NoUnit(self.0.units)),
        };
        result.or_else(|error| at.wrong(entry, error.to_string()).ok_or(())).ok()
    }

    fn schema(&self) -> Json {
        json!({ "type": "string", "examples": [self.0.example] })
    }
}

impl<T> Write for OfThisComputer<T> {
    fn write(&self, _: Units, quantity: T) -> Json {
        (self.0.write)(Units::Written, quantity)
    }
}
