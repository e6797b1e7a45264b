//! Quantities as values of a resolved experiment: they read back to exactly what they were.

use serde_json::{Value, json};
use weir_units::{Bandwidth, Bytes, Duration, parse};

impl Units {
    pub(crate) fn duration(self, duration: Duration) -> Value {
        match self {
            Self::Written => json!(duration_text(duration)),
            Self::Unitless => number(seconds(duration)),
        }
    }

    pub(crate) fn bytes(self, bytes: Bytes) -> Value {
        match self {
            Self::Written => json!(bytes_text(bytes)),
            Self::Unitless => json!(bytes.0),
        }
    }

    pub(crate) fn bandwidth(self, bandwidth: Bandwidth) -> Value {
        match self {
            Self::Written => json!(bandwidth_text(bandwidth)),
            Self::Unitless => number(bandwidth.bytes_per_second()),
        }
    }
}

pub(crate) fn number(value: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT { json!(value as i64) } else { json!(value) }
}

fn seconds(duration: Duration) -> f64 {
    let nearest = duration.as_ps() as f64 / 1e12;
    // Beyond 2^53 ps the rounding of reading and of writing need not cancel; a neighbor then does.
    let near = [nearest, nearest.next_up(), nearest.next_down()];
    near.into_iter().find(|&s| Duration::from_secs_f64(s) == Some(duration)).unwrap_or(nearest)
}

pub(crate) fn duration_text(duration: Duration) -> String {
    let units = [(1_000_000_000_000, "s"), (1_000_000_000, "ms"), (1_000_000, "us"), (1000, "ns")];
    whole(duration.as_ps(), &units, "ps", |text| parse::duration(text) == Ok(duration))
}

/// An amount of data in the largest unit of which it is a whole number, decimal ones first.
pub(crate) fn bytes_text(bytes: Bytes) -> String {
    let units = [
        (1_000_000_000_000, "TB"),
        (1_000_000_000, "GB"),
        (1_000_000, "MB"),
        (1000, "kB"),
        (1 << 40, "TiB"),
        (1 << 30, "GiB"),
        (1 << 20, "MiB"),
        (1 << 10, "KiB"),
    ];
    whole(bytes.0, &units, "B", |text| parse::bytes(text) == Ok(bytes))
}

fn whole(value: u64, units: &[(u64, &str)], smallest: &str, exact: impl Fn(&str) -> bool) -> String {
    let candidates = units.iter().filter(|(factor, _)| value > 0 && value.is_multiple_of(*factor));
    let mut texts = candidates.map(|(factor, unit)| format!("{} {unit}", value / factor));
    texts.find(|text| exact(text)).unwrap_or_else(|| format!("{value} {smallest}"))
}

/// A bandwidth in the unit that gives the shortest text, the largest of such units.
fn bandwidth_text(bandwidth: Bandwidth) -> String {
    let value = bandwidth.bytes_per_second();
    let texts = [(1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")]
        .map(|(factor, unit)| format!("{} {unit}", value / factor));
    let exact = texts.into_iter().filter(|text| parse::bandwidth(text) == Ok(bandwidth));
    exact.min_by_key(String::len).expect("a number of B/s reads back as itself")
}

/// Form in which the quantities of an input are written: with units, or all without (paper 000, section 4.1).
///
/// In the unitless form a bandwidth of 1 and a message size of 1 give a time of 1; weir reads the numbers as bytes,
/// seconds and bytes per second. One input is written in one of the two forms: a forgotten unit would be an error by
/// a factor of 10^9 otherwise. A bare 0 fits both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    /// Texts with units: `"8 GB/s"`.
    #[default]
    Written,
    /// Bare numbers: simulated times are "virtual communication time".
    Unitless,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn people_can_read_them() {
        assert_eq!(duration_text(Duration::from_ns(100)), "100 ns");
        assert_eq!(duration_text(Duration::from_ns(1500)), "1500 ns");
        assert_eq!(duration_text(Duration::ZERO), "0 ps");
        assert_eq!(bytes_text(Bytes(20_000)), "20 kB");
        assert_eq!(bytes_text(Bytes(16_384)), "16 KiB");
        assert_eq!(bytes_text(Bytes(0)), "0 B");
        assert_eq!(bandwidth_text(Bandwidth::new(12.5e9).unwrap()), "12.5 GB/s");
        assert_eq!(bandwidth_text(Bandwidth::new(1.0).unwrap()), "1 B/s");
        assert_eq!(Units::Unitless.bandwidth(Bandwidth::new(1.0).unwrap()), json!(1));
        assert_eq!(Units::Unitless.duration(Duration::from_ns(500_000_000)), json!(0.5));
    }

    proptest! {
        #[test]
        fn durations_read_back(seconds in 0.0..1e7_f64) {
            let duration = Duration::from_secs_f64(seconds).unwrap();
            prop_assert_eq!(parse::duration(&duration_text(duration)), Ok(duration));
            let bare = Units::Unitless.duration(duration).as_f64().unwrap();
            prop_assert_eq!(Duration::from_secs_f64(bare), Some(duration));
        }

        #[test]
        fn bytes_read_back(bytes in 0.0..1e19_f64) {
            let bytes = parse::bytes_unitless(bytes.floor()).unwrap();
            prop_assert_eq!(parse::bytes(&bytes_text(bytes)), Ok(bytes));
            let bare = Units::Unitless.bytes(bytes).as_f64().unwrap();
            prop_assert_eq!(parse::bytes_unitless(bare), Ok(bytes));
        }

        #[test]
        fn bandwidths_read_back(exponent in -3.0..15.0_f64) {
            let bandwidth = Bandwidth::new(10f64.powf(exponent)).unwrap();
            prop_assert_eq!(parse::bandwidth(&bandwidth_text(bandwidth)), Ok(bandwidth));
            let bare = Units::Unitless.bandwidth(bandwidth).as_f64().unwrap();
            prop_assert_eq!(parse::bandwidth_unitless(bare), Ok(bandwidth));
        }
    }
}
