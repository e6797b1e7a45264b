//! What is known of a study when its rows are predicted.

use super::study::Study;
use super::tally::error;
use crate::calibration::Calibration;
use crate::measured::{LeftOut, Row};
use crate::parameter::Parameter;

/// What a row is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its algorithm is known: it counts.
    Counts,
    /// The library chose the algorithm: shown, and in no number.
    LibraryChoice,
}

/// A measured and a predicted time.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicted {
    /// What was measured.
    pub row: Row,
    /// The predicted time, in seconds.
    pub seconds: f64,
    /// Whether it counts.
    pub standing: Standing,
    /// Whether the values of the machine file were fitted to it.
    pub calibrates: bool,
    /// Other keys that were chosen by it; none if it is a prediction.
    pub chosen: Vec<String>,
}

impl Predicted {
    /// Predicted over measured.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.seconds / self.row.seconds
    }

    /// |predicted / measured - 1|.
    #[must_use]
    pub fn error(&self) -> f64 {
        error(self.seconds, self.row.seconds)
    }

    /// Whether it is a prediction: the algorithm is known, and nothing was fitted to the row.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        self.standing == Standing::Counts && !self.calibrates && self.chosen.is_empty()
    }

    /// What the row is to the machine file, in words.
    pub(super) fn role(&self) -> String {
        match (self.calibrates, &self.chosen[..]) {
            (true, _) => "fitted to".to_owned(),
            (false, []) => "predicted".to_owned(),
            (false, keys) => format!("chosen by: {}", keys.join(", ")),
        }
    }

    /// Whether it is predicted again without parts of the model.
    pub(super) fn is_ablated(&self, study: &Study) -> bool {
        self.is_judged() && self.row.bytes <= study.ablations_to
    }
}

/// Predictions without a part of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Without {
    /// The part.
    pub name: String,
    /// Seconds, in the order of [`Validation::rows`]; `None` where there is no run without the part.
    pub seconds: Vec<Option<f64>>,
}

/// All that is known of a study.
#[derive(Clone, Debug)]
pub struct Validation {
    /// What it was asked for.
    pub study: Study,
    /// The rows that were predicted, in the order of the file.
    pub rows: Vec<Predicted>,
    /// Those that were not, and why.
    pub left_out: LeftOut,
    /// The keys that are fitted, with the values of the machine file.
    pub parameters: Vec<Parameter>,
    /// The fit, if it was asked for.
    pub fit: Option<Calibration>,
    /// Predictions without parts, if they were asked for.
    pub without: Vec<Without>,
}
