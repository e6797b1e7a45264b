//! The extension module `weir._weir`: what the Python package `weir` calls, and nothing more. Inputs come as the attributes of
//! one object, results go as JSON, mistakes as the exceptions of `weir.errors`.
//!
//! # Model
//! MPI programs do not run here: one process can hold one program only, which may end it. The package hands these to the
//! command.

mod errors;
mod input;
mod machine;
mod run;
mod waiting;

use pyo3::prelude::*;

#[pymodule]
fn _weir(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(run::check, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(waiting::interrupt_runs, module)?)?;
    module.add_function(wrap_pyfunction!(machine::write_graph, module)?)
}
