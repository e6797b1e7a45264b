//! All rows with their errors, as CSV.

use crate::{Calibration, FittedRow};
use csv::WriterBuilder;

const HEAD: [&str; 11] = [
    "line",
    "collective",
    "algorithm",
    "bytes",
    "set",
    "measured_ns",
    "predicted_ns",
    "predicted_over_measured",
    "fold",
    "unseen_over_measured",
    "left_out",
];

/// Columns: the row's line in the file (with several, behind its name), what it is, nanoseconds, the ratio, the fold it is in, and the ratio with what is fitted
/// without that fold; of a row that was left out only the line and why.
pub(crate) fn residuals(calibration: &Calibration) -> String {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    let mut write = |fields: [String; 11]| writer.write_record(fields).expect("memory takes all");
    write(HEAD.map(str::to_owned));
    let several = calibration.has_several_files();
    for row in &calibration.rows {
        let mut fields = fields(row);
        if several {
            fields[0] = format!("{}:{}", row.row.file, row.row.line);
        }
        write(fields);
    }
    for (reason, lines) in calibration.left_out.reasons() {
        for line in lines {
            let mut fields: [String; 11] = Default::default();
            fields[0] = line.to_string();
            fields[10] = reason.to_owned();
            write(fields);
        }
    }
    let bytes = writer.into_inner().expect("memory takes all");
    String::from_utf8(bytes).expect("fields are texts")
}

fn fields(fitted: &FittedRow) -> [String; 11] {
    let row = &fitted.row;
    let ratio = |seconds: f64| format!("{:.4}", seconds / row.seconds);
    [
        row.line.to_string(),
        row.operation.name().to_owned(),
        row.algorithm.as_deref().unwrap_or("default").to_owned(),
        row.bytes.to_string(),
        row.set.join(" "),
        format!("{:.3}", row.seconds * 1e9),
        format!("{:.3}", fitted.predicted * 1e9),
        ratio(fitted.predicted),
        fitted.fold.to_string(),
        fitted.unseen.map(ratio).unwrap_or_default(),
        String::new(),
    ]
}
