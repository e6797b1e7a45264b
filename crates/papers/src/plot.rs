//! What a plot shows; `svg.rs` draws it.

use serde_json::{Value, json};

/// A plot of one or more series over one x.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Name of its file, without the ending.
    pub name: &'static str,
    /// What is written above it.
    pub title: &'static str,
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// What is drawn, in the order of the legend.
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it shows, with the unit.
    pub label: &'static str,
    /// How its values lie on it.
    pub scale: Scale,
}

/// How values lie on an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale {
    /// Evenly, from zero.
    Linear,
    /// Evenly, from the least to the greatest.
    Span,
    /// By their logarithms; all are greater than zero.
    Log,
    /// Value `i` stands for name `i`.
    Names(Vec<&'static str>),
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

impl Axis {
    pub(crate) fn linear(label: &'static str) -> Self {
        Self { label, scale: Scale::Linear }
    }

    pub(crate) fn span(label: &'static str) -> Self {
        Self { label, scale: Scale::Span }
    }

    pub(crate) fn log(label: &'static str) -> Self {
        Self { label, scale: Scale::Log }
    }
}

impl Plot {
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
