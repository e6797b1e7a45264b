//! Files, pictures and texts that a calibration writes.

mod machine_file;
mod suspects;

use crate::{Calibration, FittedRow};
use csv::WriterBuilder;
use weir_picture::{Axis, Plot, Series, SeriesKind, Unit};

const HEAD: &str = "line,collective,algorithm,bytes,set,measured_ns,predicted_ns,predicted_over_measured,fold,unseen_over_measured,left_out";

impl Calibration {
    /// Predicted over measured times, as SVG: a point for each row, in the color of its operation; the lines are where both times are
    /// the same and a factor of two beside.
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

    /// All rows with their errors, and those that were left out, as CSV. Columns: the row's line in the file (with several, behind its
    /// name), the benchmark, nanoseconds, the ratio, the fold, and the ratio with what is fitted without that fold; of a row that
    /// was left out only the line and the reason.
    pub fn residuals(&self) -> String {
        let mut writer = WriterBuilder::new().from_writer(Vec::new());
        let mut write = |fields: Vec<String>| writer.write_record(fields).expect("memory takes all");
        write(HEAD.split(',').map(str::to_owned).collect());
        let several = self.has_several_files();
        self.rows.iter().for_each(|row| write(fields(row, several)));
        for (reason, lines) in self.left_out.reasons() {
            for line in lines {
                let empty = std::iter::repeat_n(String::new(), 9);
                write([line.to_string()].into_iter().chain(empty).chain([reason.to_owned()]).collect());
            }
        }
        let bytes = writer.into_inner().expect("memory takes all");
        String::from_utf8(bytes).expect("fields are texts")
    }
}

fn fields(fitted: &FittedRow, several: bool) -> Vec<String> {
    let row = &fitted.row;
    let ratio = |seconds: f64| format!("{:.4}", seconds / row.seconds);
    let nanoseconds = |seconds: f64| format!("{:.3}", seconds * 1e9);
    vec![
        if several { format!("{}:{}", row.file, row.line) } else { row.line.to_string() },
        row.operation.name().to_owned(),
        row.algorithm.as_deref().unwrap_or("default").to_owned(),
        row.bytes.to_string(),
        row.set.join(" "),
        nanoseconds(row.seconds),
        nanoseconds(fitted.predicted),
        ratio(fitted.predicted),
        fitted.fold.to_string(),
        fitted.unseen.map(ratio).unwrap_or_default(),
        String::new(),
    ]
}

#[cfg(test)]
mod tests;
