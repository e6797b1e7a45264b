//! Times in seconds, as JSON has them.

use serde::Serializer;
use weir_units::{Duration, Time};

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
