//! Quantities as numbers, which keys have one, and the tables of machines that ship.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use weir_experiment::{Shipped, ShippedKind};
use weir_units::parse;

/// The JSON Schema of experiments. A form of quantities names its SI base unit as `x-unit`.
#[pyfunction]
pub(crate) fn schema() -> String {
    weir_experiment::keys::pages::schema().to_string()
}

/// The tables of a machine that ships, as JSON.
#[pyfunction]
pub(crate) fn machine(name: &str) -> PyResult<String> {
    let found = Shipped::named(name).filter(|shipped| shipped.kind() == ShippedKind::Machine);
    let refused = || {
        let hint = Shipped::hint(name, &[ShippedKind::Machine]);
        PyValueError::new_err(format!("no machine {name:?} ships with weir\n\nhint: {hint}"))
    };
    let tables: serde_json::Value = toml::from_str(found.ok_or_else(refused)?.text).expect("it is TOML");
    Ok(tables.to_string())
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
