//! Columns of Parquet files, for the tables of a run, pattern files and profiles. [`row!`] declares a table.
//!
//! Parquet stores unsigned numbers as the signed ones with the same bits.

mod read;
mod rows;

pub use read::{Cells, Column, Ended, Kind, Reading, TableFile, open_column, unless_damaged};
pub use rows::{Cell, ColumnForm, GroupWriter, Property, Row, Stored, Texts, Values};
