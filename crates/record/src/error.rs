//! Why something could not be written.

use std::io;
use std::path::PathBuf;

/// A result, or why results could not be written.
pub(crate) type Result<T, E = RecordError> = std::result::Result<T, E>;

/// Why results could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The results folder does not exist and could not be made.
    #[error("cannot make the folder {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// Another run writes into this results folder.
    #[error("another run writes into {}\n\nhint: wait until it has ended, or take another folder", .0.display())]
    Busy(PathBuf),
    /// There is something of another origin in the results folder, in the place of what weir writes.
    #[error(
        "{} has files that weir has not written, under names that it writes:\n  {}\n\n\
         hint: move them away, or take another folder; nothing has been removed",
        path.display(),
        what.join("\n  ")
    )]
    Strange {
        /// The folder.
        path: PathBuf,
        /// Descriptions of the files, each with its path.
        what: Vec<String>,
    },
    /// A file could not be written; an older version of it is untouched.
    #[error("cannot write {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
}
