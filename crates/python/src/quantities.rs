//! Quantities as numbers, and which keys have one.

use pyo3::prelude::*;
use weir_units::parse;

/// The JSON Schema of experiments. A form of quantities names its SI base unit as `x-unit`.
#[pyfunction]
pub(crate) fn schema() -> String {
    weir_experiment::keys::pages::schema().to_string()
}

/// A number of Python.
#[derive(IntoPyObject)]
pub(crate) enum Number {
    Whole(u64),
    Real(f64),
}

/// A quantity as number of its SI base unit, which is one of `x-unit`; `None` if the text is no such quantity.
#[pyfunction]
pub(crate) fn in_si(text: &str, unit: &str) -> Option<Number> {
    match unit {
        "s" => parse::duration(text).ok().map(|time| Number::Real(time.as_ps() as f64 / 1e12)),
        "B" => parse::bytes(text).ok().map(|bytes| Number::Whole(bytes.0)),
        "B/s" => parse::bandwidth(text).ok().map(|rate| Number::Real(rate.bytes_per_second())),
        "Hz" => parse::frequency(text).ok().map(|clock| Number::Real(clock.hertz())),
        _ => None,
    }
}
