//! Why something could not be written.

use std::fmt;
use std::path::PathBuf;

/// Why results could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordError {
    /// The results folder does not exist and could not be made.
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file could not be written; an older version of it is untouched.
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder { path, source } => write!(f, "cannot make the folder {}: {source}", path.display()),
            Self::File { path, source } => write!(f, "cannot write {}: {source}", path.display()),
        }
    }
}

impl std::error::Error for RecordError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Folder { source, .. } | Self::File { source, .. } => Some(source),
        }
    }
}
