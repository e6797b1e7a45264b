//! Validations as files: a page for each study, its pictures and its rows, and a page of all.

use super::curves::curves;
use super::outcome::{Predicted, Standing, Validation};
use super::predictions::Extra;
use crate::mistake::{CalibrationError, Mistake};
use crate::output::picture::{Point, scatter};
use csv::WriterBuilder;
use std::fs;
use std::path::{Path, PathBuf};

/// What an error is, once for all pages.
const ERROR: &str = "An error is |predicted / measured - 1|: half as long is an error of 50 %, twice as long one of 100 %. The median and the error that nine \
                     of ten rows are within are those of rows, each counted once. Times are medians of many repetitions.";

/// Writes a page, the pictures it shows and all rows as CSV for each validation into the folder, which is made if need be, and for all of
/// them `README.md` if `overview` asks for it. Returns the pages. They say what the program was built from, if that is known (a
/// commit).
///
/// # Errors
/// When a file cannot be written, or the notes of a study cannot be read.
pub fn write(
    validations: &[Validation],
    overview: Extra,
    built_from: Option<&str>,
    folder: &Path,
) -> Result<Vec<PathBuf>, CalibrationError> {
    let wrong = |path: &Path, error: std::io::Error| {
        CalibrationError::from(Mistake::new(path.display().to_string(), error.to_string()))
    };
    fs::create_dir_all(folder).map_err(|error| wrong(folder, error))?;
    let put = |name: String, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| wrong(&path, error))?;
        Ok::<PathBuf, CalibrationError>(path)
    };
    let mut pages = Vec::new();
    for validation in validations {
        let name = &validation.study.name;
        let notes = validation
            .study
            .notes
            .as_deref()
            .map(|path| fs::read_to_string(path).map_err(|error| wrong(path, error)));
        let notes = notes.transpose()?.unwrap_or_default();
        put(format!("{name}.svg"), &validation.picture())?;
        let mut pictures = vec![format!("{name}.svg")];
        for collective in validation.collectives() {
            if let Some(picture) = curves(validation, collective) {
                let file = format!("{name}-{collective}.svg");
                put(file.clone(), &picture)?;
                pictures.push(file);
            }
        }
        put(format!("{name}.csv"), &validation.to_csv())?;
        pages.push(put(format!("{name}.md"), &page(validation, &pictures, &notes, built_from))?);
    }
    if overview == Extra::Asked {
        pages.push(put("README.md".to_owned(), &all(validations, built_from))?);
    }
    Ok(pages)
}

fn made(built_from: Option<&str>) -> String {
    let commit = built_from.map(|commit| format!(", built from {commit}")).unwrap_or_default();
    format!("Made by `weir validate` of weir {}{commit}; not to be edited.", env!("CARGO_PKG_VERSION"))
}

/// The page of a study.
fn page(validation: &Validation, pictures: &[String], notes: &str, built_from: Option<&str>) -> String {
    let study = &validation.study;
    let file = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut page = format!("# {}: predicted and measured\n\n", study.title);
    page += &format!("{}\n\n{}\n\n", made(built_from), study.about.trim());
    page += &format!("- Measured: {} ([`{1}`](../../validation/{1}))\n", study.source, file(&study.data));
    page += &format!("- Machine file: `{}`, as it ships\n", file(&study.machine));
    page += &format!("- Every row, predicted and measured: [`{0}.csv`]({0}.csv)\n\n", study.name);
    page += &format!("{ERROR}\n\n");
    page += &validation.targets_table().to_markdown();
    if !notes.trim().is_empty() {
        page += &format!("{}\n\n", notes.trim());
    }
    page += &validation.jobs_table().to_markdown();
    page += &validation.collectives_table().to_markdown();
    page += "## Pictures\n\n";
    for picture in pictures {
        page += &format!("![{0}]({0})\n\n", picture);
    }
    for table in [
        validation.best_table(),
        validation.missed_table(),
        validation.ablations_table(),
        validation.values_table(),
        validation.algorithms_table(),
        validation.left_out_table(),
    ] {
        page += &table.to_markdown();
    }
    page.trim_end().to_owned() + "\n"
}

/// The page of all studies.
fn all(validations: &[Validation], built_from: Option<&str>) -> String {
    let mut page = format!(
        "# Predicted and measured\n\n{}\n\nWhat weir predicts beside what was measured on real machines, with machine files that were fitted to a \
         few of the rows. `make validate` makes these pages; the measured times and the studies are in \
         [`validation`](../../validation/README.md).\n\n{ERROR}\n\n",
        made(built_from)
    );
    for validation in validations {
        let study = &validation.study;
        let targets = validation.targets_table().to_markdown();
        let jobs = validation.jobs_table().to_markdown();
        page += &format!("## [{}]({}.md)\n\n", study.title, study.name);
        let below = |text: &str| text.replace("## ", "### ");
        page += &(below(&targets) + &below(&jobs));
    }
    page.trim_end().to_owned() + "\n"
}

const HEAD: [&str; 12] = [
    "line",
    "job",
    "collective",
    "algorithm",
    "bytes",
    "measured_ns",
    "predicted_ns",
    "predicted_over_measured",
    "error",
    "factor",
    "fitted_to",
    "left_out",
];

impl Validation {
    /// Predicted over measured times of the rows that count, as SVG.
    #[must_use]
    pub fn picture(&self) -> String {
        let counts = self.rows.iter().filter(|predicted| predicted.standing == Standing::Counts);
        let point = |predicted: &Predicted| Point {
            measured: predicted.row.seconds,
            predicted: predicted.seconds,
            group: predicted.row.operation.name(),
            title: format!("{}, {}", predicted.row.job, predicted.row.name()),
        };
        scatter(&counts.map(point).collect::<Vec<_>>())
    }

    /// All rows, as CSV: `error` is |predicted / measured - 1|, `factor` the ratio or its inverse, whichever is above 1.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut writer = WriterBuilder::new().from_writer(Vec::new());
        let mut write = |fields: [String; 12]| writer.write_record(fields).expect("memory takes all");
        write(HEAD.map(str::to_owned));
        self.rows.iter().for_each(|row| write(fields(row)));
        for (reason, lines) in self.left_out.reasons() {
            for line in lines {
                let mut fields: [String; 12] = Default::default();
                fields[0] = line.to_string();
                fields[11] = reason.to_owned();
                write(fields);
            }
        }
        let bytes = writer.into_inner().expect("memory takes all");
        String::from_utf8(bytes).expect("fields are texts")
    }
}

fn fields(predicted: &Predicted) -> [String; 12] {
    let (row, ratio) = (&predicted.row, predicted.ratio());
    let left_out = match predicted.standing {
        Standing::Counts => String::new(),
        Standing::LibraryChoice => "the library's own choice".to_owned(),
    };
    [
        row.line.to_string(),
        row.job.clone(),
        row.operation.name().to_owned(),
        row.algorithm.as_deref().unwrap_or("default").to_owned(),
        row.bytes.to_string(),
        format!("{:.0}", row.seconds * 1e9),
        format!("{:.0}", predicted.seconds * 1e9),
        format!("{ratio:.4}"),
        format!("{:.4}", predicted.error()),
        format!("{:.4}", ratio.max(1.0 / ratio)),
        match (predicted.calibrates, &predicted.chosen[..]) {
            (true, _) => "yes".to_owned(),
            (false, []) => "no".to_owned(),
            (false, keys) => keys.join(" "),
        },
        left_out,
    ]
}
