//! Request for a calibration.

use crate::loss::Loss;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// A fit that is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The files of measured times, at least one. Each counts as much as another one.
    pub measured: Vec<PathBuf>,
    /// The machine file, with a first guess of each parameter.
    pub machine: PathBuf,
    /// The keys to fit; `auto` alone: those that the times determine.
    pub keys: Vec<String>,
    /// Number of ranks where a log does not say it.
    pub ranks: Option<u64>,
    /// `key=value` for all rows.
    pub sets: Vec<String>,
    /// By which factor a parameter may differ from its first guess at most, above 1.
    pub within: f64,
    /// Loss that makes large errors count less.
    pub loss: Loss,
    /// Folds of the cross-validation; less than 2: none.
    pub folds: usize,
    /// Groups that are left out together.
    pub fold_by: FoldBy,
    /// Try how the job may lie in a Tofu.
    pub layouts: bool,
    /// Runs at a time.
    pub threads: NonZeroUsize,
}

/// Groups of rows that cross-validation leaves out together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FoldBy {
    /// Every k-th row of the file.
    #[default]
    Rows,
    /// All rows of an algorithm: what the fit says of algorithms that were not measured.
    Algorithm,
}

impl Request {
    /// The files of measured times, as problems call them together.
    pub(crate) fn names(&self) -> String {
        self.measured.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    }

    /// Their names without folders.
    pub(crate) fn file_names(&self) -> String {
        let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.measured.iter().map(name).collect::<Vec<_>>().join(", ")
    }
}
