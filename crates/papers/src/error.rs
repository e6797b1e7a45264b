//! What can go wrong.

use std::path::PathBuf;
use thiserror::Error;
use weir_scenario::Problems;

/// Why an item has no result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PapersError {
    /// An experiment is not understood.
    #[error("{point}: {problems}")]
    Experiment {
        /// Which point.
        point: String,
        /// What is wrong.
        problems: Problems,
    },
    /// A run did not finish.
    #[error("{point}: {what}")]
    Run {
        /// Which point.
        point: String,
        /// How it ended.
        what: String,
    },
    /// A program of the paper cannot be compiled.
    #[error("{program}: {what}")]
    Program {
        /// Which one.
        program: String,
        /// Why not.
        what: String,
    },
    /// A plot cannot be drawn.
    #[error(transparent)]
    Plot(#[from] weir_picture::PictureError),
    /// A file cannot be read, or is not what it should be.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which one.
        path: PathBuf,
        /// What the system reports.
        source: std::io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// What the system reports.
        source: std::io::Error,
    },
}
