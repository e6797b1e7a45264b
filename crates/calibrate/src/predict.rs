//! Predictions for measured rows, with values that a fit tries: runs on the machine.

use crate::measured::{Operation, Row};
use crate::parameter::{Machine, Parameter, item};
use crate::request::{CalibrationError, Request, Result};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use toml_edit::Value;
use weir_experiment::{Problem, Scenario, Source};
use weir_network::{Outcome, interrupted_by};
use weir_run::run;
use weir_units::side_by_side;

/// Predictions that have been made, and threads that make more.
pub(crate) struct Predictions<'a> {
    request: &'a Request,
    parameters: &'a [Parameter],
    /// Values of the machine file under the keys of the parameters, each once.
    templates: BTreeMap<String, Value>,
    rows: &'a [Row],
    /// By the bits of the values: the logarithm for each row that has been asked for.
    made: Mutex<BTreeMap<Vec<u64>, Vec<Option<f64>>>>,
    runs: AtomicUsize,
}

impl<'a> Predictions<'a> {
    pub(crate) fn new(request: &'a Request, machine: &'a Machine, rows: &'a [Row]) -> Self {
        let template = |parameter: &Parameter| {
            let value = item(machine.document.as_item(), &parameter.key)?.as_value()?;
            Some((parameter.key.clone(), value.clone().decorated("", "")))
        };
        let parameters = &machine.parameters;
        let templates = parameters.iter().filter_map(template).collect();
        Self { request, parameters, templates, rows, made: Mutex::default(), runs: AtomicUsize::new(0) }
    }

    pub(crate) fn runs(&self) -> usize {
        self.runs.load(Ordering::Relaxed)
    }

    /// The logarithms of times of these rows, for each of these lists of values. They do not depend on the threads.
    pub(crate) fn at(&self, points: &[Vec<f64>], rows: &[usize]) -> Result<Vec<Vec<f64>>> {
        let keys: Vec<Vec<u64>> =
            points.iter().map(|values| values.iter().map(|value| value.to_bits()).collect()).collect();
        let made = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let mut missing = Vec::new();
        for (point, key) in keys.iter().enumerate() {
            let mut made = made();
            let known = made.entry(key.clone()).or_insert_with(|| vec![None; self.rows.len()]);
            missing.extend(rows.iter().filter(|&&row| known[row].is_none()).map(|&row| (point, row)));
        }
        let found = self.results(points, &missing, true)?;
        let mut made = made();
        for ((point, row), time) in missing.into_iter().zip(found) {
            made.get_mut(&keys[point]).expect("an entry for each point")[row] = time.ok();
        }
        let of = |key: &Vec<u64>| rows.iter().map(|&row| made[key][row].expect("it has been run")).collect();
        Ok(keys.iter().map(of).collect())
    }

    /// Like [`Self::at`], but a row that cannot be run has its reason.
    pub(crate) fn each(&self, values: &[f64]) -> Result<Vec<Result<f64, String>>> {
        let all: Vec<(usize, usize)> = (0..self.rows.len()).map(|row| (0, row)).collect();
        self.results(&[values.to_vec()], &all, false)
    }

    fn results(
        &self,
        points: &[Vec<f64>],
        which: &[(usize, usize)],
        stops: bool,
    ) -> Result<Vec<Result<f64, String>>> {
        let stop = AtomicBool::new(false);
        let done = side_by_side(which, Some(self.request.threads), |&(point, row)| {
            if stop.load(Ordering::Relaxed) || interrupted_by().is_some() {
                return Err(String::new());
            }
            let result = self.log_time(&self.rows[row], &points[point]);
            stop.fetch_or(stops && result.is_err(), Ordering::Relaxed);
            result
        });
        self.runs.fetch_add(which.len(), Ordering::Relaxed);
        if interrupted_by().is_some() {
            return Err(CalibrationError::Interrupted);
        }
        // What was not begun, since another run has failed, says nothing.
        let failed = done.iter().zip(which).find_map(|(result, &(_, row))| {
            let why = result.as_ref().err().filter(|why| !why.is_empty())?;
            let row = &self.rows[row];
            Some(format!("{} line {}, {}: {why}", row.file, row.line, row.name()))
        });
        match failed.filter(|_| stops) {
            Some(why) => Err(CalibrationError::Run(why)),
            None => Ok(done),
        }
    }

    /// The logarithm of the time of a row, in seconds, with the parameters of these values.
    ///
    /// # Errors
    /// When the run does not come to its end: why.
    fn log_time(&self, row: &Row, values: &[f64]) -> Result<f64, String> {
        let scenario = Scenario::load(&self.source(row, values)).map_err(|problems| {
            // Without places and values: a reason that many rows share is given once.
            let reason = |problem: &Problem| format!("{}: {}", problem.key, problem.what);
            problems.list().iter().map(reason).collect::<Vec<_>>().join("; ")
        })?;
        let report = run(&scenario, &mut |_| ()).map_err(|error| error.to_string())?;
        if report.outcome != Outcome::Finished {
            return Err("the run does not come to its end".to_owned());
        }
        let mut times = report.summary.repetitions;
        times.sort_unstable();
        let time = times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64());
        if time > 0.0 { Ok(time.ln()) } else { Err("takes no time in weir".to_owned()) }
    }

    fn source(&self, row: &Row, values: &[f64]) -> Source {
        let operation = row.operation.name();
        let size = match row.operation {
            Operation::Collective("barrier") => String::new(),
            _ => format!("message_size = \"{} B\"\n", row.bytes),
        };
        let text = format!("[workload]\nkind = \"collective\"\noperation = \"{operation}\"\n{size}");
        // Stronger than what the machine's table says, which a workload of its own would have to agree with.
        let algorithm = row.algorithm.as_ref().map(|name| format!("collectives.{operation}={name}"));
        let algorithm: Vec<String> = algorithm.into_iter().collect();
        let overrides = [&self.request.sets, &algorithm, &row.set, &self.fitted(values)];
        Source {
            machine: Some(self.request.machine.clone()),
            overrides: overrides.map(Vec::as_slice).concat(),
            ..Source::of_text(&row.name(), text)
        }
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
}
