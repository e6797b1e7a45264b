//! Load-latency curves: where the network is saturated, and how far up the picture goes.
//!
//! Latency beyond saturation grows with how long the run was, and says nothing of the network; so the picture ends above saturation.

use weir_picture::{Series, SeriesKind};

/// The key to the right in a load-latency curve.
const LOAD: &str = "workload.offered_load";
/// A network counts as saturated where latency is so many times that at the least load.
const SATURATED: f64 = 3.0;
/// The picture goes up to so many times the greatest latency at the least load.
const TOP: f64 = 5.0;

/// Returns whether a picture of this number over this key is a load-latency curve.
pub(super) fn is_load_latency(x: &str, value: &str) -> bool {
    x == LOAD && value.contains("latency")
}

/// The load at which a curve passes so many times its first latency, between the points on both sides of it.
fn crossing(points: &[(f64, f64)], latency: f64) -> Option<(f64, f64)> {
    let pair = points.windows(2).find(|pair| pair[0].1 <= latency && pair[1].1 > latency)?;
    let part = (latency - pair[0].1) / (pair[1].1 - pair[0].1);
    Some((pair[0].0 + part * (pair[1].0 - pair[0].0), latency))
}

/// The curves up to the top of the picture, with the load of saturation behind their names; then a mark there on each, and thin lines
/// to points above the top.
pub(super) fn marked(curves: Vec<Series>) -> Vec<Series> {
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
        let above = curve.points.iter().position(|point| point.1 > top);
        if let (Some(end), Some(above)) = (crossing(&curve.points, top), above) {
            let points = vec![curve.points[above - 1], end];
            rising.push(Series::new("", SeriesKind::Formula, points));
            curve.points.truncate(above);
        }
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
