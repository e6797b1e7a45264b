//! All rows with their errors, as CSV.

use crate::{Calibration, FittedRow};
use csv::WriterBuilder;

const HEAD: &str = "line,collective,algorithm,bytes,set,measured_ns,predicted_ns,predicted_over_measured,fold,unseen_over_measured,left_out";

impl Calibration {
    /// All rows with their errors, and those that were left out, as CSV. Columns: the row's line in the file (with several, behind its
    /// name), the benchmark, nanoseconds, the ratio, the fold, and the ratio with what is fitted without that fold; of a row that
    /// was left out only the line and the reason.
    #[must_use]
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
