//! Facts that need no run: of a machine alone, its routes and cuts; of a scenario, bounds, gaps between
//! packets, its pattern.

pub(crate) mod assumed;
pub(crate) mod bound;
pub(crate) mod crossing;
pub(crate) mod gaps;
pub(crate) mod machine;
pub(crate) mod pacing;
pub(crate) mod pattern_out;
pub(crate) mod placing;
pub(crate) mod traffic;
pub mod what_if;

/// Why a question about a scenario or a machine has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnalysisError {
    /// It makes no sense there: in a sentence, with a hint where there is one.
    #[error("{0}")]
    Refused(String),
    /// A signal has come.
    #[error("interrupted")]
    Interrupted,
}

fn refused<T>(why: impl Into<String>) -> Result<T, AnalysisError> {
    Err(AnalysisError::Refused(why.into()))
}
