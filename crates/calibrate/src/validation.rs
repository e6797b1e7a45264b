//! Predicted beside measured times of a machine: what `weir validate` does.
//!
//! ```text
//!   study file --- study: measured times, machine file, rows that calibrate, targets
//!        |  fallback: algorithms that the library refused are left out
//!        v
//!   rows ------ predict: a run of weir for each, with the machine file as it is
//!        |  tally, best, targets: errors in numbers
//!        v
//!   Validation --- tables, page, curves: Markdown, CSV, SVG
//! ```

mod best;
mod curves;
mod fallback;
mod figures;
mod outcome;
mod page;
mod predictions;
mod reader;
mod study;
mod tables;
mod tally;
mod targets;
#[cfg(test)]
mod tests;

pub use best::Choice;
pub use outcome::{Predicted, Standing, Validation, Without};
pub use page::write;
pub use predictions::{Extra, Progress, Wanted, validate};
pub use study::{Ablation, Excluded, Fallback, Fitting, Goal, LibraryChoice, Rows, Study, Target};
pub use tables::Table;
pub use tally::{Tally, error};
pub use targets::Reached;
