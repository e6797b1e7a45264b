//! Amounts and rates of data, and clocks.

use crate::Duration;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

/// Bytes per second: positive and finite.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, serde::Serialize, serde::Deserialize)]
pub struct Bandwidth(f64);

impl Bandwidth {
    /// A bandwidth of so many bytes per second; `None` unless positive and finite.
    pub fn new(bytes_per_second: f64) -> Option<Self> {
        (bytes_per_second > 0.0 && bytes_per_second.is_finite()).then_some(Self(bytes_per_second))
    }

    /// Bytes per second.
    pub const fn bytes_per_second(self) -> f64 {
        self.0
    }

    /// The time `bytes` need to pass at this rate, rounded up to the next picosecond, so that nothing is ever
    /// faster than its bandwidth. Exact for whole numbers of bytes per second; saturates at [`Duration::MAX`].
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
        crate::time::write_scaled(
            f,
            self.0,
            &[(1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")],
        )
    }
}

/// A number of bytes, `0 ..= 2^64 - 1`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Bytes(pub u64);

impl Bytes {
    /// No data at all.
    pub const ZERO: Self = Self(0);

    /// The number as a float, for rates; exact below 2^53.
    pub const fn as_f64(self) -> f64 {
        self.0 as f64
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Bytes {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        Self(iter.map(|b| b.0).sum())
    }
}

impl fmt::Display for Bytes {
    /// Decimal prefixes, four significant digits: `20 kB`, `1.5 GB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::time::write_scaled(
            f,
            self.as_f64(),
            &[(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")],
        )
    }
}

pub(crate) const FREQUENCIES: [(f64, &str); 4] = [(1e9, "GHz"), (1e6, "MHz"), (1e3, "kHz"), (1.0, "Hz")];

/// Cycles per second: positive and finite.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, serde::Serialize, serde::Deserialize)]
pub struct Frequency(f64);

impl Frequency {
    /// A frequency of so many hertz; `None` unless positive and finite.
    pub fn new(hertz: f64) -> Option<Self> {
        (hertz > 0.0 && hertz.is_finite()).then_some(Self(hertz))
    }

    /// Cycles per second.
    pub const fn hertz(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::time::write_scaled(f, self.0, &FREQUENCIES)
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
    fn only_positive_finite_rates_and_frequencies_exist() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Bandwidth::new(bad).is_none() && Frequency::new(bad).is_none());
        }
        let rates = [2e9, 3e3].map(|rate| Bandwidth::new(rate).unwrap());
        assert_eq!([rates[0].min(rates[1]), rates[0].max(rates[1])], [rates[1], rates[0]]);
        assert_eq!(rates[0].times(1.5).to_string(), "3 GB/s");
        assert_eq!(rates[0].times(f64::MAX).bytes_per_second(), f64::MAX);
        assert_eq!(Frequency::new(2.5e9).unwrap().to_string(), "2.5 GHz");
    }

    #[test]
    fn bytes_add_up() {
        let mut sum = Bytes(5) + Bytes(2) - Bytes(3);
        sum += Bytes(20_000);
        assert_eq!([sum, [sum, Bytes(6)].into_iter().sum()], [Bytes(20_004), Bytes(20_010)]);
        assert_eq!((sum.as_f64(), sum.to_string()), (20_004.0, "20 kB".to_owned()));
    }
}
