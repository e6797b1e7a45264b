//! Predicted over measured times, in an SVG of a few kilobytes.

use crate::Calibration;
use std::fmt::Write;

/// Width and height of the square in which points are, and its distance from the edges, in pixels.
const SIDE: f64 = 560.0;
const LEFT: f64 = 80.0;
const TOP: f64 = 40.0;
const LEGEND: f64 = 150.0;
/// A colour for each group, by their order (Okabe and Ito 2008, which the colour-blind can read).
pub(crate) const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"];

/// Both axes: decimal logarithms of seconds.
struct Axes {
    from: f64,
    to: f64,
}

impl Axes {
    fn x(&self, log: f64) -> f64 {
        LEFT + SIDE * (log - self.from) / (self.to - self.from)
    }

    fn y(&self, log: f64) -> f64 {
        TOP + SIDE * (self.to - log) / (self.to - self.from)
    }
}

/// A point of the picture.
pub(crate) struct Point<'a> {
    /// Seconds, above 0.
    pub(crate) measured: f64,
    /// Seconds, above 0.
    pub(crate) predicted: f64,
    /// What its colour stands for.
    pub(crate) group: &'a str,
    /// What it is.
    pub(crate) title: String,
}

/// A point for each row, by its operation.
pub(crate) fn picture(calibration: &Calibration) -> String {
    let points: Vec<Point<'_>> = calibration
        .rows
        .iter()
        .map(|row| Point {
            measured: row.row.seconds,
            predicted: row.predicted,
            group: row.row.operation.name(),
            title: row.row.name(),
        })
        .collect();
    scatter(&points)
}

/// Predicted over measured times; the thick line is where both are the same, the thin ones a factor of two beside.
pub(crate) fn scatter(points: &[Point<'_>]) -> String {
    let times = || points.iter().flat_map(|point| [point.measured, point.predicted]);
    let least = times().fold(f64::INFINITY, f64::min).log10().floor();
    let most = times().fold(0.0, f64::max).log10().ceil();
    let axes = Axes { from: least, to: most.max(least + 1.0) };
    let (width, height) = (LEFT + SIDE + LEGEND, TOP + SIDE + 60.0);
    let mut svg = begin(width, height);
    frame(&mut svg, &axes);
    let mut groups: Vec<&str> = Vec::new();
    for point in points {
        if !groups.contains(&point.group) {
            groups.push(point.group);
        }
    }
    let colour = |group| {
        let place = groups.iter().position(|known| *known == group).unwrap_or(0);
        COLOURS[place % COLOURS.len()]
    };
    points.iter().for_each(|point| draw(&mut svg, &axes, point, colour(point.group)));
    for (place, group) in groups.iter().enumerate() {
        let y = TOP + 14.0 + 20.0 * place as f64;
        let x = LEFT + SIDE + 16.0;
        let colour = colour(*group);
        put(&mut svg, format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" fill=\"{colour}\"/>"));
        put(&mut svg, format_args!("<text x=\"{}\" y=\"{}\">{group}</text>", x + 10.0, y + 4.0));
    }
    svg + "</svg>\n"
}

/// The head of an SVG of this size, white.
pub(crate) fn begin(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    )
}

pub(crate) fn put(svg: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(svg, "{line}").expect("a text takes all");
}

fn draw(svg: &mut String, axes: &Axes, point: &Point<'_>, colour: &str) {
    let (x, y) = (axes.x(point.measured.log10()), axes.y(point.predicted.log10()));
    let title = escaped(&point.title);
    let percent = 100.0 * (point.predicted / point.measured - 1.0);
    put(
        svg,
        format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\" fill-opacity=\"0.7\"><title>{title}: {percent:+.1} %</title></circle>"
        ),
    );
}

/// A text as it stands in an SVG.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn frame(svg: &mut String, axes: &Axes) {
    let bottom = TOP + SIDE;
    let decades = (axes.to - axes.from).round() as i32;
    for decade in 0..=decades {
        let log = axes.from + f64::from(decade);
        let (x, y, name) = (axes.x(log), axes.y(log), power(log));
        put(svg, format_args!("<path d=\"M{x:.1} {TOP}V{bottom}M{LEFT} {y:.1}h{SIDE}\" stroke=\"#ddd\"/>"));
        put(
            svg,
            format_args!("<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{name}</text>", bottom + 18.0),
        );
        put(
            svg,
            format_args!("<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>", LEFT - 6.0, y + 4.0),
        );
    }
    let two = 2f64.log10();
    for (above, stroke) in [(0.0, "#444\" stroke-width=\"1.5"), (two, "#aaa"), (-two, "#aaa")] {
        let (from, to) = (axes.from + f64::max(-above, 0.0), axes.to - f64::max(above, 0.0));
        let (x1, y1, x2, y2) = (axes.x(from), axes.y(from + above), axes.x(to), axes.y(to + above));
        put(svg, format_args!("<path d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\" stroke=\"{stroke}\"/>"));
    }
    let middle = SIDE / 2.0;
    put(
        svg,
        format_args!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">measured time</text>",
            LEFT + middle,
            bottom + 44.0
        ),
    );
    put(
        svg,
        format_args!(
            "<text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\">predicted time</text>",
            TOP + middle
        ),
    );
    put(
        svg,
        format_args!(
            "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"#444\"/>"
        ),
    );
}

/// A power of ten of seconds, with its unit.
pub(crate) fn power(log: f64) -> String {
    let (log, unit) = match log.round() as i32 {
        log @ ..=-10 => (log + 12, "ps"),
        log @ -9..=-7 => (log + 9, "ns"),
        log @ -6..=-4 => (log + 6, "us"),
        log @ -3..=-1 => (log + 3, "ms"),
        log => (log, "s"),
    };
    format!("{} {unit}", 10f64.powi(log))
}
