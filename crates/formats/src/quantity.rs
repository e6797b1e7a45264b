//! Sizes and times that are read back exactly.
//!
//! Whole numbers of bytes and of picoseconds stay whole numbers. Everything else is read like the quantities of an
//! experiment, which is exact below 2^53.

use weir_units::parse::{self, QuantityError};
use weir_units::{Bytes, Duration};

/// A number written with digits only.
pub(crate) fn whole(text: &str) -> Option<u64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// A size: `20000` (bytes) or `20 kB`.
pub(crate) fn size(text: &str) -> Result<Bytes, QuantityError> {
    let digits = text.strip_suffix('B').unwrap_or(text).trim_end();
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return whole(digits).map(Bytes).ok_or(QuantityError::TooLarge);
    }
    parse::bytes(text)
}

/// A time: `3 us`; without a unit only `0`.
pub(crate) fn time(text: &str) -> Result<Duration, QuantityError> {
    if whole(text) == Some(0) {
        return Ok(Duration::ZERO);
    }
    let digits = text.strip_suffix("ps").map(str::trim_end);
    if let Some(digits) = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())) {
        return match whole(digits) {
            Some(ps) => Ok(Duration::from_ps(ps)),
            None if digits.is_empty() => Err(QuantityError::NoNumber),
            None => Err(QuantityError::TooLarge),
        };
    }
    parse::duration(text)
}

/// A time that [`time`] reads back: in the largest unit of which it is a whole number.
pub(crate) fn time_text(time: Duration) -> String {
    const EXACT: u64 = 1 << 53;
    let ps = time.as_ps();
    let units = [(1_000_000_000_000, "s"), (1_000_000_000, "ms"), (1_000_000, "us"), (1000, "ns")];
    let fits = |(factor, _): &(u64, &str)| ps > 0 && ps < EXACT && ps.is_multiple_of(*factor);
    match units.into_iter().find(fits) {
        Some((factor, unit)) => format!("{} {unit}", ps / factor),
        None => format!("{ps} ps"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes() {
        let check = |text, expected| assert_eq!(size(text), expected, "{text}");
        check("0", Ok(Bytes(0)));
        check("18446744073709551615", Ok(Bytes(u64::MAX)));
        check("18446744073709551615 B", Ok(Bytes(u64::MAX)));
        check("20kB", Ok(Bytes(20_000)));
        check("1.5 KiB", Ok(Bytes(1536)));
        check("18446744073709551616", Err(QuantityError::TooLarge));
        check("99 EB", parse::bytes("99 EB"));
        check("-3 B", Err(QuantityError::Negative));
        check("1.5 B", Err(QuantityError::Fraction("bytes")));
        check("B", Err(QuantityError::NoNumber));
        check("", Err(QuantityError::NoNumber));
    }

    #[test]
    fn times() {
        let check = |text, expected| assert_eq!(time(text), expected, "{text}");
        check("0", Ok(Duration::ZERO));
        check("3us", Ok(Duration::from_ps(3_000_000)));
        check("1.5 ns", Ok(Duration::from_ps(1500)));
        check("18446744073709551615 ps", Ok(Duration::MAX));
        check("18446744073709551616 ps", Err(QuantityError::TooLarge));
        check("ps", Err(QuantityError::NoNumber));
        check("3", Err(QuantityError::NoUnit(parse::TIME_UNITS)));
        assert_eq!(time_text(Duration::from_ps(3_000_000)), "3 us");
        assert_eq!(time_text(Duration::from_ps(1500)), "1500 ps");
        assert_eq!(time_text(Duration::ZERO), "0 ps");
    }

    proptest! {
        #[test]
        fn times_read_back(digits: u64, power in 0_u32..20) {
            let duration = Duration::from_ps(digits / 10_u64.pow(power) * 10_u64.pow(power));
            prop_assert_eq!(time(&time_text(duration)), Ok(duration));
        }
    }
}
