//! Quantities as people write them: a number, an optional space, a unit.
//!
//! Decimal prefixes are powers of 1000 (`1 GB = 1e9 B`), binary ones of 1024 (`1 GiB = 2^30 B`); `b` is a bit. A
//! bare number is read by the `*_unitless` functions only: the unitless form of paper 000, section 4.1, where a
//! bandwidth of 1 and a message size of 1 give a time of 1.

use crate::bandwidth::FREQUENCIES;
use crate::time::TIMES;
use crate::{Bandwidth, Bytes, Duration, Frequency};
use std::fmt;

/// Units of time a reader may use.
pub const TIME_UNITS: &str = "ps, ns, us, ms, s, min, h";
/// Units of data a reader may use.
pub const BYTE_UNITS: &str = "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB";
/// Units of bandwidth a reader may use.
pub const BANDWIDTH_UNITS: &str = "B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, kb/s, Mb/s, Gb/s, Tb/s (or kbps, Mbps, Gbps, Tbps; kbit/s, Mbit/s, Gbit/s, Tbit/s)";

/// Units of frequency a reader may use.
pub const FREQUENCY_UNITS: &str = "Hz, kHz, MHz, GHz";

/// Why a text is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuantityError {
    /// It does not start with a number.
    NoNumber,
    /// The number has no unit behind it; lists the units that would do.
    NoUnit(&'static str),
    /// The unit is not one of those listed.
    UnknownUnit(String, &'static str),
    /// The number is negative.
    Negative,
    /// The number is zero where only a positive one makes sense.
    Zero,
    /// A part of a byte or of a picosecond.
    Fraction(&'static str),
    /// Larger than can be represented.
    TooLarge,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNumber => write!(f, "not a number"),
            Self::NoUnit(units) => write!(f, "the unit is missing; write one of {units}"),
            Self::UnknownUnit(unit, units) => write!(f, "unknown unit {unit:?}; write one of {units}"),
            Self::Negative => write!(f, "must not be negative"),
            Self::Zero => write!(f, "must be greater than zero"),
            Self::Fraction(of) => write!(f, "must be a whole number of {of}"),
            Self::TooLarge => write!(f, "too large"),
        }
    }
}

impl std::error::Error for QuantityError {}

/// The number of a text times the factor of its unit, which is one of `units`.
fn read(text: &str, units: &'static str, factor: impl Fn(&str) -> Option<f64>) -> Result<f64, QuantityError> {
    let text = text.trim();
    let number_end = text
        .char_indices()
        .find(|&(i, c)| {
            let exponent = matches!(c, 'e' | 'E')
                && text[i + 1..].starts_with(|d: char| d.is_ascii_digit() || d == '-' || d == '+')
                && text[..i].ends_with(|d: char| d.is_ascii_digit() || d == '.');
            let sign = matches!(c, '+' | '-') && (i == 0 || text[..i].ends_with(['e', 'E']));
            !(c.is_ascii_digit() || c == '.' || c == '_' || exponent || sign)
        })
        .map_or(text.len(), |(i, _)| i);
    let number: f64 = text[..number_end].replace('_', "").parse().map_err(|_| QuantityError::NoNumber)?;
    // The micro sign and the Greek letter look the same.
    let unit = text[number_end..].trim().replace(['\u{b5}', '\u{3bc}'], "u");
    if unit.is_empty() {
        return Err(QuantityError::NoUnit(units));
    }
    if number < 0.0 {
        return Err(QuantityError::Negative);
    }
    factor(&unit).map(|factor| number * factor).ok_or(QuantityError::UnknownUnit(unit, units))
}

/// Units of time that are read, but not written.
const LONG_TIMES: [(f64, &str); 2] = [(60e12, "min"), (3600e12, "h")];

fn find(units: &[(f64, &str)], unit: &str) -> Option<f64> {
    units.iter().find(|(_, name)| *name == unit).map(|(factor, _)| *factor)
}

fn byte_factor(unit: &str) -> Option<f64> {
    Some(match unit {
        "B" => 1.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        "TiB" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    })
}

/// Reads a duration such as `"100 ns"`, to the nearest picosecond.
///
/// # Errors
/// When there is no number, no or an unknown unit, or the number is negative or too large.
pub fn duration(text: &str) -> Result<Duration, QuantityError> {
    let ps = read(text, TIME_UNITS, |unit| find(&TIMES, unit).or(find(&LONG_TIMES, unit)))?.round();
    if ps < u64::MAX as f64 { Ok(Duration::from_ps(ps as u64)) } else { Err(QuantityError::TooLarge) }
}

/// Reads an amount of data such as `"20 kB"` or `"16 KiB"`.
///
/// # Errors
/// When there is no number, no or an unknown unit, or the number is negative, too large or not a whole number of
/// bytes.
pub fn bytes(text: &str) -> Result<Bytes, QuantityError> {
    bytes_unitless(read(text, BYTE_UNITS, byte_factor)?)
}

/// Reads a bare number as bytes.
///
/// # Errors
/// When it is negative, too large or not a whole number.
pub fn bytes_unitless(number: f64) -> Result<Bytes, QuantityError> {
    if number < 0.0 {
        Err(QuantityError::Negative)
    } else if number.fract() != 0.0 {
        Err(QuantityError::Fraction("bytes"))
    } else if number >= u64::MAX as f64 {
        Err(QuantityError::TooLarge)
    } else {
        Ok(Bytes(number as u64))
    }
}

/// Reads a bandwidth such as `"8 GB/s"` or `"100 Gb/s"`.
///
/// # Errors
/// When there is no number, no or an unknown unit, or the number is not positive.
pub fn bandwidth(text: &str) -> Result<Bandwidth, QuantityError> {
    let factor = |unit: &str| match unit {
        "b/s" | "bit/s" => Some(0.125),
        "kb/s" | "kbit/s" | "kbps" => Some(125.0),
        "Mb/s" | "Mbit/s" | "Mbps" => Some(125e3),
        "Gb/s" | "Gbit/s" | "Gbps" => Some(125e6),
        "Tb/s" | "Tbit/s" | "Tbps" => Some(125e9),
        _ => byte_factor(unit.strip_suffix("/s")?),
    };
    bandwidth_unitless(read(text, BANDWIDTH_UNITS, factor)?)
}

/// Reads a bare number as bytes per second.
///
/// # Errors
/// When it is not positive and finite.
pub fn bandwidth_unitless(number: f64) -> Result<Bandwidth, QuantityError> {
    Bandwidth::new(number).ok_or(if number < 0.0 {
        QuantityError::Negative
    } else if number == 0.0 {
        QuantityError::Zero
    } else {
        QuantityError::TooLarge
    })
}

/// Reads a frequency such as `"3 GHz"`.
///
/// # Errors
/// When there is no number, no or an unknown unit, or the number is not positive.
pub fn frequency(text: &str) -> Result<Frequency, QuantityError> {
    let hertz = read(text, FREQUENCY_UNITS, |unit| find(&FREQUENCIES, unit))?;
    let zero_or_large = if hertz == 0.0 { QuantityError::Zero } else { QuantityError::TooLarge };
    Frequency::new(hertz).ok_or(zero_or_large)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_write() {
        let times =
            [1, 1000, 1_000_000, 1_000_000_000, 1_000_000_000_000, 60_000_000_000_000, 3_600_000_000_000_000];
        for (unit, ps) in TIME_UNITS.split(", ").zip(times) {
            assert_eq!(duration(&format!("1_2 {unit}")), Ok(Duration::from_ps(12 * ps)), "{unit}");
        }
        let sizes =
            [1, 1000, 1_000_000, 1_000_000_000, 1_000_000_000_000, 1 << 10, 1 << 20, 1 << 30, 1 << 40];
        for (unit, size) in BYTE_UNITS.split(", ").zip(sizes) {
            assert_eq!(bytes(&format!("3{unit}")), Ok(Bytes(3 * size)), "{unit}");
            let found = bandwidth(&format!("0.5 {unit}/s")).map(Bandwidth::bytes_per_second);
            assert_eq!(found, Ok(0.5 * size as f64), "{unit}/s");
        }
        for (prefix, factor) in [("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)] {
            let found = frequency(&format!("2.5 {prefix}Hz")).map(Frequency::hertz);
            assert_eq!(found.ok(), Some(2.5 * factor).filter(|_| prefix != "T"));
            for unit in ["b/s", "bit/s", "bps"] {
                let found = bandwidth(&format!("8 {prefix}{unit}")).map(Bandwidth::bytes_per_second);
                assert_eq!(found.ok(), Some(factor).filter(|_| !prefix.is_empty() || unit != "bps"));
            }
        }
        for text in ["1e-3 ms", "1E3 ns", "1e+3ns", "+1.us", " 1 µs ", "1μs", "1 us"] {
            assert_eq!(duration(text), Ok(Duration::from_ns(1000)), "{text}");
        }
    }

    #[test]
    fn says_what_is_wrong() {
        assert_eq!(duration("100"), Err(QuantityError::NoUnit(TIME_UNITS)));
        assert_eq!(duration("fast"), Err(QuantityError::NoNumber));
        assert_eq!(duration("-1 ns"), Err(QuantityError::Negative));
        assert_eq!(duration("1 parsec"), Err(QuantityError::UnknownUnit("parsec".into(), TIME_UNITS)));
        assert_eq!(duration("18446744073709551616 ps"), Err(QuantityError::TooLarge));
        assert_eq!(bytes("18446744073709551616 B"), Err(QuantityError::TooLarge));
        assert_eq!(bytes("-20 kB"), Err(QuantityError::Negative));
        assert_eq!(bytes("1.5 B"), Err(QuantityError::Fraction("bytes")));
        let rates = ["0 GB/s", "1e300 TB/s"].map(bandwidth);
        assert_eq!(rates, [Err(QuantityError::Zero), Err(QuantityError::TooLarge)]);
        assert_eq!(bandwidth_unitless(-1.0), Err(QuantityError::Negative));
        assert_eq!(frequency("0 Hz"), Err(QuantityError::Zero));
        assert_eq!(frequency("3 GB"), Err(QuantityError::UnknownUnit("GB".into(), FREQUENCY_UNITS)));
        assert_eq!(bandwidth("8 GB"), Err(QuantityError::UnknownUnit("GB".into(), BANDWIDTH_UNITS)));
    }
}
