//! Clocks of processors.

use std::fmt;

/// Cycles per second: positive and finite.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, serde::Serialize, serde::Deserialize)]
pub struct Frequency(f64);

impl Frequency {
    /// A frequency of so many hertz; `None` unless positive and finite.
    #[must_use]
    pub fn new(hertz: f64) -> Option<Self> {
        (hertz > 0.0 && hertz.is_finite()).then_some(Self(hertz))
    }

    /// Cycles per second.
    #[must_use]
    pub const fn hertz(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::scaled::write_scaled(f, self.0, &[(1e9, "GHz"), (1e6, "MHz"), (1e3, "kHz"), (1.0, "Hz")])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_positive_finite_frequencies_exist() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Frequency::new(bad).is_none());
        }
        assert_eq!(Frequency::new(2.5e9).unwrap().to_string(), "2.5 GHz");
    }
}
