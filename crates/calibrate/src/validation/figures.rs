//! How numbers are written on pages.

/// A part of one, in per cent.
pub(super) fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    match percent {
        percent if percent >= 1000.0 => format!("{percent:.0} %"),
        percent if percent < 0.1 && percent > 0.0 => format!("{percent:.3} %"),
        percent => format!("{percent:.1} %"),
    }
}

/// Bytes with a unit: 1024 is 1 KiB.
pub(super) fn bytes(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.into_iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{} {name}", bytes / unit),
        None => format!("{bytes} B"),
    }
}

/// So many of so many, in per cent.
pub(super) fn share(part: usize, of: usize) -> String {
    if of == 0 { String::new() } else { format!("{:.0} %", 100.0 * part as f64 / of as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!([0.0, 0.0004, 0.0512, 12.0].map(percent), ["0.0 %", "0.040 %", "5.1 %", "1200 %"]);
        assert_eq!([4, 2048, 1536, 1 << 29].map(bytes), ["4 B", "2 KiB", "1536 B", "512 MiB"]);
        assert_eq!([share(1, 3), share(0, 0)], ["33 %", ""]);
    }
}
