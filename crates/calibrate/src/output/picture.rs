//! Predicted over measured times, as a figure.

use crate::Calibration;
use weir_picture::{Axis, Plot, Series, SeriesKind, Unit};

impl Calibration {
    /// Predicted over measured times, as SVG: a point for each row, in the color of its operation; the lines are where both times are
    /// the same and a factor of two beside.
    #[must_use]
    pub fn picture(&self) -> String {
        let rows = &self.rows;
        let times = || rows.iter().flat_map(|row| [row.row.seconds, row.predicted]);
        let (least, most) = (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max));
        let mut series: Vec<Series> = Vec::new();
        for fitted in rows {
            let name = fitted.row.operation.name();
            let at = series.iter().position(|known| known.name == name).unwrap_or_else(|| {
                series.push(Series::new(name, SeriesKind::Points, Vec::new()));
                series.len() - 1
            });
            let percent = 100.0 * (fitted.predicted / fitted.row.seconds - 1.0);
            series[at].points.push((fitted.row.seconds, fitted.predicted));
            series[at].titles.push(format!("{}: {percent:+.1} %", fitted.row.name()));
        }
        let line = |name: &str, from, to| Series::new(name, SeriesKind::Formula, vec![from, to]);
        series.push(line("the same, twice, half", (least, least), (most, most)));
        if most > 2.0 * least {
            series.push(line("", (least, 2.0 * least), (most / 2.0, most)));
            series.push(line("", (2.0 * least, least), (most, most / 2.0)));
        }
        let axis = |label| Axis::log(label).of(Unit::Seconds).with_room(least, most);
        let (x, y) = (axis("measured time"), axis("predicted time"));
        let plot = Plot { name: "picture", title: "Predicted over measured times", x, y, series };
        plot.draw().expect("measured and predicted times are above 0, and there are rows").to_string()
    }
}
