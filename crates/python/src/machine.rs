//! Machines as graphs.

use crate::errors::{of_export, of_problems};
use crate::input::Input;
use pyo3::prelude::*;
use std::path::PathBuf;
use weir_scenario::MachineDescription;

/// Writes the machine of an experiment or a machine file as a graph, in the form that the name's ending stands for.
///
/// # Errors
/// `ExperimentError` for everything that is wrong with the machine, `OutputError` for a file that cannot be written.
#[pyfunction]
pub(crate) fn write_graph(py: Python<'_>, input: Input, path: PathBuf) -> PyResult<()> {
    let source = input.source();
    let machine =
        py.detach(|| MachineDescription::load(&source)).map_err(|problems| of_problems(py, &problems))?;
    py.detach(|| machine.write_graph(&path)).map_err(|error| of_export(py, &error))
}
