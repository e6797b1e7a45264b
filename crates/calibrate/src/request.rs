//! Request for a calibration, and mistakes in it.

use crate::loss::Loss;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use weir_units::visible;

/// A fit that is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The files of measured times, at least one. Each counts as much as another one.
    pub measured: Vec<PathBuf>,
    /// The machine file, with a first guess of each parameter.
    pub machine: PathBuf,
    /// The keys to fit; `auto` alone: those that the times determine; `none` alone: no key, the rows are only predicted.
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

/// Something in the input that has to be put right first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where: a file, with the line if there is one, or a key.
    pub place: String,
    /// The mistake.
    pub what: String,
    /// A way to put it right.
    pub hint: Option<String>,
}

impl Mistake {
    pub(crate) fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into(), hint: None }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", visible(&self.place), visible(&self.what))?;
        self.hint.iter().try_for_each(|hint| write!(f, "\n\nhint: {}", visible(hint)))
    }
}

pub(crate) type Result<T, E = CalibrationError> = std::result::Result<T, E>;

/// Why there is no calibration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// The input is wrong: every mistake that was found.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Input(Vec<Mistake>),
    /// A run with values that the fit tried did not come to its end; says which row, and why.
    #[error("{0}")]
    Run(String),
    /// A signal has come.
    #[error("interrupted")]
    Interrupted,
}

impl From<Mistake> for CalibrationError {
    fn from(mistake: Mistake) -> Self {
        Self::Input(vec![mistake])
    }
}
