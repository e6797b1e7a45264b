//! Checks and runs experiments, writes machines as graphs and draws plots.

use crate::errors::{made, of_problems, of_run};
use crate::waiting::waited;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use weir_experiment::{
    ExperimentText, MachineDescription, Problems, Scenario, SiNumbers, Source, replaces_in,
};
use weir_network::Watch;
use weir_run::{RunError, RunOptions, run_with};
use weir_transport::OneProcess;

/// The attributes of `weir.experiment.Input`.
#[derive(FromPyObject)]
pub(crate) struct Input {
    /// A file, or else a text and what problems call it: TOML, or JSON if the name ends in `.json`.
    file: Option<PathBuf>,
    text: Option<(String, String)>,
    /// A machine file in place of the one that the experiment names.
    machine: Option<PathBuf>,
    /// `key=value`, the later ones stronger.
    overrides: Vec<String>,
    /// The results folder.
    out: Option<PathBuf>,
    /// Algorithms of collectives where nothing else names one.
    collectives: Option<String>,
    /// True where numbers of the text are in SI base units, as those of overrides always are.
    si_numbers: bool,
}

impl Input {
    pub(crate) fn source(self) -> Source {
        let Self { file, text, machine, overrides, out, collectives, si_numbers } = self;
        let experiment_text = text.map(|(name, text)| ExperimentText { name, text });
        Source {
            experiment: file,
            experiment_text,
            machine,
            overrides,
            out,
            collectives,
            si_numbers: if si_numbers { SiNumbers::Everywhere } else { SiNumbers::InOverrides },
            ..Source::default()
        }
    }
}

/// Why the results of a scenario would replace what is read; `None` if they would not.
fn replaced(source: &Source, scenario: &Scenario) -> Option<String> {
    let folder = scenario.output.dir.as_ref()?;
    let inputs = [source.files(), scenario.files()].concat();
    let input = inputs.iter().find(|input| replaces_in(folder, input))?;
    let (folder, input) = (folder.display(), input.display());
    Some(format!(
        "the results folder {folder} would replace {input}, which is read\n\nhint: take another folder: out=..."
    ))
}

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
        Ended::Replaced(text) => Err(made(py, "OptionsError", (text,))),
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
    match run_with(&scenario, &RunOptions::default(), &mut OneProcess, watch) {
        Ok(report) => Ended::Summary(report.summary.to_json().to_string()),
        Err(error) => Ended::Failed(error),
    }
}

/// Writes the machine of an experiment or a machine file as a graph, in the form that the name's ending stands for.
///
/// # Errors
/// `ExperimentError` for everything that is wrong with the machine, `OutputError` for a file that cannot be written.
#[pyfunction]
pub(crate) fn write_graph(py: Python<'_>, input: Input, path: PathBuf) -> PyResult<()> {
    let source = input.source();
    let machine =
        py.detach(|| MachineDescription::load(&source)).map_err(|problems| of_problems(py, &problems))?;
    py.detach(|| machine.write_graph(&path)).map_err(|error| made(py, "OutputError", (error.to_string(),)))
}

/// Draws the plots of a JSON list, one below the other, as the text of an SVG file.
#[pyfunction]
pub(crate) fn draw(plots: &str) -> PyResult<String> {
    weir_picture::draw(plots).map_err(|error| PyValueError::new_err(error.to_string()))
}
