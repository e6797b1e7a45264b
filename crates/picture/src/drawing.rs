//! Elements of an SVG file, at whole pixels.

use std::fmt::{self, Display, Write};
use std::sync::LazyLock;

/// The colors of all pictures and pages, as a style sheet: light ones first, then those for dark screens.
pub const PALETTE: &str = include_str!("palette.css");
/// Numbers of colors that the palette has for runs, and for its scale.
const RUNS: usize = 9;
const SCALE: usize = 6;
pub(crate) const BLACK: &str = "#000000";
/// Font sizes of text and of headings.
pub(crate) const TEXT: f64 = 15.0 / 1.24;
pub(crate) const HEADING: f64 = 18.0 / 1.24;

/// Red, green and blue of a color of the palette for light screens.
fn channels(name: &str) -> [f64; 3] {
    let mark = format!("--{name}: #");
    let at = PALETTE.find(&mark).expect("the palette has it") + mark.len();
    [0, 2, 4].map(|from| {
        f64::from(u8::from_str_radix(&PALETTE[at + from..at + from + 2], 16).expect("two digits of a color"))
    })
}

/// A color so far from one to another, 0 to 1.
fn mixed(from: [f64; 3], to: [f64; 3], part: f64) -> String {
    let one = |channel: usize| (from[channel] + (to[channel] - from[channel]) * part).round();
    format!("#{:02X}{:02X}{:02X}", one(0) as u8, one(1) as u8, one(2) as u8)
}

/// The color of a place in a legend: those of runs, then lighter ones of them.
pub(crate) fn color(place: usize) -> &'static str {
    static COLORS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let lighter = |part: f64| move |run: usize| mixed(channels(&format!("run-{run}")), [255.0; 3], part);
        (0..RUNS).map(lighter(0.0)).chain((0..RUNS).map(lighter(0.5))).collect()
    });
    &COLORS[place % COLORS.len()]
}

/// The color of a part of the scale, 0 to 1.
pub(crate) fn shade(part: f64) -> String {
    let place = part.clamp(0.0, 1.0) * (SCALE - 1) as f64;
    let low = (place as usize).min(SCALE - 2);
    let stop = |at: usize| channels(&format!("scale-{at}"));
    mixed(stop(low), stop(low + 1), place - low as f64)
}

/// Side of its place on which a text stands, and how it is aligned vertically.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    /// Centered, below the place.
    Below,
    /// Centered, above the place.
    Above,
    /// Centered in both directions.
    Middle,
    /// Left of the place, centered vertically.
    Left,
    /// Right of the place, below it.
    Right,
    /// Centered and turned so that it is read upwards.
    Upwards,
}

/// A figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    width: i32,
    height: i32,
    elements: String,
}

impl Drawing {
    /// A white area of this width and height, in pixels.
    pub(crate) fn new(width: i32, height: i32) -> Self {
        let mut drawing = Self { width, height, elements: String::new() };
        drawing.rectangle((0, 0), (width, height), "#FFFFFF");
        drawing
    }

    /// Figures one below the other.
    pub fn stacked(drawings: Vec<Self>) -> Self {
        if drawings.len() == 1 {
            return drawings.into_iter().next().expect("there is one");
        }
        let width = drawings.iter().map(|drawing| drawing.width).max().unwrap_or(1);
        let mut all = Self::new(width, drawings.iter().map(|drawing| drawing.height).sum());
        let mut top = 0;
        for drawing in drawings {
            all.put(format_args!("<g transform=\"translate(0, {top})\">\n{}</g>", drawing.elements));
            top += drawing.height;
        }
        all
    }

    /// Figures side by side.
    pub fn beside(drawings: Vec<Self>) -> Self {
        let height = drawings.iter().map(|drawing| drawing.height).max().unwrap_or(1);
        let mut all = Self::new(drawings.iter().map(|drawing| drawing.width).sum(), height);
        let mut left = 0;
        for drawing in drawings {
            all.put(format_args!("<g transform=\"translate({left}, 0)\">\n{}</g>", drawing.elements));
            left += drawing.width;
        }
        all
    }

    /// The figure as a page of its own.
    pub fn to_page(&self, title: &str) -> String {
        let title = escaped(title);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title}</title></head>\n<body>\n{self}</body>\n</html>\n"
        )
    }

    fn put(&mut self, element: impl Display) {
        writeln!(self.elements, "{element}").expect("a string takes all text");
    }

    /// Adds an element that shows a text while the pointer is on it.
    fn put_titled(&mut self, element: &str, title: Option<&str>) {
        match (title, element.split_once(' ')) {
            (Some(title), Some((tag, rest))) => {
                self.put(format_args!("<{tag} {rest}><title>{}</title></{tag}>", escaped(title)));
            }
            _ => self.put(format_args!("<{element}/>")),
        }
    }

    pub(crate) fn rectangle(&mut self, (x, y): (i32, i32), (width, height): (i32, i32), fill: &str) {
        self.put(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" opacity=\"1\" fill=\"{fill}\" stroke=\"none\"/>"
        ));
    }

    pub(crate) fn circle(&mut self, (x, y): (i32, i32), opacity: f64, fill: &str, title: Option<&str>) {
        let circle = format!(
            "circle cx=\"{x}\" cy=\"{y}\" r=\"4\" opacity=\"{opacity}\" fill=\"{fill}\" stroke=\"none\" stroke-width=\"1\""
        );
        self.put_titled(&circle, title);
    }

    /// A straight line; `stroke` has its opacity, color and width.
    pub(crate) fn line(&mut self, from: (i32, i32), to: (i32, i32), (opacity, color, width): Stroke) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.put(format_args!(
            "<line opacity=\"{opacity}\" stroke=\"{color}\" stroke-width=\"{width}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"
        ));
    }

    /// A line through points.
    pub(crate) fn path(
        &mut self,
        points: impl IntoIterator<Item = (i32, i32)>,
        (opacity, color, width): Stroke,
    ) {
        let points: String = points.into_iter().map(|(x, y)| format!("{x},{y} ")).collect();
        self.put(format_args!(
            "<polyline fill=\"none\" opacity=\"{opacity}\" stroke=\"{color}\" stroke-width=\"{width}\" points=\"{points}\"/>"
        ));
    }

    /// A cross of two lines.
    pub(crate) fn cross(&mut self, (x, y): (i32, i32), stroke: Stroke) {
        self.line((x - 6, y - 6), (x + 6, y + 6), stroke);
        self.line((x - 6, y + 6), (x + 6, y - 6), stroke);
    }

    pub(crate) fn text(&mut self, (x, y): (i32, i32), anchor: Anchor, (size, ink): (f64, &str), text: &str) {
        let (dy, side) = match anchor {
            Anchor::Below | Anchor::Upwards => ("0.76em", "middle"),
            Anchor::Above => ("-0.5ex", "middle"),
            Anchor::Middle => ("0.5ex", "middle"),
            Anchor::Left => ("0.5ex", "end"),
            Anchor::Right => ("0.76em", "start"),
        };
        let turned = match anchor {
            Anchor::Upwards => format!(" transform=\"rotate(270, {x}, {y})\""),
            _ => String::new(),
        };
        self.put(format_args!(
            "<text x=\"{x}\" y=\"{y}\" dy=\"{dy}\" text-anchor=\"{side}\" font-family=\"sans-serif\" font-size=\"{size}\" opacity=\"1\" \
             fill=\"{ink}\"{turned}>\n{}\n</text>",
            escaped(text)
        ));
    }

    /// Draws elements together, which show a text while the pointer is on them.
    pub(crate) fn group(&mut self, title: &str, draw: impl FnOnce(&mut Self)) {
        self.put(format_args!("<g><title>{}</title>", escaped(title)));
        draw(self);
        self.put("</g>");
    }
}

impl Display for Drawing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, height, elements } = self;
        write!(
            out,
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" xmlns=\"http://www.w3.org/2000/svg\">\n{elements}</svg>\n"
        )
    }
}

/// Opacity, color and width of a line.
pub(crate) type Stroke = (f64, &'static str, u32);

/// A text as it stands in SVG and HTML.
fn escaped(text: &str) -> String {
    const MARKS: [(char, &str); 5] =
        [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&apos;")];
    MARKS.iter().fold(text.to_owned(), |text, (mark, name)| text.replace(*mark, name))
}
