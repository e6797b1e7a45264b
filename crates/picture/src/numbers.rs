//! Numbers for people.

/// Writes whole numbers with commas between thousands, others with at most four significant digits.
pub(crate) fn shown(number: f64) -> String {
    if !number.is_finite() {
        return number.to_string();
    }
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return grouped(number as i64);
    }
    let size = number.abs().log10().floor() as i32;
    match size {
        4.. => grouped(number.round() as i64),
        -5..=3 => {
            let text = format!("{number:.*}", usize::try_from(3 - size).unwrap_or(0));
            if text.contains('.') {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                text
            }
        }
        _ => format!("{number:.3e}"),
    }
}

/// Writes a whole number with commas between thousands.
fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::from(if number < 0 { "-" } else { "" });
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes bytes with a unit: 1024 is 1 KiB, 1536 is 1536 B.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.into_iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{} {name}", bytes / unit),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (53.0, "53"),
            (196_608.0, "196,608"),
            (-1_234.0, "-1,234"),
            (9.853_223, "9.853"),
            (0.012_346, "0.01235"),
            (1_234.56, "1235"),
            (2.5, "2.5"),
            (12_345.67, "12,346"),
            (1.234_6e-7, "1.235e-7"),
        ];
        for (number, expected) in cases {
            assert_eq!(shown(number), expected);
        }
        assert_eq!([4, 2048, 1536, 1 << 29].map(bytes), ["4 B", "2 KiB", "1536 B", "512 MiB"]);
    }
}
