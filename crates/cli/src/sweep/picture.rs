//! A sweep as a picture: lines of a number of the summary over one key, a line for each of the other values; or a heat map over two.

use super::design::Design;
use super::quantity::{Unit, numbers};
use super::saturation;
use super::study::PictureKeys;
use super::table::number;
use crate::svg::escaped;
use serde_json::Value;
use std::fmt::Write;
use weir_papers::{Axis, Plot, Scale, Series, SeriesKind};

/// With more lines a colour stands for too many of them.
const MOST_LINES: usize = 24;

/// What is drawn.
const USUAL: &str = "simulated_s";

/// The picture as an SVG, or why there is none.
pub(super) fn picture(
    design: &Design,
    keys: &PictureKeys,
    points: &[(usize, &Value)],
) -> Result<String, String> {
    let value = keys.value.as_deref().unwrap_or(USUAL);
    let varied: Vec<&str> = design.named_by().into_iter().filter(|key| *key != "seed").collect();
    let x = keys.x.as_deref().or_else(|| varied.first().copied()).unwrap_or("seed");
    let finished: Vec<Drawn> = points
        .iter()
        .filter(|(_, line)| line["why"].is_null())
        .filter_map(|&(point, line)| Some(Drawn { point, number: number(&line["summary"], value)? }))
        .collect();
    if finished.is_empty() {
        return Err(format!("no point that has finished has a number {value} in its summary"));
    }
    match keys.rows.as_deref() {
        Some(rows) => Ok(heat_map(design, (x, rows, value), &finished)),
        None => lines(design, (x, value), &varied, &finished),
    }
}

/// A number of a point.
struct Drawn {
    point: usize,
    number: f64,
}

fn of<'a>(design: &'a Design, drawn: &Drawn, key: &str) -> &'a str {
    design.value(drawn.point, key).unwrap_or("")
}

/// Values of a key in the order in which they come, or as numbers in theirs.
fn values<'a>(design: &'a Design, key: &str, drawn: &[Drawn]) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for value in drawn.iter().map(|drawn| of(design, drawn, key)) {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    if let Some((places, _)) = numbers(found.iter().copied()) {
        let mut sorted: Vec<(f64, &str)> = places.into_iter().zip(found).collect();
        sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
        found = sorted.into_iter().map(|(_, value)| value).collect();
    }
    found
}

/// The middle one of some numbers: what seeds have in common.
fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.get(numbers.len() / 2).copied()?;
    let below = if numbers.len().is_multiple_of(2) { numbers[numbers.len() / 2 - 1] } else { middle };
    Some(f64::midpoint(below, middle))
}

fn lines(
    design: &Design,
    (x, value): (&str, &str),
    varied: &[&str],
    drawn: &[Drawn],
) -> Result<String, String> {
    let places = values(design, x, drawn);
    let at_numbers = numbers(places.iter().copied());
    let at = |index: usize| at_numbers.as_ref().map_or(index as f64, |(numbers, _)| numbers[index]);
    let others: Vec<&str> = varied.iter().copied().filter(|key| *key != x).collect();
    let name = |drawn: &Drawn| {
        let parts = others.iter().map(|key| of(design, drawn, key)).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(", ")
    };
    let mut names: Vec<String> = Vec::new();
    for drawn in drawn {
        let name = name(drawn);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.len() > MOST_LINES {
        let hint = "name two keys in [study.picture], x and rows: a heat map";
        return Err(format!(
            "there would be {} lines; at most {MOST_LINES} are drawn\n\nhint: {hint}",
            names.len()
        ));
    }
    let series = names.iter().map(|line| {
        let point = |index: usize| {
            let here =
                drawn.iter().filter(|drawn| of(design, drawn, x) == places[index] && name(drawn) == *line);
            median(here.map(|drawn| drawn.number).collect()).map(|number| (at(index), number))
        };
        let points = (0..places.len()).filter_map(point).collect();
        let label = if line.is_empty() { value.to_owned() } else { line.clone() };
        Series { name: label, kind: SeriesKind::Own, points }
    });
    let mut series: Vec<Series> = series.collect();
    let is_load_latency = at_numbers.is_some() && saturation::is_load_latency(x, value);
    if is_load_latency {
        series = saturation::marked(series);
    }
    let y = in_suitable_unit(value, &mut series);
    let spread = |values: &mut dyn Iterator<Item = f64>| {
        let (least, most) =
            values.fold((f64::INFINITY, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
        least > 0.0 && most / least > 20.0
    };
    let is_log_y = !is_load_latency
        && spread(&mut series.iter().flat_map(|series| series.points.iter().map(|point| point.1)));
    let label = at_numbers.as_ref().map_or(Unit::None, |(_, unit)| *unit).behind(x);
    let x = match &at_numbers {
        Some((numbers, _)) if spread(&mut numbers.iter().copied()) => Axis::log(&label),
        Some(_) => Axis::span(&label),
        None => Axis { label: x, scale: Scale::Names(places.clone()) },
    };
    let y = if is_log_y { Axis::log(&y) } else { Axis::linear(&y) };
    let title = format!("{value} over {}", x.label);
    let plot = Plot { name: "picture", title: &title, x, y, series };
    plot.to_svg().map_err(|error| error.to_string())
}

/// Brings numbers of seconds to the unit of their greatest; what stands at their axis.
fn in_suitable_unit(value: &str, series: &mut [Series]) -> String {
    let points = |series: &Series| series.points.iter().map(|point| point.1).fold(0.0, f64::max);
    let (name, scale) = suitable_unit(value, series.iter().map(points).fold(0.0, f64::max));
    for point in series.iter_mut().flat_map(|series| &mut series.points) {
        point.1 /= scale;
    }
    name
}

/// What a number of seconds is called in the unit of the greatest of them, and what they are divided by; others stay as they are.
fn suitable_unit(value: &str, most: f64) -> (String, f64) {
    let Some(name) = value.strip_suffix("_s").filter(|name| !name.ends_with("_per")) else {
        return (value.to_owned(), 1.0);
    };
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us")];
    let (scale, unit) = units.into_iter().find(|(scale, _)| most >= *scale).unwrap_or((1e-9, "ns"));
    (format!("{name} [{unit}]"), scale)
}

/// Width and height of a field of the map, and its distance from the edges, in pixels.
const FIELD: (f64, f64) = (76.0, 34.0);
const LEFT: f64 = 150.0;
const TOP: f64 = 44.0;
const FOOT: f64 = 64.0;

fn heat_map(design: &Design, (x, y, value): (&str, &str, &str), drawn: &[Drawn]) -> String {
    let (columns, rows) = (values(design, x, drawn), values(design, y, drawn));
    let field = |column: &str, row: &str| {
        let here = drawn.iter().filter(|drawn| of(design, drawn, x) == column && of(design, drawn, y) == row);
        median(here.map(|drawn| drawn.number).collect())
    };
    let least = drawn.iter().map(|drawn| drawn.number).fold(f64::INFINITY, f64::min);
    let most = drawn.iter().map(|drawn| drawn.number).fold(f64::NEG_INFINITY, f64::max);
    let is_log = least > 0.0 && most / least > 20.0;
    let part = |number: f64| match (most > least, is_log) {
        (false, _) => 0.0,
        (true, true) => (number / least).ln() / (most / least).ln(),
        (true, false) => (number - least) / (most - least),
    };
    let (across, down) = (columns.len() as f64 * FIELD.0, rows.len() as f64 * FIELD.1);
    let (name, scale) = suitable_unit(value, most);
    let title = format!("{name} over {x} and {y}");
    // A letter is nine pixels wide at the most.
    let (width, height) = ((LEFT + across).max(9.0 * title.len() as f64) + 20.0, TOP + down + FOOT);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"8\" y=\"24\" font-size=\"16\">{}</text>\n",
        escaped(&title)
    );
    let mut put = |line: std::fmt::Arguments<'_>| writeln!(svg, "{line}").expect("a text takes all");
    for (place, row) in rows.iter().enumerate() {
        let top = TOP + place as f64 * FIELD.1;
        let line = top + FIELD.1 / 2.0 + 4.0;
        put(format_args!(
            "<text x=\"{}\" y=\"{line}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            escaped(row)
        ));
        for (place, column) in columns.iter().enumerate() {
            let left = LEFT + place as f64 * FIELD.0;
            let Some(number) = field(column, row) else { continue };
            let part = part(number);
            // From light yellow to dark blue: dark is much, with and without colours.
            let mix = |from: f64, to: f64| (from + (to - from) * part).round();
            let colour = format!("rgb({},{},{})", mix(255.0, 8.0), mix(247.0, 48.0), mix(188.0, 107.0));
            let ink = if part > 0.5 { "white" } else { "black" };
            put(format_args!(
                "<rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" fill=\"{colour}\"><title>{}</title></rect>",
                FIELD.0,
                FIELD.1,
                escaped(&format!("{x} = {column}, {y} = {row}: {value} = {number}"))
            ));
            put(format_args!(
                "<text x=\"{}\" y=\"{line}\" text-anchor=\"middle\" fill=\"{ink}\" pointer-events=\"none\">{}</text>",
                left + FIELD.0 / 2.0,
                short(number / scale)
            ));
        }
    }
    for (place, column) in columns.iter().enumerate() {
        let middle = LEFT + (place as f64 + 0.5) * FIELD.0;
        let line = TOP + down + 18.0;
        put(format_args!(
            "<text x=\"{middle}\" y=\"{line}\" text-anchor=\"middle\">{}</text>",
            escaped(column)
        ));
    }
    let (middle, line) = (LEFT + across / 2.0, TOP + down + 40.0);
    put(format_args!("<text x=\"{middle}\" y=\"{line}\" text-anchor=\"middle\">{}</text>", escaped(x)));
    svg + "</svg>\n"
}

/// Three digits.
fn short(number: f64) -> String {
    let plain = (1e-3..1e5).contains(&number.abs()) || number == 0.0;
    let exact = format!("{number:.2e}");
    if plain { exact.parse::<f64>().map_or(exact, |number| number.to_string()) } else { exact }
}
