//! The picture of a load study: latency and accepted load over the load that is offered, side by side. Where rules are compared each pattern
//! has a row, in which a rule has the same color; else all patterns are in one.

use super::curve::Curve;
use crate::sweep::picture::{TOP, below};
use crate::text::short;
use weir_picture::{Axis, Drawing, Plot, Series, SeriesKind, Unit};

/// With more lines in a plot than this a color stands for too many of them.
const MOST_LINES: usize = 18;

/// Draws all curves; an error says why not.
pub(super) fn picture(curves: &[Curve]) -> Result<Drawing, String> {
    let compares_rules = curves.windows(2).any(|pair| pair[0].pattern == pair[1].pattern);
    let rows: Vec<&[Curve]> = match compares_rules {
        true => curves.chunk_by(|one, next| one.pattern == next.pattern).collect(),
        false => vec![curves],
    };
    if let Some(row) = rows.iter().find(|row| row.len() > MOST_LINES) {
        return Err(format!("there would be {} lines in a plot; at most {MOST_LINES} are drawn", row.len()));
    }
    let drawn = rows.into_iter().map(|row| Ok(Drawing::beside(row_of(row, compares_rules)?)));
    drawn.collect::<Result<Vec<_>, String>>().map(Drawing::stacked)
}

fn row_of(curves: &[Curve], of_one_pattern: bool) -> Result<Vec<Drawing>, String> {
    let of = if of_one_pattern { format!(": {}", curves[0].pattern) } else { String::new() };
    let name = |curve: &Curve| if of_one_pattern { curve.rule.clone() } else { curve.name() };
    let x = || Axis::linear("offered load [part of the injection bandwidth]").with_room(0.0, 1.0);
    let latency = Plot {
        name: "latency",
        title: &format!("latency over offered load{of}"),
        x: x(),
        y: Axis::linear("mean latency").of(Unit::Seconds),
        series: latencies(curves, &name),
    };
    let accepted = Plot {
        name: "accepted load",
        title: &format!("accepted load over offered load{of}"),
        x: x(),
        y: Axis::linear("accepted load [part of the injection bandwidth]").with_room(0.0, 1.0),
        series: accepted(curves, &name),
    };
    [latency, accepted].map(|plot| plot.draw().map_err(|error| error.to_string())).into_iter().collect()
}

/// A cross on each curve at the last load that the network carries.
fn marks(curves: &[Curve], height: impl Fn(&Curve, usize) -> Option<f64>) -> Series {
    let mark = |curve: &Curve| {
        let load = curve.saturation().carried.filter(|_| curve.saturation().not_carried.is_some())?;
        let place = curve.points.iter().position(|point| point.load == load)?;
        Some((load, height(curve, place)?))
    };
    Series::new("saturation", SeriesKind::Published, curves.iter().filter_map(mark).collect())
}

/// Each curve up to the top of the plot, the line of its zero-load latency up to saturation, and marks.
fn latencies(curves: &[Curve], name: &impl Fn(&Curve) -> String) -> Vec<Series> {
    let top = TOP * curves.iter().filter_map(Curve::zero_load_latency).fold(0.0, f64::max);
    let (mut series, mut thin) = (Vec::new(), Vec::new());
    for curve in curves {
        let zero_load = curve.zero_load_latency();
        let points = curve.points.iter().filter_map(|point| Some((point.load, point.latency()?))).collect();
        let label =
            zero_load.map_or_else(|| name(curve), |latency| format!("{}: {}", name(curve), short(latency)));
        let (curve_below, above) = below(Series::new(label, SeriesKind::Own, points), top);
        series.push(curve_below);
        if let Some(latency) = zero_load {
            let last = curve.saturation().carried.unwrap_or(curve.points[0].load);
            let name = if thin.is_empty() { "level: zero-load latency" } else { "" };
            thin.push(Series::new(name, SeriesKind::Formula, vec![(0.0, latency), (last, latency)]));
        }
        thin.extend(above);
    }
    let marks = marks(curves, |curve, place| curve.points[place].latency());
    series.extend(Some(marks).filter(|marks| !marks.points.is_empty()));
    series.extend(thin);
    series
}

fn accepted(curves: &[Curve], name: &impl Fn(&Curve) -> String) -> Vec<Series> {
    let one = |curve: &Curve| {
        let points: Vec<(f64, f64)> =
            curve.points.iter().filter_map(|point| Some((point.load, point.accepted()?))).collect();
        let last = points.last().map_or_else(String::new, |point| format!(": {:.3} at {}", point.1, point.0));
        Series::new(name(curve) + &last, SeriesKind::Own, points)
    };
    let mut series: Vec<Series> = curves.iter().map(one).collect();
    let marks = marks(curves, |curve, place| curve.points[place].accepted());
    series.extend(Some(marks).filter(|marks| !marks.points.is_empty()));
    series.push(Series::new("accepted = offered", SeriesKind::Formula, vec![(0.0, 0.0), (1.0, 1.0)]));
    series
}
