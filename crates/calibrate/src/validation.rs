//! Predicted beside measured times of a machine: what `weir validate` does.
//!
//! ```text
//!   study file --- study: measured times, machine file, rows that calibrate, targets
//!        |  fallback: algorithms that the library refused are left out
//!        v
//!   rows ------ predict: a run of weir for each, with the machine file as it is
//!        |  tally, best, targets: errors in numbers
//!        v
//!   Validation --- tables, page, curves: Markdown, CSV, SVG
//! ```

mod best;
mod curves;
mod fallback;
mod figures;
mod page;
mod reader;
mod study;
mod tables;
mod tally;
mod targets;
#[cfg(test)]
mod tests;

pub use best::Choice;
pub use page::write;
pub use study::{Ablation, Fallback, Fitting, Goal, LibraryChoice, Rows, Study, Target};
pub use tables::Table;
pub use tally::{Tally, error};
pub use targets::Reached;

use crate::calibration::{Calibration, fit_to, machine, read};
use crate::measured::{LeftOut, Measured, Reading, Row};
use crate::mistake::{CalibrationError, Mistake};
use crate::parameter::Parameter;
use crate::predict::{Predictions, Runs};
use crate::request::{FoldBy, Request};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;

/// What is asked for beside the predictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Runs at a time.
    pub threads: NonZeroUsize,
    /// A fit to the rows that calibrate, from the values of the machine file on.
    pub fit: Extra,
    /// Predictions without each of the parts that the study names.
    pub ablations: Extra,
}

/// Whether something is done that takes longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// It is.
    Asked,
    /// It is not.
    Spared,
}

/// What a validation is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<'a> {
    /// So many rows are predicted.
    Predicting(usize),
    /// They are predicted without a part of the model.
    Without(&'a str),
    /// The fit.
    Fitting,
}

/// What a row is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its algorithm is known: it counts.
    Counts,
    /// The library chose the algorithm: shown, and in no number.
    LibraryChoice,
}

/// A measured and a predicted time.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicted {
    /// What was measured.
    pub row: Row,
    /// The predicted time, in seconds.
    pub seconds: f64,
    /// Whether it counts.
    pub standing: Standing,
    /// Whether the values of the machine file were fitted to it.
    pub calibrates: bool,
}

impl Predicted {
    /// Predicted over measured.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.seconds / self.row.seconds
    }

    /// |predicted / measured - 1|.
    #[must_use]
    pub fn error(&self) -> f64 {
        error(self.seconds, self.row.seconds)
    }
}

/// Predictions without a part of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Without {
    /// The part.
    pub name: String,
    /// Seconds, in the order of [`Validation::rows`]; `None` where there is no run without the part.
    pub seconds: Vec<Option<f64>>,
}

/// All that is known of a study.
#[derive(Clone, Debug)]
pub struct Validation {
    /// What it was asked for.
    pub study: Study,
    /// The rows that were predicted, in the order of the file.
    pub rows: Vec<Predicted>,
    /// Those that were not, and why.
    pub left_out: LeftOut,
    /// The keys that are fitted, with the values of the machine file.
    pub parameters: Vec<Parameter>,
    /// The fit, if it was asked for.
    pub fit: Option<Calibration>,
    /// Predictions without parts, if they were asked for.
    pub without: Vec<Without>,
}

/// Predicts all rows of a study with its machine file, as it is.
///
/// # Errors
/// What is wrong with the files, all of it; an interruption. A row that cannot be run is left out.
pub fn validate(
    study: Study,
    wanted: Wanted,
    watch: &dyn Fn(Progress<'_>),
) -> Result<Validation, CalibrationError> {
    let request = request(&study, wanted.threads);
    let (document, parameters) = machine(&request)?;
    let file = study.data.display().to_string();
    let reading = Reading { prefix: study.prefix.clone(), ..Reading::of_machine(document.as_item()) };
    let mut measured = Measured::read(&file, &read(&study.data)?, &reading)?;
    leave_out_refused(&study, &mut measured);

    let read_rows = std::mem::take(&mut measured.rows);
    watch(Progress::Predicting(read_rows.len()));
    let mut rows = Vec::new();
    for (row, seconds) in read_rows.iter().zip(predict(&study, &[], &read_rows, wanted.threads)?) {
        let calibrates = row.algorithm.is_some() && study.calibration.rows.have(row);
        let standing = row.algorithm.as_ref().map_or(Standing::LibraryChoice, |_| Standing::Counts);
        match seconds {
            Ok(seconds) => rows.push(Predicted { row: row.clone(), seconds, standing, calibrates }),
            Err(why) => measured.left_out.add(format!("{}: {why}", row.operation.name()), row.line),
        }
    }
    refuse_empty(&study, &rows, &measured.left_out)?;

    let mut without = Vec::new();
    if wanted.ablations == Extra::Asked {
        for ablation in &study.ablations {
            watch(Progress::Without(&ablation.name));
            without.push(leave_out(&study, ablation, &rows, wanted.threads)?);
        }
    }
    let mut fit = None;
    if wanted.fit == Extra::Asked && !parameters.is_empty() {
        watch(Progress::Fitting);
        let calibrating = rows.iter().filter(|predicted| predicted.calibrates);
        let rows = calibrating.map(|predicted| predicted.row.clone()).collect();
        let measured = Measured { rows, ..Measured::default() };
        fit = Some(fit_to(&request, (document, parameters.clone()), measured, &|_| ())?);
    }
    Ok(Validation { study, rows, left_out: measured.left_out, parameters, fit, without })
}

/// The request of the fit.
fn request(study: &Study, threads: NonZeroUsize) -> Request {
    Request {
        measured: study.data.clone(),
        machine: study.machine.clone(),
        keys: study.calibration.keys.clone(),
        sets: study.sets.clone(),
        within: study.calibration.within,
        loss: study.calibration.loss,
        folds: 0,
        fold_by: FoldBy::Rows,
        threads,
    }
}

fn leave_out_refused(study: &Study, measured: &mut Measured) {
    let Some(rule) = study.fallback else { return };
    let refused = fallback::refused(&measured.rows, rule, &study.library);
    let rows = std::mem::take(&mut measured.rows);
    for (row, refused) in rows.into_iter().zip(refused) {
        if refused {
            let algorithm = row.algorithm.as_deref().unwrap_or_default();
            let (operation, job) = (row.operation.name(), &row.job);
            let why = format!("{operation} {algorithm} on {job}: the library took its own choice instead");
            measured.left_out.add(why, row.line);
        } else {
            measured.rows.push(row);
        }
    }
}

/// Times of these rows in seconds, with these keys beside those of the study.
fn predict(
    study: &Study,
    sets: &[String],
    rows: &[Row],
    threads: NonZeroUsize,
) -> Result<Vec<Result<f64, String>>, CalibrationError> {
    let sets = [study.sets.as_slice(), sets].concat();
    let templates = BTreeMap::new();
    let runs = Runs::new(&study.machine, &sets, &[], &templates, rows);
    let logs = Predictions::new(&runs, threads).each(&[])?;
    Ok(logs.into_iter().map(|log| log.map(f64::exp)).collect())
}

fn leave_out(
    study: &Study,
    ablation: &Ablation,
    rows: &[Predicted],
    threads: NonZeroUsize,
) -> Result<Without, CalibrationError> {
    let judged: Vec<Row> =
        rows.iter().filter(|predicted| is_judged(predicted)).map(|predicted| predicted.row.clone()).collect();
    let results = predict(study, &ablation.sets, &judged, threads)?;
    if let Some(Err(why)) = results.iter().find(|result| result.is_err())
        && results.iter().all(Result::is_err)
    {
        let place = format!("[[ablation]] {}", ablation.name);
        return Err(Mistake::new(place, format!("no row can be run: {why}")).into());
    }
    let mut results = results.into_iter();
    let seconds = rows.iter().map(|row| if is_judged(row) { results.next()?.ok() } else { None });
    Ok(Without { name: ablation.name.clone(), seconds: seconds.collect() })
}

/// Whether a prediction is one: the algorithm is known, and nothing was fitted to the row.
fn is_judged(predicted: &Predicted) -> bool {
    predicted.standing == Standing::Counts && !predicted.calibrates
}

fn refuse_empty(study: &Study, rows: &[Predicted], left_out: &LeftOut) -> Result<(), CalibrationError> {
    if rows.iter().any(is_judged) {
        return Ok(());
    }
    let what = format!("{}: no row is left that can be predicted", study.data.display());
    let reasons: Vec<&str> = left_out.reasons().map(|(reason, _)| reason).take(5).collect();
    let hint = match reasons.as_slice() {
        [] => "rows of [calibration] are fitted to, not predicted".to_owned(),
        reasons => reasons.join("; "),
    };
    Err(Mistake::new(study.name.clone(), what).hint(hint).into())
}
