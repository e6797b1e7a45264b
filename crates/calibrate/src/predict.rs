//! Predictions for measured rows, with values that a fit tries.

use crate::measured::{Operation, Row};
use crate::mistake::CalibrationError;
use crate::parameter::Parameter;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use toml_edit::Value;
use weir_network::{Outcome, interrupted_by};
use weir_scenario::{ExperimentText, Problem, Scenario, Source};
use weir_units::side_by_side;

/// Predicts times; what is fitted is the same for any.
pub(crate) trait Predict: Sync {
    /// Number of rows.
    fn rows(&self) -> usize;

    /// A row in words.
    fn name(&self, row: usize) -> String;

    /// The logarithm of the time of a row, in seconds, with the parameters of these values.
    ///
    /// # Errors
    /// When the run does not come to its end: why.
    fn log_time(&self, row: usize, values: &[f64]) -> Result<f64, String>;
}

/// Predicts by runs on a machine.
pub(crate) struct Runs<'a> {
    machine: &'a Path,
    /// `key=value` for all rows.
    sets: &'a [String],
    parameters: &'a [Parameter],
    templates: &'a BTreeMap<String, Value>,
    rows: &'a [Row],
}

impl<'a> Runs<'a> {
    /// Predicts these rows; `templates` has the values of the file under the keys of the parameters, each once.
    pub(crate) const fn new(
        machine: &'a Path,
        sets: &'a [String],
        parameters: &'a [Parameter],
        templates: &'a BTreeMap<String, Value>,
        rows: &'a [Row],
    ) -> Self {
        Self { machine, sets, parameters, templates, rows }
    }

    /// `--set` for parameters of these values.
    fn fitted(&self, values: &[f64]) -> Vec<String> {
        let mut templates = self.templates.clone();
        for (parameter, value) in self.parameters.iter().zip(values) {
            let value = parameter.quantity.exact(*value);
            match (templates.get_mut(&parameter.key), parameter.element) {
                (Some(Value::Array(list)), Some(element)) => _ = list.replace(element, value),
                (Some(template), _) => *template = value,
                (None, _) => (),
            }
        }
        templates.into_iter().map(|(key, value)| format!("{key}={}", value.to_string().trim())).collect()
    }

    /// The experiment of a row.
    pub(crate) fn source(&self, row: &Row, values: &[f64]) -> Source {
        let mut text = format!(
            "[workload]\nkind = \"collective\"\noperation = \"{}\"\nmessage_size = \"{} B\"\n",
            row.operation.name(),
            row.bytes
        );
        if row.operation == Operation::Collective("barrier") {
            text = "[workload]\nkind = \"collective\"\noperation = \"barrier\"\n".to_owned();
        }
        // Stronger than what the machine's table says, which a workload of its own would have to agree with.
        let algorithm =
            row.algorithm.as_ref().map(|name| format!("collectives.{}={name}", row.operation.name()));
        let algorithm: Vec<String> = algorithm.into_iter().collect();
        Source {
            experiment_text: Some(ExperimentText { name: row.name(), text }),
            machine: Some(self.machine.to_owned()),
            overrides: [self.sets, &algorithm, &row.set, &self.fitted(values)].concat(),
            ..Source::default()
        }
    }
}

impl Predict for Runs<'_> {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn name(&self, row: usize) -> String {
        let row = &self.rows[row];
        format!("{} line {}, {}", row.file, row.line, row.name())
    }

    fn log_time(&self, row: usize, values: &[f64]) -> Result<f64, String> {
        let scenario = Scenario::load(&self.source(&self.rows[row], values)).map_err(|problems| {
            // Without places and values: a reason that many rows share is given once.
            let reason = |problem: &Problem| format!("{}: {}", problem.key, problem.what);
            problems.list().iter().map(reason).collect::<Vec<_>>().join("; ")
        })?;
        let report = scenario.run(&mut |_| ()).map_err(|error| error.to_string())?;
        if report.outcome != Outcome::Finished {
            return Err("the run does not come to its end".to_owned());
        }
        let mut times = report.summary.repetitions;
        times.sort_unstable();
        let time = times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64());
        if time > 0.0 { Ok(time.ln()) } else { Err("takes no time in weir".to_owned()) }
    }
}

/// Predictions that have been made, and threads that make more.
pub(crate) struct Predictions<'a> {
    predict: &'a dyn Predict,
    threads: NonZeroUsize,
    /// By the bits of the values: the logarithm for each row that has been asked for.
    made: Mutex<BTreeMap<Vec<u64>, Vec<Option<f64>>>>,
    runs: AtomicUsize,
}

impl<'a> Predictions<'a> {
    pub(crate) fn new(predict: &'a dyn Predict, threads: NonZeroUsize) -> Self {
        Self { predict, threads, made: Mutex::default(), runs: AtomicUsize::new(0) }
    }

    pub(crate) fn runs(&self) -> usize {
        self.runs.load(Ordering::Relaxed)
    }

    /// The logarithms of times of these rows, for each of these lists of values. They do not depend on the threads.
    pub(crate) fn at(&self, points: &[Vec<f64>], rows: &[usize]) -> Result<Vec<Vec<f64>>, CalibrationError> {
        let keys: Vec<Vec<u64>> =
            points.iter().map(|values| values.iter().map(|value| value.to_bits()).collect()).collect();
        let missing: Vec<(usize, usize)> = {
            let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            let mut missing = Vec::new();
            for (point, key) in keys.iter().enumerate() {
                let known = made.entry(key.clone()).or_insert_with(|| vec![None; self.predict.rows()]);
                missing.extend(rows.iter().filter(|&&row| known[row].is_none()).map(|&row| (point, row)));
            }
            missing
        };
        let found = self.run(points, &missing)?;
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        for ((point, row), time) in missing.into_iter().zip(found) {
            made.get_mut(&keys[point]).expect("an entry for each point")[row] = Some(time);
        }
        let of = |key: &Vec<u64>| rows.iter().map(|&row| made[key][row].expect("it has been run")).collect();
        Ok(keys.iter().map(of).collect())
    }

    /// Like [`Self::at`], but a row that cannot be run has its reason.
    pub(crate) fn each(&self, values: &[f64]) -> Result<Vec<Result<f64, String>>, CalibrationError> {
        let all: Vec<(usize, usize)> = (0..self.predict.rows()).map(|row| (0, row)).collect();
        self.results(&[values.to_vec()], &all, false)
    }

    fn run(&self, points: &[Vec<f64>], which: &[(usize, usize)]) -> Result<Vec<f64>, CalibrationError> {
        let results = self.results(points, which, true)?;
        Ok(results.into_iter().map(|result| result.expect("a failure has been returned")).collect())
    }

    fn results(
        &self,
        points: &[Vec<f64>],
        which: &[(usize, usize)],
        stops: bool,
    ) -> Result<Vec<Result<f64, String>>, CalibrationError> {
        let stop = AtomicBool::new(false);
        let done = side_by_side(which, Some(self.threads), |&(point, row)| {
            if stop.load(Ordering::Relaxed) || interrupted_by().is_some() {
                return Err(String::new());
            }
            let result = self.predict.log_time(row, &points[point]);
            stop.fetch_or(stops && result.is_err(), Ordering::Relaxed);
            result
        });
        self.runs.fetch_add(which.len(), Ordering::Relaxed);
        if interrupted_by().is_some() {
            return Err(CalibrationError::Interrupted);
        }
        // What was not begun, since another run has failed, says nothing.
        match done.iter().position(|result| matches!(result, Err(why) if !why.is_empty())) {
            Some(failed) if stops => {
                let why = done[failed].as_ref().expect_err("it has failed");
                Err(CalibrationError::Run(format!("{}: {why}", self.predict.name(which[failed].1))))
            }
            _ => Ok(done),
        }
    }
}
