//! Why a pattern file cannot be used.

use crate::Mistakes;
use std::fmt;

/// Why a pattern file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadError {
    /// The name ends neither in `.pattern` nor in `.parquet`.
    UnknownFormat,
    /// It cannot be read; says why.
    Unreadable(String),
    /// It has mistakes.
    Mistakes(Mistakes),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFormat => write!(f, "the name of a pattern file ends in .pattern or .parquet"),
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
            Self::Mistakes(mistakes) => write!(f, "{mistakes}"),
        }
    }
}

impl std::error::Error for ReadError {}
