//! What a calibration leaves.

mod machine_file;
mod picture;
mod residuals;
mod suspects;

pub(crate) use machine_file::{machine_file, set_all};
pub(crate) use picture::picture;
pub(crate) use residuals::residuals;
pub(crate) use suspects::suspects;
