//! Checks and runs experiments.

use crate::errors::{of_place, of_problems, of_run};
use crate::input::{Input, replaced};
use crate::waiting::waited;
use pyo3::prelude::*;
use weir_network::Watch;
use weir_scenario::{Problems, RunError, RunOptions, Scenario, Source};
use weir_transport::OneProcess;

enum Ended {
    /// The fields of `summary.json`.
    Summary(String),
    /// The workload is an MPI program: nothing was run.
    Program,
    Problems(Problems),
    Replaced(String),
    Failed(RunError),
}

/// The experiment with every default filled in, as JSON, and whether its workload is an MPI program.
///
/// # Errors
/// `ExperimentError` with all mistakes; `KeyboardInterrupt`.
#[pyfunction]
pub(crate) fn check(py: Python<'_>, input: Input) -> PyResult<(String, bool)> {
    let source = input.source();
    let loaded = waited(py, None, move |watch| Scenario::load_watched(&source, watch))?;
    let scenario = loaded.map_err(|problems| of_problems(py, &problems))?;
    Ok((scenario.resolved().to_string(), scenario.workload.kind.is_program()))
}

/// Runs an experiment: the fields of its summary as JSON; `None` without a run if its workload is an MPI program. Other threads
/// of Python go on meanwhile.
///
/// `progress` is called ten times a second with simulated seconds, messages that have arrived and their bytes, and what is being
/// prepared, if the run has not begun.
///
/// # Errors
/// `ExperimentError` with all mistakes; one of the `RunError`s where there is no result; `KeyboardInterrupt`, and whatever
/// `progress` raises, when the run has ended as by a limit and its results are written.
#[pyfunction]
#[pyo3(signature = (input, progress=None))]
pub(crate) fn run(
    py: Python<'_>,
    input: Input,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Option<String>> {
    let source = input.source();
    match waited(py, progress.as_ref(), move |watch| ended(&source, watch))? {
        Ended::Summary(text) => Ok(Some(text)),
        Ended::Program => Ok(None),
        Ended::Problems(problems) => Err(of_problems(py, &problems)),
        Ended::Replaced(text) => Err(of_place(py, text)),
        Ended::Failed(error) => Err(of_run(py, &error)),
    }
}

fn ended(source: &Source, watch: Watch<'_>) -> Ended {
    let scenario = match Scenario::load_watched(source, watch) {
        Ok(scenario) => scenario,
        Err(problems) => return Ended::Problems(problems),
    };
    if scenario.workload.kind.is_program() {
        return Ended::Program;
    }
    if let Some(text) = replaced(source, &scenario) {
        return Ended::Replaced(text);
    }
    match scenario.run_with(RunOptions::default(), &mut OneProcess, watch) {
        Ok(report) => Ended::Summary(report.summary.to_json().to_string()),
        Err(error) => Ended::Failed(error),
    }
}
