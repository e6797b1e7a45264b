//! Rates of data.

use crate::{Bytes, Duration};
use std::fmt;

/// Bytes per second: positive and finite.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, serde::Serialize, serde::Deserialize)]
pub struct Bandwidth(f64);

impl Bandwidth {
    /// A bandwidth of so many bytes per second; `None` unless positive and finite.
    #[must_use]
    pub fn new(bytes_per_second: f64) -> Option<Self> {
        (bytes_per_second > 0.0 && bytes_per_second.is_finite()).then_some(Self(bytes_per_second))
    }

    /// Bytes per second.
    #[must_use]
    pub const fn bytes_per_second(self) -> f64 {
        self.0
    }

    /// The time `bytes` need to pass at this rate, rounded up to the next picosecond, so that nothing is ever
    /// faster than its bandwidth. Exact for whole numbers of bytes per second; saturates at [`Duration::MAX`].
    #[must_use]
    pub fn serialization_time(self, bytes: Bytes) -> Duration {
        const PS: u128 = 1_000_000_000_000;
        if self.0.fract() == 0.0 && self.0 < 1.8e19 {
            let ps = (u128::from(bytes.0) * PS).div_ceil(self.0 as u128);
            return Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX));
        }
        Duration::from_ps((bytes.as_f64() * 1e12 / self.0).ceil() as u64)
    }

    /// Multiplies the bandwidth; the result is never none, and never without end.
    ///
    /// # Panics
    /// When the factor is not above 0 and finite.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        assert!(factor > 0.0 && factor.is_finite(), "{factor} times is no bandwidth");
        Self((self.0 * factor).clamp(f64::MIN_POSITIVE, f64::MAX))
    }

    /// The smaller of two bandwidths.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }

    /// The larger of two bandwidths.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }
}

impl fmt::Display for Bandwidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::scaled::write_scaled(
            f,
            self.0,
            &[(1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialization_time_rounds_up() {
        let gb = Bandwidth::new(1e9).unwrap();
        assert_eq!(gb.serialization_time(Bytes(20_000)), Duration::from_ps(20_000_000));
        assert_eq!(
            Bandwidth::new(3.0).unwrap().serialization_time(Bytes(1)),
            Duration::from_ps(333_333_333_334)
        );
        assert_eq!(
            Bandwidth::new(0.5).unwrap().serialization_time(Bytes(1)),
            Duration::from_ps(2_000_000_000_000)
        );
        assert_eq!(Bandwidth::new(1.0).unwrap().serialization_time(Bytes(u64::MAX)), Duration::MAX);
    }

    #[test]
    fn only_positive_finite_rates_exist() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Bandwidth::new(bad).is_none());
        }
    }
}
