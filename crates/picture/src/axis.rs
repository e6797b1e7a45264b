//! Axes: where values lie on them, their ticks and units.

use crate::PictureError;
use serde::Deserialize;

/// An axis.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis<'a> {
    /// The quantity, with the unit unless the axis chooses it.
    pub label: &'a str,
    /// The scale on which its values lie.
    #[serde(borrow)]
    pub scale: Scale<'a>,
    /// The unit of its values.
    #[serde(default)]
    pub unit: Unit,
    /// Values that the axis has room for beside those of the series: so several plots get the same axis.
    #[serde(default)]
    pub room: Option<(f64, f64)>,
}

/// Scale of an axis.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale<'a> {
    /// Evenly, from zero.
    Linear,
    /// Evenly, from the least to the greatest.
    Span,
    /// By their logarithms; all are greater than zero.
    Log,
    /// Value `i` stands for name `i`.
    #[serde(borrow)]
    Names(Vec<&'a str>),
}

/// Unit of the values of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// The label names it.
    #[default]
    Named,
    /// Seconds, shown in the unit that suits them.
    Seconds,
    /// Bytes on a logarithmic axis, with ticks at powers of two.
    Bytes,
}

/// The unit that suits seconds up to `most`: how many seconds it is, and its name.
pub fn suitable_unit(most: f64) -> (f64, &'static str) {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")];
    units.into_iter().find(|(scale, _)| most >= *scale).unwrap_or((1e-12, "ps"))
}

impl<'a> Axis<'a> {
    const fn new(label: &'a str, scale: Scale<'a>) -> Self {
        Self { label, scale, unit: Unit::Named, room: None }
    }

    /// An axis from zero on.
    pub const fn linear(label: &'a str) -> Self {
        Self::new(label, Scale::Linear)
    }

    /// An axis from the least value to the greatest.
    pub const fn span(label: &'a str) -> Self {
        Self::new(label, Scale::Span)
    }

    /// A logarithmic axis.
    pub const fn log(label: &'a str) -> Self {
        Self::new(label, Scale::Log)
    }

    /// An axis of names; value `i` stands for name `i`.
    pub const fn names(label: &'a str, names: Vec<&'a str>) -> Self {
        Self::new(label, Scale::Names(names))
    }

    /// The same axis with values of this unit.
    #[must_use]
    pub const fn of(mut self, unit: Unit) -> Self {
        self.unit = unit;
        self
    }

    /// The same axis with room for these values.
    #[must_use]
    pub const fn with_room(mut self, least: f64, most: f64) -> Self {
        self.room = Some((least, most));
        self
    }
}

/// An axis with the place of its values, as numbers along it, and its ticks.
pub(crate) struct Ruler<'a> {
    scale: &'a Scale<'a>,
    unit: Unit,
    /// Values are divided by this.
    factor: f64,
    pub(crate) label: String,
    pub(crate) from: f64,
    to: f64,
    pub(crate) ticks: Vec<f64>,
}

impl<'a> Ruler<'a> {
    pub(crate) fn new(
        plot: &str,
        axis: &'a Axis<'a>,
        values: impl Iterator<Item = f64> + Clone,
    ) -> Result<Self, PictureError> {
        let values = values.chain(axis.room.into_iter().flat_map(|(least, most)| [least, most]));
        let least = values.clone().fold(f64::INFINITY, f64::min);
        let most = values.clone().fold(f64::NEG_INFINITY, f64::max);
        let all_finite = values.clone().all(f64::is_finite);
        let scale = &axis.scale;
        if !all_finite || least > most || (*scale == Scale::Log && least <= 0.0) {
            return Err(PictureError::Axis {
                plot: plot.to_owned(),
                axis: axis.label.to_owned(),
                least: least.to_string(),
                most: most.to_string(),
            });
        }
        let (factor, label) = match (axis.unit, scale) {
            (Unit::Seconds, Scale::Linear | Scale::Span) => {
                let (factor, unit) = suitable_unit(most);
                (factor, format!("{} [{unit}]", axis.label))
            }
            _ => (1.0, axis.label.to_owned()),
        };
        let (from, to, ticks) = Self::extent(scale, axis.unit, least / factor, most / factor);
        Ok(Self { scale, unit: axis.unit, factor, label, from, to, ticks })
    }

    /// Both ends and the ticks.
    fn extent(scale: &Scale<'_>, unit: Unit, least: f64, most: f64) -> (f64, f64, Vec<f64>) {
        match scale {
            Scale::Names(names) => {
                let ticks = (0..names.len()).map(|i| i as f64).collect();
                (-0.6, names.len() as f64 - 0.4, ticks)
            }
            Scale::Linear => {
                let most = if most > 0.0 { most } else { 1.0 };
                (0.0, 1.08 * most, even_ticks(1.08 * most))
            }
            Scale::Span => {
                let margin = if most > least { 0.06 * (most - least) } else { 1.0 };
                let (from, to) = (least - margin, most + margin);
                let ticks = even_ticks(to - from).into_iter();
                let step = ticks.clone().nth(1).unwrap_or(1.0);
                let first = (from / step).ceil() * step;
                (from, to, ticks.map(|tick| first + tick).filter(|&tick| tick <= to).collect())
            }
            Scale::Log => {
                let margin = 0.06 * (most / least).log10().max(1.0);
                let (from, to) = (least.log10() - margin, most.log10() + margin);
                let ticks = if unit == Unit::Bytes { byte_ticks(from, to) } else { log_ticks(from, to) };
                (from, to, ticks)
            }
        }
    }

    /// A value as a number along the axis.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let value = value / self.factor;
        if *self.scale == Scale::Log { value.log10() } else { value }
    }

    /// The pixel of a number along the axis, between those of both ends.
    pub(crate) fn pixel(&self, at: f64, (from, to): (i32, i32)) -> i32 {
        let part = (at - self.from) / (self.to - self.from);
        from + (part * f64::from(to - from)).round() as i32
    }

    pub(crate) fn has_names(&self) -> bool {
        matches!(self.scale, Scale::Names(_))
    }

    /// The text at a tick.
    pub(crate) fn tick(&self, at: f64) -> String {
        match (self.scale, self.unit) {
            (Scale::Linear | Scale::Span, _) => without_zeros(&shown(at)),
            (Scale::Log, Unit::Bytes) => bytes(10f64.powf(at).round() as u64),
            (Scale::Log, Unit::Seconds) => {
                let (scale, unit) = suitable_unit(10f64.powf(at) * (1.0 + 1e-9));
                format!("{} {unit}", (10f64.powf(at) / scale).round())
            }
            (Scale::Log, Unit::Named) => {
                // Rounded: 10^0.30103 is 2.
                let rounded = format!("{:.0e}", 10f64.powf(at));
                if at > 5.5 { rounded } else { rounded.parse().map_or(rounded, shown) }
            }
            (Scale::Names(names), _) => names.get(at.round() as usize).map_or("", |name| name).to_owned(),
        }
    }
}

/// A number without the zeros before its exponent: ticks are round, and long ones reach into the name of the axis.
fn without_zeros(number: &str) -> String {
    let Some((digits, exponent)) = number.split_once('e') else { return number.to_owned() };
    format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// Five to ten ticks from zero on, in steps of 1, 2 or 5 times a power of ten.
fn even_ticks(to: f64) -> Vec<f64> {
    let power = 10f64.powf((to / 5.0).log10().floor());
    let step = [5.0, 2.0, 1.0].into_iter().map(|part| part * power).find(|step| to / step >= 5.0);
    let step = step.unwrap_or(power);
    (0..=(to / step) as usize).map(|i| i as f64 * step).collect()
}

/// Logarithms of 1, 2 and 5 times the powers of ten; of the powers alone where there are many.
fn log_ticks(from: f64, to: f64) -> Vec<f64> {
    let parts: &[f64] = if to - from > 3.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let powers = from.floor() as i32..=to.ceil() as i32;
    let all = powers.flat_map(|power| parts.iter().map(move |part| f64::from(power) + part.log10()));
    all.filter(|tick| (from..=to).contains(tick)).collect()
}

/// Logarithms of at most eleven powers of two, evenly spaced.
fn byte_ticks(from: f64, to: f64) -> Vec<f64> {
    let doubling = 2f64.log10();
    let (first, last) = ((from / doubling).ceil().max(0.0) as usize, (to / doubling) as usize);
    let step = last.saturating_sub(first).div_ceil(10).max(1);
    (first..=last).step_by(step).map(|power| power as f64 * doubling).collect()
}

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
    fn ticks_are_round() {
        assert_eq!(even_ticks(27.0), [0.0, 5.0, 10.0, 15.0, 20.0, 25.0]);
        assert_eq!(even_ticks(1.0), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        let logs = log_ticks(50f64.log10() - 0.01, 1e3f64.log10());
        let labels: Vec<f64> = logs.iter().map(|tick| 10f64.powf(*tick).round()).collect();
        assert_eq!(labels, [50.0, 100.0, 200.0, 500.0, 1000.0]);
        let written = [0.0, 3.5e-6, 4e-6, 0.25, 2e3].map(|tick| without_zeros(&shown(tick)));
        assert_eq!(written, ["0", "3.5e-6", "4e-6", "0.25", "2,000"]);
    }

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
