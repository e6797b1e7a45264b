//! A sweep as a picture: lines of a number of the summary over one key, a line for each of the other values; or a heat map over two.

use super::Done;
use super::design::{Design, LOAD, quantities};
use super::rows::number;
use super::study::PictureKeys;
use weir_picture::{Axis, Drawing, Field, HeatMap, Paint, Plot, Series, SeriesKind, Unit, suitable_unit};

/// With more lines than this a color stands for too many of them.
const MOST_LINES: usize = 24;

/// The number that is drawn unless the study names one.
const USUAL: &str = "simulated_s";

/// A network counts as saturated where latency is so many times that at the least load.
pub(super) const SATURATED: f64 = 3.0;
/// The picture goes up to so many times the greatest latency at the least load.
pub(super) const TOP: f64 = 5.0;

/// The picture, or the reason that there is none.
pub(super) fn picture(design: &Design, keys: &PictureKeys, points: &[Done]) -> Result<Drawing, String> {
    let value = keys.value.as_deref().unwrap_or(USUAL);
    let varied: Vec<&str> = design.named_by().into_iter().filter(|key| *key != "seed").collect();
    let x = keys.x.as_deref().or_else(|| varied.first().copied()).unwrap_or("seed");
    let finished: Vec<Drawn> = points
        .iter()
        .filter(|done| done.why().is_none())
        .filter_map(|done| Some(Drawn { point: done.point, number: number(&done.line["summary"], value)? }))
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
    if let Some((places, _)) = quantities(found.iter().copied()) {
        let mut sorted: Vec<(f64, &str)> = places.into_iter().zip(found).collect();
        sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
        found = sorted.into_iter().map(|(_, value)| value).collect();
    }
    found
}

/// The middle one of the numbers of some points: what seeds have in common.
fn median<'a>(drawn: impl Iterator<Item = &'a Drawn>) -> Option<f64> {
    let mut numbers: Vec<f64> = drawn.map(|drawn| drawn.number).collect();
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.get(numbers.len() / 2).copied()?;
    let below = if numbers.len().is_multiple_of(2) { numbers[numbers.len() / 2 - 1] } else { middle };
    Some(f64::midpoint(below, middle))
}

/// The name of a number of the summary without its unit if it is in seconds, which are drawn in the unit that suits them.
fn named(value: &str) -> (&str, Unit) {
    match value.strip_suffix("_s").filter(|name| !name.ends_with("_per")) {
        Some("simulated") => ("simulated time", Unit::Seconds),
        Some(name) => (name, Unit::Seconds),
        None => (value, Unit::Named),
    }
}

/// The least and the greatest number, and whether they are so far apart that a logarithmic scale shows them better.
fn extent(numbers: impl Iterator<Item = f64>) -> (f64, f64, bool) {
    let (least, most) = numbers
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)));
    (least, most, least > 0.0 && most / least > 20.0)
}

fn lines(
    design: &Design,
    (x, value): (&str, &str),
    varied: &[&str],
    drawn: &[Drawn],
) -> Result<Drawing, String> {
    let places = values(design, x, drawn);
    let at_numbers = quantities(places.iter().copied());
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
            let here = |drawn: &&Drawn| of(design, drawn, x) == places[index] && name(drawn) == *line;
            median(drawn.iter().filter(here)).map(|number| (at(index), number))
        };
        let label = if line.is_empty() { value } else { line };
        Series::new(label, SeriesKind::Own, (0..places.len()).filter_map(point).collect())
    });
    let mut series: Vec<Series> = series.collect();
    let is_load_latency = at_numbers.is_some() && is_load_latency(x, value);
    if is_load_latency {
        series = marked(series);
    }
    let heights = series.iter().flat_map(|series| series.points.iter().map(|point| point.1));
    let is_log_y = !is_load_latency && extent(heights).2;
    if is_log_y && at_numbers.is_none() {
        // Bars on a logarithmic axis would have no meaningful length.
        series.iter_mut().for_each(|series| series.kind = SeriesKind::Points);
    }
    let label = at_numbers.as_ref().map_or_else(|| x.to_owned(), |(_, unit)| unit.behind(x));
    let x = match &at_numbers {
        Some((numbers, _)) if extent(numbers.iter().copied()).2 => Axis::log(&label),
        Some(_) => Axis::span(&label),
        None => Axis::names(&label, places.clone()),
    };
    let (name, unit) = named(value);
    let y = if is_log_y { Axis::log(name) } else { Axis::linear(name) }.of(unit);
    let title = format!("{value} over {label}");
    let plot = Plot { name: "picture", title: &title, x, y, series };
    plot.draw().map_err(|error| error.to_string())
}

fn heat_map(design: &Design, (x, y, value): (&str, &str, &str), drawn: &[Drawn]) -> Drawing {
    let (columns, rows) = (values(design, x, drawn), values(design, y, drawn));
    let (least, most, is_log) = extent(drawn.iter().map(|drawn| drawn.number));
    let part = |number: f64| match (most > least, is_log) {
        (false, _) => 0.0,
        (true, true) => (number / least).ln() / (most / least).ln(),
        (true, false) => (number - least) / (most - least),
    };
    let (scale, name) = match named(value) {
        (name, Unit::Seconds) => {
            let (scale, unit) = suitable_unit(most);
            (scale, format!("{name} [{unit}]"))
        }
        (name, _) => (1.0, name.to_owned()),
    };
    let field = |(row, column): (usize, usize)| {
        let (at_x, at_y) = (columns[column], rows[row]);
        let here = |drawn: &&Drawn| of(design, drawn, x) == at_x && of(design, drawn, y) == at_y;
        let number = median(drawn.iter().filter(here))?;
        let title = format!("{x} = {at_x}, {y} = {at_y}: {value} = {number}");
        Some(Field { column, row, paint: Paint::Shade(part(number)), text: short(number / scale), title })
    };
    let places = (0..rows.len()).flat_map(|row| (0..columns.len()).map(move |column| (row, column)));
    let fields = places.filter_map(field).collect();
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    HeatMap {
        title: format!("{name} over {x} and {y}"),
        below: x.to_owned(),
        columns: texts(&columns),
        rows: texts(&rows),
        legend: Vec::new(),
        fields,
    }
    .draw()
}

/// Writes a number with three digits.
fn short(number: f64) -> String {
    let plain = (1e-3..1e5).contains(&number.abs()) || number == 0.0;
    let exact = format!("{number:.2e}");
    if plain { exact.parse::<f64>().map_or(exact, |number| number.to_string()) } else { exact }
}

/// Returns whether a picture of this number over this key is a load-latency curve.
fn is_load_latency(x: &str, value: &str) -> bool {
    x == LOAD && value.contains("latency")
}

/// The load at which a curve passes so many times its first latency, between the points on both sides of it.
fn crossing(points: &[(f64, f64)], latency: f64) -> Option<(f64, f64)> {
    let pair = points.windows(2).find(|pair| pair[0].1 <= latency && pair[1].1 > latency)?;
    let part = (latency - pair[0].1) / (pair[1].1 - pair[0].1);
    Some((pair[0].0 + part * (pair[1].0 - pair[0].0), latency))
}

/// The curves up to the top of the picture: latency beyond saturation grows with how long the run was, and says nothing of the network.
/// They have the load of saturation behind their names; then come a mark there on each, and thin lines
/// to points above the top.
fn marked(curves: Vec<Series>) -> Vec<Series> {
    let first = |curve: &Series| curve.points.first().map_or(0.0, |point| point.1);
    let top = TOP * curves.iter().map(first).fold(0.0, f64::max);
    let least = curves
        .iter()
        .filter_map(|curve| curve.points.first())
        .map(|point| point.0)
        .fold(f64::INFINITY, f64::min);
    let (mut marks, mut rising) = (Vec::new(), Vec::new());
    let curve = |mut curve: Series| {
        if let Some(mark) = crossing(&curve.points, SATURATED * first(&curve)) {
            curve.name = format!("{}: {:.3}", curve.name, mark.0);
            marks.push(mark);
        }
        let (curve, above) = below(curve, top);
        rising.extend(above);
        curve
    };
    let mut series: Vec<Series> = curves.into_iter().map(curve).collect();
    if !marks.is_empty() {
        let name = format!("saturated: {SATURATED} x that at {least}");
        series.push(Series::new(name, SeriesKind::Published, marks));
    }
    series.extend(rising);
    series
}

/// A curve up to the top of the picture, and a thin line to its first point above.
pub(super) fn below(mut curve: Series, top: f64) -> (Series, Option<Series>) {
    let above = curve.points.iter().position(|point| point.1 > top);
    let rising = crossing(&curve.points, top).zip(above).map(|(end, above)| {
        let points = vec![curve.points[above - 1], end];
        curve.points.truncate(above);
        Series::new("", SeriesKind::Formula, points)
    });
    (curve, rising)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, points: &[(f64, f64)]) -> Series {
        Series::new(name, SeriesKind::Own, points.into())
    }

    /// ```text
    ///  a: 1 at 0.1, 2 at 0.3, 4 at 0.5: three times 1 is half way from 0.3 to 0.5. It leaves the picture, which ends at 5 x 2, between
    ///     0.5 (4) and 0.7 (16): half way.
    ///  b: 2 at 0.1, never more than 5
    /// ```
    #[test]
    fn saturation_is_between_points_and_the_picture_ends_above_it() {
        let a = curve("a", &[(0.1, 1.0), (0.3, 2.0), (0.5, 4.0), (0.7, 16.0), (0.9, 90.0)]);
        let b = curve("b", &[(0.1, 2.0), (0.9, 5.0)]);
        let found = marked(vec![a, b.clone()]);
        let names: Vec<&str> = found.iter().map(|series| series.name.as_str()).collect();
        assert_eq!(names, ["a: 0.400", "b", "saturated: 3 x that at 0.1", ""]);
        assert_eq!(found[0].points, [(0.1, 1.0), (0.3, 2.0), (0.5, 4.0)]);
        assert_eq!(found[1], b);
        assert!((found[2].points[0].0 - 0.4).abs() < 1e-12 && found[2].points[0].1 == 3.0);
        let end = found[3].points[1];
        assert_eq!(found[3].points[0], (0.5, 4.0));
        assert!((end.0 - 0.6).abs() < 1e-12 && end.1 == 10.0, "{end:?}");
        assert!(!is_load_latency(LOAD, "simulated_s") && is_load_latency(LOAD, "latency_p99_s"));
        assert_eq!(marked(vec![b.clone()]), [b]);
    }
}
