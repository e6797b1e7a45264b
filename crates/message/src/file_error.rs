//! Mistakes with files.

use std::fmt;
use std::io::{self, ErrorKind};

/// An error class of files (MPI 5.0, section 9.4, table 9.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum FileMistake {
    /// `MPI_ERR_FILE`: not an open file.
    Handle,
    /// `MPI_ERR_NOT_SAME`: the ranks do not say the same where they have to.
    NotSame,
    /// `MPI_ERR_AMODE`: the access mode makes no sense.
    AccessMode,
    /// `MPI_ERR_UNSUPPORTED_DATAREP`: no such data representation.
    Representation,
    /// `MPI_ERR_UNSUPPORTED_OPERATION`: not with a file opened like this.
    Operation,
    /// `MPI_ERR_NO_SUCH_FILE`: it is not there.
    NoSuchFile,
    /// `MPI_ERR_FILE_EXISTS`: it is there already.
    Exists,
    /// `MPI_ERR_BAD_FILE`: the name cannot be that of a file.
    Name,
    /// `MPI_ERR_ACCESS`: permission is denied.
    Access,
    /// `MPI_ERR_NO_SPACE`: the disk is full.
    NoSpace,
    /// `MPI_ERR_QUOTA`: the user's share of the disk is full.
    Quota,
    /// `MPI_ERR_READ_ONLY`: it can only be read.
    ReadOnly,
    /// `MPI_ERR_FILE_IN_USE`: it is in use.
    InUse,
    /// `MPI_ERR_DUP_DATAREP`: there is a data representation of this name.
    KnownRepresentation,
    /// `MPI_ERR_CONVERSION`: data cannot be converted.
    Conversion,
    /// `MPI_ERR_IO`: anything else.
    Io,
}

impl FileMistake {
    /// The name of the class in `mpi.h`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Handle => "MPI_ERR_FILE",
            Self::NotSame => "MPI_ERR_NOT_SAME",
            Self::AccessMode => "MPI_ERR_AMODE",
            Self::Representation => "MPI_ERR_UNSUPPORTED_DATAREP",
            Self::Operation => "MPI_ERR_UNSUPPORTED_OPERATION",
            Self::NoSuchFile => "MPI_ERR_NO_SUCH_FILE",
            Self::Exists => "MPI_ERR_FILE_EXISTS",
            Self::Name => "MPI_ERR_BAD_FILE",
            Self::Access => "MPI_ERR_ACCESS",
            Self::NoSpace => "MPI_ERR_NO_SPACE",
            Self::Quota => "MPI_ERR_QUOTA",
            Self::ReadOnly => "MPI_ERR_READ_ONLY",
            Self::InUse => "MPI_ERR_FILE_IN_USE",
            Self::KnownRepresentation => "MPI_ERR_DUP_DATAREP",
            Self::Conversion => "MPI_ERR_CONVERSION",
            Self::Io => "MPI_ERR_IO",
        }
    }

    /// The class of an error of the host's file system.
    #[must_use]
    pub fn of_host(error: &io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::NoSuchFile,
            ErrorKind::AlreadyExists => Self::Exists,
            ErrorKind::PermissionDenied => Self::Access,
            ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            ErrorKind::StorageFull => Self::NoSpace,
            ErrorKind::QuotaExceeded => Self::Quota,
            ErrorKind::IsADirectory | ErrorKind::NotADirectory | ErrorKind::InvalidFilename => Self::Name,
            ErrorKind::ExecutableFileBusy | ErrorKind::ResourceBusy => Self::InUse,
            _ => Self::Io,
        }
    }
}

impl fmt::Display for FileMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_host_have_classes() {
        let class = |number| FileMistake::of_host(&io::Error::from_raw_os_error(number));
        // Numbers of Linux: ENOENT, EACCES, EEXIST, ENOTDIR, EISDIR, ETXTBSY, ENOSPC, EROFS, ENAMETOOLONG, EDQUOT, EIO.
        let expected = [
            (2, FileMistake::NoSuchFile),
            (13, FileMistake::Access),
            (17, FileMistake::Exists),
            (20, FileMistake::Name),
            (21, FileMistake::Name),
            (26, FileMistake::InUse),
            (28, FileMistake::NoSpace),
            (30, FileMistake::ReadOnly),
            (36, FileMistake::Name),
            (122, FileMistake::Quota),
            (5, FileMistake::Io),
        ];
        for (number, mistake) in expected {
            assert_eq!(class(number), mistake, "errno {number}");
        }
    }
}
