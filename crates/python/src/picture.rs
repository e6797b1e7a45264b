//! Draws plots.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Draws the plots of a JSON list, one below the other, as the text of an SVG file.
#[pyfunction]
pub(crate) fn draw(plots: &str) -> PyResult<String> {
    weir_picture::draw(plots).map_err(|error| PyValueError::new_err(error.to_string()))
}
