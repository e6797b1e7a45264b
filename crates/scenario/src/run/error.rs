//! Why a scenario cannot be run.

use std::fmt;
use weir_record::RecordError;

/// Why a scenario cannot be run although nothing is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum RunError {
    /// The program cannot be loaded; says why.
    Program(String),
    /// What was asked for beside the run makes no sense for this scenario; says why, and what would.
    Options(String),
    /// The results cannot be written; says which file, and why.
    Results(String),
    /// There is not enough memory, or it takes longer than allowed; says how much is needed, and how much there is.
    Budget(String),
    /// The process of the run was lost; says how it ended.
    Process(String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(why)
            | Self::Options(why)
            | Self::Results(why)
            | Self::Budget(why)
            | Self::Process(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for RunError {}

impl From<RecordError> for RunError {
    fn from(error: RecordError) -> Self {
        Self::Results(error.to_string())
    }
}
