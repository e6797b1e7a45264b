//! Mistakes in the input of a calibration.

use std::fmt;
use weir_units::visible;

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

/// Why there is no calibration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CalibrationError {
    /// The input is wrong: every mistake that was found.
    Input(Vec<Mistake>),
    /// A run with values that the fit tried did not come to its end; says which row, and why.
    Run(String),
    /// A signal has come.
    Interrupted,
}

impl From<Mistake> for CalibrationError {
    fn from(mistake: Mistake) -> Self {
        Self::Input(vec![mistake])
    }
}

impl fmt::Display for CalibrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(mistakes) => {
                let all: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
                f.write_str(&all.join("\n"))
            }
            Self::Run(what) => f.write_str(what),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for CalibrationError {}
