//! The extension module `weir._weir`: what the Python package `weir` calls, and nothing more. Inputs come as the attributes of
//! one object, results go as JSON, mistakes as the exceptions of `weir.errors`. It also reads tables of results and does what is
//! long to compute when they are drawn, so that a report needs no other package of numbers.
//!
//! # Model
//! MPI programs do not run here: one process can hold one program only, which may end it. The package hands these to the
//! command.

mod backend;
mod errors;
mod quantities;
mod run;
mod series;
mod spread;
mod tables;
mod waiting;

use pyo3::prelude::*;
use weir_network::causes::Cause;

#[pymodule]
fn _weir(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("TABLES", weir_record::TABLES.to_vec())?;
    module.add("CAUSES", Cause::ALL.map(Cause::name).to_vec())?;
    module.add("PALETTE", weir_picture::PALETTE)?;
    module.add_function(wrap_pyfunction!(run::check, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(waiting::interrupt_runs, module)?)?;
    module.add_function(wrap_pyfunction!(run::write_graph, module)?)?;
    module.add_function(wrap_pyfunction!(run::draw, module)?)?;
    module.add_function(wrap_pyfunction!(quantities::schema, module)?)?;
    module.add_function(wrap_pyfunction!(quantities::in_si, module)?)?;
    module.add_function(wrap_pyfunction!(quantities::machine, module)?)?;
    module.add_function(wrap_pyfunction!(tables::table_form, module)?)?;
    module.add_function(wrap_pyfunction!(tables::table_columns, module)?)?;
    module.add_function(wrap_pyfunction!(tables::table_values, module)?)?;
    module.add_function(wrap_pyfunction!(tables::table_of_calls, module)?)?;
    module.add_function(wrap_pyfunction!(spread::spread, module)?)?;
    module.add_class::<backend::Backend>()?;
    module.add_class::<backend::Completion>()?;
    module.add_class::<series::Series>()?;
    module.add_class::<series::Levels>()
}
