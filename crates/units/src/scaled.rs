//! Quantities as people write them.

use std::fmt;

/// Writes `value` with the first unit that leaves at least one whole unit, four significant digits.
pub(crate) fn write_scaled(f: &mut fmt::Formatter<'_>, value: f64, units: &[(f64, &str)]) -> fmt::Result {
    let &(factor, unit) = units
        .iter()
        .find(|(factor, _)| value >= *factor * 0.99995)
        .or(units.last())
        .expect("a quantity has at least one unit");
    let scaled = value / factor;
    let decimals = if scaled >= 999.95 {
        0
    } else if scaled >= 99.995 {
        1
    } else if scaled >= 9.9995 {
        2
    } else {
        3
    };
    let text = format!("{scaled:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    write!(f, "{text} {unit}")
}
