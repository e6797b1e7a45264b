//! A calibration, from files to estimates.

use crate::document::set_all;
use crate::fit::{self, End, Task};
use crate::judge::{Precision, Verdict, judge};
use crate::measured::{LeftOut, Measured, Row};
use crate::parameter::{Machine, Parameter};
use crate::predict::Predictions;
use crate::request::{CalibrationError, FoldBy, Mistake, Request, Result};
use nalgebra::DMatrix;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use toml_edit::DocumentMut;
use weir_experiment::{Found, MachineDescription, Source};

/// A parameter and what the fit has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Which.
    pub parameter: Parameter,
    /// Its value, in the unit of [`Parameter::start`], with the digits that are written.
    pub value: f64,
    /// Its precision.
    pub precision: Precision,
}

/// A key that is not fitted, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    /// The key.
    pub key: String,
    /// Why the times do not determine it.
    pub why: String,
}

/// A measured time and what is predicted.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedRow {
    /// The measured row.
    pub row: Row,
    /// Seconds with the first guesses.
    pub first: f64,
    /// Seconds with the fitted values.
    pub predicted: f64,
    /// In which fold it is.
    pub fold: usize,
    /// Seconds with what is fitted without its fold.
    pub unseen: Option<f64>,
}

impl FittedRow {
    /// The logarithm of the predicted over the measured time.
    pub fn error(&self) -> f64 {
        (self.predicted / self.row.seconds).ln()
    }
}

/// Size of errors: factors, less 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Half of the rows are within it.
    pub median: f64,
    /// Nine of ten are.
    pub ninth: f64,
}

impl Spread {
    pub(crate) fn of(errors: impl Iterator<Item = f64>) -> Self {
        let mut sizes: Vec<f64> = errors.map(|error| error.abs().exp_m1()).collect();
        sizes.sort_unstable_by(f64::total_cmp);
        let at = |part: f64| sizes[((sizes.len() as f64 * part).ceil() as usize).clamp(1, sizes.len()) - 1];
        Self { median: at(0.5), ninth: at(0.9) }
    }
}

/// Stage of a calibration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stage {
    /// Values have been tried: how often, and the root of the mean squared logarithm of their errors.
    Tried(usize, f64),
    /// This many keys have been chosen.
    Chosen(usize),
    /// The fit is over; its intervals are computed.
    Judging,
    /// Fits without some of the rows.
    Validating,
}

/// A layout that has been tried.
#[derive(Clone, Debug, PartialEq)]
pub struct TriedLayout {
    /// The value of `mapping.fold`.
    pub fold: &'static str,
    /// The value of `mapping.axes`.
    pub axes: &'static str,
    /// Errors with the fitted values; `None` where a job does not fit the machine so.
    pub errors: Option<Spread>,
    /// The values were fitted with it.
    pub chosen: bool,
}

impl TriedLayout {
    pub(crate) fn sets(&self) -> [String; 2] {
        [format!("mapping.fold={}", self.fold), format!("mapping.axes={}", self.axes)]
    }
}

/// Result of a calibration.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// The parameters, in the order of the keys.
    pub estimates: Vec<Estimate>,
    /// The rows that were used, in the order of the file.
    pub rows: Vec<FittedRow>,
    /// Those that were not.
    pub left_out: LeftOut,
    /// Columns that are not read.
    pub ignored: Vec<String>,
    /// Sentences on what was taken from the numbers of a log because it does not say it.
    pub notes: Vec<String>,
    /// With `auto`: the keys that the times do not determine.
    pub passed_over: Vec<PassedOver>,
    /// Reason for which the fit ended.
    pub end: End,
    /// Number of runs.
    pub runs: usize,
    /// Groups that cross-validation left out together.
    pub fold_by: FoldBy,
    /// Layouts of the job that were tried; none unless that was asked for.
    pub layouts: Vec<TriedLayout>,
    pub(crate) document: DocumentMut,
    /// Names of the files of measured times.
    pub(crate) source: String,
}

impl Calibration {
    /// Errors with the first guesses.
    pub fn first(&self) -> Spread {
        Spread::of(self.rows.iter().map(|row| (row.first / row.row.seconds).ln()))
    }

    /// Errors with the fitted values.
    pub fn fitted(&self) -> Spread {
        Spread::of(self.rows.iter().map(FittedRow::error))
    }

    /// Errors of rows that the fit has not seen; `None` without cross-validation.
    pub fn unseen(&self) -> Option<Spread> {
        let errors: Option<Vec<f64>> =
            self.rows.iter().map(|row| Some((row.unseen? / row.row.seconds).ln())).collect();
        errors.map(|errors| Spread::of(errors.into_iter()))
    }

    /// The rows by the size of their errors, the largest first.
    pub fn worst(&self) -> Vec<&FittedRow> {
        let mut rows: Vec<&FittedRow> = self.rows.iter().collect();
        rows.sort_by(|one, other| other.error().abs().total_cmp(&one.error().abs()));
        rows
    }

    /// Warnings, in sentences.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let moved = |estimate: &Estimate| (estimate.value / estimate.parameter.start).ln().abs() > 1e-3;
        if !self.estimates.is_empty() && !self.estimates.iter().any(moved) {
            warnings.push("the fit has not moved from the first guesses: they may be as good as can be, or no row depends on the keys".to_owned());
        }
        match self.end {
            End::Converged => (),
            End::TooManySteps => {
                warnings.push("the fit was stopped before it converged: begin again from its values".into())
            }
            End::Stuck => {
                warnings.push("the fit could not get on: times jump where parameters change little".into())
            }
        }
        for estimate in &self.estimates {
            if let Verdict::AtBound(_) = estimate.precision.verdict {
                warnings.push(format!(
                    "{} was driven to its limit {}: the measured times do not determine it, or it makes up for something that is missing",
                    estimate.parameter.name,
                    estimate.parameter.quantity.shown(estimate.value)
                ));
            }
        }
        let like_a_unit = |row: &&FittedRow| (300.0..3000.0).contains(&row.error().abs().exp());
        let lines: Vec<String> =
            self.rows.iter().filter(like_a_unit).map(|row| row.row.line.to_string()).collect();
        if !lines.is_empty() {
            let lines = lines.join(", ");
            warnings
                .push(format!("about a thousand times off, as by another unit: rows of the lines {lines}"));
        }
        warnings
    }

    /// Returns whether there are rows of several files.
    pub fn has_several_files(&self) -> bool {
        self.rows.windows(2).any(|pair| pair[0].row.file != pair[1].row.file)
    }
}

/// Fits the parameters of a machine file to these rows.
pub(crate) fn fit_to(
    request: &Request,
    machine: Machine,
    mut measured: Measured,
    watch: &dyn Fn(Stage),
) -> Result<Calibration> {
    let parameters = &machine.parameters;
    refuse_columns(&measured, parameters, &request.names())?;
    let keys = parameters.len();
    let (fit, rows, runs) = with_task(request, &machine, keys, &mut measured, |task, rows| {
        let fit = Fit::make(task, parameters, watch)?;
        watch(Stage::Validating);
        let folds = fit::folds(rows, request.folds.max(1), request.fold_by);
        let unseen = fit::validate(task, &fit.u, &folds)?;
        let time = |row: &Row, error: f64| row.seconds * error.exp();
        let rows = rows.iter().cloned().enumerate().map(|(at, row)| FittedRow {
            first: time(&row, fit.first[at]),
            predicted: time(&row, fit.errors[at]),
            fold: folds[at],
            unseen: unseen.as_ref().map(|unseen| time(&row, unseen[at])),
            row,
        });
        let rows = rows.collect();
        Ok((fit, rows, task.predictions.runs()))
    })?;
    Ok(Calibration {
        rows,
        left_out: measured.left_out,
        ignored: measured.ignored,
        notes: measured.notes,
        passed_over: Vec::new(),
        end: fit.end,
        runs,
        fold_by: request.fold_by,
        layouts: Vec::new(),
        document: machine.document,
        source: request.file_names(),
        estimates: fit.estimates,
    })
}

/// Leaves out the rows that do not run with the start values of the parameters, and gives the others to `then`, with the task of a
/// fit to them.
///
/// # Errors
/// Those of `then`; rows that are not more than the keys to fit; an interruption.
pub(crate) fn with_task<T>(
    request: &Request,
    machine: &Machine,
    keys: usize,
    measured: &mut Measured,
    then: impl FnOnce(&Task<'_>, &[Row]) -> Result<T>,
) -> Result<T> {
    let read = std::mem::take(&mut measured.rows);
    let start = machine.start();
    let first = Predictions::new(request, machine, &read).each(&start)?;
    let mut rows = Vec::new();
    for (row, result) in read.into_iter().zip(first) {
        match result {
            Ok(_) => rows.push(row),
            Err(why) => measured.left_out.add(format!("{}: {why}", row.operation.name()), row.line),
        }
    }
    enough(rows.len(), keys, &measured.left_out, &request.names())?;
    let logs: Vec<f64> = rows.iter().map(|row| row.seconds.ln()).collect();
    let task = Task {
        predictions: &Predictions::new(request, machine, &rows),
        measured: &logs,
        weights: &weights(&rows),
        start: &start,
        reach: request.within.ln(),
        loss: request.loss,
    };
    then(&task, &rows)
}

/// Weight of each row: the rows of a file weigh together as much as those of another one, all together as much as their number.
fn weights(rows: &[Row]) -> Vec<f64> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    rows.iter().for_each(|row| *counts.entry(&row.file).or_default() += 1);
    let mean = rows.len() as f64 / counts.len().max(1) as f64;
    rows.iter().map(|row| mean / counts[row.file.as_str()] as f64).collect()
}

struct Fit {
    /// The parameters in the form that the method varies.
    u: Vec<f64>,
    end: End,
    estimates: Vec<Estimate>,
    /// Logarithms of errors with the first guesses, and with the values.
    first: Vec<f64>,
    errors: Vec<f64>,
}

impl Fit {
    fn make(task: &Task<'_>, parameters: &[Parameter], watch: &dyn Fn(Stage)) -> Result<Self> {
        let all: Vec<usize> = (0..task.measured.len()).collect();
        let first = task.errors(task.start, &all)?;
        if parameters.is_empty() {
            let errors = first.clone();
            return Ok(Self { u: Vec::new(), end: End::Converged, estimates: Vec::new(), first, errors });
        }
        let tried = std::cell::Cell::new(0);
        let fitted = task.fit_again(&vec![0.0; parameters.len()], &all, &|error| {
            tried.set(tried.get() + 1);
            watch(Stage::Tried(tried.get(), error));
        })?;
        watch(Stage::Judging);
        let written = |(value, parameter): (f64, &Parameter)| parameter.quantity.as_written(value);
        let values: Vec<f64> = task.values(&fitted.u).into_iter().zip(parameters).map(written).collect();
        let errors = task.errors(&values, &all)?;
        let slopes = task.slopes(&values, &all)?;
        let bounds: Vec<_> = (0..).zip(&values).map(|(at, &value)| task.bound(at, value)).collect();
        let weighted = |(&error, &weight): (&f64, &f64)| (weight * task.loss.weight(error)).sqrt();
        let roots: Vec<f64> = errors.iter().zip(task.weights).map(weighted).collect();
        let weighted: Vec<f64> = errors.iter().zip(&roots).map(|(error, root)| error * root).collect();
        let slopes =
            DMatrix::from_fn(slopes.nrows(), slopes.ncols(), |row, at| roots[row] * slopes[(row, at)]);
        let found = values.into_iter().zip(judge(&slopes, &weighted, &bounds));
        let estimate = |(parameter, (value, precision)): (&Parameter, _)| Estimate {
            parameter: parameter.clone(),
            value,
            precision,
        };
        let estimates = parameters.iter().zip(found).map(estimate).collect();
        Ok(Self { u: fitted.u, end: fitted.end, estimates, first, errors })
    }
}

pub(crate) fn read(path: &Path) -> Result<String> {
    let bytes =
        fs::read(path).map_err(|error| Mistake::new(path.display().to_string(), error.to_string()))?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| Mistake::new(path.display().to_string(), "is no text in UTF-8").into())
}

/// Reads the machine file.
pub(crate) fn machine(request: &Request) -> Result<Machine> {
    let file = request.machine.display().to_string();
    let text = match Found::of(&request.machine) {
        Found::File(path) => read(&path)?,
        Found::Shipped(shipped) => shipped.text.to_owned(),
    };
    let document: Result<DocumentMut, _> = text.parse();
    // The ideal engine does without a topology; there the rows say what is wrong.
    if document.as_ref().map_or(true, |document| document.contains_key("topology")) {
        let experiment = Some(request.machine.clone());
        let source = Source { experiment, overrides: request.sets.clone(), ..Source::default() };
        MachineDescription::load(&source)
            .map_err(|problems| Mistake::new(file.clone(), format!("cannot be used\n{problems}")))?;
    }
    let mut document =
        document.map_err(|error| Mistake::new(file.clone(), format!("cannot be read: {error}")))?;
    set_all(&mut document, &request.sets);
    let mut mistakes = Vec::new();
    let mut parameters: Vec<Parameter> = Vec::new();
    for name in &request.keys {
        if parameters.iter().any(|known| known.name == *name) {
            mistakes.push(Mistake::new(name, "is named twice"));
            continue;
        }
        match Parameter::read(name, document.as_item(), &file) {
            Ok(parameter) => parameters.push(parameter),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    if mistakes.is_empty() {
        Ok(Machine { document, parameters })
    } else {
        Err(CalibrationError::Input(mistakes))
    }
}

/// A column that sets what is fitted would be of no use.
fn refuse_columns(measured: &Measured, parameters: &[Parameter], file: &str) -> Result<()> {
    let sets = |row: &Row, key: &str| row.set.iter().any(|set| set.split('=').next() == Some(key));
    let both = parameters.iter().find(|parameter| measured.rows.iter().any(|row| sets(row, &parameter.key)));
    both.map_or(Ok(()), |parameter| {
        let what = format!("sets {} for single rows, and it is to be fitted", parameter.key);
        Err(Mistake::new(file, what).hint("leave the column out, or the key").into())
    })
}

/// Refuses rows that are not more than the parameters; of none, says why each was left out.
fn enough(rows: usize, keys: usize, left_out: &LeftOut, file: &str) -> Result<()> {
    if rows > keys {
        return Ok(());
    }
    let what = match rows {
        0 => "has no row that weir can run".to_owned(),
        _ => format!("{rows} rows can be used, and {keys} parameters need at least {}", keys + 1),
    };
    let reasons: Vec<String> =
        left_out.reasons().map(|(reason, lines)| format!("{} left out: {reason}", lines.len())).collect();
    let hint =
        if reasons.is_empty() { "fit fewer keys, or measure more".into() } else { reasons.join("\n      ") };
    Err(Mistake::new(file, what).hint(hint).into())
}
