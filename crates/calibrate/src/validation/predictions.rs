//! Predicts the rows of a study, and what else is asked for.

use super::fallback;
use super::outcome::{Predicted, Standing, Validation, Without};
use super::study::{Ablation, Excluded, Study};
use crate::calibration::{fit_to, machine, read};
use crate::measured::{LeftOut, Measured, Reading, Row};
use crate::mistake::{CalibrationError, Mistake};
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
    leave_out_excluded(&study, &mut measured);
    leave_out_refused(&study, &mut measured);

    let read_rows = std::mem::take(&mut measured.rows);
    watch(Progress::Predicting(read_rows.len()));
    let mut rows = Vec::new();
    for (row, seconds) in read_rows.iter().zip(predict(&study, &[], &read_rows, wanted.threads)?) {
        let calibrates = row.algorithm.is_some() && study.calibration.rows.have(row);
        let by = study.chosen.iter().filter(|chosen| !calibrates && chosen.have(row));
        let chosen = by.flat_map(|chosen| chosen.keys.iter().cloned()).collect();
        let standing = row.algorithm.as_ref().map_or(Standing::LibraryChoice, |_| Standing::Counts);
        match seconds {
            Ok(seconds) => rows.push(Predicted { row: row.clone(), seconds, standing, calibrates, chosen }),
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
        measured: vec![study.data.clone()],
        ranks: None,
        machine: study.machine.clone(),
        keys: study.calibration.keys.clone(),
        sets: study.sets.clone(),
        within: study.calibration.within,
        loss: study.calibration.loss,
        folds: 0,
        fold_by: FoldBy::Rows,
        layouts: false,
        threads,
    }
}

fn leave_out_excluded(study: &Study, measured: &mut Measured) {
    for row in std::mem::take(&mut measured.rows) {
        let is_it = |excluded: &&Excluded| {
            row.algorithm.as_deref() == Some(excluded.algorithm.as_str()) && excluded.rows.have(&row)
        };
        match study.left_out.iter().find(is_it) {
            Some(Excluded { algorithm, reason, .. }) => {
                measured.left_out.add(format!("{} {algorithm}: {reason}", row.operation.name()), row.line);
            }
            None => measured.rows.push(row),
        }
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
    let judged: Vec<Row> = rows
        .iter()
        .filter(|predicted| predicted.is_ablated(study))
        .map(|predicted| predicted.row.clone())
        .collect();
    let results = predict(study, &ablation.sets, &judged, threads)?;
    if let Some(Err(why)) = results.iter().find(|result| result.is_err())
        && results.iter().all(Result::is_err)
    {
        let place = format!("[[ablation]] {}", ablation.name);
        return Err(Mistake::new(place, format!("no row can be run: {why}")).into());
    }
    let mut results = results.into_iter();
    let seconds = rows.iter().map(|row| if row.is_ablated(study) { results.next()?.ok() } else { None });
    Ok(Without { name: ablation.name.clone(), seconds: seconds.collect() })
}

fn refuse_empty(study: &Study, rows: &[Predicted], left_out: &LeftOut) -> Result<(), CalibrationError> {
    if rows.iter().any(Predicted::is_judged) {
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
