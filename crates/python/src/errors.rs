//! Errors of the simulator as exceptions of `weir.errors`, with the same messages.

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use weir_experiment::{Problem, Problems};
use weir_run::RunError;

/// The exception of this name, made with these arguments; what went wrong in making it, if anything did.
pub(crate) fn made(py: Python<'_>, name: &str, arguments: impl for<'py> PyCallArgs<'py>) -> PyErr {
    let class = py.import("weir.errors").and_then(|module| module.getattr(name));
    match class.and_then(|class| class.call1(arguments)) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// All mistakes of an input: `ExperimentError`.
pub(crate) fn of_problems(py: Python<'_>, problems: &Problems) -> PyErr {
    let rows = problems.list().iter().map(|problem| {
        let Problem { file, line, key, value, what, hint } = problem.clone();
        (file, line, key, value, what, hint)
    });
    made(py, "ExperimentError", (problems.to_string(), rows.collect::<Vec<_>>()))
}

/// Why a run has no result.
pub(crate) fn of_run(py: Python<'_>, error: &RunError) -> PyErr {
    let name = match error {
        RunError::Program(_) => "ProgramError",
        RunError::Options(_) => "OptionsError",
        RunError::Results(_) => "OutputError",
        RunError::Budget(_) => "BudgetError",
        RunError::Process(_) => "ProcessError",
        _ => "RunError",
    };
    made(py, name, (error.to_string(),))
}

/// A panic: `InternalError`.
pub(crate) fn of_panic(py: Python<'_>, text: &str) -> PyErr {
    let text = format!("weir has made a mistake: {text}. Nothing is wrong with your input. Please report it");
    made(py, "InternalError", (text,))
}
