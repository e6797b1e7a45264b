//! Simulated time in integer picoseconds.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

/// An instant of simulated time: picoseconds since the start of the run, up to 213 days (2^64 ps).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Time(u64);

/// A length of simulated time in picoseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Duration(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// The end of what can be represented: "never".
    pub const MAX: Self = Self(u64::MAX);

    /// The instant so many picoseconds after the start.
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// Picoseconds since the start.
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Seconds since the start, as a float.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 * 1e-12
    }

    /// The time since `earlier`; zero if it lies ahead.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest duration.
    pub const MAX: Self = Self(u64::MAX);

    /// Converts from picoseconds.
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// Converts from nanoseconds.
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns * 1000)
    }

    /// Converts from seconds, to the nearest picosecond; `None` if negative, not a number or longer than 213 days.
    pub fn from_secs_f64(secs: f64) -> Option<Self> {
        let ps = (secs * 1e12).round();
        (ps >= 0.0 && ps < u64::MAX as f64).then_some(Self(ps as u64))
    }

    /// The length in picoseconds.
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// The length in seconds, as a float.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 * 1e-12
    }
}

impl Add<Duration> for Time {
    type Output = Self;
    /// Saturates at [`Time::MAX`], which engines report as a limit.
    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration.0))
    }
}

impl AddAssign<Duration> for Time {
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Add for Duration {
    type Output = Self;
    /// Saturates at [`Duration::MAX`].
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Duration {
    type Output = Self;
    /// Saturates at zero.
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Duration {
    type Output = Self;
    /// Saturates at [`Duration::MAX`].
    fn mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

pub(crate) const TIMES: [(f64, &str); 5] = [(1e12, "s"), (1e9, "ms"), (1e6, "us"), (1e3, "ns"), (1.0, "ps")];

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_scaled(f, self.0 as f64, &TIMES)
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_scaled(f, self.0 as f64, &TIMES)
    }
}

/// Writes `value` with the first unit that leaves at least one whole unit, four significant digits.
pub(crate) fn write_scaled(f: &mut fmt::Formatter<'_>, value: f64, units: &[(f64, &str)]) -> fmt::Result {
    let &(factor, unit) = units
        .iter()
        .find(|(factor, _)| value >= *factor * 0.99995)
        .or(units.last())
        .expect("a quantity has at least one unit");
    let scaled = value / factor;
    let decimals = [999.95, 99.995, 9.9995].iter().position(|&size| scaled >= size).unwrap_or(3);
    let text = format!("{scaled:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    write!(f, "{text} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_saturates() {
        let [three, two] = [3, 2].map(Duration::from_ps);
        assert_eq!([three + two, three - two, two - three, three * 4].map(Duration::as_ps), [5, 1, 0, 12]);
        assert_eq!([Duration::MAX + two, Duration::MAX * 2], [Duration::MAX; 2]);
        let (mut at, mut long) = (Time::from_ps(7), three);
        at += two;
        long += two;
        assert_eq!((at, long), (Time::from_ps(9), Duration::from_ps(5)));
        assert_eq!([at.since(Time::from_ps(2)).as_ps(), Time::ZERO.since(at).as_ps()], [7, 0]);
        assert_eq!(Time::MAX + Duration::from_ns(1), Time::MAX);
    }

    #[test]
    fn seconds_are_rounded_to_picoseconds() {
        for (seconds, ps) in [(1.5, 1_500_000_000_000), (2.6e-12, 3), (0.0, 0), (-1e-13, 0)] {
            assert_eq!(Duration::from_secs_f64(seconds), Some(Duration(ps)), "{seconds}");
        }
        for absurd in [-1e-12, f64::NAN, f64::INFINITY, 18_446_744.073_709_55] {
            assert_eq!(Duration::from_secs_f64(absurd), None, "{absurd}");
        }
        assert_eq!((Duration(1 << 40).as_secs_f64(), Time(3).as_secs_f64()), (1.099511627776, 3e-12));
    }

    #[test]
    fn prints_with_a_fitting_unit() {
        for (ps, text) in [
            (0, "0 ps"),
            (999, "999 ps"),
            (1000, "1 ns"),
            (1_234, "1.234 ns"),
            (9_999_500, "10 us"),
            (99_995, "100 ns"),
            (999_949, "999.9 ns"),
            (999_950, "1 us"),
            (22_220_000_000, "22.22 ms"),
            (4_000_000_000_000, "4 s"),
        ] {
            assert_eq!((Duration(ps).to_string(), Time(ps).to_string()), (text.to_owned(), text.to_owned()));
        }
    }
}
