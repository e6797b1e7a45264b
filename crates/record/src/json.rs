//! Objects in JSON: fields in the order in which they are added, times in seconds.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use weir_units::{Duration, Time};

/// Version of the names and meanings in `summary.json`; grows when one of them changes.
pub const SCHEMA_VERSION: u32 = 2;

/// An object that is being made.
#[derive(Default)]
pub(crate) struct Fields(pub(crate) Map<String, Value>);

impl Fields {
    pub(crate) fn add(&mut self, name: &str, value: impl Serialize) {
        self.0.insert(name.to_owned(), json!(value));
    }

    /// Adds a field unless it has no value, or an empty list.
    pub(crate) fn add_any(&mut self, name: &str, value: impl Serialize) {
        let value = json!(value);
        if !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty()) {
            self.0.insert(name.to_owned(), value);
        }
    }

    /// Adds all fields of a value that is an object.
    pub(crate) fn add_all(&mut self, value: impl Serialize) {
        if let Value::Object(fields) = json!(value) {
            self.0.extend(fields);
        }
    }
}

/// A time, simulated or on the clock on the wall.
pub(crate) trait Seconds {
    /// Simulated times are rounded once, so that the shortest decimal number of these seconds is printed.
    fn seconds(&self) -> f64;
}

impl Seconds for Time {
    fn seconds(&self) -> f64 {
        self.as_ps() as f64 / 1e12
    }
}

impl Seconds for Duration {
    fn seconds(&self) -> f64 {
        self.as_ps() as f64 / 1e12
    }
}

impl Seconds for std::time::Duration {
    fn seconds(&self) -> f64 {
        self.as_secs_f64()
    }
}

/// Writes a time, for `serialize_with`.
pub(crate) fn seconds<S: Serializer>(time: &impl Seconds, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(time.seconds())
}

/// Writes a time that there may be, for `serialize_with`.
pub(crate) fn seconds_if_any<S: Serializer>(time: &Option<impl Seconds>, to: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => to.serialize_some(&time.seconds()),
        None => to.serialize_none(),
    }
}
