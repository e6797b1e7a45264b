//! Files and texts that a calibration writes.

mod machine_file;
mod picture;
mod residuals;
mod suspects;

pub(crate) use machine_file::set_all;
