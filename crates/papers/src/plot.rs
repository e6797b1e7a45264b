//! What a plot shows; `svg.rs` draws it.

use serde_json::{Value, json};

/// A plot of one or more series over one x.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot<'a> {
    /// Name of its file, without the ending.
    pub name: &'a str,
    /// What is written above it.
    pub title: &'a str,
    /// To the right.
    pub x: Axis<'a>,
    /// Upwards.
    pub y: Axis<'a>,
    /// What is drawn, in the order of the legend.
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis<'a> {
    /// What it shows, with the unit.
    pub label: &'a str,
    /// How its values lie on it.
    pub scale: Scale<'a>,
}

/// How values lie on an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale<'a> {
    /// Evenly, from zero.
    Linear,
    /// Evenly, from the least to the greatest.
    Span,
    /// By their logarithms; all are greater than zero.
    Log,
    /// Value `i` stands for name `i`.
    Names(Vec<&'a str>),
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What the legend says.
    pub name: String,
    /// How they are drawn.
    pub kind: SeriesKind,
    /// In the order in which they are joined.
    pub points: Vec<(f64, f64)>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesKind {
    /// Own values: a line with points.
    Own,
    /// Values that a paper states: points only.
    Published,
    /// A formula: a thin line.
    Formula,
}

impl Series {
    pub(crate) fn new(name: impl Into<String>, kind: SeriesKind, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), kind, points }
    }
}

impl<'a> Axis<'a> {
    /// From zero on.
    #[must_use]
    pub const fn linear(label: &'a str) -> Self {
        Self { label, scale: Scale::Linear }
    }

    /// From the least value to the greatest.
    #[must_use]
    pub const fn span(label: &'a str) -> Self {
        Self { label, scale: Scale::Span }
    }

    /// By logarithms.
    #[must_use]
    pub const fn log(label: &'a str) -> Self {
        Self { label, scale: Scale::Log }
    }
}

impl Plot<'_> {
    pub(crate) fn to_json(&self) -> Value {
        let series = self.series.iter().map(|series| {
            let kind = match series.kind {
                SeriesKind::Own => "own",
                SeriesKind::Published => "published",
                SeriesKind::Formula => "formula",
            };
            json!({ "name": series.name, "kind": kind, "points": series.points })
        });
        json!({
            "name": self.name,
            "title": self.title,
            "x": self.x.label,
            "y": self.y.label,
            "series": series.collect::<Vec<_>>(),
        })
    }
}
