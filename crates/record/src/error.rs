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
        /// Error of the system.
        source: std::io::Error,
    },
    /// Another run writes into the results folder.
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// There is something of another origin in the results folder, in the place of what weir writes.
    Strange {
        /// The folder.
        path: PathBuf,
        /// Descriptions of the files, each with its path.
        what: Vec<String>,
    },
    /// A file could not be written; an older version of it is untouched.
    File {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder { path, source } => write!(f, "cannot make the folder {}: {source}", path.display()),
            Self::Busy { path } => write!(
                f,
                "another run writes into {}\n\nhint: wait until it has ended, or take another folder",
                path.display()
            ),
            Self::Strange { path, what } => write!(
                f,
                "{} has files that weir has not written, under names that it writes:\n  {}\n\n\
                 hint: move them away, or take another folder; nothing has been removed",
                path.display(),
                what.join("\n  ")
            ),
            Self::File { path, source } => write!(f, "cannot write {}: {source}", path.display()),
        }
    }
}

impl std::error::Error for RecordError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Folder { source, .. } | Self::File { source, .. } => Some(source),
            Self::Busy { .. } | Self::Strange { .. } => None,
        }
    }
}
