//! Figures as SVG: plots of series over one x, and heat maps. Colors, units and legends are the same in all of them.
//!
//! The program that shows an SVG sets its text, so no fonts are needed here; the room for text is estimated.

mod axis;
mod drawing;
mod heat_map;
mod plot;

pub use axis::{Axis, Scale, Unit, bytes, suitable_unit};
pub use drawing::{Drawing, PALETTE};
pub use heat_map::{Field, HeatMap, Paint};
pub use plot::{Plot, Series, SeriesKind};

/// A figure cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The values of an axis do not lie on its scale, or there are none.
    #[error("plot {plot}: the axis \"{axis}\" cannot go from {least} to {most}")]
    Axis {
        /// Name of the plot.
        plot: String,
        /// Label of the axis.
        axis: String,
        /// The least value.
        least: String,
        /// The greatest value.
        most: String,
    },
    /// The description is not that of plots.
    #[error("the plots cannot be read: {0}")]
    Description(String),
}

/// Draws the plots of a JSON list, one below the other; the keys are the fields of [`Plot`], [`Axis`] and [`Series`].
///
/// # Errors
/// A text that is not such a list; a plot that cannot be drawn, for example because it has no points.
pub fn draw(plots: &str) -> Result<String, PictureError> {
    let wrong = |error: serde_json::Error| PictureError::Description(error.to_string());
    let value: serde_json::Value = serde_json::from_str(plots).map_err(wrong)?;
    let plots = <Vec<Plot<'_>> as serde::Deserialize>::deserialize(&value).map_err(wrong)?;
    let drawings = plots.iter().map(Plot::draw).collect::<Result<Vec<_>, _>>()?;
    Ok(Drawing::stacked(drawings).to_string())
}
