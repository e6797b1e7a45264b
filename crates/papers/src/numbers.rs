//! Numbers for people.

/// Whole numbers with commas between thousands, others with at most four significant digits.
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

/// With commas between thousands.
pub(crate) fn grouped(number: i64) -> String {
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

/// A part as per cent, with its sign.
pub(crate) fn percent(part: f64) -> String {
    if part.abs() < 5e-6 { "0 %".into() } else { format!("{:+.2} %", 100.0 * part) }
}

/// The slope of the line of least squares through the logarithms: the exponent with which y grows with x.
///
/// # Panics
/// When there are fewer than two points.
pub(crate) fn exponent(points: &[(f64, f64)]) -> f64 {
    assert!(points.len() > 1, "one point has no slope");
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let mean = |part: fn(&(f64, f64)) -> f64| logs.iter().map(part).sum::<f64>() / logs.len() as f64;
    let (mean_x, mean_y) = (mean(|point| point.0), mean(|point| point.1));
    let covariance: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let variance: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    covariance / variance
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
        assert_eq!([percent(0.5), percent(-0.001), percent(1e-9)], ["+50.00 %", "-0.10 %", "0 %"]);
    }

    /// y = 3 x^2.
    #[test]
    fn exponent_of_a_power() {
        assert!((exponent(&[(1.0, 3.0), (2.0, 12.0), (4.0, 48.0)]) - 2.0).abs() < 1e-12);
    }
}
