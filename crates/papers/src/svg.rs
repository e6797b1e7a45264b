//! Draws plots as SVG.
//!
//! The text of an SVG is set by whoever shows it, so no fonts are needed here; the room for it is estimated.

use crate::numbers::shown;
use crate::{Axis, PapersError, Plot, Scale, SeriesKind};
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::prelude::*;
use std::ops::Range;

const SIZE: (u32, u32) = (900, 500);
/// The legend stands right of this.
const CHART_WIDTH: i32 = 680;
/// Colours that stay apart for people who see few of them (Okabe and Ito).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(60, 60, 60),
];
const TEXT: (&str, u32) = ("sans-serif", 15);
const HEADING: (&str, u32) = ("sans-serif", 18);

type Legend<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Coordinate, Coordinate>>;

/// A range of numbers with ticks at places of our choice.
struct Coordinate {
    range: Range<f64>,
    ticks: Vec<f64>,
}

impl Ranged for Coordinate {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value - self.range.start) / (self.range.end - self.range.start);
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // The grid has no lines between ticks.
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl Plot<'_> {
    /// The plot as the text of an SVG file.
    ///
    /// # Errors
    /// When it cannot be drawn, for example because it has no points.
    pub fn to_svg(&self) -> Result<String, PapersError> {
        let mut text = String::new();
        match draw(self, &mut text) {
            Ok(()) => Ok(text),
            Err(what) => Err(PapersError::Plot { name: self.name.to_owned(), what }),
        }
    }
}

/// Where the values of an axis lie, as numbers along it, and where it has ticks.
struct Ruler<'a> {
    scale: &'a Scale<'a>,
    from: f64,
    to: f64,
    ticks: Vec<f64>,
}

impl<'a> Ruler<'a> {
    fn new(axis: &'a Axis<'a>, mut values: impl Iterator<Item = f64> + Clone) -> Result<Self, String> {
        let least = values.clone().fold(f64::INFINITY, f64::min);
        let most = values.clone().fold(f64::NEG_INFINITY, f64::max);
        let all_finite = values.all(f64::is_finite);
        let scale = &axis.scale;
        if !all_finite || least > most || (*scale == Scale::Log && least <= 0.0) {
            return Err(format!("the axis \"{}\" cannot go from {least} to {most}", axis.label));
        }
        let ruler = match scale {
            Scale::Names(names) => {
                let ticks = (0..names.len()).map(|i| i as f64).collect();
                Self { scale, from: -0.6, to: names.len() as f64 - 0.4, ticks }
            }
            Scale::Linear => {
                let most = if most > 0.0 { most } else { 1.0 };
                Self { scale, from: 0.0, to: 1.08 * most, ticks: even_ticks(1.08 * most) }
            }
            Scale::Span => {
                let margin = if most > least { 0.06 * (most - least) } else { 1.0 };
                let (from, to) = (least - margin, most + margin);
                let ticks = even_ticks(to - from).into_iter();
                let step = ticks.clone().nth(1).unwrap_or(1.0);
                let first = (from / step).ceil() * step;
                let ticks = ticks.map(|tick| first + tick).filter(|&tick| tick <= to).collect();
                Self { scale, from, to, ticks }
            }
            Scale::Log => {
                let margin = 0.06 * (most / least).log10().max(1.0);
                let (from, to) = (least.log10() - margin, most.log10() + margin);
                Self { scale, from, to, ticks: log_ticks(from, to) }
            }
        };
        Ok(ruler)
    }

    fn at(&self, value: f64) -> f64 {
        if *self.scale == Scale::Log { value.log10() } else { value }
    }

    fn label(&self, at: f64) -> String {
        match self.scale {
            Scale::Linear | Scale::Span => without_zeros(&shown(at)),
            Scale::Log => {
                // Rounded: 10^0.30103 is 2.
                let rounded = format!("{:.0e}", 10f64.powf(at));
                if at > 5.5 { rounded } else { rounded.parse().map_or(rounded, shown) }
            }
            Scale::Names(names) => names.get(at.round() as usize).map_or("", |name| name).to_owned(),
        }
    }

    fn coordinate(&self) -> Coordinate {
        Coordinate { range: self.from..self.to, ticks: self.ticks.clone() }
    }
}

/// A number without the zeros before its exponent: ticks are round, and long ones reach into the name of the axis.
fn without_zeros(number: &str) -> String {
    let Some((digits, exponent)) = number.split_once('e') else { return number.to_owned() };
    format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// From zero, in steps of 1, 2 or 5 times a power of ten: five to ten of them.
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

fn draw(plot: &Plot<'_>, text: &mut String) -> Result<(), String> {
    let points = plot.series.iter().flat_map(|series| &series.points);
    let x = Ruler::new(&plot.x, points.clone().map(|point| point.0))?;
    let y = Ruler::new(&plot.y, points.map(|point| point.1))?;
    let area = SVGBackend::with_string(text, SIZE).into_drawing_area();
    area.fill(&WHITE).map_err(|error| error.to_string())?;
    let (left, right) = area.split_horizontally(CHART_WIDTH);
    let mut chart = ChartBuilder::on(&left)
        .caption(plot.title, HEADING)
        .margin(14)
        .x_label_area_size(46)
        .y_label_area_size(74)
        .build_cartesian_2d(x.coordinate(), y.coordinate())
        .map_err(|error| error.to_string())?;
    chart
        .configure_mesh()
        .label_style(TEXT)
        .axis_desc_style(TEXT)
        .x_desc(plot.x.label)
        .y_desc(plot.y.label)
        .x_label_formatter(&|at| x.label(*at))
        .y_label_formatter(&|at| y.label(*at))
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .draw()
        .map_err(|error| error.to_string())?;
    let lines = plot.series.iter().filter(|series| series.kind == SeriesKind::Own).count();
    for (k, series) in plot.series.iter().enumerate() {
        let style = Style::new(series.kind, k, lines, &x);
        let points = series.points.iter().map(|point| (x.at(point.0), y.at(point.1)));
        style.draw_on(&mut chart, points.collect(), y.from)?;
        // What has no name only goes on with a line above it.
        if !series.name.is_empty() {
            style.draw_key(&right, &series.name, 60 + 26 * k as i32)?;
        }
    }
    area.present().map_err(|error| error.to_string())
}

/// How a series looks.
enum Style {
    /// A line with points.
    Line(ShapeStyle),
    /// A line without.
    Thin(ShapeStyle),
    /// A cross at each point.
    Marks(ShapeStyle),
    /// Bars from the bottom, from so far to so far beside their place.
    Bars(ShapeStyle, (f64, f64)),
}

impl Style {
    /// Of series `k`, where there are so many lines. Lines that lie on one another get narrower, so that all show.
    fn new(kind: SeriesKind, k: usize, lines: usize, x: &Ruler<'_>) -> Self {
        let colour = COLOURS[k % COLOURS.len()];
        let width = if lines > 1 { [6, 4, 2][k % 3] } else { 2 };
        match kind {
            SeriesKind::Own if matches!(x.scale, Scale::Names(_)) => {
                Self::Bars(colour.filled(), bar_sides(k, lines))
            }
            SeriesKind::Own => Self::Line(colour.stroke_width(width)),
            SeriesKind::Formula => Self::Thin(BLACK.mix(0.6).stroke_width(1)),
            SeriesKind::Published if lines == k => Self::Marks(RED.stroke_width(3)),
            SeriesKind::Published => Self::Marks(BLACK.stroke_width(3)),
        }
    }

    fn draw_on(&self, chart: &mut Chart<'_, '_>, points: Vec<(f64, f64)>, bottom: f64) -> Result<(), String> {
        let drawn = match *self {
            Self::Line(style) => {
                let marks = points.iter().map(|&point| Circle::new(point, 4, style.color.filled()));
                chart.draw_series(marks).map_err(|error| error.to_string())?;
                chart.draw_series(LineSeries::new(points, style))
            }
            Self::Thin(style) => chart.draw_series(LineSeries::new(points, style)),
            Self::Marks(style) => chart.draw_series(points.iter().map(|&point| Cross::new(point, 6, style))),
            Self::Bars(style, (left, right)) => {
                let bar = |&(x, top)| Rectangle::new([(x + left, bottom), (x + right, top)], style);
                chart.draw_series(points.iter().map(bar))
            }
        };
        drawn.map(|_| ()).map_err(|error| error.to_string())
    }

    /// One line of the legend.
    fn draw_key(&self, area: &Legend<'_>, name: &str, y: i32) -> Result<(), String> {
        let line = [(0, y), (22, y)];
        let drawn = match *self {
            Self::Line(style) | Self::Thin(style) => area.draw(&PathElement::new(line, style)),
            Self::Marks(style) => area.draw(&Cross::new((11, y), 6, style)),
            Self::Bars(style, _) => area.draw(&Rectangle::new([(0, y - 6), (22, y + 6)], style)),
        };
        drawn.map_err(|error| error.to_string())?;
        let text = Text::new(name.to_owned(), (30, y - 7), TEXT);
        area.draw(&text).map_err(|error| error.to_string())
    }
}

/// Left and right side of bar `k` of so many that stand side by side around their place.
fn bar_sides(k: usize, bars: usize) -> (f64, f64) {
    let side = |bar: usize| 0.6 * (bar as f64 / bars as f64 - 0.5);
    (side(k), side(k + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Series;

    fn plot(y: Axis<'static>, points: Vec<(f64, f64)>) -> Plot<'static> {
        let series = [SeriesKind::Own, SeriesKind::Published, SeriesKind::Formula]
            .map(|kind| Series::new(format!("{kind:?} <1>"), kind, points.clone()));
        Plot { name: "test", title: "a title", x: Axis::log("nodes"), y, series: series.into() }
    }

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
    fn bars_stand_side_by_side() {
        assert_eq!(bar_sides(0, 1), (-0.3, 0.3));
        assert_eq!([bar_sides(0, 2), bar_sides(1, 2)], [(-0.3, 0.0), (0.0, 0.3)]);
    }

    #[test]
    fn a_plot_has_titles_ticks_and_legend() {
        let svg =
            plot(Axis::linear("simulated time [s]"), vec![(50.0, 1.0), (1000.0, 4.5)]).to_svg().unwrap();
        for text in
            ["<svg", "a title", "nodes", "simulated time [s]", "500", "Own &lt;1&gt;", "Published &lt;1&gt;"]
        {
            assert!(svg.contains(text), "{text} is not in\n{svg}");
        }
    }

    #[test]
    fn what_cannot_be_drawn_is_an_error() {
        for points in [vec![], vec![(0.0, 1.0)], vec![(1.0, f64::NAN), (2.0, f64::INFINITY)]] {
            let error = plot(Axis::linear("seconds"), points).to_svg().unwrap_err();
            assert!(error.to_string().starts_with("plot test: the axis "), "{error}");
        }
    }
}
