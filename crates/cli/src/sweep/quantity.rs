//! Values that are numbers, or quantities of one kind: as numbers, with their unit.

use weir_units::parse;

/// Unit of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    None,
    Bytes,
    Seconds,
    BytesPerSecond,
}

impl Unit {
    /// A name with its unit behind it.
    pub(super) fn behind(self, name: &str) -> String {
        match self {
            Self::None => name.to_owned(),
            Self::Bytes => format!("{name} [B]"),
            Self::Seconds => format!("{name} [s]"),
            Self::BytesPerSecond => format!("{name} [B/s]"),
        }
    }

    fn read(self, text: &str) -> Option<f64> {
        match self {
            Self::None => text.parse().ok(),
            Self::Bytes => parse::bytes(text).ok().map(|bytes| bytes.0 as f64),
            Self::Seconds => parse::duration(text).ok().map(|time| time.as_ps() as f64 * 1e-12),
            Self::BytesPerSecond => parse::bandwidth(text).ok().map(|rate| rate.bytes_per_second()),
        }
    }
}

/// All of the values as numbers of one unit; `None` if they are not. Texts may stand in quotes.
pub(super) fn numbers<'a>(values: impl Iterator<Item = &'a str> + Clone) -> Option<(Vec<f64>, Unit)> {
    let units = [Unit::None, Unit::Bytes, Unit::Seconds, Unit::BytesPerSecond];
    units.into_iter().find_map(|unit| {
        let read = values.clone().map(|value| unit.read(value.trim_matches(['"', '\''])));
        Some((read.collect::<Option<Vec<f64>>>()?, unit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_values() {
        let of = |values: &[&str]| numbers(values.iter().copied());
        assert_eq!(of(&["1", "0.5"]), Some((vec![1.0, 0.5], Unit::None)));
        assert_eq!(of(&["4 KiB", "\"1 MB\""]), Some((vec![4096.0, 1e6], Unit::Bytes)));
        assert_eq!(of(&["1 us", "2 s"]).map(|found| found.1), Some(Unit::Seconds));
        assert_eq!(of(&["1 GB/s"]), Some((vec![1e9], Unit::BytesPerSecond)));
        assert_eq!(of(&["1 us", "4 KiB"]), None);
        assert_eq!(of(&["torus"]), None);
        assert_eq!(Unit::Bytes.behind("size"), "size [B]");
    }
}
