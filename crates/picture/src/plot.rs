//! Plots of series over one x.

use crate::PictureError;
use crate::axis::{Axis, Ruler};
use crate::drawing::{Anchor, BLACK, Drawing, HEADING, Stroke, TEXT, color};
use serde::Deserialize;

/// Width, and height unless the legend needs more, in pixels.
const SIZE: (i32, i32) = (900, 500);
/// Height of the room below the values.
const FOOT: i32 = 61;
/// Pixels of the left and right end of the x axis, and of the upper end of the y axis.
const LEFT: i32 = 88;
const RIGHT: i32 = 665;
const TOP: i32 = 39;
/// Left side of the legend, which stands right of the values.
const LEGEND: i32 = 680;
/// Width of a line in the legend.
const KEY: i32 = 22;
/// Pixels of the first line of the legend, and from line to line.
const LINES: (i32, i32) = (60, 26);
const RED: &str = "#FF0000";

/// A plot of one or more series over one x.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plot<'a> {
    /// Name, for errors and files.
    #[serde(default)]
    pub name: &'a str,
    /// Text above it.
    pub title: &'a str,
    /// The axis to the right.
    #[serde(borrow)]
    pub x: Axis<'a>,
    /// The axis upwards.
    pub y: Axis<'a>,
    /// The series, in the order of the legend.
    pub series: Vec<Series>,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Its text in the legend. A series without one goes on with one above it, and has no line there.
    pub name: String,
    /// Its kind.
    pub kind: SeriesKind,
    /// Its points, in the order in which they are joined.
    pub points: Vec<(f64, f64)>,
    /// Texts that are shown while the pointer is on a point, in the order of the points; none, or one for each.
    #[serde(default)]
    pub titles: Vec<String>,
}

/// Kind of a series, which decides its look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeriesKind {
    /// Own values: a line with points, or bars over names.
    Own,
    /// Values that a paper states: crosses.
    Published,
    /// A formula: a thin line.
    Formula,
    /// Points without a line.
    Points,
    /// A line through values that belong to the points of the series above, in their color.
    Through,
}

impl Series {
    /// A series whose points have no titles.
    pub fn new(name: impl Into<String>, kind: SeriesKind, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), kind, points, titles: Vec::new() }
    }
}

/// A plot with its axes.
struct Chart<'a> {
    x: Ruler<'a>,
    y: Ruler<'a>,
    bottom: i32,
}

impl Plot<'_> {
    /// Draws it.
    ///
    /// # Errors
    /// When it cannot be drawn, for example because it has no points.
    pub fn draw(&self) -> Result<Drawing, PictureError> {
        let points = self.series.iter().flat_map(|series| &series.points);
        let named = self.series.iter().filter(|series| !series.name.is_empty()).count() as i32;
        let height = SIZE.1.max(LINES.0 + LINES.1 * named);
        let chart = Chart {
            x: Ruler::new(self.name, &self.x, points.clone().map(|point| point.0))?,
            y: Ruler::new(self.name, &self.y, points.map(|point| point.1))?,
            bottom: height - FOOT,
        };
        let mut drawing = Drawing::new(SIZE.0, height);
        drawing.text((LEGEND / 2, 19), Anchor::Below, (HEADING, BLACK), self.title);
        let middle = (TOP + chart.bottom) / 2;
        drawing.text((14, middle), Anchor::Upwards, (TEXT, BLACK), &chart.y.label);
        drawing.text((377, height - 14), Anchor::Above, (TEXT, BLACK), &chart.x.label);
        chart.draw_axes(&mut drawing);
        let lines = self.series.iter().filter(|series| series.kind == SeriesKind::Own).count();
        let mut place = 0;
        let mut line = LINES.0;
        for series in &self.series {
            // A line through points has their place.
            place += usize::from(series.kind != SeriesKind::Through);
            let style = Style::new(series.kind, place.saturating_sub(1), lines, &chart.x);
            style.draw_on(&mut drawing, &chart, series);
            if !series.name.is_empty() {
                style.draw_key(&mut drawing, &series.name, line);
                line += LINES.1;
            }
        }
        Ok(drawing)
    }
}

impl Chart<'_> {
    fn point(&self, &(x, y): &(f64, f64)) -> (i32, i32) {
        (self.x_pixel(self.x.at(x)), self.y_pixel(self.y.at(y)))
    }

    fn x_pixel(&self, at: f64) -> i32 {
        self.x.pixel(at, (LEFT, RIGHT))
    }

    fn y_pixel(&self, at: f64) -> i32 {
        self.y.pixel(at, (self.bottom, TOP))
    }

    fn draw_axes(&self, drawing: &mut Drawing) {
        const GRID: Stroke = (0.12, BLACK, 1);
        const TICK: Stroke = (1.0, BLACK, 1);
        let bottom = self.bottom;
        for x in self.x.ticks.iter().map(|tick| self.x_pixel(*tick)) {
            drawing.line((x, bottom), (x, TOP), GRID);
        }
        for y in self.y.ticks.iter().map(|tick| self.y_pixel(*tick)) {
            drawing.line((LEFT, y), (RIGHT, y), GRID);
        }
        drawing.path([(LEFT - 1, TOP), (LEFT - 1, bottom)], TICK);
        for tick in &self.y.ticks {
            let y = self.y_pixel(*tick);
            drawing.text((LEFT - 10, y), Anchor::Left, (TEXT, BLACK), &self.y.tick(*tick));
            drawing.path([(LEFT - 6, y), (LEFT - 1, y)], TICK);
        }
        drawing.path([(LEFT, bottom + 1), (RIGHT, bottom + 1)], TICK);
        for tick in &self.x.ticks {
            let x = self.x_pixel(*tick);
            drawing.text((x, bottom + 11), Anchor::Below, (TEXT, BLACK), &self.x.tick(*tick));
            drawing.path([(x, bottom + 1), (x, bottom + 6)], TICK);
        }
    }
}

/// Look of a series.
enum Style {
    /// A line with points.
    Line(Stroke),
    /// A line without.
    Thin(Stroke),
    /// A cross at each point.
    Crosses(Stroke),
    /// A half transparent dot at each point.
    Dots(&'static str),
    /// Bars from the bottom, with their left and right sides relative to their place.
    Bars(&'static str, (f64, f64)),
}

impl Style {
    /// The style of the series at a place, where `lines` series are lines. Lines that lie on one another get narrower, so that all show.
    fn new(kind: SeriesKind, place: usize, lines: usize, x: &Ruler<'_>) -> Self {
        let color = color(place);
        let width = if lines > 1 { [6, 4, 2][place % 3] } else { 2 };
        match kind {
            SeriesKind::Own if x.has_names() => Self::Bars(color, bar_sides(place, lines)),
            SeriesKind::Own => Self::Line((1.0, color, width)),
            SeriesKind::Formula => Self::Thin((0.6, BLACK, 1)),
            SeriesKind::Published if lines == place => Self::Crosses((1.0, RED, 3)),
            SeriesKind::Published => Self::Crosses((1.0, BLACK, 3)),
            SeriesKind::Points => Self::Dots(color),
            SeriesKind::Through => Self::Thin((1.0, color, [5, 3, 1][place % 3])),
        }
    }

    fn draw_on(&self, drawing: &mut Drawing, chart: &Chart<'_>, series: &Series) {
        let points = series.points.iter().map(|point| chart.point(point));
        let titles = series.titles.iter().map(|title| Some(title.as_str())).chain(std::iter::repeat(None));
        match *self {
            Self::Line(stroke) => {
                points
                    .clone()
                    .zip(titles)
                    .for_each(|(point, title)| drawing.circle(point, 1.0, stroke.1, title));
                drawing.path(points, stroke);
            }
            Self::Thin(stroke) => drawing.path(points, stroke),
            Self::Crosses(stroke) => points.for_each(|point| drawing.cross(point, stroke)),
            Self::Dots(color) => {
                points.zip(titles).for_each(|(point, title)| drawing.circle(point, 0.7, color, title));
            }
            Self::Bars(color, (left, right)) => {
                for point in &series.points {
                    let (at, (_, top)) = (chart.x.at(point.0), chart.point(point));
                    let sides = (chart.x_pixel(at + left), chart.x_pixel(at + right));
                    drawing.rectangle((sides.0, top), (sides.1 - sides.0, chart.bottom - top), color);
                }
            }
        }
    }

    /// Draws a line of the legend.
    fn draw_key(&self, drawing: &mut Drawing, name: &str, y: i32) {
        let middle = (LEGEND + KEY / 2, y);
        match *self {
            Self::Line(stroke) | Self::Thin(stroke) => {
                drawing.path([(LEGEND, y), (LEGEND + KEY, y)], stroke);
            }
            Self::Crosses(stroke) => drawing.cross(middle, stroke),
            Self::Dots(color) => drawing.circle(middle, 0.7, color, None),
            Self::Bars(color, _) => drawing.rectangle((LEGEND, y - 6), (KEY, 12), color),
        }
        drawing.text((LEGEND + 30, y - 7), Anchor::Right, (TEXT, BLACK), name);
    }
}

/// Left and right side of bar `k` of this many that stand side by side around their place.
fn bar_sides(k: usize, bars: usize) -> (f64, f64) {
    let side = |bar: usize| 0.6 * (bar as f64 / bars as f64 - 0.5);
    (side(k), side(k + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(y: Axis<'static>, points: Vec<(f64, f64)>) -> Plot<'static> {
        let series = [SeriesKind::Own, SeriesKind::Published, SeriesKind::Formula]
            .map(|kind| Series::new(format!("{kind:?} <1>"), kind, points.clone()));
        Plot { name: "test", title: "a title", x: Axis::log("nodes"), y, series: series.into() }
    }

    #[test]
    fn what_cannot_be_drawn_is_an_error() {
        for points in [vec![], vec![(0.0, 1.0)], vec![(1.0, f64::NAN), (2.0, f64::INFINITY)]] {
            let error = plot(Axis::linear("seconds"), points).draw().unwrap_err();
            assert!(error.to_string().starts_with("plot test: the axis "), "{error}");
        }
    }
}
